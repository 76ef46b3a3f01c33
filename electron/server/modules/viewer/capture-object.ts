import {
  type CaptureImage,
  SECONDARY_CAPTURE,
  secondaryCapture,
} from '#server/dicom/objects/secondary-capture.ts'
import type { ImageHeader } from '#server/modules/studies/image-study-row.ts'
import { dicomTime } from '#server/platform/clinic-day.ts'
import type { KnownInstance } from './view-images.ts'

export interface CaptureOf {
  /** What was shown. */
  readonly shown: KnownInstance
  /** From 1. */
  readonly frame: number
  readonly description: string
  readonly image: CaptureImage
  readonly sopInstanceUid: string
  readonly seriesInstanceUid: string
  /** Within its series, from 1. */
  readonly instanceNumber: number
  /** RFC 3339. */
  readonly madeAt: string
  /** IANA zone of the clinic. */
  readonly timeZone: string
  /** What the archive has of the study. */
  readonly archived: ImageHeader | undefined
}

const SERIES = { seriesNumber: '9903', seriesDescription: 'Secondary captures' } as const

/**
 * The capture as the archive takes it (`storeOwnInstances`), and what the row of its study says
 * where the archive has none.
 */
export function captureObject(of: CaptureOf) {
  const { frame, description, image, sopInstanceUid, seriesInstanceUid, madeAt, timeZone } = of
  const { study, series, instance } = of.shown
  const { modality, bodyPartExamined, laterality } = series
  // The patient is that of the image, which may be another one than that of its study.
  const { isPrior: _, studyInstanceUid, ...patientAndStudy } = { ...study, ...instance.patient }
  const { studyId = '', referringPhysicianName = '', institutionName = '' } = of.archived ?? {}
  const instanceNumber = String(of.instanceNumber)
  const known = { ...patientAndStudy, studyId, referringPhysicianName, institutionName, modality }
  const own = { studyInstanceUid, sopInstanceUid, seriesInstanceUid, instanceNumber, ...SERIES }
  const { sopClassUid, sopInstanceUid: sourceUid } = instance
  const dataSet = secondaryCapture(
    {
      ...{ ...known, ...own, bodyPartExamined, laterality },
      made: dicomTime(madeAt, timeZone),
      // PS3.5 §6.2, ST: no control characters.
      derivationDescription: description.replace(/\p{Cc}+/gu, ' '),
      source: {
        sopClassUid,
        sopInstanceUid: sourceUid,
        frame: instance.frames > 1 ? frame : null,
      },
    },
    image,
  )
  return {
    object: {
      ...{ ...own, sopClassUid: SECONDARY_CAPTURE, modality, dataSet },
      image: { ...COLOUR, rows: image.rows, columns: image.columns },
    },
    header: { ...UNKNOWN, ...known } satisfies ImageHeader,
  }
}

/** What a capture says of no patient or request. */
const UNKNOWN = {
  patientSize: '',
  patientWeight: '',
  patientAge: '',
  requestedProcedureDescription: '',
  requestedProcedureId: '',
  scheduledProcedureStepId: '',
  requestStudyInstanceUid: '',
  characterSetRule: '',
}

/** PS3.3 A.8.1, C.7.6.3: as `secondaryCapture` writes it. */
const COLOUR = {
  bitsAllocated: 8,
  bitsStored: 8,
  highBit: 7,
  pixelRepresentation: 0,
  samplesPerPixel: 3,
  photometricInterpretation: 'RGB',
  numberOfFrames: null,
} as const
