import type { Element } from '#server/dicom/data-set/coding.ts'
import { formatTag, keywordOf } from '#server/dicom/data-set/data-set.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import type { KeyText, ReadText } from '#server/dicom/matching/key-text.ts'
import {
  dateSpan,
  intervalOf,
  isInterval,
  isReversed,
  REVERSED_MESSAGE,
  type Span,
  SpanFault,
  timeSpan,
} from '#server/dicom/matching/range.ts'
import {
  keyValues,
  MAX_TESTED_VALUES,
  textMatching,
  vrOfKey,
} from '#server/dicom/matching/text-values.ts'
import { hasWildCard, WILD_CARD_VRS, wildCardTest } from '#server/dicom/matching/wild-card.ts'
import type { Device } from '#shared/contract/devices.ts'
import type { ReceivedKey } from '#shared/contract/worklist.ts'
import { type Message, message } from '#shared/messages/message.ts'
import {
  ACCESSION_NUMBER,
  type Attribute,
  MODALITY,
  PATIENT_ID,
  REQUESTED_PROCEDURE_ID,
  START_DATE,
  START_TIME,
  STEP_ATTRIBUTES,
  STUDY_INSTANCE_UID,
  TIMEZONE_OFFSET_FROM_UTC,
} from './attributes.ts'
import type { WindowDays } from './dates.ts'
import {
  intervalKey,
  joinWithOr,
  type Matching,
  nameKey,
  quoted,
  type RowKey,
  spanKey,
  textKey,
  unmatchableKey,
} from './matching.ts'
import { receivedKey } from './received-key.ts'

/**
 * The querying AE, and the days before and after today that are requested when the query specifies
 * no date.
 */
export interface QueryOrigin extends WindowDays {
  readonly callingAeTitle: string
  readonly device: Device | undefined
}

/** A query under construction. */
export interface KeyReading {
  readonly origin: QueryOrigin
  readonly readText: ReadText
  readonly received: ReceivedKey[]
  readonly remarks: Message[]
  readonly keys: RowKey[]
  station: string
  /** The modality, if exactly one is specified without wild cards; otherwise ''. */
  modality: string
  namesOrder: boolean
  date: { readonly span: Span; readonly text: string } | undefined
  time: { readonly span: Span; readonly text: string } | undefined
}

const IDENTIFYING_TAGS: ReadonlySet<number> = new Set([
  ACCESSION_NUMBER,
  PATIENT_ID,
  REQUESTED_PROCEDURE_ID,
  STUDY_INSTANCE_UID,
])

/** Reads one key: records it as received, and adds a matcher for it if it restricts the result. */
export function readKey(
  reading: KeyReading,
  table: ReadonlyMap<number, Attribute>,
  element: Element,
  within?: number,
): void {
  const attribute = table.get(element.tag)
  const vr = attribute?.vr ?? vrOfKey(element)
  if (Buffer.isBuffer(element.value) && vr !== 'SQ') {
    const key = reading.readText(element, vr)
    const matching = attribute
      ? addKey(reading, attribute, key)
      : ignoreKey(reading, element.tag, key.text)
    reading.received.push(
      receivedKey(element, vr, displayedValue(element, vr, key), matching, within),
    )
  } else readOtherSequence(reading, element, within)
}

/**
 * Sequences other than the Scheduled Procedure Step Sequence are returned empty or left out. Keys
 * in their items are ignored.
 */
function readOtherSequence(reading: KeyReading, element: Element, within?: number): void {
  const items = Buffer.isBuffer(element.value) ? [] : element.value
  const hasValue = items.some((item) => item.some(({ value }) => value.length > 0))
  if (hasValue) ignoreKey(reading, element.tag, 'a sequence')
  reading.received.push(receivedKey(element, 'SQ', '', hasValue ? 'ignored' : 'universal', within))
  for (const inner of items.flat()) {
    const vr = vrOfKey(inner)
    reading.received.push(
      receivedKey(
        inner,
        vr,
        displayedValue(inner, vr, reading.readText(inner, vr)),
        'ignored',
        element.tag,
      ),
    )
  }
}

/**
 * Ignores an optional key that is not supported for matching: it is treated as universal (PS3.4
 * K.2.2.1.2).
 */
function ignoreKey(reading: KeyReading, tag: number, text: string): Matching {
  if (/^[*\s]*$/.test(text)) return 'universal'
  reading.remarks.push(
    tag === TIMEZONE_OFFSET_FROM_UTC
      ? message('worklist.time-zone-not-matched')
      : message('worklist.key-not-matched', { keyword: keywordOf(tag), tag: formatTag(tag) }),
  )
  return 'ignored'
}

