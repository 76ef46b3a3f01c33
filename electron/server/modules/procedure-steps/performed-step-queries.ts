import { type Database, perDatabase } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import type { PERFORMED_STATUSES } from '#shared/contract/images.ts'

export type PerformedStatus = (typeof PERFORMED_STATUSES)[number]

/** A scheduled step that a performed step refers to, by the Study Instance UID of the worklist. */
export interface PerformedItem {
  readonly studyInstanceUid: string
  /** Empty if an unscheduled step of the study was performed. */
  readonly scheduledProcedureStepId: string
}

/** A Modality Performed Procedure Step (PS3.4 Annex F). */
export interface PerformedStepRecord {
  readonly sopInstanceUid: string
  readonly status: PerformedStatus
  readonly modality: string
  readonly callingAeTitle: string
  readonly remoteAddress: string
  readonly deviceName: string
  readonly startedAt: string
  readonly endedAt: string | null
  /**
   * Code value and meaning of PerformedProcedureStepDiscontinuationReasonCodeSequence; both empty
   * if there is none.
   */
  readonly discontinuationCode: string
  readonly discontinuationMeaning: string
  /** Number of instances in PerformedSeriesSequence. */
  readonly instances: number
  /** The data set as JSON, see `dataSetToJson`; encrypted at rest. */
  readonly dataSet: unknown
  readonly updatedAt: string
  readonly items: readonly PerformedItem[]
}

/**
 * The state of a step of a study: that of the last performed step that refers to it, otherwise
 * RECEIVED once its images are complete.
 */
export interface StepStatus {
  readonly scheduledProcedureStepId: string
  readonly status: PerformedStatus | 'RECEIVED'
  /** When it was started, ended or received. */
  readonly since: string
}

type StoredStep = Omit<PerformedStepRecord, 'dataSet' | 'items'> & {
  seq: number
  sealedDataSet: Buffer
}

// `seq` is the order in which the steps began. Their own times depend on the devices' clocks.
const SELECT_STATUSES = `
  select i.scheduledProcedureStepId, p.status, coalesce(p.endedAt, p.startedAt) as since, p.seq
  from performedStepItems i join performedSteps p on p.sopInstanceUid = i.sopInstanceUid
  where i.studyInstanceUid = ?
  union all
  select scheduledProcedureStepId, 'RECEIVED', min(receivedAt), 0 from receivedSteps where studyInstanceUid = ? group by scheduledProcedureStepId
  order by 4`
const STUDIES = `
  select i.studyInstanceUid from performedSteps p join performedStepItems i on i.sopInstanceUid = p.sopInstanceUid where p.updatedAt >= ?
  union select studyInstanceUid from receivedSteps where receivedAt >= ?`
const SELECT_BY_STUDY = `select * from performedSteps
  where sopInstanceUid in (select sopInstanceUid from performedStepItems where studyInstanceUid = ?) order by seq`

/** A cache of the steps in a database, cleared when one changes. */
export const stepCache = perDatabase(() => ({
  byStudy: new Map<string, ReadonlyMap<string, StepStatus>>(),
  /** Every study with a known step. Most rows of a worklist belong to other studies. */
  studies: undefined as ReadonlySet<string> | undefined,
  /** Incremented when a change is committed. */
  version: 0,
}))

/** Clears the cache; call it in the transaction that changes the result of `listStepStatuses`. */
export function invalidateStepCache(database: Database): void {
  const cache = stepCache(database)
  cache.byStudy.clear()
  cache.studies = undefined
  database.afterCommit(() => {
    cache.version++
  })
}

/**
 * Inserts a performed step and its items.
 * @throws if the SOP Instance UID exists (constraint of the database)
 */
export const insertPerformedStep = (database: Database, step: PerformedStepRecord): void =>
  database.transaction(() => {
    database.run(database.sql.insertInto('performedSteps').values(rowOf(database, step)))
    writeItems(database, step)
    invalidateStepCache(database)
  })

