import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import type { ImageChange } from '#shared/contract/reports.ts'

// Corrections of images that were made after a report on them was signed. The reporting screen
// shows them, and an addendum states which correction it follows.

export interface CorrectionInstant {
  readonly correctionId: string
  readonly at: string
  /** How it changed the images of the study. */
  readonly what: ImageChange
}

interface SignedPart {
  readonly signedAt: string | null
}

/** Greater than every instant. */
const NO_END = '9999-12-31T23:59:59.999Z'

const lastSignedAt = (reports: readonly SignedPart[]): string =>
  reports.reduce(
    (last, { signedAt }) => (signedAt !== null && signedAt > last ? signedAt : last),
    '',
  )

/** The corrections of the images since the last of the reports was signed, newest first. */
export function correctionsSinceSigned(
  database: Database,
  studyInstanceUid: string,
  reports: readonly SignedPart[],
): CorrectionInstant[] {
  const from = lastSignedAt(reports)
  return from === '' ? [] : correctionsBetween(database, studyInstanceUid, from, NO_END)
}

/**
 * The correction that an addendum follows: the last one made after the preceding reports were
 * signed.
 * @param earlier the report and the addenda that were signed before the addendum
 */
export function followedCorrection(
  database: Database,
  studyInstanceUid: string,
  earlier: readonly SignedPart[],
  signedAt: string,
): CorrectionInstant | null {
  const from = lastSignedAt(earlier)
  if (from === '') return null
  return correctionsBetween(database, studyInstanceUid, from, signedAt)[0] ?? null
}

const IN_PERIOD = 'at >= ? and at <= ? and undoes is null and (undoneAt is null or undoneAt > ?)'
// A union of two queries, so that each uses its index.
const SELECT_CORRECTIONS = `
  select correctionId, at, iif(toStudyInstanceUid = fromStudyInstanceUid, 'corrected', 'removed') as what
    from corrections where fromStudyInstanceUid = ? and ${IN_PERIOD}
  union select correctionId, at, 'added' from corrections
    where toStudyInstanceUid = ? and toStudyInstanceUid <> fromStudyInstanceUid and ${IN_PERIOD}
  order by at desc`

/**
 * Corrections within the period that removed images from the study, changed them, or added them,
 * and that were not undone by its end; newest first. A correction that undoes another is excluded,
 * because it restores the images that were read.
 */
function correctionsBetween(
  database: Database,
  studyInstanceUid: string,
  from: string,
  to: string,
): CorrectionInstant[] {
  const ofStudy = [studyInstanceUid, from, to, to]
  return database.all(rawQuery<CorrectionInstant>(SELECT_CORRECTIONS, [...ofStudy, ...ofStudy]))
}
