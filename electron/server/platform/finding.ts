import type { Verdict } from '#shared/contract/dashboard-setup.ts'
import type { Message } from '#shared/messages/message.ts'

/** The state of something in one sentence; `remedy` is null if nothing needs to be done. */
export interface Finding {
  readonly verdict: Verdict
  readonly sentence: Message
  readonly remedy: Message | null
}

export const ok = (sentence: Message): Finding => ({ verdict: 'ok', sentence, remedy: null })
export const warn = (sentence: Message, remedy: Message): Finding => ({
  verdict: 'warn',
  sentence,
  remedy,
})
export const bad = (sentence: Message, remedy: Message): Finding => ({
  verdict: 'bad',
  sentence,
  remedy,
})
