import type { DimseStatus } from '#server/dicom/dimse/status.ts'
import { MAIL_KINDS } from '#shared/contract/mail.ts'
import { PARTNER_FAULTS } from '#shared/contract/worklist.ts'

// Labels are taken only from these tables, never from what a caller or a partner sends, so that no
// one can create arbitrary series.

/** Reasons of association rejections (PS3.8 Table 9-21), by source and reason. */
const REJECTIONS: Readonly<Record<string, string>> = {
  '1.1': 'not-said',
  '1.2': 'application-context',
  '1.3': 'calling-ae-title',
  '1.7': 'called-ae-title',
  '2.2': 'protocol-version',
  '3.1': 'congestion',
  '3.2': 'limit',
}
export const REJECTION_LABELS = [...new Set([...Object.values(REJECTIONS), 'other'])]
export const rejectionLabel = ({
  source,
  reason,
}: {
  readonly source: number
  readonly reason: number
}): string => REJECTIONS[`${source}.${reason}`] ?? 'other'

/**
 * Outcomes of DIMSE requests by status range (PS3.4 Tables B.2-1, C.4-1 and K.4-2). The first match
 * applies.
 */
const STATUS_RULES: readonly (readonly [word: string, takes: (status: DimseStatus) => boolean])[] =
  [
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
export const STATUS_LABELS = [...STATUS_RULES.map(([word]) => word), 'other']
export const statusLabel = (status: DimseStatus): string =>
  STATUS_RULES.find(([, takes]) => takes(status))?.[0] ?? 'other'

/** Outcomes of calls of partners. */
export const CALL_LABELS = ['accepted', ...PARTNER_FAULTS] as const

/** Kinds of jobs that send something out of the gateway. */
export const OUTBOX_KINDS = [
  'report.delivered',
  'report.archive',
  ...MAIL_KINDS,
  'capture.upload',
] as const
