import type { Context } from '#server/context.ts'
import type { CorrectionInstant } from './correction-notice-queries.ts'

type Notices = Pick<Context, 'correctionNotices'>
/** Later than every instant. */
const NO_END = '9999-12-31T23:59:59.999Z'

interface Signed {
  readonly signedAt: string | null
}

const lastOf = (reports: readonly Signed[]): string =>
  reports.reduce(
    (last, { signedAt }) => (signedAt !== null && signedAt > last ? signedAt : last),
    '',
  )

/** What corrections did to the images since the reports were signed, the newest first. */
export function changesSinceSigned(
  { correctionNotices }: Notices,
  studyInstanceUid: string,
  reports: readonly Signed[],
): CorrectionInstant[] {
  const from = lastOf(reports)
  return from === '' ? [] : correctionNotices.correctionsIn(studyInstanceUid, { from, to: NO_END })
}

/**
 * The correction that an addendum follows: made after the reports before it were signed.
 * @param earlier the report and the addenda that were signed before
 */
export function followedCorrection(
  { correctionNotices }: Notices,
  studyInstanceUid: string,
  { earlier, signedAt }: { readonly earlier: readonly Signed[]; readonly signedAt: string },
): CorrectionInstant | null {
  const from = lastOf(earlier)
  if (from === '') return null
  return correctionNotices.correctionIn(studyInstanceUid, { from, to: signedAt }) ?? null
}
