// Generated from docs/openapi.json by npm run clients. Do not edit.

import type * as Types from './types.gen.ts'

/** Data and answer of each event, by type. */
export interface EventTypes {
  /** Presigned URLs of a study’s DICOM images are needed. */
  'study.access_requested': {
    data: Types.StudyAccessRequestedWebhookPayload['data']
    answer: Types.StudyAccessRequestedResponse
  }
  /** Presigned URLs are needed for a viewer session without a study. */
  'ephemeral.access_requested': {
    data: Types.EphemeralAccessRequestedWebhookPayload['data']
    answer: Types.EphemeralAccessRequestedResponse
  }
  /** Presigned upload URLs for a secondary capture are needed. */
  'secondary_capture.access_requested': {
    data: Types.SecondaryCaptureAccessRequestedWebhookPayload['data']
    answer: Types.SecondaryCaptureAccessRequestedResponse
  }
  /** A device queried the worklist. */
  'modality_worklist.requested': {
    data: Types.ModalityWorklistRequestedWebhookPayload['data']
    answer: Types.ModalityWorklistRequestedResponse
  }
  /** A study was created from images and needs demographics. */
  'patient_study.enrichment_requested': {
    data: Types.PatientStudyEnrichmentRequestedWebhookPayload['data']
    answer: Types.PatientStudyEnrichmentRequestedResponse
  }
  /** The reporting area needs clinical context. */
  'clinical_context.enrichment_requested': {
    data: Types.ClinicalContextEnrichmentRequestedWebhookPayload['data']
    answer: Types.ClinicalContextEnrichmentRequestedResponse
  }
  /** A report was completed. */
  'report.delivered': {
    data: Types.ReportDeliveredWebhookPayload['data']
    answer: Types.ReportDeliveredResponse
  }
}

/** The types of all events. */
export const EVENT_TYPES = [
  'study.access_requested',
  'ephemeral.access_requested',
  'secondary_capture.access_requested',
  'modality_worklist.requested',
  'patient_study.enrichment_requested',
  'clinical_context.enrichment_requested',
  'report.delivered',
] as const satisfies readonly (keyof EventTypes)[]
