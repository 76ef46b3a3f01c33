/**
 * A dictated text as it is put between what stands before and behind the cursor: with spaces where
 * words would meet, and without its full stop where another sign follows.
 */
export function withSpacing(before: string, text: string, after: string): string {
  const needsSpaceBefore = /[^\s([{"'«„“]$/u.test(before) && !/^[.,;:!?)\]}]/u.test(text)
  const needsSpaceAfter = /^[\p{L}\p{N}]/u.test(after)
  const inserted = /^[.,;:!?]/.test(after) ? text.replace(/\.$/, '') : text
  return `${needsSpaceBefore ? ' ' : ''}${inserted}${needsSpaceAfter ? ' ' : ''}`
}
