import type { Compilable } from 'kysely'
import { type Database, perDatabase } from '#server/database/database.ts'
import type { ClosedStep } from '#shared/contract/worklist.ts'

/*
 * Steps that staff marked as done or cancelled. The reason was entered by a user and is encrypted
 * at rest.
 */

const cacheOf = perDatabase(() => ({ keys: undefined as Set<string> | undefined }))

/**
 * Inserts a closed step. If it is closed already, the new reason and time replace the former ones.
 */
export function insertClosedStep(database: Database, { reason, ...step }: ClosedStep): void {
  const row = { ...step, sealedReason: database.seal.seal(Buffer.from(reason), 'closed step') }
  changeClosedSteps(
    database,
    database.sql
      .insertInto('closedSteps')
      .values(row)
      .onConflict((old) =>
        old.columns(['studyInstanceUid', 'scheduledProcedureStepId']).doUpdateSet(row),
      ),
  )
}

/** Returns whether the step was closed. */
export const deleteClosedStep = (
  database: Database,
  studyInstanceUid: string,
  scheduledProcedureStepId: string,
): boolean =>
  changeClosedSteps(
    database,
    database.sql
      .deleteFrom('closedSteps')
      .where('studyInstanceUid', '=', studyInstanceUid)
      .where('scheduledProcedureStepId', '=', scheduledProcedureStepId),
  ) > 0

/** Answered from memory, because it is called for every row of a stored answer. */
export const isStepClosed = (
  database: Database,
  studyInstanceUid: string,
  scheduledProcedureStepId: string,
): boolean => closedStepKeys(database).has(keyOf(studyInstanceUid, scheduledProcedureStepId))

/** All closed steps, newest first. */
export const listClosedSteps = (database: Database): ClosedStep[] =>
  database
    .all(
      database.sql
        .selectFrom('closedSteps')
        .selectAll()
        .orderBy('closedAt', 'desc')
        .orderBy('studyInstanceUid'),
    )
    .map(({ sealedReason, ...step }) => ({
      ...step,
      reason: database.seal.open(sealedReason, 'closed step').toString(),
    }))

/** Deletes steps closed before the instant and returns how many there were. */
export const purgeClosedSteps = (database: Database, before: string): number =>
  changeClosedSteps(database, database.sql.deleteFrom('closedSteps').where('closedAt', '<', before))

function closedStepKeys(database: Database): Set<string> {
  const cache = cacheOf(database)
  if (cache.keys) return cache.keys
  const rows = database.all(
    database.sql.selectFrom('closedSteps').select(['studyInstanceUid', 'scheduledProcedureStepId']),
  )
  const keys = new Set(rows.map((row) => keyOf(row.studyInstanceUid, row.scheduledProcedureStepId)))
  // Not cached within a transaction, which may be rolled back.
  if (!database.inTransaction) cache.keys = keys
  return keys
}

function changeClosedSteps(database: Database, query: Compilable<unknown>): number {
  cacheOf(database).keys = undefined
  return database.run(query).changes
}

// Neither ID can contain a backslash, which is the value delimiter of DICOM (PS3.5 Table 6.2-1).
const keyOf = (studyInstanceUid: string, scheduledProcedureStepId: string) =>
  `${studyInstanceUid}\\${scheduledProcedureStepId}`
