import { createHash } from 'node:crypto'
import { isDa, PATIENT_SEX, Uid } from '#shared/dicom-values.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { type EXTRA_KEYWORDS, ROW_KEYWORDS, type RowKeyword } from './attributes.ts'
import {
  characterCount,
  cleanIdentifier,
  cleanName,
  cleanText,
  isDamaged,
  normalizeDate,
  normalizeDecimal,
  normalizeTime,
  truncateToLo,
} from './cleaning.ts'
import { daOf } from './dates.ts'
import { type WorklistRow, worklistRow } from './row.ts'

/**
 * Values used in place of those that an item lacks: what was requested from the partner, and the
 * querying device.
 */
export interface RequestScope {
  /** `YYYY-MM-DD`, both inclusive. */
  readonly dateStart: string
  readonly dateEnd: string
  /** The requested modality, otherwise that of the device, otherwise ''. */
  readonly modality: string
}

type Values = Record<RowKeyword, string>
type Fields = Readonly<Record<string, unknown>>

/** A row under construction. The first reason to withhold it is kept. */
interface Draft {
  readonly values: Values
  readonly remarks: Message[]
  withheld: Message | null
}

/**
 * Returns the rows of one item of the partner, one for each step, because a response carries
 * exactly one step (PS3.4 K.6.1). Values that modalities require and the item lacks are derived
 * from other values, and are always the same for the same item. A row that cannot be repaired is
 * withheld with the reason. Never throws: an invalid item becomes one withheld row.
 */
export function rowsOfItem(item: unknown, requestScope: RequestScope): WorklistRow[] {
  if (!isObject(item)) return [worklistRow(emptyValues(), message('worklist.not-an-item'), [])]
  const steps = item.ScheduledProcedureStepSequence
  const given = Array.isArray(steps) && steps.length > 0 ? steps : [{}]
  const shared = draftOfItem(item)
  const requestedProcedureId = requestedProcedureIdOf(shared.values, given[0])
  return given.map((step: unknown, index) => {
    const draft: Draft = {
      values: { ...shared.values },
      remarks: [...shared.remarks],
      withheld: shared.withheld,
    }
    draft.values.RequestedProcedureID = requestedProcedureId
    if (!Array.isArray(steps) || steps.length === 0)
      draft.remarks.push(message('worklist.item-without-step'))
    if (isObject(step)) readStep(draft, step, index, requestScope)
    else withhold(draft, message('worklist.not-a-step'))
    return worklistRow(draft.values, draft.withheld, draft.remarks)
  })
}

/** Reads the attributes that all steps of an item share. */
function draftOfItem(item: Fields): Draft {
  const draft: Draft = { values: emptyValues(), remarks: [], withheld: null }
  const { values, remarks } = draft
  values.StudyInstanceUID = textOf(item, 'StudyInstanceUID', remarks).trim()
  if (values.StudyInstanceUID === '') withhold(draft, missing('StudyInstanceUID'))
  else if (!Uid.safeParse(values.StudyInstanceUID).success)
    withhold(draft, message('worklist.study-uid-invalid'))
  values.PatientID = identifier(draft, item, 'PatientID', 64)
  if (values.PatientID === '') withhold(draft, missing('PatientID'))
  values.AccessionNumber = identifier(draft, item, 'AccessionNumber', 16)
  values.PatientName = nameOf(draft, item)

  values.PatientBirthDate = normalizeDate(textOf(item, 'PatientBirthDate', remarks))
  if (values.PatientBirthDate !== '' && !isDa(values.PatientBirthDate))
    drop(draft, 'PatientBirthDate', message('worklist.birth-date-left-out'))
  values.PatientSex = sexOf(textOf(item, 'PatientSex', remarks))
  if (values.PatientSex.length > 1) drop(draft, 'PatientSex', message('worklist.sex-left-out'))
  readMeasurement(draft, item, 'PatientSize', 0.2, 3)
  readMeasurement(draft, item, 'PatientWeight', 0.2, 650)

  values.Modality = textOf(item, 'Modality', remarks).trim().toUpperCase()
  values.ProtocolName = description(draft, item, 'ProtocolName')
  values.StudyDescription = description(draft, item, 'StudyDescription')
  values.RequestedProcedureDescription = description(draft, item, 'RequestedProcedureDescription')
  values.AdmissionID = extraIds(draft, 'AdmissionID', [item.AdmissionID])
  values.OtherPatientIDs = extraIds(draft, 'OtherPatientIDs', valuesIn(item.OtherPatientIDs))
  values.ReferringPhysicianName = extraName(draft, item, 'ReferringPhysicianName')
  return draft
}

