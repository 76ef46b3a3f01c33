import type { Selectable } from 'kysely'
import { type Database, perDatabase } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import type { Schema } from '#server/database/schema.ts'
import type { CONTENT_CHANGES } from '#shared/contract/images.ts'
import type { QUARANTINE_REASONS } from '#shared/contract/quarantine.ts'
import { type Message, storedOrEmpty } from '#shared/messages/message.ts'
import { messageOrNull } from '#shared/messages/message-schema.ts'

export type QuarantineReason = (typeof QUARANTINE_REASONS)[number]

/**
 * current: the one of its SOP Instance UID; superseded: a newer one of the same source took its
 * place; quarantined: set aside.
 */
export type InstanceState = 'current' | 'superseded' | 'quarantined'

/**
 * Whether the object's structure is whole (`dimse/structure`). unchecked: received by a version
 * that did not look; incomplete: it ends too early, and is never committed.
 */
export type InstanceStructure = 'unchecked' | 'complete' | 'incomplete'

/**
 * What differs from the version it took the place of; unknown: the pixel data of the two could not
 * be compared.
 */
export type ContentChange = (typeof CONTENT_CHANGES)[number]

/**
 * Image Pixel module and number of frames (PS3.3 C.7.6.3, C.7.6.6), as far as the header has them.
 */
export interface ImageAttributes {
  readonly rows: number | null
  readonly columns: number | null
  readonly bitsAllocated: number | null
  readonly bitsStored: number | null
  readonly highBit: number | null
  readonly pixelRepresentation: number | null
  readonly samplesPerPixel: number | null
  /** Empty where it is missing. */
  readonly photometricInterpretation: string
  readonly numberOfFrames: number | null
}

/** An instance in the archive: one file and one row. */
export type InstanceRecord = Readonly<
  Omit<Selectable<Schema['instances']>, keyof Decoded | 'sealedPatientName'>
> &
  Decoded

interface Decoded {
  readonly state: InstanceState
  readonly reason: QuarantineReason | null
  /** Why it is in that state, or a note about its structure. */
  readonly detail: Message | null
  readonly image: ImageAttributes | null
  readonly patientName: string
  readonly structure: InstanceStructure
  /** Null where it took no other version's place. */
  readonly change: ContentChange | null
}

export type NewInstance = Omit<
  InstanceRecord,
  'instanceId' | 'structure' | 'change' | 'changeReviewedAt'
> &
  Partial<Pick<InstanceRecord, 'structure' | 'change'>>

/** What became of instances, for the queues of destinations. */
export type InstanceChange = 'kept' | 'released' | 'taken-back' | 'set-aside'
/** Called in the transaction of the change. */
export type OnInstanceChange = (
  change: InstanceChange,
  instances: readonly InstanceRecord[],
) => void

/* Changes of these belong in one transaction with those of `imageStudies`. */

export type StoredInstance = Selectable<Schema['instances']>

export const SELECT_INSTANCES = `select instances.* from instances`
// Two branches, because there are two partial indexes. One each: their union would be sorted, which
// costs ten times as much for every instance that comes.
const CURRENT = `${SELECT_INSTANCES} where sopInstanceUid = ? and state = 'current'`
const NOT_CURRENT = `${SELECT_INSTANCES} where sopInstanceUid = ? and state <> 'current'`

const CURRENT_NAMES = `select distinct sealedPatientName from instances where studyInstanceUid = ? and state = 'current' and remoteAddress <> ?`
/** The condition on the row `n` of `instances`, for other stores. */
export const WITHDRAWN = `(
  exists (select 1 from correctedInstances o join corrections c using (correctionId)
    where o.originalId = n.instanceId and (c.undoneAt is null or c.undoneWith is not null))
  or exists (select 1 from correctedInstances o join corrections c using (correctionId)
    where o.correctedId = n.instanceId and c.undoneAt is not null and c.undoneWith is null))`

/** The condition of the index `instancesReplacing`. */
export const REPLACING = `change in ('pixels', 'unknown') and changeReviewedAt is null and state = 'current'`
export const IS_WITHDRAWN = `exists (select 1 from instances n where n.instanceId = instances.instanceId and ${WITHDRAWN})`
/** Rejection notes are for archives: no list of a study has them. */
export const NO_NOTE = `sopInstanceUid not in (select sopInstanceUid from rejectionNotes)`

