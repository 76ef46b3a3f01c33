import { Button, Input, Select, TextInput } from '@mantine/core'
import { IconSearch, IconX } from '@tabler/icons-react'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardExams, type ExplainedExam } from '#shared/contract/dashboard-exams.ts'
import type { Device } from '#shared/contract/devices.ts'
import { faultsByField } from '../../api/client.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { useZone } from '../../api/status.ts'
import { todayIn } from '../../format/dates.ts'
import { fullNameOf } from '../../format/device-name.ts'
import { t } from '../../i18n/t.ts'
import { DayInput } from '../../ui/day-input.tsx'
import { EmptyState, ErrorNotice, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { WorklistTabs } from '../../ui/sections/worklist-tabs.tsx'
import { Answer } from './answer.tsx'
import css from './worklist.module.css'

const route = getRouteApi('/shell/worklist/why')

/**
 * Why an exam is not on a device. The address names device, study, step and day; what a person
 * typed stays out of it.
 */
export function ExamExplainer() {
  const { study, step, device, day } = route.useSearch()
  const devices = useReply(dashboard.devices, {})
  return (
    <Page title={t('ui.worklist.why.title')} about={t('ui.worklist.why.about')}>
      <WorklistTabs />
      {devices.isPending && <LoadingPlaceholder rows={3} />}
      {devices.isError && (
        <ErrorNotice error={devices.error} onRetry={() => void devices.refetch()} />
      )}
      {devices.data?.devices.length === 0 && (
        <Panel>
          <EmptyState
            title={t('ui.worklist.noDevices')}
            action={<Link to="/devices">{t('ui.worklist.toDevices')}</Link>}
          >
            {t('ui.worklist.noDevicesText')}
          </EmptyState>
        </Panel>
      )}
      {devices.data && devices.data.devices.length > 0 && (
        <Explanation key={[study, step, device, day].join(' ')} devices={devices.data.devices} />
      )}
    </Page>
  )
}

interface ExamReference {
  readonly study?: string | undefined
  readonly step?: string | undefined
}

function Explanation({ devices }: { devices: readonly Device[] }) {
  const { study, step, device: named, day: onDay } = route.useSearch()
  const navigate = useNavigate()
  const today = todayIn(useZone(), new Date())
  const explain = useSend(dashboardExams.explain, [dashboard.inspections])
  const first =
    devices.find(({ deviceId }) => deviceId === named) ??
    devices.find(({ isEnabled }) => isEnabled) ??
    devices[0]
  const [question, setQuestion] = useState<ExplainQuestion>({
    deviceId: first?.deviceId ?? '',
    day: onDay ?? today,
    text: '',
  })
  const { deviceId, day, text } = question

  const run = (exam: ExamReference) =>
    explain.mutate({
      body: {
        deviceId,
        day,
        ...(exam.study
          ? { studyInstanceUid: exam.study, scheduledProcedureStepId: exam.step ?? '' }
          : { text }),
      },
    })
  const choose = (exam: ExamReference) => {
    void navigate({
      to: '/worklist/why',
      search: {
        device: deviceId,
        day,
        ...(exam.study && { study: exam.study }),
        ...(exam.step && { step: exam.step }),
      },
      replace: true,
    })
  }
  // A deep link is a question.
  const asked = useRef('')
  useEffect(() => {
    const link = study && named ? `${named} ${study} ${step ?? ''} ${onDay ?? ''}` : ''
    if (link === '' || link === asked.current) return
    asked.current = link
    run({ study, step })
  })

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
          <QuestionFields
            devices={devices}
            question={question}
            // What is shown answers what is asked for: a change of the question takes the answer
            // away.
            onChange={(change) => {
              setQuestion((now) => ({ ...now, ...change }))
              explain.reset()
            }}
            today={today}
            faults={explain.error ? faultsByField(explain.error) : {}}
            chosen={
              study ? (
                <ChosenExam exam={explain.data?.exam ?? null} onOther={() => choose({})} />
              ) : null
            }
          />
          <Button type="submit" leftSection={<IconSearch size={16} />} loading={explain.isPending}>
            {explain.data ? t('ui.worklist.why.again') : t('ui.worklist.why.ask')}
          </Button>
        </form>
      </Panel>
      <Answer
        error={explain.error}
        isPending={explain.isPending}
        explanation={explain.data}
        aeTitle={devices.find((one) => one.deviceId === deviceId)?.aeTitle ?? ''}
        onChoose={(exam) =>
          choose({ study: exam.studyInstanceUid, step: exam.scheduledProcedureStepId })
        }
      />
    </>
  )
}

/** A device, a day, and what names the exam where none was chosen. */
interface ExplainQuestion {
  readonly deviceId: string
  readonly day: string
  readonly text: string
}

interface QuestionFieldsProps {
  readonly devices: readonly Device[]
  readonly question: ExplainQuestion
  readonly onChange: (change: Partial<ExplainQuestion>) => void
  readonly today: string
  readonly faults: Readonly<Record<string, string>>
  /** The exam that was chosen, in place of a text. */
  readonly chosen: ReactNode
}

function QuestionFields({
  devices,
  question,
  onChange,
  today,
  faults,
  chosen,
}: QuestionFieldsProps) {
  return (
    <>
      <Select
        label={t('ui.worklist.why.device')}
        data={devices.map((one) => ({ value: one.deviceId, label: fullNameOf(one) }))}
        value={question.deviceId}
        onChange={(deviceId) => deviceId && onChange({ deviceId })}
        allowDeselect={false}
        searchable
        error={faults.deviceId}
      />
      {chosen ?? (
        <TextInput
          label={t('ui.worklist.why.exam')}
          placeholder={t('ui.worklist.why.examAbout')}
          maxLength={100}
          autoComplete="off"
          required
          value={question.text}
          onChange={(event) => onChange({ text: event.currentTarget.value })}
          error={faults.text}
        />
      )}
      <DayInput
        label={t('ui.worklist.why.day')}
        value={question.day}
        onChange={(event) => onChange({ day: event.currentTarget.value || today })}
        error={faults.day}
      />
    </>
  )
}

const ChosenExam = ({ exam, onOther }: { exam: ExplainedExam | null; onOther: () => void }) => (
  <Input.Wrapper label={t('ui.worklist.why.exam')} labelElement="div">
    <span className={css.chosenName}>
      {exam ? <PersonName value={exam.patientName} /> : t('ui.worklist.why.chosenExam')}
      <Button
        variant="subtle"
        size="compact-xs"
        leftSection={<IconX size={13} />}
        onClick={onOther}
      >
        {t('ui.worklist.why.otherExam')}
      </Button>
    </span>
  </Input.Wrapper>
)
