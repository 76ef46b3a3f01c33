import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Outcome, Page, pageOf } from './conventions.ts'
import { EchoResult } from './destinations.ts'
import { Device, DevicePatch, Lint, NewDevice, UnknownCaller } from './devices.ts'
import { ClinicRole, Email, GivenName, Password, Session } from './people.ts'
import { Reason } from './values.ts'
import { EVENT_TYPES } from './webhooks.ts'
import {
  ClosedStep,
  Downtime,
  Inspection,
  InspectionSummary,
  PartnerFault,
  WorklistAsk,
} from './worklist.ts'

const Listener = z.object({
  name: z.enum(['http', 'https', 'dimse', 'dimse-tls']),
  address: z.string(),
  aeTitle: z.string().nullable(),
  isUp: z.boolean(),
  detail: Message.nullable(),
})

/** Where images are kept. `low` warns; `full` and `read-only` take no more images. */
const Storage = z.object({
  state: z.enum(['ok', 'low', 'full', 'read-only']),
  freeBytes: z.int(),
  totalBytes: z.int(),
  /** Null where the state is ok. */
  detail: Message.nullable(),
})

/**
 * Whether the database can be written to. Where it cannot, worklists and what can be read are
 * served without records.
 */
const Records = z.object({
  state: z.enum(['ok', 'full', 'read-only', 'failed']),
  since: Instant.nullable(),
  /** What it means; null where the state is ok. */
  detail: Message.nullable(),
})

/** A certificate of the gateway's own. */
export const Certificate = z.object({
  use: z.enum(['https', 'dicom-tls']),
  isInUse: z.boolean(),
  subject: z.string(),
  issuer: z.string(),
  isSelfMade: z.boolean(),
  fingerprint256: z.string(),
  notBefore: Instant,
  notAfter: Instant,
  daysLeft: z.int(),
  /** For the devices and browsers that are to trust it. */
  pem: z.string(),
})
export type Certificate = z.infer<typeof Certificate>

/** State of the way to the partner; `banner` is what every screen shows when something is wrong. */
export const PartnerStatus = z.object({
  url: z.string().nullable(),
  state: z.enum(['unset', 'unknown', 'up', 'down', 'refusing']),
  fault: PartnerFault.nullable(),
  detail: Message.nullable(),
  lastOkAt: Instant.nullable(),
  downSince: Instant.nullable(),
})
export type PartnerStatus = z.infer<typeof PartnerStatus>

export const Status = z.object({
  listeners: z.array(Listener),
  partner: PartnerStatus,
  downtime: Downtime,
  /** The line across the window, null when all is well. */
  banner: z.object({ tone: z.enum(['warning', 'danger']), text: Message }).nullable(),
  today: z.object({ queries: z.int(), rowsSent: z.int(), failures: z.int(), withheld: z.int() }),
  unknownCallers: z.int(),
  openAssociations: z.int(),
  storage: Storage,
  records: Records,
  images: z.object({
    today: z.int(),
    receiving: z.int(),
    quarantined: z.int(),
    mismatches: z.int(),
    /** Studies with images that their device replaced by others, which nobody has looked at. */
    replaced: z.int(),
    /** Image files that the database does not know. */
    recovered: z.int(),
  }),
  forwards: z.object({ waiting: z.int(), failed: z.int() }),
  /** What an administrator should mend, in words. */
  advice: z.array(Message),
  startedAt: Instant,
  clinicTimeZone: z.string(),
})
export type Status = z.infer<typeof Status>

/** One line of the live feed: what happened on the network, in plain words, no patient in it. */
export const FeedLine = z.object({
  lineId: z.int(),
  at: Instant,
  associationId: z.string(),
  kind: z.enum([
    ...['opened', 'rejected', 'echo', 'worklist', 'closed', 'aborted', 'partner'],
    ...['images', 'performed-step', 'commitment', 'enrichment', 'forward', 'disk', 'audit'],
  ] as const),
  tone: z.enum(['plain', 'good', 'warning', 'danger']),
  aeTitle: z.string(),
  address: z.string(),
  text: Message,
  inspectionId: z.int().nullable(),
  /** The study with images that the line is about. */
  studyInstanceUid: z.string().nullable(),
})
export type FeedLine = z.infer<typeof FeedLine>

