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
 * A backup in the folder: a copy of the database, encrypted under a key that can be derived from
 * the data key or the recovery key.
 */
export const BackupEntry = z.object({
  /** Name of its folder. */
  name: z.string(),
  kind: z.enum(BACKUP_KINDS),
  madeAt: Instant,
  /** Size on disk. */
  bytes: z.int(),
  /** Without a recovery key, it can be opened only with the data key of this PC. */
  hasRecoveryKey: z.boolean(),
  /** Version of the program that created it, and of the database schema. */
  version: z.string(),
  schema: z.int(),
  /** Until when it is kept under the current plan; null if it is kept until a user deletes it. */
  keptUntil: Instant.nullable(),
})
export type BackupEntry = z.infer<typeof BackupEntry>

const OutcomeWithTime = z.object({ success: z.boolean(), sentence: Message, at: Instant })

/**
 * A restore test of the newest backup: it is opened, rows are counted, the audit chain is verified,
 * and reports are read.
 */
export const Rehearsal = OutcomeWithTime.extend({ name: z.string(), tookMs: z.int() })
export type Rehearsal = z.infer<typeof Rehearsal>

/**
 * Location of the backup folder relative to the data folder. Two partitions of one disk count as
 * two disks.
 */
export const BACKUP_PLACES = ['same-disk', 'other-disk', 'network', 'synced'] as const
export type BackupPlace = (typeof BACKUP_PLACES)[number]

export const BackupsState = z.object({
  folder: z.string().nullable(),
  /** Null if there is no folder, or it cannot be examined. */
  place: z.enum(BACKUP_PLACES).nullable(),
  /** Why the folder cannot be read; null if it can. */
  fault: Message.nullable(),
  /** The operation in progress; `share` from 0 to 1. */
  running: z
    .object({
      phase: z.enum(['copying', 'checking', 'encrypting', 'comparing', 'rehearsing']),
      share: z.number(),
    })
    .nullable(),
  last: OutcomeWithTime.nullable(),
  /** The next backup of the plan; null if there is no plan. */
  nextAt: Instant.nullable(),
  plan: z.object({
    /** HH:MM in the clinic's time zone; null to disable scheduled backups. */
    dailyAt: z.string().nullable(),
    /** Interval for a standby; null for daily backups only. */
    everyMinutes: z.int().nullable(),
    /** Whether every change is copied to the backup folder within seconds. */
    isContinuous: z.boolean(),
    keepDaily: z.int(),
    keepWeekly: z.int(),
    keepMonthly: z.int(),
  }),
  rehearsal: z.object({ last: Rehearsal.nullable(), dueAt: Instant.nullable() }),
  /**
   * The state of a copy on another PC, reported by `standby note`. What was written after
   * `recoveryPoint` is lost if this PC fails.
   */
  standby: z
    .object({ copiedAt: Instant.nullable(), recoveryPoint: Instant.nullable(), to: z.string() })
    .nullable(),
  /** Newest first, at most 60. */
  backups: z.array(BackupEntry),
})
export type BackupsState = z.infer<typeof BackupsState>

/** The effects of restoring a backup. */
export const RestorePreview = z.object({
  name: z.string(),
  madeAt: Instant,
  /**
   * own: with the data key of this folder; recovery-key: the recovery key has to be entered; no:
   * with neither.
   */
  opensWith: z.enum(['own', 'recovery-key', 'no']),
  /** Why it cannot be restored (such as a newer schema or a damaged file); null if it can. */
  fault: Message.nullable(),
  rows: z.array(
    z.object({
      table: z.string(),
      inBackup: z.int(),
      /** Null if the current database cannot be read. */
      now: z.int().nullable(),
    }),
  ),
})
export type RestorePreview = z.infer<typeof RestorePreview>

/** A restore is prepared next to the database, and takes effect when the gateway restarts. */
export const RestoreState = z.object({
  phase: z.enum(['none', 'decrypting', 'checking', 'ready', 'failed']),
  share: z.number(),
  sentence: Message.nullable(),
})
export type RestoreState = z.infer<typeof RestoreState>

const BackupSource = {
  /** A folder on the gateway's PC; by default the backup folder. */
  folder: z.string().trim().min(1).max(1000).optional(),
  name: z.string().trim().min(1, fault('backups.must-be-name')).max(200),
}
const EnteredRecoveryKey = z.string().trim().max(200)

