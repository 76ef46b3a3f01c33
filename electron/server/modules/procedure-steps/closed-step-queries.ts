import type { Compilable } from 'kysely'
import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import type { ClosedStep } from '#shared/contract/worklist.ts'

/**
 * Steps that staff marked as done or cancelled; the reason, which a person typed, is sealed at
 * rest.
 */
export interface ClosedStepsStore {
  /** Closing a closed step again keeps the newer reason. */
  close(step: ClosedStep): void
  /** Whether it was closed. */
  reopen(studyInstanceUid: string, scheduledProcedureStepId: string): boolean
  /** From memory: it is asked for every row of a stored answer. */
  has(studyInstanceUid: string, scheduledProcedureStepId: string): boolean
  /** Newest first. */
  list(): ClosedStep[]
  /** Forgets steps closed before the instant. */
  purge(before: string): number
}

export function closedStepsStore(db: Database, seal: Seal): ClosedStepsStore {
  let known: Set<string> | undefined

  function closed(): Set<string> {
    if (known) return known
    const rows = db.all(
      db.sql.selectFrom('closedSteps').select(['studyInstanceUid', 'scheduledProcedureStepId']),
    )
    const keys = new Set(
      rows.map((row) => keyOf(row.studyInstanceUid, row.scheduledProcedureStepId)),
    )
    // What an open transaction shows may yet be rolled back.
    if (!db.inTransaction) known = keys
    return keys
  }

  function change(query: Compilable<unknown>): number {
    known = undefined
    return db.run(query).changes
  }

  return {
    close({ reason, ...step }) {
      const row = { ...step, sealedReason: seal.seal(Buffer.from(reason), 'closed step') }
      change(
        db.sql
          .insertInto('closedSteps')
          .values(row)
          .onConflict((old) =>
            old.columns(['studyInstanceUid', 'scheduledProcedureStepId']).doUpdateSet(row),
          ),
      )
    },
    reopen: (studyInstanceUid, scheduledProcedureStepId) =>
      change(
        db.sql
          .deleteFrom('closedSteps')
          .where('studyInstanceUid', '=', studyInstanceUid)
          .where('scheduledProcedureStepId', '=', scheduledProcedureStepId),
      ) > 0,
    has: (studyInstanceUid, scheduledProcedureStepId) =>
      closed().has(keyOf(studyInstanceUid, scheduledProcedureStepId)),
    list: () =>
      db
        .all(
          db.sql
            .selectFrom('closedSteps')
            .selectAll()
            .orderBy('closedAt', 'desc')
            .orderBy('studyInstanceUid'),
        )
        .map(({ sealedReason, ...step }) => ({
          ...step,
          reason: seal.open(sealedReason, 'closed step').toString(),
        })),
    purge: (before) => change(db.sql.deleteFrom('closedSteps').where('closedAt', '<', before)),
  }
}

// A backslash separates values in DICOM: neither id can hold one (PS3.5 Table 6.2-1).
const keyOf = (studyInstanceUid: string, scheduledProcedureStepId: string) =>
  `${studyInstanceUid}\\${scheduledProcedureStepId}`
