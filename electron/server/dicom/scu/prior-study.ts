import { tagOf, vrOf } from '#server/dicom/data-set/data-set.ts'

/** What to look for. Text as a person enters it; '' and null are not asked for. */
export interface PriorKeys {
  readonly patientId: string
  /** Matches names that begin so, where it has no wild card of its own. */
  readonly patientName: string
  readonly accessionNumber: string
  /** YYYY-MM-DD or YYYYMMDD. */
  readonly startDate: string | null
  readonly endDate: string | null
}

/** A study that another system has. Text as DICOM has it, '' where it is missing. */
export interface PriorStudyRow {
  readonly studyInstanceUid: string
  readonly patientName: string
  readonly patientId: string
  readonly patientBirthDate: string
  readonly studyDate: string
  readonly studyTime: string
  readonly studyDescription: string
  readonly accessionNumber: string
  readonly modalities: readonly string[]
  readonly instances: number | null
}

/** More answers than that are no answer: the question is to be narrowed. */
export const MOST_STUDIES = 500

const tag = (keyword: string): number => tagOf(keyword) as number

/** PS3.4 Tables C.6-5 and C.6.2-1: what is asked back, by field. */
const FIELDS = {
  studyInstanceUid: tag('StudyInstanceUID'),
  patientName: tag('PatientName'),
  patientId: tag('PatientID'),
  patientBirthDate: tag('PatientBirthDate'),
  studyDate: tag('StudyDate'),
  studyTime: tag('StudyTime'),
  studyDescription: tag('StudyDescription'),
  accessionNumber: tag('AccessionNumber'),
  modalities: tag('ModalitiesInStudy'),
  instances: tag('NumberOfStudyRelatedInstances'),
} as const

export interface Key {
  readonly tag: number
  readonly vr: string
  readonly text: string
}

/** A Study Root identifier at STUDY level (PS3.4 C.4.1.2), in the order of its tags. */
export function keysOf(keys: PriorKeys): Key[] {
  const asked: Partial<Record<keyof typeof FIELDS, string>> = {
    patientId: keys.patientId,
    patientName:
      keys.patientName === '' || /[*?]/.test(keys.patientName)
        ? keys.patientName
        : `${keys.patientName}*`,
    accessionNumber: keys.accessionNumber,
    studyDate: rangeOf(keys.startDate, keys.endDate),
  }
  const fields = Object.entries(FIELDS) as [keyof typeof FIELDS, number][]
  return [
    { tag: tag('QueryRetrieveLevel'), vr: 'CS', text: 'STUDY' },
    ...fields.map(([field, of]) => ({ tag: of, vr: vrOf(of), text: asked[field] ?? '' })),
  ].sort((a, b) => a.tag - b.tag)
}

/** PS3.4 C.2.2.2.5: a range may be open at either end. */
function rangeOf(start: string | null, end: string | null): string {
  const days = [start, end].map((day) => day?.replaceAll('-', '') ?? '')
  return days.some(Boolean) ? days.join('-') : ''
}

/** A match as a row; undefined where it names no study. */
export function rowOf(text: (tag: number) => string): PriorStudyRow | undefined {
  const of = (field: keyof typeof FIELDS) => text(FIELDS[field]).trim()
  const studyInstanceUid = of('studyInstanceUid')
  if (studyInstanceUid === '') return undefined
  const instances = of('instances')
  return {
    studyInstanceUid,
    patientName: of('patientName'),
    patientId: of('patientId'),
    patientBirthDate: of('patientBirthDate'),
    studyDate: of('studyDate'),
    studyTime: of('studyTime'),
    studyDescription: of('studyDescription'),
    accessionNumber: of('accessionNumber'),
    modalities: of('modalities')
      .split('\\')
      .map((modality) => modality.trim())
      .filter(Boolean),
    instances: /^\d{1,9}$/.test(instances) ? Number(instances) : null,
  }
}
