import { z } from 'zod'
import { Uid } from '../dicom-values.ts'
import { ReportId, StudyId, WebhookEventId } from '../ids.ts'
import { fault } from '../messages/issues.ts'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Outcome, WindowOutcome } from './conventions.ts'
import { ApiKeyRow, dashboardPeople } from './dashboard-people.ts'
import { EVENT_OUTCOMES } from './events.ts'
import { STUDY_AREAS } from './settings.ts'
import { EVENT_TYPES } from './webhooks.ts'

// The sandbox: test data that only keys beginning with `sk_test_` reach (decision 0075).

/** Where the sandbox sends its events. */
const SandboxWebhook = z.object({
  url: z.string(),
  /** Whether it is the simulated partner that the sandbox starts until an address is set. */
  isSimulated: z.boolean(),
})

/** How much is in the sandbox. */
const SandboxContents = z.object({
  studies: z.int(),
  images: z.int(),
  /** Reports that were signed and not accepted yet. */
  waitingReports: z.int(),
})

export const SandboxState = z
  .object({ webhook: SandboxWebhook.nullable(), ...SandboxContents.shape })
  .meta({ id: 'SandboxState' })
export type SandboxState = z.infer<typeof SandboxState>

/** A signed report on its way to the partner. */
export const SandboxDelivery = z
  .object({
    eventId: WebhookEventId,
    reportId: ReportId,
    state: z.enum(['waiting', 'delivered', 'failed']),
    attempts: z.int(),
    /** Why the last attempt failed; null if it did not. */
    fault: z.string().nullable(),
    /** When it would be tried again; null if it will not. */
    nextAttemptAt: Instant.nullable(),
  })
  .meta({ id: 'SandboxDelivery' })
export type SandboxDelivery = z.infer<typeof SandboxDelivery>

const SandboxExam = z
  .object({
    studyInstanceUid: Uid,
    accessionNumber: z.string(),
    patientId: z.string(),
    /** Exams on the worklist that the device received. */
    worklistExams: z.int(),
    /** Images that the device sent. */
    images: z.int(),
    /** The studies that were created from the images. */
    studies: z.array(z.object({ area: z.enum(STUDY_AREAS), studyId: StudyId })),
  })
  .meta({ id: 'SandboxExam' })
export type SandboxExam = z.infer<typeof SandboxExam>

const SandboxReport = z
  .object({
    reportId: ReportId,
    studyId: StudyId,
    studyInstanceUid: Uid,
    delivery: SandboxDelivery,
  })
  .meta({ id: 'SandboxReport' })
export type SandboxReport = z.infer<typeof SandboxReport>

