import type { Context } from '#server/context.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import { findEndpoint } from '#server/modules/partners/queries.ts'
import { listReportEntries } from '#server/modules/reports/report-queries.ts'
import { openReferences } from '#server/modules/studies/reference-queries.ts'
import type { StudyRecord } from '#server/modules/studies/study-queries.ts'
import { namedUserOf } from '#server/modules/users/queries.ts'
import type { AuditRow } from '#shared/contract/dashboard.ts'
import type { StudyMoment } from '#shared/contract/dashboard-studies.ts'
import type { EventSummary } from '#shared/contract/events.ts'

const MOST = 200
const AT_ONCE = 100

/**
 * What happened to a study, its images and its reports, newest first: the last 200 things.
 * `mayOpen`: events can be opened.
 */
export function studyMoments(
  store: Context,
  eventLog: Pick<EventLog, 'list'>,
  { studyId, studyInstanceUid }: StudyRecord,
  mayOpen: boolean,
): StudyMoment[] {
  const reports = listReportEntries(store.database, studyId).map(({ reportId }) => reportId)
  const known = openReferences(store.database)

  function whoOf(actor: string): string {
    const [kind, id = ''] = actor.split(':')
    if (kind === 'user') return namedUserOf(store.database, id).name
    return kind === 'api-key' ? (known.apiKey(id)?.description ?? '') : actor
  }
  const ofAudit = ({ at, action, actor, detail }: AuditRow): StudyMoment => ({
    ...{ at, what: action, who: whoOf(actor), detail, effect: null, eventId: null },
  })
  const ofEvent = ({
    createdAt,
    type,
    eventId,
    endpointId,
    state,
    outcome,
    attempts,
    effect,
  }: EventSummary): StudyMoment => ({
    at: createdAt,
    what: type,
    who: (endpointId !== null && findEndpoint(store.database, endpointId)?.name) || '',
    detail: { state, outcome, attempts },
    effect,
    eventId: mayOpen ? eventId : null,
  })

  return [
    ...store.audit.of([studyId, studyInstanceUid, ...reports], MOST).map(ofAudit),
    ...eventsAbout(eventLog, studyId).map(ofEvent),
  ]
    .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
    .slice(0, MOST)
}

function eventsAbout(eventLog: Pick<EventLog, 'list'>, studyId: string): EventSummary[] {
  const events: EventSummary[] = []
  let after: string | undefined
  do {
    const { items, next } = eventLog.list({ about: studyId, show: 'all', after, limit: AT_ONCE })
    events.push(...items)
    after = next
  } while (after !== undefined && events.length < MOST)
  return events
}
