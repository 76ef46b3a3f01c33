import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { partedPath } from './differences.ts'
import type { RestoreFrom } from './restore-dialog.tsx'
import { words } from './words.ts'

const texts = words.elsewhere

/** Asks for the folder of a back-up that is not in the folder of the plan. */
export function ElsewhereDialog({
  onChosen,
  onClose,
}: {
  onChosen: (from: RestoreFrom) => void
  onClose: () => void
}) {
  const form = useForm({
    initialValues: { path: '' },
    validate: { path: (path) => (partedPath(path) ? null : texts.wrong) },
  })
  const submit = form.onSubmit(({ path }) => {
    const from = partedPath(path)
    if (from) onChosen(from)
  })
  return (
    <Modal opened onClose={onClose} title={texts.title} size="lg">
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextInput
            label={texts.label}
            description={texts.about}
            placeholder={texts.example}
            maxLength={1000}
            spellCheck={false}
            data-autofocus
            styles={{ input: { fontFamily: 'var(--mono)', fontSize: 13 } }}
            {...form.getInputProps('path')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {texts.cancel}
            </Button>
            <Button type="submit">{texts.look}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