/**
 * Its study is there already. @throws a second current instance of a SOP Instance UID, or of a
 * file (a constraint of the database)
 */
export function insertInstance(database: Database, instance: NewInstance): InstanceRecord {
  const { image, patientName, detail, ...given } = instance
  const row = { structure: 'unchecked', change: null, changeReviewedAt: null, ...given } as const
  const stored = {
    ...row,
    detail: storedOrEmpty(detail),
    image: image === null ? null : JSON.stringify(image),
    sealedPatientName:
      patientName === ''
        ? null
        : sealedName(database, patientName, nameContextOf(row.studyInstanceUid)),
  }
  // Not built by kysely, which takes longer than the insert itself: this is for every image.
  const columns = Object.keys(stored)
  const text = `insert into instances (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`
  const instanceId = database.run(rawQuery(text, Object.values(stored))).lastInsertRowid
  return { ...row, detail, image, patientName, instanceId }
}

export const findInstance = (database: Database, instanceId: number): InstanceRecord | undefined =>
  oneInstance(database, 'instanceId = ?', instanceId)

export const findCurrentInstance = (
  database: Database,
  sopInstanceUid: string,
): InstanceRecord | undefined =>
  oneInstance(database, `sopInstanceUid = ? and state = 'current'`, sopInstanceUid)

/**
 * The highest id that was ever given out, also of instances that are deleted; 0 before the first.
 */
export const newestInstanceId = (database: Database): number =>
  database.get(
    rawQuery<{ seq: number }>(`select seq from sqlite_sequence where name = 'instances'`, []),
  )?.seq ?? 0

/** The newest ones first, of any state. */
export function* instancesNewestFirst(database: Database): IterableIterator<InstanceRecord> {
  // By portions: others write while somebody reads.
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const portion = allInstances(
      database,
      `${SELECT_INSTANCES} where instanceId < ? order by instanceId desc limit 100`,
      before,
    )
    yield* portion
    before = portion.at(-1)?.instanceId ?? 0
    if (portion.length < 100) return
  }
}

export const findInstanceOfFile = (database: Database, file: string): InstanceRecord | undefined =>
  oneInstance(database, 'file = ?', file)

/**
 * The last version of the UID that does not count because of a correction
 * (`corrections.isWithdrawn`); undefined where there is none, or where another version is
 * current.
 */
export const findWithdrawnInstance = (
  database: Database,
  sopInstanceUid: string,
): InstanceRecord | undefined =>
  oneInstance(
    database,
    `sopInstanceUid = ? and state <> 'current' and state = 'superseded' and ${IS_WITHDRAWN}
        and not exists (select 1 from instances m where m.sopInstanceUid = ? and m.state = 'current')
        order by instanceId desc limit 1`,
    sopInstanceUid,
    sopInstanceUid,
  )

/** In the order they came. */
export const listInstanceVersions = (
  database: Database,
  sopInstanceUid: string,
): InstanceRecord[] =>
  [
    ...allInstances(database, NOT_CURRENT, sopInstanceUid),
    ...allInstances(database, CURRENT, sopInstanceUid),
  ].sort((a, b) => a.instanceId - b.instanceId)

/** The current ones, in the order they came; rejection notes left out. */
export const listStudyInstances = (
  database: Database,
  studyInstanceUid: string,
): InstanceRecord[] =>
  allInstances(
    database,
    `${SELECT_INSTANCES} where studyInstanceUid = ? and state = 'current' and ${NO_NOTE} order by instanceId`,
    studyInstanceUid,
  )

/**
 * Names of the patients of the current ones, but for those from this address; each once, '' where
 * one names none.
 */
export function listPatientNames(
  database: Database,
  studyInstanceUid: string,
  notFrom: string,
): string[] {
  const sealed = database.all(
    rawQuery<{ sealedPatientName: Buffer | null }>(CURRENT_NAMES, [studyInstanceUid, notFrom]),
  )
  const context = nameContextOf(studyInstanceUid)
  return [
    ...new Set(
      sealed.map((row) =>
        row.sealedPatientName === null ? '' : openedName(database, row.sealedPatientName, context),
      ),
    ),
  ]
}