function readStep(draft: Draft, step: Fields, index: number, requestScope: RequestScope): void {
  const { values, remarks } = draft
  values.ScheduledProcedureStepID = identifier(draft, step, 'ScheduledProcedureStepID', 16)
  if (values.ScheduledProcedureStepID === '') {
    values.ScheduledProcedureStepID = `S${digest(`${values.StudyInstanceUID} ${index}`)}`
    remarks.push(message('worklist.step-id-made-up'))
  }
  values.ScheduledProcedureStepStatus = 'SCHEDULED'
  readStart(draft, step, requestScope)
  readModality(draft, step, requestScope)

  const location = description(draft, step, 'ScheduledProcedureStepLocation')
  values.ScheduledProcedureStepLocation = [...location].slice(0, 16).join('').trim()
  if (characterCount(location) > 16) remarks.push(message('worklist.location-shortened'))

  const own = description(draft, step, 'ScheduledProcedureStepDescription')
  const { ProtocolName, RequestedProcedureDescription, StudyDescription } = values
  values.ScheduledProcedureStepDescription =
    own || ProtocolName || RequestedProcedureDescription || StudyDescription
  values.RequestedProcedureDescription =
    RequestedProcedureDescription || StudyDescription || ProtocolName || own
}

function readStart(draft: Draft, step: Fields, { dateStart, dateEnd }: RequestScope): void {
  const { values, remarks } = draft
  const date = normalizeDate(textOf(step, 'ScheduledProcedureStepStartDate', remarks))
  if (isDa(date)) values.ScheduledProcedureStepStartDate = date
  else if (date !== '') withhold(draft, message('worklist.start-date-invalid'))
  else if (dateStart === dateEnd) {
    values.ScheduledProcedureStepStartDate = daOf(dateStart)
    remarks.push(message('worklist.start-date-asked'))
  } else withhold(draft, message('worklist.no-start-date'))

  const given = textOf(step, 'ScheduledProcedureStepStartTime', remarks)
  const time = normalizeTime(given)
  values.ScheduledProcedureStepStartTime = time ?? '000000'
  if (time === undefined)
    remarks.push(
      given.trim() === ''
        ? message('worklist.no-start-time')
        : message('worklist.start-time-invalid'),
    )
}