const SettingRow = z.object({
  key: z.string(),
  value: z.json(),
  initial: z.json(),
  about: Message,
  needsRestart: z.boolean(),
})

const Partner = z.object({
  url: z.string().nullable(),
  hasSecret: z.boolean(),
  events: z.array(z.enum(EVENT_TYPES)),
  allowsPlaintext: z.boolean(),
})
export type Partner = z.infer<typeof Partner>

const AuditRow = z.object({
  seq: z.int(),
  at: Instant,
  actor: z.string(),
  action: z.string(),
  target: z.string(),
  detail: z.json(),
})
export type AuditRow = z.infer<typeof AuditRow>

/**
 * What is wrong with the audit trail. entry: an entry is not what was written; head-…: what says
 * where it ends is missing or was changed; anchor-…: the same of its copy outside the database;
 * older: the database is older than its anchor; replaced: it is another one; triggers: what refuses
 * changes; sending: the position up to which entries were sent is past the last.
 */
export const AuditFinding = z.enum([
  ...[
    'entry',
    'head-missing',
    'head-unreadable',
    'anchor-missing',
    'anchor-changed',
    'older',
    'replaced',
    'triggers',
    'sending',
  ],
] as const)
export type AuditFinding = z.infer<typeof AuditFinding>

/** Whether every entry of the trail is what was written. */
export const AuditCheck = z.object({
  isIntact: z.boolean(),
  /** Entries that were followed. */
  entries: z.int(),
  /**
   * The first entry that is not what was written: changed, missing or out of order; null where the
   * trail is intact.
   */
  firstBadSeq: z.int().nullable(),
  /** What is wrong; null where the trail is intact. */
  finding: AuditFinding.nullable(),
  /** Entries that are missing, as far as that is known. */
  missing: z.int(),
  /**
   * It was found before and is recorded in the trail, which is intact but for it: a person can
   * acknowledge it.
   */
  isRecorded: z.boolean(),
  at: Instant,
  /** Milliseconds. */
  tookMs: z.number(),
})
export type AuditCheck = z.infer<typeof AuditCheck>

/** Parts of the trail: texts are contained in any case of letters, `to` is exclusive. */
export const AuditFilter = z.object({
  actor: z.string().trim().max(100).optional(),
  action: z.string().trim().max(100).optional(),
  target: z.string().trim().max(200).optional(),
  from: Instant.optional(),
  to: Instant.optional(),
})
export type AuditFilter = z.infer<typeof AuditFilter>

/**
 * Query of `GET /dashboard/audit/export`, a file of the trail, oldest first: CSV for a spreadsheet,
 * JSON Lines with everything the chain is of.
 */
export const AuditExport = z.object({
  format: z.enum(['csv', 'jsonl']),
  from: Instant.optional(),
  to: Instant.optional(),
})
export type AuditExport = z.infer<typeof AuditExport>

const deviceParams = z.object({ deviceId: z.uuid() })
const caller = z.object({ aeTitle: z.string().min(1).max(16), address: z.string().min(1).max(45) })

/** Who is signed in at the window. */
export const dashboardSessions = {
  session: operation('GET /dashboard/session', {
    access: 'public',
    background: true,
    summary: 'Who is signed in, and whether an owner exists yet',
    reply: Session,
  }),
  signIn: operation('POST /dashboard/session', {
    access: 'public',
    summary: 'Sign in with e-mail and password',
    /**
     * `code`: of the second factor, where the account has one; without it the refusal names the
     * field `body.code`.
     */
    body: z.object({
      email: Email,
      password: z.string().max(200),
      code: z.string().trim().max(20).optional(),
    }),
    reply: Session,
  }),
  followLink: operation('POST /dashboard/session/link', {
    access: 'public',
    summary: 'Exchange a one-time link: signs in, or allows the owner account to be made',
    body: z.object({ token: z.string().min(20).max(200) }),
    reply: z.object({ session: Session, mayCreateOwner: z.boolean() }),
  }),
  createOwner: operation('POST /dashboard/owner', {
    access: 'public',
    summary: 'Make the first account; needs the one-time set-up link',
    body: z.object({
      token: z.string().min(20).max(200),
      email: Email,
      firstName: GivenName,
      lastName: GivenName,
      clinicRole: ClinicRole.default('Administrative Director'),
      password: Password,
      clinicName: z.string().trim().max(64).default(''),
    }),
    reply: Session,
    status: 201,
  }),
  signOut: operation('DELETE /dashboard/session', {
    access: 'public',
    summary: 'Sign out',
    reply: Outcome,
  }),
} as const

