import type { DimseResult } from '#server/dicom/dimse/status.ts'
import type { PartnerFault } from '#shared/contract/worklist.ts'
import { english } from '#shared/messages/english.ts'
import { type Message, message } from '#shared/messages/message.ts'

interface FaultLine {
  readonly status: number
  /** ErrorComment (0000,0902). */
  readonly comment: string
  /** After "because": why there is no list, for a person. */
  readonly because: Message
  /** Whether the partner was called at all. */
  readonly wasCalled: boolean
}

const UNREACHABLE = {
  status: 0xa700,
  comment: 'Worklist service unreachable, retry later',
} as const

/** What a failed call to the partner is to the console, and to a person. */
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
} as const satisfies Record<PartnerFault, FaultLine>

/** ErrorComment is LO: at most 64 characters. */
const MOST_COMMENT = 64

/** @param detail words of the partner, of which a refusal carries the beginning */
export function faultResult(
  fault: PartnerFault,
  callingAeTitle: string,
  detail: Message | null,
): DimseResult {
  const { status, comment } = FAULTS[fault]
  if (fault !== 'refused') return { status, errorComment: comment }
  const letters = (detail ? english(detail) : '').normalize('NFKD').replace(/[\u0300-\u036f]+/g, '')
  const words = letters
    .replace(/[^\x20-\x5b\x5d-\x7e]+/g, ' ')
    .trim()
    .slice(0, 30)
  return {
    status,
    errorComment: `${comment} ${callingAeTitle}${words && `: ${words}`}`
      .slice(0, MOST_COMMENT)
      .trim(),
  }
}

/**
 * What is recorded in the clear of a final: a refusal without the partner's words, which may name a
 * patient and are kept sealed.
 */
export function commentForRecord(
  { status, errorComment = '' }: DimseResult,
  callingAeTitle: string,
): string {
  return status === FAULTS.refused.status
    ? (faultResult('refused', callingAeTitle, null).errorComment ?? '')
    : errorComment
}

/**
 * The comment that was sent, made again of what is recorded. @param detail what the partner said,
 * as it was sealed
 */
export function commentOfRecord(
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
 * The partner's detail in brackets, where it is ours and not the partner's own text, which may name
 * a patient.
 */
export function becauseOf(fault: PartnerFault, detail: Message | null): Message {
  const { because } = FAULTS[fault]
  return detail && fault !== 'refused'
    ? message('worklist.because-of', { because, detail })
    : because
}
