import type { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import { ViewedFileFault } from '#server/dicom/data-set/byte-window.ts'
import type { FileStart } from '#server/dicom/data-set/file-start.ts'
import type { Found } from '#server/dicom/data-set/found-elements.ts'
import { withoutEnd } from '#server/dicom/data-set/vr.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { framesAttributes } from './frame-attributes.ts'
import { fewerFrames } from './frame-bytes.ts'
import { hasExtras } from './header-extras.ts'
import type { HeaderFrame, HeaderPixels } from './header-pixels.ts'
import { frameCount, imagePixels, MOST_FRAMES } from './image-pixels.ts'
import { bitsOfFrame, framesWithin } from './native-frames.ts'
import { notImageOf } from './not-image.ts'
import { TAG } from './viewed-tags.ts'

/**
 * What a file says of its patient and study; DICOM text (PN, DA, TM, CS), empty where it is
 * missing.
 */
export interface HeaderStudy {
  studyInstanceUid: string
  patientName: string
  patientId: string
  patientBirthDate: string
  patientSex: string
  studyDate: string
  studyTime: string
  studyDescription: string
  accessionNumber: string
}

export interface HeaderSeries {
  studyInstanceUid: string
  seriesInstanceUid: string
  /** Null where it is missing. */
  seriesNumber: number | null
  modality: string
  seriesDescription: string
  bodyPartExamined: string
  laterality: string
}

export interface HeaderInstance {
  studyInstanceUid: string
  seriesInstanceUid: string
  sopInstanceUid: string
  sopClassUid: string
  transferSyntaxUid: string
  /** 0 where it is unknown. */
  instanceNumber: number
  /** 1 of a single-frame image, and of what is no image. */
  frames: number
  /** Null: it is no image that can be shown, and `notImage` says what it is. */
  image: HeaderPixels | null
  /** One sentence, such as `A structured report.`; empty for an image. */
  notImage: Message | null
  attributes: HeaderFrame
  /** One for each frame where they differ; null where `attributes` is of all of them. */
  perFrame: HeaderFrame[] | null
  frameOfReferenceUid: string
  imageType: string[]
  /** LINEAR, LINEAR_EXACT, SIGMOID. */
  voiLutFunction: string
  windowExplanation: string[]
  /** HU, US…: Rescale Type; empty where it is not known. */
  rescaleType: string
  /** Milliseconds between frames, as the file recommends; null where it does not. */
  frameTime: number | null
  acquisitionTime: string
  contentTime: string
  viewPosition: string
  laterality: string
  patientOrientation: string[]
  /**
   * Lossy compression at some time (0028,2110), with ratios and methods as far as the file says;
   * null: it does not say so.
   */
  lossy: { ratios: number[]; methods: string[] } | null
  /** Calibrated regions of an ultrasound image (PS3.3 C.8.5.5): first and last pixel, from 0. */
  regions: { left: number; top: number; right: number; bottom: number }[]
  /** It has a palette, look-up tables or overlays. */
  hasExtras: boolean
}

/**
 * What a file says of itself: the fields of the contract's ViewedStudy (without `isPrior`),
 * ViewedSeries and ViewedInstance (without `source`).
 */
export interface ViewedHeader {
  study: HeaderStudy
  series: HeaderSeries
  instance: HeaderInstance
}

/** The header of a file, by its elements. `file`: what stands before them. */
export function viewedHeader(
  values: AttributeValues,
  pixels: Found['pixels'],
  file: Pick<FileStart, 'transferSyntaxUid' | 'sopClassUid' | 'sopInstanceUid'>,
  isEncapsulated: boolean,
): { readonly header: ViewedHeader; readonly fault: Message | null } {
  const text = (tag: number) => values.text(tag)
  const sopClassUid = text(TAG.SOPClassUID) || file.sopClassUid
  const sopInstanceUid = text(TAG.SOPInstanceUID) || file.sopInstanceUid
  if (sopInstanceUid === '') throw new ViewedFileFault(message('viewed-file.no-uid'))
  const uids = {
    studyInstanceUid: text(TAG.StudyInstanceUID),
    seriesInstanceUid: text(TAG.SeriesInstanceUID),
  }
  const asObject = notImageOf(sopClassUid, file.transferSyntaxUid)
  const { image, whyNot } = asObject
    ? { image: null, whyNot: asObject }
    : imagePixels(values, pixels, isEncapsulated)
  const counted = image
    ? countFrames(values, image, pixels, isEncapsulated)
    : { frames: 1, fault: null }
  const { attributes, perFrame, fault } = framesAttributes(values, sopClassUid, counted.frames)
  const imageType = values.texts(TAG.ImageType)
  const modality = text(TAG.Modality)
  const header: ViewedHeader = {
    study: studyOf(values, uids.studyInstanceUid),
    series: { ...uids, ...seriesOf(values) },
    instance: {
      ...uids,
      sopInstanceUid,
      sopClassUid,
      transferSyntaxUid: file.transferSyntaxUid,
      instanceNumber: integer(values.number(TAG.InstanceNumber)) ?? 0,
      frames: counted.frames,
      image,
      notImage: whyNot,
      attributes,
      perFrame,
      frameOfReferenceUid: text(TAG.FrameOfReferenceUID),
      imageType,
      voiLutFunction: text(TAG.VOILUTFunction),
      windowExplanation: values.texts(TAG.WindowCenterWidthExplanation),
      rescaleType: rescaleTypeOf(values, modality, imageType, attributes),
      frameTime: counted.frames > 1 ? frameTimeOf(values) : null,
      acquisitionTime: text(TAG.AcquisitionTime) || timeOf(text(TAG.AcquisitionDateTime)),
      contentTime: text(TAG.ContentTime),
      viewPosition: text(TAG.ViewPosition) || viewOf(values),
      laterality: text(TAG.ImageLaterality) || text(TAG.Laterality) || frameLateralityOf(values),
      patientOrientation: values.texts(TAG.PatientOrientation),
      lossy: lossyOf(values),
      regions: regionsOf(values),
      hasExtras: image !== null && hasExtras(values),
    },
  }
  return { header, fault: counted.fault ?? fault }
}

const studyOf = (values: AttributeValues, studyInstanceUid: string): HeaderStudy => ({
  studyInstanceUid,
  // Component groups that are empty say nothing (PS3.5 §6.2.1.1).
  patientName: withoutEnd(values.text(TAG.PatientName), '= '),
  patientId: values.text(TAG.PatientID),
  patientBirthDate: values.text(TAG.PatientBirthDate),
  patientSex: values.text(TAG.PatientSex),
  studyDate: values.text(TAG.StudyDate),
  studyTime: values.text(TAG.StudyTime),
  studyDescription: values.text(TAG.StudyDescription),
  accessionNumber: values.text(TAG.AccessionNumber),
})

const seriesOf = (
  values: AttributeValues,
): Omit<HeaderSeries, 'studyInstanceUid' | 'seriesInstanceUid'> => ({
  seriesNumber: integer(values.number(TAG.SeriesNumber)),
  modality: values.text(TAG.Modality),
  seriesDescription: values.text(TAG.SeriesDescription),
  bodyPartExamined: values.text(TAG.BodyPartExamined),
  laterality: values.text(TAG.Laterality),
})

/**
 * A header may claim any number: of pixel data without compression its length tells how many there
 * can be.
 */
function countFrames(
  values: AttributeValues,
  image: HeaderPixels,
  pixels: Found['pixels'],
  isEncapsulated: boolean,
): { readonly frames: number; readonly fault: Message | null } {
  const claimed = frameCount(values)
  if (isEncapsulated || !pixels) {
    if (claimed > MOST_FRAMES)
      throw new ViewedFileFault(message('viewed-file.too-many-frames', { most: MOST_FRAMES }))
    return { frames: claimed, fault: null }
  }
  const room = framesWithin(pixels.length, bitsOfFrame(image))
  if (room >= claimed && claimed <= MOST_FRAMES) return { frames: claimed, fault: null }
  return { frames: Math.min(Math.max(1, room), MOST_FRAMES), fault: fewerFrames(room, claimed) }
}

/** PS3.3 C.7.6.1.1.5. */
function lossyOf(values: AttributeValues): HeaderInstance['lossy'] {
  if (values.text(TAG.LossyImageCompression) !== '01') return null
  return {
    ratios: values
      .numbers(TAG.LossyImageCompressionRatio)
      .filter((ratio) => ratio !== null && ratio > 0) as number[],
    methods: values.texts(TAG.LossyImageCompressionMethod).filter((method) => method !== ''),
  }
}

/**
 * Those with units in both directions: without them a region says nothing of a scale (PS3.3
 * C.8.5.5.1.15).
 */
function regionsOf(values: AttributeValues): HeaderInstance['regions'] {
  return values.items(TAG.SequenceOfUltrasoundRegions).flatMap((region) => {
    const scale = [
      TAG.PhysicalUnitsXDirection,
      TAG.PhysicalUnitsYDirection,
      TAG.PhysicalDeltaX,
      TAG.PhysicalDeltaY,
    ]
    if (scale.some((tag) => !region.number(tag))) return []
    const [left, top, right, bottom] = [
      TAG.RegionLocationMinX0,
      TAG.RegionLocationMinY0,
      TAG.RegionLocationMaxX1,
      TAG.RegionLocationMaxY1,
    ].map((tag) => integer(region.number(tag)) ?? -1) as [number, number, number, number]
    return left >= 0 && top >= 0 && right > left && bottom > top
      ? [{ left, top, right, bottom }]
      : []
  })
}

/**
 * PS3.3 C.8.2.1.1.5: of an original CT image it is HU where nothing is said; a PET image has it as
 * Units (C.8.9.1.1.3).
 */
function rescaleTypeOf(
  values: AttributeValues,
  modality: string,
  imageType: readonly string[],
  { slope }: HeaderFrame,
): string {
  const shared =
    values.items(TAG.SharedFunctionalGroupsSequence)[0] ??
    values.items(TAG.PerFrameFunctionalGroupsSequence)[0]
  const own =
    values.text(TAG.RescaleType) ||
    (shared?.items(TAG.PixelValueTransformationSequence)[0]?.text(TAG.RescaleType) ?? '')
  if (own !== '') return own
  if (slope === null) return ''
  if (modality === 'CT') return imageType[0] === 'DERIVED' ? '' : 'HU'
  return values.text(TAG.Units) || values.text(TAG.DoseUnits)
}

/** Milliseconds: as it is recommended, as it was recorded. */
function frameTimeOf(values: AttributeValues): number | null {
  const rate =
    positive(values.number(TAG.RecommendedDisplayFrameRate)) ??
    positive(values.number(TAG.CineRate))
  if (rate !== null) return 1000 / rate
  const time = positive(values.number(TAG.FrameTime))
  if (time !== null) return time
  // PS3.3 C.7.6.5.1.2: the first of the vector is 0.
  const steps = values
    .numbers(TAG.FrameTimeVector)
    .filter((step) => step !== null && step > 0) as number[]
  return steps.length === 0 ? null : steps.reduce((sum, step) => sum + step, 0) / steps.length
}

const positive = (value: number | null): number | null =>
  value !== null && value > 0 ? value : null

const integer = (value: number | null): number | null =>
  value !== null && Number.isSafeInteger(value) ? value : null

/** The TM of a DT (PS3.5 §6.2). */
const timeOf = (dateTime: string): string =>
  /^\d{8}(\d{2,6}(?:\.\d{1,6})?)/.exec(dateTime)?.[1] ?? ''

/** PS3.16 CID 4014, in SNOMED RT and CT: mammograms say their view by code alone. */
const VIEWS: Readonly<Record<string, string>> = {
  'R-10242': 'CC',
  '399162004': 'CC',
  'R-10226': 'MLO',
  '399368009': 'MLO',
  'R-10224': 'ML',
  '399260004': 'ML',
  'R-10228': 'LM',
  '399352003': 'LM',
  'R-10230': 'LMO',
  '399099002': 'LMO',
}

const viewOf = (values: AttributeValues): string =>
  VIEWS[values.items(TAG.ViewCodeSequence)[0]?.text(TAG.CodeValue) ?? ''] ?? ''

const frameLateralityOf = (values: AttributeValues): string =>
  values
    .items(TAG.SharedFunctionalGroupsSequence)[0]
    ?.items(TAG.FrameAnatomySequence)[0]
    ?.text(TAG.FrameLaterality) ?? ''
