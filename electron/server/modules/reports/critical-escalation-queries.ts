import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import type { CriticalResult } from '#shared/contract/reports.ts'

/** A step of escalation that a critical result has reached. */
type Escalation = CriticalResult['escalations'][number]

/** A critical result that no clinician was notified of; `step` 0 and `at` null: not escalated. */
export interface EscalatedResult {
  readonly reportId: string
  readonly studyId: string
  readonly openedAt: string
  readonly step: number
  readonly at: string | null
}

// The aggregate has `at` be of the row with the highest step (SQLite, "Bare columns in an aggregate
// query").
const OPEN = `
  select c.reportId, c.studyId, c.openedAt, ifnull(max(e.step), 0) as step, e.at
  from criticalResults c indexed by criticalResultsOpen
    left join criticalEscalations e on e.reportId = c.reportId
  where c.communicatedAt is null
  group by c.openedAt, c.reportId`
const BELOW = `${OPEN} having ifnull(max(e.step), 0) < ? order by c.openedAt`
const ESCALATED = `${OPEN} having max(e.step) is not null order by c.openedAt`

/** Open results that are below the step, oldest first. */
export const listResultsBelowStep = (database: Database, step: number): EscalatedResult[] =>
  database.all(rawQuery<EscalatedResult>(BELOW, [step]))

/** Open results that have been escalated, oldest first. */
export const listEscalatedResults = (database: Database): EscalatedResult[] =>
  database.all(rawQuery<EscalatedResult>(ESCALATED, []))

/** In their order. */
export const listEscalations = (database: Database, reportId: string): Escalation[] =>
  database.all(
    database.sql
      .selectFrom('criticalEscalations')
      .select(['step', 'at'])
      .where('reportId', '=', reportId)
      .orderBy('step'),
  ) as Escalation[]

/** The primary key admits each step of a result once. */
export const insertEscalation = (
  database: Database,
  row: Omit<EscalatedResult, 'studyId' | 'openedAt' | 'at'> & { readonly at: string },
): void => void database.run(database.sql.insertInto('criticalEscalations').values(row))
