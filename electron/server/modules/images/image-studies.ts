import type { Slice, SliceQuery } from '#server/database/page.ts'
import { type DomainDeps, note } from '#server/modules/audit/audit.ts'
import { isVisible, visibleCustomers } from '#server/modules/studies/study-access.ts'
import { actorOf, type Caller, demand, type UserCaller } from '#server/modules/users/caller.ts'
import { instantOf } from '#server/platform/clock.ts'
import type {
  ImageStudy,
  ImageStudySummary,
  QuarantinedInstance,
  QuarantineGroup,
} from '#shared/contract/images.ts'
import { STUDY_AREAS } from '#shared/contract/settings.ts'
import { ApiError } from '#shared/errors.ts'
import type { ImageStudyQuery, ImageStudyRecord } from './image-study-queries.ts'
import { quarantinedView, quarantineGroupView, studyView, summaryView } from './image-study-view.ts'
import { identityOf, isUnscheduled } from './study-identity.ts'

/**
 * Studies with images as the window shows them. Images belong to a customer by the rows of the
 * interface that show them: a member who is linked to customers sees those of their studies alone
 * (interface-choices §6 row 52), and none that have no row yet.
 */
export interface ImageStudies {
  /** The one that last received an instance first. */
  list(caller: Caller, query: ImageStudyQuery & SliceQuery): Slice<ImageStudySummary>
  /** @throws ApiError not-found */
  read(caller: Caller, studyInstanceUid: string): ImageStudy
  /**
   * Notes that a person has looked at the images of the study that were replaced; nothing else is
   * changed by it, and again changes nothing.
   * @throws ApiError not-permitted, not-found
   */
  reviewVersions(caller: UserCaller, studyInstanceUid: string, note: string): ImageStudy
  /**
   * That the caller may decide which version of the instance is shown. @throws ApiError
   * not-permitted; not-found: it is not theirs to see
   */
  demandVersion(caller: Caller, instanceId: number): void
  /** Instances that were set aside, newest first. */
  quarantine(
    caller: Caller,
    query: SliceQuery & { readonly studyInstanceUid?: string | undefined },
  ): Slice<QuarantinedInstance>
  /** Whether the caller may see the images of the study; whether there are any is not asked. */
  isVisible(caller: Caller, studyInstanceUid: string): boolean
  /**
   * That the caller may manage the images of the study, or of every study where none is named.
   * @throws ApiError not-permitted; not-found: the study is not theirs to see
   */
  demandManaging(caller: Caller, studyInstanceUid?: string): void
  /**
   * That the caller may decide on the instance. @throws ApiError not-permitted; not-found: it is
   * not in quarantine, or not theirs to see
   */
  demandDeciding(caller: Caller, instanceId: number): void
  /**
   * What was set aside of a study, by reason. @throws ApiError not-found: the study is not theirs
   * to see
   */
  quarantineGroups(caller: Caller, studyInstanceUid: string): QuarantineGroup[]
  /**
   * That the caller may decide on what was set aside of the study.
   * @throws ApiError not-permitted; not-found: nothing of it is set aside, or it is not theirs to
   *   see
   */
  demandDecidingOf(caller: Caller, studyInstanceUid: string): void
}

/** Parts of a list that are read for one page at most where a caller may see a few of many. */
const MOST_READS = 50
/** Rows of versions that a study is shown with. */
const MOST_VERSIONS = 200

