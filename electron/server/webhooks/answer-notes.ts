import type { AnswerNote } from '#shared/contract/events.ts'

/** More notes than these tell nobody more, and an answer may have a million values. */
const MOST_NOTES = 100

/** Collects what is left out of an answer. */
export interface NoteTaker {
  /**
   * `sentence`: the value's fault and what became of it, without the value, which may be about a
   * patient.
   */
  note(path: string, sentence: string): void
  /** The first hundred, and then how many more there are. */
  readonly notes: readonly AnswerNote[]
}

export function noteTaker(): NoteTaker {
  const kept: AnswerNote[] = []
  let more = 0
  return {
    note(path, sentence) {
      if (kept.length < MOST_NOTES) kept.push({ path, sentence })
      else more++
    },
    get notes() {
      return more === 0
        ? kept
        : [...kept, { path: '', sentence: `There are ${more} more of this kind.` }]
    },
  }
}

export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
