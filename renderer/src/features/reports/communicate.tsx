import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { type CriticalResult, dashboardReports } from '#shared/contract/reports.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { ReferringPhysician } from '../../ui/escalation.tsx'
import { ErrorNotice } from '../../ui/page.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'
import { communicationField, communicationOf, newCommunication } from './communication.ts'
import { CommunicationFields } from './communication-fields.tsx'

/**
 * Documents that a critical result was made known (ACR Practice Parameter for Communication;
 * NPSG.02.03.01).
 */
export function CommunicationDialog({
  critical,
  onDone,
}: {
  critical: CriticalResult
  onDone: () => void
}) {
  return (
    <Modal opened onClose={onDone} title={t('ui.reports.signed.critical')} size="lg">
      <CommunicationForm critical={critical} onDone={onDone} />
    </Modal>
  )
}

function CommunicationForm({ critical, onDone }: { critical: CriticalResult; onDone: () => void }) {
  const communicate = useSend(dashboardReports.communicate, [
    dashboardReports.criticals,
    dashboardReports.read,
    dashboardStudies.list,
  ])
  const { form, submit } = useContractForm({
    operation: dashboardReports.communicate,
    initialValues: newCommunication(new Date()),
    bodyOf: communicationOf,
    fieldOf: communicationField,
    send: (body, onError) =>
      communicate.mutate(
        { params: { reportId: critical.reportId }, body },
        { onSuccess: onDone, onError },
      ),
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <div>
          <PersonName value={critical.patientName} />
          <Text fz="sm" c="dimmed">
            {critical.studyDescription}
          </Text>
          <Text fw={600} mt={6}>
            {critical.finding}
          </Text>
          <Text fz="sm" component="div" mt={6}>
            {t('ui.critical-results.columns.physician')}: <ReferringPhysician critical={critical} />
          </Text>
        </div>
        <CommunicationFields form={form} />
        {communicate.error && communicate.error.errors.length === 0 && (
          <ErrorNotice error={communicate.error} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {t('ui.common.cancel')}
          </Button>
          <Button type="submit" loading={communicate.isPending}>
            {t('ui.reports.signed.document')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
