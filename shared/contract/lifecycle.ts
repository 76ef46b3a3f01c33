import { z } from 'zod'
import { AeTitle, Uid } from '../dicom-values.ts'
import { fault } from '../messages/issues.ts'
import { operation } from '../operation.ts'
import { Instant, Outcome, WindowOutcome } from './conventions.ts'
import { ModalityCode, Reason } from './values.ts'

/** What the age of a study is counted from: its last received image, or its last signed report. */
export const LIFECYCLE_SINCE = ['received', 'signed'] as const

/**
 * Why a study that a rule applies to is kept. legal-hold: a person placed a hold; arriving: it is
 * not complete; quarantine: some of its images are quarantined; mismatch: its patient does not
 * match the order; forwarding: images are waiting to be sent, or could not be; not-signed: a report
 * is missing or not signed; not-confirmed: too few copies elsewhere are confirmed.
 */
export const KEPT_REASONS = [
  'legal-hold',
  'arriving',
  'quarantine',
  'mismatch',
  'forwarding',
  'not-signed',
  'not-confirmed',
] as const
export type KeptReason = (typeof KEPT_REASONS)[number]

/** What a person decides about the local files of studies. */
export const NewLifecycleRule = z.object({
  name: z
    .string()
    .trim()
    .min(1, { error: fault('values.empty') })
    .max(80),
  since: z.enum(LIFECYCLE_SINCE),
  /** Whole days that files are kept after `since`. */
  days: z.int().min(0).max(36_500),
  /** Only studies whose images are all of these modalities; none: all studies. */
  modalities: z.array(ModalityCode).max(50),
  /** Only studies whose images all come from devices with these AE titles; none: all studies. */
  devices: z.array(AeTitle).max(100),
  requiresSignedReport: z.boolean(),
  /** Number of places that must have confirmed their copy of every image. */
  copies: z.int().min(1).max(5),
  /** Whether files go earlier while free space is below `intake.warnGigabytes`. */
  isEarlierWhenLow: z.boolean(),
  /**
   * Whether studies of that age that lack confirmed copies are retrieved from destinations that
   * cannot confirm them, and compared.
   */
  readsBack: z.boolean(),
})
export type NewLifecycleRule = z.output<typeof NewLifecycleRule>

/** A rule. It can be switched on only as it was previewed. */
export const LifecycleRule = NewLifecycleRule.extend({
  ruleId: z.uuid(),
  /** Increases with each change. */
  revision: z.int(),
  isPreviewed: z.boolean(),
  isOn: z.boolean(),
  createdAt: Instant,
  updatedAt: Instant,
})
export type LifecycleRule = z.infer<typeof LifecycleRule>

const Amount = { studies: z.int(), bytes: z.int() }

/** What a rule would remove now. */
export const LifecyclePreview = z.object({
  revision: z.int(),
  remove: z.object({ ...Amount, instances: z.int() }),
  /** Studies that the rule does not apply to yet, because they are too young. */
  notDue: z.object(Amount),
  /** Studies that would go, but are kept. */
  kept: z.array(z.object({ reason: z.enum(KEPT_REASONS), ...Amount })),
  /** Oldest first, at most 100. */
  examples: z.array(
    z.object({
      studyInstanceUid: z.string(),
      patientName: z.string(),
      modalities: z.array(z.string()),
      receivedAt: Instant,
      instances: z.int(),
      bytes: z.int(),
    }),
  ),
})
export type LifecyclePreview = z.infer<typeof LifecyclePreview>

/** The rules, and how the disk fills with and without them. */
export const LifecycleOverview = z.object({
  rules: z.array(LifecycleRule),
  disk: z.object({
    freeBytes: z.int(),
    totalBytes: z.int(),
    /** Files of studies that are on this PC. */
    localBytes: z.int(),
    /** What was removed in the last 14 days, and ever, by rules. */
    removedBytes: z.int(),
    removedStudies: z.int(),
    /** Null where it cannot be forecast. */
    fullInDays: z.int().nullable(),
    /** At the same rate, with what the rules that are on will remove. Null as above. */
    withRules: z
      .object({
        /** Null: not within ten years. */
        fullInDays: z.int().nullable(),
        /** That day of the clinic, `YYYY-MM-DD`. */
        fullOn: z.string().nullable(),
        /** The coming weeks, at most 8, up to the one in which the disk is full. */
        weeks: z.array(
          z.object({
            /** Its first day. */
            from: z.string(),
            receivedBytes: z.number(),
            freedBytes: z.number(),
            /** At the end of the week. */
            freeBytes: z.number(),
          }),
        ),
      })
      .nullable(),
    receivedPerDay: z.int().nullable(),
  }),
  /**
   * Whether copies can be confirmed at all: by a destination, an object store, or a rule that has
   * them read back.
   */
  mayBeConfirmed: z.boolean(),
  /** The last run; null if there was none since the gateway started. */
  lastRun: z.object({ at: Instant, studies: z.int(), bytes: z.int() }).nullable(),
})
export type LifecycleOverview = z.infer<typeof LifecycleOverview>

