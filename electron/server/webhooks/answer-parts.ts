import { EVENTS, type EventResponse } from '#shared/contract/webhooks.ts'
import { CalendarDay } from '#shared/dicom-values.ts'
import { isObject, type NoteTaker } from './answer-notes.ts'

/** `host:port` entries that files may be fetched from by plain http. */
export type PlaintextHosts = readonly string[]

type Enrichment = EventResponse<'patient_study.enrichment_requested'>
type ClinicalContext = EventResponse<'clinical_context.enrichment_requested'>
type Media = NonNullable<EventResponse<'study.access_requested'>['mediaUrls']>[number]
type Note = NoteTaker['note']

/** Most items of a list that are used: more of them are no context a person reads. */
const MOST = {
  documents: 100,
  documentUrls: 50,
  uploadUrls: 50,
  priorReports: 100,
  technologistNotes: 200,
} as const

const LEFT_OUT = 'it is left out'

/** URLs that can be loaded; each that cannot is left out. */
export function urlsOf(
  list: readonly unknown[],
  at: string,
  plaintext: PlaintextHosts,
  note: Note,
): string[] {
  return list.filter((url, index): url is string => {
    const fault = urlFault(url, plaintext)
    if (fault) note(`${at}.${index}`, `${fault}; ${LEFT_OUT}.`)
    return !fault
  })
}

/** The media URLs of an answer, item by item; undefined where there is no list. */
export function mediaOf(list: unknown, plaintext: PlaintextHosts, note: Note): Media[] | undefined {
  return listOf(list, 'mediaUrls', note, (item, at) => {
    if (!isObject(item)) return notObject(at, note)
    const fault = urlFault(item.url, plaintext)
    if (fault) return void note(`${at}.url`, `${fault}; the file is left out.`)
    if (typeof item.mimeType !== 'string')
      return void note(`${at}.mimeType`, 'It is not a text; the file is left out.')
    const fileName = optional(item.fileName, `${at}.fileName`, isString, NOT_TEXT, note)
    return {
      mimeType: item.mimeType,
      url: item.url as string,
      ...(fileName !== undefined && { fileName }),
    }
  })
}

const { shape: ENRICHMENT } = EVENTS['patient_study.enrichment_requested'].response
const NOT_TEXT = 'It is not a text'
const NOT_DAY = 'It is not a day as YYYY-MM-DD'

const ENRICHMENT_FAULTS: { readonly [K in keyof Enrichment]-?: string } = {
  dateOfBirth: NOT_DAY,
  expressCustomerId: NOT_TEXT,
  externalPatientId: NOT_TEXT,
  facilityName: NOT_TEXT,
  height: 'It is not a number of at least 0 with the unit in or cm',
  mrn: NOT_TEXT,
  patientName: NOT_TEXT,
  procedure: NOT_TEXT,
  referringPhysicianName: NOT_TEXT,
  severity: 'It is not one of normal, high, stat',
  sex: 'It is not one of male, female, other',
  studyDate: NOT_DAY,
  studyDescription: NOT_TEXT,
  studyTime: 'It is not a time as HH:MM or HH:MM:SS',
  weight: 'It is not a number of at least 0 with the unit lbs or kg',
}

/**
 * The enrichment of a study, each field for itself: an unusable birth date takes nothing from the
 * severity beside it.
 */
export function enrichmentOf(answer: Readonly<Record<string, unknown>>, note: Note): Enrichment {
  const fields = Object.entries(ENRICHMENT_FAULTS).flatMap(([name, fault]) => {
    const { [name as keyof Enrichment]: field } = ENRICHMENT
    const admits = (value: unknown): value is unknown => field.safeParse(value).success
    const value = optional(answer[name], name, admits, fault, note)
    return value === undefined ? [] : [[name, field.parse(value)]]
  })
  return Object.fromEntries(fields) as Enrichment
}

/**
 * Clinical context, each part for itself: bad parts are left out.
 */
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
      typeof item === 'string' ? item : void note(at, `It is not a text; ${LEFT_OUT}.`),
    ),
    technologistTechnique: text('technologistTechnique'),
  }
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined))
}

