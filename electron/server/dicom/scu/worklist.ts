import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { tagOf, vrOf } from '#server/dicom/data-set/data-set.ts'
import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import { type Caller, find, textOf } from './service-request.ts'

/** A worklist entry as displayed on a console. Text in DICOM format, '' if missing. */
export interface WorklistExam {
  readonly studyInstanceUid: string
  readonly patientBirthDate: string
  readonly patientSex: string
  readonly patientName: string
  readonly patientId: string
  readonly accessionNumber: string
  readonly modality: string
  readonly startDate: string
  readonly startTime: string
  readonly description: string
  /** Scheduled Procedure Step ID. */
  readonly stepId: string
}

export interface WorklistKeys {
  /** '' matches every modality. */
  readonly modality: string
  /** YYYYMMDD; '' leaves the day to the peer. */
  readonly startDate: string
}

const tag = (keyword: string): number => tagOf(keyword) as number
const STEPS_TAG = tag('ScheduledProcedureStepSequence')

const EXAM_TAGS = {
  studyInstanceUid: tag('StudyInstanceUID'),
  patientBirthDate: tag('PatientBirthDate'),
  patientSex: tag('PatientSex'),
  patientName: tag('PatientName'),
  patientId: tag('PatientID'),
  accessionNumber: tag('AccessionNumber'),
} as const
const STEP_TAGS = {
  modality: tag('Modality'),
  startDate: tag('ScheduledProcedureStepStartDate'),
  startTime: tag('ScheduledProcedureStepStartTime'),
  description: tag('ScheduledProcedureStepDescription'),
  stepId: tag('ScheduledProcedureStepID'),
} as const

/**
 * Queries a worklist with one C-FIND, as a modality does (PS3.4 Annex K).
 * @throws {RequestorError} if the association fails or the peer refuses; a failure is never
 * returned as an empty list
 */
export async function findWorklist(caller: Caller, keys: WorklistKeys): Promise<WorklistExam[]> {
  const identifier = identifierOf(keys)
  const matches = await find(
    caller,
    SOP_CLASS.modalityWorklistFind,
    identifier,
    'dicom.no-worklist',
  )
  return matches.map(examOf)
}

// PS3.4 C.2.2.2.3: universal matching, so that the peer returns the attribute.
function identifierOf({ modality, startDate }: WorklistKeys): DataSet {
  const values: Readonly<Record<number, string>> = {
    [STEP_TAGS.modality]: modality,
    [STEP_TAGS.startDate]: startDate,
  }
  const elements = (tags: Readonly<Record<string, number>>): DataSet =>
    Object.values(tags)
      .sort((a, b) => a - b)
      .map((each) => ({ tag: each, vr: vrOf(each), value: Buffer.from(values[each] ?? '') }))
  return [...elements(EXAM_TAGS), { tag: STEPS_TAG, vr: 'SQ', value: [elements(STEP_TAGS)] }].sort(
    (a, b) => a.tag - b.tag,
  )
}

function examOf(match: DataSet): WorklistExam {
  const steps = match.find((element) => element.tag === STEPS_TAG)?.value
  const step = (Array.isArray(steps) ? (steps[0] as DataSet | undefined) : undefined) ?? []
  const textsOf = <K extends string>(set: DataSet, tags: Readonly<Record<K, number>>) =>
    Object.fromEntries(
      Object.entries<number>(tags).map(([name, each]) => [name, textOf(match, each, set)]),
    ) as Record<K, string>
  return { ...textsOf(match, EXAM_TAGS), ...textsOf(step, STEP_TAGS) }
}
