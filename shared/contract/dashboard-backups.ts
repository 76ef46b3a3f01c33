import { z } from 'zod'
import { fault } from '../messages/issues.ts'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Outcome } from './conventions.ts'
import { FolderFinding } from './dashboard-setup.ts'

/** Why a backup was made. */
export const BACKUP_KINDS = ['by-hand', 'scheduled', 'before-update'] as const
export type BackupKind = (typeof BACKUP_KINDS)[number]

/**
 * A backup in the folder: a copy of the database, encrypted under a key that the data key or the
 * recovery key gives.
 */
export const BackupEntry = z.object({
  /** Of its folder. */
  name: z.string(),
  kind: z.enum(BACKUP_KINDS),
  madeAt: Instant,
  /** On the disk. */
  bytes: z.int(),
  /** Without one it opens with this PC's data key alone. */
  hasRecoveryKey: z.boolean(),
  /** Of the program that made it, and of its database. */
  version: z.string(),
  schema: z.int(),
  /** Until when it is kept, as the plan is now; null: until a person removes it. */
  keptUntil: Instant.nullable(),
})
export type BackupEntry = z.infer<typeof BackupEntry>

const Told = z.object({ success: z.boolean(), sentence: Message, at: Instant })

/** A trial of the newest backup: opened, counted, the audit trail followed, reports read. */
export const Rehearsal = Told.extend({ name: z.string(), tookMs: z.int() })
export type Rehearsal = z.infer<typeof Rehearsal>

/**
 * Where the folder for backups is, seen from the data. Two partitions of one disk count as two
 * disks.
 */
export const BACKUP_PLACES = ['same-disk', 'other-disk', 'network', 'synced'] as const
export type BackupPlace = (typeof BACKUP_PLACES)[number]

export const BackupsState = z.object({
  folder: z.string().nullable(),
  /** Null where there is no folder, or it cannot be looked at. */
  place: z.enum(BACKUP_PLACES).nullable(),
  /** Why the folder cannot be read; null where it can. */
  fault: Message.nullable(),
  /** What is being done now; `share` from 0 to 1. */
  running: z
    .object({
      phase: z.enum(['copying', 'checking', 'encrypting', 'comparing', 'rehearsing']),
      share: z.number(),
    })
    .nullable(),
  last: Told.nullable(),
  /** Of the plan; null where there is none. */
  nextAt: Instant.nullable(),
  plan: z.object({
    /** HH:MM of the clinic's day; null: not by itself. */
    dailyAt: z.string().nullable(),
    /** For a standby; null: daily alone. */
    everyMinutes: z.int().nullable(),
    keepDaily: z.int(),
    keepWeekly: z.int(),
    keepMonthly: z.int(),
  }),
  rehearsal: z.object({ last: Rehearsal.nullable(), dueAt: Instant.nullable() }),
  /**
   * What a copy elsewhere has, told by `standby note`: what was written after `recoveryPoint` is
   * lost with this PC.
   */
  standby: z
    .object({ copiedAt: Instant.nullable(), recoveryPoint: Instant.nullable(), to: z.string() })
    .nullable(),
  /** Newest first, at most 60. */
  backups: z.array(BackupEntry),
})
export type BackupsState = z.infer<typeof BackupsState>

/** What putting a backup back would change. */
export const RestorePreview = z.object({
  name: z.string(),
  madeAt: Instant,
  /** own: with the data key of this folder; recovery-key: that has to be typed; no: neither can. */
  opensWith: z.enum(['own', 'recovery-key', 'no']),
  /** Why it cannot be put back (a newer schema, a damaged file); null where it can. */
  fault: Message.nullable(),
  rows: z.array(
    z.object({
      table: z.string(),
      inBackup: z.int(),
      /** Null where the database of now cannot be read. */
      now: z.int().nullable(),
    }),
  ),
})
export type RestorePreview = z.infer<typeof RestorePreview>

/**
 * A restore is made ready beside the database, and takes its place when the gateway starts again.
 */
export const RestoreState = z.object({
  phase: z.enum(['none', 'decrypting', 'checking', 'ready', 'failed']),
  share: z.number(),
  sentence: Message.nullable(),
})
export type RestoreState = z.infer<typeof RestoreState>

const From = {
  /** On the PC of the gateway; without it the folder for backups. */
  folder: z.string().trim().min(1).max(1000).optional(),
  name: z.string().trim().min(1, fault('backups.must-be-name')).max(200),
}
const RecoveryKeyTyped = z.string().trim().max(200)

