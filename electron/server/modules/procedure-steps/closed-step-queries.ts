import type { Compilable } from 'kysely'
import { type Database, perDatabase } from '#server/database/database.ts'
import type { ClosedStep } from '#shared/contract/worklist.ts'

/*
 * Steps that staff marked as done or cancelled; the reason, which a person typed, is sealed at
 * rest.
 */

const memoryOf = perDatabase(() => ({ known: undefined as Set<string> | undefined }))

/** Closing a closed step again keeps the newer reason. */
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

/** Whether it was closed. */
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

/** From memory: it is asked for every row of a stored answer. */
export const isStepClosed = (
  database: Database,
  studyInstanceUid: string,
  scheduledProcedureStepId: string,
): boolean => closedStepKeys(database).has(keyOf(studyInstanceUid, scheduledProcedureStepId))

/** Newest first. */
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

/** Forgets steps closed before the instant. */
export const purgeClosedSteps = (database: Database, before: string): number =>
  changeClosedSteps(database, database.sql.deleteFrom('closedSteps').where('closedAt', '<', before))

function closedStepKeys(database: Database): Set<string> {
  const memory = memoryOf(database)
  if (memory.known) return memory.known
  const rows = database.all(
    database.sql.selectFrom('closedSteps').select(['studyInstanceUid', 'scheduledProcedureStepId']),
  )
  const keys = new Set(rows.map((row) => keyOf(row.studyInstanceUid, row.scheduledProcedureStepId)))
  // What an open transaction shows may yet be rolled back.
  if (!database.inTransaction) memory.known = keys
  return keys
}

function changeClosedSteps(database: Database, query: Compilable<unknown>): number {
  memoryOf(database).known = undefined
  return database.run(query).changes
}

// A backslash separates values in DICOM: neither id can hold one (PS3.5 Table 6.2-1).
const keyOf = (studyInstanceUid: string, scheduledProcedureStepId: string) =>
  `${studyInstanceUid}\\${scheduledProcedureStepId}`
