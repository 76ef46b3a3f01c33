import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Outcome, Page, pageOf } from './conventions.ts'
import { EchoResult } from './destinations.ts'
import { Device, DevicePatch, LintReport, NewDevice, UnknownCaller } from './devices.ts'
import { ClinicRole, Email, GivenName, Password, Session } from './people.ts'
import { Reason } from './values.ts'
import { EVENT_TYPES } from './webhooks.ts'
import {
  ClosedStep,
  Downtime,
  Inspection,
  InspectionSummary,
  PartnerFault,
  WorklistTestQuery,
} from './worklist.ts'

const Listener = z.object({
  name: z.enum(['http', 'https', 'dimse', 'dimse-tls']),
  address: z.string(),
  aeTitle: z.string().nullable(),
  isUp: z.boolean(),
  detail: Message.nullable(),
})

/**
 * The image storage. `low` is a warning; in the states `full` and `read-only`, no images are
 * accepted.
 */
const Storage = z.object({
  state: z.enum(['ok', 'low', 'full', 'read-only']),
  freeBytes: z.int(),
  totalBytes: z.int(),
  /** Null if the state is ok. */
  detail: Message.nullable(),
})

/**
 * Whether the database can be written. If not, worklists and stored data are served without
 * recording.
 */
const Records = z.object({
  state: z.enum(['ok', 'full', 'read-only', 'failed']),
  since: Instant.nullable(),
  /** What it means; null if the state is ok. */
  detail: Message.nullable(),
})

/** A certificate of the gateway. */
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
  /** For devices and browsers that have to trust it. */
  pem: z.string(),
})
export type Certificate = z.infer<typeof Certificate>

/** State of the connection to the partner. */
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
  /** The banner of the window; null if there is no problem. */
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
    /** Number of studies with images that their device replaced and that have not been reviewed. */
    replaced: z.int(),
    /** Number of image files without a database record. */
    recovered: z.int(),
  }),
  forwards: z.object({ waiting: z.int(), failed: z.int() }),
  /** Problems that an administrator should fix. */
  advice: z.array(Message),
  startedAt: Instant,
  clinicTimeZone: z.string(),
})
export type Status = z.infer<typeof Status>

/** An entry of the activity feed: what happened on the network, without patient data. */
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
  /** The study with images that the entry is about. */
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
 * Findings of the verification of the audit log.
 * entry: an entry was changed; head-…: the record of its end is missing or was changed; anchor-…:
 * the same for the copy outside the database; older: the database is older than its anchor;
 * replaced: it is a different database; triggers: the triggers that reject changes are missing or
 * were changed; sending: the position up to which entries were sent is beyond the last entry
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

/** The result of a verification of the audit log. */
export const AuditCheck = z.object({
  isIntact: z.boolean(),
  /** Number of entries that were verified. */
  entries: z.int(),
  /** The first entry that was changed, is missing or is out of order; null if the log is intact. */
  firstBadSeq: z.int().nullable(),
  /** What is wrong; null if the log is intact. */
  finding: AuditFinding.nullable(),
  /** Number of missing entries, as far as known. */
  missing: z.int(),
  /**
   * Whether the finding has been recorded in the log and the log is intact otherwise, so that a
   * user can acknowledge it.
   */
  isRecorded: z.boolean(),
  at: Instant,
  /** Duration in milliseconds. */
  tookMs: z.number(),
})
export type AuditCheck = z.infer<typeof AuditCheck>

/** Filters of the audit log: texts are substrings, ignoring case; `to` is exclusive. */
export const AuditFilter = z.object({
  actor: z.string().trim().max(100).optional(),
  action: z.string().trim().max(100).optional(),
  target: z.string().trim().max(200).optional(),
  from: Instant.optional(),
  to: Instant.optional(),
})
export type AuditFilter = z.infer<typeof AuditFilter>

/**
 * Query of `GET /dashboard/audit/export`, which exports the log, oldest entry first: CSV for
 * spreadsheets, JSON Lines with everything that the hash chain covers.
 */
export const AuditExport = z.object({
  format: z.enum(['csv', 'jsonl']),
  from: Instant.optional(),
  to: Instant.optional(),
})
export type AuditExport = z.infer<typeof AuditExport>

const deviceParams = z.object({ deviceId: z.uuid() })
const caller = z.object({ aeTitle: z.string().min(1).max(16), address: z.string().min(1).max(45) })