function readModality(draft: Draft, step: Fields, { modality }: RequestScope): void {
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
 * The Requested Procedure ID that all steps of the item share: the accession number, otherwise the
 * ID of the first step, otherwise a generated one.
 */
function requestedProcedureIdOf(
  { AccessionNumber, StudyInstanceUID }: Values,
  firstStep: unknown,
): string {
  if (AccessionNumber !== '') return AccessionNumber
  const stepId = isObject(firstStep)
    ? cleanIdentifier(textOf(firstStep, 'ScheduledProcedureStepID', []))
    : ''
  return stepId && characterCount(stepId) <= 16 ? stepId : `P${digest(StudyInstanceUID)}`
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

/**
 * Reads an identifier. Identifiers are never truncated or changed, because two orders or patients
 * could become the same.
 */
function identifier(draft: Draft, fields: Fields, keyword: RowKeyword, most: number): string {
  const given = textOf(fields, keyword, draft.remarks)
  const clean = cleanIdentifier(given)
  if (given === '' && (fields[keyword] ?? '') !== '')
    withhold(draft, message('worklist.value-not-text', { keyword }))
  else if (clean === undefined) withhold(draft, message('worklist.value-characters', { keyword }))
  else if (characterCount(clean) > most)
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
 * Reads optional identifiers. Only ASCII ones are used, because every device can be sent them; the
 * others are left out.
 */
function extraIds(
  draft: Draft,
  keyword: (typeof EXTRA_KEYWORDS)[number],
  given: readonly unknown[],
): string {
  const ids = given.map((id) =>
    typeof id === 'string' || Number.isSafeInteger(id) ? String(id).trim() : (id ?? ''),
  )
  const usableIds = ids.filter(
    (id): id is string => typeof id === 'string' && /^[\x20-\x5b\x5d-\x7e]{0,64}$/.test(id),
  )
  if (usableIds.length < ids.length || usableIds.length > MAX_EXTRA_IDS)
    draft.remarks.push(message('worklist.value-cleaned', { keyword }))
  return usableIds
    .filter((id) => id !== '')
    .slice(0, MAX_EXTRA_IDS)
    .join('\\')
}
const MAX_EXTRA_IDS = 10

/** The values of a multi-valued field: an array, or text with backslashes as delimiters. */
const valuesIn = (value: unknown): readonly unknown[] =>
  Array.isArray(value)
    ? value
    : typeof value === 'string'
      ? value.slice(0, MAX_TEXT_LENGTH).split('\\')
      : [value]

function extraName(draft: Draft, item: Fields, keyword: (typeof EXTRA_KEYWORDS)[number]): string {
  const given = textOf(item, keyword, draft.remarks)
  const name = cleanName(given)
  if (!isDamaged(given) && !name.split('=').some((group) => [...group].length > 64)) return name
  drop(draft, keyword, message('worklist.name-left-out', { keyword }))
  return ''
}

function readMeasurement(
  draft: Draft,
  item: Fields,
  keyword: 'PatientSize' | 'PatientWeight',
  least: number,
  most: number,
): void {
  const given = textOf(item, keyword, draft.remarks)
  draft.values[keyword] = given.trim() === '' ? '' : (normalizeDecimal(given, least, most) ?? given)
  if (given.trim() !== '' && normalizeDecimal(given, least, most) === undefined)
    drop(draft, keyword, message('worklist.number-left-out', { keyword, least, most }))
}

const SEX: Readonly<Record<string, string>> = PATIENT_SEX
function sexOf(text: string): string {
  const plain = text.trim()
  const letter = SEX[plain.toLowerCase()] ?? plain.toUpperCase()
  return letter === '' || /^[MFO]$/.test(letter) ? letter : 'not a sex'
}

/** Leaves out an optional value that cannot be trusted. */
function drop(draft: Draft, keyword: RowKeyword, remark: Message): void {
  draft.values[keyword] = ''
  draft.remarks.push(remark)
}

const missing = (keyword: RowKeyword) => message('worklist.value-missing', { keyword })

function withhold(draft: Draft, why: Message): void {
  draft.withheld ??= why
}

/** Maximum number of characters read of a value; longer values fit no attribute. */
const MAX_TEXT_LENGTH = 1024
const MEASUREMENTS: ReadonlySet<string> = new Set(['PatientSize', 'PatientWeight'])

function textOf(fields: Fields, keyword: string, remarks: Message[]): string {
  const value = fields[keyword]
  // U+FFFD marks a truncated value as damaged, so that it is not mistaken for the complete one.
  if (typeof value === 'string')
    return value.length <= MAX_TEXT_LENGTH ? value : `${value.slice(0, MAX_TEXT_LENGTH)}\ufffd`
  // Large JSON numbers lose digits: 12345678901234567890 would identify another patient.
  if (
    typeof value === 'number' &&
    (Number.isSafeInteger(value) || (MEASUREMENTS.has(keyword) && Number.isFinite(value)))
  )
    return String(value)
  if (value !== undefined && value !== null)
    remarks.push(message('worklist.taken-as-empty', { keyword }))
  return ''
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const emptyValues = () => Object.fromEntries(ROW_KEYWORDS.map((keyword) => [keyword, ''])) as Values

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
/**
 * Hashes a text to 15 characters of base32 (RFC 4648 §6), 75 bits, so that the same text always has
 * the same ID.
 */
function digest(text: string): string {
  const bytes = createHash('sha256').update(text).digest()
  return Array.from({ length: 15 }, (_, index) => BASE32[(bytes[index] ?? 0) & 31]).join('')
}
