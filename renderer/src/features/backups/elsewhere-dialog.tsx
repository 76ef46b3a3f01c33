import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { t } from '../../i18n/t.ts'
import { splitPath } from './differences.ts'
import type { RestoreFrom } from './restore-dialog.tsx'

/** Asks for the folder of a backup that is not in the folder of the plan. */
export function OtherFolderDialog({
  onChosen,
  onClose,
}: {
  onChosen: (from: RestoreFrom) => void
  onClose: () => void
}) {
  const form = useForm({
    initialValues: { path: '' },
    validate: { path: (path) => (splitPath(path) ? null : t('ui.backups.elsewhere.wrong')) },
  })
  const submit = form.onSubmit(({ path }) => {
    const from = splitPath(path)
    if (from) onChosen(from)
  })
  return (
    <Modal opened onClose={onClose} title={t('ui.backups.elsewhere.title')} size="lg">
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextInput
            label={t('ui.backups.elsewhere.label')}
            description={t('ui.backups.elsewhere.about')}
            placeholder={t('ui.backups.elsewhere.example')}
            maxLength={1000}
            spellCheck={false}
            data-autofocus
            styles={{ input: { fontFamily: 'var(--mono)', fontSize: 13 } }}
            {...form.getInputProps('path')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('ui.backups.elsewhere.cancel')}
            </Button>
            <Button type="submit">{t('ui.backups.elsewhere.look')}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