/** A file of the support bundle, without secrets and patient data. */
export const DiagnosticsFile = z.object({
  name: z.string(),
  bytes: z.int(),
  /** Its first 20,000 characters. */
  text: z.string(),
  isCut: z.boolean(),
})
export type DiagnosticsFile = z.infer<typeof DiagnosticsFile>

/**
 * Backups, restore tests, restoring, and the support bundle. For owners and administrators only,
 * because a backup contains all data.
 */
export const dashboardBackups = {
  state: operation('GET /dashboard/backups', {
    access: 'manage',
    background: true,
    summary: 'Backups: the plan, the existing backups, the last restore test',
    reply: BackupsState,
  }),
  make: operation('POST /dashboard/backups', {
    access: 'manage',
    summary: 'Start a backup; it continues in the background',
    reply: BackupsState,
  }),
  remove: operation('DELETE /dashboard/backups/:name', {
    access: 'manage-confirmed',
    summary: 'Delete a backup from the folder',
    params: z.object({ name: BackupSource.name }),
    reply: BackupsState,
  }),
  rehearse: operation('POST /dashboard/backups/rehearsal', {
    access: 'manage',
    summary:
      'Start a restore test of the newest backup: open it, count rows, verify the audit chain, read reports',
    reply: BackupsState,
  }),
  previewRestore: operation('POST /dashboard/backups/restore/preview', {
    access: 'manage',
    summary: 'Preview the effects of restoring a backup; nothing is changed',
    body: z.object({ ...BackupSource, recoveryKey: EnteredRecoveryKey.optional() }),
    reply: RestorePreview,
  }),
  restore: operation('POST /dashboard/backups/restore', {
    // Not `manage-confirmed`, because the body contains the password, and the handler admits owners
    // only.
    access: 'manage',
    summary: 'Prepare a backup to replace the database; the gateway then restarts with it',
    body: z.object({
      ...BackupSource,
      recoveryKey: EnteredRecoveryKey.optional(),
      password: z.string().min(1, fault('users.must-be-own-password')).max(200),
    }),
    reply: RestoreState,
  }),
  restoreState: operation('GET /dashboard/backups/restore', {
    access: 'manage',
    background: true,
    summary: 'Progress of a restore',
    reply: RestoreState,
  }),
  diagnostics: operation('GET /dashboard/backups/diagnostics', {
    access: 'manage',
    summary: 'Contents of the support bundle, to be read before it is saved',
    reply: z.object({ files: z.array(DiagnosticsFile) }),
  }),
} as const

/** The state of a gateway that cannot open its data. */
export const RescueState = z.object({
  /** Code of a StoreFault. */
  fault: z.string(),
  sentence: Message,
  version: z.string(),
  /** The data folder, and the backup folder if known. */
  folder: z.string(),
  backupFolder: z.string().nullable(),
  backups: z.array(BackupEntry),
  hasDataKey: z.boolean(),
  restore: RestoreState,
})
export type RescueState = z.infer<typeof RescueState>

/**
 * The rescue page of a gateway that cannot open its data. Signing in is not possible, so its calls
 * are public; each carries the token of its link as `Authorization: Bearer`, which is checked
 * first.
 */
export const dashboardRescue = {
  state: operation('GET /dashboard/rescue', {
    access: 'public',
    summary: 'What is wrong, and the available backups',
    reply: RescueState,
  }),
  look: operation('POST /dashboard/rescue/folder', {
    access: 'public',
    summary: 'Look for backups in a folder on the gateway’s PC',
    body: z.object({ folder: z.string().trim().min(1).max(1000) }),
    reply: z.object({ backups: z.array(BackupEntry), findings: z.array(FolderFinding) }),
  }),
  preview: operation('POST /dashboard/rescue/preview', {
    access: 'public',
    summary: 'Contents of a backup',
    body: z.object({ ...BackupSource, recoveryKey: EnteredRecoveryKey.optional() }),
    reply: RestorePreview,
  }),
  restore: operation('POST /dashboard/rescue/restore', {
    access: 'public',
    summary: 'Replace the damaged database, which is kept, with a backup; the gateway then starts',
    body: z.object({ ...BackupSource, recoveryKey: EnteredRecoveryKey.optional() }),
    reply: RestoreState,
  }),
  recoverKey: operation('POST /dashboard/rescue/data-key', {
    access: 'public',
    summary: 'Restore a lost data.key with the recovery key; the gateway then starts',
    body: z.object({ recoveryKey: EnteredRecoveryKey }),
    reply: Outcome,
  }),
} as const
