import type { Slice, SliceQuery } from '#server/database/page.ts'
import { type DomainDeps, note } from '#server/modules/audit/audit.ts'
import type { ReportEntry } from '#server/modules/reports/report-queries.ts'
import { actorOf, type Caller, demand, makerOf } from '#server/modules/users/caller.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import type {
  APIKeyReference,
  ExpressCustomerReference,
  UserReference,
} from '#shared/contract/references.ts'
import type { Severity } from '#shared/contract/values.ts'
import { idFromUuid } from '#shared/ids.ts'
import type { StudyReportStatus, ViewerStatus } from '#shared/lifecycle.ts'
import { openReferences, type References } from './reference-queries.ts'
import { type EitherStudy, studyFinder, visibleCustomers } from './study-access.ts'
import { fieldsOf, patched, type StudyPatch } from './study-patch.ts'
import type {
  Area,
  NewStudyRecord,
  ScribeStudyRecord,
  StudyDetail,
  StudyRecord,
  ViewerStudyRecord,
} from './study-queries.ts'
import { refused, studyReferences } from './study-references.ts'

export type { EitherStudy } from './study-access.ts'
export type { StudyPatch } from './study-patch.ts'

/** A study with what it refers to. */
export interface Study<A extends Area = Area> {
  readonly record: A extends 'viewer' ? ViewerStudyRecord : ScribeStudyRecord
  readonly assignedTo: UserReference | null
  readonly createdByApiKey: APIKeyReference | null
  readonly createdByUser: UserReference | null
  readonly expressCustomer: ExpressCustomerReference | null
  /** Of a scribe study, oldest first, addenda too. */
  /** As the interface shows them. */
  readonly reports: readonly Omit<ReportEntry, 'signedAt'>[]
}

/** Of the viewer area with `metadata` as its only detail. */
export interface NewStudy extends StudyDetail {
  readonly studyInstanceUid: string
  readonly studyDescription: string
  readonly severity: Severity
  readonly assignedTo?: string | undefined
  readonly expressCustomerId?: string | undefined
}

/** Null asks for studies that have none. */
export interface StudyListQuery extends SliceQuery {
  readonly assignedTo?: string | null | undefined
  readonly expressCustomerId?: string | null | undefined
  readonly isCancelled?: boolean | undefined
  readonly severity?: Severity | undefined
  /** Contained, without regard to case and accents. */
  readonly studyDescription?: string | undefined
  readonly studyViewerStatus?: ViewerStatus | undefined
  readonly studyReportStatus?: readonly StudyReportStatus[] | undefined
}

/**
 * Studies of both areas (interface.md, Viewer studies and Scribe studies). What the caller may not
 * see is not there.
 */
export interface Studies {
  /**
   * @throws ApiError not-permitted; refused: the UID is taken in the area, or a reference does
   *   not hold, naming the field
   */
  create<A extends Area>(caller: Caller, area: A, study: NewStudy): Study<A>
  /** @throws ApiError not-found */
  read<A extends Area>(caller: Caller, area: A, studyId: string): Study<A>
  /** @throws ApiError not-found */
  byUid<A extends Area>(caller: Caller, area: A, studyInstanceUid: string): Study<A>
  /** Newest first. */
  list<A extends Area>(caller: Caller, area: A, query: StudyListQuery): Slice<Study<A>>
  /**
   * @throws ApiError not-permitted, not-found; refused: a reference does not hold, or the study
   *   cannot be reassigned now
   */
  update<A extends Area>(caller: Caller, area: A, studyId: string, patch: StudyPatch): Study<A>
  /** Again changes nothing. @throws ApiError malformed, not-permitted, not-found */
  cancel(caller: Caller, area: Area, either: EitherStudy): Outcome
  /** Refused where it is not cancelled. @throws ApiError malformed, not-permitted, not-found */
  uncancel(caller: Caller, area: Area, either: EitherStudy): Outcome
}