export function openImageStudies(deps: DomainDeps): ImageStudies {
  const { store, clock } = deps
  const seesAll = (caller: Caller) =>
    caller.kind === 'api-key' ? caller.scope === 'all' : visibleCustomers(caller) === undefined
  const rowsOf = (studyInstanceUid: string) =>
    STUDY_AREAS.flatMap((area) => store.studies.byUid(area, studyInstanceUid) ?? [])
  const seesStudy = (caller: Caller, studyInstanceUid: string) =>
    seesAll(caller) || rowsOf(studyInstanceUid).some((row) => isVisible(caller, row))
  const rowsSeenBy = (caller: Caller, studyInstanceUid: string) =>
    rowsOf(studyInstanceUid).filter((row) => isVisible(caller, row))

  function existing(caller: Caller, studyInstanceUid: string): ImageStudyRecord {
    const record = store.imageStudies.get(studyInstanceUid)
    if (!record || !seesStudy(caller, studyInstanceUid)) throw noStudy()
    return record
  }

  /** What the caller may see of a list, a page of it as long as there is enough. */
  function seenPart<T extends { readonly studyInstanceUid: string }>(
    caller: Caller,
    { after, limit }: SliceQuery,
    readPart: (after: string | undefined, limit: number) => Slice<T>,
  ): Slice<T> {
    const items: T[] = []
    let from = after
    for (let reads = 0; reads < MOST_READS && items.length < limit; reads += 1) {
      const part = readPart(from, limit - items.length)
      items.push(
        ...part.items.filter(({ studyInstanceUid }) => seesStudy(caller, studyInstanceUid)),
      )
      if (part.next === undefined) return { items }
      from = part.next
    }
    return from === undefined ? { items } : { items, next: from }
  }

  const shown = (caller: Caller, record: ImageStudyRecord): ImageStudy =>
    studyView(record, rowsSeenBy(caller, record.studyInstanceUid), {
      series: store.imageStudies.seriesOf(record.studyInstanceUid),
      expectedBySeries: store.imageStudies.expectedBySeries(record.studyInstanceUid),
      performedSteps: store.performedSteps.ofStudy(record.studyInstanceUid),
      commitments: store.commitments.ofStudy(record.studyInstanceUid),
      versions: store.instances.replacements(record.studyInstanceUid, MOST_VERSIONS),
      unreviewedVersions: store.instances.unreviewed(record.studyInstanceUid),
      ...standingOf(record),
    })
  function standingOf(record: ImageStudyRecord) {
    const study = store.studies.byUid('scribe', record.studyInstanceUid)
    return { identity: identityOf(record, study), isUnscheduled: isUnscheduled(record, study) }
  }

  return {
    list(caller, { show, search, ...page }) {
      demand(caller, 'readStudies')
      const readPart = (after: string | undefined, limit: number) =>
        store.imageStudies.list({ show, search }, after, limit)
      const { items, ...rest } = seenPart(caller, page, readPart)
      return {
        items: items.map((record) =>
          summaryView(record, rowsSeenBy(caller, record.studyInstanceUid), standingOf(record)),
        ),
        ...rest,
      }
    },

    read(caller, studyInstanceUid) {
      demand(caller, 'readStudies')
      return shown(caller, existing(caller, studyInstanceUid))
    },

    reviewVersions: (caller, studyInstanceUid, text) =>
      store.database.transaction(() => {
        demand(caller, 'manageStudies')
        existing(caller, studyInstanceUid)
        const images = store.instances.review(studyInstanceUid, instantOf(clock()))
        if (images > 0)
          note(deps.store, actorOf(caller), 'images.review-versions', studyInstanceUid, {
            images,
            note: text,
          })
        return shown(caller, existing(caller, studyInstanceUid))
      }),
    demandVersion(caller, instanceId) {
      demand(caller, 'manageStudies')
      const instance = store.instances.get(instanceId)
      if (
        !instance ||
        instance.state === 'quarantined' ||
        !seesStudy(caller, instance.studyInstanceUid)
      )
        throw new ApiError('not-found', 'There is no such version of an image.')
    },

    quarantine(caller, { studyInstanceUid, ...page }) {
      demand(caller, 'readStudies')
      const readPart = (after: string | undefined, limit: number) =>
        store.instances.quarantined({ studyInstanceUid, after, limit })
      const { items, ...rest } = seenPart(caller, page, readPart)
      return { items: items.map(quarantinedView), ...rest }
    },

    isVisible: seesStudy,
    demandManaging(caller, studyInstanceUid) {
      demand(caller, 'manageStudies')
      if (studyInstanceUid === undefined) {
        if (!seesAll(caller))
          throw new ApiError(
            'not-permitted',
            'Your account sees the studies of its customers only: name a study.',
          )
      } else if (!seesStudy(caller, studyInstanceUid)) throw noStudy()
    },
    demandDeciding(caller, instanceId) {
      demand(caller, 'manageStudies')
      const instance = store.instances.get(instanceId)
      if (instance?.state !== 'quarantined' || !seesStudy(caller, instance.studyInstanceUid))
        throw new ApiError('not-found', 'This image is not set aside any more.')
    },
    quarantineGroups(caller, studyInstanceUid) {
      demand(caller, 'readStudies')
      existing(caller, studyInstanceUid)
      return store.instances.quarantineGroups(studyInstanceUid).map(quarantineGroupView)
    },
    demandDecidingOf(caller, studyInstanceUid) {
      demand(caller, 'manageStudies')
      const isAny = store.instances.quarantined({ studyInstanceUid, limit: 1 }).items.length > 0
      if (!isAny || !seesStudy(caller, studyInstanceUid))
        throw new ApiError('not-found', 'No image of this study is set aside any more.')
    },
  }
}

const noStudy = () => new ApiError('not-found', 'There are no images of such a study.')
