import { z } from 'zod'
import { fault } from '../messages/issues.ts'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Outcome } from './conventions.ts'
import { EVENT_OUTCOMES } from './events.ts'
import { EVENT_TYPES } from './webhooks.ts'

/** What the first-run wizard goes through, in its order. */
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

/** Of the worst: bad has to be mended, warn is to be thought about. */
const VERDICTS = ['ok', 'warn', 'bad'] as const
const Verdict = z.enum(VERDICTS)
export type Verdict = z.infer<typeof Verdict>

/**
 * What was looked at, how it stands in one sentence, and what to do about it; `remedy` is null
 * where nothing is to be done.
 */
const finding = { verdict: Verdict, sentence: Message, remedy: Message.nullable() }

/** An address of this PC, as devices may be told it. */
export const LanAddress = z.object({
  address: z.string(),
  /** Of the network card, as the system calls it. */
  card: z.string(),
  /**
   * network: of the clinic; virtual: of a program on this PC, such as a VPN; self-given: the PC got
   * none from its network.
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
  /** To be copied and run by an administrator of this PC; the gateway never runs them. */
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

/** A key that opens the data folder where `data.key` is lost. The gateway keeps it only wrapped. */
export const RecoveryKeyState = z.object({
  /** none; ready; foreign: the file is of another data key, or cannot be read. */
  state: z.enum(['none', 'ready', 'foreign']),
  madeAt: Instant.nullable(),
})
export type RecoveryKeyState = z.infer<typeof RecoveryKeyState>

/** A copy in the backup folder. */
const Backup = z.object({
  name: z.string(),
  madeAt: Instant,
  bytes: z.int(),
  hasRecoveryKey: z.boolean(),
})

/** How the backup stands. */
export const BackupState = z.object({
  folder: z.string().nullable(),
  /** The one that is being made; `share` of the database from 0 to 1. */
  running: z.object({ phase: z.enum(['copying', 'checking']), share: z.number() }).nullable(),
  /** What came of the last one. */
  last: z.object({ success: z.boolean(), sentence: Message, at: Instant }).nullable(),
  /** Newest first, at most 20. */
  backups: z.array(Backup),
  /** Why the folder cannot be read; null where it can. */
  fault: Message.nullable(),
})
export type BackupState = z.infer<typeof BackupState>

export const FolderFinding = z.object(finding)
export type FolderFinding = z.infer<typeof FolderFinding>

export const SetupState = z.object({
  /** Which steps have what they are for, by what is really there. */
  done: z.array(z.enum(SETUP_STEPS)),
  /** The wizard was gone through, or was put aside for good. */
  isDone: z.boolean(),
  clinic: z.object({
    name: z.string(),
    /** As set; `local` is that of the PC of the gateway. */
    timeZone: z.string(),
    /** Of the PC of the gateway. */
    ofThisPc: z.string(),
  }),
  recovery: RecoveryKeyState,
  /** What a device is told. */
  dicom: z.object({
    aeTitle: z.string(),
    port: z.int(),
    tlsPort: z.int().nullable(),
    addresses: z.array(LanAddress),
  }),
  /** Known devices, the one last heard of first. */
  devices: z.array(
    z.object({
      deviceId: z.uuid(),
      aeTitle: z.string(),
      name: z.string(),
      lastSeenAt: Instant.nullable(),
      /** Its last worklist query; null where it asked for none that is still kept. */
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
    /** Events it gets, each with how its newest call ended. */
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

/** The simulated partner and the simulated device, for a trial without either. */
export const Simulators = z.object({
  /** Address of the simulated partner while it runs; null while it does not. */
  partnerUrl: z.string().nullable(),
  /** Whether the clinic's partner is another than the simulated one, which then cannot start. */
  hasPartner: z.boolean(),
  deviceAeTitle: z.string(),
  /** Its newest visit since the gateway started; null before the first. */
  visit: z
    .object({
      at: Instant,
      /** Exams that it received. */
      exams: z.int(),
      /** Images that it sent. */
      images: z.int(),
      /** What went wrong; null where nothing did. */
      fault: Message.nullable(),
    })
    .nullable(),
})
export type Simulators = z.infer<typeof Simulators>

/**
 * The first-run wizard, and what an installation lacks. For owners and administrators: the recovery
 * key decrypts all data, and the backup folder is any folder of the PC.
 */
export const dashboardSetup = {
  state: operation('GET /dashboard/setup', {
    access: 'manage',
    background: true,
    summary: 'How far the set-up is',
    reply: SetupState,
  }),
  finish: operation('POST /dashboard/setup/finish', {
    access: 'manage',
    summary:
      'End the wizard, or put it aside for good; the readiness page goes on to say what lacks',
    reply: Outcome,
  }),
  makeRecoveryKey: operation('POST /dashboard/setup/recovery-key', {
    access: 'manage-confirmed',
    summary: 'Make a recovery key and show it, once; it is in force when it is confirmed',
    /** Eight groups of four; `asked` are the groups, from 0, to be typed for the confirmation. */
    reply: z.object({ recoveryKey: z.string(), asked: z.array(z.int()) }),
  }),
  confirmRecoveryKey: operation('POST /dashboard/setup/recovery-key/confirm', {
    access: 'manage-confirmed',
    summary:
      'Put the key that was shown last in force, by two groups of it; one before it opens nothing any more',
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
    summary: 'Start a simulated partner with invented exams and make it the clinic’s partner',
    reply: Simulators,
  }),
  stopPartnerSimulator: operation('DELETE /dashboard/setup/simulators/partner', {
    access: 'manage',
    summary: 'Stop the simulated partner; it stays entered until another one is',
    reply: Simulators,
  }),
  visitAsDevice: operation('POST /dashboard/setup/simulators/device', {
    access: 'manage',
    summary:
      'Query the worklist as a simulated CT, which is added to the devices; with images: perform its next exam too',
    body: z.object({ withImages: z.boolean() }),
    reply: Simulators,
  }),
  selfTest: operation('POST /dashboard/setup/self-test', {
    access: 'manage',
    summary: 'Look at this PC’s own network as a device will meet it',
    reply: z.object({ findings: z.array(SelfFinding), addresses: z.array(LanAddress) }),
  }),
  readiness: operation('GET /dashboard/setup/readiness', {
    access: 'manage',
    background: true,
    summary: 'What the installation has and lacks',
    reply: z.object({ ready: z.int(), all: z.int(), findings: z.array(ReadinessFinding) }),
  }),
  backups: operation('GET /dashboard/setup/backup', {
    access: 'manage',
    background: true,
    summary: 'The backup folder and what is in it',
    reply: BackupState,
  }),
  setBackupFolder: operation('PUT /dashboard/setup/backup/folder', {
    access: 'manage-confirmed',
    summary: 'Check a folder on the PC of the gateway, and use it for backups where it will do',
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
    summary: 'Make a backup of the database now; it goes on by itself',
    reply: BackupState,
  }),
} as const
