import { Button, Checkbox, Group, Modal, Stack, Switch, Text, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconSignature } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { type CheckFinding, type Draft, dashboardReports, type Reading } from '#shared/contract/reports.ts'
import { type ReportCheck, reportFindings } from '#shared/report-checks.ts'
import { faultsByField } from '../client.ts'
import { Failed } from '../components/page.tsx'
import { Notice } from '../components/tone.tsx'
import { keyOf, useSend } from '../gateway.ts'
import { said } from '../language/said.ts'
import { useSession } from '../session.ts'
import { type CommunicationValues, communicationFaults, communicationOf, newCommunication } from './communication.ts'
import { CommunicationFields } from './communication-fields.tsx'
import type { DraftKeeper } from './draft-keeper.ts'
import { PatientBanner } from './patient-banner.tsx'
import css from './reading.module.css'
import { WINDOW_ID } from './window-drafts.ts'
import { words } from './words.ts'

const { sign: texts } = words

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

/** Once more whose report it is, what stands against it, and whether it is critical; then one button that freezes it. */
export function SignDialog(props: SignDialogProps) {
  const isAddendum = props.reading.status === 'addendum_active'
  return (
    <Modal opened onClose={props.onClose} title={isAddendum ? texts.addendum : texts.title} size="min(760px, 94vw)">
      <Sign {...props} />
    </Modal>
  )
}

function Sign({ reading, keeper, text, atOpening, onConflict, onSigned, onClose }: SignDialogProps) {
  const client = useQueryClient()
  const send = useSend(dashboardReports.sign, [dashboardStudies.list, dashboardReports.criticals])
  const [isCritical, setIsCritical] = useState(false)
  const [finding, setFinding] = useState('')
  const [isTold, setIsTold] = useState(false)
  const [looked, setLooked] = useState<readonly ReportCheck[]>([])
  const [fromGateway, setFromGateway] = useState<readonly CheckFinding[]>([])
  const told = useForm<CommunicationValues>({ initialValues: newCommunication(new Date()), validate: communicationFaults })
  const isSaved = useSaved(keeper)

  const here = reportFindings({
    ...{ text, isCritical, isAddendum: reading.status === 'addendum_active', finding: finding.trim() || null },
    ...{ metadata: reading.reportMetadata, studyDescription: reading.studyDescription },
    ...{ indication: reading.context.clinicalIndication, patientAtOpening: atOpening },
  })
  // The gateway looks too, and knows of changes that have not come here yet.
  const findings = [...here, ...fromGateway.filter(({ check }) => !here.some((one) => one.check === check))]
  const errors = findings.filter(({ level }) => level === 'error')
  // Said where it is to be written.
  const unfound = errors.find(({ check }) => check === 'critical-without-finding')
  const stops = errors.filter((error) => error !== unfound)
  const warnings = findings.filter(({ level }) => level === 'warning')
  const maySign = useSession().data?.user?.canCreateReports === true
  const isOpen = maySign && isSaved && errors.length === 0 && warnings.every(({ check }) => looked.includes(check))

  function sign() {
    const { reportId, revision } = keeper.current()
    if (revision === null || (isCritical && isTold && told.validate().hasErrors)) return
    const body = {
      ...{ windowId: WINDOW_ID, reportId: reportId ?? undefined, revision, isCritical, acknowledged: [...looked] },
      finding: isCritical ? finding.trim() || null : null,
      communication: isCritical && isTold ? communicationOf(told.values) : null,
    }
    send.mutate(
      { params: { studyId: reading.studyId }, body },
      {
        onSuccess(answer) {
          if (answer.outcome === 'checks') return setFromGateway(answer.findings)
          if (answer.outcome === 'conflict') return onConflict(answer.theirs)
          client.setQueryData(keyOf(dashboardReports.read, { params: { studyId: reading.studyId } }), answer.reading)
          onSigned()
        },
        onError(error) {
          const faults = faultsByField(error, 'body.communication')
          told.setErrors({ ...faults, ...(faults.communicatedAt !== undefined && { at: faults.communicatedAt }) })
        },
      },
    )
  }

  return (
    <Stack>
      <Text c="dimmed" fz="sm">
        {texts.who}
      </Text>
      <PatientBanner study={reading} isLarge />
      {!maySign && (
        <Notice tone="danger" title={texts.mayNot}>
          {texts.mayNotText}
        </Notice>
      )}
      {stops.length > 0 && (
        <Notice tone="danger" title={texts.stop}>
          <ul className={css.notes}>
            {stops.map(({ check, sentence }) => (
              <li key={check}>{said(sentence)}</li>
            ))}
          </ul>
        </Notice>
      )}
      {warnings.length > 0 && (
        <fieldset className={css.findings} data-tone="warning">
          <legend>{texts.findings}</legend>
          {warnings.map(({ check, sentence }) => (
            <Checkbox
              key={check}
              label={said(sentence)}
              description={texts.looked}
              checked={looked.includes(check)}
              onChange={({ currentTarget: { checked } }) =>
                setLooked((before) => (checked ? [...before, check] : before.filter((one) => one !== check)))
              }
            />
          ))}
        </fieldset>
      )}
      <Switch
        label={texts.critical}
        description={texts.criticalAbout}
        checked={isCritical}
        onChange={(event) => setIsCritical(event.currentTarget.checked)}
      />
      {isCritical && (
        <Stack className={css.critical} gap={12}>
          <Textarea
            label={texts.finding}
            description={unfound && said(unfound.sentence)}
            placeholder={texts.findingExample}
            required
            autosize
            minRows={1}
            maxRows={4}
            maxLength={1000}
            value={finding}
            onChange={(event) => setFinding(event.currentTarget.value)}
          />
          <Checkbox
            label={texts.told}
            description={texts.toldAbout}
            checked={isTold}
            onChange={(event) => setIsTold(event.currentTarget.checked)}
          />
          {isTold && <CommunicationFields form={told} />}
        </Stack>
      )}
      {isSaved === false && <Notice tone="danger">{texts.mayNotSave}</Notice>}
      {send.error && <Failed error={send.error} />}
      <Text fz="sm">{texts.consequence}</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {texts.back}
        </Button>
        <Button leftSection={<IconSignature size={17} />} disabled={!isOpen} loading={send.isPending || isSaved === null} onClick={sign}>
          {texts.sign}
        </Button>
      </Group>
    </Stack>
  )
}

/** Saves what is written; null while that goes on. */
function useSaved(keeper: DraftKeeper): boolean | null {
  const [isSaved, setIsSaved] = useState<boolean | null>(null)
  useEffect(() => {
    let isHere = true
    void keeper.flush().then((done) => {
      if (isHere) setIsSaved(done)
    })
    return () => {
      isHere = false
    }
  }, [keeper])
  return isSaved
}