/** Replaces all fields of a performed step, including its items. */
export const updatePerformedStep = (database: Database, step: PerformedStepRecord): void =>
  database.transaction(() => {
    const { sopInstanceUid, ...changed } = rowOf(database, step)
    database.run(
      database.sql
        .updateTable('performedSteps')
        .set(changed)
        .where('sopInstanceUid', '=', sopInstanceUid),
    )
    writeItems(database, step)
    invalidateStepCache(database)
  })

export function findPerformedStep(
  database: Database,
  sopInstanceUid: string,
): PerformedStepRecord | undefined {
  const row = database.get(
    database.sql
      .selectFrom('performedSteps')
      .selectAll()
      .where('sopInstanceUid', '=', sopInstanceUid),
  )
  return row && recordOf(database, row as StoredStep)
}

/** The performed steps of a study, in the order in which they began. */
export const listPerformedSteps = (
  database: Database,
  studyInstanceUid: string,
): PerformedStepRecord[] =>
  database
    .all(rawQuery<StoredStep>(SELECT_BY_STUDY, [studyInstanceUid]))
    .map((row) => recordOf(database, row))

/**
 * The states of the steps of a study, by the UID of the worklist or of the images. A step that is
 * not included is scheduled.
 */
export function listStepStatuses(database: Database, studyInstanceUid: string): StepStatus[] {
  const rows = database.all(
    rawQuery<StepStatus & { seq: number }>(SELECT_STATUSES, [studyInstanceUid, studyInstanceUid]),
  )
  const last = new Map(
    rows.map(({ seq: _, ...status }) => [status.scheduledProcedureStepId, status]),
  )
  return [...last.values()]
}

/**
 * Study Instance UIDs, of the worklist and of images, with a step that has changed since the
 * instant.
 */
export const listStudiesWithSteps = (database: Database, since: string): string[] =>
  database
    .all(rawQuery<{ studyInstanceUid: string }>(STUDIES, [since, since]))
    .map(({ studyInstanceUid }) => studyInstanceUid)

/**
 * Deletes performed steps last changed before the instant, and steps received before it. Returns
 * how many there were.
 */
export const purgePerformedSteps = (database: Database, before: string): number =>
  database.run(database.sql.deleteFrom('performedSteps').where('updatedAt', '<', before)).changes +
  database.run(database.sql.deleteFrom('receivedSteps').where('receivedAt', '<', before)).changes

const rowOf = (database: Database, { dataSet, items: _, ...step }: PerformedStepRecord) => ({
  ...step,
  sealedDataSet: database.seal.seal(
    Buffer.from(JSON.stringify(dataSet)),
    contextOf(step.sopInstanceUid),
  ),
})

const recordOf = (
  database: Database,
  { seq: _, sealedDataSet, ...row }: StoredStep,
): PerformedStepRecord => ({
  ...row,
  dataSet: JSON.parse(database.seal.open(sealedDataSet, contextOf(row.sopInstanceUid)).toString()),
  items: database.all(
    database.sql
      .selectFrom('performedStepItems')
      .select(['studyInstanceUid', 'scheduledProcedureStepId'])
      .where('sopInstanceUid', '=', row.sopInstanceUid)
      .orderBy('studyInstanceUid')
      .orderBy('scheduledProcedureStepId'),
  ),
})

function writeItems(database: Database, { sopInstanceUid, items }: PerformedStepRecord): void {
  database.run(
    database.sql.deleteFrom('performedStepItems').where('sopInstanceUid', '=', sopInstanceUid),
  )
  for (const item of items)
    database.run(
      database.sql
        .insertInto('performedStepItems')
        .values({ sopInstanceUid, ...item })
        .onConflict((same) => same.doNothing()),
    )
}

const contextOf = (sopInstanceUid: string) => `performed step ${sopInstanceUid}`
