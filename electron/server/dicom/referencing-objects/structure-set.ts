import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import { ViewedFileFault } from '#server/dicom/data-set/byte-window.ts'
import type { Colour, Contour, StructureSet } from '#shared/contract/referencing-objects.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { imageReferences } from './image-references.ts'
import { TAG } from './tags.ts'

/** Coordinates of all contours; a detailed plan of a whole body has some hundred thousand. */
const MAX_POINTS = 1_500_000
/** Longest value of Contour Data: its points have at most 50 characters each. */
const MAX_CONTOUR_BYTES = 8 << 20
/** Contours that are read before other work gets its turn. */
const CONTOURS_AT_ONCE = 200

const CONTOUR_TYPES: readonly string[] = ['CLOSED_PLANAR', 'OPEN_PLANAR', 'POINT']

/** Reads an RT Structure Set (PS3.3 A.19, C.8.8.5, C.8.8.6). @throws {ViewedFileFault} */
export async function structureSetOf(values: AttributeValues): Promise<StructureSet> {
  const described = values.items(TAG.StructureSetROISequence)
  if (described.length === 0) throw new ViewedFileFault(message('referencing-object.no-rois'))
  const types = new Map(
    values
      .items(TAG.RTROIObservationsSequence)
      .map((one) => [one.number(TAG.ReferencedROINumber), one.text(TAG.RTROIInterpretedType)]),
  )
  const contoursByRoi = new Map(
    values
      .items(TAG.ROIContourSequence)
      .map((one) => [one.number(TAG.ReferencedROINumber), one] as const),
  )
  const count = { contours: 0, points: 0, faulty: 0, nonplanar: 0 }
  const rois: StructureSet['rois'] = []
  for (const item of described) {
    const number = item.number(TAG.ROINumber)
    if (number === null) continue
    const contours = contoursByRoi.get(number)
    rois.push({
      number,
      name: item.text(TAG.ROIName),
      type: types.get(number) ?? '',
      colour: contours ? displayColour(contours) : null,
      frameOfReferenceUid: item.text(TAG.ReferencedFrameOfReferenceUID),
      contours: contours ? await contoursOf(contours, count) : [],
    })
  }
  const notApplied: Message[] = []
  if (count.faulty > 0)
    notApplied.push(message('referencing-object.faulty-contours', { contours: count.faulty }))
  if (count.nonplanar > 0)
    notApplied.push(message('referencing-object.nonplanar-contours', { contours: count.nonplanar }))
  return {
    kind: 'structure-set',
    label: values.text(TAG.StructureSetLabel),
    description: values.text(TAG.StructureSetName),
    creator: values.texts(TAG.OperatorsName)[0] ?? '',
    date: values.text(TAG.StructureSetDate),
    time: values.text(TAG.StructureSetTime),
    notApplied,
    rois,
  }
}

async function contoursOf(
  roi: AttributeValues,
  count: { contours: number; points: number; faulty: number; nonplanar: number },
): Promise<Contour[]> {
  const contours: Contour[] = []
  for (const item of roi.items(TAG.ContourSequence)) {
    count.contours += 1
    if (count.contours % CONTOURS_AT_ONCE === 0) await nextTurn()
    const geometricType = item.text(TAG.ContourGeometricType)
    if (geometricType === 'OPEN_NONPLANAR') {
      count.nonplanar += 1
      continue
    }
    const type = geometricType as Contour['type']
    const points = pointsOf(item)
    if (!points || !CONTOUR_TYPES.includes(type)) {
      count.faulty += 1
      continue
    }
    count.points += points.length / 3
    if (count.points > MAX_POINTS)
      throw new ViewedFileFault(message('referencing-object.too-many-points', { most: MAX_POINTS }))
    contours.push({ type, references: imageReferences(item, TAG.ContourImageSequence), points })
  }
  return contours
}

/** Rounded to micrometres; undefined if a number is missing or invalid. */
function pointsOf(item: AttributeValues): number[] | undefined {
  const bytes = item.bytes(TAG.ContourData, MAX_CONTOUR_BYTES)
  if (!bytes || bytes.length === 0) return undefined
  const points = bytes
    .toString('latin1')
    .split('\\')
    .map((text) => (text.trim() === '' ? Number.NaN : Math.round(Number(text) * 1000) / 1000 + 0))
  return points.length % 3 === 0 && points.every(Number.isFinite) ? points : undefined
}

function displayColour(roi: AttributeValues): Colour | null {
  const [red = -1, green = -1, blue = -1] = roi.vector(TAG.ROIDisplayColor, 3) ?? []
  const isValid = [red, green, blue].every((one) => Number.isInteger(one) && one >= 0 && one < 256)
  return isValid ? [red, green, blue] : null
}
