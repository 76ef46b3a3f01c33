import { Button, Group, Modal, Stack, Table, Text } from '@mantine/core'
import { useEffect } from 'react'
import {
  dashboardLifecycle,
  type LifecyclePreview,
  type LifecycleRule,
} from '#shared/contract/lifecycle.ts'
import { useSend } from '../../api/queries.ts'
import { bytesText, numberText } from '../../format/amounts.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { ErrorNotice, FactList, LoadingPlaceholder } from '../../ui/page.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { RowTable } from '../../ui/row-table.tsx'
import { Notice } from '../../ui/tone.tsx'

const CHANGES = [dashboardLifecycle.overview]
const COLUMNS = textsOf('ui.lifecycle.preview.columns', 'patient', 'modality', 'received', 'size')

/** What a rule would remove now, and what is kept and why; switching it on. */
export function PreviewDialog({ rule, onClose }: { rule: LifecycleRule; onClose: () => void }) {
  const preview = useSend(dashboardLifecycle.preview, CHANGES)
  const on = useSend(dashboardLifecycle.switch, CHANGES)
  const { ruleId } = rule
  const { mutate } = preview
  useEffect(() => mutate({ params: { ruleId } }), [mutate, ruleId])
  return (
    <Modal
      opened
      onClose={onClose}
      size={760}
      title={t('ui.lifecycle.preview.title', { name: rule.name })}
    >
      <Stack>
        {preview.isPending && <LoadingPlaceholder rows={5} />}
        {preview.error && <ErrorNotice error={preview.error} />}
        {on.error && <ErrorNotice error={on.error} />}
        {preview.data && <Preview preview={preview.data} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('ui.lifecycle.preview.close')}
          </Button>
          {preview.data && !rule.isOn && (
            <Button
              color="red"
              loading={on.isPending}
              onClick={() =>
                on.mutate(
                  { params: { ruleId }, body: { isOn: true, revision: preview.data.revision } },
                  { onSuccess: onClose },
                )
              }
            >
              {t('ui.lifecycle.preview.switchOn')}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

function Preview({ preview: { remove, notDue, kept, examples } }: { preview: LifecyclePreview }) {
  return (
    <>
      <Notice tone={remove.studies > 0 ? 'warning' : 'info'}>
        {t('ui.lifecycle.preview.summary', {
          studies: remove.studies,
          bytes: bytesText(remove.bytes),
        })}
      </Notice>
      <FactList
        facts={[
          [t('ui.lifecycle.preview.notDue'), amountText(notDue.studies, notDue.bytes)],
          ...kept.map(
            ({ reason, studies, bytes }) =>
              [t(`ui.lifecycle.preview.kept.${reason}`), amountText(studies, bytes)] as const,
          ),
        ]}
      />
      {examples.length > 0 && (
        <RowTable columns={COLUMNS} minWidth={560}>
          {examples.map((study) => (
            <Table.Tr key={study.studyInstanceUid}>
              <Table.Td>
                <PersonName value={study.patientName} />
              </Table.Td>
              <Table.Td>{study.modalities.join(', ')}</Table.Td>
              <Table.Td>
                <Clock instant={study.receivedAt} />
              </Table.Td>
              <Table.Td>{bytesText(study.bytes)}</Table.Td>
            </Table.Tr>
          ))}
        </RowTable>
      )}
      {remove.studies > examples.length && (
        <Text fz="sm" c="dimmed">
          {t('ui.lifecycle.preview.more', { count: numberText(remove.studies - examples.length) })}
        </Text>
      )}
    </>
  )
}

const amountText = (studies: number, bytes: number): string =>
  t('ui.lifecycle.amount', { studies, bytes: bytesText(bytes) })
