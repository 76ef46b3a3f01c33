import type { StepState } from '#server/modules/procedure-steps/performed-steps.ts'
import type { Exam } from '#shared/contract/dashboard-exams.ts'
import type { PlannedRow } from './device-lists.ts'
import type { ExamFacts } from './exam-fact-queries.ts'

/** What is known of a planned row beside the partner's answers. */
export interface ExamStanding {
  readonly facts: ExamFacts | undefined
  readonly progress: StepState | undefined
  readonly progressSince: string | null
  readonly isClosed: boolean
  /** Its time is over. */
  readonly isPast: boolean
}

/** A planned row with all that became of it. */
export function examOf(planned: PlannedRow, standing: ExamStanding): Exam {
  const { row, devices } = planned
  const { values } = row
  const { facts, isClosed, isPast } = standing
  const { state, since } = stateOf(planned, standing)
  return {
    studyInstanceUid: values.StudyInstanceUID,
    scheduledProcedureStepId: values.ScheduledProcedureStepID,
    patientName: values.PatientName,
    patientId: values.PatientID,
    patientBirthDate: values.PatientBirthDate,
    patientSex: values.PatientSex,
    accessionNumber: values.AccessionNumber,
    modality: values.Modality,
    description: values.ScheduledProcedureStepDescription,
    location: values.ScheduledProcedureStepLocation,
    startDate: values.ScheduledProcedureStepStartDate,
    startTime: values.ScheduledProcedureStepStartTime,
    severity: facts?.study?.severity ?? 'normal',
    state,
    since,
    images: facts?.images?.instances ?? 0,
    imageStudyUid: facts?.images?.imageStudyUid ?? null,
    study: facts?.study ? { area: facts.study.area, studyId: facts.study.studyId } : null,
    withheld: row.withheld,
    remarks: [...row.remarks],
    isOverdue: isPast && (state === 'scheduled' || state === 'handed-out'),
    isClosed,
    devices: [...devices],
  }
}

/**
 * What a device reported counts for most, then what it sent, then what staff said, then what the
 * partner says.
 */
function stateOf(
  { devices, goneAt }: PlannedRow,
  { facts, progress, progressSince, isClosed }: ExamStanding,
): Pick<Exam, 'state' | 'since'> {
  if (progress === 'completed' || progress === 'received')
    return { state: 'completed', since: progressSince }
  if (progress === 'started') return { state: 'started', since: progressSince }
  if (facts?.images) return { state: 'images', since: facts.images.firstAt }
  if (isClosed) return { state: 'closed', since: null }
  if (goneAt !== null) return { state: 'gone', since: goneAt }
  const sent = devices.flatMap(({ sentAt }) => (sentAt === null ? [] : [sentAt])).sort()
  return sent.length > 0
    ? { state: 'handed-out', since: sent.at(-1) ?? null }
    : { state: 'scheduled', since: null }
}
