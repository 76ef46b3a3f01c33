import { WebhookError } from '#server/webhooks/webhook-error.ts'
import type { ViewFault } from '#shared/contract/viewing.ts'

/** Faults of the same words that are told one by one. */
const MOST_ALIKE = 20

export interface NewFault {
  readonly level: ViewFault['level']
  readonly what: string
  readonly sentence: string
  readonly studyInstanceUid?: string | null | undefined
  readonly sopInstanceUid?: string | null | undefined
}

/**
 * What is wrong in a view: the same is told once, and of many images with the same fault the first
 * ones and how many more there are.
 */
export interface FaultList {
  add(fault: NewFault): void
  /**
   * What was said of this by these words is so no more: for whoever asks for the list from now on.
   */
  drop(what: string): void
}

interface Log {
  put(key: string, fault: ViewFault): void
  remove(key: string): void
}

const COUNTS = new Intl.NumberFormat('en')
/** A number as people read it: 100,000. */
export const countText = (number: number): string => COUNTS.format(number)

export function faultList(log: Log): FaultList {
  const alike = new Map<string, number>()
  const keysOf = new Map<string, Set<string>>()

  return {
    add({ studyInstanceUid = null, sopInstanceUid = null, ...fault }) {
      const key = JSON.stringify([fault.what, fault.sentence, studyInstanceUid, sopInstanceUid])
      const keys = keysOf.get(fault.what) ?? new Set()
      if (keys.has(key)) return
      const kind = JSON.stringify([fault.level, fault.sentence, studyInstanceUid])
      keysOf.set(fault.what, keys.add(key))
      const count = (alike.get(kind) ?? 0) + 1
      alike.set(kind, count)
      if (count > MOST_ALIKE) {
        const more = count - MOST_ALIKE
        log.put(kind, {
          ...fault,
          what: `${countText(more)} more ${more === 1 ? 'image' : 'images'}`,
          studyInstanceUid,
          sopInstanceUid: null,
        })
        return
      }
      log.put(key, { ...fault, studyInstanceUid, sopInstanceUid })
    },
    drop(what) {
      for (const key of keysOf.get(what) ?? []) log.remove(key)
      keysOf.delete(what)
    },
  }
}

/** The clause of an error of the way out, as a sentence. */
export function sentenceOf(error: WebhookError): string {
  if (error.fault === 'refused') return `The partner refused: ${error.detail.replace(/\.$/, '')}.`
  return `The partner gave no answer that can be used: ${error.detail}.`
}

const ENDED = new Set([401, 403, 404, 410])

/** Every object store says so that a link is over. */
export const isEnded = (error: unknown) =>
  error instanceof WebhookError && error.fault === 'status' && ENDED.has(error.httpStatus ?? 0)

/** The same may go well a moment later. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof WebhookError)) return false
  if (error.fault === 'unreachable' || error.fault === 'timeout') return true
  const status = error.httpStatus ?? 0
  return error.fault === 'status' && (status >= 500 || status === 429 || status === 408)
}