export function openStudies(deps: DomainDeps): Studies {
  const { store, clock, uuid } = deps
  const { database, studies } = store
  const finder = studyFinder(deps)
  const references = studyReferences(deps)

  function shown<A extends Area>(
    record: StudyRecord,
    known: References = openReferences(database),
  ): Study<A> {
    const { assignedTo, createdByApiKeyId, createdByUserId, expressCustomerId } = record
    return {
      record: record as Study<A>['record'],
      assignedTo: known.user(assignedTo),
      createdByApiKey: known.apiKey(createdByApiKeyId),
      createdByUser: known.user(createdByUserId),
      expressCustomer: known.expressCustomer(expressCustomerId),
      reports:
        record.area === 'scribe'
          ? store.reports
              .entriesOf(record.studyId)
              .map(({ reportId, status, isCritical }) => ({ reportId, status, isCritical }))
          : [],
    }
  }

  function made(caller: Caller, area: Area, study: NewStudy): NewStudyRecord {
    const {
      studyInstanceUid,
      studyDescription,
      severity,
      assignedTo = null,
      expressCustomerId = null,
      ...detail
    } = study
    const now = instantOf(clock())
    const fields = {
      studyInstanceUid,
      studyDescription,
      severity,
      assignedTo,
      expressCustomerId,
      detail,
      ...makerOf(caller),
    }
    const rest = {
      ...fields,
      studyId: idFromUuid('stu', uuid()),
      cancelledAt: null,
      createdAt: now,
      updatedAt: now,
    }
    if (area === 'viewer') return { ...rest, area, status: 'incomplete' }
    return { ...rest, area, status: assignedTo === null ? 'unassigned' : 'assigned' }
  }

  function setCancelled(caller: Caller, study: StudyRecord, isCancelled: boolean): void {
    const now = instantOf(clock())
    studies.update({ ...study, cancelledAt: isCancelled ? now : null, updatedAt: now }, study)
    note(
      deps.store,
      actorOf(caller),
      isCancelled ? 'study.cancel' : 'study.uncancel',
      study.studyId,
    )
  }

  return {
    create: <A extends Area>(caller: Caller, area: A, study: NewStudy) =>
      database.transaction(() => {
        demand(caller, 'manageStudies')
        if (studies.byUid(area, study.studyInstanceUid))
          throw refused('body.studyInstanceUid', 'must not be that of another study of the area')
        if (study.assignedTo !== undefined) references.assignee(study.assignedTo, 'body.assignedTo')
        if (study.expressCustomerId !== undefined)
          references.customer(caller, study.expressCustomerId)
        if (study.priorStudyIds) references.priors(caller, study.priorStudyIds)
        const record = studies.insert(made(caller, area, study))
        const { studyInstanceUid, severity, assignedTo, expressCustomerId } = record
        note(deps.store, actorOf(caller), 'study.create', record.studyId, {
          area,
          studyInstanceUid,
          severity,
          assignedTo,
          expressCustomerId,
        })
        return shown<A>(record)
      }),

    read(caller, area, studyId) {
      demand(caller, 'readStudies')
      return shown(finder.read(caller, area, studyId))
    },

    byUid(caller, area, studyInstanceUid) {
      demand(caller, 'readStudies')
      return shown(finder.byUid(caller, area, studyInstanceUid))
    },

    list(
      caller,
      area,
      { after, limit, expressCustomerId, studyViewerStatus, studyReportStatus, ...filters },
    ) {
      demand(caller, 'readStudies')
      const seen = visibleCustomers(caller)
      const asked = expressCustomerId === undefined ? seen : [expressCustomerId]
      const expressCustomerIds = seen
        ? asked?.filter((id) => id !== null && seen.includes(id))
        : asked
      const createdByApiKeyId =
        caller.kind === 'api-key' && caller.scope === 'self' ? caller.apiKeyId : undefined
      const statuses =
        area === 'scribe' ? studyReportStatus : studyViewerStatus && [studyViewerStatus]
      const { items, ...rest } = studies.list(
        { area, ...filters, statuses, expressCustomerIds, createdByApiKeyId },
        after,
        limit,
      )
      const known = openReferences(database)
      return { items: items.map((record) => shown(record, known)), ...rest }
    },

    update: <A extends Area>(caller: Caller, area: A, studyId: string, patch: StudyPatch) =>
      database.transaction(() => {
        demand(caller, 'manageStudies')
        const before = finder.read(caller, area, studyId)
        if (patch.assignedTo && patch.assignedTo !== before.assignedTo)
          references.assignee(patch.assignedTo, 'body.assignedTo')
        if (patch.expressCustomerId && patch.expressCustomerId !== before.expressCustomerId)
          references.customer(caller, patch.expressCustomerId)
        if (patch.priorStudyIds)
          references.priors(caller, patch.priorStudyIds, before.detail.priorStudyIds)
        const { study, changes } = patched(before, patch)
        // A field that is set to the value that it was seeded with is a person's from then on.
        store.imageStudies.touchSeed(studyId, fieldsOf(patch))
        if (Object.keys(changes).length === 0) return shown<A>(before)
        const changed = { ...study, updatedAt: instantOf(clock()) }
        studies.update(changed, before)
        note(deps.store, actorOf(caller), 'study.update', studyId, changes)
        return shown<A>(changed)
      }),

    cancel: (caller, area, either) =>
      database.transaction(() => {
        demand(caller, 'manageStudies')
        const study = finder.resolve(caller, area, either)
        if (study.cancelledAt !== null)
          return { success: true, message: 'The study was cancelled already.' }
        setCancelled(caller, study, true)
        return { success: true, message: 'The study is cancelled.' }
      }),

    uncancel: (caller, area, either) =>
      database.transaction(() => {
        demand(caller, 'manageStudies')
        const study = finder.resolve(caller, area, either)
        if (study.cancelledAt === null)
          return { success: false, message: 'The study is not cancelled.' }
        setCancelled(caller, study, false)
        return { success: true, message: 'The study is active again.' }
      }),
  }
}
