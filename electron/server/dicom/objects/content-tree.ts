import type { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import { tagsByKeyword } from '#server/dicom/data-set/dictionary.ts'
import type { ContentItem, ObjectReference } from '#shared/contract/viewed-objects.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { codedConcept, personName } from './object-context.ts'

const TAG = tagsByKeyword([
  'RelationshipType',
  'ValueType',
  'ConceptNameCodeSequence',
  'ConceptCodeSequence',
  'ContentSequence',
  'ReferencedContentItemIdentifier',
  'ObservationDateTime',
  'TextValue',
  'Date',
  'Time',
  'DateTime',
  'PersonName',
  'UID',
  'MeasuredValueSequence',
  'NumericValue',
  'MeasurementUnitsCodeSequence',
  'NumericValueQualifierCodeSequence',
  'ReferencedSOPSequence',
  'ReferencedSOPClassUID',
  'ReferencedSOPInstanceUID',
  'ReferencedFrameNumber',
  'ReferencedWaveformChannels',
  'GraphicType',
  'GraphicData',
  'TemporalRangeType',
  'ReferencedSamplePositions',
  'ReferencedTimeOffsets',
  'ReferencedDateTime',
])

/** Maximum number of items, and of characters of their values: more than any report has. */
const MAX_ITEMS = 20_000
const MAX_CHARACTERS = 4_000_000
/** Coordinates of long contours are not shown; their number is. */
const MAX_COORDINATES = 200
const MAX_REFERENCES = 5000

/** The content items of a report in document order, and what is wrong with them. */
export interface ContentTree {
  readonly items: readonly ContentItem[]
  readonly faults: readonly Message[]
}

/**
 * Reads the content tree of a structured report (PS3.3 C.17.3), whatever its template. What exceeds
 * the limits is left out, and a fault says so.
 */
export function contentTree(root: AttributeValues): ContentTree {
  const items: ContentItem[] = []
  let characters = 0
  let omittedCount = 0
  let untypedCount = 0

  function addItem(values: AttributeValues, depth: number, position: string): void {
    if (items.length >= MAX_ITEMS || characters > MAX_CHARACTERS) {
      omittedCount++
      return
    }
    const item = contentItem(values, depth, position)
    characters += item.value.length
    if (item.valueType === '' && item.target === '') untypedCount++
    items.push(item)
    for (const [index, child] of values.items(TAG.ContentSequence).entries())
      addItem(child, depth + 1, `${position}.${index + 1}`)
  }
  addItem(root, 0, '1')

  const positions = new Set(items.map(({ position }) => position))
  const danglingCount = items.filter(({ target }) => target !== '' && !positions.has(target)).length
  const faults = [
    ...(omittedCount > 0 ? [message('viewed-file.report-too-long', { shown: items.length })] : []),
    ...(untypedCount > 0
      ? [message('viewed-file.report-items-without-type', { count: untypedCount })]
      : []),
    ...(danglingCount > 0 && omittedCount === 0
      ? [message('viewed-file.report-references-nothing', { count: danglingCount })]
      : []),
  ]
  return { items, faults }
}

function contentItem(values: AttributeValues, depth: number, position: string): ContentItem {
  const valueType = values.text(TAG.ValueType)
  const [measured] = valueType === 'NUM' ? values.items(TAG.MeasuredValueSequence) : []
  return {
    depth,
    position,
    relationship: depth === 0 ? '' : values.text(TAG.RelationshipType),
    valueType,
    concept: codedConcept(values, TAG.ConceptNameCodeSequence),
    value: textOf(values, valueType, measured),
    code:
      valueType === 'CODE'
        ? codedConcept(values, TAG.ConceptCodeSequence)
        : measured
          ? codedConcept(measured, TAG.MeasurementUnitsCodeSequence)
          : null,
    qualifier: codedConcept(values, TAG.NumericValueQualifierCodeSequence),
    references: values
      .items(TAG.ReferencedSOPSequence)
      .slice(0, MAX_REFERENCES)
      .flatMap(referencesOf),
    coordinates: coordinatesOf(values, valueType),
    // PS3.3 C.17.3.2.5: the numbers of the path, of which the first one is the root.
    target: values.numbers(TAG.ReferencedContentItemIdentifier).join('.'),
    observedAt: values.text(TAG.ObservationDateTime),
  }
}

function textOf(
  values: AttributeValues,
  valueType: string,
  measured: AttributeValues | undefined,
): string {
  switch (valueType) {
    case 'TEXT':
      return values.text(TAG.TextValue)
    case 'NUM':
      return measured?.text(TAG.NumericValue) ?? ''
    case 'DATE':
      return values.text(TAG.Date)
    case 'TIME':
      return values.text(TAG.Time)
    case 'DATETIME':
      return values.text(TAG.DateTime)
    case 'PNAME':
      return personName(values, TAG.PersonName)
    case 'UIDREF':
      return values.text(TAG.UID)
    default:
      return ''
  }
}

/** The object, and the presentation state or other object that belongs to it (PS3.3 C.18.4). */
function referencesOf(values: AttributeValues): ObjectReference[] {
  const sopInstanceUid = values.text(TAG.ReferencedSOPInstanceUID)
  const own = {
    sopClassUid: values.text(TAG.ReferencedSOPClassUID),
    sopInstanceUid,
    frames: integers(values, TAG.ReferencedFrameNumber),
    channels: integers(values, TAG.ReferencedWaveformChannels),
  }
  const others = values.items(TAG.ReferencedSOPSequence).map((other) => ({
    sopClassUid: other.text(TAG.ReferencedSOPClassUID),
    sopInstanceUid: other.text(TAG.ReferencedSOPInstanceUID),
    ...{ frames: [], channels: [] },
  }))
  return [own, ...others].filter((one) => one.sopInstanceUid !== '')
}

function coordinatesOf(values: AttributeValues, valueType: string): ContentItem['coordinates'] {
  if (valueType === 'SCOORD' || valueType === 'SCOORD3D')
    return { type: values.text(TAG.GraphicType), values: numberTexts(values, TAG.GraphicData) }
  if (valueType !== 'TCOORD') return null
  const [found = []] = [
    numberTexts(values, TAG.ReferencedSamplePositions),
    numberTexts(values, TAG.ReferencedTimeOffsets),
    values.texts(TAG.ReferencedDateTime).slice(0, MAX_COORDINATES),
  ].filter((one) => one.length > 0)
  return { type: values.text(TAG.TemporalRangeType), values: found }
}

const integers = (values: AttributeValues, tag: number): number[] =>
  values.numbers(tag).filter((number): number is number => Number.isSafeInteger(number))

const numberTexts = (values: AttributeValues, tag: number): string[] =>
  values
    .numbers(tag)
    .slice(0, MAX_COORDINATES)
    .map((number) => (number === null ? '' : String(number)))
