import type { DataSet, Element } from '#server/dicom/data-set/coding.ts'
import { isPrivate, keywordOf, readDataSet } from '#server/dicom/data-set/data-set.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import {
  declaredTerms,
  SPECIFIC_CHARACTER_SET,
  textReader,
} from '#server/dicom/matching/key-text.ts'
import { vrOfKey } from '#server/dicom/matching/text-values.ts'
import { WILD_CARD_VRS } from '#server/dicom/matching/wild-card.ts'
import type { ReceivedKey } from '#shared/contract/worklist.ts'
import { type Message, message } from '#shared/messages/message.ts'
import {
  type Attribute,
  DEFAULT_STEP_ATTRIBUTES,
  ROOT_ATTRIBUTES,
  SCHEDULED_PROCEDURE_STEP_SEQUENCE,
  STEP_ATTRIBUTES,
} from './attributes.ts'
import { type DateWindow, requestWindowOf } from './dates.ts'
import { addDates, type KeyReading, type QueryOrigin, readKey } from './key.ts'
import type { RowKey } from './matching.ts'
import { receivedKey } from './received-key.ts'

/** A return key. An attribute that is not in the tables is returned with zero length. */
export interface ReturnKey {
  readonly tag: number
  readonly vr: string
  readonly attribute: Attribute | undefined
}

/** An interpreted C-FIND identifier. */
export interface WorklistQuery {
  /** As received, for the screen. */
  readonly received: readonly ReceivedKey[]
  /** What was corrected or ignored. */
  readonly remarks: readonly Message[]
  /** A row must match all of them, in the order of the identifier. */
  readonly keys: readonly RowKey[]
  /**
   * The return keys at the root, in tag order, including the Scheduled Procedure Step Sequence if
   * requested.
   */
  readonly root: readonly ReturnKey[]
  readonly step: readonly ReturnKey[]
  /** ScheduledStationAETitle of every row sent. */
  readonly station: string
  /** Values of Specific Character Set (0008,0005) as declared. */
  readonly characterSet: readonly string[]
  readonly window: DateWindow
  /** The modality, if exactly one is specified without wild cards; otherwise ''. */
  readonly modality: string
  readonly namesDate: boolean
  /** Whether a patient, an order or a study is specified by its identifier. */
  readonly namesOrder: boolean
}

const QUERY_RETRIEVE_LEVEL = 0x00080052

/** A query that cannot be answered, with the keys that could be read. */
export class UnreadableQuery extends DimseError {
  override name = 'UnreadableQuery'
  readonly received: readonly ReceivedKey[]
  constructor({ result, explanation }: DimseError, received: readonly ReceivedKey[]) {
    super(result.status, explanation, result.offendingElements)
    this.received = received
  }
}

/**
 * Reads the identifier of a worklist C-FIND (PS3.4 K.6.1). Known deviations of modalities are
 * accepted.
 * @throws {UnreadableQuery} A900 with the offending element: a missing or unreadable data set, an
 *   invalid date or time, or several step items
 */
export function readQuery(
  identifier: Buffer | undefined,
  transferSyntax: string,
  origin: QueryOrigin,
): WorklistQuery {
  const received: ReceivedKey[] = []
  try {
    if (identifier === undefined || identifier.length === 0)
      throw new DimseError(0xa900, message('worklist.no-identifier'))
    return interpret(readDataSet(identifier, transferSyntax), origin, received)
  } catch (error) {
    throw error instanceof DimseError ? new UnreadableQuery(error, received) : error
  }
}

