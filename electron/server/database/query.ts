import { type Compilable, CompiledQuery } from 'kysely'

/** STRICT tables have no boolean type. */
export type Flag = 0 | 1
export const flag = (on: boolean): Flag => (on ? 1 : 0)

/** A query from SQL text, where building it at each call would take longer than running it. */
export function rawQuery<T>(text: string, parameters: readonly unknown[]): Compilable<T> {
  const compiled = CompiledQuery.raw(text, [...parameters]) as CompiledQuery<T>
  return { compile: () => compiled }
}

/**
 * Makes SQLite keep the plan of a prepared statement. In case the value of a parameter allows a
 * better plan, SQLite prepares a statement again once a parameter that is compared by `=`, or is a
 * limit, has a new value, and better-sqlite3 clears all values after each execution. Preparing takes
 * 15 to 50 µs, several times as long as most of our queries. A unary plus prevents it and changes
 * neither the value nor the use of an index, except that the value can no longer tell SQLite that a
 * partial index applies.
 * @param partial the names of the columns in the conditions of partial indexes
 */
export const withFixedPlan = (sql: string, partial: ReadonlySet<string>): string =>
  sql
    .replace(/(\w+)("? = )\?/g, (comparison, column: string, operator: string) =>
      partial.has(column) ? comparison : `${column}${operator}+?`,
    )
    .replace(/ limit \?/g, ' limit +?')

/** Captures the table that a statement changes. */
const CHANGED_TABLE =
  /^\s*(?:(?:insert|replace)(?: or \w+)? into|update(?: or \w+)?|delete from) "?(\w+)/i
/** The gateway's internal tables, from which no reply of the interface is built. */
const INTERNAL_TABLES = new Set<string | undefined>(
  `
  inspections documents answers callers devices sessions outbox events eventAttempts
  imageStudies imageSeries instances announcedInstances seeds receivedSteps corrections
  correctedInstances rejectionNotes correctionNotices formerDestinationStudies foundVersions
  neededAddenda performedSteps performedStepItems commitments commitmentItems destinations
  forwards reportRevisions reportPdfs reportObjects criticalResults criticalEscalations
  reportTemplates clinicalContexts contextDocuments views viewFiles annotations captures
  hangingProtocols viewerStudyWords
  scribeStudyWords imageStudyWords searchFill retrievalStudies
  retrievalModalities retrievalWords savedViews secondFactors secondFactorCodes
  tiers tierCopies tierMigrations tierRecalls
  passwordChanges workstations associations associationLines associationTerms
  `.split(/\s+/),
)

/**
 * Whether a statement may change replies of the interface; true if the statement is not recognized.
 */
export const changesReplies = (sql: string): boolean =>
  !INTERNAL_TABLES.has(CHANGED_TABLE.exec(sql)?.[1])