/** An event that was sent, or would be, and what came of it. */
const SandboxEvent = z
  .object({
    eventId: WebhookEventId,
    /** The request as it is signed and sent. */
    request: z.object({
      url: z.string(),
      headers: z.record(z.string(), z.string()),
      body: z.string(),
    }),
    /** Null if nothing was sent. */
    response: z
      .object({
        outcome: z.enum(EVENT_OUTCOMES),
        /** Null if there was no response. */
        httpStatus: z.int().nullable(),
        tookMs: z.number(),
        /** What the gateway would do with the response. */
        verdict: z.string(),
        /** Parts that it would leave out. */
        notes: z.array(z.object({ path: z.string(), message: z.string() })),
        body: z.string().nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'SandboxEvent' })
export type SandboxEvent = z.infer<typeof SandboxEvent>

/** The calls of the sandbox, for integrators. They need a test key. */
export const sandbox = {
  read: operation('GET /v1/sandbox', {
    access: 'sandbox',
    summary: 'Read the contents of the sandbox and its webhook address',
    reply: SandboxState,
  }),
  setWebhook: operation('POST /v1/sandbox/webhook', {
    access: 'sandbox',
    summary: 'Set the address that the events of the sandbox are sent to',
    body: z.object({
      url: z.url().max(2000),
      /** `whsec_` and base64; one is generated if it is missing. */
      secret: z.string().max(200).optional(),
    }),
    /** `secret` is shown once, if it was generated. */
    reply: z.object({ url: z.string(), secret: z.string().nullable() }),
  }),
  runExam: operation('POST /v1/sandbox/exams', {
    access: 'sandbox',
    summary: 'Perform an exam: query the worklist as a device does and send images',
    body: z
      .object({ accessionNumber: z.string().min(1).max(16).optional() })
      .nullish()
      .transform((body) => body ?? {}),
    reply: SandboxExam,
    status: 201,
  }),
  signReport: operation('POST /v1/sandbox/reports', {
    access: 'sandbox',
    summary: 'Sign a report or an addendum as a radiologist, and send report.delivered',
    body: z
      .object({
        studyId: StudyId.optional(),
        studyInstanceUid: Uid.optional(),
        plainText: z.string().trim().min(1).max(200_000).optional(),
        isCritical: z.boolean().optional(),
      })
      .nullish()
      .transform((body) => body ?? {}),
    reply: SandboxReport,
    status: 201,
  }),
  sendEvent: operation('POST /v1/sandbox/events', {
    access: 'sandbox',
    summary: 'Send an event with sample data to the webhook, or only preview it',
    body: z.object({
      type: z.enum(EVENT_TYPES),
      /** Fields that replace the invented ones. */
      data: z.record(z.string(), z.unknown()).optional(),
      /** Shows the request without sending it. */
      isDryRun: z.boolean().optional(),
    }),
    reply: SandboxEvent,
  }),
  advance: operation('POST /v1/sandbox/advance', {
    access: 'sandbox',
    summary: 'Retry all waiting reports now',
    reply: z.object({ deliveries: z.array(SandboxDelivery) }),
  }),
  empty: operation('POST /v1/sandbox/empty', {
    access: 'sandbox',
    summary: 'Delete all test data; test keys and the webhook are kept',
    reply: Outcome,
  }),
} as const

/** The sandbox as the window shows it. */
export const SandboxOverview = z.object({
  isOn: z.boolean(),
  /** Why it could not be opened; null if it is open or off. */
  fault: Message.nullable(),
  /** Newest first, including revoked ones; empty while it is off. */
  keys: z.array(ApiKeyRow),
  webhook: SandboxWebhook.nullable(),
  contents: SandboxContents.nullable(),
})
export type SandboxOverview = z.infer<typeof SandboxOverview>

/** The window's calls about the sandbox. */
export const dashboardSandbox = {
  read: operation('GET /dashboard/sandbox', {
    access: 'manage',
    background: true,
    summary: 'The sandbox, its test keys and its webhook address',
    reply: SandboxOverview,
  }),
  switch: operation('PUT /dashboard/sandbox', {
    access: 'manage-confirmed',
    summary: 'Enable or disable the sandbox; its data is kept',
    body: z.object({ isOn: z.boolean() }),
    reply: SandboxOverview,
  }),
  createKey: operation('POST /dashboard/sandbox/keys', {
    access: 'manage-confirmed',
    summary: 'Create a test key; it is shown once',
    body: z.object({
      description: z.string().trim().min(1, fault('values.empty')).max(200),
    }),
    reply: dashboardPeople.createApiKey.reply,
    status: 201,
  }),
  revokeKey: operation('POST /dashboard/sandbox/keys/:apiKeyId/revoke', {
    access: 'manage-confirmed',
    summary: 'Revoke a test key immediately; this cannot be undone',
    params: z.object({ apiKeyId: z.uuid() }),
    reply: WindowOutcome,
  }),
  setWebhook: operation('PUT /dashboard/sandbox/webhook', {
    access: 'manage-confirmed',
    summary: 'Set the address that the events of the sandbox are sent to',
    body: z.object({
      url: z.string().max(2000),
      /** Permits plain http and a private address. */
      allowPlaintext: z.boolean().default(false),
      /** `whsec_` and base64; the present one stays if it is missing. */
      secret: z.string().max(200).optional(),
    }),
    reply: z.object({ overview: SandboxOverview, secret: z.string().nullable() }),
  }),
  empty: operation('POST /dashboard/sandbox/empty', {
    access: 'manage-confirmed',
    summary: 'Delete all test data; test keys and the webhook are kept',
    reply: SandboxOverview,
  }),
} as const
