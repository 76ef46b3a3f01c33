import { createHash } from 'node:crypto'
import { isDa, PATIENT_SEX, Uid } from '#shared/dicom-values.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { type EXTRA_KEYWORDS, ROW_KEYWORDS, type RowKeyword } from './attributes.ts'
import {
  cleanIdentifier,
  cleanName,
  cleanText,
  decimal,
  isDamaged,
  lengthOf,
  plainDate,
  plainTime,
  truncateToLo,
} from './cleaning.ts'
import { daOf } from './dates.ts'
import { type WorklistRow, worklistRow } from './row.ts'

/**
 * What stands in for values that an item lacks: what the partner was asked for, and the device that
 * asked.
 */
export interface AskedFor {
  /** `YYYY-MM-DD`. */
  readonly dateStart: string
  readonly dateEnd: string
  /** The modality asked for, else that of the device, else ''. */
  readonly modality: string
}

type Values = Record<RowKeyword, string>
type Fields = Readonly<Record<string, unknown>>

/** What is being made of one step. The first reason to withhold it stays. */
interface Draft {
  readonly values: Values
  readonly remarks: Message[]
  withheld: Message | null
}

/**
 * The rows of one item of the partner, one for each step (PS3.4 K.6.1: a response carries one).
 * Values that consoles insist on and the partner has not are made up from what is there, always the
 * same from the same item; what cannot be repaired is withheld with the reason. Never throws: an
 * item that is no item is one withheld row.
 */
export function rowsOfItem(item: unknown, askedFor: AskedFor): WorklistRow[] {
  if (!isObject(item)) return [worklistRow(noValues(), message('worklist.not-an-item'), [])]
  const steps = item.ScheduledProcedureStepSequence
  const given = Array.isArray(steps) && steps.length > 0 ? steps : [{}]
  const whole = itemDraft(item)
  const requestedProcedureId = requestedProcedureIdOf(whole.values, given[0])
  return given.map((step: unknown, index) => {
    const draft: Draft = {
      values: { ...whole.values },
      remarks: [...whole.remarks],
      withheld: whole.withheld,
    }
    draft.values.RequestedProcedureID = requestedProcedureId
    if (!Array.isArray(steps) || steps.length === 0)
      draft.remarks.push(message('worklist.item-without-step'))
    if (isObject(step)) readStep(draft, step, index, askedFor)
    else withhold(draft, message('worklist.not-a-step'))
    return worklistRow(draft.values, draft.withheld, draft.remarks)
  })
}

/** The attributes that all steps of an item share. */
function itemDraft(item: Fields): Draft {
  const draft: Draft = { values: noValues(), remarks: [], withheld: null }
  const { values, remarks } = draft
  values.StudyInstanceUID = textOf(item, 'StudyInstanceUID', remarks).trim()
  if (values.StudyInstanceUID === '') withhold(draft, missing('StudyInstanceUID'))
  else if (!Uid.safeParse(values.StudyInstanceUID).success)
    withhold(draft, message('worklist.study-uid-invalid'))
  values.PatientID = identifier(draft, item, 'PatientID', 64)
  if (values.PatientID === '') withhold(draft, missing('PatientID'))
  values.AccessionNumber = identifier(draft, item, 'AccessionNumber', 16)
  values.PatientName = nameOf(draft, item)

  values.PatientBirthDate = plainDate(textOf(item, 'PatientBirthDate', remarks))
  if (values.PatientBirthDate !== '' && !isDa(values.PatientBirthDate))
    drop(draft, 'PatientBirthDate', message('worklist.birth-date-left-out'))
  values.PatientSex = sexOf(textOf(item, 'PatientSex', remarks))
  if (values.PatientSex.length > 1) drop(draft, 'PatientSex', message('worklist.sex-left-out'))
  measure(draft, item, 'PatientSize', 0.2, 3)
  measure(draft, item, 'PatientWeight', 0.2, 650)

  values.Modality = textOf(item, 'Modality', remarks).trim().toUpperCase()
  values.ProtocolName = description(draft, item, 'ProtocolName')
  values.StudyDescription = description(draft, item, 'StudyDescription')
  values.RequestedProcedureDescription = description(draft, item, 'RequestedProcedureDescription')
  values.AdmissionID = extraIds(draft, 'AdmissionID', [item.AdmissionID])
  values.OtherPatientIDs = extraIds(draft, 'OtherPatientIDs', listed(item.OtherPatientIDs))
  values.ReferringPhysicianName = extraName(draft, item, 'ReferringPhysicianName')
  return draft
}

