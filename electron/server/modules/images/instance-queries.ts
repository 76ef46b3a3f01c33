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
 * current: the shown version of its SOP Instance UID. superseded: replaced by a newer version from
 * the same source. quarantined: withheld until a user decides.
 */
export type InstanceState = 'current' | 'superseded' | 'quarantined'

/**
 * Whether the structure of the object is complete (`dimse/structure`). unchecked: received by an
 * older version of the gateway. incomplete: truncated; never committed.
 */
export type InstanceStructure = 'unchecked' | 'complete' | 'incomplete'

/**
 * How it differs from the version that it replaced. unknown: the pixel data could not be compared.
 */
export type ContentChange = (typeof CONTENT_CHANGES)[number]

/**
 * Attributes of the Image Pixel module and the number of frames (PS3.3 C.7.6.3, C.7.6.6), as far as
 * the header contains them.
 */
export interface ImageAttributes {
  readonly rows: number | null
  readonly columns: number | null
  readonly bitsAllocated: number | null
  readonly bitsStored: number | null
  readonly highBit: number | null
  readonly pixelRepresentation: number | null
  readonly samplesPerPixel: number | null
  /** Empty if it is missing. */
  readonly photometricInterpretation: string
  readonly numberOfFrames: number | null
}

/** A stored instance: one file and one row. */
export type InstanceRecord = Readonly<
  Omit<Selectable<Schema['instances']>, keyof DecodedFields | 'sealedPatientName'>
> &
  DecodedFields

interface DecodedFields {
  readonly state: InstanceState
  readonly reason: QuarantineReason | null
  /** Why it is in that state, or a note about its structure. */
  readonly detail: Message | null
  readonly image: ImageAttributes | null
  readonly patientName: string
  readonly structure: InstanceStructure
  /** Null if it replaced no other version. */
  readonly change: ContentChange | null
}

export type NewInstance = Omit<
  InstanceRecord,
  'instanceId' | 'structure' | 'change' | 'changeReviewedAt' | 'localRemovedAt'
> &
  Partial<Pick<InstanceRecord, 'structure' | 'change'>>

/**
 * What happened to instances that other modules act on. read-back: an archive returned a copy that
 * is the same as the file here; returned: a file that had been removed from this PC was received.
 */
export type InstanceChange =
  | 'stored'
  | 'released'
  | 'deleted'
  | 'quarantined'
  | 'read-back'
  | 'returned'
/** Called in the transaction of the change. */
export type OnInstanceChange = (
  change: InstanceChange,
  instances: readonly InstanceRecord[],
) => void

// Changes of these must be in the same transaction as those of `imageStudies`.

export type StoredInstance = Selectable<Schema['instances']>

export const SELECT_INSTANCES = `select instances.* from instances`
// Two queries to use both partial indexes. A union would be sorted, which costs ten times as much
// for each received instance.
const SELECT_CURRENT = `${SELECT_INSTANCES} where sopInstanceUid = ? and state = 'current'`
const SELECT_NOT_CURRENT = `${SELECT_INSTANCES} where sopInstanceUid = ? and state <> 'current'`

const SELECT_CURRENT_NAMES = `select distinct sealedPatientName from instances where studyInstanceUid = ? and state = 'current' and remoteAddress <> ?`
/** Condition on the row `n` of `instances`, also for other modules. */
export const WITHDRAWN_CONDITION = `(
  exists (select 1 from correctedInstances o join corrections c using (correctionId)
    where o.originalId = n.instanceId and (c.undoneAt is null or c.undoneWith is not null))
  or exists (select 1 from correctedInstances o join corrections c using (correctionId)
    where o.correctedId = n.instanceId and c.undoneAt is not null and c.undoneWith is null))`

/** The condition of the index `instancesReplacing`. */
export const IS_REPLACING = `change in ('pixels', 'unknown') and changeReviewedAt is null and state = 'current'`
export const IS_WITHDRAWN = `exists (select 1 from instances n where n.instanceId = instances.instanceId and ${WITHDRAWN_CONDITION})`
/** Rejection notes are intended for archives and are excluded from all lists. */
export const IS_NO_REJECTION_NOTE = `sopInstanceUid not in (select sopInstanceUid from rejectionNotes)`

