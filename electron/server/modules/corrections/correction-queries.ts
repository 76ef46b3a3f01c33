import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { findAnnotations, putAnnotations } from '#server/modules/images/annotation-queries.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import type { SentWorklistRow } from '#server/modules/studies/image-study-row.ts'
import type {
  CORRECTION_CAUSES,
  CorrectionKind,
  CorrectionPreview,
} from '#shared/contract/corrections.ts'

/** A correction of the identity of images (decision 0031). */
export interface CorrectionRecord {
  readonly correctionId: string
  readonly kind: CorrectionKind
  readonly cause: (typeof CORRECTION_CAUSES)[number]
  readonly fromStudyInstanceUid: string
  readonly toStudyInstanceUid: string
  readonly instances: number
  readonly details: CorrectionDetails
  readonly userId: string
  readonly at: string
  /** The correction that this one undoes, by copies with the original values; null of any other. */
  readonly undoes: string | null
  readonly undoneAt: string | null
  /** The account. */
  readonly undoneBy: string | null
  /** The further correction that undid it; null where the originals became current again. */
  readonly undoneWith: string | null
}

/** What names a patient, and what undoing needs. */
export interface CorrectionDetails {
  readonly reason: string
  readonly changes: CorrectionPreview['changes']
  /** The worklist rows that the studies were compared with before. */
  readonly handedOut: { readonly from: SentWorklistRow | null; readonly to: SentWorklistRow | null }
  /** Empty until it is undone. */
  readonly undoReason: string
}

export interface CorrectedPair {
  readonly originalId: number
  readonly correctedId: number
}

/**
 * An image that another replaces: the original and its corrected copy or, where that is undone, the
 * other way round.
 */
export interface CorrectedImage {
  readonly original: InstanceRecord
  readonly copy: InstanceRecord
}

/** A correction that was made or undone, for those who have the wrong version. */
export interface CorrectionDone {
  readonly correction: CorrectionRecord
  /** As they are now. */
  readonly pairs: readonly CorrectedImage[]
  /**
   * It was undone, and the originals are current; where copies had left the gateway, an undo is a
   * correction of its own (`undoes`).
   */
  readonly isUndo: boolean
}

export type NewCorrection = Omit<CorrectionRecord, 'undoneAt' | 'undoneBy' | 'undoneWith'>

// Changes of these belong in one transaction with those of `instances`.

/**
 * `uids`: those of images, and of their series and study, before, by those of now; one that names
 * any of `moved` is moved.
 */
export interface MovedAnnotations {
  readonly from: string
  readonly to: string
  readonly uids: ReadonlyMap<string, string>
  readonly moved: ReadonlySet<string>
  readonly at: string
}

type StoredCorrection = Omit<CorrectionRecord, 'details'> & { readonly sealedDetails: Buffer }

const SELECT = 'select * from corrections'
// Two queries, as there are two indexes.
const OF_STUDY = `${SELECT} where fromStudyInstanceUid = ? union ${SELECT} where toStudyInstanceUid = ? order by at desc, correctionId`
const GONE = `select count(*) as count from correctedInstances o join instances n on n.instanceId = o.correctedId
  where o.correctionId = ? and n.state <> 'current'`
const IS_SENT = `select 1 from correctedInstances o cross join destinations d
  join forwards f on f.destinationId = d.destinationId and f.instanceId in (o.originalId, o.correctedId)
  where o.correctionId = ? and f.state = 'sent' limit 1`
const MOVE_FOUND = `insert or ignore into foundVersions (instanceId, otherUid, sealedHeader)
  select f.instanceId, ?, f.sealedHeader from foundVersions f
    join instances q on q.instanceId = f.instanceId and q.state = 'quarantined'
  where f.otherUid = ? and f.instanceId <> ?`
const MOVE_ANNOUNCED = `update announcedInstances set sopInstanceUid = ?, studyInstanceUid = ?, seriesInstanceUid = ?, isHere = 1
  where sopInstanceUid = ?`
const OWNERS = 'select owner from annotations where studyInstanceUid = ?'
/** A DICOM UID. */
const UID = /\d+(?:\.\d+)+/g

export const insertCorrection = (
  database: Database,
  { details, ...row }: NewCorrection,
  pairs: readonly CorrectedPair[],
): void =>
  database.transaction(() => {
    const { sql } = database
    const sealedDetails = sealed(database, details, row.correctionId)
    database.run(sql.insertInto('corrections').values({ ...row, sealedDetails }))
    const { correctionId } = row
    for (const pair of pairs)
      database.run(sql.insertInto('correctedInstances').values({ ...pair, correctionId }))
  })

export const findCorrection = (
  database: Database,
  correctionId: string,
): CorrectionRecord | undefined =>
  all(database, `${SELECT} where correctionId = ?`, correctionId)[0]

