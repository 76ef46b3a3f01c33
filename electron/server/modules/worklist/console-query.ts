import { encodeText } from '#server/dicom/character-sets/character-set.ts'
import type { DataSet, Element } from '#server/dicom/data-set/coding.ts'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { WorklistAsk } from '#shared/contract/worklist.ts'
import {
  ACCESSION_NUMBER,
  MODALITY,
  PATIENT_ID,
  PATIENT_NAME,
  ROOT_ATTRIBUTES,
  SCHEDULED_PROCEDURE_STEP_SEQUENCE,
  SCHEDULED_STATION_AE_TITLE,
  SPECIFIC_CHARACTER_SET,
  START_DATE,
  STEP_ATTRIBUTES,
} from './attributes.ts'
import { daOf } from './calendar.ts'

export const CONSOLE_TRANSFER_SYNTAX = TRANSFER_SYNTAX.explicitLittleEndian

// biome-ignore lint/suspicious/noControlCharactersInRegex: the default repertoire is all of ASCII
const ASCII = /^[\x00-\x7f]*$/

/**
 * The identifier a console would send: every attribute of the tables as return key, and what was
 * filled in as matching keys.
 */
export function consoleQuery(ask: WorklistAsk): Buffer {
  const inStep = new Map([
    [MODALITY, ask.modality],
    [SCHEDULED_STATION_AE_TITLE, ask.stationAeTitle],
    [START_DATE, datesOf(ask)],
  ])
  const atRoot = new Map([
    [PATIENT_NAME, ask.patientName],
    [PATIENT_ID, ask.patientId],
    [ACCESSION_NUMBER, ask.accessionNumber],
  ])
  const terms = ASCII.test([...inStep.values(), ...atRoot.values()].join('')) ? [] : ['ISO_IR 192']
  const step = elements(STEP_ATTRIBUTES, inStep, terms)
  const root = elements(ROOT_ATTRIBUTES, atRoot, terms)
  const sequence: Element = { tag: SCHEDULED_PROCEDURE_STEP_SEQUENCE, vr: 'SQ', value: [step] }
  const characterSet: DataSet = terms.map((term) => ({
    tag: SPECIFIC_CHARACTER_SET,
    vr: 'CS',
    value: Buffer.from(term),
  }))
  return writeDataSet([...characterSet, ...root, sequence].sort(byTag), CONSOLE_TRANSFER_SYNTAX)
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

function datesOf({ startDate, endDate }: WorklistAsk): string {
  if (startDate === null && endDate === null) return ''
  if (startDate === endDate) return daOf(startDate ?? '')
  return `${daOf(startDate ?? '')}-${daOf(endDate ?? '')}`
}
