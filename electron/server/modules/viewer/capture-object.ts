import {
  type CaptureImage,
  SECONDARY_CAPTURE,
  secondaryCapture,
} from '#server/dicom/objects/secondary-capture.ts'
import type { ImageHeader } from '#server/modules/images/image-study-queries.ts'
import { dicomTime } from '#server/platform/clinic-day.ts'
import type { KnownInstance } from './images.ts'

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
 * The capture as the archive takes it (`openOwnInstances`), and what the row of its study says
 * where the archive has none.
 */
export function captureObject(of: CaptureOf) {
  const {
    shown,
    frame,
    description,
    image,
    sopInstanceUid,
    seriesInstanceUid,
    madeAt,
    timeZone,
    archived,
  } = of
  const { study, series, instance } = shown
  // The patient is that of the image, which may be another one than that of its study.
  const { isPrior: _, studyInstanceUid, ...patientAndStudy } = { ...study, ...instance.patient }
  const { studyId = '', referringPhysicianName = '', institutionName = '' } = archived ?? {}
  const instanceNumber = String(of.instanceNumber)
  const dataSet = secondaryCapture(
    {
      ...patientAndStudy,
      ...{
        studyInstanceUid,
        studyId,
        referringPhysicianName,
        institutionName,
        sopInstanceUid,
        seriesInstanceUid,
        instanceNumber,
        ...SERIES,
      },
      ...{
        modality: series.modality,
        bodyPartExamined: series.bodyPartExamined,
        laterality: series.laterality,
      },
      made: dicomTime(madeAt, timeZone),
      // PS3.5 §6.2, ST: no control characters.
      derivationDescription: description.replace(/\p{Cc}+/gu, ' '),
      source: {
        sopClassUid: instance.sopClassUid,
        sopInstanceUid: instance.sopInstanceUid,
        frame: instance.frames > 1 ? frame : null,
      },
    },
    image,
  )
  return {
    object: {
      ...{
        sopInstanceUid,
        sopClassUid: SECONDARY_CAPTURE,
        studyInstanceUid,
        seriesInstanceUid,
        ...SERIES,
      },
      ...{ modality: series.modality, instanceNumber, dataSet },
      image: { ...COLOUR, rows: image.rows, columns: image.columns },
    },
    header: {
      ...patientAndStudy,
      ...{ studyId, referringPhysicianName, institutionName, modality: series.modality },
      ...{ patientSize: '', patientWeight: '', patientAge: '', requestedProcedureDescription: '' },
      ...{
        requestedProcedureId: '',
        scheduledProcedureStepId: '',
        requestStudyInstanceUid: '',
        characterSetRule: '',
      },
    },
  }
}

/** PS3.3 A.8.1, C.7.6.3: as `secondaryCapture` writes it. */
const COLOUR = {
  ...{ bitsAllocated: 8, bitsStored: 8, highBit: 7, pixelRepresentation: 0, samplesPerPixel: 3 },
  ...{ photometricInterpretation: 'RGB', numberOfFrames: null },
} as const
