import { createHash } from 'node:crypto'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { StudyArea } from '#shared/contract/settings.ts'
import type { Severity } from '#shared/contract/values.ts'
import type { StudyId } from '#shared/ids.ts'

/** A worklist request to the partner. */
export interface AnswerKey {
  readonly callingAe: string
  /** `YYYY-MM-DD`, both days included. */
  readonly dateStart: string
  readonly dateEnd: string
  /** Null if not restricted to a modality. */
  readonly modality: string | null
}

/** The partner's last valid answer to a request. */
export interface AnswerRecord extends AnswerKey {
  /** Hash of the response body, in `documents`. */
  readonly documentHash: string
  readonly receivedAt: string
  /** Number of rows. */
  readonly items: number
}

/** Stores an answer in place of the earlier one to the same request. */
export function putAnswer(database: Database, answer: AnswerRecord): void {
  const row = { ...answer, modality: answer.modality ?? '' }
  database.run(
    database.sql
      .insertInto('answers')
      .values(row)
      .onConflict((old) =>
        old.columns(['callingAe', 'dateStart', 'dateEnd', 'modality']).doUpdateSet(row),
      ),
  )
}

/**
 * The newest answer for the same AE title that covers the request: it includes the requested days,
 * and is for the same modality or all modalities.
 */
export function findCoveringAnswer(
  database: Database,
  { callingAe, dateStart, dateEnd, modality }: AnswerKey,
): AnswerRecord | undefined {
  const row = database.get(
    database.sql
      .selectFrom('answers')
      .selectAll()
      .where('callingAe', '=', callingAe)
      .where('dateStart', '<=', dateStart)
      .where('dateEnd', '>=', dateEnd)
      .where('modality', 'in', modality === null ? [''] : ['', modality])
      .orderBy('receivedAt', 'desc')
      .limit(1),
  )
  return row && { ...row, modality: row.modality === '' ? null : row.modality }
}

/** The answers that cover the day, newest first. */
export const listAnswersOfDay = (database: Database, day: string): AnswerRecord[] =>
  database
    .all(
      database.sql
        .selectFrom('answers')
        .selectAll()
        .where('dateStart', '<=', day)
        .where('dateEnd', '>=', day)
        .orderBy('receivedAt', 'desc'),
    )
    .map((row) => ({ ...row, modality: row.modality === '' ? null : row.modality }))

/** Deletes every answer for the AE title and returns how many there were. */
export const deleteAnswersOf = (database: Database, callingAe: string): number =>
  database.run(database.sql.deleteFrom('answers').where('callingAe', '=', callingAe)).changes

/** Deletes the answers received before the instant and returns how many there were. */
export const purgeAnswers = (database: Database, before: string): number =>
  database.run(database.sql.deleteFrom('answers').where('receivedAt', '<', before)).changes

/** Unreferenced documents are kept for this long, because a reference may be about to be added. */
const DOCUMENT_GRACE_MS = 60 * 60_000

/*
 * Documents are stored once under the SHA-256 of their bytes, compressed and encrypted: the
 * partner's answers, and verdicts on their rows.
 */

/**
 * Stores a document unless it exists, and returns its SHA-256 in hex. It is durable with the open
 * transaction, or immediately if none is open.
 * @param hash that SHA-256, if it is known already
 */
export function storeDocument(
  context: Context,
  bytes: Buffer,
  hash = createHash('sha256').update(bytes).digest('hex'),
): string {
  const now = context.clock()
  const kept = context.database.get(
    rawQuery<{ keptAt: string }>('select keptAt from documents where hash = ?', [hash]),
  )
  if (kept === undefined) {
    const packed = zstdCompressSync(bytes, {
      params: { [constants.ZSTD_c_compressionLevel]: 1 },
    })
    const sealed = context.database.seal.seal(packed, contextOf(hash))
    context.database.run(
      context.database.sql
        .insertInto('documents')
        .values({ hash, sealed, byteLength: bytes.length, keptAt: instantOf(now) }),
    )
  } else if (Math.abs(now - msOf(kept.keptAt)) > DOCUMENT_GRACE_MS / 2)
    context.database.run(
      context.database.sql
        .updateTable('documents')
        .set({ keptAt: instantOf(now) })
        .where('hash', '=', hash),
    )
  return hash
}

/** Whether the document is stored. */
export const hasDocument = (context: Context, hash: string): boolean =>
  context.database.get(rawQuery('select 1 from documents where hash = ?', [hash])) !== undefined

