import { Button, Input, Select, Text, TextInput } from '@mantine/core'
import { IconHelpCircle, IconSearch, IconX } from '@tabler/icons-react'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardExams, type ExamExplanation, type ExplainedExam } from '#shared/contract/dashboard-exams.ts'
import type { Device } from '#shared/contract/devices.ts'
import { faultsByField, type ProblemError } from '../client.ts'
import { Empty, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { PersonName } from '../components/person-name.tsx'
import { ToneIcon } from '../components/tone.tsx'
import { dayText, timeText, todayIn } from '../display/dates.ts'
import { useReply, useSend } from '../gateway.ts'
import { said } from '../language/said.ts'
import { useZone } from '../status.ts'
import { CheckList } from './check-list.tsx'
import css from './exams.module.css'
import { WorklistTabs } from './tabs.tsx'
import { words } from './words.ts'

const route = getRouteApi('/shell/worklist/why')

/** Why an exam is not on a device. The address names device, study, step and day; what a person typed stays out of it. */
export function Why() {
  const { study, step, device, day } = route.useSearch()
  const devices = useReply(dashboard.devices, {})
  return (
    <Page title={words.why.title} about={words.why.about}>
      <WorklistTabs />
      {devices.isPending && <Waiting rows={3} />}
      {devices.isError && <Failed error={devices.error} onRetry={() => void devices.refetch()} />}
      {devices.data?.devices.length === 0 && (
        <Panel>
          <Empty title={words.noDevices} action={<Link to="/devices">{words.toDevices}</Link>}>
            {words.noDevicesText}
          </Empty>
        </Panel>
      )}
      {devices.data && devices.data.devices.length > 0 && (
        <Explanation key={[study, step, device, day].join(' ')} devices={devices.data.devices} />
      )}
    </Page>
  )
}

function Explanation({ devices }: { devices: readonly Device[] }) {
  const { study, step, device: named, day: onDay } = route.useSearch()
  const navigate = useNavigate()
  const today = todayIn(useZone(), new Date())
  const explain = useSend(dashboardExams.explain, [dashboard.inspections])
  const first = devices.find(({ deviceId }) => deviceId === named) ?? devices.find(({ isEnabled }) => isEnabled) ?? devices[0]
  const [deviceId, setDeviceId] = useState(first?.deviceId ?? '')
  // What is shown answers what is asked for: a change of the question takes the answer away.
  const [day, setDay] = useState(onDay ?? today)
  const [text, setText] = useState('')
  const device = devices.find((one) => one.deviceId === deviceId)

  const run = (exam: { study?: string | undefined; step?: string | undefined }) =>
    explain.mutate({
      body: { deviceId, day, ...(exam.study ? { studyInstanceUid: exam.study, scheduledProcedureStepId: exam.step ?? '' } : { text }) },
    })
  const choose = (exam: { study?: string | undefined; step?: string | undefined }) => {
    void navigate({
      to: '/worklist/why',
      search: { device: deviceId, day, ...(exam.study && { study: exam.study }), ...(exam.step && { step: exam.step }) },
      replace: true,
    })
  }
  // A deep link is a question.
  const asked = useRef('')
  useEffect(() => {
    const question = study && named ? `${named} ${study} ${step ?? ''} ${onDay ?? ''}` : ''
    if (question === '' || question === asked.current) return
    asked.current = question
    run({ study, step })
  })

  const faults = explain.error ? faultsByField(explain.error) : {}
  return (
    <>
      <Panel>
        <form
          className={css.fields}
          onSubmit={(event) => {
            event.preventDefault()
            // What is asked is in the address, so that it can be handed on.
            if (study && (deviceId !== named || day !== onDay)) choose({ study, step })
            else run({ study, step })
          }}
        >
          <Select
            label={words.why.device}
            data={devices.map((one) => ({ value: one.deviceId, label: one.name ? `${one.name} (${one.aeTitle})` : one.aeTitle }))}
            value={deviceId}
            onChange={(chosen) => {
              if (!chosen) return
              setDeviceId(chosen)
              explain.reset()
            }}
            allowDeselect={false}
            searchable
            error={faults.deviceId}
          />
          {study ? (
            <Input.Wrapper label={words.why.exam} labelElement="div">
              <span className={css.chosenName}>
                {explain.data?.exam ? <PersonName value={explain.data.exam.patientName} /> : words.why.chosenExam}
                <Button variant="subtle" size="compact-xs" leftSection={<IconX size={13} />} onClick={() => choose({})}>
                  {words.why.otherExam}
                </Button>
              </span>
            </Input.Wrapper>
          ) : (
            <TextInput
              label={words.why.exam}
              placeholder={words.why.examAbout}
              maxLength={100}
              autoComplete="off"
              required
              value={text}
              onChange={(event) => {
                setText(event.currentTarget.value)
                explain.reset()
              }}
              error={faults.text}
            />
          )}
          <TextInput
            type="date"
            label={words.why.day}
            description={dayText(day)}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            value={day}
            onChange={(event) => {
              setDay(event.currentTarget.value || today)
              explain.reset()
            }}
            error={faults.day}
          />
          <Button type="submit" leftSection={<IconSearch size={16} />} loading={explain.isPending}>
            {explain.data ? words.why.again : words.why.ask}
          </Button>
        </form>
      </Panel>
      <Answer
        error={explain.error}
        isPending={explain.isPending}
        explanation={explain.data}
        aeTitle={device?.aeTitle ?? ''}
        onChoose={(exam) => choose({ study: exam.studyInstanceUid, step: exam.scheduledProcedureStepId })}
      />
    </>
  )
}

interface AnswerProps {
  readonly error: ProblemError | null
  readonly isPending: boolean
  readonly explanation: ExamExplanation | undefined
  readonly aeTitle: string
  readonly onChoose: (exam: ExplainedExam) => void
}

function Answer({ error, isPending, explanation, aeTitle, onChoose }: AnswerProps) {
  if (isPending) {
    return (
      <Panel>
        <Text role="status" size="sm" c="dimmed">
          {words.why.waiting}
        </Text>
        <Waiting rows={6} />
      </Panel>
    )
  }
  if (error) return <Failed error={error} />
  if (!explanation) {
    return (
      <Panel>
        <Empty icon={<IconHelpCircle size={34} stroke={1.3} />} title={words.why.before}>
          {words.why.beforeText}
        </Empty>
      </Panel>
    )
  }
  if (explanation.candidates.length > 0) return <Candidates exams={explanation.candidates} onChoose={onChoose} />
  return <Explained explanation={explanation} aeTitle={aeTitle} />
}

function Explained({ explanation, aeTitle }: { explanation: ExamExplanation; aeTitle: string }) {
  const { exam, conclusion, checks, inspectionId } = explanation
  const failed = checks.find(({ state }) => state === 'failed')
  const title = failed === undefined ? words.why.given : exam === null ? words.why.unknownExam : words.why.notGiven
  return (
    <>
      <div className={css.conclusion} data-tone={failed ? 'danger' : 'good'} role="status" data-testid="conclusion">
        <ToneIcon tone={failed ? 'danger' : 'good'} size={24} />
        <div>
          <div className={css.conclusionTitle}>{title}</div>
          <p>{said(conclusion)}</p>
          {failed && failed.remedy !== '' && <p>{said(failed.remedy)}</p>}
        </div>
      </div>
      <Panel
        isFlush
        title={
          exam && (
            <span className={css.exam}>
              <PersonName value={exam.patientName} /> <ExamFacts exam={exam} />
            </span>
          )
        }
        aside={
          inspectionId !== null && (
            <Link to="/queries/$inspectionId" params={{ inspectionId: String(inspectionId) }}>
              {words.why.query}
            </Link>
          )
        }
      >
        <CheckList explanation={explanation} aeTitle={aeTitle} />
      </Panel>
    </>
  )
}

const ExamFacts = ({ exam }: { exam: ExplainedExam }) => (
  <Text component="span" size="sm" c="dimmed">
    {[exam.accessionNumber, exam.modality, exam.description, dayText(exam.startDate), timeText(exam.startTime.slice(0, 4))]
      .filter((part) => part !== '')
      .join(' · ')}
  </Text>
)

function Candidates({ exams, onChoose }: { exams: readonly ExplainedExam[]; onChoose: (exam: ExplainedExam) => void }) {
  return (
    <Panel isFlush title={words.why.candidates}>
      <ul className={css.candidates}>
        {exams.map((exam) => (
          <li key={`${exam.studyInstanceUid}/${exam.scheduledProcedureStepId}`}>
            <span className={css.exam}>
              <PersonName value={exam.patientName} /> <span className="mono">{exam.patientId}</span> <ExamFacts exam={exam} />
            </span>
            <Button variant="default" size="xs" disabled={exam.studyInstanceUid === ''} onClick={() => onChoose(exam)}>
              {words.why.choose}
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
