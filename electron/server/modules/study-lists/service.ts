import type { Context } from '#server/context.ts'
import type { SliceQuery } from '#server/database/page.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import { openReferences } from '#server/modules/studies/reference-queries.ts'
import { isVisible, visibleCustomerIds } from '#server/modules/studies/study-access.ts'
import { countFoundStudies } from '#server/modules/studies/study-count-queries.ts'
import type { Area } from '#server/modules/studies/study-facet.ts'
import type { StudyFilter } from '#server/modules/studies/study-filter.ts'
import { findStudy } from '#server/modules/studies/study-queries.ts'
import type { StudyOrder } from '#server/modules/studies/study-search-queries.ts'
import { searchStudies } from '#server/modules/studies/study-search-queries.ts'
import { isAllowed, requirePermission, type UserCaller } from '#server/modules/users/caller.ts'
import { addDays, startOfDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { StudyListFilter } from '#shared/contract/dashboard-studies.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { windowStudy } from './row.ts'
import { studyHistory } from './study-history.ts'

// The window's lists of studies, for both areas. Studies that the user may not see are neither
// listed nor counted.

export type StudyListRequest = StudyListFilter & { readonly area: Area }

/**
 * Returns a page of studies. A page may be short or empty although `next` is set, because a search
 * examines a limited number of studies per page.
 */
export function listStudies(
  context: Context,
  caller: UserCaller,
  {
    order,
    after,
    limit,
    ...request
  }: StudyListRequest & { readonly order: StudyOrder } & SliceQuery,
) {
  requirePermission(caller, 'readStudies')
  const filter = filterOf(context, caller, request)
  const { items, ...rest } = searchStudies(context.database, filter, order, after, limit)
  const references = openReferences(context.database)
  return { items: items.map((study) => windowStudy(context, study, references)), ...rest }
}

/** Counts studies: exactly without a search, up to 1000 with one. */
export function countStudies(context: Context, caller: UserCaller, request: StudyListRequest) {
  requirePermission(caller, 'readStudies')
  return countFoundStudies(context.database, filterOf(context, caller, request))
}

/**
 * Returns a study and its history: the last 200 entries, newest first.
 * @throws ApiError not-found
 */
export function readStudy(
  context: Context,
  eventLog: Pick<EventLog, 'list'>,
  caller: UserCaller,
  studyId: string,
) {
  requirePermission(caller, 'readStudies')
  const study = findStudy(context.database, studyId)
  if (!study || !isVisible(caller, study))
    throw new ApiError('not-found', message('studies.none-such'))
  return {
    study: windowStudy(context, study),
    moments: studyHistory(context, eventLog, study, isAllowed(caller, 'manageGateway')),
  }
}

const CANCELLED_FILTERS = { hide: false, only: true, all: undefined } as const satisfies Record<
  StudyListFilter['cancelled'],
  boolean | undefined
>

function filterOf(
  context: Context,
  caller: UserCaller,
  {
    area,
    search,
    severity,
    status,
    assignedTo,
    expressCustomerId,
    cancelled,
    addendum,
    from,
    to,
  }: StudyListRequest,
): StudyFilter {
  const zone = timeZoneOf(context.settings.get('clinic.timeZone'))
  const since = from === undefined ? null : instantOf(startOfDay(from, zone))
  const until = to === undefined ? null : instantOf(startOfDay(addDays(to, 1), zone))
  return {
    ...{
      area,
      search,
      isCancelled: CANCELLED_FILTERS[cancelled],
      needsAddendum: addendum === 'needed',
    },
    severities: severity?.length ? severity : undefined,
    statuses: status?.length ? status : undefined,
    assignedTo:
      assignedTo === 'me' ? caller.user.userId : assignedTo === 'nobody' ? null : assignedTo,
    expressCustomerId: expressCustomerId === 'none' ? null : expressCustomerId,
    madeIn: since === null && until === null ? undefined : { since, until },
    seenCustomerIds: visibleCustomerIds(caller),
  }
}