function readStep(draft: Draft, step: Fields, index: number, askedFor: AskedFor): void {
  const { values, remarks } = draft
  values.ScheduledProcedureStepID = identifier(draft, step, 'ScheduledProcedureStepID', 16)
  if (values.ScheduledProcedureStepID === '') {
    values.ScheduledProcedureStepID = `S${digest(`${values.StudyInstanceUID} ${index}`)}`
    remarks.push(message('worklist.step-id-made-up'))
  }
  values.ScheduledProcedureStepStatus = 'SCHEDULED'
  readStart(draft, step, askedFor)
  readModality(draft, step, askedFor)

  const location = description(draft, step, 'ScheduledProcedureStepLocation')
  values.ScheduledProcedureStepLocation = [...location].slice(0, 16).join('').trim()
  if (lengthOf(location) > 16) remarks.push(message('worklist.location-shortened'))

  const own = description(draft, step, 'ScheduledProcedureStepDescription')
  const { ProtocolName, RequestedProcedureDescription, StudyDescription } = values
  values.ScheduledProcedureStepDescription =
    own || ProtocolName || RequestedProcedureDescription || StudyDescription
  values.RequestedProcedureDescription =
    RequestedProcedureDescription || StudyDescription || ProtocolName || own
}

function readStart(draft: Draft, step: Fields, { dateStart, dateEnd }: AskedFor): void {
  const { values, remarks } = draft
  const date = plainDate(textOf(step, 'ScheduledProcedureStepStartDate', remarks))
  if (isDa(date)) values.ScheduledProcedureStepStartDate = date
  else if (date !== '') withhold(draft, message('worklist.start-date-invalid'))
  else if (dateStart === dateEnd) {
    values.ScheduledProcedureStepStartDate = daOf(dateStart)
    remarks.push(message('worklist.start-date-asked'))
  } else withhold(draft, message('worklist.no-start-date'))

  const given = textOf(step, 'ScheduledProcedureStepStartTime', remarks)
  const time = plainTime(given)
  values.ScheduledProcedureStepStartTime = time ?? '000000'
  if (time === undefined)
    remarks.push(
      given.trim() === ''
        ? message('worklist.no-start-time')
        : message('worklist.start-time-invalid'),
    )
}

function readModality(draft: Draft, step: Fields, { modality }: AskedFor): void {
  const { values, remarks } = draft
  const given = textOf(step, 'Modality', remarks).trim().toUpperCase() || values.Modality
  values.Modality = /^[A-Z0-9_ ]{0,16}$/.test(given) ? given : ''
  if (values.Modality !== given) withhold(draft, message('worklist.modality-invalid'))
  else if (given === '' && modality !== '') {
    values.Modality = modality
    remarks.push(message('worklist.modality-asked'))
  } else if (given === '') withhold(draft, missing('Modality'))
}

/**
 * A requested procedure is one for all steps: the accession number, else the id of its first step,
 * else made up.
 */
function requestedProcedureIdOf(
  { AccessionNumber, StudyInstanceUID }: Values,
  firstStep: unknown,
): string {
  if (AccessionNumber !== '') return AccessionNumber
  const stepId = isObject(firstStep)
    ? cleanIdentifier(textOf(firstStep, 'ScheduledProcedureStepID', []))
    : ''
  return stepId && lengthOf(stepId) <= 16 ? stepId : `P${digest(StudyInstanceUID)}`
}

function nameOf(draft: Draft, item: Fields): string {
  const given = textOf(item, 'PatientName', draft.remarks)
  const name = cleanName(given)
  if (/^[\^=]*$/.test(name)) withhold(draft, missing('PatientName'))
  else if (isDamaged(given)) withhold(draft, message('worklist.name-damaged'))
  else if (name.split('=').some((group) => [...group].length > 64))
    withhold(draft, message('worklist.value-too-long', { keyword: 'PatientName', most: 64 }))
  else if (name !== given.trim()) draft.remarks.push(message('worklist.name-put-in-order'))
  return name
}

/** Never cut and never changed: two orders or patients could become one. */
function identifier(draft: Draft, fields: Fields, keyword: RowKeyword, most: number): string {
  const given = textOf(fields, keyword, draft.remarks)
  const clean = cleanIdentifier(given)
  if (given === '' && (fields[keyword] ?? '') !== '')
    withhold(draft, message('worklist.value-not-text', { keyword }))
  else if (clean === undefined) withhold(draft, message('worklist.value-characters', { keyword }))
  else if (lengthOf(clean) > most)
    withhold(draft, message('worklist.value-too-long', { keyword, most }))
  return clean ?? given.trim()
}

