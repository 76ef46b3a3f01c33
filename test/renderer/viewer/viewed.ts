import type { ViewedInstance, ViewedSeries, ViewedStudy } from '#shared/contract/viewed-images.ts'
import { displaySeries } from '../../../renderer/src/viewer/engine/series.ts'
import type { StackImage } from '../../../renderer/src/viewer/engine/stack.ts'

export const VIEW_ID = '11111111-1111-4111-8111-111111111111'

export const study = (more: Partial<ViewedStudy> = {}): ViewedStudy => ({
  studyInstanceUid: '1.2.3',
  isPrior: false,
  patientName: 'INVENTED^PERSON',
  patientId: 'P1',
  patientBirthDate: '',
  patientSex: '',
  studyDate: '20261120',
  studyTime: '1200',
  studyDescription: '',
  accessionNumber: '',
  ...more,
})

export const series = (more: Partial<ViewedSeries> = {}): ViewedSeries => ({
  studyInstanceUid: '1.2.3',
  seriesInstanceUid: '1.2.3.1',
  seriesNumber: 1,
  modality: 'CT',
  seriesDescription: '',
  bodyPartExamined: '',
  laterality: '',
  ...more,
})

export const pixel: NonNullable<ViewedInstance['image']> = {
  rows: 4,
  columns: 6,
  bitsAllocated: 16,
  bitsStored: 12,
  highBit: 11,
  pixelRepresentation: 0,
  samplesPerPixel: 1,
  photometricInterpretation: 'MONOCHROME2',
  planarConfiguration: 0,
  float: '',
  padding: null,
  smallest: null,
  largest: null,
}

export const attributes: ViewedInstance['attributes'] = {
  position: null,
  orientation: null,
  spacing: null,
  spacingFrom: 'none',
  sliceThickness: null,
  sliceLocation: null,
  slope: 1,
  intercept: -1024,
  windowCenter: [],
  windowWidth: [],
}

export const AXIAL: [number, number, number, number, number, number] = [1, 0, 0, 0, 1, 0]
export const SAGITTAL: [number, number, number, number, number, number] = [0, 1, 0, 0, 0, -1]

/** An instance by its number; its UID ends with it. */
export const instance = (
  instanceNumber: number,
  more: Partial<ViewedInstance> = {},
): ViewedInstance => ({
  studyInstanceUid: '1.2.3',
  seriesInstanceUid: '1.2.3.1',
  sopInstanceUid: `1.2.3.1.${instanceNumber}`,
  sopClassUid: '1.2.840.10008.5.1.4.1.1.2',
  transferSyntaxUid: '1.2.840.10008.1.2.1',
  source: 'archive',
  instanceNumber,
  frames: 1,
  image: pixel,
  notImage: null,
  attributes,
  perFrame: null,
  frameOfReferenceUid: '1.2.3.9',
  imageType: ['ORIGINAL', 'PRIMARY', 'AXIAL'],
  voiLutFunction: '',
  windowExplanation: [],
  rescaleType: '',
  frameTime: null,
  acquisitionTime: '',
  contentTime: '',
  viewPosition: '',
  laterality: '',
  patientOrientation: [],
  patient: null,
  lossy: null,
  regions: [],
  hasExtras: false,
  ...more,
})

/** A slice at a height, mm. */
export const slice = (
  instanceNumber: number,
  z: number,
  more: Partial<ViewedInstance> = {},
): ViewedInstance =>
  instance(instanceNumber, {
    ...more,
    attributes: {
      ...attributes,
      position: [0, 0, z],
      orientation: AXIAL,
      spacing: [1, 1],
      spacingFrom: 'patient',
      ...more.attributes,
    },
  })

/** The stacks of one series, all of which is there. */
export const stacks = (instances: readonly ViewedInstance[], isWhole = true) =>
  displaySeries(VIEW_ID, series(), instances, { isPrior: false, isWhole })

export const numbers = (stack: readonly StackImage[] | undefined) =>
  stack?.map((image) => image.instance.instanceNumber)