function documentOf(item: unknown, at: string, note: Note) {
  if (!isObject(item)) return notObject(at, note)
  if (!isWithin(item.fileName, 500, 1))
    return void note(
      `${at}.fileName`,
      `It is not a text of 1 to 500 characters; the document is left out.`,
    )
  if (!Array.isArray(item.content))
    return void note(`${at}.content`, 'It is not a list; the document is left out.')
  const content = item.content.filter((chunk, index): chunk is string => {
    if (typeof chunk !== 'string') note(`${at}.content.${index}`, `It is not a text; ${LEFT_OUT}.`)
    return typeof chunk === 'string'
  })
  return { content, fileName: item.fileName }
}

function documentUrlOf(item: unknown, at: string, note: Note) {
  if (!isObject(item)) return notObject(at, note)
  const fault = urlFault(item.url, [])
  if (fault) return void note(`${at}.url`, `${fault}; the document is left out.`)
  const fileName = optional(
    item.fileName,
    `${at}.fileName`,
    withinOf(500, 1),
    'It is not a text of 1 to 500 characters',
    note,
  )
  return { url: item.url as string, ...(fileName !== undefined && { fileName }) }
}

const PRIOR_FIELDS = {
  externalStudyId: { admits: withinOf(256), fault: 'It is not a text of at most 256 characters' },
  modality: { admits: withinOf(100), fault: 'It is not a text of at most 100 characters' },
  studyDate: {
    admits: (value: unknown): value is string => CalendarDay.safeParse(value).success,
    fault: NOT_DAY,
  },
  studyDescription: {
    admits: withinOf(1000),
    fault: 'It is not a text of at most 1000 characters',
  },
} as const

function priorReportOf(item: unknown, at: string, note: Note) {
  if (!isObject(item)) return notObject(at, note)
  if (!isWithin(item.reportText, 50_000))
    return void note(
      `${at}.reportText`,
      'It is not a text of at most 50000 characters; the prior report is left out.',
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

/** The items of a list that can be used; undefined where there is none. */
function listOf<T>(
  list: unknown,
  at: string,
  note: Note,
  read: (item: unknown, at: string) => T | undefined,
): T[] | undefined {
  if (list === undefined || list === null) return undefined
  if (!Array.isArray(list)) return void note(at, `It is not a list; ${LEFT_OUT}.`)
  const most = Object.hasOwn(MOST, at) ? MOST[at as keyof typeof MOST] : list.length
  if (list.length > most) note(at, `It has more than ${most} items; the others are left out.`)
  return list.slice(0, most).flatMap((item, index) => {
    const value = read(item, `${at}.${index}`)
    return value === undefined ? [] : [value]
  })
}

function optional<T>(
  value: unknown,
  at: string,
  admits: (value: unknown) => value is T,
  fault: string,
  note: Note,
): T | undefined {
  // Many serialisers print what is absent as null.
  if (value === undefined || value === null) return undefined
  if (admits(value)) return value
  note(at, `${fault}; ${LEFT_OUT}.`)
  return undefined
}

function urlFault(url: unknown, plaintext: PlaintextHosts): string | undefined {
  if (typeof url !== 'string') return NOT_TEXT
  const parsed = URL.parse(url)
  if (!parsed) return 'It is not an absolute URL'
  if (parsed.protocol === 'https:') return undefined
  if (parsed.protocol !== 'http:') return 'It is not an https URL'
  return plaintext.includes(`${parsed.hostname}:${parsed.port || '80'}`)
    ? undefined
    : 'It is an http URL, and its host is not one that may be asked in plain text'
}

const notObject = (at: string, note: Note) => void note(at, `It is not an object; ${LEFT_OUT}.`)
const isString = (value: unknown): value is string => typeof value === 'string'
const isWithin = (value: unknown, most: number, least = 0): value is string =>
  typeof value === 'string' && value.length >= least && value.length <= most
function withinOf(most: number, least = 0) {
  return (value: unknown): value is string => isWithin(value, most, least)
}
