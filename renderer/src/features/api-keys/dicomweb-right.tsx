import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import {
  type ApiKeyRow,
  DICOMWEB_RIGHTS,
  type DicomwebRight,
  dashboardPeople,
} from '#shared/contract/dashboard-people.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice } from '../../ui/page.tsx'
import { showDone } from '../../ui/undo.tsx'

/** What a key may do by DICOMweb, for a list to choose from. */
export const dicomwebOptions = () =>
  DICOMWEB_RIGHTS.map((value) => ({ value, label: t(`ui.api-keys.dicomweb.rights.${value}`) }))

/** Changes what a key may do by DICOMweb. */
export function DicomwebForm({ apiKey, onDone }: { apiKey: ApiKeyRow; onDone: () => void }) {
  const change = useSend(dashboardPeople.changeApiKey, [dashboardPeople.apiKeys])
  const { apiKeyId, description } = apiKey
  const [right, setRight] = useState<DicomwebRight>(apiKey.dicomweb)
  const save = () =>
    change.mutate(
      { params: { apiKeyId }, body: { dicomweb: right } },
      {
        onSuccess() {
          showDone(t('ui.api-keys.dicomweb.done', { name: description }))
          onDone()
        },
      },
    )
  return (
    <Modal opened onClose={onDone} title={t('ui.api-keys.dicomweb.title', { name: description })}>
      <Stack>
        <Text>{t('ui.api-keys.dicomweb.text')}</Text>
        <Select
          label={t('ui.api-keys.dicomweb.label')}
          allowDeselect={false}
          data={dicomwebOptions()}
          value={right}
          onChange={(value) => setRight(value as DicomwebRight)}
          data-autofocus
        />
        {change.error && <ErrorNotice error={change.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {t('ui.api-keys.form.cancel')}
          </Button>
          <Button loading={change.isPending} disabled={right === apiKey.dicomweb} onClick={save}>
            {t('ui.api-keys.dicomweb.save')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
