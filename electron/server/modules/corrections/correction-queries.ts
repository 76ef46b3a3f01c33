import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import type { HandedOutRow, ImageHeader } from '#server/modules/images/image-study-queries.ts'
import { findAnnotations, putAnnotations } from '#server/modules/viewer/queries.ts'
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
  readonly handedOut: { readonly from: HandedOutRow | null; readonly to: HandedOutRow | null }
  /** Empty until it is undone. */
  readonly undoReason: string
}

export interface CorrectedPair {
  readonly originalId: number
  readonly correctedId: number
}

/** `header`: what the instance says of its patient and its exam. */
export interface FoundVersion {
  readonly instanceId: number
  readonly header: ImageHeader
}

export type NewCorrection = Omit<CorrectionRecord, 'undoneAt' | 'undoneBy' | 'undoneWith'>

/** Changes of these belong in one transaction with those of `instances`. */
export interface CorrectionsStore {
  insert(correction: NewCorrection, pairs: readonly CorrectedPair[]): void
  get(correctionId: string): CorrectionRecord | undefined
  /** Of images that are, or were, in the study, newest first. */
  ofStudy(studyInstanceUid: string): CorrectionRecord[]
  /** In the order of the copies. */
  pairsOf(correctionId: string): CorrectedPair[]
  setUndone(
    correctionId: string,
    undone: {
      readonly at: string
      readonly by: string
      readonly with: string | null
      readonly reason: string
    },
  ): void
  /** Copies of the correction that are not current any more. */
  copiesGone(correctionId: string): number
  /** Whether originals or copies of the correction were sent to a destination. */
  isSent(correctionId: string): boolean
  /**
   * Whether the instance does not count because of a correction: the original of one that stands,
   * or a copy of one that was undone. It is not restored, and what a device sends under its UID
   * does not bring it back.
   */
  isWithdrawn(instanceId: number): boolean
  /** Whether the instance is a copy that a correction made. */
  isCopy(instanceId: number): boolean
  /**
   * SOP Instance UIDs of all other versions of an image that corrections, recorded or only found,
   * connect with one of these UIDs. At most one version of an image is current.
   */
  otherVersions(uids: readonly string[]): string[]
  /** Whether `noteFound` was given the UID as that of another version. */
  isOfFound(sopInstanceUid: string): boolean
  /**
   * An instance that is another version of images with these UIDs, without a record of the
   * correction.
   */
  noteFound(found: FoundVersion, otherUids: readonly string[]): void
  /** SOP Instance UIDs that `noteFound` was given; none of any other instance. */
  foundBeside(instanceId: number): string[]
  /**
   * Undecided versions that were found beside the UID are beside the instance that takes its place:
   * the study that shows it stays in doubt until somebody decides about them.
   */
  moveFound(
    beforeUid: string,
    now: { readonly instanceId: number; readonly sopInstanceUid: string },
  ): void
  /** What was announced of the originals is announced of their copies, which are here. */
  moveAnnounced(pairs: readonly MovedInstance[]): void
  /** What was drawn on images that were moved is kept with the study that they are in now. */
  moveAnnotations(move: MovedAnnotations): void
}

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

/** Where an announced instance is now. */
export interface MovedInstance {
  /** SOP Instance UID of whose place it takes. */
  readonly before: string
  readonly sopInstanceUid: string
  readonly studyInstanceUid: string
  readonly seriesInstanceUid: string
}

type StoredCorrection = Omit<CorrectionRecord, 'details'> & { readonly sealedDetails: Buffer }

