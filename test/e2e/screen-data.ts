/** Words on the screens that are data in every language: what the clinic of `clinic.ts` and its partner wrote, and what DICOM and HTTP call things. */
export const DATA_WORDS: ReadonlySet<string> = new Set([])
export const SAME_IN_SPANISH: ReadonlySet<string> = new Set([])
export const IN_ENGLISH = /(?<![\p{L}.])(the|is|are|was|were|not|this|that|with|from|which|has|have|by|for|and|it|be)(?![\p{L}.])/iu
