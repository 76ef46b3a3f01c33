import { type Database, perDatabase } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import type { PERFORMED_STATUSES } from '#shared/contract/images.ts'

export type PerformedStatus = (typeof PERFORMED_STATUSES)[number]

/** A scheduled step that a performed one performs, by the UID of the worklist. */
export interface PerformedItem {
  readonly studyInstanceUid: string
  /** Empty: it performs something of the study that was not scheduled here. */
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
   * PerformedProcedureStepDiscontinuationReasonCodeSequence: code value and meaning; both empty
   * where there is none.
   */
  readonly discontinuationCode: string
  readonly discontinuationMeaning: string
  /** Instances its PerformedSeriesSequence names. */
  readonly instances: number
  /** Its attributes: JSON, in the form of whoever receives it; sealed at rest. */
  readonly dataSet: unknown
  readonly updatedAt: string
  readonly items: readonly PerformedItem[]
}

/**
 * How a step of a study stands: the last performed step that speaks of it, or its settled images
 * where none does.
 */
export interface StepStanding {
  readonly scheduledProcedureStepId: string
  readonly status: PerformedStatus | 'RECEIVED'
  /** When it was started, ended or received. */
  readonly since: string
}

type StoredStep = Omit<PerformedStepRecord, 'dataSet' | 'items'> & {
  seq: number
  sealedDataSet: Buffer
}

// The order in which they began is that of `seq`: their own times are those of the clocks of
// devices.
const STANDING = `
  select i.scheduledProcedureStepId, p.status, coalesce(p.endedAt, p.startedAt) as since, p.seq
  from performedStepItems i join performedSteps p on p.sopInstanceUid = i.sopInstanceUid
  where i.studyInstanceUid = ?
  union all
  select scheduledProcedureStepId, 'RECEIVED', min(receivedAt), 0 from receivedSteps where studyInstanceUid = ? group by scheduledProcedureStepId
  order by 4`
const STUDIES = `
  select i.studyInstanceUid from performedSteps p join performedStepItems i on i.sopInstanceUid = p.sopInstanceUid where p.updatedAt >= ?
  union select studyInstanceUid from receivedSteps where receivedAt >= ?`
const OF_STUDY = `select * from performedSteps
  where sopInstanceUid in (select sopInstanceUid from performedStepItems where studyInstanceUid = ?) order by seq`

/** What is remembered of the steps of a database, until one changes. */
export const stepMemory = perDatabase(() => ({
  byStudy: new Map<string, ReadonlyMap<string, StepStanding>>(),
  /** Every study that anything is known of: most rows of a worklist are of none of them. */
  studies: undefined as ReadonlySet<string> | undefined,
  /** Grows with every change, once it is committed. */
  version: 0,
}))

/** In the transaction that changes what `listStepStandings` says. */
export function noteStepsChanged(database: Database): void {
  const memory = stepMemory(database)
  memory.byStudy.clear()
  memory.studies = undefined
  database.afterCommit(() => {
    memory.version++
  })
}

/** @throws one of that UID is there (a constraint of the database) */
export const insertPerformedStep = (database: Database, step: PerformedStepRecord): void =>
  database.transaction(() => {
    database.run(database.sql.insertInto('performedSteps').values(rowOf(database, step)))
    writeItems(database, step)
    noteStepsChanged(database)
  })

/** Everything, its items too. */
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
    noteStepsChanged(database)
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

/** Those that perform something of the study, in the order they began. */
export const listPerformedSteps = (
  database: Database,
  studyInstanceUid: string,
): PerformedStepRecord[] =>
  database
    .all(rawQuery<StoredStep>(OF_STUDY, [studyInstanceUid]))
    .map((row) => recordOf(database, row))

/**
 * The steps of a study, by the UID of the worklist or that of the images; one that is not among
 * them is scheduled.
 */
export function listStepStandings(database: Database, studyInstanceUid: string): StepStanding[] {
  const rows = database.all(
    rawQuery<StepStanding & { seq: number }>(STANDING, [studyInstanceUid, studyInstanceUid]),
  )
  const last = new Map(
    rows.map(({ seq: _, ...standing }) => [standing.scheduledProcedureStepId, standing]),
  )
  return [...last.values()]
}

/**
 * UIDs of the worklist and of images that `standing` says anything of that is not older than the
 * instant.
 */
export const listStudiesWithSteps = (database: Database, since: string): string[] =>
  database
    .all(rawQuery<{ studyInstanceUid: string }>(STUDIES, [since, since]))
    .map(({ studyInstanceUid }) => studyInstanceUid)

/** Forgets those last changed before the instant, and steps received before it. */
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
