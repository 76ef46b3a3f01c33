import type { InspectionRecord } from '#server/modules/worklist/inspection-queries.ts'
import { verbatim } from '#shared/messages/message.ts'

/**
 * A query of CT1 that was answered with one row, received at the instant, with other values where
 * they are given.
 */
export const inspectionRecord = (
  at: string,
  more: Partial<InspectionRecord> = {},
): InspectionRecord => ({
  at,
  origin: 'device',
  deviceName: 'CT 1',
  callingAeTitle: 'CT1',
  calledAeTitle: 'ISTHMUS',
  remoteAddress: '10.0.3.7',
  source: 'live',
  status: '0000',
  errorComment: '',
  fault: null,
  sent: 1,
  filtered: 2,
  withheld: 0,
  tookMs: 412.5,
  partnerMs: 400,
  sentence: verbatim("CT1 asked for today's CT list; 1 sent."),
  transferSyntax: '1.2.840.10008.1.2.1',
  detail: Buffer.from('detail'),
  answerHash: null,
  verdictHash: null,
  ...more,
})