/** The gateway at a glance, and its live feed. */
export const dashboardStatus = {
  status: operation('GET /dashboard/status', {
    access: 'signed-in',
    background: true,
    summary: 'Listeners, partner, downtime and advice',
    reply: Status,
  }),
  feed: operation('GET /dashboard/feed', {
    access: 'signed-in',
    background: true,
    summary:
      'The latest lines of the live feed, newest first; new ones come as server-sent events at /dashboard/feed/events',
    query: z.object({ ...Page }),
    reply: pageOf('lines', FeedLine),
  }),
} as const

/** Worklist queries, asking as a device, steps closed by hand, and downtime. */
export const dashboardWorklist = {
  inspections: operation('GET /dashboard/inspections', {
    access: 'every-patient',
    summary: 'Worklist queries, newest first',
    query: z.object({
      ...Page,
      aeTitle: z.string().max(16).optional(),
      outcome: z.enum(['all', 'rows', 'empty', 'failed', 'withheld']).default('all'),
    }),
    reply: pageOf('inspections', InspectionSummary),
  }),
  inspection: operation('GET /dashboard/inspections/:inspectionId', {
    access: 'every-patient',
    summary: 'One worklist query with a verdict for each row',
    params: z.object({ inspectionId: z.coerce.number().int().positive() }),
    query: z.object({ verdict: z.enum(['all', 'sent', 'filtered', 'withheld']).default('all') }),
    reply: Inspection,
  }),
  askWorklist: operation('POST /dashboard/worklist/ask', {
    access: 'every-patient',
    summary: 'Ask the worklist as this device, by the code a device goes through',
    body: WorklistAsk,
    reply: Inspection,
  }),
  lintDevice: operation('POST /dashboard/devices/:deviceId/lint', {
    access: 'manage',
    summary: 'Check the rows this device would get today against the rules of its console',
    params: deviceParams,
    reply: Lint,
  }),
  closeStep: operation('POST /dashboard/worklist/steps/close', {
    access: 'every-patient',
    summary: 'Mark a step as done or cancelled here; a stored answer no longer serves it',
    body: z.object({
      studyInstanceUid: z.string().min(1).max(64),
      scheduledProcedureStepId: z.string().min(1).max(16),
      reason: z.string().max(200).default(''),
    }),
    reply: ClosedStep,
  }),
  reopenStep: operation('POST /dashboard/worklist/steps/reopen', {
    access: 'every-patient',
    summary: 'Undo closing a step',
    body: z.object({
      studyInstanceUid: z.string().min(1).max(64),
      scheduledProcedureStepId: z.string().min(1).max(16),
    }),
    reply: Outcome,
  }),
  startDowntime: operation('POST /dashboard/downtime', {
    access: 'signed-in',
    summary: 'Serve the last good answer for longer, until midnight or the first live answer',
    body: z.object({ reason: Reason }),
    reply: Downtime,
  }),
  // For every user, like starting it: who started it by mistake can undo it.
  endDowntime: operation('DELETE /dashboard/downtime', {
    access: 'signed-in',
    summary: 'End downtime mode',
    reply: Downtime,
  }),
} as const

