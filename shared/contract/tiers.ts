import { z } from 'zod'
import { fault } from '../messages/issues.ts'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Outcome } from './conventions.ts'

/**
 * none: as the store does by default. sse-s3: the store encrypts with keys of its own. sse-c: the
 * store encrypts with a key of the gateway, which it receives with each request and does not keep.
 */
export const OBJECT_ENCRYPTIONS = ['none', 'sse-s3', 'sse-c'] as const

const Name = z
  .string()
  .trim()
  .min(1, { error: fault('values.empty') })
  .max(64)
const Address = z.url({ protocol: /^https?$/, error: fault('tiers.not-an-address') }).max(500)
const Certificate = z.string().max(20_000).nullable().default(null)

/** A bucket of an S3-compatible object store. */
export const S3Settings = z.object({
  kind: z.literal('s3'),
  endpoint: Address,
  region: z
    .string()
    .trim()
    .regex(/^[a-z0-9-]{1,64}$/, { error: fault('tiers.not-a-region') })
    .default('us-east-1'),
  bucket: z
    .string()
    .trim()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { error: fault('tiers.not-a-bucket') }),
  /** Begins the key of every object; empty, or ends with a slash. */
  prefix: z
    .string()
    .trim()
    .regex(/^([A-Za-z0-9._-]+\/){0,8}$/, { error: fault('tiers.not-a-prefix') })
    .default(''),
  accessKeyId: z
    .string()
    .trim()
    .min(1, { error: fault('values.empty') })
    .max(128),
  /** Whether the bucket is in the path of a request, not in its host name. */
  isPathStyle: z.boolean().default(true),
  encryption: z.enum(OBJECT_ENCRYPTIONS).default('none'),
  /** PEM of the authority that signed the store's certificate; null: a public one. */
  certificate: Certificate,
})
export type S3Settings = z.output<typeof S3Settings>

/** A PACS from which images are retrieved by C-MOVE: one of the destinations. */
const PacsSettings = z.object({ kind: z.literal('pacs'), destinationId: z.uuid() })
export type PacsSettings = z.output<typeof PacsSettings>

/** A PACS from which images are retrieved by WADO-RS. */
export const DicomwebSettings = z.object({
  kind: z.literal('dicomweb'),
  /** The base of the service, such as `https://pacs.example/dicom-web`. */
  url: Address,
  /** For HTTP basic authentication; empty: none. */
  user: z.string().trim().max(128).default(''),
  certificate: Certificate,
})
export type DicomwebSettings = z.output<typeof DicomwebSettings>

export const TierSettings = z.discriminatedUnion('kind', [
  S3Settings,
  PacsSettings,
  DicomwebSettings,
])
export type TierSettings = z.output<typeof TierSettings>

const VERIFICATION_STATES = ['running', 'done', 'stopped', 'failed'] as const
/** Comparison of the copies in a tier with what the gateway has recorded of them. */
export const Verification = z.object({
  state: z.enum(VERIFICATION_STATES),
  /** Whether only the list of objects was compared, not their content. */
  isQuick: z.boolean(),
  checked: z.int(),
  total: z.int(),
  missing: z.int(),
  changed: z.int(),
  /** Missing or changed copies that are copied again, because the file is on this PC. */
  repaired: z.int(),
  startedAt: Instant,
  endedAt: Instant.nullable(),
  fault: Message.nullable(),
})
export type Verification = z.infer<typeof Verification>

export const MIGRATION_STATES = ['running', 'paused', 'done', 'cancelled'] as const
/** Copying the images of the archive to a tier. */
export const Migration = z.object({
  migrationId: z.int(),
  state: z.enum(MIGRATION_STATES),
  totalInstances: z.int(),
  totalBytes: z.int(),
  /** Copied, or already in the tier when the migration came to them. */
  doneInstances: z.int(),
  doneBytes: z.int(),
  failedInstances: z.int(),
  /** Of the last minute; null while nothing was copied. */
  bytesPerSecond: z.number().nullable(),
  secondsLeft: z.number().nullable(),
  startedAt: Instant,
  endedAt: Instant.nullable(),
})
export type Migration = z.infer<typeof Migration>