/**
 * Inserts an instance whose study already exists.
 * @throws if there is already a current instance of the SOP Instance UID, or an instance with the
 *   file (database constraints)
 */
export function insertInstance(database: Database, instance: NewInstance): InstanceRecord {
  const { image, patientName, detail, ...given } = instance
  const row = {
    structure: 'unchecked',
    change: null,
    changeReviewedAt: null,
    localRemovedAt: null,
    ...given,
  } as const
  const stored = {
    ...row,
    detail: storedOrEmpty(detail),
    image: image === null ? null : JSON.stringify(image),
    sealedPatientName:
      patientName === ''
        ? null
        : sealName(database, patientName, nameContextOf(row.studyInstanceUid)),
  }
  // Not built with kysely, which takes longer than the insert itself; this runs for every image.
  const columns = Object.keys(stored)
  const text = `insert into instances (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`
  const instanceId = database.run(rawQuery(text, Object.values(stored))).lastInsertRowid
  return { ...row, detail, image, patientName, instanceId }
}

export const findInstance = (database: Database, instanceId: number): InstanceRecord | undefined =>
  readInstance(database, 'instanceId = ?', instanceId)

export const findCurrentInstance = (
  database: Database,
  sopInstanceUid: string,
): InstanceRecord | undefined =>
  readInstance(database, `sopInstanceUid = ? and state = 'current'`, sopInstanceUid)

/** The highest instance id ever assigned, including deleted instances; 0 if there is none. */
export const lastInstanceId = (database: Database): number =>
  database.get(
    rawQuery<{ seq: number }>(`select seq from sqlite_sequence where name = 'instances'`, []),
  )?.seq ?? 0

/** Iterates over all instances in any state, newest first. */
export function* iterateNewestFirst(database: Database): IterableIterator<InstanceRecord> {
  // In batches, so that others can write in between.
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const batch = readInstances(
      database,
      `${SELECT_INSTANCES} where instanceId < ? order by instanceId desc limit 100`,
      before,
    )
    yield* batch
    before = batch.at(-1)?.instanceId ?? 0
    if (batch.length < 100) return
  }
}

export const findInstanceOfFile = (database: Database, file: string): InstanceRecord | undefined =>
  readInstance(database, 'file = ?', file)

/**
 * The last withdrawn version of the UID (see `isInstanceWithdrawn`); `undefined` if there is none
 * or another version is current.
 */
export const findWithdrawnInstance = (
  database: Database,
  sopInstanceUid: string,
): InstanceRecord | undefined =>
  readInstance(
    database,
    `sopInstanceUid = ? and state <> 'current' and state = 'superseded' and ${IS_WITHDRAWN}
        and not exists (select 1 from instances m where m.sopInstanceUid = ? and m.state = 'current')
        order by instanceId desc limit 1`,
    sopInstanceUid,
    sopInstanceUid,
  )

/** Lists all versions of an instance, in the order in which they were received. */
export const listInstanceVersions = (
  database: Database,
  sopInstanceUid: string,
): InstanceRecord[] =>
  [
    ...readInstances(database, SELECT_NOT_CURRENT, sopInstanceUid),
    ...readInstances(database, SELECT_CURRENT, sopInstanceUid),
  ].sort((a, b) => a.instanceId - b.instanceId)

/**
 * Lists the current instances of a study in the order in which they were received, without
 * rejection notes.
 */
export const listStudyInstances = (
  database: Database,
  studyInstanceUid: string,
): InstanceRecord[] =>
  readInstances(
    database,
    `${SELECT_INSTANCES} where studyInstanceUid = ? and state = 'current' and ${IS_NO_REJECTION_NOTE} order by instanceId`,
    studyInstanceUid,
  )

/** As `listStudyInstances`, only those of the SOP classes. */
export const listStudyInstancesOfClass = (
  database: Database,
  studyInstanceUid: string,
  sopClassUids: readonly string[],
): InstanceRecord[] =>
  readInstances(
    database,
    `${SELECT_INSTANCES} where studyInstanceUid = ? and state = 'current' and ${IS_NO_REJECTION_NOTE}
      and sopClassUid in (${sopClassUids.map(() => '?').join(', ')}) order by instanceId`,
    studyInstanceUid,
    ...sopClassUids,
  )

