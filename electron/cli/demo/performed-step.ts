import { randomUUID } from 'node:crypto'
import { localDay, phantomSopClass, phantomSopUid } from '#electron/simulator/partner.ts'
import { type NamedValues, namedDataSet } from '#server/dicom/data-set/named-data-set.ts'
import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import type { Caller } from '#server/dicom/scu/service-request.ts'
import { refusedError, requestService } from '#server/dicom/scu/service-request.ts'
import type { WorklistExam } from '#server/dicom/scu/worklist.ts'
import { simulatedSeries } from '#server/modules/setup/simulated-exam.ts'
import { uidOfUuid } from '#shared/ids.ts'

const STEP_CLASS = SOP_CLASS.modalityPerformedProcedureStep

/**
 * Reports the start of an exam by MPPS N-CREATE (PS3.4 F.7.2.1).
 * @param at milliseconds since 1970
 * @returns the SOP Instance UID of the performed procedure step
 */
export async function startStep(caller: Caller, exam: WorklistExam, at: number): Promise<string> {
  const uid = uidOfUuid(randomUUID())
  await request(
    caller,
    { commandField: COMMAND_FIELD['N-CREATE-RQ'], affectedSopInstanceUid: uid },
    startedStep(exam, caller.callingAeTitle, at),
  )
  return uid
}

/**
 * Reports the end of an exam by MPPS N-SET (PS3.4 F.7.2.2).
 * @param images number of images that were sent
 */
export function completeStep(
  caller: Caller,
  uid: string,
  exam: WorklistExam,
  images: number,
  at: number,
): Promise<void> {
  return request(
    caller,
    {
      commandField: COMMAND_FIELD['N-SET-RQ'],
      requestedSopClassUid: STEP_CLASS,
      requestedSopInstanceUid: uid,
    },
    completedStep(exam, images, at),
  )
}

type Command = Parameters<typeof requestService>[1]['command']

/** @throws {RequestorError} if the association fails or the peer refuses */
async function request(caller: Caller, command: Command, values: NamedValues): Promise<void> {
  const service = {
    sopClass: STEP_CLASS,
    command,
    dataSet: namedDataSet({ SpecificCharacterSet: 'ISO_IR 192', ...values }),
    notOfferedMessage: 'dicom.no-services' as const,
  }
  for await (const { category, status } of requestService(caller, service))
    if (category === 'failure') throw refusedError(caller.peer, status)
}

/** The attributes that are required in an N-CREATE (PS3.4 Table F.7.2-1). */
const startedStep = (exam: WorklistExam, aeTitle: string, at: number): NamedValues => ({
  ScheduledStepAttributesSequence: [
    {
      StudyInstanceUID: exam.studyInstanceUid,
      ReferencedStudySequence: [],
      AccessionNumber: exam.accessionNumber,
      RequestedProcedureID: '',
      RequestedProcedureDescription: exam.description,
      ScheduledProcedureStepID: exam.stepId,
      ScheduledProcedureStepDescription: exam.description,
      ScheduledProtocolCodeSequence: [],
    },
  ],
  PatientName: exam.patientName,
  PatientID: exam.patientId,
  PatientBirthDate: exam.patientBirthDate,
  PatientSex: exam.patientSex,
  ReferencedPatientSequence: [],
  PerformedProcedureStepID: exam.stepId,
  PerformedStationAETitle: aeTitle,
  PerformedStationName: '',
  PerformedLocation: '',
  PerformedProcedureStepStartDate: localDay(at),
  PerformedProcedureStepStartTime: timeOf(at),
  PerformedProcedureStepStatus: 'IN PROGRESS',
  PerformedProcedureStepDescription: exam.description,
  PerformedProcedureTypeDescription: '',
  ProcedureCodeSequence: [],
  PerformedProcedureStepEndDate: '',
  PerformedProcedureStepEndTime: '',
  Modality: exam.modality,
  StudyID: '',
  PerformedProtocolCodeSequence: [],
  PerformedSeriesSequence: [],
})

function completedStep(exam: WorklistExam, images: number, at: number): NamedValues {
  const series = simulatedSeries(exam)
  return {
    PerformedProcedureStepStatus: 'COMPLETED',
    PerformedProcedureStepEndDate: localDay(at),
    PerformedProcedureStepEndTime: timeOf(at),
    PerformedSeriesSequence: [
      {
        PerformingPhysicianName: '',
        ProtocolName: exam.description,
        OperatorsName: '',
        SeriesInstanceUID: series.seriesInstanceUid,
        SeriesDescription: exam.description,
        RetrieveAETitle: '',
        ReferencedImageSequence: Array.from({ length: images }, (_, index) => ({
          ReferencedSOPClassUID: phantomSopClass(series),
          ReferencedSOPInstanceUID: phantomSopUid(series, index + 1),
        })),
        ReferencedNonImageCompositeSOPInstanceSequence: [],
      },
    ],
  }
}

/** Local time of this PC, as TM. */
const timeOf = (at: number) => new Date(at).toTimeString().slice(0, 8).replaceAll(':', '')
