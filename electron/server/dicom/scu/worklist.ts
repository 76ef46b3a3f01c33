import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { tagOf, vrOf } from '#server/dicom/data-set/data-set.ts'
import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import { type Caller, find, textOf } from './service-request.ts'

/** An exam as a console shows it; text as DICOM has it, '' where it is missing. */
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
}

export interface WorklistKeys {
  /** '' asks for every modality. */
  readonly modality: string
  /** YYYYMMDD; '' leaves the day to the other side. */
  readonly startDate: string
}

const tag = (keyword: string): number => tagOf(keyword) as number
const STEPS = tag('ScheduledProcedureStepSequence')

const OF_EXAM = {
  studyInstanceUid: tag('StudyInstanceUID'),
  patientBirthDate: tag('PatientBirthDate'),
  patientSex: tag('PatientSex'),
  patientName: tag('PatientName'),
  patientId: tag('PatientID'),
  accessionNumber: tag('AccessionNumber'),
} as const
const OF_STEP = {
  modality: tag('Modality'),
  startDate: tag('ScheduledProcedureStepStartDate'),
  startTime: tag('ScheduledProcedureStepStartTime'),
  description: tag('ScheduledProcedureStepDescription'),
} as const

/**
 * Asks for a worklist as a modality does: one C-FIND (PS3.4 Annex K).
 * @throws {RequestorError} where the association fails or the other side cannot answer: never an
 *   empty list instead.
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

// PS3.4 C.2.2.2.3: a key without a value matches everything, and asks for it back.
function identifierOf({ modality, startDate }: WorklistKeys): DataSet {
  const values: Readonly<Record<number, string>> = {
    [OF_STEP.modality]: modality,
    [OF_STEP.startDate]: startDate,
  }
  const elements = (tags: Readonly<Record<string, number>>): DataSet =>
    Object.values(tags)
      .sort((a, b) => a - b)
      .map((each) => ({ tag: each, vr: vrOf(each), value: Buffer.from(values[each] ?? '') }))
  return [...elements(OF_EXAM), { tag: STEPS, vr: 'SQ', value: [elements(OF_STEP)] }].sort(
    (a, b) => a.tag - b.tag,
  )
}

function examOf(match: DataSet): WorklistExam {
  const steps = match.find((element) => element.tag === STEPS)?.value
  const step = (Array.isArray(steps) ? (steps[0] as DataSet | undefined) : undefined) ?? []
  const textsOf = <K extends string>(set: DataSet, tags: Readonly<Record<K, number>>) =>
    Object.fromEntries(
      Object.entries<number>(tags).map(([name, each]) => [name, textOf(match, each, set)]),
    ) as Record<K, string>
  return { ...textsOf(match, OF_EXAM), ...textsOf(step, OF_STEP) }
}
