import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import type { CriticalResult } from '#shared/contract/reports.ts'

/** An escalation step taken for a critical result. */
type Escalation = CriticalResult['escalations'][number]

/**
 * A critical result that has not been communicated; `step` is 0 and `at` null before the first
 * escalation.
 */
export interface EscalatedResult {
  readonly reportId: string
  readonly studyId: string
  readonly openedAt: string
  readonly step: number
  readonly at: string | null
}

// With max(), `at` is taken from the row with the highest step (SQLite, "Bare columns in an
// aggregate query").
const SELECT_OPEN = `
  select c.reportId, c.studyId, c.openedAt, ifnull(max(e.step), 0) as step, e.at
  from criticalResults c indexed by criticalResultsOpen
    left join criticalEscalations e on e.reportId = c.reportId
  where c.communicatedAt is null
  group by c.openedAt, c.reportId`
const SELECT_BELOW_STEP = `${SELECT_OPEN} having ifnull(max(e.step), 0) < ? order by c.openedAt`
const SELECT_ESCALATED = `${SELECT_OPEN} having max(e.step) is not null order by c.openedAt`

/** Open results that have not reached the step, oldest first. */
export const listResultsBelowStep = (database: Database, step: number): EscalatedResult[] =>
  database.all(rawQuery<EscalatedResult>(SELECT_BELOW_STEP, [step]))

/** Open results that have been escalated, oldest first. */
export const listEscalatedResults = (database: Database): EscalatedResult[] =>
  database.all(rawQuery<EscalatedResult>(SELECT_ESCALATED, []))

/** In their order. */
export const listEscalations = (database: Database, reportId: string): Escalation[] =>
  database.all(
    database.sql
      .selectFrom('criticalEscalations')
      .select(['step', 'at'])
      .where('reportId', '=', reportId)
      .orderBy('step'),
  ) as Escalation[]

/** Inserts the step; the primary key allows each step of a result once. */
export const insertEscalation = (
  database: Database,
  row: Omit<EscalatedResult, 'studyId' | 'openedAt' | 'at'> & { readonly at: string },
): void => void database.run(database.sql.insertInto('criticalEscalations').values(row))
