import {
  type CaptureImage,
  SECONDARY_CAPTURE,
  secondaryCapture,
} from '#server/dicom/objects/secondary-capture.ts'
import type { ImageHeader } from '#server/modules/studies/image-study-row.ts'
import { dicomTime } from '#server/platform/clinic-day.ts'
import { patientAndStudyOf, studyHeader } from './shown-patient.ts'
import type { KnownInstance } from './view-images.ts'

export interface CaptureInput {
  /** The captured image. */
  readonly shown: KnownInstance
  /** Number of the captured frame, from 1. */
  readonly frame: number
  readonly description: string
  readonly image: CaptureImage
  readonly sopInstanceUid: string
  readonly seriesInstanceUid: string
  /** Instance number within the series, from 1. */
  readonly instanceNumber: number
  /** Time of the capture, RFC 3339. */
  readonly madeAt: string
  /** IANA name of the clinic's time zone. */
  readonly timeZone: string
  /** The header of the study in the archive, if any. */
  readonly archivedHeader: ImageHeader | undefined
}

const CAPTURE_SERIES = { seriesNumber: '9903', seriesDescription: 'Secondary captures' } as const

/**
 * Creates the DICOM object of a capture (for `storeOwnInstances`), and the header for its study if
 * the archive has none.
 */
export function buildCaptureObject(input: CaptureInput) {
  const { frame, description, image, sopInstanceUid, seriesInstanceUid, madeAt, timeZone } = input
  const { study, series, instance } = input.shown
  const { modality, bodyPartExamined, laterality } = series
  const { studyInstanceUid } = study
  const instanceNumber = String(input.instanceNumber)
  const known = { ...patientAndStudyOf(input.shown, input.archivedHeader), modality }
  const own = {
    studyInstanceUid,
    sopInstanceUid,
    seriesInstanceUid,
    instanceNumber,
    ...CAPTURE_SERIES,
  }
  const { sopClassUid, sopInstanceUid: sourceUid } = instance
  const dataSet = secondaryCapture(
    {
      ...{ ...known, ...own, bodyPartExamined, laterality },
      made: dicomTime(madeAt, timeZone),
      // ST allows no control characters here (PS3.5 §6.2).
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
      image: { ...PIXEL_FORMAT, rows: image.rows, columns: image.columns },
    },
    header: studyHeader(known),
  }
}

/** Pixel description of the object, as written by `secondaryCapture` (PS3.3 A.8.1, C.7.6.3). */
const PIXEL_FORMAT = {
  bitsAllocated: 8,
  bitsStored: 8,
  highBit: 7,
  pixelRepresentation: 0,
  samplesPerPixel: 3,
  photometricInterpretation: 'RGB',
  numberOfFrames: null,
} as const
