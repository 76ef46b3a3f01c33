import { z } from 'zod'
import { deleteSecret, readSecret, storeSecret } from '#server/configuration/secret-queries.ts'
import type { Context } from '#server/context.ts'
import { Rehearsal } from '#shared/contract/dashboard-backups.ts'
import { MessageInJson } from '#shared/messages/message-schema.ts'

/** What is known of the backups in one folder, without looking there: a disk may be away. */
const BackupRecord = z.object({
  folder: z.string(),
  /** The newest that was made; null where none was. */
  name: z.string().nullable(),
  madeAt: z.string().nullable(),
  /** When the first was made: since then a restore test is due. */
  since: z.string().nullable(),
  last: z.object({ success: z.boolean(), sentence: MessageInJson, at: z.string() }).nullable(),
})
export type BackupRecord = z.infer<typeof BackupRecord>

/** What a copy elsewhere has: what was written after `recoveryPoint` is lost with this PC. */
const StandbyRecord = z.object({
  to: z.string(),
  name: z.string(),
  copiedAt: z.string(),
  recoveryPoint: z.string(),
})
export type StandbyRecord = z.infer<typeof StandbyRecord>

// A row each, encrypted, which survives restarts: what came of the last backup, the last restore
// test and the last copy elsewhere.
const FORMS = {
  backup: BackupRecord,
  rehearsal: Rehearsal.extend({ sentence: MessageInJson }),
  standby: StandbyRecord,
} as const
type Kind = keyof typeof FORMS
type RecordOf<K extends Kind> = z.infer<(typeof FORMS)[K]>

/** Undefined where there is none, or none that can be read. */
export function readRecord<K extends Kind>(context: Context, kind: K): RecordOf<K> | undefined {
  try {
    const stored: unknown = JSON.parse(readSecret(context, nameOf(kind)) ?? 'null')
    return FORMS[kind].safeParse(stored).data as RecordOf<K> | undefined
  } catch {
    // The next backup, test or copy writes it again.
    return undefined
  }
}

export const keepRecord = <K extends Kind>(context: Context, kind: K, record: RecordOf<K>): void =>
  storeSecret(context, nameOf(kind), JSON.stringify(record))

/** Whether there was one. */
export const removeRecord = (context: Context, kind: Kind): boolean =>
  deleteSecret(context, nameOf(kind))

const nameOf = (kind: Kind) => `upkeep.${kind}`