/** As `ofStudy`, a part of them: those that came after this instance id. */
export const listPartOfStudy = (
  database: Database,
  studyInstanceUid: string,
  after: number,
  limit: number,
): InstanceRecord[] =>
  allInstances(
    database,
    `${SELECT_INSTANCES} where studyInstanceUid = ? and state = 'current' and instanceId > ? and ${NO_NOTE} order by instanceId limit ?`,
    ...[studyInstanceUid, after, limit],
  )

/** Whether a row names the file. */
export const hasInstanceOfFile = (database: Database, file: string): boolean =>
  database.get(rawQuery('select 1 from instances where file = ?', [file])) !== undefined

/** After it: `imageStudies.recount`. Reason and detail are forgotten unless given. */
export function setInstanceState(
  database: Database,
  instanceId: number,
  state: InstanceState,
  reason: QuarantineReason | null = null,
  detail: Message | null = null,
): void {
  database.run(
    database.sql
      .updateTable('instances')
      .set({ state, reason, detail: storedOrEmpty(detail) })
      .where('instanceId', '=', instanceId),
  )
}

export function setInstanceStructure(
  database: Database,
  instanceId: number,
  structure: InstanceStructure,
): void {
  database.run(
    database.sql.updateTable('instances').set({ structure }).where('instanceId', '=', instanceId),
  )
}

/** It was sent again. */
export function noteInstanceSeen(database: Database, instanceId: number, at: string): void {
  database.run(
    rawQuery('update instances set lastSeenAt = ? where instanceId = ?', [at, instanceId]),
  )
}

/**
 * After it: `imageStudies.recount`. Its file is the caller's to delete, once this is committed.
 */
export function deleteInstance(database: Database, instanceId: number): void {
  database.run(database.sql.deleteFrom('instances').where('instanceId', '=', instanceId))
}

/** Current instances of the study that carry this step, or arrived for it. */
export const listStepInstances = (
  database: Database,
  studyInstanceUid: string,
  scheduledProcedureStepId: string,
): InstanceRecord[] =>
  allInstances(
    database,
    `${SELECT_INSTANCES} where studyInstanceUid = ? and state = 'current' and scheduledProcedureStepId = ? order by instanceId`,
    studyInstanceUid,
    scheduledProcedureStepId,
  )

function instanceOf(
  database: Database,
  { image, detail, sealedPatientName: sealed, ...row }: StoredInstance,
): InstanceRecord {
  const context = nameContextOf(row.studyInstanceUid)
  return {
    ...(row as Omit<InstanceRecord, 'detail' | 'image' | 'patientName'>),
    detail: messageOrNull(detail),
    image: image === null ? null : JSON.parse(image),
    patientName: sealed === null ? '' : openedName(database, sealed, context),
  }
}

function oneInstance(database: Database, where: string, ...parameters: (string | number)[]) {
  const row = database.get(
    rawQuery<StoredInstance>(`${SELECT_INSTANCES} where ${where}`, parameters),
  )
  return row && instanceOf(database, row)
}

export const allInstances = (
  database: Database,
  text: string,
  ...parameters: (string | number)[]
) =>
  database.all(rawQuery<StoredInstance>(text, parameters)).map((row) => instanceOf(database, row))

export const nameContextOf = (studyInstanceUid: string) => `patient of images ${studyInstanceUid}`

/**
 * The name that was sealed or opened last: the instances of a study come one after the other and
 * have the same.
 */
const lastNameOf = perDatabase(() => ({
  last: undefined as
    | { readonly name: string; readonly context: string; readonly sealed: Buffer }
    | undefined,
}))

function sealedName(database: Database, name: string, context: string): Buffer {
  const memory = lastNameOf(database)
  if (memory.last?.name !== name || memory.last.context !== context)
    memory.last = { name, context, sealed: database.seal.seal(Buffer.from(name), context) }
  return memory.last.sealed
}

export function openedName(database: Database, sealed: Buffer, context: string): string {
  const memory = lastNameOf(database)
  if (memory.last?.context !== context || !memory.last.sealed.equals(sealed))
    memory.last = { name: database.seal.open(sealed, context).toString(), context, sealed }
  return memory.last.name
}

/** Whether a destination of images has the AE title. */
export const isDestination = (database: Database, aeTitle: string): boolean =>
  database.get(
    rawQuery('select 1 from destinations where upper(trim(aeTitle)) = upper(trim(?))', [aeTitle]),
  ) !== undefined
