import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { RowVerdict } from '#shared/contract/worklist.ts'
import { useSend } from '../api/queries.ts'
import { dayText, timeText } from '../format/dates.ts'
import { t } from '../i18n/t.ts'
import { ErrorNotice } from './page.tsx'
import { PersonName } from './person-name.tsx'
import { useContractForm } from './use-contract-form.ts'

/**
 * Marks a step as done or cancelled at this gateway. The partner is not told: only stored answers
 * leave the step out.
 */
export function CloseStepDialog(props: {
  row: RowVerdict | null
  onLeave: () => void
  onClosed: (row: RowVerdict) => void
}) {
  const { row, onLeave, onClosed } = props
  return (
    <Modal opened={row !== null} onClose={onLeave} title={t('ui.common.closeStep.title')}>
      {row && <CloseStepForm row={row} onLeave={onLeave} onClosed={onClosed} />}
    </Modal>
  )
}

function CloseStepForm({
  row,
  onLeave,
  onClosed,
}: {
  row: RowVerdict
  onLeave: () => void
  onClosed: (row: RowVerdict) => void
}) {
  const close = useSend(dashboard.closeStep, [dashboard.inspection])
  const { form, submit } = useContractForm({
    operation: dashboard.closeStep,
    initialValues: { reason: '' },
    bodyOf: ({ reason }) => ({
      studyInstanceUid: row.studyInstanceUid,
      scheduledProcedureStepId: row.scheduledProcedureStepId,
      reason,
    }),
    send(body, onError) {
      const onSuccess = () => {
        onClosed(row)
        onLeave()
      }
      close.mutate({ body }, { onSuccess, onError })
    },
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        <div>
          <PersonName value={row.patientName} />
          <Text size="sm" c="dimmed">
            {row.modality} {row.description}, {dayText(row.startDate)} {timeText(row.startTime)}
          </Text>
        </div>
        <Text size="sm">{t('ui.common.closeStep.about')}</Text>
        <TextInput
          label={t('ui.common.closeStep.reason')}
          description={t('ui.common.closeStep.reasonAbout')}
          placeholder={t('ui.common.closeStep.reasonExample')}
          maxLength={200}
          data-autofocus
          {...form.getInputProps('reason')}
        />
        {close.error && close.error.errors.length === 0 && <ErrorNotice error={close.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onLeave}>
            {t('ui.common.cancel')}
          </Button>
          <Button type="submit" loading={close.isPending}>
            {t('ui.common.closeStep.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
