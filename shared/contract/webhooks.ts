import { z } from 'zod'
import { CalendarDay, Uid } from '../dicom-values.ts'
import { ReportId, StudyId, WebhookEventId } from '../ids.ts'

// Unknown fields of a response are ignored.

const Uuid = z.uuid()
const Media = z.object({ mimeType: z.string(), url: z.url(), fileName: z.string().optional() })
const refusableFields = { authorized: z.boolean(), error: z.string().optional() }

export const WorklistStep = z.object({
  Modality: z.string(),
  ScheduledProcedureStepDescription: z.string(),
  ScheduledProcedureStepID: z.string(),
  ScheduledProcedureStepStartDate: z.string(),
  ScheduledProcedureStepStartTime: z.string(),
  /** Optional fields of this object extend the description of the interface. */
  ScheduledProcedureStepLocation: z.string().optional(),
})
export type WorklistStep = z.infer<typeof WorklistStep>

/**
 * A worklist item as described by the interface. The gateway reads items individually and
 * leniently, see `worklist/item.ts`.
 */
export const WorklistItem = z.object({
  AccessionNumber: z.string(),
  Modality: z.string(),
  PatientBirthDate: z.string(),
  PatientID: z.string(),
  PatientName: z.string(),
  PatientSex: z.string(),
  PatientSize: z.string(),
  PatientWeight: z.string(),
  ProtocolName: z.string(),
  RequestedProcedureDescription: z.string(),
  ScheduledProcedureStepSequence: z.array(WorklistStep),
  StudyDescription: z.string(),
  StudyInstanceUID: z.string(),
  AdmissionID: z.string().optional(),
  /** An array, or one text with backslashes as delimiters. */
  OtherPatientIDs: z.union([z.string(), z.array(z.string())]).optional(),
  ReferringPhysicianName: z.string().optional(),
})
export type WorklistItem = z.infer<typeof WorklistItem>

/**
 * `authorized` and `items` are required, because a body without `items` does not mean that nothing
 * is scheduled. Items are validated individually, so that one invalid item does not affect the
 * others.
 */
export const WorklistAnswer = z.object({ ...refusableFields, items: z.array(z.unknown()) })
export type WorklistAnswer = z.infer<typeof WorklistAnswer>

export const WorklistQuestion = z.object({
  callingAe: z.string(),
  clinicId: Uuid,
  dateStart: CalendarDay,
  dateEnd: CalendarDay,
  sourceIp: z.string(),
  modality: z.string().optional(),
})
export type WorklistQuestion = z.infer<typeof WorklistQuestion>

const Measure = <U extends readonly [string, ...string[]]>(units: U) =>
  z.object({ unit: z.enum(units), value: z.number().min(0) })

/**
 * The seven events. `kind` determines how a failure is handled. synchronous: it is an error; soft:
 * the enrichment is empty; asynchronous: the delivery is retried.
 */
export const EVENTS = {
  'study.access_requested': {
    kind: 'synchronous',
    data: z.object({ studyId: StudyId, studyInstanceUid: Uid }),
    response: z.object({
      ...refusableFields,
      urls: z.array(z.string()),
      manifest: z.unknown().optional(),
      mediaUrls: z.array(Media).optional(),
    }),
  },
  'ephemeral.access_requested': {
    kind: 'synchronous',
    data: z.object({
      retrievalId: z.string().min(1),
      options: z.record(z.string(), z.unknown()).optional(),
    }),
    response: z.object({
      ...refusableFields,
      urls: z.array(z.string()),
      manifests: z.array(z.unknown()).optional(),
      mediaUrls: z.array(Media).optional(),
    }),
  },
  'secondary_capture.access_requested': {
    kind: 'synchronous',
    data: z.object({
      studyId: StudyId,
      studyInstanceUid: Uid,
      seriesInstanceUid: Uid.optional(),
      sopInstanceUid: Uid.optional(),
    }),
    response: z.object({ ...refusableFields, uploadUrls: z.array(z.string()) }),
  },
  'modality_worklist.requested': {
    kind: 'synchronous',
    data: WorklistQuestion,
    response: WorklistAnswer,
  },
  'patient_study.enrichment_requested': {
    kind: 'soft',
    data: z.object({
      clinicId: Uuid,
      studyInstanceUid: Uid,
      accessionNumber: z.string().optional(),
      patientId: z.string().optional(),
    }),
    response: z
      .object({
        dateOfBirth: CalendarDay,
        expressCustomerId: z.string(),
        externalPatientId: z.string(),
        facilityName: z.string(),
        height: Measure(['in', 'cm']),
        mrn: z.string(),
        patientName: z.string(),
        procedure: z.string(),
        referringPhysicianName: z.string(),
        severity: z.enum(['normal', 'high', 'stat']),
        sex: z.enum(['male', 'female', 'other']),
        studyDate: CalendarDay,
        studyDescription: z.string(),
        studyTime: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?$/),
        weight: Measure(['lbs', 'kg']),
      })
      .partial(),
  },
  'clinical_context.enrichment_requested': {
    kind: 'soft',
    data: z.object({
      clinicId: Uuid,
      studyId: Uuid,
      studyInstanceUid: Uid,
      externalPatientId: z.string().optional(),
      mrn: z.string().optional(),
    }),
    response: z
      .object({
        clinicalIndication: z.string(),
        documents: z.array(
          z.object({ content: z.array(z.string()), fileName: z.string().min(1).max(500) }),
        ),
        documentUrls: z.array(
          z.object({
            url: z.url({ protocol: /^https$/ }),
            fileName: z.string().min(1).max(500).optional(),
          }),
        ),
        priorReports: z.array(
          z.object({
            reportText: z.string().max(50_000),
            externalStudyId: z.string().max(256).optional(),
            modality: z.string().max(100).optional(),
            studyDate: CalendarDay.optional(),
            studyDescription: z.string().max(1000).optional(),
          }),
        ),
        technologistNotes: z.array(z.string()),
        technologistTechnique: z.string(),
      })
      .partial(),
  },
  'report.delivered': {
    kind: 'asynchronous',
    data: z.object({
      isCritical: z.boolean(),
      presignedUrl: z.url(),
      reportId: ReportId,
      studyId: StudyId,
      studyInstanceUid: Uid,
      externalPatientId: z.string().optional(),
      plainText: z.string().optional(),
    }),
    response: z.object({ success: z.boolean() }),
  },
} as const satisfies Record<
  string,
  { kind: 'synchronous' | 'soft' | 'asynchronous'; data: z.ZodType; response: z.ZodType }
>

export type EventType = keyof typeof EVENTS
export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]]
/** Events that are sent to the endpoint of the API key that created the study or the session. */
export const KEY_EVENT_TYPES = [
  'study.access_requested',
  'ephemeral.access_requested',
  'secondary_capture.access_requested',
  'report.delivered',
] as const satisfies readonly EventType[]
export type EventData<T extends EventType> = z.infer<(typeof EVENTS)[T]['data']>
export type EventResponse<T extends EventType> = z.infer<(typeof EVENTS)[T]['response']>

/** The envelope of every event, with exactly these three fields. */
export const Envelope = z.strictObject({
  id: WebhookEventId,
  type: z.enum(EVENT_TYPES),
  data: z.record(z.string(), z.unknown()),
})
export interface Envelope<T extends EventType = EventType> {
  readonly id: WebhookEventId
  readonly type: T
  readonly data: EventData<T>
}