/** A page of what support needs, without secrets and patients. */
export const DiagnosticsFile = z.object({
  name: z.string(),
  bytes: z.int(),
  /** Its beginning, at most 20,000 characters. */
  text: z.string(),
  isCut: z.boolean(),
})
export type DiagnosticsFile = z.infer<typeof DiagnosticsFile>

/**
 * Backups, their trial and their return; what support is given. For owners and administrators, as
 * a backup holds all data.
 */
export const dashboardBackups = {
  state: operation('GET /dashboard/backups', {
    access: 'manage',
    background: true,
    summary: 'Backups: the plan, what is there, the last trial',
    reply: BackupsState,
  }),
  make: operation('POST /dashboard/backups', {
    access: 'manage',
    summary: 'Make a backup now; it goes on by itself',
    reply: BackupsState,
  }),
  remove: operation('DELETE /dashboard/backups/:name', {
    access: 'manage-confirmed',
    summary: 'Remove a backup from the folder',
    params: z.object({ name: From.name }),
    reply: BackupsState,
  }),
  rehearse: operation('POST /dashboard/backups/rehearsal', {
    access: 'manage',
    summary: 'Try the newest backup now: open it, count it, follow its audit trail, read reports',
    reply: BackupsState,
  }),
  previewRestore: operation('POST /dashboard/backups/restore/preview', {
    access: 'manage',
    summary: 'What putting a backup back would change; nothing is changed',
    body: z.object({ ...From, recoveryKey: RecoveryKeyTyped.optional() }),
    reply: RestorePreview,
  }),
  restore: operation('POST /dashboard/backups/restore', {
    // Not `manage-confirmed`: the body has the password, and the handler admits owners only.
    access: 'manage',
    summary:
      'Make a backup ready to take the place of the database; the gateway then starts again with it',
    body: z.object({
      ...From,
      recoveryKey: RecoveryKeyTyped.optional(),
      password: z.string().min(1, fault('users.must-be-own-password')).max(200),
    }),
    reply: RestoreState,
  }),
  restoreState: operation('GET /dashboard/backups/restore', {
    access: 'manage',
    background: true,
    summary: 'How far a restore is',
    reply: RestoreState,
  }),
  diagnostics: operation('GET /dashboard/backups/diagnostics', {
    access: 'manage',
    summary: 'What the bundle for support holds, to be read before it is saved',
    reply: z.object({ files: z.array(DiagnosticsFile) }),
  }),
} as const

/** What a gateway says that cannot open its data. */
export const RescueState = z.object({
  /** As StoreFault. */
  fault: z.string(),
  sentence: Message,
  version: z.string(),
  /** The data folder, and the one for backups where it is known. */
  folder: z.string(),
  backupFolder: z.string().nullable(),
  backups: z.array(BackupEntry),
  hasDataKey: z.boolean(),
  restore: RestoreState,
})
export type RescueState = z.infer<typeof RescueState>

/**
 * The page of a gateway that cannot open its data. Nobody can sign in there, so its calls are
 * public here; each carries the token of its link as `Authorization: Bearer`, which is checked
 * before.
 */
export const dashboardRescue = {
  state: operation('GET /dashboard/rescue', {
    access: 'public',
    summary: 'What is wrong, and which backups there are',
    reply: RescueState,
  }),
  look: operation('POST /dashboard/rescue/folder', {
    access: 'public',
    summary: 'Look for backups in a folder on the PC of the gateway',
    body: z.object({ folder: z.string().trim().min(1).max(1000) }),
    reply: z.object({ backups: z.array(BackupEntry), findings: z.array(FolderFinding) }),
  }),
  preview: operation('POST /dashboard/rescue/preview', {
    access: 'public',
    summary: 'What a backup holds',
    body: z.object({ ...From, recoveryKey: RecoveryKeyTyped.optional() }),
    reply: RestorePreview,
  }),
  restore: operation('POST /dashboard/rescue/restore', {
    access: 'public',
    summary:
      'Put a backup in the place of the damaged database, which is kept aside; the gateway then starts',
    body: z.object({ ...From, recoveryKey: RecoveryKeyTyped.optional() }),
    reply: RestoreState,
  }),
  recoverKey: operation('POST /dashboard/rescue/data-key', {
    access: 'public',
    summary: 'Put a lost data.key back with the recovery key; the gateway then starts',
    body: z.object({ recoveryKey: RecoveryKeyTyped }),
    reply: Outcome,
  }),
} as const
