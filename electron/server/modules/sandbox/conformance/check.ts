import type { EventType } from '#shared/contract/webhooks.ts'
import type { TestAnswer } from './exchange.ts'
import type { Stage } from './stage.ts'

export const GROUPS = {
  signature: 'Signature',
  answers: 'Answers',
  timing: 'Timing',
  malformed: 'Malformed and unknown requests',
  repeats: 'Repeats and contradictory order',
} as const
export type CheckGroup = keyof typeof GROUPS

/** The outcome of a check. */
export interface Finding {
  /** Of the points of the check. */
  readonly earned: number
  /** What was sent, without secrets. */
  readonly sent: string
  /** What was answered. */
  readonly answered: string
  /** What to change at the partner, or a remark about what was earned in full. */
  readonly remedy: string | undefined
}

export interface Check {
  /** Stable, such as `signature.forged`. */
  readonly id: string
  readonly group: CheckGroup
  /** What a good partner does, as a sentence. */
  readonly title: string
  /** Where that is written. */
  readonly clause: string
  readonly points: number
  /** The events that the partner must receive for the check to apply. */
  readonly needs: readonly EventType[]
  readonly run: (stage: Stage) => Promise<Finding>
}

const SHOWN_CHARACTERS = 200

/** An answer in one line. */
export function answerText({ status, body, fault, tookMs }: TestAnswer): string {
  if (status === undefined) return fault ?? 'nothing'
  const text = body
    .toString()
    .replace(/[^\x20-\x7e\u00a0-\uffff]+/g, ' ')
    .trim()
  const shown = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)} …` : text
  return [status, shown, `(${Math.round(tookMs)} ms${fault === undefined ? '' : `, ${fault}`})`]
    .filter((part) => part !== '')
    .join(' ')
}

export const isSuccess = ({ status, fault }: TestAnswer): boolean =>
  fault === undefined && status !== undefined && status >= 200 && status < 300

/** Whether the request was refused on purpose: an internal error is no refusal. */
export const isRefusal = ({ status, fault }: TestAnswer): boolean =>
  fault === undefined && status !== undefined && status >= 400 && status < 500
