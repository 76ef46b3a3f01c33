import { RequestorError } from '#server/dicom/scu/requestor.ts'

/**
 * What a fault of the network or of the other side says to a person, as part of a sentence;
 * undefined for a fault of ours.
 */
export const sentenceOf = (error: unknown): string | undefined =>
  error instanceof RequestorError ? error.message : undefined

/**
 * The part as a sentence of its own; nothing stays nothing. One that begins with a name, such as an
 * AE title, keeps its case.
 */
export function sentenceCase(part: string): string {
  const end = part === '' || /[.!?]$/.test(part) ? '' : '.'
  return (
    part.replace(
      /^(a|it|its|no|nothing|the|cancelled) /,
      (word) => word.charAt(0).toUpperCase() + word.slice(1),
    ) + end
  )
}
