import type { DimseStatus } from '#server/dicom/dimse/status.ts'
import { PARTNER_FAULTS } from '#shared/contract/worklist.ts'

// Every label is a word of these tables: what a caller or a partner says of itself never becomes
// one, so that nobody can make new series.

/** Why an association was rejected (PS3.8 Table 9-21), by source and reason. */
const REJECTIONS: Readonly<Record<string, string>> = {
  '1.1': 'not-said',
  '1.2': 'application-context',
  '1.3': 'calling-ae-title',
  '1.7': 'called-ae-title',
  '2.2': 'protocol-version',
  '3.1': 'congestion',
  '3.2': 'limit',
}
export const REJECTION_WORDS = [...new Set([...Object.values(REJECTIONS), 'other'])]
export const rejectionWord = ({
  source,
  reason,
}: {
  readonly source: number
  readonly reason: number
}): string => REJECTIONS[`${source}.${reason}`] ?? 'other'

/**
 * How a request of a device ended, by the ranges of PS3.4 Tables B.2-1, C.4-1 and K.4-2; the first
 * that takes the status.
 */
const STATUSES: readonly (readonly [word: string, takes: (status: DimseStatus) => boolean])[] = [
  ['success', (status) => status === 0x0000],
  ['cancelled', (status) => status === 0xfe00],
  ['warning', (status) => status >> 12 === 0xb],
  ['out-of-resources', (status) => status >> 8 === 0xa7],
  ['does-not-match', (status) => status >> 8 === 0xa9],
  ['not-authorized', (status) => status === 0xc001],
  ['invalid-answer', (status) => status === 0xc002],
  ['internal-error', (status) => status === 0xc003 || status === 0x0110],
  ['cannot-process', (status) => status >> 12 === 0xc],
]
export const STATUS_WORDS = [...STATUSES.map(([word]) => word), 'other']
export const statusWord = (status: DimseStatus): string =>
  STATUSES.find(([, takes]) => takes(status))?.[0] ?? 'other'

/** How a call of the partner ended. */
export const CALL_WORDS = ['accepted', ...PARTNER_FAULTS] as const

/** What leaves the gateway by the outbox. */
export const OUTBOX_KINDS = [
  'report.delivered',
  'report.archive',
  'invitation.mail',
  'escalation.mail',
  'capture.upload',
] as const
