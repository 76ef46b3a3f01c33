import type { EventData, EventResponse, EventType } from '#shared/contract/webhooks.ts'
import { worklistDay } from './worklist-day.ts'

/**
 * The worklist of a simulated partner: items, including invalid ones, or a function that returns
 * the items of a day (`YYYYMMDD`).
 */
export type SimulatedWorklist = readonly unknown[] | ((day: string) => readonly unknown[])

/** Links to a partner's files of a study, and upload links for its secondary captures. */
export interface StudyFiles {
  /** By Study Instance UID, or by the handle of an ephemeral session. */
  readonly urlsOf: (studyInstanceUid: string) => readonly string[]
  readonly uploadUrlsOf: (studyInstanceUid: string) => readonly string[]
  /** One per study, valid or not. */
  readonly manifestsOf?: (studyInstanceUid: string) => readonly unknown[]
  readonly mediaOf?: (
    studyInstanceUid: string,
  ) => EventResponse<'study.access_requested'>['mediaUrls']
}
const NO_FILES: StudyFiles = { urlsOf: () => [], uploadUrlsOf: () => [] }

export type Script = { readonly [T in EventType]: (data: EventData<T>) => EventResponse<T> }

/**
 * The answers of a well-behaved partner. Patients and exams are those of its worklist.
 * @param today the day (`YYYYMMDD`) whose exams are known before they have been requested
 * @param files files of studies; by default there are none
 */
export function scriptOf(
  worklist: SimulatedWorklist,
  today: () => string,
  files: StudyFiles = NO_FILES,
): Script {
  const exams = new KnownExams(worklist, today)
  function accessOf(uid: string) {
    const mediaUrls = files.mediaOf?.(uid) ?? []
    return {
      authorized: true,
      urls: [...files.urlsOf(uid)],
      ...(mediaUrls.length > 0 && { mediaUrls }),
    }
  }
  return {
    'study.access_requested'({ studyInstanceUid }) {
      const [manifest] = files.manifestsOf?.(studyInstanceUid) ?? []
      return { ...accessOf(studyInstanceUid), ...(manifest !== undefined && { manifest }) }
    },
    // The handle of an ephemeral session is chosen by the partner; this one also accepts a Study
    // Instance UID.
    'ephemeral.access_requested'({ retrievalId }) {
      const manifests = files.manifestsOf?.(retrievalId) ?? []
      return {
        ...accessOf(retrievalId),
        ...(manifests.length > 0 && { manifests: [...manifests] }),
      }
    },
    'secondary_capture.access_requested': ({ studyInstanceUid }) => ({
      authorized: true,
      uploadUrls: [...files.uploadUrlsOf(studyInstanceUid)],
    }),
    'modality_worklist.requested': ({ dateStart, dateEnd, modality }) => ({
      authorized: true,
      items: exams.between(dateStart, dateEnd, modality),
    }),
    'patient_study.enrichment_requested': (question) => {
      const item = exams.find(question)
      return item ? enrichmentOf(item) : {}
    },
    'clinical_context.enrichment_requested': (question) => {
      const item = exams.find(question)
      return item
        ? {
            clinicalIndication: `Referred for: ${text(item, 'RequestedProcedureDescription')}`,
            technologistNotes: ['Simulated partner.'],
          }
        : {}
    },
    'report.delivered': () => ({ success: true }),
  }
}

/** The exams of a worklist that have been sent, so that later events can refer to them. */
class KnownExams {
  readonly #worklist: SimulatedWorklist
  readonly #today: () => string
  readonly #known = new Map<string, Item>()

  constructor(worklist: SimulatedWorklist, today: () => string) {
    this.#worklist = worklist
    this.#today = today
    if (typeof worklist !== 'function') this.#remember(worklist)
  }

  between(dateStart: string, dateEnd: string, modality: string | undefined): unknown[] {
    const worklist = this.#worklist
    const items =
      typeof worklist === 'function' ? daysOf(dateStart, dateEnd).flatMap(worklist) : worklist
    const [from, to] = [dateStart.replaceAll('-', ''), dateEnd.replaceAll('-', '')]
    const asked = items.filter((item) => matchesQuery(item, from, to, modality))
    this.#remember(asked)
    return asked
  }

