import { z } from 'zod'
import { Uid } from '../dicom-values.ts'
import { ExpressCustomerId, ReportId, StudyId, UserId } from '../ids.ts'
import { REPORT_STATUSES, REPORT_STUDY_STATUSES } from '../lifecycle.ts'
import { fault } from '../messages/issues.ts'
import { operation } from '../operation.ts'
import { Day, Instant, Outcome, pageOf } from './conventions.ts'
import { choices, Metadata, orEmpty, orNull, Severity } from './values.ts'
import {
  EphemeralSession,
  eitherStudy,
  StudyDescription,
  studyFilters,
  studyParams,
  studyRecord,
  TokenUrl,
  uidParams,
} from './viewer.ts'

const text = (most: number) => z.string().max(most)
const measure = <const U extends readonly [string, ...string[]]>(units: U) =>
  z.object({ unit: z.enum(units), value: z.number().min(0) })

const metadataFields = {
  age: text(100),
  dateOfBirth: Day,
  facilityName: text(500),
  height: measure(['in', 'cm']),
  mrn: text(200),
  patientName: text(500),
  referringPhysicianName: text(500),
  scanDate: Day,
  scanTime: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: fault('studies.time-of-day') }),
  scanType: text(500),
  sex: z.enum(['male', 'female', 'other']),
  weight: measure(['lbs', 'kg']),
}
/** Patient and scan data; all fields are optional. */
export const StudyReportMetadata = z
  .object(metadataFields)
  .partial()
  .meta({ id: 'StudyReportMetadata' })
export type StudyReportMetadata = z.infer<typeof StudyReportMetadata>

/** Names by which published clients send three of the fields. */
const ALIASES = { procedure: 'scanType', studyDate: 'scanDate', studyTime: 'scanTime' } as const
const aliasFields = {
  procedure: metadataFields.scanType,
  studyDate: metadataFields.scanDate,
  studyTime: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?$/, {
      error: fault('studies.time-of-day'),
    })
    .transform((time) => time.slice(0, 5)),
}
const givenFields = { ...metadataFields, ...aliasFields }
type GivenFields = typeof givenFields
type Given = { readonly [K in keyof GivenFields]?: z.output<GivenFields[K]> | null | undefined }

/** Puts aliases in their fields. A field that is given by both names must have one value. */
function withoutAliases<T extends Given>(given: T, context: z.RefinementCtx) {
  const metadata: Record<string, unknown> = { ...given }
  for (const [alias, name] of Object.entries(ALIASES)) {
    const value = metadata[alias]
    delete metadata[alias]
    if (value === undefined) continue
    if (metadata[name] !== undefined && metadata[name] !== value)
      context.addIssue({
        code: 'custom',
        path: [alias],
        message: fault('studies.alias-differs'),
        params: { name },
      })
    metadata[name] = value
  }
  return metadata as Omit<T, keyof typeof ALIASES>
}

const nullableFields = Object.fromEntries(
  Object.entries(givenFields).map(([name, field]) => [
    name,
    name in ALIASES
      ? field.nullable().optional().meta({ deprecated: true })
      : field.nullable().optional(),
  ]),
) as { [K in keyof GivenFields]: z.ZodOptional<z.ZodNullable<GivenFields[K]>> }
/** In a PATCH, null clears a field, and missing fields are unchanged. */
const MetadataPatch = z.object(nullableFields).transform(withoutAliases)
/** In a new study, null is the same as a missing field. */
const NewMetadata = z.object(nullableFields).transform((given, context) => {
  const known = Object.entries(withoutAliases(given, context)).filter(([, value]) => value !== null)
  return Object.fromEntries(known) as StudyReportMetadata
})

const PriorTexts = z.array(z.string().max(50_000)).max(50)
const PriorIds = z.array(StudyId).max(50)
const Notes = z.array(z.string().min(1).max(1000)).max(50)
const priorReport = {
  externalStudyId: text(256),
  modality: text(100),
  studyDate: Day,
  studyDescription: text(1000),
}
const PriorReports = z
  .array(z.object({ reportText: text(50_000), ...z.object(priorReport).partial().shape }))
  .max(50)
