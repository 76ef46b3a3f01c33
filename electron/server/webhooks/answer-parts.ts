import { EVENTS, type EventResponse } from '#shared/contract/webhooks.ts'
import { CalendarDay } from '#shared/dicom-values.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { ignoredPart, isObject, type NoteTaker } from './answer-notes.ts'

/** `host:port` entries from which files may be fetched over plain http. */
export type PlaintextHosts = readonly string[]

type Enrichment = EventResponse<'patient_study.enrichment_requested'>
type ClinicalContext = EventResponse<'clinical_context.enrichment_requested'>
type Media = NonNullable<EventResponse<'study.access_requested'>['mediaUrls']>[number]
type Note = NoteTaker['note']

/** Maximum number of list items used; more clinical context than this would not be read. */
const MAX_ITEMS = {
  documents: 100,
  documentUrls: 50,
  uploadUrls: 50,
  priorReports: 100,
  technologistNotes: 200,
} as const

/** The valid URLs of a list; others are ignored with a note. */
export function urlsOf(
  list: readonly unknown[],
  at: string,
  plaintext: PlaintextHosts,
  note: Note,
): string[] {
  return list.filter((url, index): url is string => {
    const fault = urlFault(url, plaintext)
    if (fault) note(`${at}.${index}`, ignoredPart(fault))
    return !fault
  })
}

/** The valid media URLs of an answer; undefined if there is no list. */
export function mediaOf(list: unknown, plaintext: PlaintextHosts, note: Note): Media[] | undefined {
  return listOf(list, 'mediaUrls', note, (item, at) => {
    if (!isObject(item)) return noteNotObject(at, note)
    const fault = urlFault(item.url, plaintext)
    if (fault) return void note(`${at}.url`, message('webhooks.file-left-out', { fault }))
    if (typeof item.mimeType !== 'string')
      return void note(`${at}.mimeType`, message('webhooks.file-left-out', { fault: NOT_TEXT }))
    const fileName = optional(item.fileName, `${at}.fileName`, isString, NOT_TEXT, note)
    return {
      mimeType: item.mimeType,
      url: item.url as string,
      ...(fileName !== undefined && { fileName }),
    }
  })
}

const { shape: ENRICHMENT } = EVENTS['patient_study.enrichment_requested'].response
const NOT_TEXT = message('webhooks.not-text')
const NOT_LIST = message('webhooks.not-list')
const NOT_FILE_NAME = message('webhooks.not-file-name')
const tooLongMessage = (most: number) => message('webhooks.not-text-at-most', { most })
const NOT_DAY = message('webhooks.not-day')

const ENRICHMENT_FAULTS: { readonly [K in keyof Enrichment]-?: Message } = {
  dateOfBirth: NOT_DAY,
  expressCustomerId: NOT_TEXT,
  externalPatientId: NOT_TEXT,
  facilityName: NOT_TEXT,
  height: message('webhooks.not-height'),
  mrn: NOT_TEXT,
  patientName: NOT_TEXT,
  procedure: NOT_TEXT,
  referringPhysicianName: NOT_TEXT,
  severity: message('webhooks.not-one-of', { values: 'normal, high, stat' }),
  sex: message('webhooks.not-one-of', { values: 'male, female, other' }),
  studyDate: NOT_DAY,
  studyDescription: NOT_TEXT,
  studyTime: message('webhooks.not-time'),
  weight: message('webhooks.not-weight'),
}

/**
 * The enrichment of a study. Each field is validated separately, so that an invalid birth date does
 * not affect the severity.
 */
export function enrichmentOf(answer: Readonly<Record<string, unknown>>, note: Note): Enrichment {
  const fields = Object.entries(ENRICHMENT_FAULTS).flatMap(([name, fault]) => {
    const { [name as keyof Enrichment]: field } = ENRICHMENT
    const isValid = (value: unknown): value is unknown => field.safeParse(value).success
    const value = optional(answer[name], name, isValid, fault, note)
    return value === undefined ? [] : [[name, field.parse(value)]]
  })
  return Object.fromEntries(fields) as Enrichment
}

/** Clinical context. Each part is validated separately, and invalid parts are ignored. */
export function clinicalContextOf(
  answer: Readonly<Record<string, unknown>>,
  note: Note,
): ClinicalContext {
  const text = (name: 'clinicalIndication' | 'technologistTechnique') =>
    optional(answer[name], name, isString, NOT_TEXT, note)
  const parts: { [K in keyof ClinicalContext]: ClinicalContext[K] | undefined } = {
    clinicalIndication: text('clinicalIndication'),
    documents: listOf(answer.documents, 'documents', note, (item, at) =>
      documentOf(item, at, note),
    ),
    documentUrls: listOf(answer.documentUrls, 'documentUrls', note, (item, at) =>
      documentUrlOf(item, at, note),
    ),
    priorReports: listOf(answer.priorReports, 'priorReports', note, (item, at) =>
      priorReportOf(item, at, note),
    ),
    technologistNotes: listOf(answer.technologistNotes, 'technologistNotes', note, (item, at) =>
      typeof item === 'string' ? item : void note(at, ignoredPart(NOT_TEXT)),
    ),
    technologistTechnique: text('technologistTechnique'),
  }
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined))
}

