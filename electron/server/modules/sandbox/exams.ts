import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import type { WorklistExam } from '#server/dicom/scu/worklist.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import { addDevice } from '#server/modules/devices/devices.ts'
import { connectAsModality } from '#server/modules/devices/modality-simulation.ts'
import { performExam } from '#server/modules/setup/simulated-exam.ts'
import { listCreatedStudies } from '#server/modules/studies/created-study-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { clinicDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import { NewDevice } from '#shared/contract/devices.ts'
import type { SandboxExam } from '#shared/contract/sandbox.ts'
import { ApiError } from '#shared/errors.ts'
import type { StudyId } from '#shared/ids.ts'
import { message } from '#shared/messages/message.ts'
import { explanationOf, MessageError } from '#shared/messages/message-error.ts'

const HOST = '127.0.0.1'
const AE_TITLE = 'SANDBOX'
/** How long the studies of an exam may take: the images are complete after some seconds. */
const STUDY_TIMEOUT_MS = 30_000
const POLL_MS = 100

/**
 * Performs an exam as a device does: asks for today's worklist, sends images for one of its exams
 * that has none yet, and waits for the studies that are created from them.
 * @param dicomPort port of the sandbox's listener on this PC
 * @throws ApiError refused: there is no such exam, or the worklist or the images failed
 */
export async function runExam(
  context: Context,
  dicomPort: number,
  { accessionNumber }: { readonly accessionNumber?: string | undefined },
): Promise<SandboxExam> {
  const { database, settings, clock } = context
  ensureDevice(context)
  const peer = { host: HOST, port: dicomPort, aeTitle: settings.get('dimse.aeTitle') }
  const day = clinicDay(clock(), timeZoneOf(settings.get('clinic.timeZone')))
  const keys = { modality: '', startDate: day.replaceAll('-', '') }
  try {
    const { exams } = await connectAsModality(peer, AE_TITLE, keys)
    const exam = requireExam(context, exams, accessionNumber)
    const images = await performExam(peer, AE_TITLE, exam)
    const { studyInstanceUid, patientId } = exam
    for (const end = Date.now() + STUDY_TIMEOUT_MS; Date.now() < end; await wait(POLL_MS)) {
      const isComplete = findImageStudy(database, studyInstanceUid)?.state === 'settled'
      if (isComplete) break
    }
    return {
      ...{ studyInstanceUid, patientId, images, worklistExams: exams.length },
      accessionNumber: exam.accessionNumber,
      studies: listCreatedStudies(database, studyInstanceUid).map(({ area, studyId }) => ({
        area,
        studyId: studyId as StudyId,
      })),
    }
  } catch (error) {
    if (error instanceof ApiError || !(error instanceof MessageError)) throw error
    throw new ApiError('refused', explanationOf(error))
  }
}

function requireExam(
  { database }: Context,
  exams: readonly WorklistExam[],
  accessionNumber: string | undefined,
): WorklistExam {
  const exam =
    accessionNumber === undefined
      ? exams.find(({ studyInstanceUid }) => !findImageStudy(database, studyInstanceUid))
      : exams.find((one) => one.accessionNumber === accessionNumber)
  if (exam) return exam
  throw new ApiError(
    'refused',
    accessionNumber === undefined
      ? message('sandbox.no-exam-left', { exams: exams.length })
      : message('sandbox.no-such-exam', { exams: exams.length }),
  )
}

function ensureDevice(context: Context): void {
  if (listDevices(context.database).some(({ aeTitle }) => aeTitle === AE_TITLE)) return
  const name = 'Sandbox device'
  // In UTF-8 no name has to be written in Latin letters, so images and partner have the same one.
  const device = { aeTitle: AE_TITLE, address: HOST, name, characterSet: 'ISO_IR 192' }
  addDevice(context, NewDevice.parse(device), 'gateway')
}
