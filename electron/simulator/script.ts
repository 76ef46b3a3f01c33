import type { EventData, EventResponse, EventType } from '#shared/contract/webhooks.ts'
import { worklistDay } from './worklist-day.ts'

/**
 * The worklist a simulated partner has: items as they are, bad ones included, or what it has on a
 * day (`YYYYMMDD`).
 */
export type SimulatedWorklist = readonly unknown[] | ((day: string) => readonly unknown[])

/** Links to what the partner keeps of a study, and to where a secondary capture of it goes. */
export interface StudyFiles {
  /** By the study's UID, or the handle of an ephemeral session. */
  readonly urlsOf: (studyInstanceUid: string) => readonly string[]
  readonly uploadUrlsOf: (studyInstanceUid: string) => readonly string[]
  /** One for each study; good ones or not. */
  readonly manifestsOf?: (studyInstanceUid: string) => readonly unknown[]
  readonly mediaOf?: (
    studyInstanceUid: string,
  ) => EventResponse<'study.access_requested'>['mediaUrls']
}
const NO_FILES: StudyFiles = { urlsOf: () => [], uploadUrlsOf: () => [] }

export type Script = { readonly [T in EventType]: (data: EventData<T>) => EventResponse<T> }

/**
 * What a well-behaved partner answers. Patients and exams are those of its worklist.
 * @param today the day (`YYYYMMDD`) whose exams it knows before anybody has asked for them
 * @param files of studies; without them there are none
 */
export function scriptOf(
  worklist: SimulatedWorklist,
  today: () => string,
  files: StudyFiles = NO_FILES,
): Script {
  // What was handed out can be asked about later.
  const known = new Map<string, Item>()
  const remember = (items: readonly unknown[]) => {
    for (const item of items) if (isItem(item)) known.set(String(item.StudyInstanceUID), item)
    return items
  }
  const itemsOf = (dateStart: string, dateEnd: string) =>
    typeof worklist === 'function' ? daysOf(dateStart, dateEnd).flatMap(worklist) : worklist
  if (typeof worklist !== 'function') remember(worklist)

  /** By the study's UID; by the accession number where the device made a UID of its own. */
  function examOf({
    studyInstanceUid,
    accessionNumber = '',
  }: {
    studyInstanceUid: string
    accessionNumber?: string | undefined
  }) {
    const find = () =>
      known.get(studyInstanceUid) ??
      (accessionNumber === ''
        ? undefined
        : [...known.values()].find((item) => text(item, 'AccessionNumber') === accessionNumber))
    const item = find()
    if (item || typeof worklist !== 'function') return item
    // A partner that was started anew has handed out nothing yet.
    remember(worklist(today()))
    return find()
  }

  function accessOf(of: string) {
    const mediaUrls = files.mediaOf?.(of) ?? []
    return {
      authorized: true,
      urls: [...files.urlsOf(of)],
      ...(mediaUrls.length > 0 && { mediaUrls }),
    }
  }

  return {
    'study.access_requested'({ studyInstanceUid }) {
      const [manifest] = files.manifestsOf?.(studyInstanceUid) ?? []
      return { ...accessOf(studyInstanceUid), ...(manifest !== undefined && { manifest }) }
    },
    // The handle of an ephemeral session is the partner's own: this one takes the study's UID too.
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
    'modality_worklist.requested': ({ dateStart, dateEnd, modality }) => {
      const [from, to] = [dateStart.replaceAll('-', ''), dateEnd.replaceAll('-', '')]
      const items = itemsOf(dateStart, dateEnd).filter((item) =>
        isAskedFor(item, from, to, modality),
      )
      return { authorized: true, items: [...remember(items)] }
    },
    'patient_study.enrichment_requested': (question) => {
      const item = examOf(question)
      return item ? enrichmentOf(item) : {}
    },
    'clinical_context.enrichment_requested': (question) => {
      const item = examOf(question)
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

/**
 * So many items of one day that no console shows them well: every size limit can be tried with it.
 */
export const hugeWorklist = (day: string) => worklistDay(day, { exams: 10_000 })

type Item = Readonly<Record<string, unknown>>
const isItem = (item: unknown): item is Item =>
  typeof item === 'object' && item !== null && !Array.isArray(item)
const text = (item: Item, field: string) => (typeof item[field] === 'string' ? item[field] : '')

/**
 * Any step of the item within the days asked for and, where the query named one, of its modality.
 */
function isAskedFor(
  item: unknown,
  from: string,
  to: string,
  modality: string | undefined,
): boolean {
  if (!isItem(item)) return true
  const sequence = item.ScheduledProcedureStepSequence
  const steps = Array.isArray(sequence) ? sequence.filter(isItem) : []
  // A row without a step is somebody's mistake; it is given out so that the gateway can say so.
  if (steps.length === 0) return true
  return steps.some((step) => {
    const date = text(step, 'ScheduledProcedureStepStartDate')
    const ofModality =
      modality === undefined || (text(step, 'Modality') || text(item, 'Modality')) === modality
    return ofModality && date >= from && date <= to
  })
}

/** The days from one to the other, `YYYYMMDD`, at most 31. */
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
