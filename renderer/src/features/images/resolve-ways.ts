import type { CorrectionKind } from '#shared/contract/corrections.ts'

/** What may be wrong with the identity of images, the most frequent first. */
export const RESOLVABLE_KINDS: readonly CorrectionKind[] = ['reassign', 'split', 'correct', 'merge']
