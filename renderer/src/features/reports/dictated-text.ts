/**
 * A dictated text as it is put between what stands before and behind the cursor: with spaces where
 * words would meet.
 */
export function spaced(before: string, text: string, after: string): string {
  const needsSpaceBefore = /[^\s([{"'«„“]$/u.test(before) && !/^[.,;:!?)\]}]/u.test(text)
  const needsSpaceAfter = /^[\p{L}\p{N}]/u.test(after)
  return `${needsSpaceBefore ? ' ' : ''}${text}${needsSpaceAfter ? ' ' : ''}`
}