function interpret(dataSet: DataSet, origin: QueryOrigin, received: ReceivedKey[]): WorklistQuery {
  const terms = declaredTerms(dataSet)
  const reading: KeyReading = {
    origin,
    readText: textReader(terms, origin.device?.characterSet ?? null),
    received,
    remarks: [],
    keys: [],
    station: origin.callingAeTitle,
    modality: '',
    namesOrder: false,
    date: undefined,
    time: undefined,
  }
  const keys = dataSet.filter((element) => !isIgnored(reading, element, undefined))
  const sequence = keys.find(({ tag }) => tag === SCHEDULED_PROCEDURE_STEP_SEQUENCE)
  const item = sequence && stepItem(sequence)
  const step =
    item?.filter((element) => !isIgnored(reading, element, SCHEDULED_PROCEDURE_STEP_SEQUENCE)) ?? []
  const strayElements = strayKeys(reading, keys, step)
  for (const element of keys) {
    if (element === sequence) readSequence(reading, element, step)
    else if (strayElements.includes(element)) readKey(reading, STEP_ATTRIBUTES, element)
    else readKey(reading, ROOT_ATTRIBUTES, element)
  }
  addDates(reading)

  const window = requestWindowOf(reading.date?.span, reading.namesOrder, origin)
  if (window.isClamped)
    reading.remarks.push(
      message('worklist.days-clamped', { from: window.dateStart, to: window.dateEnd }),
    )
  const { remarks, keys: matchingKeys, station, modality, namesOrder } = reading
  const inStep = [...step, ...strayElements]
    .map(returnKey(STEP_ATTRIBUTES))
    .sort((a, b) => a.tag - b.tag)
  return {
    received,
    remarks,
    keys: matchingKeys,
    root: keys.map(returnKey(ROOT_ATTRIBUTES, STEP_ATTRIBUTES)),
    step:
      inStep.length > 0
        ? inStep
        : DEFAULT_STEP_ATTRIBUTES.map((attribute) => ({
            tag: attribute.tag,
            vr: attribute.vr,
            attribute,
          })),
    station,
    characterSet: terms,
    window,
    modality,
    namesDate: reading.date !== undefined,
    namesOrder,
  }
}

/**
 * Records and ignores elements that are not matching keys of a worklist query: private attributes,
 * group lengths, command groups, the character set and the query level (PS3.4 C.2.2.2).
 */
function isIgnored(reading: KeyReading, element: Element, within: number | undefined): boolean {
  const { tag } = element
  const isNotKey = tag === SPECIFIC_CHARACTER_SET || tag === QUERY_RETRIEVE_LEVEL
  const isForeign = isPrivate(tag) || (tag & 0xffff) === 0 || tag < 0x00080000
  if (!isNotKey && !isForeign) return false
  const vr = vrOfKey(element)
  const text = WILD_CARD_VRS.has(vr) ? reading.readText(element, vr).text : ''
  reading.received.push(receivedKey(element, vr, text, 'ignored', within))
  return true
}

function stepItem({ tag, value }: Element): DataSet | undefined {
  if (Buffer.isBuffer(value)) {
    if (value.length > 0) throw new DimseError(0xa900, message('worklist.no-sequence'), [tag])
    return undefined
  }
  // A sequence key has zero items or one (PS3.4 C.2.2.2.6).
  if (value.length > 1) throw new DimseError(0xa900, message('worklist.several-items'), [tag])
  return value[0]
}

/**
 * Step attributes that the modality placed at the root instead of in the sequence. They are treated
 * as step keys unless the sequence has them too.
 */
function strayKeys({ remarks }: KeyReading, root: DataSet, step: DataSet): Element[] {
  const stray = root.filter(
    ({ tag }) =>
      STEP_ATTRIBUTES.has(tag) &&
      !ROOT_ATTRIBUTES.has(tag) &&
      !step.some((element) => element.tag === tag),
  )
  if (stray.length > 0) {
    const keywords = stray.map(({ tag }) => keywordOf(tag)).join(', ')
    remarks.push(message('worklist.stray-keys', { keywords }))
  }
  return stray
}

function readSequence(reading: KeyReading, element: Element, step: DataSet): void {
  reading.received.push(receivedKey(element, 'SQ', '', 'sequence'))
  for (const key of step) readKey(reading, STEP_ATTRIBUTES, key, SCHEDULED_PROCEDURE_STEP_SEQUENCE)
}

const returnKey =
  (...tables: readonly ReadonlyMap<number, Attribute>[]) =>
  (element: Element): ReturnKey => {
    const attribute = tables.map((attributes) => attributes.get(element.tag)).find(Boolean)
    const isSequence =
      element.tag === SCHEDULED_PROCEDURE_STEP_SEQUENCE || !Buffer.isBuffer(element.value)
    return {
      tag: element.tag,
      vr: attribute?.vr ?? (isSequence ? 'SQ' : vrOfKey(element)),
      attribute,
    }
  }
