import { unitOf } from '#shared/pixels/opening-window.ts'
import { shapeOf } from '#shared/pixels/pixel-shape.ts'
import { columnOf, rowOf } from './geometry.ts'
import type { ListedImage } from './listed.ts'
import { REGIONS_MODULE } from './region-tools.ts'
import type { StackImage } from './stack.ts'

/**
 * A projection's pixel spacing is that at the detector: Cornerstone writes `mm Proj` behind such a
 * length. The same object for all, by which it knows.
 */
const DETECTOR_CALIBRATION = { type: 'Proj' }
const CALIBRATED = { type: 'Calibrated' }

const calibration = ({ image: { attributes } }: ListedImage) =>
  attributes.spacingFrom === 'detector'
    ? DETECTOR_CALIBRATION
    : attributes.spacingFrom === 'calibrated'
      ? CALIBRATED
      : undefined

/** Images of one frame of reference can be laid over one another; one without is alone. */
export const frameOfReferenceOf = ({ instance }: StackImage): string =>
  instance.frameOfReferenceUid || `none/${instance.sopInstanceUid}`

/** Modules of an image, by the names under which Cornerstone asks for them. */
const MODULES: Readonly<Record<string, (found: ListedImage) => object | undefined>> = {
  imagePixelModule: ({ image: { instance } }) => {
    const pixel = instance.image
    return {
      samplesPerPixel: pixel?.samplesPerPixel ?? 1,
      photometricInterpretation: pixel?.photometricInterpretation ?? 'MONOCHROME2',
      planarConfiguration: pixel?.planarConfiguration ?? 0,
      rows: pixel?.rows ?? 1,
      columns: pixel?.columns ?? 1,
      bitsAllocated: pixel?.bitsAllocated ?? 16,
      bitsStored: pixel?.bitsStored ?? 16,
      highBit: pixel?.highBit ?? 15,
      pixelRepresentation: pixel?.pixelRepresentation ?? 0,
      pixelPaddingValue: pixel?.padding?.[0],
      smallestPixelValue: pixel?.smallest ?? undefined,
      largestPixelValue: pixel?.largest ?? undefined,
    }
  },
  imagePlaneModule: ({ image }) => {
    const { position, orientation, sliceThickness, sliceLocation } = image.attributes
    const spacing = shapeOf(image)
    const cosines = orientation ?? [1, 0, 0, 0, 1, 0]
    return {
      frameOfReferenceUID: frameOfReferenceOf(image),
      rows: image.instance.image?.rows ?? 1,
      columns: image.instance.image?.columns ?? 1,
      imageOrientationPatient: [...cosines],
      rowCosines: [...rowOf(cosines)],
      columnCosines: [...columnOf(cosines)],
      imagePositionPatient: [...(position ?? [0, 0, 0])],
      pixelSpacing: [spacing?.[0] ?? 1, spacing?.[1] ?? 1],
      rowPixelSpacing: spacing?.[0] ?? 1,
      columnPixelSpacing: spacing?.[1] ?? 1,
      sliceThickness: sliceThickness ?? undefined,
      sliceLocation: sliceLocation ?? undefined,
      // Lengths are in mm exactly where a spacing is known, also of a radiograph without a place in
      // the patient.
      usingDefaultValues: image.attributes.spacing === null,
    }
  },
  generalSeriesModule: ({ image, image: { instance }, series }) => ({
    // Cornerstone writes HU behind every value of CT: a localizer, or what is not rescaled, has
    // none.
    modality: series.modality === 'CT' && unitOf(image, 'CT') !== 'HU' ? 'OT' : series.modality,
    seriesInstanceUID: series.seriesInstanceUid,
    studyInstanceUID: series.studyInstanceUid,
    seriesNumber: series.seriesNumber ?? undefined,
    seriesDescription: series.seriesDescription,
    laterality: series.laterality || instance.laterality,
  }),
  generalImageModule: ({ image: { instance } }) => ({
    sopInstanceUID: instance.sopInstanceUid,
    instanceNumber: instance.instanceNumber,
    imageType: [...instance.imageType],
    acquisitionTime: instance.acquisitionTime,
    contentTime: instance.contentTime,
  }),
  // The values given to Cornerstone are rescaled already (`values.ts`).
  modalityLutModule: () => ({ rescaleSlope: 1, rescaleIntercept: 0 }),
  voiLutModule: ({ image: { instance, attributes } }) => ({
    windowCenter: [...attributes.windowCenter],
    windowWidth: [...attributes.windowWidth],
    voiLUTFunction: instance.voiLutFunction || undefined,
  }),
  sopCommonModule: ({ image: { instance } }) => ({
    sopClassUID: instance.sopClassUid,
    sopInstanceUID: instance.sopInstanceUid,
  }),
  frameOfReferenceModule: ({ image }) => ({ frameOfReferenceUID: frameOfReferenceOf(image) }),
  cineModule: ({ image: { instance } }) => ({ frameTime: instance.frameTime ?? undefined }),
  multiframeModule: ({ image: { instance } }) => ({
    NumberOfFrames: instance.frames,
    numberOfFrames: instance.frames,
  }),
  patientModule: ({ study }) => ({ patientName: study.patientName, patientId: study.patientId }),
  patientStudyModule: () => ({}),
  generalStudyModule: ({ study }) => ({
    studyInstanceUID: study.studyInstanceUid,
    studyDescription: study.studyDescription,
    studyDate: study.studyDate,
    accessionNumber: study.accessionNumber,
  }),
  // Of ours: what a value means after the rescale.
  valueUnit: ({ image, series }) => ({ unit: unitOf(image, series.modality) }),
  petSeriesModule: ({ image: { instance } }) => ({ units: instance.rescaleType || 'raw' }),
  transferSyntax: ({ image: { instance } }) => ({ transferSyntaxUID: instance.transferSyntaxUid }),
  [REGIONS_MODULE]: ({ image: { instance } }) => instance.regions,
  calibrationModule: calibration,
  calibratedPixelSpacing: calibration,
}

/** Cornerstone asks for many more. */
export const hasModule = (type: string): boolean => Object.hasOwn(MODULES, type)
/** A module of an image; undefined where Cornerstone has to do without. */
export const moduleOf = (type: string, found: ListedImage): object | undefined =>
  MODULES[type]?.(found)
