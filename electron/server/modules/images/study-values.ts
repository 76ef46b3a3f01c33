import type { ImageHeader } from '#server/modules/studies/image-study-row.ts'
import { daysBetween } from '#server/platform/clinic-day.ts'
import { StudyReportMetadata } from '#shared/contract/scribe.ts'
import { SEVERITIES, type Severity } from '#shared/contract/values.ts'
import type { EventResponse } from '#shared/contract/webhooks.ts'
import { isDa } from '#shared/dicom-values.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { alphabeticForm } from './person-name.ts'

export type EnrichmentAnswer = EventResponse<'patient_study.enrichment_requested'>

/** What a study is created with. */
export interface StudyValues {
  readonly studyDescription: string
  readonly severity: Severity
  /** As the partner names it: whether it can be used is looked up where it is written. */
  readonly expressCustomerId: string | null
  readonly externalPatientId: string | null
  readonly reportMetadata: StudyReportMetadata
}

export interface MergedValues {
  readonly values: StudyValues
  /** Names of the partner's fields that were used. */
  readonly fromPartner: readonly string[]
  readonly warnings: readonly Message[]
}

type MetadataField = Exclude<keyof StudyReportMetadata, 'age'>
type MetadataValue = NonNullable<StudyReportMetadata[MetadataField]>

/** The partner's field, and the header's value in the form of the interface. */
const METADATA: Readonly<
  Record<
    MetadataField,
    {
      readonly partner: keyof EnrichmentAnswer
      readonly header: (from: Light) => MetadataValue | undefined
    }
  >
> = {
  dateOfBirth: { partner: 'dateOfBirth', header: ({ header }) => dayOf(header.patientBirthDate) },
  facilityName: { partner: 'facilityName', header: ({ header }) => header.institutionName },
  height: { partner: 'height', header: ({ header }) => heightOf(header.patientSize) },
  mrn: { partner: 'mrn', header: ({ header }) => header.patientId },
  patientName: {
    partner: 'patientName',
    header: ({ header }) => alphabeticForm(header.patientName),
  },
  referringPhysicianName: {
    partner: 'referringPhysicianName',
    header: ({ header }) => alphabeticForm(header.referringPhysicianName),
  },
  scanDate: { partner: 'studyDate', header: ({ header }) => dayOf(header.studyDate) },
  scanTime: { partner: 'studyTime', header: ({ header }) => timeOf(header.studyTime) },
  scanType: { partner: 'procedure', header: ({ modality }) => modality },
  sex: { partner: 'sex', header: ({ header }) => SEX[header.patientSex.trim().toUpperCase()] },
  weight: { partner: 'weight', header: ({ header }) => weightOf(header.patientWeight) },
}
const METADATA_FIELDS = Object.keys(METADATA) as MetadataField[]

/** What DICOM says of the study: the header, and the modality that stands for all of it. */
interface Light {
  readonly header: ImageHeader
  readonly modality: string
}

/** @param field of the partner's answer; its value may be about a patient */
export const leftOutWarning = (field: string): Message =>
  message('images.value-left-out', { field })

const MOST = { studyDescription: 1000, externalPatientId: 256 } as const

/**
 * Values of a study, merged per field: the partner's answer to `patient_study.enrichment_requested`,
 * then the DICOM header, then defaults.
 */
export function mergedValues(
  header: ImageHeader,
  modality: string,
  answer: EnrichmentAnswer,
): MergedValues {
  const light = { header, modality }
  const fromPartner: string[] = []
  const warnings: Message[] = []

  /** The partner's value where it is one that can be kept. */
  function given<T>(
    name: keyof EnrichmentAnswer,
    parse: (value: unknown) => T | undefined,
  ): T | undefined {
    const value = clean(answer[name])
    if (value === undefined || value === '') return undefined
    const parsed = parse(
      name === 'studyTime' && typeof value === 'string' ? value.slice(0, 5) : value,
    )
    if (parsed === undefined) warnings.push(leftOutWarning(name))
    else fromPartner.push(name)
    return parsed
  }

  const reportMetadata: Record<string, unknown> = {}
  for (const field of METADATA_FIELDS) {
    const { partner, header: ofHeader } = METADATA[field]
    const value =
      given(partner, (raw) => fitting(field, raw)) ?? fitting(field, clean(ofHeader(light)))
    if (value !== undefined) reportMetadata[field] = value
  }
  const age = ageOf(reportMetadata, header.patientAge)
  if (age !== '') reportMetadata.age = age

  const values: StudyValues = {
    studyDescription:
      given('studyDescription', (text) => textWithin(text, MOST.studyDescription)) ??
      describedBy(light),
    severity:
      given('severity', (value) => SEVERITIES.find((severity) => severity === value)) ?? 'normal',
    expressCustomerId: given('expressCustomerId', (text) => textWithin(text, 64)) ?? null,
    externalPatientId:
      given('externalPatientId', (text) => textWithin(text, MOST.externalPatientId)) ?? null,
    reportMetadata: StudyReportMetadata.parse(reportMetadata),
  }
  return { values, fromPartner, warnings }
}

