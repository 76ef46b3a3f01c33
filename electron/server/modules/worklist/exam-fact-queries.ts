import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import { IS_UNSCHEDULED } from '#server/modules/reconciliation/reconciliation-queries.ts'
import type { StudyArea } from '#shared/contract/settings.ts'
import type { Severity } from '#shared/contract/values.ts'
import type { StudyId } from '#shared/ids.ts'

/** What is here of the study of an exam, by the UID of the worklist. */
export interface ExamFacts {
  /** Current images of it; the study they are in may have another UID. */
  readonly images: {
    readonly imageStudyUid: string
    readonly instances: number
    readonly firstAt: string
  } | null
  readonly study: {
    readonly area: StudyArea
    readonly studyId: StudyId
    readonly severity: Severity
  } | null
}

export interface ExamFactsStore {
  /** Of those studies of which anything is here. */
  of(studyInstanceUids: readonly string[]): Map<string, ExamFacts>
  /**
   * Studies with images that began to arrive since the instant and belong to no order
   * (`reconciliations.unscheduled`); counting stops at `most`.
   */
  unplanned(since: string, most: number): { readonly count: number; readonly since: string | null }
}

// The UID of the worklist is that of the images, or the images say which step they were made for
// (received-steps.ts).
const IMAGES = `
  select u.value as uid, s.studyInstanceUid as imageStudyUid, s.instances, s.createdAt as firstAt
  from json_each(?) u join imageStudies s on s.studyInstanceUid = u.value where s.instances > 0
  union
  select r.studyInstanceUid, s.studyInstanceUid, s.instances, s.createdAt
  from json_each(?) u join receivedSteps r on r.studyInstanceUid = u.value
  join imageStudies s on s.studyInstanceUid = r.imageStudyUid where s.instances > 0`
// scribe before viewer: it is the one that is read.
const STUDIES = `
  select s.studyInstanceUid as uid, s.area, s.studyId, s.severity from json_each(?) u
  join studies s on s.studyInstanceUid = u.value order by s.area`
const UNPLANNED = `
  select count(*) as count, min(createdAt) as since from (
    select s.createdAt from imageStudies s indexed by imageStudiesUnscheduled
    where ${IS_UNSCHEDULED} and s.createdAt >= ? limit ?)`

export function examFactsStore(db: Database): ExamFactsStore {
  return {
    of(studyInstanceUids) {
      const uids = JSON.stringify(studyInstanceUids)
      const facts = new Map<string, { images: ExamFacts['images']; study: ExamFacts['study'] }>()
      const of = (uid: string) => {
        const known = facts.get(uid) ?? { images: null, study: null }
        facts.set(uid, known)
        return known
      }
      type Images = NonNullable<ExamFacts['images']> & { readonly uid: string }
      for (const { uid, ...images } of db.all(rawQuery<Images>(IMAGES, [uids, uids]))) {
        const known = of(uid)
        if (known.images === null || images.instances > known.images.instances)
          known.images = images
      }
      type Study = NonNullable<ExamFacts['study']> & { readonly uid: string }
      for (const { uid, ...study } of db.all(rawQuery<Study>(STUDIES, [uids])))
        of(uid).study ??= study
      return facts
    },
    unplanned: (since, most) =>
      db.get(rawQuery<{ count: number; since: string | null }>(UNPLANNED, [since, most])) ?? {
        count: 0,
        since: null,
      },
  }
}
