import { Link } from '@tanstack/react-router'
import { type CriticalResult, dashboardReports } from '#shared/contract/reports.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { useReply } from '../../api/queries.ts'
import { openDurationOf } from '../../format/open-for.ts'
import { t } from '../../i18n/t.ts'
import { Escalation, ReferringPhysician } from '../../ui/escalation.tsx'
import { Panel } from '../../ui/page.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { Tag } from '../../ui/tone.tsx'
import css from './dashboard.module.css'

/** Critical results that the home page lists. */
const LISTED = 8
const POLL_MS = 60_000
const POLL_CUT_OFF_MS = 20_000

/**
 * Critical results that no clinician has been notified of: those that were escalated, with whom to
 * call, or the others. Nothing where there is none.
 */
export function CriticalResultsPanel({ isEscalated }: { isEscalated: boolean }) {
  const { isOpen } = useEventStream()
  const { data } = useReply(
    dashboardReports.criticals,
    {},
    { every: isOpen ? POLL_MS : POLL_CUT_OFF_MS },
  )
  const criticals = (data?.criticals ?? []).filter(
    ({ escalations }) => escalations.length > 0 === isEscalated,
  )
  if (criticals.length === 0) return null
  return (
    <Panel
      isFlush
      title={t(isEscalated ? 'ui.dashboard.escalated.title' : 'ui.critical-results.title')}
    >
      <ul className={css.exams}>
        {criticals.slice(0, LISTED).map((critical) => (
          <CriticalItem key={critical.reportId} critical={critical} isEscalated={isEscalated} />
        ))}
      </ul>
      <div className={css.roomActions}>
        <Link to="/reading/criticals">{t('ui.dashboard.next.criticals')}</Link>
      </div>
    </Panel>
  )
}

function CriticalItem({
  critical,
  isEscalated,
}: {
  critical: CriticalResult
  isEscalated: boolean
}) {
  const { studyId, patientName, finding } = critical
  const { text, isOverdue } = openDurationOf(critical, new Date())
  return (
    <li className={css.exam}>
      <div>
        <Tag tone={isOverdue || isEscalated ? 'danger' : 'warning'}>{text}</Tag>
      </div>
      <div className={css.examPatient}>
        <Link to="/reading/$studyId" params={{ studyId }}>
          <PersonName value={patientName} />
        </Link>
        <div className={css.quiet}>{finding}</div>
        {isEscalated && (
          <div>
            {t('ui.critical-results.columns.physician')}: <ReferringPhysician critical={critical} />
          </div>
        )}
      </div>
      {isEscalated ? (
        <Escalation critical={critical} />
      ) : (
        <div className={css.overdue}>{isOverdue && t('ui.dashboard.next.overdue')}</div>
      )}
    </li>
  )
}
