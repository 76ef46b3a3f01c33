import type { Sentence } from './catalogue.ts'

/** What the gateway says to people, in Spanish; `test/renderer/language/sentences.test.ts` knows that none is missing. */
export const SENTENCES: readonly Sentence[] = []
