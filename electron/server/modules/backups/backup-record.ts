import { z } from 'zod'
import { deleteSecret, readSecret, storeSecret } from '#server/configuration/secret-queries.ts'
import type { Context } from '#server/context.ts'
import { Rehearsal } from '#shared/contract/dashboard-backups.ts'
import { MessageInJson } from '#shared/messages/message-schema.ts'

/**
 * What is known about the backups in a folder without reading it, since its disk may be
 * disconnected.
 */
const BackupRecord = z.object({
  folder: z.string(),
  /** The newest backup; `null` if there is none. */
  name: z.string().nullable(),
  madeAt: z.string().nullable(),
  /** When the first backup was made. The first restore test is due relative to it. */
  since: z.string().nullable(),
  last: z.object({ success: z.boolean(), sentence: MessageInJson, at: z.string() }).nullable(),
})
export type BackupRecord = z.infer<typeof BackupRecord>

/**
 * The latest standby copy. If this PC is lost, everything written after `recoveryPoint` is lost.
 */
const StandbyRecord = z.object({
  to: z.string(),
  name: z.string(),
  copiedAt: z.string(),
  recoveryPoint: z.string(),
})
export type StandbyRecord = z.infer<typeof StandbyRecord>

// Each record is one encrypted row, which survives restarts: the result of the last backup, of the
// last restore test and of the last standby copy.
const RECORD_SCHEMAS = {
  backup: BackupRecord,
  rehearsal: Rehearsal.extend({ sentence: MessageInJson }),
  standby: StandbyRecord,
} as const
type RecordKind = keyof typeof RECORD_SCHEMAS
type RecordOf<K extends RecordKind> = z.infer<(typeof RECORD_SCHEMAS)[K]>

/** The stored record; `undefined` if there is none or it is invalid. */
export function readRecord<K extends RecordKind>(
  context: Context,
  kind: K,
): RecordOf<K> | undefined {
  try {
    const stored: unknown = JSON.parse(readSecret(context, secretNameOf(kind)) ?? 'null')
    return RECORD_SCHEMAS[kind].safeParse(stored).data as RecordOf<K> | undefined
  } catch {
    // The next backup, test or copy overwrites it.
    return undefined
  }
}

export const saveRecord = <K extends RecordKind>(
  context: Context,
  kind: K,
  record: RecordOf<K>,
): void => storeSecret(context, secretNameOf(kind), JSON.stringify(record))

/** Deletes the record; returns whether it existed. */
export const removeRecord = (context: Context, kind: RecordKind): boolean =>
  deleteSecret(context, secretNameOf(kind))

const secretNameOf = (kind: RecordKind) => `upkeep.${kind}`
