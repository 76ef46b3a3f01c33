import { categoryOf, type DimseStatus } from '#server/dicom/dimse/status.ts'
import { RequestorError } from '#server/dicom/scu/requestor.ts'
import { type Message, type MessageCode, message } from '#shared/messages/message.ts'

/**
 * The meaning of a C-STORE response for the instance. sent: stored. refused: retrying is pointless.
 * later: retry. pausing: the destination currently accepts no instances at all.
 */
export interface Verdict {
  readonly kind: 'sent' | 'refused' | 'later' | 'pausing'
  /** The reason as part of a sentence; null for success. */
  readonly reason: Message | null
}

type Rule = readonly [
  from: DimseStatus,
  to: DimseStatus,
  kind: Verdict['kind'],
  reason: MessageCode,
]

// Any other status may be temporary, so the instance is retried.
const RULES: readonly Rule[] = [
  [0xa700, 0xa7ff, 'pausing', 'forwarding.no-room'],
  [0xa900, 0xa9ff, 'refused', 'forwarding.another-kind'],
  [0xc000, 0xcfff, 'refused', 'forwarding.cannot-read'],
  [0x0111, 0x0111, 'refused', 'forwarding.duplicate'],
  [0x0117, 0x0117, 'refused', 'forwarding.identifier-invalid'],
  [0x0122, 0x0122, 'refused', 'forwarding.kind-not-taken-status'],
  [0x0124, 0x0124, 'pausing', 'forwarding.not-allowed'],
  [0x0213, 0x0213, 'pausing', 'forwarding.overloaded'],
  [0x0110, 0x0110, 'later', 'forwarding.not-processed'],
]
const DEFAULT_RULE: Rule = [0x0000, 0xffff, 'later', 'forwarding.not-stored']

/** Interprets the Status (0000,0900) of a C-STORE response. */
export function verdictOf(status: DimseStatus): Verdict {
  const category = categoryOf(status)
  if (category === 'success') return { kind: 'sent', reason: null }
  if (category === 'warning')
    return {
      kind: 'sent',
      reason: message('forwarding.stored-with-warning', { status: statusText(status) }),
    }
  const [, , kind, reason] =
    RULES.find(([from, to]) => status >= from && status <= to) ?? DEFAULT_RULE
  return { kind, reason: message(reason, { status: statusText(status) }) }
}

/** Formats a status as four hexadecimal digits. */
export const statusText = (status: DimseStatus): string =>
  status.toString(16).toUpperCase().padStart(4, '0')

/**
 * Describes a fault of the network or the peer as part of a sentence; `undefined` for an internal
 * error.
 */
export const networkFault = (error: unknown): Message | undefined =>
  error instanceof RequestorError ? error.explanation : undefined