/** Of images that are, or were, in the study, newest first. */
export const listCorrections = (database: Database, studyInstanceUid: string): CorrectionRecord[] =>
  all(database, OF_STUDY, studyInstanceUid, studyInstanceUid)

/** In the order of the copies. */
export const listCorrectedPairs = (database: Database, correctionId: string): CorrectedPair[] =>
  database.all(
    database.sql
      .selectFrom('correctedInstances')
      .select(['originalId', 'correctedId'])
      .where('correctionId', '=', correctionId)
      .orderBy('correctedId'),
  )

export function setCorrectionUndone(
  database: Database,
  correctionId: string,
  undone: { at: string; by: string; with: string | null; reason: string },
): void {
  const before = findCorrection(database, correctionId)
  if (!before) return
  const details = { ...before.details, undoReason: undone.reason }
  database.run(
    database.sql
      .updateTable('corrections')
      .set({
        undoneAt: undone.at,
        undoneBy: undone.by,
        undoneWith: undone.with,
        sealedDetails: sealed(database, details, correctionId),
      })
      .where('correctionId', '=', correctionId)
      .where('undoneAt', 'is', null),
  )
}

/** Copies of the correction that are not current any more. */
export const countCopiesGone = (database: Database, correctionId: string): number =>
  database.get(rawQuery<{ count: number }>(GONE, [correctionId]))?.count ?? 0

/** Whether originals or copies of the correction were sent to a destination. */
export const isCorrectionSent = (database: Database, correctionId: string): boolean =>
  database.get(rawQuery(IS_SENT, [correctionId])) !== undefined

/**
 * Undecided versions that were found beside the UID are beside the instance that takes its place:
 * the study that shows it stays in doubt until somebody decides about them.
 */
export function moveFoundVersions(
  database: Database,
  beforeUid: string,
  { instanceId, sopInstanceUid }: { readonly instanceId: number; readonly sopInstanceUid: string },
): void {
  database.run(rawQuery(MOVE_FOUND, [sopInstanceUid, beforeUid, instanceId]))
}

/** What was announced of the original is announced of its copy, which is here. */
export function moveAnnouncedInstances(
  database: Database,
  beforeUid: string,
  { sopInstanceUid, studyInstanceUid, seriesInstanceUid }: InstanceRecord,
): void {
  database.run(
    rawQuery(MOVE_ANNOUNCED, [sopInstanceUid, studyInstanceUid, seriesInstanceUid, beforeUid]),
  )
}

/** What was drawn on images that were moved is kept with the study that they are in now. */
export function moveAnnotations(
  database: Database,
  { from, to, uids, moved: images, at }: MovedAnnotations,
): void {
  const mapped = (one: unknown): unknown =>
    JSON.parse(JSON.stringify(one).replaceAll(UID, (uid) => uids.get(uid) ?? uid))
  const isMoved = (one: unknown) =>
    (JSON.stringify(one).match(UID) ?? []).some((uid) => images.has(uid))
  for (const { owner } of database.all(rawQuery<{ owner: string }>(OWNERS, [from]))) {
    const kept = findAnnotations(database, from, owner)
    const moved = kept?.annotations.filter(isMoved) ?? []
    if (!kept || moved.length === 0) continue
    const put = (studyInstanceUid: string, revision: number, annotations: unknown[]) =>
      putAnnotations(database, { studyInstanceUid, owner, revision, annotations, updatedAt: at })
    const staying = kept.annotations.filter((one) => !moved.includes(one))
    const corrected = moved.map(mapped)
    if (from === to) put(from, kept.revision + 1, [...staying, ...corrected])
    else {
      put(from, kept.revision + 1, staying)
      const there = findAnnotations(database, to, owner)
      put(to, (there?.revision ?? 0) + 1, [...(there?.annotations ?? []), ...corrected])
    }
  }
}

const sealed = (database: Database, details: CorrectionDetails, id: string) =>
  database.seal.seal(Buffer.from(JSON.stringify(details)), contextOf(id))

const recordOf = (
  database: Database,
  { sealedDetails, ...row }: StoredCorrection,
): CorrectionRecord => ({
  ...row,
  details: JSON.parse(database.seal.open(sealedDetails, contextOf(row.correctionId)).toString()),
})

const all = (database: Database, text: string, ...parameters: string[]) =>
  database.all(rawQuery<StoredCorrection>(text, parameters)).map((row) => recordOf(database, row))

const contextOf = (correctionId: string) => `correction ${correctionId}`

/** Who opened the study, as far as its views are kept: each person once, with the last use. */
export const viewersOf = (database: Database, studyInstanceUid: string) =>
  database.all(
    rawQuery<{ readonly userId: string; readonly at: string }>(
      `select userId, max(lastUsedAt) as at from views
        where studyInstanceUid = ? and userId is not null group by userId order by at`,
      [studyInstanceUid],
    ),
  )