/**
 * Distinct patient names of the current instances, except those from the given address; an empty
 * string represents a missing name.
 */
export function listPatientNames(
  database: Database,
  studyInstanceUid: string,
  notFrom: string,
): string[] {
  const sealed = database.all(
    rawQuery<{ sealedPatientName: Buffer | null }>(SELECT_CURRENT_NAMES, [
      studyInstanceUid,
      notFrom,
    ]),
  )
  const context = nameContextOf(studyInstanceUid)
  return [
    ...new Set(
      sealed.map((row) =>
        row.sealedPatientName === null ? '' : openName(database, row.sealedPatientName, context),
      ),
    ),
  ]
}

/** Like `listStudyInstances`, but at most `limit` instances after the given instance id. */
export const listStudyInstancesAfter = (
  database: Database,
  studyInstanceUid: string,
  after: number,
  limit: number,
): InstanceRecord[] =>
  readInstances(
    database,
    `${SELECT_INSTANCES} where studyInstanceUid = ? and state = 'current' and instanceId > ? and ${IS_NO_REJECTION_NOTE} order by instanceId limit ?`,
    ...[studyInstanceUid, after, limit],
  )

/** Whether a row has this file. */
export const hasInstanceOfFile = (database: Database, file: string): boolean =>
  database.get(rawQuery('select 1 from instances where file = ?', [file])) !== undefined

/**
 * Sets the state. Reason and detail are cleared unless given. The caller must call
 * `recountInstances` afterwards.
 */
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

/** Records that the instance was sent again. */
export function updateLastSeen(database: Database, instanceId: number, at: string): void {
  database.run(
    rawQuery('update instances set lastSeenAt = ? where instanceId = ?', [at, instanceId]),
  )
}

/**
 * Deletes the row. The caller must call `recountInstances` afterwards, and delete the file after
 * the commit.
 */
export function deleteInstance(database: Database, instanceId: number): void {
  database.run(database.sql.deleteFrom('instances').where('instanceId', '=', instanceId))
  // Its objects in the tiers are deleted, too.
  database.notify('tier copies')
}

/** Current instances of the study with this step in their header, or that were received for it. */
export const listStepInstances = (
  database: Database,
  studyInstanceUid: string,
  scheduledProcedureStepId: string,
): InstanceRecord[] =>
  readInstances(
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
    patientName: sealed === null ? '' : openName(database, sealed, context),
  }
}

function readInstance(database: Database, where: string, ...parameters: (string | number)[]) {
  const row = database.get(
    rawQuery<StoredInstance>(`${SELECT_INSTANCES} where ${where}`, parameters),
  )
  return row && instanceOf(database, row)
}

export const readInstances = (
  database: Database,
  text: string,
  ...parameters: (string | number)[]
) =>
  database.all(rawQuery<StoredInstance>(text, parameters)).map((row) => instanceOf(database, row))

export const nameContextOf = (studyInstanceUid: string) => `patient of images ${studyInstanceUid}`

/**
 * The last encrypted or decrypted name, because consecutive instances of a study have the same one.
 */
const lastNameOf = perDatabase(() => ({
  last: undefined as
    | { readonly name: string; readonly context: string; readonly sealed: Buffer }
    | undefined,
}))

function sealName(database: Database, name: string, context: string): Buffer {
  const memory = lastNameOf(database)
  if (memory.last?.name !== name || memory.last.context !== context)
    memory.last = { name, context, sealed: database.seal.seal(Buffer.from(name), context) }
  return memory.last.sealed
}

export function openName(database: Database, sealed: Buffer, context: string): string {
  const memory = lastNameOf(database)
  if (memory.last?.context !== context || !memory.last.sealed.equals(sealed))
    memory.last = { name: database.seal.open(sealed, context).toString(), context, sealed }
  return memory.last.name
}

/** Whether a destination has this AE title. */
export const isDestination = (database: Database, aeTitle: string): boolean =>
  database.get(
    rawQuery('select 1 from destinations where upper(trim(aeTitle)) = upper(trim(?))', [aeTitle]),
  ) !== undefined