const COLUMNS = [
  ...[
    'correctionId',
    'kind',
    'cause',
    'fromStudyInstanceUid',
    'toStudyInstanceUid',
    'instances',
    'sealedDetails',
    'userId',
    'at',
  ],
  ...['undoes', 'undoneAt', 'undoneBy', 'undoneWith'],
].join(', ')
const SELECT = `select ${COLUMNS} from corrections`
const INSERT = `insert into corrections
  (correctionId, kind, cause, fromStudyInstanceUid, toStudyInstanceUid, instances, sealedDetails, userId, at, undoes)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const INSERT_PAIR =
  'insert into correctedInstances (originalId, correctedId, correctionId) values (?, ?, ?)'
const PAIRS =
  'select originalId, correctedId from correctedInstances where correctionId = ? order by correctedId'
// Two queries, as there are two indexes.
const OF_STUDY = `${SELECT} where fromStudyInstanceUid = ? union ${SELECT} where toStudyInstanceUid = ? order by at desc, correctionId`
const SET_UNDONE = `update corrections set undoneAt = ?, undoneBy = ?, undoneWith = ?, sealedDetails = ?
  where correctionId = ? and undoneAt is null`
const GONE = `select count(*) as count from correctedInstances o join instances n on n.instanceId = o.correctedId
  where o.correctionId = ? and n.state <> 'current'`
const IS_SENT = `select 1 from correctedInstances o cross join destinations d
  join forwards f on f.destinationId = d.destinationId and f.instanceId in (o.originalId, o.correctedId)
  where o.correctionId = ? and f.state = 'sent' limit 1`
/** The condition on the row `n` of `instances`, for other stores. */
export const WITHDRAWN = `(
  exists (select 1 from correctedInstances o join corrections c using (correctionId)
    where o.originalId = n.instanceId and (c.undoneAt is null or c.undoneWith is not null))
  or exists (select 1 from correctedInstances o join corrections c using (correctionId)
    where o.correctedId = n.instanceId and c.undoneAt is not null and c.undoneWith is null))`
/**
 * Whether images of the study `s` were corrected; of one correction that was undone nothing is
 * left.
 */
export const IS_CORRECTED = `(
  exists (select 1 from corrections c where c.fromStudyInstanceUid = s.studyInstanceUid and c.undoneAt is null)
  or exists (select 1 from corrections c where c.toStudyInstanceUid = s.studyInstanceUid and c.undoneAt is null))`
// Both directions of each record, and of each note of a version that was found.
// Two branches for the instances of a UID, as there are two partial indexes.
const OTHER_VERSIONS = `with wanted as (select ? as uid), a as (
    select instanceId from instances where sopInstanceUid = (select uid from wanted) and state = 'current'
    union all select instanceId from instances where sopInstanceUid = (select uid from wanted) and state <> 'current')
  select b.sopInstanceUid as uid from a
    join correctedInstances o on o.originalId = a.instanceId join instances b on b.instanceId = o.correctedId
  union select b.sopInstanceUid from a
    join correctedInstances o on o.correctedId = a.instanceId join instances b on b.instanceId = o.originalId
  union select b.sopInstanceUid from foundVersions f join instances b using (instanceId) where f.otherUid = (select uid from wanted)
  union select f.otherUid from a join foundVersions f using (instanceId)`
const IS_NAMED = 'select 1 from foundVersions where otherUid = ?'
const NOTE_FOUND =
  'insert or ignore into foundVersions (instanceId, otherUid, sealedHeader) values (?, ?, ?)'
const MOVE_FOUND = `insert or ignore into foundVersions (instanceId, otherUid, sealedHeader)
  select f.instanceId, ?, f.sealedHeader from foundVersions f
    join instances q on q.instanceId = f.instanceId and q.state = 'quarantined'
  where f.otherUid = ? and f.instanceId <> ?`
const FOUND_BESIDE = 'select otherUid from foundVersions where instanceId = ?'
/**
 * Of the study `s`: a version of one of its current images that was found and set aside, about
 * which nobody has decided; null where there is none.
 */
export const IN_DOUBT = `(
  select json_object('instanceId', q.instanceId, 'studyInstanceUid', q.studyInstanceUid, 'header', hex(f.sealedHeader))
  from foundVersions f
    cross join instances q on q.instanceId = f.instanceId and q.state = 'quarantined'
    cross join instances n on n.sopInstanceUid = f.otherUid and n.state = 'current' and n.studyInstanceUid = s.studyInstanceUid
  limit 1)`
const MOVE_ANNOUNCED = `update announcedInstances set sopInstanceUid = ?, studyInstanceUid = ?, seriesInstanceUid = ?, isHere = 1
  where sopInstanceUid = ?`
const OWNERS = 'select owner from annotations where studyInstanceUid = ?'
/** PS3.5 §9.1. */
const UID = /\d+(?:\.\d+)+/g

export function correctionsStore(db: Database, seal: Seal): CorrectionsStore {
  const sealed = (details: CorrectionDetails, id: string) =>
    seal.seal(Buffer.from(JSON.stringify(details)), contextOf(id))
  const recordOf = ({ sealedDetails, ...row }: StoredCorrection): CorrectionRecord => ({
    ...row,
    details: JSON.parse(seal.open(sealedDetails, contextOf(row.correctionId)).toString()),
  })
  const all = (text: string, ...parameters: string[]) =>
    db.all(rawQuery<StoredCorrection>(text, parameters)).map(recordOf)
  const get = (correctionId: string) => all(`${SELECT} where correctionId = ?`, correctionId)[0]

  return {
    insert: ({ correctionId, details, ...row }, pairs) =>
      db.transaction(() => {
        const {
          kind,
          cause,
          fromStudyInstanceUid,
          toStudyInstanceUid,
          instances,
          userId,
          at,
          undoes,
        } = row
        const studies = [fromStudyInstanceUid, toStudyInstanceUid]
        db.run(
          rawQuery(INSERT, [
            correctionId,
            kind,
            cause,
            ...studies,
            instances,
            sealed(details, correctionId),
            userId,
            at,
            undoes,
          ]),
        )
        for (const { originalId, correctedId } of pairs)
          db.run(rawQuery(INSERT_PAIR, [originalId, correctedId, correctionId]))
      }),
    get,
    ofStudy: (studyInstanceUid) => all(OF_STUDY, studyInstanceUid, studyInstanceUid),
    pairsOf: (correctionId) => db.all(rawQuery<CorrectedPair>(PAIRS, [correctionId])),
    setUndone(correctionId, { at, by, with: further, reason }) {
      const before = get(correctionId)
      if (!before) return
      const details = sealed({ ...before.details, undoReason: reason }, correctionId)
      db.run(rawQuery(SET_UNDONE, [at, by, further, details, correctionId]))
    },
    copiesGone: (correctionId) =>
      db.get(rawQuery<{ count: number }>(GONE, [correctionId]))?.count ?? 0,
    isSent: (correctionId) => db.get(rawQuery(IS_SENT, [correctionId])) !== undefined,
    isWithdrawn: (instanceId) =>
      db.get(
        rawQuery(`select 1 from instances n where n.instanceId = ? and ${WITHDRAWN}`, [instanceId]),
      ) !== undefined,
    isCopy: (instanceId) =>
      db.get(rawQuery('select 1 from correctedInstances where correctedId = ?', [instanceId])) !==
      undefined,
    otherVersions(uids) {
      const known = new Set(uids)
      for (const uid of known)
        for (const other of db.all(rawQuery<{ uid: string }>(OTHER_VERSIONS, [uid])))
          known.add(other.uid)
      return [...known].filter((uid) => !uids.includes(uid))
    },
    isOfFound: (sopInstanceUid) => db.get(rawQuery(IS_NAMED, [sopInstanceUid])) !== undefined,
    noteFound({ instanceId, header }, otherUids) {
      const sealedHeader = seal.seal(
        Buffer.from(JSON.stringify(header)),
        foundContextOf(instanceId),
      )
      for (const otherUid of otherUids)
        db.run(rawQuery(NOTE_FOUND, [instanceId, otherUid, sealedHeader]))
    },
    foundBeside: (instanceId) =>
      db
        .all(rawQuery<{ otherUid: string }>(FOUND_BESIDE, [instanceId]))
        .map(({ otherUid }) => otherUid),
    moveFound: (beforeUid, { instanceId, sopInstanceUid }) =>
      void db.run(rawQuery(MOVE_FOUND, [sopInstanceUid, beforeUid, instanceId])),
    moveAnnounced(moved) {
      for (const { before, sopInstanceUid, studyInstanceUid, seriesInstanceUid } of moved)
        db.run(
          rawQuery(MOVE_ANNOUNCED, [sopInstanceUid, studyInstanceUid, seriesInstanceUid, before]),
        )
    },
    moveAnnotations({ from, to, uids, moved: images, at }) {
      const mapped = (one: unknown): unknown =>
        JSON.parse(JSON.stringify(one).replaceAll(UID, (uid) => uids.get(uid) ?? uid))
      const isMoved = (one: unknown) =>
        (JSON.stringify(one).match(UID) ?? []).some((uid) => images.has(uid))
      for (const { owner } of db.all(rawQuery<{ owner: string }>(OWNERS, [from]))) {
        const kept = findAnnotations(db, from, owner)
        const moved = kept?.annotations.filter(isMoved) ?? []
        if (!kept || moved.length === 0) continue
        const put = (studyInstanceUid: string, revision: number, annotations: unknown[]) =>
          putAnnotations(db, { studyInstanceUid, owner, revision, annotations, updatedAt: at })
        const staying = kept.annotations.filter((one) => !moved.includes(one))
        const corrected = moved.map(mapped)
        if (from === to) put(from, kept.revision + 1, [...staying, ...corrected])
        else {
          put(from, kept.revision + 1, staying)
          const there = findAnnotations(db, to, owner)
          put(to, (there?.revision ?? 0) + 1, [...(there?.annotations ?? []), ...corrected])
        }
      }
    },
  }
}

export const foundContextOf = (instanceId: number) => `found version ${instanceId}`
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
