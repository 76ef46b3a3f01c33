import { Popover, Stack, UnstyledButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { CSSProperties } from 'react'
import type { Exam, ExamDay } from '#shared/contract/dashboard-exams.ts'
import { timeText } from '../../format/dates.ts'
import { examKey } from '../../format/matching-exams.ts'
import { shownName } from '../../format/patient-name.ts'
import { t } from '../../i18n/t.ts'
import { ExamState, examTimeText, examTone } from '../../ui/exam-state.tsx'
import { Facts, Panel } from '../../ui/page.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { EXAM_MINUTES, hoursOf, lanesOf, minutesOf, timelineOf } from './exam-groups.ts'
import css from './timeline.module.css'

const hourText = (hour: number) => timeText(`${String(hour).padStart(2, '0')}00`)

/** The day as one row for each room along the clock; an exam opens to show who and what it is. */
export function Timeline({ day }: { day: ExamDay }) {
  const rows = timelineOf(day.exams)
  const { from, to } = hoursOf(day.exams)
  const hours = Array.from({ length: to - from }, (_, index) => from + index)
  /** Share of the width at which a minute of the day is; from 0 to 1 within the hours shown. */
  const placeOf = (minutes: number) => (minutes - from * 60) / ((to - from) * 60)
  const now = minutesOf(day.now)
  const isNowShown = day.day === day.today && now !== null && placeOf(now) >= 0 && placeOf(now) <= 1
  return (
    <Panel isFlush title={t('ui.dashboard.timeline.title')}>
      {rows.length === 0 ? (
        <div className={css.none}>{t('ui.dashboard.timeline.none')}</div>
      ) : (
        <section
          className={css.scroll}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
          tabIndex={0}
          aria-label={t('ui.dashboard.timeline.title')}
        >
          <div
            className={css.timeline}
            style={{ '--hours': hours.length, '--now': placeOf(now ?? 0) } as CSSProperties}
            data-now={isNowShown || undefined}
          >
            <div className={css.hours} aria-hidden>
              {hours.map((hour) => (
                <span key={hour}>{hourText(hour)}</span>
              ))}
            </div>
            {rows.map(({ room, exams }) => (
              <Row key={room} room={room} exams={exams} placeOf={placeOf} />
            ))}
          </div>
        </section>
      )}
    </Panel>
  )
}

function Row({
  room,
  exams,
  placeOf,
}: {
  room: string
  exams: readonly Exam[]
  placeOf: (minutes: number) => number
}) {
  const slots = lanesOf(exams)
  const lanes = Math.max(...slots.map(({ lane }) => lane)) + 1
  return (
    <div className={css.row}>
      <h3 className={css.room}>{room || t('ui.dashboard.timeline.noRoom')}</h3>
      <ul className={css.track} style={{ '--lanes': lanes } as CSSProperties}>
        {slots.map(({ exam, lane, start }) => (
          <li
            key={examKey(exam)}
            className={css.slot}
            style={
              {
                '--lane': lane,
                left: `${placeOf(start) * 100}%`,
                width: `${(placeOf(start + EXAM_MINUTES) - placeOf(start)) * 100}%`,
              } as CSSProperties
            }
          >
            <Slot exam={exam} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function Slot({ exam }: { exam: Exam }) {
  const { patientName, patientId, accessionNumber, modality, description, state } = exam
  const time = examTimeText(exam)
  const { family } = shownName(patientName)
  return (
    <Popover width={320} shadow="md" withinPortal trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton
          className={css.exam}
          data-tone={exam.isOverdue ? 'danger' : examTone(exam)}
          aria-label={t('ui.dashboard.timeline.exam', {
            time,
            patient: family,
            modality,
            state: t(`ui.worklist.states.${state}.name`),
          })}
        >
          <b>{modality}</b> {family}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap={8}>
          <PersonName value={patientName} />
          <Facts
            facts={[
              [t('ui.worklist.columns.time'), time],
              [t('ui.worklist.columns.exam'), `${modality} ${description}`],
              [t('ui.worklist.columns.mrn'), patientId],
              [t('ui.worklist.columns.accession'), accessionNumber],
              [t('ui.worklist.columns.state'), <ExamState key="state" exam={exam} />],
            ]}
          />
          <Links exam={exam} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

const Links = ({ exam: { study, studyInstanceUid, scheduledProcedureStepId } }: { exam: Exam }) => (
  <div className={css.links}>
    {study && (
      <Link to="/studies/$studyId" params={{ studyId: study.studyId }}>
        {t('ui.dashboard.timeline.study')}
      </Link>
    )}
    <Link to="/worklist/why" search={{ study: studyInstanceUid, step: scheduledProcedureStepId }}>
      {t('ui.dashboard.rooms.why')}
    </Link>
  </div>
)
