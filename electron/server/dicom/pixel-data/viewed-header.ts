import type { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import { ViewedFileFault } from '#server/dicom/data-set/byte-window.ts'
import type { FileStart } from '#server/dicom/data-set/file-start.ts'
import type { ElementSearchResult } from '#server/dicom/data-set/found-elements.ts'
import { trimTrailing } from '#server/dicom/data-set/vr.ts'
import { REFERENCING_CLASSES } from '#shared/contract/referencing-objects.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { framesAttributes } from './frame-attributes.ts'
import { missingFrames } from './frame-bytes.ts'
import { hasExtras } from './header-extras.ts'
import type { HeaderFrame, HeaderPixels } from './header-pixels.ts'
import { frameCount, imagePixels, MAX_FRAMES } from './image-pixels.ts'
import { bitsOfFrame, framesWithin } from './native-frames.ts'
import { regionsOf, type UltrasoundRegion } from './pixel-spacing.ts'
import { unsupportedReason } from './unsupported-objects.ts'
import { TAG } from './viewed-tags.ts'

/** Patient and study attributes of a file, in DICOM format (PN, DA, TM, CS); empty if missing. */
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
  /** Null if missing. */
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
  /** 0 if unknown. */
  instanceNumber: number
  /** 1 for a single-frame image and for objects that are not images. */
  frames: number
  /** Null if the object cannot be shown as an image; `notImage` then describes it. */
  image: HeaderPixels | null
  /** One sentence, such as `A structured report.`; empty for an image. */
  notImage: Message | null
  attributes: HeaderFrame
  /** One entry per frame if they differ; null if `attributes` applies to all frames. */
  perFrame: HeaderFrame[] | null
  frameOfReferenceUid: string
  imageType: string[]
  /** LINEAR, LINEAR_EXACT or SIGMOID. */
  voiLutFunction: string
  windowExplanation: string[]
  /** Rescale Type such as HU or US; empty if unknown. */
  rescaleType: string
  /** Recommended time between frames in milliseconds; null if not specified. */
  frameTime: number | null
  acquisitionTime: string
  contentTime: string
  viewPosition: string
  laterality: string
  patientOrientation: string[]
  /**
   * Lossy Image Compression (0028,2110), with ratios and methods as far as specified; null if the
   * image was never compressed lossily or this is not stated.
   */
  lossy: { ratios: number[]; methods: string[] } | null
  regions: UltrasoundRegion[]
  /** Whether the file has a palette, lookup tables or overlays. */
  hasExtras: boolean
}

/**
 * The header of a viewed file: the fields of the contract's ViewedStudy (without `isPrior`),
 * ViewedSeries and ViewedInstance (without `source`).
 */
export interface ViewedHeader {
  study: HeaderStudy
  series: HeaderSeries
  instance: HeaderInstance
  /** Title of a report or document, and the media type of an encapsulated one; empty if missing. */
  document: { title: string; mimeType: string }
}

/** The frames in the pixel data of a file: those of an image, or of a segmentation. */
export interface StoredFrames {
  readonly image: HeaderPixels
  readonly frames: number
}