function addKey(reading: KeyReading, attribute: Attribute, key: KeyText): Matching {
  const { tag, vr, source, matching: support } = attribute
  if (tag === START_DATE || tag === START_TIME) return addSpan(reading, attribute, key.text)
  const values = keyValues(vr, key.text)
  if (values.length === 0) return 'universal'
  const tested = vr === 'PN' || vr === 'DS' ? values : values.filter(hasWildCard)
  if (tested.length > MAX_TESTED_VALUES)
    throw new DimseError(
      0xa900,
      message('worklist.many-key-values', { keyword: attribute.keyword, most: MAX_TESTED_VALUES }),
      [tag],
    )
  if (!key.isExact)
    reading.remarks.push(message('worklist.key-bytes', { keyword: attribute.keyword }))
  if (source === 'station') return addStation(reading, attribute, values)
  if (source !== 'row') {
    if (support !== 'R') return ignoreKey(reading, tag, key.text)
    reading.keys.push(
      unmatchableKey(attribute, message('worklist.key-not-listed', { wanted: quoted([key.text]) })),
    )
    return textMatching(vr, values)
  }
  if (vr === 'DA' || vr === 'TM') return addRange(reading, attribute, key.text)
  if (vr === 'PN') reading.keys.push(nameKey(attribute, values, key.isExact))
  else reading.keys.push(textKey(attribute, values))
  const [only, ...more] = values
  const isConcrete =
    more.length === 0 && only !== undefined && !(WILD_CARD_VRS.has(vr) && hasWildCard(only))
  if (tag === MODALITY && isConcrete) reading.modality = only
  if (IDENTIFYING_TAGS.has(tag) && (isConcrete || tag === STUDY_INSTANCE_UID))
    reading.namesOrder = true
  return textMatching(vr, values)
}

/**
 * Modalities query by their own AE title, or by one that is not used for scheduling. The partner
 * has no information about stations, so the key is compared with the calling AE title.
 */
function addStation(
  reading: KeyReading,
  attribute: Attribute,
  values: readonly string[],
): Matching {
  const { callingAeTitle, device } = reading.origin
  const ownAeTitle = callingAeTitle.toUpperCase()
  const ownTitle = values.find((value) =>
    hasWildCard(value)
      ? wildCardTest(value.toUpperCase())(ownAeTitle)
      : value.toUpperCase() === ownAeTitle,
  )
  const concreteTitle =
    ownTitle === undefined
      ? values.find((value) => !hasWildCard(value))
      : hasWildCard(ownTitle)
        ? undefined
        : ownTitle
  reading.station = concreteTitle ?? callingAeTitle
  if (ownTitle === undefined) {
    if (device?.stationMode === 'strict')
      reading.keys.push(
        unmatchableKey(
          attribute,
          message('worklist.not-its-station', { asked: quoted(values), aeTitle: callingAeTitle }),
        ),
      )
    else
      reading.remarks.push(
        message('worklist.other-station', { asked: joinWithOr(values), aeTitle: callingAeTitle }),
      )
  }
  return textMatching('AE', values)
}

function addSpan(reading: KeyReading, { tag, vr, keyword }: Attribute, text: string): Matching {
  const span = spanOf(tag, vr, keyword, text)
  if (!span) return 'universal'
  if (tag === START_DATE) reading.date = { span, text }
  else reading.time = { span, text }
  return span.isRange ? 'range' : 'singleValue'
}

function addRange(reading: KeyReading, attribute: Attribute, text: string): Matching {
  const span = spanOf(attribute.tag, attribute.vr, attribute.keyword, text)
  if (!span) return 'universal'
  reading.keys.push(spanKey(attribute, span, text))
  return span.isRange ? 'range' : 'singleValue'
}

function spanOf(tag: number, vr: string, keyword: string, text: string): Span | undefined {
  try {
    return vr === 'TM' ? timeSpan(text) : dateSpan(text)
  } catch (error) {
    if (error instanceof SpanFault)
      throw new DimseError(0xa900, faultOf(keyword, error.explanation), [tag])
    throw error
  }
}

const faultOf = (keyword: string, fault: Message) =>
  message('worklist.key-fault', { keyword, fault })

/**
 * Combines start date and start time (PS3.4 Table K.6-1): yesterday to today with 2200 to 0700 is
 * one night.
 */
export function addDates({ keys, date, time }: KeyReading): void {
  const [dateAttribute, timeAttribute] = [
    STEP_ATTRIBUTES.get(START_DATE),
    STEP_ATTRIBUTES.get(START_TIME),
  ]
  const isCombined = date && time && isInterval(date.span, time.span)
  if (time && isReversed(isCombined ? intervalOf(date.span, time.span) : time.span))
    throw new DimseError(0xa900, faultOf(timeAttribute?.keyword ?? '', REVERSED_MESSAGE), [
      START_TIME,
    ])
  if (isCombined) keys.push(intervalKey(date.span, time.span, `${date.text} ${time.text}`))
  else {
    if (date && dateAttribute) keys.push(spanKey(dateAttribute, date.span, date.text))
    if (time && timeAttribute) keys.push(spanKey(timeAttribute, time.span, time.text))
  }
}

const DISPLAYED_VRS: ReadonlySet<string> = new Set([
  ...WILD_CARD_VRS,
  'AS',
  'DA',
  'DS',
  'DT',
  'IS',
  'TM',
  'UI',
])
const displayedValue = ({ value }: Element, vr: string, { text }: KeyText): string =>
  DISPLAYED_VRS.has(vr) ? text : value.length === 0 ? '' : `${value.length} bytes`
