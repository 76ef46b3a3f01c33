import type { Slice, SliceQuery } from '#server/database/page.ts'
import type { DomainDeps } from '#server/modules/audit/audit.ts'
import type { EventLog } from '#server/modules/events/event-log.ts'
import type { ReportLocks } from '#server/modules/reports/report-locks.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import { demand, isAllowed, type UserCaller } from '#server/modules/users/caller.ts'
import { addDays, startOfDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import type {
  BoundedCount,
  StudyListFilter,
  StudyMoment,
  WindowStudy,
} from '#shared/contract/dashboard-studies.ts'
import { ApiError } from '#shared/errors.ts'
import { isVisible, visibleCustomers } from './study-access.ts'
import type { Area } from './study-facet.ts'
import type { StudyFilter } from './study-filter.ts'
import { studyMoments } from './study-moments.ts'
import type { StudyRecord } from './study-queries.ts'
import type { StudyOrder } from './study-search-queries.ts'
import { windowStudy } from './window-study.ts'

export interface StudyListsDeps extends DomainDeps {
  readonly settings: Pick<Settings, 'get'>
  readonly locks: Pick<ReportLocks, 'of'>
  readonly eventLog: Pick<EventLog, 'list'>
}

export type StudyListAsked = StudyListFilter & { readonly area: Area }

/**
 * The lists of studies of the window, of both areas. What the person may not see is not there, and
 * not counted.
 */
export interface StudyLists {
  /**
   * A page may be short or empty while there is a `next`: what is typed is looked for in bounded
   * steps.
   */
  list(
    caller: UserCaller,
    asked: StudyListAsked & { readonly order: StudyOrder } & SliceQuery,
  ): Slice<WindowStudy>
  /** Exact without a search; what is searched for is counted up to 1000. */
  counts(caller: UserCaller, asked: StudyListAsked): { shown: BoundedCount; hidden: BoundedCount }
  /** With what happened to it, newest first, the last 200 things. @throws ApiError not-found */
  read(caller: UserCaller, studyId: string): { study: WindowStudy; moments: StudyMoment[] }
}

export function openStudyLists(deps: StudyListsDeps): StudyLists {
  const { store, settings } = deps

  function filterOf(caller: UserCaller, asked: StudyListAsked): StudyFilter {
    const {
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
    } = asked
    const zone = timeZoneOf(settings.get('clinic.timeZone'))
    const since = from === undefined ? null : instantOf(startOfDay(from, zone))
    const until = to === undefined ? null : instantOf(startOfDay(addDays(to, 1), zone))
    return {
      ...{ area, search, isCancelled: CANCELLED[cancelled], needsAddendum: addendum === 'needed' },
      severities: severity?.length ? severity : undefined,
      statuses: status?.length ? status : undefined,
      assignedTo:
        assignedTo === 'me' ? caller.user.userId : assignedTo === 'nobody' ? null : assignedTo,
      expressCustomerId: expressCustomerId === 'none' ? null : expressCustomerId,
      madeIn: since === null && until === null ? undefined : { since, until },
      seenCustomerIds: visibleCustomers(caller),
    }
  }

  function seen(caller: UserCaller, studyId: string): StudyRecord {
    const study = store.studies.get(studyId)
    if (!study || !isVisible(caller, study))
      throw new ApiError('not-found', 'There is no such study.')
    return study
  }

  return {
    list(caller, { order, after, limit, ...asked }) {
      demand(caller, 'readStudies')
      const { items, ...rest } = store.studies.search.find(
        filterOf(caller, asked),
        order,
        after,
        limit,
      )
      const known = store.references.open()
      return { items: items.map((study) => windowStudy(deps, study, known)), ...rest }
    },
    counts(caller, asked) {
      demand(caller, 'readStudies')
      return store.studies.search.counts(filterOf(caller, asked))
    },
    read(caller, studyId) {
      demand(caller, 'readStudies')
      const study = seen(caller, studyId)
      return {
        study: windowStudy(deps, study),
        moments: studyMoments(deps, study, isAllowed(caller, 'manageGateway')),
      }
    },
  }
}

const CANCELLED = { hide: false, only: true, all: undefined } as const satisfies Record<
  StudyListFilter['cancelled'],
  boolean | undefined
>
