import type { ImageHeader } from '#server/modules/studies/image-study-row.ts'

/** What is known of a candidate, for matching and for return keys. */
export interface CandidateFacts {
  readonly study: FoundStudy
  readonly series: FoundSeries | undefined
  readonly instance: FoundInstance | undefined
  /** Lookups that few queries need. */
  readonly lookups: Lookups
}

export interface FoundStudy {
  readonly studyInstanceUid: string
  /** Of the first image; the accession number may be that of the worklist row. */
  readonly header: ImageHeader
  readonly instances: number
  readonly series: number
  /** Of the series that have current instances, separated by `\`. */
  readonly modalities: string
}

export interface FoundSeries {
  readonly seriesInstanceUid: string
  readonly modality: string
  readonly seriesNumber: string
  readonly seriesDescription: string
  readonly instances: number
}

export interface FoundInstance {
  readonly instanceId: number
  readonly seriesInstanceUid: string
  readonly sopInstanceUid: string
  readonly sopClassUid: string
  readonly transferSyntaxUid: string
  readonly instanceNumber: string
  /** `ImageAttributes` as JSON; null if it is no image. */
  readonly image: string | null
}

export interface Lookups {
  /** AE title of the gateway. */
  aeTitle(): string
  sopClassesOf(study: FoundStudy): string
  patientTotalsOf(study: FoundStudy): PatientTotals
}

export interface PatientTotals {
  readonly studies: number
  readonly series: number
  readonly instances: number
}