// Objects that come with images of another kind; they do not say what the exam was.
const ACCOMPANYING: ReadonlySet<string> = new Set([
  'SR',
  'PR',
  'KO',
  'DOC',
  'REG',
  'SEG',
  'FID',
  'AU',
  'PLAN',
  'RWV',
  'OT',
])

/** The modality that stands for a study: the first that is not one of accompanying objects. */
export const leadingModality = (modalities: readonly string[]): string =>
  modalities.find((modality) => modality !== '' && !ACCOMPANYING.has(modality)) ??
  modalities.find((modality) => modality !== '') ??
  ''

/** The description where the partner gives none. */
function describedBy({ header, modality }: Light): string {
  const described = [header.studyDescription, header.requestedProcedureDescription]
    .map((text) => clean(text))
    .find((text) => text !== '')
  return (
    described?.slice(0, MOST.studyDescription) ??
    (modality === '' ? 'Imaging study' : `${modality} study`)
  )
}

const textWithin = (text: unknown, most: number): string | undefined =>
  typeof text === 'string' && text !== '' && text.length <= most ? text : undefined

/** The value where the contract takes it; undefined for an empty one. */
function fitting(field: MetadataField, value: unknown): unknown {
  if (value === undefined || value === '') return undefined
  const parsed = StudyReportMetadata.shape[field].safeParse(value)
  return parsed.success ? parsed.data : undefined
}

/** Control characters of a text are spaces, and there is none around it. */
const clean = <T>(value: T): T =>
  typeof value === 'string'
    ? (value
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
        .replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
        .trim() as T)
    : value

const SEX: Readonly<Record<string, 'male' | 'female' | 'other'>> = {
  M: 'male',
  F: 'female',
  O: 'other',
}

/** DA, also in the form of ACR-NEMA with points (PS3.5 Table 6.2-1). */
function dayOf(text: string): string | undefined {
  const plain = text.trim().replace(/^(\d{4})\.(\d\d)\.(\d\d)$/, '$1$2$3')
  return isDa(plain) ? `${plain.slice(0, 4)}-${plain.slice(4, 6)}-${plain.slice(6)}` : undefined
}

/** TM cut to `HH:MM`; an hour alone says too little. */
function timeOf(text: string): string | undefined {
  const [, hour, minute] = /^(\d\d):?(\d\d)/.exec(text.trim()) ?? []
  return hour === undefined ? undefined : `${hour}:${minute}`
}

// dicom-field §1.3: outside these the value was typed in another unit, and a wrong one is worse
// than none.
/** PatientSize is in metres. */
function heightOf(text: string): { unit: 'cm'; value: number } | undefined {
  const metres = decimalOf(text)
  return metres !== undefined && metres >= 0.2 && metres <= 3
    ? { unit: 'cm', value: rounded(metres * 100) }
    : undefined
}

/** PatientWeight is in kilograms. */
function weightOf(text: string): { unit: 'kg'; value: number } | undefined {
  const kilograms = decimalOf(text)
  return kilograms !== undefined && kilograms >= 0.2 && kilograms <= 650
    ? { unit: 'kg', value: rounded(kilograms) }
    : undefined
}

const decimalOf = (text: string): number | undefined =>
  /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text.trim()) ? Number(text) : undefined
const rounded = (value: number): number => Math.round(value * 100) / 100

const AGE_UNITS: Readonly<Record<string, string>> = {
  Y: 'years',
  M: 'months',
  W: 'weeks',
  D: 'days',
}

/**
 * Age at the scan in words: by the calendar where both days are known, else as the header has it
 * (AS, PS3.5 Table 6.2-1).
 */
function ageOf(
  { dateOfBirth, scanDate }: { readonly dateOfBirth?: unknown; readonly scanDate?: unknown },
  patientAge: string,
): string {
  if (typeof dateOfBirth === 'string' && typeof scanDate === 'string' && dateOfBirth <= scanDate)
    return ageBetween(dateOfBirth, scanDate)
  const [, count, unit = ''] = /^(\d{3})([YMWD])$/.exec(patientAge.trim()) ?? []
  return count === undefined ? '' : inWords(Number(count), AGE_UNITS[unit] ?? '')
}

/** Years from two years on, months from two months on, days before. */
function ageBetween(birth: string, scan: string): string {
  const [birthYear = 0, birthMonth = 0, birthDay = 0] = birth.split('-').map(Number)
  const [year = 0, month = 0, day = 0] = scan.split('-').map(Number)
  const months = (year - birthYear) * 12 + month - birthMonth - (day < birthDay ? 1 : 0)
  if (months >= 24) return inWords(Math.floor(months / 12), 'years')
  if (months >= 2) return inWords(months, 'months')
  return inWords(daysBetween(birth, scan), 'days')
}

const inWords = (count: number, unit: string): string =>
  `${count} ${count === 1 ? unit.slice(0, -1) : unit}`