/** @throws StoreError seal-broken */
export function readDocument(context: Context, hash: string): Buffer | undefined {
  const row = context.database.get(
    context.database.sql
      .selectFrom('documents')
      .select(['sealed', 'byteLength'])
      .where('hash', '=', hash),
  )
  return (
    row &&
    zstdDecompressSync(context.database.seal.open(row.sealed, contextOf(hash)), {
      maxOutputLength: Math.max(1, row.byteLength),
    })
  )
}

/**
 * Deletes at most `limit` documents that were stored over an hour ago and are referenced by no
 * answer and no inspection. Returns how many were deleted.
 */
export const purgeUnreferencedDocuments = (context: Context, limit: number = 1000): number =>
  context.database.run(
    context.database.sql.deleteFrom('documents').where(
      'hash',
      'in',
      context.database.sql
        .selectFrom('documents')
        .select('hash')
        .where('keptAt', '<', instantOf(context.clock() - DOCUMENT_GRACE_MS))
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('answers').select('items').whereRef('documentHash', '=', 'documents.hash'),
            ),
          ),
        )
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('inspections')
                .select('sent')
                .whereRef('answerHash', '=', 'documents.hash'),
            ),
          ),
        )
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('inspections')
                .select('sent')
                .whereRef('verdictHash', '=', 'documents.hash'),
            ),
          ),
        )
        .limit(limit),
    ),
  ).changes

const contextOf = (hash: string) => `document ${hash}`

/** The stored state of downtime mode. The reason was entered by a user and is encrypted at rest. */
export interface DowntimeRecord {
  readonly since: string
  readonly until: string
  readonly userId: string
  readonly userName: string
  readonly reason: string
}

/** The downtime mode that was last started and not ended, even if it has expired. */
export function findDowntime(database: Database): DowntimeRecord | undefined {
  const row = database.get(database.sql.selectFrom('downtime').selectAll())
  if (row === undefined) return undefined
  const { id: _, sealedReason, ...downtime } = row
  return { ...downtime, reason: database.seal.open(sealedReason, 'downtime').toString() }
}

export function putDowntime(database: Database, { reason, ...downtime }: DowntimeRecord): void {
  const row = {
    id: 1 as const,
    ...downtime,
    sealedReason: database.seal.seal(Buffer.from(reason), 'downtime'),
  }
  database.run(
    database.sql
      .insertInto('downtime')
      .values(row)
      .onConflict((old) => old.column('id').doUpdateSet(row)),
  )
}

/** Returns whether there was one. */
export const deleteDowntime = (database: Database): boolean =>
  database.run(database.sql.deleteFrom('downtime')).changes > 0

/** What is stored about the study of an exam, by the Study Instance UID of the worklist. */
export interface ExamFacts {
  /** Its current images; their study may have another UID. */
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

// Images belong to an exam by their Study Instance UID, or by the step that they were made for
// (`receivedSteps`).
const SELECT_EXAM_IMAGES = `
  select u.value as uid, s.studyInstanceUid as imageStudyUid, s.instances, s.createdAt as firstAt
  from json_each(?) u join imageStudies s on s.studyInstanceUid = u.value where s.instances > 0
  union
  select r.studyInstanceUid, s.studyInstanceUid, s.instances, s.createdAt
  from json_each(?) u join receivedSteps r on r.studyInstanceUid = u.value
  join imageStudies s on s.studyInstanceUid = r.imageStudyUid where s.instances > 0`
// Sorted by area: scribe comes before viewer and takes precedence.
const STUDIES = `
  select s.studyInstanceUid as uid, s.area, s.studyId, s.severity from json_each(?) u
  join studies s on s.studyInstanceUid = u.value order by s.area`
/** Returns facts for the studies about which anything is stored. */
export function findExamFacts(
  database: Database,
  studyInstanceUids: readonly string[],
): Map<string, ExamFacts> {
  const uids = JSON.stringify(studyInstanceUids)
  const facts = new Map<string, { images: ExamFacts['images']; study: ExamFacts['study'] }>()
  const of = (uid: string) => {
    const known = facts.get(uid) ?? { images: null, study: null }
    facts.set(uid, known)
    return known
  }
  type Images = NonNullable<ExamFacts['images']> & { readonly uid: string }
  for (const { uid, ...images } of database.all(
    rawQuery<Images>(SELECT_EXAM_IMAGES, [uids, uids]),
  )) {
    const known = of(uid)
    if (known.images === null || images.instances > known.images.instances) known.images = images
  }
  type Study = NonNullable<ExamFacts['study']> & { readonly uid: string }
  for (const { uid, ...study } of database.all(rawQuery<Study>(STUDIES, [uids])))
    of(uid).study ??= study
  return facts
}