/** The session of the window. */
export const dashboardSessions = {
  session: operation('GET /dashboard/session', {
    access: 'public',
    background: true,
    summary: 'The session, and whether an owner exists',
    reply: Session,
  }),
  signIn: operation('POST /dashboard/session', {
    access: 'public',
    summary: 'Sign in with e-mail and password',
    /**
     * `code` is the authentication code. If the account requires one and it is missing, the error
     * has the path `body.code`.
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
    summary: 'Exchange a one-time link: signs in, or allows creating the owner account',
    body: z.object({ token: z.string().min(20).max(200) }),
    reply: z.object({ session: Session, mayCreateOwner: z.boolean() }),
  }),
  createOwner: operation('POST /dashboard/owner', {
    access: 'public',
    summary: 'Create the first account; requires the one-time setup link',
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
    /** `providerPath`: to open in the browser, where the session of the provider is to end too. */
    reply: z.object({ success: z.literal(true), providerPath: z.string().nullable() }),
  }),
} as const

/** The status of the gateway, and the activity feed. */
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
      'The latest entries of the activity feed, newest first; new ones are sent as server-sent events at /dashboard/feed/events',
    query: z.object({ ...Page }),
    reply: pageOf('lines', FeedLine),
  }),
} as const

/** Worklist queries, queries in a device's place, steps closed by staff, and downtime mode. */
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
    summary: 'Query the worklist on behalf of this device, with the same code',
    body: WorklistTestQuery,
    reply: Inspection,
  }),
  lintDevice: operation('POST /dashboard/devices/:deviceId/lint', {
    access: 'manage',
    summary: 'Check today’s rows for this device against the rules of its model',
    params: deviceParams,
    reply: LintReport,
  }),
  closeStep: operation('POST /dashboard/worklist/steps/close', {
    access: 'every-patient',
    summary:
      'Mark a step as done or cancelled in the gateway; cached responses no longer include it',
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
    summary: 'Serve the last valid response until midnight or the next live response',
    body: z.object({ reason: Reason }),
    reply: Downtime,
  }),
  // For every user, like starting it, so that a user who started it by mistake can end it.
  endDowntime: operation('DELETE /dashboard/downtime', {
    access: 'signed-in',
    summary: 'End downtime mode',
    reply: Downtime,
  }),
} as const

/** Devices and unknown callers. */
export const dashboardDevices = {
  // For every user, because testing the worklist starts with choosing a device.
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
    summary: 'Test the connection to the device (C-ECHO)',
    params: deviceParams,
    reply: EchoResult,
  }),
  callers: operation('GET /dashboard/callers', {
    access: 'manage',
    summary: 'Unknown devices, which are not in the device list',
    reply: z.object({ callers: z.array(UnknownCaller) }),
  }),
  approveCaller: operation('POST /dashboard/callers/approve', {
    access: 'manage-confirmed',
    summary: 'Add an unknown device to the device list',
    body: z.object({
      ...caller.shape,
      name: z.string().trim().max(64).default(''),
      modality: NewDevice.shape.modality,
      anyAddress: z.boolean().default(false),
      retrieval: NewDevice.shape.retrieval,
    }),
    reply: Device,
    status: 201,
  }),
  dismissCaller: operation('POST /dashboard/callers/dismiss', {
    access: 'manage',
    summary: 'Dismiss an unknown device until it connects again',
    body: caller,
    reply: Outcome,
  }),
} as const

/** The default endpoint. */
export const dashboardPartner = {
  partner: operation('GET /dashboard/partner', {
    access: 'manage',
    summary: 'The default endpoint',
    reply: Partner,
  }),
  setPartner: operation('PUT /dashboard/partner', {
    access: 'manage-confirmed',
    summary: 'Set the partner endpoint for all events',
    body: z.object({
      url: z.url({ protocol: /^https?$/ }),
      /** `whsec_` and base64. If absent, the present secret is kept, or one is generated. */
      secret: z.string().max(200).optional(),
      allowPlaintext: z.boolean().default(false),
    }),
    /** `secret` is returned once, if it was generated. */
    reply: Partner.extend({ secret: z.string().nullable() }),
  }),
  testPartner: operation('POST /dashboard/partner/test', {
    access: 'manage',
    summary: 'Request today’s worklist from the partner now, as a test',
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
    summary: 'Create a new certificate; devices that pinned the old one need the new one',
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

/** The audit log. */
export const dashboardAudit = {
  audit: operation('GET /dashboard/audit', {
    access: 'manage',
    summary: 'The audit log, newest entry first',
    query: z.object({ ...Page, ...AuditFilter.shape }),
    reply: pageOf('entries', AuditRow),
  }),
  verifyAudit: operation('POST /dashboard/audit/verify', {
    access: 'manage',
    summary: 'Verify the hash chain of the audit log from its first entry to its last',
    reply: AuditCheck,
  }),
  acknowledgeAudit: operation('POST /dashboard/audit/acknowledge', {
    access: 'manage-confirmed',
    summary: 'Acknowledge the findings that are recorded in the audit log; the entries are kept',
    body: z.object({ reason: z.string().trim().min(3).max(200) }),
    reply: AuditCheck,
  }),
} as const

/**
 * The window's operations besides `/v1` and the groups in other files. Calls that change something
 * require the header `x-isthmus-csrf`.
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
