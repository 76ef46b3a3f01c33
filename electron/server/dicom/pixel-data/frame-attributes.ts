import type { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { HeaderFrame } from './header-pixels.ts'
import { NO_SPACING, pixelSpacing, spacingOf } from './pixel-spacing.ts'
import { TAG } from './viewed-tags.ts'

export interface FramesAttributes {
  /** Attributes of the first frame. */
  readonly attributes: HeaderFrame
  /** Null if all frames have the same attributes. */
  readonly perFrame: HeaderFrame[] | null
  /** What is unusual about them; null if nothing is. */
  readonly fault: Message | null
}

/** Geometry and value attributes of each frame, from wherever the IOD defines them. */
export function framesAttributes(
  values: AttributeValues,
  sopClassUid: string,
  frames: number,
): FramesAttributes {
  const plain = plainAttributes(values, sopClassUid)
  const shared = values.items(TAG.SharedFunctionalGroupsSequence)[0]
  const groups = values.items(TAG.PerFrameFunctionalGroupsSequence)
  const common = shared ? withFunctionalGroups(plain, shared) : plain
  if (groups.length > 0 && groups.length < frames) {
    // It is unknown which frames the groups belong to, and a wrong position is worse than none.
    return {
      attributes: common,
      perFrame: null,
      fault: message('viewed-file.some-frame-attributes', { groups: groups.length, frames }),
    }
  }
  const each =
    groups.length > 0
      ? groups.slice(0, frames).map((group) => withFunctionalGroups(common, group))
      : (stackedFrames(values, common, frames) ?? [common])
  const first = each[0] ?? common
  return {
    attributes: first,
    perFrame: each.every((one) => isSame(one, first)) ? null : each,
    fault: null,
  }
}

/** Attributes of an image with one frame, or with identical attributes for all frames. */
function plainAttributes(values: AttributeValues, sopClassUid: string): HeaderFrame {
  // PS3.3 C.8.4.9: in nuclear medicine images they are in the item of the first detector.
  const orientationItem = values.has(TAG.ImageOrientationPatient)
    ? values
    : (values.items(TAG.DetectorInformationSequence)[0] ?? values)
  return {
    position: positionOf(orientationItem),
    orientation: orientationOf(orientationItem),
    ...pixelSpacing(values, sopClassUid),
    sliceThickness: values.number(TAG.SliceThickness),
    sliceLocation: values.number(TAG.SliceLocation),
    ...rescaleOf(values),
    ...windowsOf(values),
  }
}

/** Applies the functional groups of a frame, or those shared by all frames (PS3.3 C.7.6.16.2). */
function withFunctionalGroups(base: HeaderFrame, groups: AttributeValues): HeaderFrame {
  const item = (tag: number) => groups.items(tag)[0]
  const position = item(TAG.PlanePositionSequence)
  const plane = item(TAG.PlaneOrientationSequence)
  const measures = item(TAG.PixelMeasuresSequence)
  const detector = item(TAG.FramePixelDataPropertiesSequence)
  const transformation = item(TAG.PixelValueTransformationSequence)
  const window = item(TAG.FrameVOILUTSequence)
  return {
    ...base,
    position: (position && positionOf(position)) ?? base.position,
    orientation: (plane && orientationOf(plane)) ?? base.orientation,
    ...(measures
      ? withMeasures(measures, TAG.PixelSpacing, 'patient')
      : detector
        ? withMeasures(detector, TAG.ImagerPixelSpacing, 'detector')
        : {}),
    sliceThickness: measures?.number(TAG.SliceThickness) ?? base.sliceThickness,
    ...(transformation ? rescaleOf(transformation) : {}),
    ...(window ? windowsOf(window) : {}),
  }
}

function withMeasures(
  values: AttributeValues,
  tag: number,
  spacingFrom: HeaderFrame['spacingFrom'],
): Partial<HeaderFrame> {
  const spacing = spacingOf(values, tag)
  return spacing ? { spacing, spacingFrom } : NO_SPACING
}

/**
 * Frames stacked by an offset vector: RT dose (PS3.3 C.8.8.3.2) and reconstructed nuclear medicine
 * (C.8.4.8.1).
 */
function stackedFrames(
  values: AttributeValues,
  common: HeaderFrame,
  frames: number,
): HeaderFrame[] | undefined {
  const { position, orientation } = common
  if (!position || !orientation || frames < 2) return undefined
  const doseOffsets = values.vector(TAG.GridFrameOffsetVector, frames)
  // For transverse planes the offsets may be patient coordinates instead, the first one equal to
  // the image position.
  if (doseOffsets && doseOffsets[0] !== 0)
    return doseOffsets.map((z) => ({ ...common, position: [position[0], position[1], z] }))
  const offsets = doseOffsets ?? sliceOffsets(values, frames)
  const normal = normalOf(orientation)
  return offsets?.map((offset) => ({
    ...common,
    position: [
      position[0] + normal[0] * offset,
      position[1] + normal[1] * offset,
      position[2] + normal[2] * offset,
    ],
  }))
}

function sliceOffsets(values: AttributeValues, frames: number): number[] | null {
  const slices = values.vector(TAG.SliceVector, frames)
  const between = values.number(TAG.SpacingBetweenSlices)
  const isVolume = values
    .texts(TAG.ImageType)
    .some((value) => value === 'RECON TOMO' || value === 'RECON GATED TOMO')
  if (
    !slices ||
    between === null ||
    between === 0 ||
    !isVolume ||
    values.items(TAG.DetectorInformationSequence).length !== 1
  )
    return null
  return slices.map((slice) => (slice - 1) * between)
}

const normalOf = ([a, b, c, d, e, f]: NonNullable<HeaderFrame['orientation']>): [
  number,
  number,
  number,
] => [b * f - c * e, c * d - a * f, a * e - b * d]

const positionOf = (values: AttributeValues): HeaderFrame['position'] =>
  values.vector(TAG.ImagePositionPatient, 3) as HeaderFrame['position']

/** Six numbers forming two direction vectors. All zeros occur in practice and are rejected. */
function orientationOf(values: AttributeValues): HeaderFrame['orientation'] {
  const found = values.vector(TAG.ImageOrientationPatient, 6) as HeaderFrame['orientation']
  const normal = found && normalOf(found)
  return normal && Math.hypot(...normal) > 0.5 ? found : null
}

function rescaleOf(values: AttributeValues): Pick<HeaderFrame, 'slope' | 'intercept'> {
  const dose = values.number(TAG.DoseGridScaling)
  if (dose !== null && dose !== 0) return { slope: dose, intercept: 0 }
  const slope = values.number(TAG.RescaleSlope)
  const intercept = values.number(TAG.RescaleIntercept)
  // A slope of 0 would make all pixels equal, so it is ignored.
  if (slope === 0 || (slope === null && intercept === null)) return { slope: null, intercept: null }
  return { slope: slope ?? 1, intercept: intercept ?? 0 }
}

function windowsOf(values: AttributeValues): Pick<HeaderFrame, 'windowCenter' | 'windowWidth'> {
  const widths = values.numbers(TAG.WindowWidth)
  const windows = values.numbers(TAG.WindowCenter).flatMap((center, index) => {
    const width = widths[index] ?? null
    return center !== null && width !== null && width > 0 ? [{ center, width }] : []
  })
  return {
    windowCenter: windows.map(({ center }) => center),
    windowWidth: windows.map(({ width }) => width),
  }
}

const isSame = (one: HeaderFrame, other: HeaderFrame): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)