function documentOf(item: unknown, at: string, note: Note) {
  if (!isObject(item)) return noteNotObject(at, note)
  if (!isWithin(item.fileName, 500, 1))
    return void note(
      `${at}.fileName`,
      message('webhooks.document-left-out', { fault: NOT_FILE_NAME }),
    )
  if (!Array.isArray(item.content))
    return void note(`${at}.content`, message('webhooks.document-left-out', { fault: NOT_LIST }))
  const content = item.content.filter((chunk, index): chunk is string => {
    if (typeof chunk !== 'string') note(`${at}.content.${index}`, ignoredPart(NOT_TEXT))
    return typeof chunk === 'string'
  })
  return { content, fileName: item.fileName }
}

function documentUrlOf(item: unknown, at: string, note: Note) {
  if (!isObject(item)) return noteNotObject(at, note)
  const fault = urlFault(item.url, [])
  if (fault) return void note(`${at}.url`, message('webhooks.document-left-out', { fault }))
  const fileName = optional(
    item.fileName,
    `${at}.fileName`,
    lengthCheck(500, 1),
    NOT_FILE_NAME,
    note,
  )
  return { url: item.url as string, ...(fileName !== undefined && { fileName }) }
}

const PRIOR_FIELDS = {
  externalStudyId: { admits: lengthCheck(256), fault: tooLongMessage(256) },
  modality: { admits: lengthCheck(100), fault: tooLongMessage(100) },
  studyDate: {
    admits: (value: unknown): value is string => CalendarDay.safeParse(value).success,
    fault: NOT_DAY,
  },
  studyDescription: {
    admits: lengthCheck(1000),
    fault: tooLongMessage(1000),
  },
} as const

function priorReportOf(item: unknown, at: string, note: Note) {
  if (!isObject(item)) return noteNotObject(at, note)
  if (!isWithin(item.reportText, 50_000))
    return void note(
      `${at}.reportText`,
      message('webhooks.prior-report-left-out', { fault: tooLongMessage(50_000) }),
    )
  const fields = Object.entries(PRIOR_FIELDS).flatMap(([name, { admits, fault }]) => {
    const value = optional(item[name], `${at}.${name}`, admits, fault, note)
    return value === undefined ? [] : [[name, value]]
  })
  return {
    reportText: item.reportText,
    ...(Object.fromEntries(fields) as Partial<Record<keyof typeof PRIOR_FIELDS, string>>),
  }
}

/** The valid items of a list; undefined if there is no list. */
function listOf<T>(
  list: unknown,
  at: string,
  note: Note,
  read: (item: unknown, at: string) => T | undefined,
): T[] | undefined {
  if (list === undefined || list === null) return undefined
  if (!Array.isArray(list)) return void note(at, ignoredPart(NOT_LIST))
  const maxItems = Object.hasOwn(MAX_ITEMS, at)
    ? MAX_ITEMS[at as keyof typeof MAX_ITEMS]
    : list.length
  if (list.length > maxItems) note(at, message('webhooks.too-many-items', { most: maxItems }))
  return list.slice(0, maxItems).flatMap((item, index) => {
    const value = read(item, `${at}.${index}`)
    return value === undefined ? [] : [value]
  })
}

function optional<T>(
  value: unknown,
  at: string,
  admits: (value: unknown) => value is T,
  fault: Message,
  note: Note,
): T | undefined {
  // Many serializers write absent values as null.
  if (value === undefined || value === null) return undefined
  if (admits(value)) return value
  note(at, ignoredPart(fault))
  return undefined
}

function urlFault(url: unknown, plaintext: PlaintextHosts): Message | undefined {
  if (typeof url !== 'string') return NOT_TEXT
  const parsed = URL.parse(url)
  if (!parsed) return message('webhooks.not-absolute-url')
  if (parsed.protocol === 'https:') return undefined
  if (parsed.protocol !== 'http:') return message('webhooks.not-https-url')
  return plaintext.includes(`${parsed.hostname}:${parsed.port || '80'}`)
    ? undefined
    : message('webhooks.http-url-not-allowed')
}

const noteNotObject = (at: string, note: Note) =>
  void note(at, ignoredPart(message('webhooks.not-object')))
const isString = (value: unknown): value is string => typeof value === 'string'
const isWithin = (value: unknown, most: number, min = 0): value is string =>
  typeof value === 'string' && value.length >= min && value.length <= most
function lengthCheck(most: number, min = 0) {
  return (value: unknown): value is string => isWithin(value, most, min)
}