/** Texts about the exam; some are also provided by the enrichment. */
const contextTexts = {
  externalPatientId: text(256).nullable().optional(),
  clinicalHistory: text(10_000).nullable().optional(),
  clinicalIndication: text(10_000).nullable().optional(),
  modality: text(100).nullable().optional(),
  technologistTechnique: text(10_000).nullable().optional(),
}
const GivenPriorReports = z
  .array(
    z.object({
      reportText: text(50_000),
      externalStudyId: orNull(priorReport.externalStudyId),
      modality: orNull(priorReport.modality),
      studyDate: orNull(priorReport.studyDate),
      studyDescription: orNull(priorReport.studyDescription),
    }),
  )
  .max(50)

const { assignedTo, ...shared } = studyRecord
export const ScribeStudy = z
  .object({
    ...shared,
    assignedTo,
    reportMetadata: StudyReportMetadata,
    studyReportStatus: z.enum(REPORT_STUDY_STATUSES),
    priorReportTexts: z.array(z.string()).optional(),
    priorStudyIds: z.array(StudyId).optional(),
    reportIds: z
      .array(
        z.object({
          reportId: ReportId,
          status: z.enum(REPORT_STATUSES),
          isCritical: z.boolean().nullable(),
        }),
      )
      .optional(),
    ...contextTexts,
    technologistNotes: Notes.optional(),
    priorReports: PriorReports.optional(),
  })
  .meta({ id: 'ScribeStudy' })
export type ScribeStudy = z.infer<typeof ScribeStudy>

export const ScribeReport = z
  .object({
    reportId: ReportId,
    studyId: StudyId,
    userId: UserId,
    isAddendum: z.boolean(),
    status: z.enum(REPORT_STATUSES),
    signedAt: Instant.nullable(),
    isCritical: z.boolean().nullable(),
    snapshotMetadata: StudyReportMetadata,
    reportPlainText: z.string().optional(),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'ScribeReport' })
export type ScribeReport = z.infer<typeof ScribeReport>

const item = {
  reportId: ReportId,
  studyId: StudyId,
  studyInstanceUid: z.string(),
  snapshotMetadata: StudyReportMetadata,
  isCritical: z.boolean().nullable(),
  plainText: z.string().optional(),
}
const ReportText = z.object(item).meta({ id: 'ReportText' })
const ReportPdf = z.object({ ...item, presignedUrl: z.url() }).meta({ id: 'ReportPdf' })
/** One item for a report ID, or all completed reports of a study. */
const oneOrAll = <T extends z.ZodType>(one: T) =>
  z.union([
    one,
    z.object({ reports: z.array(one), studyId: StudyId, studyInstanceUid: z.string() }),
  ])
const empty = (given: unknown) => given || undefined
const reportQuery = z.object({
  reportId: z.preprocess(empty, ReportId.optional()),
  studyId: z.preprocess(empty, StudyId.optional()),
  studyInstanceUid: z.preprocess(empty, Uid.optional()),
})
const reportParams = z.object({ reportId: ReportId })

