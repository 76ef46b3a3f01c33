import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import type { ImageChange } from '#shared/contract/reports.ts'

// Corrections of images that were made after a report on them was signed: the reporting screen
// shows them, and an addendum says which correction it follows.

export interface CorrectionInstant {
  readonly correctionId: string
  readonly at: string
  /** What it did to the images of the study. */
  readonly what: ImageChange
}

interface Signed {
  readonly signedAt: string | null
}

/** Later than every instant. */
const NO_END = '9999-12-31T23:59:59.999Z'

const lastOf = (reports: readonly Signed[]): string =>
  reports.reduce(
    (last, { signedAt }) => (signedAt !== null && signedAt > last ? signedAt : last),
    '',
  )

/** What corrections did to the images since the reports were signed, the newest first. */
export function changesSinceSigned(
  database: Database,
  studyInstanceUid: string,
  reports: readonly Signed[],
): CorrectionInstant[] {
  const from = lastOf(reports)
  return from === '' ? [] : correctionsBetween(database, studyInstanceUid, from, NO_END)
}

/**
 * The correction that an addendum follows: the last one that was made after the reports before it
 * were signed. @param earlier the report and the addenda that were signed before
 */
export function followedCorrection(
  database: Database,
  studyInstanceUid: string,
  earlier: readonly Signed[],
  signedAt: string,
): CorrectionInstant | null {
  const from = lastOf(earlier)
  if (from === '') return null
  return correctionsBetween(database, studyInstanceUid, from, signedAt)[0] ?? null
}

const IN_SPAN = 'at >= ? and at <= ? and undoes is null and (undoneAt is null or undoneAt > ?)'
// Two queries, as there are two indexes.
const CORRECTIONS_IN = `
  select correctionId, at, iif(toStudyInstanceUid = fromStudyInstanceUid, 'corrected', 'removed') as what
    from corrections where fromStudyInstanceUid = ? and ${IN_SPAN}
  union select correctionId, at, 'added' from corrections
    where toStudyInstanceUid = ? and toStudyInstanceUid <> fromStudyInstanceUid and ${IN_SPAN}
  order by at desc`

/**
 * Corrections of images that were in the study then, or that they brought into the study, made in
 * the span and not undone by its end, the newest first. What undoes another correction brings back
 * the images that were read.
 */
function correctionsBetween(
  database: Database,
  studyInstanceUid: string,
  from: string,
  to: string,
): CorrectionInstant[] {
  const ofStudy = [studyInstanceUid, from, to, to]
  return database.all(rawQuery<CorrectionInstant>(CORRECTIONS_IN, [...ofStudy, ...ofStudy]))
}
