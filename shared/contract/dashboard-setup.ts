import { z } from 'zod'
import { fault } from '../messages/issues.ts'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Outcome } from './conventions.ts'
import { EVENT_OUTCOMES } from './events.ts'
import { EVENT_TYPES } from './webhooks.ts'

/** The steps of the first-run wizard, in order. */
export const SETUP_STEPS = [
  'clinic',
  'owner',
  'recovery',
  'network',
  'device',
  'partner',
  'backup',
  'readiness',
] as const
export type SetupStep = (typeof SETUP_STEPS)[number]

/** ok; warn: a recommendation; bad: needs fixing. */
const VERDICTS = ['ok', 'warn', 'bad'] as const
const Verdict = z.enum(VERDICTS)
export type Verdict = z.infer<typeof Verdict>

/**
 * The result of a check in one sentence, and what to do about it; `remedy` is null if there is
 * nothing to do.
 */
const finding = { verdict: Verdict, sentence: Message, remedy: Message.nullable() }

/** An address of this PC that devices can connect to. */
export const LanAddress = z.object({
  address: z.string(),
  /** Name of the network adapter in the operating system. */
  card: z.string(),
  /**
   * network: of the clinic's network; virtual: of a program on this PC, such as a VPN; self-given:
   * link-local, because the network assigned none.
   */
  kind: z.enum(['network', 'virtual', 'self-given']),
})
export type LanAddress = z.infer<typeof LanAddress>

const SELF_CHECKS = [
  'dicom',
  'dicom-tls',
  'window',
  'ae-title',
  'addresses',
  'echo',
  'firewall',
  'clock',
  'disk',
] as const
export const SelfFinding = z.object({
  check: z.enum(SELF_CHECKS),
  ...finding,
  /** Commands for an administrator of this PC to run; the gateway never runs them. */
  commands: z.array(z.string()),
})
export type SelfFinding = z.infer<typeof SelfFinding>

const READINESS_CHECKS = [
  ...([
    'folder',
    'audit',
    'settings',
    'owner',
    'second-factor',
    'recovery-key',
    'key-store',
  ] as const),
  ...(['backup', 'rehearsal', 'standby', 'disk', 'clock'] as const),
  ...([
    'dicom',
    'window',
    'dicom-tls',
    'lan-access',
    'device',
    'device-seen',
    'device-worklist',
    'unknown-devices',
  ] as const),
  ...(['partner', 'partner-events', 'public-url', 'mail', 'native'] as const),
] as const
export type ReadinessCheck = (typeof READINESS_CHECKS)[number]

export const ReadinessFinding = z.object({ check: z.enum(READINESS_CHECKS), ...finding })
export type ReadinessFinding = z.infer<typeof ReadinessFinding>

/**
 * A key that decrypts the data folder if `data.key` is lost. The gateway stores it only in wrapped
 * form.
 */
export const RecoveryKeyState = z.object({
  /** none; ready; foreign: the file belongs to another data key, or cannot be read. */
  state: z.enum(['none', 'ready', 'foreign']),
  madeAt: Instant.nullable(),
})
export type RecoveryKeyState = z.infer<typeof RecoveryKeyState>

/** A backup in the backup folder. */
const Backup = z.object({
  name: z.string(),
  madeAt: Instant,
  bytes: z.int(),
  hasRecoveryKey: z.boolean(),
})

/** The state of backups. */
export const BackupState = z.object({
  folder: z.string().nullable(),
  /** The backup in progress; `share` of the database from 0 to 1. */
  running: z.object({ phase: z.enum(['copying', 'checking']), share: z.number() }).nullable(),
  /** The outcome of the last backup. */
  last: z.object({ success: z.boolean(), sentence: Message, at: Instant }).nullable(),
  /** Newest first, at most 20. */
  backups: z.array(Backup),
  /** Why the folder cannot be read; null if it can. */
  fault: Message.nullable(),
})
export type BackupState = z.infer<typeof BackupState>

export const FolderFinding = z.object(finding)
export type FolderFinding = z.infer<typeof FolderFinding>

export const SetupState = z.object({
  /** The steps whose goal has been reached, according to the state of the gateway. */
  done: z.array(z.enum(SETUP_STEPS)),
  /** Whether the wizard was finished or dismissed. */
  isDone: z.boolean(),
  clinic: z.object({
    name: z.string(),
    /** The setting; `local` means the time zone of the gateway's PC. */
    timeZone: z.string(),
    /** Time zone of the gateway's PC. */
    ofThisPc: z.string(),
  }),
  recovery: RecoveryKeyState,
  /** The values to configure on devices. */
  dicom: z.object({
    aeTitle: z.string(),
    port: z.int(),
    tlsPort: z.int().nullable(),
    addresses: z.array(LanAddress),
  }),
  /** Known devices, most recently seen first. */
  devices: z.array(
    z.object({
      deviceId: z.uuid(),
      aeTitle: z.string(),
      name: z.string(),
      lastSeenAt: Instant.nullable(),
      /** Its last worklist query; null if none is stored. */
      asked: z
        .object({
          at: Instant,
          exams: z.int(),
          status: z.string(),
          sentence: Message,
          inspectionId: z.int(),
        })
        .nullable(),
    }),
  ),
  partner: z.object({
    url: z.string().nullable(),
    /** The clinic's default endpoint. */
    endpointId: z.uuid().nullable(),
    /** The events that it receives, each with the outcome of the newest call. */
    events: z.array(
      z.object({
        type: z.enum(EVENT_TYPES),
        outcome: z.enum(EVENT_OUTCOMES),
        at: Instant.nullable(),
      }),
    ),
  }),
  backup: BackupState,
})
export type SetupState = z.infer<typeof SetupState>

