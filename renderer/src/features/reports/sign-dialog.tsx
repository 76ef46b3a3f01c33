import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { IconSignature } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import type { ReportCheck } from '#shared/contract/reports.ts'
import {
  type CheckFinding,
  type Draft,
  dashboardReports,
  type Reading,
} from '#shared/contract/reports.ts'
import { faultsByField } from '../../api/client.ts'
import type { DraftKeeper } from '../../api/draft-keeper.ts'
import { keyOf, useSend } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { WINDOW_ID } from '../../api/window-drafts.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'
import { communicationField, communicationOf } from './communication.ts'
import { CriticalPart, useCritical } from './critical-part.tsx'
import { PatientBanner } from './patient-banner.tsx'
import css from './reports.module.css'
import { useSignChecks } from './use-sign-checks.ts'

interface SignDialogProps {
  readonly reading: Reading
  readonly keeper: DraftKeeper
  readonly text: string
  /** What the report was begun for. */
  readonly atOpening: Reading['reportMetadata']
  readonly onConflict: (theirs: Draft) => void
  readonly onSigned: () => void
  readonly onClose: () => void
}

/**
 * Once more whose report it is, what stands against it, and whether it is critical; then one button
 * that freezes it.
 */
export function SignDialog(props: SignDialogProps) {
  const isAddendum = props.reading.status === 'addendum_active'
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={isAddendum ? t('ui.reports.sign.addendum') : t('ui.reports.sign.title')}
      size="min(760px, 94vw)"
    >
      <SignForm {...props} />
    </Modal>
  )
}

function SignForm({
  reading,
  keeper,
  text,
  atOpening,
  onConflict,
  onSigned,
  onClose,
}: SignDialogProps) {
  const client = useQueryClient()
  const send = useSend(dashboardReports.sign, [dashboardStudies.list, dashboardReports.criticals])
  const critical = useCritical(text)
  const { isCritical, finding, told } = critical
  const isSaved = useIsSaved(keeper)

  const checks = useSignChecks({
    ...{ text, isCritical, isAddendum: reading.status === 'addendum_active', finding },
    ...{
      identity: reading.identity.state,
      metadata: reading.reportMetadata,
      studyDescription: reading.studyDescription,
    },
    ...{ indication: reading.context.clinicalIndication, patientAtOpening: atOpening },
  })
  const { stops, warnings, looked } = checks
  const maySign = useSession().data?.user?.canCreateReports === true
  const isOpen = maySign && isSaved && checks.areMet

  function sign() {
    const { reportId, revision } = keeper.current()
    if (revision === null || (critical.isTold && told.validate().hasErrors)) return
    const body = {
      ...{
        windowId: WINDOW_ID,
        reportId: reportId ?? undefined,
        revision,
        isCritical,
        acknowledged: [...looked],
      },
      finding: isCritical ? finding : null,
      communication: critical.isTold ? communicationOf(told.values) : null,
    }
    send.mutate(
      { params: { studyId: reading.studyId }, body },
      {
        onSuccess(answer) {
          if (answer.outcome === 'checks') return checks.setFromGateway(answer.findings)
          if (answer.outcome === 'conflict') return onConflict(answer.theirs)
          client.setQueryData(
            keyOf(dashboardReports.read, { params: { studyId: reading.studyId } }),
            answer.reading,
          )
          onSigned()
        },
        onError: (error) =>
          told.setErrors(faultsByField(error, 'body.communication', communicationField)),
      },
    )
  }

  return (
    <Stack>
      <Text c="dimmed" fz="sm">
        {t('ui.reports.sign.who')}
      </Text>
      <PatientBanner study={reading} isLarge />
      {!maySign && (
        <Notice tone="danger" title={t('ui.reports.sign.mayNot')}>
          {t('ui.reports.sign.mayNotText')}
        </Notice>
      )}
      {stops.length > 0 && <SigningObstacles stops={stops} />}
      {warnings.length > 0 && <Warnings warnings={warnings} looked={looked} onLook={checks.look} />}
      <CriticalPart critical={critical} fault={checks.unfound} />
      {isSaved === false && <Notice tone="danger">{t('ui.reports.sign.mayNotSave')}</Notice>}
      {send.error && <ErrorNotice error={send.error} />}
      <Text fz="sm">{t('ui.reports.sign.consequence')}</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t('ui.reports.sign.back')}
        </Button>
        <Button
          leftSection={<IconSignature size={17} />}
          disabled={!isOpen}
          loading={send.isPending || isSaved === null}
          onClick={sign}
        >
          {t('ui.reports.sign.sign')}
        </Button>
      </Group>
    </Stack>
  )
}

/** Nothing is signed with these. */
function SigningObstacles({ stops }: { stops: readonly CheckFinding[] }) {
  return (
    <Notice tone="danger" title={t('ui.reports.sign.stop')}>
      <ul className={css.notes}>
        {stops.map(({ check, sentence }) => (
          <li key={check}>{translateMessage(sentence)}</li>
        ))}
      </ul>
    </Notice>
  )
}

/** Each is looked at before the report is signed. */
function Warnings(props: {
  warnings: readonly CheckFinding[]
  looked: readonly ReportCheck[]
  onLook: (check: ReportCheck, isLooked: boolean) => void
}) {
  const { warnings, looked, onLook } = props
  return (
    <fieldset className={css.findings} data-tone="warning">
      <legend>{t('ui.reports.sign.findings')}</legend>
      {warnings.map(({ check, sentence }) => (
        <Checkbox
          key={check}
          label={translateMessage(sentence)}
          description={t('ui.reports.sign.looked')}
          checked={looked.includes(check)}
          onChange={({ currentTarget: { checked } }) => onLook(check, checked)}
        />
      ))}
    </fieldset>
  )
}

/**
 * Whether what is written is saved; null while that goes on. A save that is tried again, and
 * succeeds, counts.
 */
function useIsSaved(keeper: DraftKeeper): boolean | null {
  const { state } = useSyncExternalStore(keeper.subscribe, keeper.current)
  useEffect(() => void keeper.flush(), [keeper])
  if (state === 'saved') return true
  return state === 'saving' || state === 'waiting' ? null : false
}