export const scribe = {
  create: operation('POST /v1/scribe/studies', {
    access: 'partner',
    summary: 'Create a study for reporting',
    body: z.object({
      studyInstanceUid: Uid,
      studyDescription: StudyDescription,
      severity: Severity,
      reportMetadata: NewMetadata,
      assignedTo: orNull(UserId),
      expressCustomerId: orNull(ExpressCustomerId),
      metadata: orNull(Metadata),
      priorReportTexts: orNull(PriorTexts),
      priorStudyIds: orNull(PriorIds),
      ...contextTexts,
      technologistNotes: orNull(Notes),
      priorReports: orNull(GivenPriorReports),
    }),
    reply: ScribeStudy,
    status: 201,
  }),
  list: operation('GET /v1/scribe/studies', {
    access: 'partner',
    summary: 'List scribe studies, newest first',
    query: z.object({
      ...studyFilters,
      studyReportStatus: choices(REPORT_STUDY_STATUSES),
      /** Published clients tell external studies apart, of which there are none here. */
      studyType: z.preprocess(
        (given) => given || undefined,
        z.enum(['standard', 'external']).optional(),
      ),
    }),
    reply: pageOf('studies', ScribeStudy),
  }),
  read: operation('GET /v1/scribe/studies/:studyId', {
    access: 'partner',
    summary: 'Read a scribe study',
    params: studyParams,
    reply: ScribeStudy,
  }),
  byUid: operation('GET /v1/scribe/studies/by-uid/:studyInstanceUid', {
    access: 'partner',
    summary: 'Read a scribe study by its UID',
    params: uidParams,
    reply: ScribeStudy,
  }),
  update: operation('PATCH /v1/scribe/studies/:studyId', {
    access: 'partner',
    summary: 'Update a scribe study',
    params: studyParams,
    body: orEmpty(
      z.object({
        assignedTo: UserId.nullable().optional(),
        expressCustomerId: ExpressCustomerId.nullable().optional(),
        metadata: Metadata.nullable().optional(),
        priorReportTexts: PriorTexts.nullable().optional(),
        priorStudyIds: PriorIds.nullable().optional(),
        reportMetadata: MetadataPatch.optional(),
        severity: Severity.optional(),
        studyDescription: StudyDescription.optional(),
        ...contextTexts,
        technologistNotes: Notes.nullable().optional(),
        priorReports: GivenPriorReports.nullable().optional(),
      }),
    ),
    reply: ScribeStudy,
  }),
  cancel: operation('POST /v1/scribe/studies/cancel', {
    access: 'partner',
    summary: 'Cancel a study',
    body: orEmpty(z.object(eitherStudy)),
    reply: Outcome,
  }),
  uncancel: operation('POST /v1/scribe/studies/uncancel', {
    access: 'partner',
    summary: 'Reinstate a cancelled study',
    body: orEmpty(z.object(eitherStudy)),
    reply: Outcome,
  }),
  rerouteUrl: operation('POST /v1/scribe/studies/reroute-url', {
    access: 'partner',
    summary: 'Assign the study and create a link to the viewer with dictation',
    body: z.object({ assignedToUserId: UserId, ...eitherStudy }),
    reply: TokenUrl,
  }),
  viewerOnlyRerouteUrl: operation('POST /v1/scribe/studies/viewer-only-reroute-url', {
    access: 'viewer',
    summary: 'Create a link to the viewer without dictation',
    body: orEmpty(z.object({ ...eitherStudy, userId: UserId.optional() })),
    reply: TokenUrl,
  }),
  reports: operation('GET /v1/scribe/reports', {
    access: 'partner',
    summary: 'Read the reports of a study, including addenda',
    query: reportQuery.omit({ reportId: true }),
    reply: z.object({
      reports: z.array(ScribeReport),
      studyId: StudyId,
      studyInstanceUid: z.string(),
    }),
  }),
  reportText: operation('GET /v1/scribe/reports/text', {
    access: 'partner',
    summary: 'Read the text of completed reports',
    query: reportQuery,
    reply: oneOrAll(ReportText),
  }),
  reportPdf: operation('GET /v1/scribe/reports/pdf', {
    access: 'partner',
    summary: 'Create time-limited links to the PDFs of completed reports',
    query: reportQuery,
    reply: oneOrAll(ReportPdf),
  }),
  startAddendum: operation('POST /v1/scribe/reports/:reportId/addendum', {
    access: 'partner',
    summary: 'Start an addendum on a completed report',
    params: reportParams,
    reply: Outcome,
  }),
  cancelAddendum: operation('POST /v1/scribe/reports/:reportId/cancel-addendum', {
    access: 'partner',
    summary: 'Cancel an active addendum',
    params: reportParams,
    reply: Outcome,
  }),
  ephemeralSession: operation('POST /v1/scribe/ephemeral-sessions', {
    access: 'partner',
    summary: 'Create a viewer session without a study',
    body: EphemeralSession,
    reply: TokenUrl,
    status: 201,
  }),
} as const