/** Devices, and callers that are not listed. */
export const dashboardDevices = {
  // For every user: testing the worklist begins with choosing a device.
  devices: operation('GET /dashboard/devices', {
    access: 'signed-in',
    summary: 'All devices',
    reply: z.object({ devices: z.array(Device) }),
  }),
  addDevice: operation('POST /dashboard/devices', {
    access: 'manage-confirmed',
    summary: 'Add a device',
    body: NewDevice,
    reply: Device,
    status: 201,
  }),
  updateDevice: operation('PATCH /dashboard/devices/:deviceId', {
    access: 'manage-confirmed',
    summary: 'Change a device',
    params: deviceParams,
    body: DevicePatch,
    reply: Device,
  }),
  removeDevice: operation('DELETE /dashboard/devices/:deviceId', {
    access: 'manage-confirmed',
    summary: 'Remove a device',
    params: deviceParams,
    reply: Outcome,
  }),
  echoDevice: operation('POST /dashboard/devices/:deviceId/echo', {
    access: 'manage',
    summary: 'Test the way to the device (C-ECHO)',
    params: deviceParams,
    reply: EchoResult,
  }),
  callers: operation('GET /dashboard/callers', {
    access: 'manage',
    summary: 'Callers that are not in the device list',
    reply: z.object({ callers: z.array(UnknownCaller) }),
  }),
  approveCaller: operation('POST /dashboard/callers/approve', {
    access: 'manage-confirmed',
    summary: 'Make a device of an unknown caller',
    body: z.object({
      ...caller.shape,
      name: z.string().trim().max(64).default(''),
      modality: NewDevice.shape.modality,
      anyAddress: z.boolean().default(false),
    }),
    reply: Device,
    status: 201,
  }),
  dismissCaller: operation('POST /dashboard/callers/dismiss', {
    access: 'manage',
    summary: 'Take a caller off the inbox until it calls again',
    body: caller,
    reply: Outcome,
  }),
} as const

/** The default endpoint. */
export const dashboardPartner = {
  partner: operation('GET /dashboard/partner', {
    access: 'manage',
    summary: 'Where events go',
    reply: Partner,
  }),
  setPartner: operation('PUT /dashboard/partner', {
    access: 'manage-confirmed',
    summary: 'Set the partner endpoint for all events',
    body: z.object({
      url: z.url({ protocol: /^https?$/ }),
      /** `whsec_` and base64; absent keeps the one there, or makes one. */
      secret: z.string().max(200).optional(),
      allowPlaintext: z.boolean().default(false),
    }),
    /** `secret` is shown once, when it was made here. */
    reply: Partner.extend({ secret: z.string().nullable() }),
  }),
  testPartner: operation('POST /dashboard/partner/test', {
    access: 'manage',
    summary: 'Ask the partner for today’s list now, as a test',
    reply: z.object({
      success: z.boolean(),
      message: Message,
      tookMs: z.number(),
      items: z.int().nullable(),
    }),
  }),
} as const

/** Settings and certificates. */
export const dashboardSettings = {
  certificates: operation('GET /dashboard/certificates', {
    access: 'manage',
    summary: 'Certificates of the gateway',
    reply: z.object({ certificates: z.array(Certificate) }),
  }),
  renewCertificate: operation('POST /dashboard/certificates/:use/renew', {
    access: 'manage-confirmed',
    summary: 'Make a new certificate; devices that pinned the old one have to be given the new one',
    params: z.object({ use: Certificate.shape.use }),
    reply: Certificate,
  }),
  settings: operation('GET /dashboard/settings', {
    access: 'manage',
    summary: 'All settings',
    reply: z.object({ settings: z.array(SettingRow) }),
  }),
  changeSettings: operation('PATCH /dashboard/settings', {
    access: 'manage-confirmed',
    summary: 'Change settings; all or none',
    body: z.object({ settings: z.record(z.string(), z.json()) }),
    reply: z.object({ settings: z.array(SettingRow) }),
  }),
} as const

/** The audit trail. */
export const dashboardAudit = {
  audit: operation('GET /dashboard/audit', {
    access: 'manage',
    summary: 'The audit trail, newest first',
    query: z.object({ ...Page, ...AuditFilter.shape }),
    reply: pageOf('entries', AuditRow),
  }),
  verifyAudit: operation('POST /dashboard/audit/verify', {
    access: 'manage',
    summary: 'Follow the chain of the audit trail from its first entry to its last',
    reply: AuditCheck,
  }),
  acknowledgeAudit: operation('POST /dashboard/audit/acknowledge', {
    access: 'manage-confirmed',
    summary: 'Acknowledge the findings that the audit trail has recorded; the entries stay',
    body: z.object({ reason: z.string().trim().min(3).max(200) }),
    reply: AuditCheck,
  }),
} as const

/**
 * What the window asks the gateway, beside `/v1` and the groups of other files. Calls that change
 * something need the header `x-isthmus-csrf`.
 */
export const dashboard = {
  ...dashboardSessions,
  ...dashboardStatus,
  ...dashboardWorklist,
  ...dashboardDevices,
  ...dashboardPartner,
  ...dashboardSettings,
  ...dashboardAudit,
} as const
