import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Exam, ExamDay } from '#shared/contract/dashboard-exams.ts'
import type { Today } from '#shared/contract/dashboard-today.ts'
import { useExamDay } from '../../api/use-exam-day.ts'
import { numberText } from '../../format/amounts.ts'
import { examKey, matchingExams } from '../../format/matching-exams.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice, LoadingPlaceholder, Panel } from '../../ui/page.tsx'
import { SearchBox } from '../../ui/study-list/search-box.tsx'
import css from './dashboard.module.css'
import { ExamLine } from './exam-line.tsx'
import { TodayItems } from './items.tsx'
import { examStudyLink } from './links.ts'
import { Timeline } from './timeline.tsx'

const KINDS = [
  ...(['safe-mode', 'listener-down', 'partner-away', 'downtime', 'exams-overdue'] as const),
  ...(['exams-withheld', 'images-unplanned', 'mismatches'] as const),
]
/** Exams that a search shows. */
const MAX_FOUND = 20

/** The schedule of today by room and time, and the search for a patient's exams. */
export function FrontDeskHome({ today }: { today: Today }) {
  const day = useExamDay({ day: undefined, deviceId: undefined, show: 'all' })
  const [typed, setTyped] = useState('')
  if (!day.data)
    return day.error ? (
      <ErrorNotice error={day.error} onRetry={() => void day.refetch()} />
    ) : (
      <LoadingPlaceholder rows={6} height={60} />
    )
  return (
    <>
      <ExamCounts day={day.data} />
      <div className={css.search}>
        <SearchBox
          label={t('ui.dashboard.schedule.searchLabel')}
          placeholder={t('ui.dashboard.schedule.search')}
          maxLength={100}
          value={typed}
          onChange={setTyped}
        />
      </div>
      {typed.trim() === '' ? (
        <Timeline day={day.data} />
      ) : (
        <FoundExams exams={matchingExams(day.data.exams, typed)} />
      )}
      <TodayItems items={today.items} kinds={KINDS} />
    </>
  )
}

/** How many exams of the day are in which state; each number leads to its list. */
function ExamCounts({ day: { tally } }: { day: ExamDay }) {
  const shown = [
    ['all', tally.all, {}],
    ['waiting', tally.waiting, { show: 'waiting' }],
    ['begun', tally.begun, {}],
    ['completed', tally.completed, {}],
    ['overdue', tally.overdue, { show: 'overdue' }],
  ] as const
  return (
    <dl
      className={`${css.numbers} ${css.tally}`}
      aria-label={t('ui.dashboard.schedule.tally.label')}
    >
      {shown.map(([name, count, search]) => (
        <div key={name} className={css.number}>
          <dt>
            <Link to="/worklist" search={search}>
              {t(`ui.dashboard.schedule.tally.${name}`)}
            </Link>
          </dt>
          <dd>{numberText(count)}</dd>
        </div>
      ))}
    </dl>
  )
}

const FoundExams = ({ exams }: { exams: readonly Exam[] }) => (
  <Panel isFlush title={t('ui.dashboard.schedule.found', { count: exams.length })}>
    {exams.length === 0 ? (
      <div className={css.roomNone}>
        {t('ui.dashboard.schedule.notFound')}{' '}
        <Link to="/studies">{t('ui.dashboard.schedule.toStudies')}</Link>
      </div>
    ) : (
      <ul className={css.exams}>
        {exams.slice(0, MAX_FOUND).map((exam) => (
          <ExamLine key={examKey(exam)} exam={exam} isWithIdentifiers to={examStudyLink(exam)} />
        ))}
      </ul>
    )}
  </Panel>
)
