import type { StudyArea } from '#shared/contract/settings.ts'
import type { Severity } from '#shared/contract/values.ts'
import type { ExpressCustomerId, UserId } from '#shared/ids.ts'
import type { ViewerStatus } from '#shared/lifecycle.ts'
import { type MetadataPair, metadataOf, pairsOf } from '../../ui/metadata-pairs.ts'
import type { Details } from './use-details.ts'

/** Texts of StudyReportMetadata as their fields hold them; empty is not known. */
const METADATA_TEXTS = [
  ...(['patientName', 'mrn', 'dateOfBirth', 'age', 'sex'] as const),
  ...(['scanType', 'scanDate', 'scanTime', 'facilityName', 'referringPhysicianName'] as const),
] as const
export type MetadataText = (typeof METADATA_TEXTS)[number]
export const MEASURES = { height: ['cm', 'in'], weight: ['kg', 'lbs'] } as const
export type MeasureName = keyof typeof MEASURES
export const MEASURE_NAMES = Object.keys(MEASURES) as MeasureName[]
/** Texts of the clinical context. */
const CONTEXT_TEXTS = ['clinicalIndication', 'technologistTechnique', 'externalPatientId'] as const

interface Named<I> {
  readonly id: I
  readonly name: string
}

/** A study while it is made or changed: each field at the path that it has in the contract. */
export interface StudyValues extends Readonly<Record<(typeof CONTEXT_TEXTS)[number], string>> {
  readonly studyInstanceUid: string
  readonly studyDescription: string
  readonly severity: Severity
  readonly studyViewerStatus: ViewerStatus
  readonly assignedTo: Named<UserId> | null
  readonly expressCustomerId: Named<ExpressCustomerId> | null
  readonly reportMetadata: Readonly<Record<MetadataText, string>> &
    Readonly<Record<MeasureName, { readonly value: string; readonly unit: string }>>
  /** A note or an id a line. */
  readonly technologistNotes: string
  readonly priorStudyIds: string
  readonly priorReportTexts: readonly string[]
  readonly metadata: readonly MetadataPair[]
}

/** What a form begins with. @param details null for a study that is made */
export function valuesOf(details: Details | null): StudyValues {
  const study = details?.study
  const scribeStudy = details?.area === 'scribe' ? details.study : undefined
  const known = scribeStudy?.reportMetadata ?? {}
  const person = study?.assignedTo
  const customer = study?.expressCustomer
  return {
    studyInstanceUid: study?.studyInstanceUid ?? '',
    studyDescription: study?.studyDescription ?? '',
    severity: study?.severity ?? 'normal',
    studyViewerStatus: details?.area === 'viewer' ? details.study.studyViewerStatus : 'incomplete',
    assignedTo: person
      ? {
          id: person.userId,
          name: [person.firstName, person.lastName].filter(Boolean).join(' ') || person.email,
        }
      : null,
    expressCustomerId: customer
      ? { id: customer.expressCustomerId, name: customer.expressCustomerName }
      : null,
    reportMetadata: {
      ...recordOf(METADATA_TEXTS, (name) => known[name] ?? ''),
      ...recordOf(MEASURE_NAMES, (name) => ({
        value: String(known[name]?.value ?? ''),
        unit: known[name]?.unit ?? MEASURES[name][0],
      })),
    },
    ...recordOf(CONTEXT_TEXTS, (name) => scribeStudy?.[name] ?? ''),
    technologistNotes: scribeStudy?.technologistNotes?.join('\n') ?? '',
    priorStudyIds: scribeStudy?.priorStudyIds?.join('\n') ?? '',
    priorReportTexts: scribeStudy?.priorReportTexts ?? [],
    metadata: pairsOf(study?.metadata),
  }
}

const recordOf = <K extends string, V>(names: readonly K[], of: (name: K) => V) =>
  Object.fromEntries(names.map((name) => [name, of(name)])) as Record<K, V>

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
/** A number as people type it, with a point or a comma. */
const numberOf = (text: string) => Number(text.trim().replace(',', '.'))

/** Whether a measure can be sent: empty, or a number from 0. */
export const isMeasure = (text: string): boolean => text.trim() === '' || numberOf(text) >= 0

type Fields = Readonly<Record<string, unknown>>

/** Everything that the values say, by the field's name; null for what is empty. */
function all(
  area: StudyArea,
  values: StudyValues,
): { readonly fields: Fields; readonly reportMetadata: Fields } {
  const { reportMetadata: known, assignedTo, expressCustomerId } = values
  const pairs = metadataOf(values.metadata)
  const shared = {
    studyDescription: values.studyDescription.trim(),
    severity: values.severity,
    assignedTo: assignedTo?.id ?? null,
    expressCustomerId: expressCustomerId?.id ?? null,
    metadata: Object.keys(pairs).length === 0 ? null : pairs,
  }
  if (area === 'viewer')
    return {
      fields: { ...shared, studyViewerStatus: values.studyViewerStatus },
      reportMetadata: {},
    }
  const ids = linesOf(values.priorStudyIds)
  const reports = values.priorReportTexts.filter((text) => text.trim() !== '')
  return {
    fields: {
      ...shared,
      ...recordOf(CONTEXT_TEXTS, (name) => values[name].trim() || null),
      technologistNotes: linesOf(values.technologistNotes),
      priorStudyIds: ids.length === 0 ? null : ids,
      priorReportTexts: reports.length === 0 ? null : reports,
    },
    reportMetadata: {
      ...recordOf(METADATA_TEXTS, (name) => known[name].trim() || null),
      ...recordOf(MEASURE_NAMES, (name) => {
        const { value, unit } = known[name]
        return value.trim() === '' ? null : { value: numberOf(value), unit }
      }),
    },
  }
}

const given = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
const differing = (now: Fields, before: Fields): Fields =>
  Object.fromEntries(
    Object.entries(now).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
    ),
  )

/** The body that makes the study; what is empty is left out. */
export function newBody(area: StudyArea, values: StudyValues): Fields {
  const { fields, reportMetadata } = all(area, values)
  const { studyViewerStatus: _, technologistNotes, ...rest } = given(fields)
  const notes =
    Array.isArray(technologistNotes) && technologistNotes.length > 0 ? { technologistNotes } : {}
  const metadata = area === 'scribe' ? { reportMetadata: given(reportMetadata) } : {}
  return { studyInstanceUid: values.studyInstanceUid.trim(), ...rest, ...notes, ...metadata }
}

/**
 * The body that changes the study: what was changed and nothing else, so that what others change
 * meanwhile stays.
 */
export function changedBody(area: StudyArea, values: StudyValues, before: StudyValues): Fields {
  const now = all(area, values)
  const was = all(area, before)
  const { expressCustomerId, ...fields } = differing(now.fields, was.fields)
  const metadata = differing(now.reportMetadata, was.reportMetadata)
  return {
    ...fields,
    // The interface has no customer in the body that changes a viewer study.
    ...(area === 'scribe' && expressCustomerId !== undefined && { expressCustomerId }),
    ...(Object.keys(metadata).length > 0 && { reportMetadata: metadata }),
  }
}

/** A UID of a UUID (PS3.5 B.2). */
export const uidOf = (uuid: string): string => `2.25.${BigInt(`0x${uuid.replaceAll('-', '')}`)}`