  /**
   * Finds an exam by Study Instance UID, or by accession number if the device generated its own
   * UID.
   */
  find(question: {
    readonly studyInstanceUid: string
    readonly accessionNumber?: string | undefined
  }): Item | undefined {
    const item = this.#findKnown(question)
    if (item || typeof this.#worklist !== 'function') return item
    // After a restart nothing has been sent yet, so today's exams are loaded.
    this.#remember(this.#worklist(this.#today()))
    return this.#findKnown(question)
  }

  #findKnown({
    studyInstanceUid,
    accessionNumber = '',
  }: {
    readonly studyInstanceUid: string
    readonly accessionNumber?: string | undefined
  }): Item | undefined {
    const item = this.#known.get(studyInstanceUid)
    if (item || accessionNumber === '') return item
    return [...this.#known.values()].find((one) => text(one, 'AccessionNumber') === accessionNumber)
  }

  #remember(items: readonly unknown[]): void {
    for (const item of items) if (isItem(item)) this.#known.set(String(item.StudyInstanceUID), item)
  }
}

/** More items of one day than a console can display, for testing every size limit. */
export const hugeWorklist = (day: string) => worklistDay(day, { exams: 10_000 })

type Item = Readonly<Record<string, unknown>>
const isItem = (item: unknown): item is Item =>
  typeof item === 'object' && item !== null && !Array.isArray(item)
const text = (item: Item, field: string) => (typeof item[field] === 'string' ? item[field] : '')

/**
 * Whether any step of the item is within the requested days and, if the query names one, of its
 * modality.
 */
function matchesQuery(
  item: unknown,
  from: string,
  to: string,
  modality: string | undefined,
): boolean {
  if (!isItem(item)) return true
  const sequence = item.ScheduledProcedureStepSequence
  const steps = Array.isArray(sequence) ? sequence.filter(isItem) : []
  // A row without a step is invalid; it is sent so that the gateway can report it.
  if (steps.length === 0) return true
  return steps.some((step) => {
    const date = text(step, 'ScheduledProcedureStepStartDate')
    const matchesModality =
      modality === undefined || (text(step, 'Modality') || text(item, 'Modality')) === modality
    return matchesModality && date >= from && date <= to
  })
}

/** The days in a range, `YYYYMMDD`, at most 31. */
function daysOf(dateStart: string, dateEnd: string): string[] {
  const first = Date.parse(`${dateStart}T00:00:00Z`)
  const days = (Date.parse(`${dateEnd}T00:00:00Z`) - first) / 86_400_000 + 1
  return Array.from({ length: Math.max(0, Math.min(31, days)) }, (_, index) =>
    new Date(first + index * 86_400_000).toISOString().slice(0, 10).replaceAll('-', ''),
  )
}

const SEXES = { M: 'male', F: 'female', O: 'other' } as const

function enrichmentOf(item: Item): EventResponse<'patient_study.enrichment_requested'> {
  const birth = /^(\d{4})(\d\d)(\d\d)$/.exec(text(item, 'PatientBirthDate'))
  const sex = SEXES[text(item, 'PatientSex') as keyof typeof SEXES]
  const [metres, kilograms] = [
    Number(text(item, 'PatientSize')),
    Number(text(item, 'PatientWeight')),
  ]
  return {
    patientName: text(item, 'PatientName'),
    mrn: text(item, 'PatientID'),
    procedure: text(item, 'RequestedProcedureDescription'),
    studyDescription: text(item, 'StudyDescription'),
    referringPhysicianName: 'Dr. Example',
    facilityName: 'Simulated partner',
    severity: 'normal',
    ...(birth && { dateOfBirth: birth.slice(1).join('-') }),
    ...(sex && { sex }),
    ...(metres > 0 && { height: { unit: 'cm' as const, value: Math.round(metres * 100) } }),
    ...(kilograms > 0 && { weight: { unit: 'kg' as const, value: kilograms } }),
  }
}

/** Why a worklist file cannot be used, as one sentence. */
export class WorklistFileError extends Error {
  override name = 'WorklistFileError'
}

/**
 * Parses a worklist file: a JSON array of items, or `{"items": […]}` as in the partner's answer.
 * The items are not validated, because invalid rows may be intended. @throws WorklistFileError
 * @param name name of the file in the error
 */
export function readWorklistFile(text: string, name: string): readonly unknown[] {
  let json: unknown
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw new WorklistFileError(`${name} is not JSON: ${(cause as Error).message}`, { cause })
  }
  const items = Array.isArray(json) ? json : (json as { readonly items?: unknown } | null)?.items
  if (!Array.isArray(items))
    throw new WorklistFileError(
      `${name} must be an array of worklist items, or an object with such an array in "items"`,
    )
  const invalidIndex = items.findIndex(
    (item) => typeof item !== 'object' || item === null || Array.isArray(item),
  )
  if (invalidIndex >= 0)
    throw new WorklistFileError(`${name}: item ${invalidIndex + 1} is not an object`)
  return items
}