function description(draft: Draft, fields: Fields, keyword: RowKeyword): string {
  const given = textOf(fields, keyword, draft.remarks)
  const text = truncateToLo(cleanText(given).toWellFormed().replaceAll('\ufffd', ''))
  if (text !== given.trim().normalize('NFC'))
    draft.remarks.push(message('worklist.value-cleaned', { keyword }))
  return text
}

/**
 * Identifiers of `EXTRA_KEYWORDS`, in ASCII: every device can be sent them. Those that cannot be
 * used are left out.
 */
function extraIds(
  draft: Draft,
  keyword: (typeof EXTRA_KEYWORDS)[number],
  given: readonly unknown[],
): string {
  const ids = given.map((id) =>
    typeof id === 'string' || Number.isSafeInteger(id) ? String(id).trim() : (id ?? ''),
  )
  const usable = ids.filter(
    (id): id is string => typeof id === 'string' && /^[\x20-\x5b\x5d-\x7e]{0,64}$/.test(id),
  )
  if (usable.length < ids.length || usable.length > MOST_EXTRA_IDS)
    draft.remarks.push(message('worklist.value-cleaned', { keyword }))
  return usable
    .filter((id) => id !== '')
    .slice(0, MOST_EXTRA_IDS)
    .join('\\')
}
const MOST_EXTRA_IDS = 10

/** Values of a field that may have several: a list, or a text with backslashes between them. */
const listed = (value: unknown): readonly unknown[] =>
  Array.isArray(value)
    ? value
    : typeof value === 'string'
      ? value.slice(0, MOST_TEXT).split('\\')
      : [value]

function extraName(draft: Draft, item: Fields, keyword: (typeof EXTRA_KEYWORDS)[number]): string {
  const given = textOf(item, keyword, draft.remarks)
  const name = cleanName(given)
  if (!isDamaged(given) && !name.split('=').some((group) => [...group].length > 64)) return name
  drop(draft, keyword, message('worklist.name-left-out', { keyword }))
  return ''
}

function measure(
  draft: Draft,
  item: Fields,
  keyword: 'PatientSize' | 'PatientWeight',
  least: number,
  most: number,
): void {
  const given = textOf(item, keyword, draft.remarks)
  draft.values[keyword] = given.trim() === '' ? '' : (decimal(given, least, most) ?? given)
  if (given.trim() !== '' && decimal(given, least, most) === undefined)
    drop(draft, keyword, message('worklist.number-left-out', { keyword, least, most }))
}

const SEX: Readonly<Record<string, string>> = PATIENT_SEX
function sexOf(text: string): string {
  const plain = text.trim()
  const letter = SEX[plain.toLowerCase()] ?? plain.toUpperCase()
  return letter === '' || /^[MFO]$/.test(letter) ? letter : 'not a sex'
}

/** A value that is not needed and cannot be trusted is left out. */
function drop(draft: Draft, keyword: RowKeyword, remark: Message): void {
  draft.values[keyword] = ''
  draft.remarks.push(remark)
}

const missing = (keyword: RowKeyword) => message('worklist.value-missing', { keyword })

function withhold(draft: Draft, why: Message): void {
  draft.withheld ??= why
}

/** Characters of a value that are looked at; what is longer fits nowhere. */
const MOST_TEXT = 1024
const MEASURES: ReadonlySet<string> = new Set(['PatientSize', 'PatientWeight'])

function textOf(fields: Fields, keyword: string, remarks: Message[]): string {
  const value = fields[keyword]
  // With a mark of its loss, so that the rest is not taken for the whole.
  if (typeof value === 'string')
    return value.length <= MOST_TEXT ? value : `${value.slice(0, MOST_TEXT)}\ufffd`
  // JSON numbers lose digits: 12345678901234567890 is not the patient it was.
  if (
    typeof value === 'number' &&
    (Number.isSafeInteger(value) || (MEASURES.has(keyword) && Number.isFinite(value)))
  )
    return String(value)
  if (value !== undefined && value !== null)
    remarks.push(message('worklist.taken-as-empty', { keyword }))
  return ''
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const noValues = () => Object.fromEntries(ROW_KEYWORDS.map((keyword) => [keyword, ''])) as Values

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
/** 15 characters of base32: the same for the same text at every query, 75 bits (RFC 4648 §6). */
function digest(text: string): string {
  const bytes = createHash('sha256').update(text).digest()
  return Array.from({ length: 15 }, (_, index) => BASE32[(bytes[index] ?? 0) & 31]).join('')
}
