import { encodeText } from '#server/dicom/character-sets/character-set.ts'
import { isAscii } from '#server/dicom/character-sets/default-repertoire.ts'
import type { DataSet, Element } from '#server/dicom/data-set/coding.ts'
import { vrOf, writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { SPECIFIC_CHARACTER_SET } from '#server/dicom/matching/key-text.ts'
import { addDays } from '#server/platform/clinic-day.ts'
import type { Inspection, ReceivedKey, WorklistTestQuery } from '#shared/contract/worklist.ts'
import {
  ACCESSION_NUMBER,
  MODALITY,
  PATIENT_ID,
  PATIENT_NAME,
  ROOT_ATTRIBUTES,
  SCHEDULED_PROCEDURE_STEP_SEQUENCE,
  SCHEDULED_STATION_AE_TITLE,
  START_DATE,
  STEP_ATTRIBUTES,
} from './attributes.ts'
import { daOf, dayOf } from './dates.ts'

/** The identifier of a worklist C-FIND request and its transfer syntax. */
export interface ConsoleQuery {
  readonly identifier: Buffer
  readonly transferSyntax: string
}

export const DEFAULT_TRANSFER_SYNTAX = TRANSFER_SYNTAX.explicitLittleEndian

/**
 * Builds the identifier that a modality would send: every attribute of the tables as a return key,
 * and the values of `ask` as matching keys.
 */
export function buildConsoleQuery(ask: WorklistTestQuery): Buffer {
  const stepKeys = new Map([
    [MODALITY, ask.modality],
    [SCHEDULED_STATION_AE_TITLE, ask.stationAeTitle],
    [START_DATE, dateRangeOf(ask)],
  ])
  const rootKeys = new Map([
    [PATIENT_NAME, ask.patientName],
    [PATIENT_ID, ask.patientId],
    [ACCESSION_NUMBER, ask.accessionNumber],
  ])
  const terms = isAscii([...stepKeys.values(), ...rootKeys.values()].join('')) ? [] : ['ISO_IR 192']
  const step = elements(STEP_ATTRIBUTES, stepKeys, terms)
  const root = elements(ROOT_ATTRIBUTES, rootKeys, terms)
  const sequence: Element = { tag: SCHEDULED_PROCEDURE_STEP_SEQUENCE, vr: 'SQ', value: [step] }
  const characterSet: DataSet = terms.map((term) => ({
    tag: SPECIFIC_CHARACTER_SET,
    vr: 'CS',
    value: Buffer.from(term),
  }))
  return writeDataSet([...characterSet, ...root, sequence].sort(byTag), DEFAULT_TRANSFER_SYNTAX)
}

function elements(
  table: typeof ROOT_ATTRIBUTES,
  keys: ReadonlyMap<number, string>,
  terms: readonly string[],
): DataSet {
  return [...table.values()]
    .map(({ tag, vr }): Element => {
      const text = keys.get(tag) ?? ''
      return {
        tag,
        vr,
        value: vr === 'SQ' ? [] : (encodeText(text, terms, vr) ?? Buffer.from(text)),
      }
    })
    .sort(byTag)
}

const byTag = (a: Element, b: Element): number => a.tag - b.tag

function dateRangeOf({ startDate, endDate }: WorklistTestQuery): string {
  if (startDate === null && endDate === null) return ''
  if (startDate === endDate) return daOf(startDate ?? '')
  return `${daOf(startDate ?? '')}-${daOf(endDate ?? '')}`
}

/**
 * How the matching keys are changed: `daysLater` keeps them and shifts the dates; `onlyDay` removes
 * them all and asks for one day. The return keys and the character set are kept in both cases.
 */
export type QueryChange = { readonly daysLater: number } | { readonly onlyDay: string }

const KNOWN_SYNTAXES: readonly string[] = Object.values(TRANSFER_SYNTAX)
/** `(0040,0100) > (0008,0060)` */
const TAG = /^(?:\((\w{4}),(\w{4})\) > )?\((\w{4}),(\w{4})\)$/

interface Key extends ReceivedKey {
  readonly number: number
  /** Tag of the sequence that contains it; 0 at the root. */
  readonly sequenceTag: number
}

/** Rebuilds a recorded query from its keys as they were received. */
export function rebuildQuery(
  { keys, transferSyntax }: Pick<Inspection, 'keys' | 'transferSyntax'>,
  change: QueryChange,
): ConsoleQuery {
  const parsed = keys.flatMap((key) => parseKey(key))
  const terms = termsOf(parsed)
  const elementOf = (key: Key): Element => ({
    tag: key.number,
    vr: key.vr,
    value: valueOfKey(key, change, terms),
  })
  const step = parsed
    .filter(({ sequenceTag }) => sequenceTag === SCHEDULED_PROCEDURE_STEP_SEQUENCE)
    .map(elementOf)
  const root = parsed
    .filter(
      ({ sequenceTag, number }) =>
        sequenceTag === 0 && number !== SCHEDULED_PROCEDURE_STEP_SEQUENCE,
    )
    .map(elementOf)
  const addsDay =
    'onlyDay' in change &&
    !step.some(({ tag }) => tag === START_DATE) &&
    !root.some(({ tag }) => tag === START_DATE)
  const day = {
    tag: START_DATE,
    vr: 'DA',
    value: Buffer.from('onlyDay' in change ? daOf(change.onlyDay) : ''),
  }
  const item = addsDay ? [...step, day] : step
  const hasSequence = parsed.some(({ number }) => number === SCHEDULED_PROCEDURE_STEP_SEQUENCE)
  const sequence: DataSet =
    hasSequence || item.length > 0
      ? [
          {
            tag: SCHEDULED_PROCEDURE_STEP_SEQUENCE,
            vr: 'SQ',
            value: item.length > 0 ? [sortedByTag(item)] : [],
          },
        ]
      : []
  const syntax = KNOWN_SYNTAXES.includes(transferSyntax) ? transferSyntax : DEFAULT_TRANSFER_SYNTAX
  return {
    identifier: writeDataSet(sortedByTag([...root, ...sequence]), syntax),
    transferSyntax: syntax,
  }
}

function parseKey(key: ReceivedKey): Key[] {
  const [, group, element, ownGroup = '', ownElement = ''] = TAG.exec(key.tag) ?? []
  const number = Number.parseInt(ownGroup + ownElement, 16)
  if (Number.isNaN(number)) return []
  const parentTag =
    group === undefined || element === undefined ? 0 : Number.parseInt(group + element, 16)
  // The items of other sequences are not matched.
  return parentTag === 0 || parentTag === SCHEDULED_PROCEDURE_STEP_SEQUENCE
    ? [{ ...key, number, sequenceTag: parentTag }]
    : []
}

function valueOfKey(
  { number, vr, value, matching }: Key,
  change: QueryChange,
  terms: readonly string[],
): Element['value'] {
  if (vr === 'SQ') return []
  if (number === SPECIFIC_CHARACTER_SET) return Buffer.from(value)
  if (number === START_DATE)
    return Buffer.from(
      'onlyDay' in change ? daOf(change.onlyDay) : shiftDates(value, change.daysLater),
    )
  // `n bytes` is shown in place of a binary value; such keys are never matched.
  const isText = vrOf(number) !== 'UN' && !/^\d+ bytes$/.test(value)
  if ('onlyDay' in change || matching === 'ignored' || !isText) return Buffer.alloc(0)
  return encodeText(value, terms, vr) ?? Buffer.from(value)
}

/** Adds days to each `YYYYMMDD` of a date or range. */
const shiftDates = (value: string, days: number): string =>
  days === 0 ? value : value.replace(/\d{8}/g, (date) => daOf(addDays(dayOf(date), days)))

const termsOf = (keys: readonly Key[]): readonly string[] =>
  keys
    .find(({ number }) => number === SPECIFIC_CHARACTER_SET)
    ?.value.split('\\')
    .map((term) => term.trim())
    .filter((term) => term !== '') ?? []

const sortedByTag = (elements: DataSet): DataSet => [...elements].sort(byTag)
