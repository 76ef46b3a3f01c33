import { createHash } from 'node:crypto'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { StudyArea } from '#shared/contract/settings.ts'
import type { Severity } from '#shared/contract/values.ts'
import type { StudyId } from '#shared/ids.ts'

/** A question to the partner for a worklist. */
export interface AnswerKey {
  readonly callingAe: string
  /** `YYYY-MM-DD`, both days included. */
  readonly dateStart: string
  readonly dateEnd: string
  /** Null: not narrowed to a modality. */
  readonly modality: string | null
}

/** The partner's last good answer to a question. */
export interface AnswerRecord extends AnswerKey {
  /** The body as received, in `documents`. */
  readonly documentHash: string
  readonly receivedAt: string
  /** Rows in it. */
  readonly items: number
}

/** Takes the place of the earlier answer to the same question. */
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
 * The newest answer to the same AE that holds all that is asked for: its days include those, its
 * modality is that or none.
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

/** The answers whose days include the day, newest first. */
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

/** Forgets every answer given to the AE; how many there were. */
export const deleteAnswersOf = (database: Database, callingAe: string): number =>
  database.run(database.sql.deleteFrom('answers').where('callingAe', '=', callingAe)).changes

/** Forgets answers received before the instant. */
export const purgeAnswers = (database: Database, before: string): number =>
  database.run(database.sql.deleteFrom('answers').where('receivedAt', '<', before)).changes

/**
 * A document is kept so long without anything that refers to it: whoever kept it may be about to.
 */
const GRACE_MS = 60 * 60_000

/*
 * Bodies kept once under the SHA-256 of their bytes, compressed and sealed: partner's answers,
 * verdicts.
 */

/**
 * Keeps the bytes, unless they are there; their SHA-256 in hex. Durable with the open
 * transaction, at once where none is open.
 */
export function keepDocument(context: Context, bytes: Buffer): string {
  const hash = createHash('sha256').update(bytes).digest('hex')
  const now = context.clock()
  const kept = context.database.get(
    context.database.sql.selectFrom('documents').select('keptAt').where('hash', '=', hash),
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
  } else if (Math.abs(now - msOf(kept.keptAt)) > GRACE_MS / 2)
    context.database.run(
      context.database.sql
        .updateTable('documents')
        .set({ keptAt: instantOf(now) })
        .where('hash', '=', hash),
    )
  return hash
}

/** Whether it is kept. */
export const hasDocument = (context: Context, hash: string): boolean =>
  context.database.get(
    context.database.sql.selectFrom('documents').select('hash').where('hash', '=', hash),
  ) !== undefined

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
 * Forgets at most `limit` documents that no answer and no inspection refers to and that were kept
 * over an hour ago.
 */
export const purgeUnreferencedDocuments = (context: Context, limit: number = 1000): number =>
  context.database.run(
    context.database.sql.deleteFrom('documents').where(
      'hash',
      'in',
      context.database.sql
        .selectFrom('documents')
        .select('hash')
        .where('keptAt', '<', instantOf(context.clock() - GRACE_MS))
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

/** Downtime mode as it was switched on; the reason, which a person typed, is sealed at rest. */
export interface DowntimeRecord {
  readonly since: string
  readonly until: string
  readonly userId: string
  readonly userName: string
  readonly reason: string
}

/** What was set last and not ended, expired or not. */
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

/** Whether there was one. */
export const deleteDowntime = (database: Database): boolean =>
  database.run(database.sql.deleteFrom('downtime')).changes > 0

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
/** Of those studies of which anything is here. */
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
  for (const { uid, ...images } of database.all(rawQuery<Images>(IMAGES, [uids, uids]))) {
    const known = of(uid)
    if (known.images === null || images.instances > known.images.instances) known.images = images
  }
  type Study = NonNullable<ExamFacts['study']> & { readonly uid: string }
  for (const { uid, ...study } of database.all(rawQuery<Study>(STUDIES, [uids])))
    of(uid).study ??= study
  return facts
}
