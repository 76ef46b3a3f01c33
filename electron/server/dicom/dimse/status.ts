import { type Message, verbatim } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'

/** A final DIMSE status with the optional fields of PS3.7 C.4. */
export interface DimseResult {
  readonly status: DimseStatus
  /** ErrorComment (0000,0902), LO: ASCII, at most 64 characters, without patient data. */
  readonly errorComment?: string
  /** OffendingElement (0000,0901): tags. */
  readonly offendingElements?: readonly number[]
  /** ErrorID (0000,0903), such as A710 of PS3.4 Table F.7.2-2. */
  readonly errorId?: number
}

/** Status (0000,0900) of a response: a 16-bit number (PS3.7 Annex C). */
export type DimseStatus = number

export type StatusCategory = 'success' | 'pending' | 'cancel' | 'warning' | 'failure'

const STATUS_ROWS: readonly (readonly [DimseStatus, StatusCategory, meaning: string])[] = [
  // PS3.7 Annex C
  [0x0000, 'success', 'Success'],
  [0x0105, 'failure', 'No such attribute'],
  [0x0106, 'failure', 'Invalid attribute value'],
  [0x0110, 'failure', 'Processing failure'],
  [0x0111, 'failure', 'Duplicate SOP Instance'],
  [0x0112, 'failure', 'No such SOP Instance'],
  [0x0115, 'failure', 'Invalid argument value'],
  [0x0117, 'failure', 'Invalid SOP Instance'],
  [0x0119, 'failure', 'Class-instance conflict'],
  [0x0120, 'failure', 'Missing attribute'],
  [0x0121, 'failure', 'Missing attribute value'],
  [0x0122, 'failure', 'SOP Class not supported'],
  [0x0123, 'failure', 'No such action'],
  [0x0124, 'failure', 'Not authorized'],
  [0x0210, 'failure', 'Duplicate invocation'],
  [0x0211, 'failure', 'Unrecognized operation'],
  [0x0212, 'failure', 'Mistyped argument'],
  [0x0213, 'failure', 'Resource limitation'],
  // PS3.3 C.14.1.1: storage commitment
  [0x0131, 'failure', 'Duplicate transaction UID'],
  // PS3.4 Tables B.2-1, C.4-2 and K.4-1
  [0xa700, 'failure', 'Refused: Out of resources'],
  [0xa701, 'failure', 'Refused: Out of resources, unable to calculate number of matches'],
  [0xa702, 'failure', 'Refused: Out of resources, unable to perform sub-operations'],
  [0xa801, 'failure', 'Refused: Move Destination unknown'],
  [0xa900, 'failure', 'Error: Data Set or Identifier does not match SOP Class'],
  [0xb000, 'warning', 'Coercion of Data Elements'],
  [0xb006, 'warning', 'Elements discarded'],
  [0xb007, 'warning', 'Data Set does not match SOP Class'],
  [0xc000, 'failure', 'Error: Cannot understand'],
  [0xc001, 'failure', 'Failed: Unable to process (not authorised by the partner)'],
  [0xc002, 'failure', 'Failed: Unable to process (invalid answer of the partner)'],
  [0xc003, 'failure', 'Failed: Unable to process (internal error of the gateway)'],
  [0xfe00, 'cancel', 'Matching terminated due to Cancel request'],
  [0xff00, 'pending', 'Matches are continuing'],
  [0xff01, 'pending', 'Matches are continuing; optional keys not supported'],
]

/** The statuses that the gateway sends, with their meanings in the standard. */
export const STATUS: Readonly<
  Record<DimseStatus, { readonly category: StatusCategory; readonly meaning: string }>
> = Object.fromEntries(
  STATUS_ROWS.map(([code, category, meaning]) => [code, { category, meaning }]),
)

/** Category of any status, by the code ranges of PS3.7 Annex C. */
export function categoryOf(status: DimseStatus): StatusCategory {
  if (status === 0x0000) return 'success'
  if (status === 0xfe00) return 'cancel'
  if (status === 0xff00 || status === 0xff01) return 'pending'
  if (status === 0x0001 || status === 0x0107 || status === 0x0116 || status >> 12 === 0xb)
    return 'warning'
  return 'failure'
}

/**
 * Thrown by a service to answer with a specific status. The comment is sent to the peer in English:
 * ASCII, at most 64 characters, without patient data.
 */
export class DimseError extends MessageError {
  override name = 'DimseError'
  readonly result: DimseResult
  constructor(status: DimseStatus, comment?: Message, offendingElements?: readonly number[]) {
    super(comment ?? verbatim(`status ${status.toString(16).padStart(4, '0')}`))
    this.result = {
      status,
      ...(comment !== undefined && { errorComment: this.message }),
      ...(offendingElements && { offendingElements }),
    }
  }
}