export const LegalHold = z.object({
  holdId: z.uuid(),
  reason: z.string(),
  placedBy: z.string(),
  placedAt: Instant,
  liftedBy: z.string().nullable(),
  liftedAt: Instant.nullable(),
})
export type LegalHold = z.infer<typeof LegalHold>

/** Where the images of a study are, and what holds them there. */
export const StudyLifecycle = z.object({
  studyInstanceUid: z.string(),
  instances: z.int(),
  /** Images without a file on this PC. */
  removed: z.int(),
  removedAt: Instant.nullable(),
  /** Places that have confirmed copies. */
  copies: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(['commitment', 'read-back', 'tier']),
      instances: z.int(),
      confirmedAt: Instant,
    }),
  ),
  /** The hold in force and earlier ones, newest first. */
  holds: z.array(LegalHold),
})
export type StudyLifecycle = z.infer<typeof StudyLifecycle>

const ruleParams = z.object({ ruleId: z.uuid() })
const studyParams = z.object({ studyInstanceUid: Uid })

/** Lifecycle rules, legal holds and where images are kept, for the window. */
export const dashboardLifecycle = {
  overview: operation('GET /dashboard/lifecycle', {
    access: 'manage',
    summary: 'The rules, and the disk forecast with and without them',
    reply: LifecycleOverview,
  }),
  add: operation('POST /dashboard/lifecycle/rules', {
    access: 'manage-confirmed',
    summary: 'Add a rule; it is disabled until it has been previewed and enabled',
    body: NewLifecycleRule,
    reply: LifecycleRule,
    status: 201,
  }),
  update: operation('PUT /dashboard/lifecycle/rules/:ruleId', {
    access: 'manage-confirmed',
    summary: 'Change a rule; the change disables it',
    params: ruleParams,
    body: NewLifecycleRule,
    reply: LifecycleRule,
  }),
  remove: operation('DELETE /dashboard/lifecycle/rules/:ruleId', {
    access: 'manage-confirmed',
    summary: 'Delete a rule',
    params: ruleParams,
    reply: Outcome,
  }),
  preview: operation('POST /dashboard/lifecycle/rules/:ruleId/preview', {
    access: 'manage',
    summary: 'Preview what the rule would remove now, and what it would keep and why',
    params: ruleParams,
    reply: LifecyclePreview,
  }),
  switch: operation('POST /dashboard/lifecycle/rules/:ruleId/switch', {
    access: 'manage-confirmed',
    summary: 'Enable a rule as previewed, or disable it',
    params: ruleParams,
    body: z.object({ isOn: z.boolean(), revision: z.int() }),
    reply: LifecycleRule,
  }),
  run: operation('POST /dashboard/lifecycle/run', {
    access: 'manage-confirmed',
    summary: 'Run the enabled rules now',
    reply: WindowOutcome,
  }),
  study: operation('GET /dashboard/lifecycle/studies/:studyInstanceUid', {
    access: 'signed-in',
    summary: 'Locations of the images of a study, and its legal holds',
    params: studyParams,
    reply: StudyLifecycle,
  }),
  placeHold: operation('POST /dashboard/lifecycle/studies/:studyInstanceUid/hold', {
    access: 'manage-confirmed',
    summary: 'Place a legal hold on a study',
    params: studyParams,
    body: z.object({ reason: Reason }),
    reply: StudyLifecycle,
  }),
  liftHold: operation('POST /dashboard/lifecycle/studies/:studyInstanceUid/lift-hold', {
    access: 'manage-confirmed',
    summary: 'Lift the legal hold of a study',
    params: studyParams,
    body: z.object({ reason: Reason }),
    reply: StudyLifecycle,
  }),
} as const
