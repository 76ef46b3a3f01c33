import type { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import { ViewedFileFault } from '#server/dicom/data-set/byte-window.ts'
import type { ElementSearchResult } from '#server/dicom/data-set/found-elements.ts'
import { frameCount, imagePixels } from '#server/dicom/pixel-data/image-pixels.ts'
import type { Segmentation } from '#shared/contract/referencing-objects.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { colourOf } from './cielab.ts'
import { imageReferences } from './image-references.ts'
import { TAG } from './tags.ts'

/** A frame for each slice and segment of a whole-body CT. */
const MAX_FRAMES = 20_000
/** PS3.3 C.8.20.2.3: a segment number is unsigned and has 16 bits. */
const MAX_SEGMENTS = 65_535

type Frame = Segmentation['frames'][number]
type FramePlane = Pick<Frame, 'position' | 'orientation' | 'spacing'>

/** Reads a segmentation (PS3.3 A.51, C.8.20). @throws {ViewedFileFault} */
export function segmentationOf(
  values: AttributeValues,
  pixels: ElementSearchResult['pixels'],
  isEncapsulated: boolean,
): Segmentation {
  const { image, reason } = imagePixels(values, pixels, isEncapsulated)
  if (!image) throw new ViewedFileFault(reason)
  const count = frameCount(values)
  if (count > MAX_FRAMES)
    throw new ViewedFileFault(message('viewed-file.too-many-frames', { most: MAX_FRAMES }))
  const type = typeOf(values)
  const segments = segmentsOf(values)
  const { frames, faults } = framesOf(values, count, type)
  const known = new Set(segments.map(({ number }) => number))
  const unnamed = new Set(
    frames.map(({ segment }) => segment).filter((one) => one !== 0 && !known.has(one)),
  )
  return {
    kind: 'segmentation',
    label: values.text(TAG.ContentLabel) || values.text(TAG.SeriesDescription),
    description: values.text(TAG.ContentDescription),
    creator: values.text(TAG.ContentCreatorName),
    date: values.text(TAG.ContentDate),
    time: values.text(TAG.ContentTime),
    notApplied: faults,
    frameOfReferenceUid: values.text(TAG.FrameOfReferenceUID),
    type,
    maximum: Math.max(1, values.number(TAG.MaximumFractionalValue) ?? 255),
    pixel: image,
    segments: [
      ...segments,
      // Frames of a segment that is not described are shown nevertheless.
      ...[...unnamed].map((number) => ({ number, label: '', type: '', colour: null })),
    ],
    frames,
  }
}

function typeOf(values: AttributeValues): Segmentation['type'] {
  const text = values.text(TAG.SegmentationType)
  if (text === 'BINARY' || text === 'FRACTIONAL' || text === 'LABELMAP') return text
  throw new ViewedFileFault(message('referencing-object.unknown-segmentation-type'))
}

function segmentsOf(values: AttributeValues): Segmentation['segments'] {
  const items = values.items(TAG.SegmentSequence)
  if (items.length === 0) throw new ViewedFileFault(message('referencing-object.no-segments'))
  if (items.length > MAX_SEGMENTS)
    throw new ViewedFileFault(
      message('referencing-object.too-many-segments', { most: MAX_SEGMENTS }),
    )
  return items.flatMap((item) => {
    const number = item.number(TAG.SegmentNumber)
    if (number === null) return []
    const [type] = item.items(TAG.SegmentedPropertyTypeCodeSequence)
    return [
      {
        number,
        label: item.text(TAG.SegmentLabel),
        type: type?.text(TAG.CodeMeaning) ?? '',
        colour: colourOf(item, TAG.RecommendedDisplayCIELabValue),
      },
    ]
  })
}

function framesOf(
  values: AttributeValues,
  count: number,
  type: Segmentation['type'],
): { readonly frames: Frame[]; readonly faults: Message[] } {
  const [shared] = values.items(TAG.SharedFunctionalGroupsSequence)
  const groups = values.items(TAG.PerFrameFunctionalGroupsSequence)
  if (groups.length < count)
    throw new ViewedFileFault(
      message('viewed-file.some-frame-attributes', { groups: groups.length, frames: count }),
    )
  const common = shared && planeOf(shared)
  const commonReferences = shared ? sourceImages(shared) : []
  const commonSegment = shared ? segmentOf(shared) : null
  let framesWithoutSegment = 0
  const frames = groups.slice(0, count).map((group): Frame => {
    const plane = planeOf(group)
    const references = sourceImages(group)
    const segment = type === 'LABELMAP' ? 0 : (segmentOf(group) ?? commonSegment)
    if (segment === null) framesWithoutSegment += 1
    return {
      segment: segment ?? -1,
      position: plane.position ?? common?.position ?? null,
      orientation: plane.orientation ?? common?.orientation ?? null,
      spacing: plane.spacing ?? common?.spacing ?? null,
      references: references.length > 0 ? references : commonReferences,
    }
  })
  // The frames stay in the list, since their positions in it are the numbers of the frames.
  const faults =
    framesWithoutSegment > 0
      ? [message('referencing-object.frames-without-segment', { frames: framesWithoutSegment })]
      : []
  return { frames, faults }
}

function planeOf(group: AttributeValues): FramePlane {
  const vector = <T>(sequence: number, tag: number, length: number) =>
    (group.items(sequence)[0]?.vector(tag, length) ?? null) as T | null
  const spacing = vector<[number, number]>(TAG.PixelMeasuresSequence, TAG.PixelSpacing, 2)
  return {
    position: vector(TAG.PlanePositionSequence, TAG.ImagePositionPatient, 3),
    orientation: vector(TAG.PlaneOrientationSequence, TAG.ImageOrientationPatient, 6),
    spacing: spacing && spacing[0] > 0 && spacing[1] > 0 ? spacing : null,
  }
}

const segmentOf = (group: AttributeValues): number | null =>
  group.items(TAG.SegmentIdentificationSequence)[0]?.number(TAG.ReferencedSegmentNumber) ?? null

const sourceImages = (group: AttributeValues) =>
  group
    .items(TAG.DerivationImageSequence)
    .flatMap((item) => imageReferences(item, TAG.SourceImageSequence))
