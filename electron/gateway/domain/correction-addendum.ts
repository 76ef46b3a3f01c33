import type { CorrectionInstant } from '#gateway/store/correction-notices.ts'
import type { Store } from '#gateway/store/store.ts'

type Notices = Pick<Store, 'correctionNotices'>
interface Signed {
  readonly signedAt: string | null
}

const lastOf = (reports: readonly Signed[]): string =>
  reports.reduce((last, { signedAt }) => (signedAt !== null && signedAt > last ? signedAt : last), '')

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
