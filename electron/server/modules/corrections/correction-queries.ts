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
  /** The correction that this one undoes with copies of the original values; `null` otherwise. */
  readonly undoes: string | null
  readonly undoneAt: string | null
  /** Id of the user. */
  readonly undoneBy: string | null
  /** The correction that undid this one; `null` if the originals became current again instead. */
  readonly undoneWith: string | null
}

/** Details that identify a patient or that an undo requires. */
export interface CorrectionDetails {
  readonly reason: string
  readonly changes: CorrectionPreview['changes']
  /** The worklist rows of the studies before the correction. */
  readonly handedOut: { readonly from: SentWorklistRow | null; readonly to: SentWorklistRow | null }
  /** Empty until it is undone. */
  readonly undoReason: string
}

export interface CorrectedPair {
  readonly originalId: number
  readonly correctedId: number
}

/**
 * An image that replaces another: the original and its corrected copy, or, for an undo, the
 * reverse.
 */
export interface CorrectedImage {
  readonly original: InstanceRecord
  readonly copy: InstanceRecord
}

/** A correction that was applied or undone, as passed to the code that informs recipients. */
export interface CorrectionDone {
  readonly correction: CorrectionRecord
  /** The instances in their new states. */
  readonly pairs: readonly CorrectedImage[]
  /**
   * Whether it was undone by making the originals current again. If copies had left the gateway,
   * the undo is a correction of its own instead (see `undoes`).
   */
  readonly isUndo: boolean
}

export type NewCorrection = Omit<CorrectionRecord, 'undoneAt' | 'undoneBy' | 'undoneWith'>

// Changes of these tables must be in the same transaction as those of `instances`.

/**
 * `uids` maps previous UIDs of images, series and study to current ones. An annotation that
 * references a UID in `moved` is moved.
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
// Two queries, so that SQLite can use both indexes.
const SELECT_BY_STUDY = `${SELECT} where fromStudyInstanceUid = ? union ${SELECT} where toStudyInstanceUid = ? order by at desc, correctionId`
const COUNT_REPLACED_COPIES = `select count(*) as count from correctedInstances o join instances n on n.instanceId = o.correctedId
  where o.correctionId = ? and n.state <> 'current'`
const SELECT_SENT = `select 1 from correctedInstances o cross join destinations d
  join forwards f on f.destinationId = d.destinationId and f.instanceId in (o.originalId, o.correctedId)
  where o.correctionId = ? and f.state = 'sent' limit 1`
const MOVE_FOUND_VERSIONS = `insert or ignore into foundVersions (instanceId, otherUid, sealedHeader)
  select f.instanceId, ?, f.sealedHeader from foundVersions f
    join instances q on q.instanceId = f.instanceId and q.state = 'quarantined'
  where f.otherUid = ? and f.instanceId <> ?`
const MOVE_ANNOUNCED_INSTANCES = `update announcedInstances set sopInstanceUid = ?, studyInstanceUid = ?, seriesInstanceUid = ?, isHere = 1
  where sopInstanceUid = ?`
const SELECT_ANNOTATION_OWNERS = 'select owner from annotations where studyInstanceUid = ?'
/** Matches DICOM UIDs. */
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
  readCorrections(database, `${SELECT} where correctionId = ?`, correctionId)[0]

/** Corrections of images that are or were in the study, newest first. */
export const listCorrections = (database: Database, studyInstanceUid: string): CorrectionRecord[] =>
  readCorrections(database, SELECT_BY_STUDY, studyInstanceUid, studyInstanceUid)

/** Lists the originals and copies of a correction, in the order of the copies. */
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

/** Number of copies of the correction that are no longer current. */
export const countReplacedCopies = (database: Database, correctionId: string): number =>
  database.get(rawQuery<{ count: number }>(COUNT_REPLACED_COPIES, [correctionId]))?.count ?? 0

/** Whether originals or copies of the correction were sent to a destination. */
export const isCorrectionSent = (database: Database, correctionId: string): boolean =>
  database.get(rawQuery(SELECT_SENT, [correctionId])) !== undefined

/**
 * Moves versions whose conflict is unresolved from the previous UID to the instance that replaces
 * it, so that its study stays in doubt until a user decides.
 */
export function moveFoundVersions(
  database: Database,
  beforeUid: string,
  { instanceId, sopInstanceUid }: { readonly instanceId: number; readonly sopInstanceUid: string },
): void {
  database.run(rawQuery(MOVE_FOUND_VERSIONS, [sopInstanceUid, beforeUid, instanceId]))
}

/** Replaces an announced original with its copy, which has been received. */
export function moveAnnouncedInstances(
  database: Database,
  beforeUid: string,
  { sopInstanceUid, studyInstanceUid, seriesInstanceUid }: InstanceRecord,
): void {
  database.run(
    rawQuery(MOVE_ANNOUNCED_INSTANCES, [
      sopInstanceUid,
      studyInstanceUid,
      seriesInstanceUid,
      beforeUid,
    ]),
  )
}

/** Moves the annotations of moved images to their new study. */
export function moveAnnotations(
  database: Database,
  { from, to, uids, moved: images, at }: MovedAnnotations,
): void {
  const mapped = (one: unknown): unknown =>
    JSON.parse(JSON.stringify(one).replaceAll(UID, (uid) => uids.get(uid) ?? uid))
  const isMoved = (one: unknown) =>
    (JSON.stringify(one).match(UID) ?? []).some((uid) => images.has(uid))
  for (const { owner } of database.all(
    rawQuery<{ owner: string }>(SELECT_ANNOTATION_OWNERS, [from]),
  )) {
    const stored = findAnnotations(database, from, owner)
    const moved = stored?.annotations.filter(isMoved) ?? []
    if (!stored || moved.length === 0) continue
    const save = (studyInstanceUid: string, revision: number, annotations: unknown[]) =>
      putAnnotations(database, { studyInstanceUid, owner, revision, annotations, updatedAt: at })
    const staying = stored.annotations.filter((one) => !moved.includes(one))
    const corrected = moved.map(mapped)
    if (from === to) save(from, stored.revision + 1, [...staying, ...corrected])
    else {
      save(from, stored.revision + 1, staying)
      const targetAnnotations = findAnnotations(database, to, owner)
      save(to, (targetAnnotations?.revision ?? 0) + 1, [
        ...(targetAnnotations?.annotations ?? []),
        ...corrected,
      ])
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

const readCorrections = (database: Database, text: string, ...parameters: string[]) =>
  database.all(rawQuery<StoredCorrection>(text, parameters)).map((row) => recordOf(database, row))

const contextOf = (correctionId: string) => `correction ${correctionId}`

/**
 * Users who opened the study, each once with the last access, as long as the views are retained.
 */
export const viewersOf = (database: Database, studyInstanceUid: string) =>
  database.all(
    rawQuery<{ readonly userId: string; readonly at: string }>(
      `select userId, max(lastUsedAt) as at from views
        where studyInstanceUid = ? and userId is not null group by userId order by at`,
      [studyInstanceUid],
    ),
  )
