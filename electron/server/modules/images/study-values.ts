import type { ImageHeader } from '#server/modules/studies/image-study-row.ts'
import { daysBetween } from '#server/platform/clinic-day.ts'
import { StudyReportMetadata } from '#shared/contract/scribe.ts'
import { SEVERITIES, type Severity } from '#shared/contract/values.ts'
import type { EventResponse } from '#shared/contract/webhooks.ts'
import { isDa } from '#shared/dicom-values.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { alphabeticForm } from './person-name.ts'

export type EnrichmentAnswer = EventResponse<'patient_study.enrichment_requested'>

/** The values with which a study is created. */
export interface StudyValues {
  readonly studyDescription: string
  readonly severity: Severity
  /** As received from the partner; it is validated when it is written. */
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

/**
 * The field of the partner's response, and the corresponding value of the header in the format of
 * the API.
 */
const METADATA_SOURCES: Readonly<
  Record<
    MetadataField,
    {
      readonly partner: keyof EnrichmentAnswer
      readonly header: (from: DicomValues) => MetadataValue | undefined
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
const METADATA_FIELDS = Object.keys(METADATA_SOURCES) as MetadataField[]

/** What DICOM contains about the study: the header and the leading modality. */
interface DicomValues {
  readonly header: ImageHeader
  readonly modality: string
}

/**
 * @param field of the partner's response; its value is omitted because it may identify a patient
 */
export const omittedValueWarning = (field: string): Message =>
  message('images.value-left-out', { field })

const MAX_LENGTHS = { studyDescription: 1000, externalPatientId: 256 } as const

/**
 * Values of a study, merged per field: the partner's answer to
 * `patient_study.enrichment_requested`, then the DICOM header, then defaults.
 */
export function mergedValues(
  header: ImageHeader,
  modality: string,
  answer: EnrichmentAnswer,
): MergedValues {
  const dicomValues = { header, modality }
  const fromPartner: string[] = []
  const warnings: Message[] = []

  /** The partner's value if it is valid. */
  function partnerValue<T>(
    name: keyof EnrichmentAnswer,
    parse: (value: unknown) => T | undefined,
  ): T | undefined {
    const value = clean(answer[name])
    if (value === undefined || value === '') return undefined
    const parsed = parse(
      name === 'studyTime' && typeof value === 'string' ? value.slice(0, 5) : value,
    )
    if (parsed === undefined) warnings.push(omittedValueWarning(name))
    else fromPartner.push(name)
    return parsed
  }

  const reportMetadata: Record<string, unknown> = {}
  for (const field of METADATA_FIELDS) {
    const { partner, header: ofHeader } = METADATA_SOURCES[field]
    const value =
      partnerValue(partner, (raw) => validated(field, raw)) ??
      validated(field, clean(ofHeader(dicomValues)))
    if (value !== undefined) reportMetadata[field] = value
  }
  const age = ageOf(reportMetadata, header.patientAge)
  if (age !== '') reportMetadata.age = age

  const values: StudyValues = {
    studyDescription:
      partnerValue('studyDescription', (text) => textWithin(text, MAX_LENGTHS.studyDescription)) ??
      fallbackDescription(dicomValues),
    severity:
      partnerValue('severity', (value) => SEVERITIES.find((severity) => severity === value)) ??
      'normal',
    expressCustomerId: partnerValue('expressCustomerId', (text) => textWithin(text, 64)) ?? null,
    externalPatientId:
      partnerValue('externalPatientId', (text) =>
        textWithin(text, MAX_LENGTHS.externalPatientId),
      ) ?? null,
    reportMetadata: StudyReportMetadata.parse(reportMetadata),
  }
  return { values, fromPartner, warnings }
}

// Modalities of objects that accompany images and do not indicate the kind of exam.
const ACCOMPANYING_MODALITIES: ReadonlySet<string> = new Set([
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

/** The modality that represents a study: the first one that is not of accompanying objects. */
export const leadingModality = (modalities: readonly string[]): string =>
  modalities.find((modality) => modality !== '' && !ACCOMPANYING_MODALITIES.has(modality)) ??
  modalities.find((modality) => modality !== '') ??
  ''

/** The description if the partner provides none. */
function fallbackDescription({ header, modality }: DicomValues): string {
  const described = [header.studyDescription, header.requestedProcedureDescription]
    .map((text) => clean(text))
    .find((text) => text !== '')
  return (
    described?.slice(0, MAX_LENGTHS.studyDescription) ??
    (modality === '' ? 'Imaging study' : `${modality} study`)
  )
}

const textWithin = (text: unknown, maxLength: number): string | undefined =>
  typeof text === 'string' && text !== '' && text.length <= maxLength ? text : undefined

/** The value if it satisfies the contract; `undefined` if it is empty. */
function validated(field: MetadataField, value: unknown): unknown {
  if (value === undefined || value === '') return undefined
  const parsed = StudyReportMetadata.shape[field].safeParse(value)
  return parsed.success ? parsed.data : undefined
}

/** Replaces control characters with spaces and trims the text. */
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

/** DA, including the ACR-NEMA format with periods (PS3.5 Table 6.2-1). */
function dayOf(text: string): string | undefined {
  const plain = text.trim().replace(/^(\d{4})\.(\d\d)\.(\d\d)$/, '$1$2$3')
  return isDa(plain) ? `${plain.slice(0, 4)}-${plain.slice(4, 6)}-${plain.slice(6)}` : undefined
}

/** TM truncated to `HH:MM`; a value with only an hour is too imprecise. */
function timeOf(text: string): string | undefined {
  const [, hour, minute] = /^(\d\d):?(\d\d)/.exec(text.trim()) ?? []
  return hour === undefined ? undefined : `${hour}:${minute}`
}

/**
 * PatientSize is in metres. Outside this range, it was probably entered in another unit, and a
 * wrong value is worse than none.
 */
function heightOf(text: string): { unit: 'cm'; value: number } | undefined {
  const metres = decimalOf(text)
  return metres !== undefined && metres >= 0.2 && metres <= 3
    ? { unit: 'cm', value: rounded(metres * 100) }
    : undefined
}

/** PatientWeight is in kilograms; the range is checked for the same reason. */
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
 * Age at the time of the scan, in words. Computed from the dates if both are known, otherwise taken
 * from the header (AS, PS3.5 Table 6.2-1).
 */
function ageOf(
  { dateOfBirth, scanDate }: { readonly dateOfBirth?: unknown; readonly scanDate?: unknown },
  patientAge: string,
): string {
  if (typeof dateOfBirth === 'string' && typeof scanDate === 'string' && dateOfBirth <= scanDate)
    return ageBetween(dateOfBirth, scanDate)
  const [, count, unit = ''] = /^(\d{3})([YMWD])$/.exec(patientAge.trim()) ?? []
  return count === undefined ? '' : countWithUnit(Number(count), AGE_UNITS[unit] ?? '')
}

/** In years from two years, in months from two months, otherwise in days. */
function ageBetween(birth: string, scan: string): string {
  const [birthYear = 0, birthMonth = 0, birthDay = 0] = birth.split('-').map(Number)
  const [year = 0, month = 0, day = 0] = scan.split('-').map(Number)
  const months = (year - birthYear) * 12 + month - birthMonth - (day < birthDay ? 1 : 0)
  if (months >= 24) return countWithUnit(Math.floor(months / 12), 'years')
  if (months >= 2) return countWithUnit(months, 'months')
  return countWithUnit(daysBetween(birth, scan), 'days')
}

const countWithUnit = (count: number, unit: string): string =>
  `${count} ${count === 1 ? unit.slice(0, -1) : unit}`
