import type { Context } from '#server/context.ts'
import { findCustomer } from '#server/modules/customers/queries.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import { findEndpoint } from '#server/modules/partners/queries.ts'
import { listReportEntries } from '#server/modules/reports/report-queries.ts'
import { openReferences } from '#server/modules/studies/reference-queries.ts'
import type { StudyRecord } from '#server/modules/studies/study-queries.ts'
import { namedUserOf } from '#server/modules/users/queries.ts'
import type { AuditRow } from '#shared/contract/dashboard.ts'
import type { StudyMoment } from '#shared/contract/dashboard-studies.ts'
import type { EventSummary } from '#shared/contract/events.ts'

const MAX_MOMENTS = 200
const PAGE_SIZE = 100

/**
 * The history of a study, its images and its reports: the last 200 entries, newest first.
 * @param mayOpen whether the user may open events
 */
export function studyHistory(
  store: Context,
  eventLog: Pick<EventLog, 'list'>,
  { studyId, studyInstanceUid }: StudyRecord,
  mayOpen: boolean,
): StudyMoment[] {
  const reports = listReportEntries(store.database, studyId).map(({ reportId }) => reportId)
  const references = openReferences(store.database)

  function actorName(actor: string): string {
    const [kind, id = ''] = actor.split(':')
    if (kind === 'user') return namedUserOf(store.database, id).name
    return kind === 'api-key' ? (references.apiKey(id)?.description ?? '') : actor
  }
  /** A detail with names instead of the ids of users and customers. */
  function withNames(detail: StudyMoment['detail']): StudyMoment['detail'] {
    if (typeof detail === 'string') {
      if (detail.startsWith('usr_')) return namedUserOf(store.database, detail).name
      const customer = detail.startsWith('cus_') ? findCustomer(store.database, detail) : undefined
      return customer?.expressCustomerName ?? detail
    }
    if (Array.isArray(detail)) return detail.map(withNames)
    if (detail === null || typeof detail !== 'object') return detail
    return Object.fromEntries(Object.entries(detail).map(([name, of]) => [name, withNames(of)]))
  }
  const momentOfAuditRow = ({ at, action, actor, detail }: AuditRow): StudyMoment => ({
    ...{ at, what: action, who: actorName(actor), detail: withNames(detail) },
    ...{ effect: null, eventId: null },
  })
  const momentOfEvent = ({
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
    ...store.audit.of([studyId, studyInstanceUid, ...reports], MAX_MOMENTS).map(momentOfAuditRow),
    ...eventsAbout(eventLog, studyId).map(momentOfEvent),
  ]
    .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
    .slice(0, MAX_MOMENTS)
}

function eventsAbout(eventLog: Pick<EventLog, 'list'>, studyId: string): EventSummary[] {
  const events: EventSummary[] = []
  let after: string | undefined
  do {
    const { items, next } = eventLog.list({ about: studyId, show: 'all', after, limit: PAGE_SIZE })
    events.push(...items)
    after = next
  } while (after !== undefined && events.length < MAX_MOMENTS)
  return events
}