/** The simulated partner and the simulated device, for trying out the gateway without real ones. */
export const Simulators = z.object({
  /** URL of the simulated partner while it runs; otherwise null. */
  partnerUrl: z.string().nullable(),
  /** Whether a partner other than the simulated one is configured, so that it cannot be started. */
  hasPartner: z.boolean(),
  deviceAeTitle: z.string(),
  /** Its last run since the gateway started; null before the first. */
  visit: z
    .object({
      at: Instant,
      /** Number of exams that it received. */
      exams: z.int(),
      /** Number of images that it sent. */
      images: z.int(),
      /** What went wrong; null on success. */
      fault: Message.nullable(),
    })
    .nullable(),
})
export type Simulators = z.infer<typeof Simulators>

/**
 * The first-run wizard, and the readiness checks. For owners and administrators: the recovery key
 * decrypts all data, and the backup folder can be any folder of the PC.
 */
export const dashboardSetup = {
  state: operation('GET /dashboard/setup', {
    access: 'manage',
    background: true,
    summary: 'State of the first-run setup',
    reply: SetupState,
  }),
  finish: operation('POST /dashboard/setup/finish', {
    access: 'manage',
    summary: 'Finish or dismiss the wizard; the readiness page continues to show what is missing',
    reply: Outcome,
  }),
  makeRecoveryKey: operation('POST /dashboard/setup/recovery-key', {
    access: 'manage-confirmed',
    summary: 'Create a recovery key and show it once; it takes effect when it is confirmed',
    /**
     * Eight groups of four characters; `asked` are the indices of the groups, from 0, to be entered
     * for confirmation.
     */
    reply: z.object({ recoveryKey: z.string(), asked: z.array(z.int()) }),
  }),
  confirmRecoveryKey: operation('POST /dashboard/setup/recovery-key/confirm', {
    access: 'manage-confirmed',
    summary:
      'Activate the recovery key that was shown last, by entering two of its groups; a former key becomes invalid',
    body: z.object({ groups: z.array(z.string().trim().max(8)).length(2) }),
    reply: RecoveryKeyState,
  }),
  simulators: operation('GET /dashboard/setup/simulators', {
    access: 'manage',
    background: true,
    summary: 'The simulated partner and the simulated device',
    reply: Simulators,
  }),
  startPartnerSimulator: operation('POST /dashboard/setup/simulators/partner', {
    access: 'manage-confirmed',
    summary:
      'Start a simulated partner with invented exams and configure it as the clinic’s partner',
    reply: Simulators,
  }),
  stopPartnerSimulator: operation('DELETE /dashboard/setup/simulators/partner', {
    access: 'manage',
    summary: 'Stop the simulated partner; it stays configured until another one is',
    reply: Simulators,
  }),
  visitAsDevice: operation('POST /dashboard/setup/simulators/device', {
    access: 'manage',
    summary:
      'Query the worklist as a simulated CT, which is added to the devices; with images, also perform its next exam',
    body: z.object({ withImages: z.boolean() }),
    reply: Simulators,
  }),
  selfTest: operation('POST /dashboard/setup/self-test', {
    access: 'manage',
    summary: 'Check this PC’s network as devices will use it',
    reply: z.object({ findings: z.array(SelfFinding), addresses: z.array(LanAddress) }),
  }),
  readiness: operation('GET /dashboard/setup/readiness', {
    access: 'manage',
    background: true,
    summary: 'Readiness checks of the installation',
    reply: z.object({ ready: z.int(), all: z.int(), findings: z.array(ReadinessFinding) }),
  }),
  backups: operation('GET /dashboard/setup/backup', {
    access: 'manage',
    background: true,
    summary: 'The backup folder and its contents',
    reply: BackupState,
  }),
  setBackupFolder: operation('PUT /dashboard/setup/backup/folder', {
    access: 'manage-confirmed',
    summary: 'Check a folder on the gateway’s PC, and use it for backups if it is suitable',
    body: z.object({
      folder: z
        .string()
        .trim()
        .min(1, { error: fault('setup.folder-missing') })
        .max(1000),
    }),
    reply: z.object({ isUsed: z.boolean(), findings: z.array(FolderFinding) }),
  }),
  makeBackup: operation('POST /dashboard/setup/backup', {
    access: 'manage',
    summary: 'Start a backup of the database; it continues in the background',
    reply: BackupState,
  }),
} as const
