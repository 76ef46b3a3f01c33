import { z } from 'zod'
import { EVENTS, type EventType, WorklistItem, WorklistStep } from '#shared/contract/webhooks.ts'
import { Uid } from '#shared/dicom-values.ts'

// The correct form of the answers to events, for the reference. The gateway itself reads the parts
// of an answer individually and leniently (`webhooks/answer.ts`).

const httpsUrl = z.url({ protocol: /^https$/ })
const MediaUrls = z.array(
  z.object({
    mimeType: z.string(),
    url: httpsUrl,
    fileName: z.string().min(1).max(500).optional(),
  }),
)

const day = z.string().regex(/^(\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01]))?$/)
const Step = WorklistStep.extend({
  ScheduledProcedureStepID: z.string().max(16),
  ScheduledProcedureStepStartDate: z.string().regex(/^\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/),
  ScheduledProcedureStepStartTime: z
    .string()
    .regex(/^([01]\d|2[0-3])([0-5]\d([0-5]\d(\.\d{1,6})?)?)?$/),
})
const DecimalText = z.string().regex(/^(\d+(\.\d+)?)?$/)
const Item = WorklistItem.extend({
  AccessionNumber: z.string().max(16),
  PatientBirthDate: day,
  PatientName: z.string().max(64),
  PatientSex: z.enum(['M', 'F', 'O', '']),
  PatientSize: DecimalText,
  PatientWeight: DecimalText,
  ScheduledProcedureStepSequence: z.array(Step).min(1),
  StudyInstanceUID: Uid,
}).meta({ id: 'WorklistItem' })

const count = z.int().min(1).optional()
const ManifestInstance = z.object({
  sopClassUID: z.string().min(1),
  sopInstanceUID: z.string().min(1),
  instanceNumber: z.number().optional(),
  numberOfFrames: count,
  rows: count,
  columns: count,
  bitsAllocated: z.literal([8, 16, 32]).optional(),
  bitsStored: z.number().optional(),
  highBit: z.number().optional(),
  pixelRepresentation: z.literal([0, 1]).optional(),
  samplesPerPixel: z.literal([1, 3]).optional(),
  photometricInterpretation: z.string().min(1).optional(),
  rescaleSlope: z.number().optional(),
  rescaleIntercept: z.number().optional(),
  isFloatPixelData: z.boolean().optional(),
  isDoubleFloatPixelData: z.boolean().optional(),
})
const Manifest = z
  .object({
    studyInstanceUID: z.string().min(1),
    series: z
      .array(
        z.object({
          seriesInstanceUID: z.string().min(1),
          seriesDescription: z.string().min(1),
          seriesNumber: z.union([z.string(), z.number()]),
          modality: z.string().min(1),
          sops: z.array(ManifestInstance).min(1),
        }),
      )
      .min(1),
  })
  .meta({ id: 'StudyManifest' })

const InstanceUrls = z.array(httpsUrl)

const { response: study } = EVENTS['study.access_requested']
const { response: ephemeral } = EVENTS['ephemeral.access_requested']
const { response: capture } = EVENTS['secondary_capture.access_requested']
const { response: worklist } = EVENTS['modality_worklist.requested']

const ANSWER_SCHEMAS: { readonly [T in EventType]: z.ZodType } = {
  'study.access_requested': study
    .extend({ urls: InstanceUrls, manifest: Manifest.optional(), mediaUrls: MediaUrls.optional() })
    .meta({ id: 'StudyAccessRequestedResponse' }),
  'ephemeral.access_requested': ephemeral
    .extend({
      urls: InstanceUrls,
      manifests: z.array(Manifest).optional(),
      mediaUrls: MediaUrls.optional(),
    })
    .meta({ id: 'EphemeralAccessRequestedResponse' }),
  'secondary_capture.access_requested': capture
    .extend({ uploadUrls: InstanceUrls })
    .meta({ id: 'SecondaryCaptureAccessRequestedResponse' }),
  'modality_worklist.requested': worklist
    .extend({ items: z.array(Item) })
    .meta({ id: 'ModalityWorklistRequestedResponse' }),
  'patient_study.enrichment_requested': EVENTS['patient_study.enrichment_requested'].response.meta({
    id: 'PatientStudyEnrichmentRequestedResponse',
  }),
  'clinical_context.enrichment_requested': EVENTS[
    'clinical_context.enrichment_requested'
  ].response.meta({ id: 'ClinicalContextEnrichmentRequestedResponse' }),
  'report.delivered': EVENTS['report.delivered'].response.meta({ id: 'ReportDeliveredResponse' }),
}

/** The schema that the reference shows for the answer to an event. */
export const documentedAnswerSchema = (type: EventType): z.ZodType => ANSWER_SCHEMAS[type]
