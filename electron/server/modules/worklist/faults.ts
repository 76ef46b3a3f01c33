import type { DimseResult } from '#server/dicom/dimse/status.ts'
import type { PartnerFault } from '#shared/contract/worklist.ts'
import { englishText } from '#shared/messages/english.ts'
import { type Message, message } from '#shared/messages/message.ts'

interface FaultMapping {
  readonly status: number
  /** ErrorComment (0000,0902). */
  readonly comment: string
  /** Completes a sentence after "because": why there is no list. */
  readonly because: Message
  /** Whether a request was sent to the partner. */
  readonly wasCalled: boolean
}

const UNREACHABLE = {
  status: 0xa700,
  comment: 'Worklist service unreachable, retry later',
} as const

/** The DIMSE status and the user-facing message for each failure of a request to the partner. */
export const FAULTS = {
  'no-endpoint': {
    status: 0xa700,
    comment: 'Worklist service not set up',
    because: message('worklist.no-partner'),
    wasCalled: false,
  },
  unreachable: {
    ...UNREACHABLE,
    because: message('worklist.partner-unreachable'),
    wasCalled: true,
  },
  timeout: { ...UNREACHABLE, because: message('worklist.partner-slow'), wasCalled: true },
  status: { ...UNREACHABLE, because: message('worklist.partner-error'), wasCalled: true },
  oversize: { ...UNREACHABLE, because: message('worklist.answer-too-large'), wasCalled: true },
  'circuit-open': {
    ...UNREACHABLE,
    because: message('worklist.partner-failing'),
    wasCalled: false,
  },
  'forbidden-address': {
    ...UNREACHABLE,
    because: message('worklist.address-not-allowed'),
    wasCalled: false,
  },
  invalid: {
    status: 0xc002,
    comment: 'Worklist answer invalid',
    because: message('worklist.answer-no-worklist'),
    wasCalled: true,
  },
  refused: {
    status: 0xc001,
    comment: 'Worklist not authorised for AE',
    because: message('worklist.partner-refused'),
    wasCalled: true,
  },
} as const satisfies Record<PartnerFault, FaultMapping>

/** ErrorComment (0000,0902) is an LO: at most 64 characters. */
const MAX_COMMENT_LENGTH = 64

/**
 * The C-FIND result for a failed request to the partner.
 * @param detail the partner's text; a refusal includes its first 30 characters
 */
export function faultResult(
  fault: PartnerFault,
  callingAeTitle: string,
  detail: Message | null,
): DimseResult {
  const { status, comment } = FAULTS[fault]
  if (fault !== 'refused') return { status, errorComment: comment }
  const letters = (detail ? englishText(detail) : '')
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
  const words = letters
    .replace(/[^\x20-\x5b\x5d-\x7e]+/g, ' ')
    .trim()
    .slice(0, 30)
  return {
    status,
    errorComment: `${comment} ${callingAeTitle}${words && `: ${words}`}`
      .slice(0, MAX_COMMENT_LENGTH)
      .trim(),
  }
}

/**
 * The error comment to record unencrypted. The partner's text of a refusal is left out, because it
 * may contain patient data; it is stored encrypted.
 */
export function redactedComment(
  { status, errorComment = '' }: DimseResult,
  callingAeTitle: string,
): string {
  return status === FAULTS.refused.status
    ? (faultResult('refused', callingAeTitle, null).errorComment ?? '')
    : errorComment
}

/**
 * Reconstructs the error comment that was sent from what is recorded.
 * @param detail the partner's text, decrypted
 */
export function fullComment(
  {
    status,
    callingAeTitle,
    errorComment,
  }: { readonly status: string; readonly callingAeTitle: string; readonly errorComment: string },
  detail: Message | null,
): string {
  const isRefused = Number.parseInt(status, 16) === FAULTS.refused.status
  return isRefused
    ? (faultResult('refused', callingAeTitle, detail).errorComment ?? '')
    : errorComment
}

/**
 * Why there is no list, with the detail of the failure. The partner's own text is left out, because
 * it may contain patient data.
 */
export function faultExplanation(fault: PartnerFault, detail: Message | null): Message {
  const { because } = FAULTS[fault]
  return detail && fault !== 'refused'
    ? message('worklist.because-of', { because, detail })
    : because
}
