import { z } from 'zod'
import { fault } from './messages/issues.ts'

/**
 * Kinds of identifiers in the interface. An identifier is a prefix, an underscore and a UUID v4
 * without dashes.
 */
const ID_KINDS = ['cus', 'usr', 'stu', 'rep', 'inv', 'whe', 'org'] as const
export type IdKind = (typeof ID_KINDS)[number]

function idOf<K extends IdKind>(kind: K) {
  const form = new RegExp(`^${kind}_[0-9a-f]{32}$`)
  return z
    .string()
    .refine((id) => form.test(id), { error: fault('values.id'), params: { kind } })
    .meta({ pattern: form.source })
    .brand<K>()
}

export const ExpressCustomerId = idOf('cus')
export type ExpressCustomerId = z.infer<typeof ExpressCustomerId>
export const UserId = idOf('usr')
export type UserId = z.infer<typeof UserId>
export const StudyId = idOf('stu')
export type StudyId = z.infer<typeof StudyId>
export const ReportId = idOf('rep')
export type ReportId = z.infer<typeof ReportId>
export const InvitationId = idOf('inv')
export type InvitationId = z.infer<typeof InvitationId>
export const WebhookEventId = idOf('whe')
export type WebhookEventId = z.infer<typeof WebhookEventId>
export const OrganizationId = idOf('org')
export type OrganizationId = z.infer<typeof OrganizationId>

/** Formats a UUID v4 as an identifier of the interface; `uuidOf` is the inverse. */
export const idFromUuid = <K extends IdKind>(kind: K, uuid: string) =>
  `${kind}_${uuid.replaceAll('-', '').toLowerCase()}` as string & z.core.$brand<K>

/**
 * The UUID of an identifier, with dashes; clinical_context.enrichment_requested contains a study ID
 * in this form.
 */
export function uuidOf(id: string): string {
  const hex = id.slice(id.indexOf('_') + 1)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Converts a UUID to a UID (PS3.5 B.2). */
export const uidOfUuid = (uuid: string): string => `2.25.${BigInt(`0x${uuid.replaceAll('-', '')}`)}`
