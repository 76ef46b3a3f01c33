import { UnstyledButton } from '@mantine/core'
import { type CSSProperties, useEffect } from 'react'
import type { Exam, ExamDay } from '#shared/contract/dashboard-exams.ts'
import { timeText } from '../../format/dates.ts'
import { examKey } from '../../format/matching-exams.ts'
import { shownName } from '../../format/patient-name.ts'
import { t } from '../../i18n/t.ts'
import { examTimeText, examTone } from '../../ui/exam-state.tsx'
import { loadLater } from '../../ui/load-later.ts'
import { Panel } from '../../ui/page.tsx'
import { PopupButton } from '../../ui/popup-button.tsx'
import { EXAM_MINUTES, hoursOf, lanesOf, minutesOf, timelineOf } from './exam-groups.ts'
import css from './timeline.module.css'

const hourText = (hour: number) => timeText(`${String(hour).padStart(2, '0')}00`)

/** The day as one row for each room along the clock; an exam opens to show who and what it is. */
export function Timeline({ day }: { day: ExamDay }) {
  useEffect(() => void loadLater(loadDetails), [])
  const rows = timelineOf(day.exams)
  const { from, to } = hoursOf(day.exams)
  const hours = Array.from({ length: to - from }, (_, index) => from + index)
  /** Share of the width at which a minute of the day is; from 0 to 1 within the hours shown. */
  const positionOf = (minutes: number) => (minutes - from * 60) / ((to - from) * 60)
  const now = minutesOf(day.now)
  const isNowShown =
    day.day === day.today && now !== null && positionOf(now) >= 0 && positionOf(now) <= 1
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
            style={{ '--hours': hours.length, '--now': positionOf(now ?? 0) } as CSSProperties}
            data-now={isNowShown || undefined}
          >
            <div className={css.hours} aria-hidden>
              {hours.map((hour) => (
                <span key={hour}>{hourText(hour)}</span>
              ))}
            </div>
            {rows.map(({ room, exams }) => (
              <Row key={room} room={room} exams={exams} positionOf={positionOf} />
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
  positionOf: placeOf,
}: {
  room: string
  exams: readonly Exam[]
  positionOf: (minutes: number) => number
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
            <ExamSlot exam={exam} />
          </li>
        ))}
      </ul>
    </div>
  )
}

const loadDetails = async () => (await import('./timeline-details.tsx')).TimelineDetails

function ExamSlot({ exam }: { exam: Exam }) {
  const { patientName, modality, state } = exam
  const { family } = shownName(patientName)
  return (
    <PopupButton kind="dialog" load={loadDetails} given={{ exam }}>
      <UnstyledButton
        className={css.exam}
        data-tone={exam.isOverdue ? 'danger' : examTone(exam)}
        aria-label={t('ui.dashboard.timeline.exam', {
          time: examTimeText(exam),
          patient: family,
          modality,
          state: t(`ui.worklist.states.${state}.name`),
        })}
      >
        <b>{modality}</b> {family}
      </UnstyledButton>
    </PopupButton>
  )
}