/** Builds the header from the elements of a file. `file`: what precedes the data set. */
export function viewedHeader(
  values: AttributeValues,
  pixels: ElementSearchResult['pixels'],
  file: Pick<FileStart, 'transferSyntaxUid' | 'sopClassUid' | 'sopInstanceUid'>,
  isEncapsulated: boolean,
): {
  readonly header: ViewedHeader
  readonly fault: Message | null
  /** Null if it has none. */
  readonly stored: StoredFrames | null
} {
  const text = (tag: number) => values.text(tag)
  const sopClassUid = text(TAG.SOPClassUID) || file.sopClassUid
  const sopInstanceUid = text(TAG.SOPInstanceUID) || file.sopInstanceUid
  if (sopInstanceUid === '') throw new ViewedFileFault(message('viewed-file.no-uid'))
  const uids = {
    studyInstanceUid: text(TAG.StudyInstanceUID),
    seriesInstanceUid: text(TAG.SeriesInstanceUID),
  }
  const unsupported = unsupportedReason(sopClassUid, file.transferSyntaxUid)
  const { image, reason } = unsupported
    ? { image: null, reason: unsupported }
    : imagePixels(values, pixels, isEncapsulated)
  const isSegmentation = REFERENCING_CLASSES[sopClassUid] === 'segmentation'
  const readable = isSegmentation ? imagePixels(values, pixels, isEncapsulated).image : image
  const storedFrames = readable && countFrames(values, readable, pixels, isEncapsulated)
  const imageFrames = image && storedFrames ? storedFrames : { frames: 1, fault: null }
  const { attributes, perFrame, fault } = framesAttributes(values, sopClassUid, imageFrames.frames)
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
      instanceNumber: integerOrNull(values.number(TAG.InstanceNumber)) ?? 0,
      frames: imageFrames.frames,
      image,
      notImage: reason,
      attributes,
      perFrame,
      frameOfReferenceUid: text(TAG.FrameOfReferenceUID),
      imageType,
      voiLutFunction: text(TAG.VOILUTFunction),
      windowExplanation: values.texts(TAG.WindowCenterWidthExplanation),
      rescaleType: rescaleTypeOf(values, modality, imageType, attributes),
      frameTime: imageFrames.frames > 1 ? frameTimeOf(values) : null,
      acquisitionTime: text(TAG.AcquisitionTime) || timeOf(text(TAG.AcquisitionDateTime)),
      contentTime: text(TAG.ContentTime),
      viewPosition: text(TAG.ViewPosition) || viewOf(values),
      laterality: text(TAG.ImageLaterality) || text(TAG.Laterality) || frameLateralityOf(values),
      patientOrientation: values.texts(TAG.PatientOrientation),
      lossy: lossyOf(values),
      regions: regionsOf(values),
      hasExtras: image !== null && hasExtras(values),
    },
    document: {
      title:
        text(TAG.DocumentTitle) ||
        (values.items(TAG.ConceptNameCodeSequence)[0]?.text(TAG.CodeMeaning) ?? ''),
      mimeType: text(TAG.MIMETypeOfEncapsulatedDocument).toLowerCase(),
    },
  }
  const stored = readable && storedFrames && { image: readable, frames: storedFrames.frames }
  return { header, fault: storedFrames?.fault ?? fault, stored }
}

const studyOf = (values: AttributeValues, studyInstanceUid: string): HeaderStudy => ({
  studyInstanceUid,
  // Empty component groups are removed (PS3.5 §6.2.1.1).
  patientName: trimTrailing(values.text(TAG.PatientName), '= '),
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
  seriesNumber: integerOrNull(values.number(TAG.SeriesNumber)),
  modality: values.text(TAG.Modality),
  seriesDescription: values.text(TAG.SeriesDescription),
  bodyPartExamined: values.text(TAG.BodyPartExamined),
  laterality: values.text(TAG.Laterality),
})

/** The declared number of frames is limited by the length of uncompressed pixel data. */
function countFrames(
  values: AttributeValues,
  image: HeaderPixels,
  pixels: ElementSearchResult['pixels'],
  isEncapsulated: boolean,
): { readonly frames: number; readonly fault: Message | null } {
  const declaredFrames = frameCount(values)
  if (isEncapsulated || !pixels) {
    if (declaredFrames > MAX_FRAMES)
      throw new ViewedFileFault(message('viewed-file.too-many-frames', { most: MAX_FRAMES }))
    return { frames: declaredFrames, fault: null }
  }
  const room = framesWithin(pixels.length, bitsOfFrame(image))
  if (room >= declaredFrames && declaredFrames <= MAX_FRAMES)
    return { frames: declaredFrames, fault: null }
  return {
    frames: Math.min(Math.max(1, room), MAX_FRAMES),
    fault: missingFrames(room, declaredFrames),
  }
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
 * PS3.3 C.8.2.1.1.5: HU is assumed for an original CT image. PET images have Units (C.8.9.1.1.3).
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

/** Milliseconds per frame: the recommended rate, otherwise the recorded one. */
function frameTimeOf(values: AttributeValues): number | null {
  const rate =
    positiveOrNull(values.number(TAG.RecommendedDisplayFrameRate)) ??
    positiveOrNull(values.number(TAG.CineRate))
  if (rate !== null) return 1000 / rate
  const time = positiveOrNull(values.number(TAG.FrameTime))
  if (time !== null) return time
  // PS3.3 C.7.6.5.1.2: the first value of the vector is 0.
  const steps = values
    .numbers(TAG.FrameTimeVector)
    .filter((step) => step !== null && step > 0) as number[]
  return steps.length === 0 ? null : steps.reduce((sum, step) => sum + step, 0) / steps.length
}

const positiveOrNull = (value: number | null): number | null =>
  value !== null && value > 0 ? value : null

const integerOrNull = (value: number | null): number | null =>
  value !== null && Number.isSafeInteger(value) ? value : null

/** The time part (TM) of a DT value (PS3.5 §6.2). */
const timeOf = (dateTime: string): string =>
  /^\d{8}(\d{2,6}(?:\.\d{1,6})?)/.exec(dateTime)?.[1] ?? ''

/** PS3.16 CID 4014, in SNOMED RT and CT: mammograms specify their view only by code. */
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