/** A place behind the local folder where images are kept. */
export const Tier = z.object({
  tierId: z.uuid(),
  name: z.string(),
  isEnabled: z.boolean(),
  /** Whether new images are copied to it; always false for a PACS. */
  isAutomatic: z.boolean(),
  settings: TierSettings,
  hasSecret: z.boolean(),
  /** Instances whose copy was confirmed, and their bytes. */
  stored: z.object({ instances: z.int(), bytes: z.int() }),
  waiting: z.int(),
  failed: z.int(),
  /** Copies that the last verification did not find, or found changed. */
  lost: z.int(),
  /**
   * Its address was changed, and its copies have not been verified since: they do not permit removing
   * files from this PC.
   */
  mustBeVerified: z.boolean(),
  lastError: Message.nullable(),
  migration: Migration.nullable(),
  verification: Verification.nullable(),
  createdAt: Instant,
  updatedAt: Instant,
})
export type Tier = z.infer<typeof Tier>

/** The secret access key or the password; write-only. Undefined: unchanged; null: deleted. */
const Secret = z.string().max(512).nullable().optional()

export const NewTier = z.object({
  name: Name,
  isEnabled: z.boolean().default(true),
  isAutomatic: z.boolean().default(false),
  settings: TierSettings,
  secret: Secret,
})
export type NewTier = z.output<typeof NewTier>

export const TierTest = z.object({
  success: z.boolean(),
  /** What works, or what is wrong and what to do. */
  message: Message,
  tookMs: z.number(),
})
export type TierTest = z.infer<typeof TierTest>

const tierParams = z.object({ tierId: z.uuid() })

/** Tiers, for administrators. */
export const dashboardTiers = {
  list: operation('GET /dashboard/tiers', {
    access: 'manage',
    background: true,
    summary: 'All tiers with their copies, migrations and verifications',
    reply: z.object({ tiers: z.array(Tier) }),
  }),
  add: operation('POST /dashboard/tiers', {
    access: 'manage-confirmed',
    summary: 'Add a tier',
    body: NewTier,
    reply: Tier,
    status: 201,
  }),
  update: operation('PUT /dashboard/tiers/:tierId', {
    access: 'manage-confirmed',
    summary: 'Change a tier',
    params: tierParams,
    body: NewTier,
    reply: Tier,
  }),
  remove: operation('DELETE /dashboard/tiers/:tierId', {
    access: 'manage-confirmed',
    summary: 'Remove a tier that holds no only copy of an image; its objects stay in the store',
    params: tierParams,
    reply: Outcome,
  }),
  test: operation('POST /dashboard/tiers/:tierId/test', {
    access: 'manage',
    summary: 'Test the connection; in an object store, write, read and delete an object',
    params: tierParams,
    reply: TierTest,
  }),
  migrate: operation('POST /dashboard/tiers/:tierId/migration', {
    access: 'manage-confirmed',
    summary: 'Copy all images of the archive to the tier',
    params: tierParams,
    reply: Tier,
  }),
  changeMigration: operation('PATCH /dashboard/tiers/:tierId/migration', {
    access: 'manage',
    summary: 'Pause, resume or cancel the migration, or retry what failed',
    params: tierParams,
    body: z.object({ action: z.enum(['pause', 'resume', 'cancel', 'retry']) }),
    reply: Tier,
  }),
  verify: operation('POST /dashboard/tiers/:tierId/verification', {
    access: 'manage',
    summary: 'Compare the objects in the store with their records',
    params: tierParams,
    body: z.object({ isQuick: z.boolean().default(false) }),
    reply: Tier,
  }),
  stopVerification: operation('DELETE /dashboard/tiers/:tierId/verification', {
    access: 'manage',
    summary: 'Stop the running verification',
    params: tierParams,
    reply: Tier,
  }),
} as const
