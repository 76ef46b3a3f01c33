import { WRONG_ENTRY_CODE } from '#server/modules/images/wrong-steps.ts'
import type { WorklistItem } from '#shared/contract/webhooks.ts'
import { CT, image, type Values } from '../electron/server/modules/images/intake-fixture.ts'
import { ask } from '../electron/server/modules/worklist/worklist-fixture.ts'
import { openModality } from '../support/modality.ts'
import { type Proposal, WORKLIST_CONTEXT } from '../support/requestor.ts'
import { queryWorklist, rejectionOf } from '../support/worklist-client.ts'
import type { PicturedGateway } from './pictured-process.ts'

// What the devices of the clinic of the pictures do, each from an address of its own.

/** Of the pictures, as DICOM writes it. */
export const TODAY = '20261120'

/**
 * As they are entered; `pictured-day.ts` shows other addresses for these, which are of this PC.
 * Nobody has used the one of room 5 yet.
 */
export const DEVICES = [
  {
    aeTitle: 'CT1',
    name: 'CT, room 1',
    address: '127.0.0.31',
    modality: 'CT',
    port: 11_104,
    profile: 'ge',
  },
  { aeTitle: 'DX1', name: 'X-ray, room 2', address: '127.0.0.32', modality: 'DX' },
  {
    aeTitle: 'MR1',
    name: 'MR, room 3',
    address: '127.0.0.33',
    modality: 'MR',
    characterSet: 'ISO_IR 100',
  },
  { aeTitle: 'US1', name: 'Ultrasound, room 4', address: '127.0.0.34', modality: 'US' },
  { aeTitle: 'US2', name: 'Ultrasound, room 5', modality: 'US' },
  { aeTitle: 'MG1', name: 'Mammography', address: '127.0.0.36', modality: 'MG' },
] as const
const STRANGER: Proposal = { callingAeTitle: 'XRAY9', localAddress: '127.0.0.39' }
const SOFTWARE = 'CONSOLE_4.1'

/** The device of a modality, as it calls. */
function callerOf(modality: string): Proposal {
  const device = DEVICES.find((one) => one.modality === modality && 'address' in one)
  if (!device || !('address' in device)) throw new Error(`no device for ${modality}`)
  return { callingAeTitle: device.aeTitle, localAddress: device.address, software: SOFTWARE }
}

/** The device of a modality asks for its list. */
export const askList = async (
  { dimsePort }: PicturedGateway,
  Modality: string,
  day: string,
): Promise<unknown> =>
  queryWorklist(Number(dimsePort), {
    ...callerOf(Modality),
    keys: ask({}, { Modality, ScheduledProcedureStepStartDate: day }),
  })

/** A device that nobody has entered calls for a list, and is rejected. */
export const callAsStranger = ({ dimsePort }: PicturedGateway): Promise<string> =>
  rejectionOf(Number(dimsePort), { ...STRANGER, contexts: [WORKLIST_CONTEXT] })

const SAMPLES = 512 * 512
const picture = (number: number, values: Values): Values =>
  image(number, { ...values, Rows: 512, Columns: 512, PixelData: 'px'.repeat(SAMPLES) })

/** Images of a CT of somebody of 3 May 1971, in one association. */
export async function sendImages(
  { dimsePort }: PicturedGateway,
  who: Values & { readonly StudyInstanceUID: string },
  count: number,
): Promise<void> {
  await using modality = await openModality(Number(dimsePort), callerOf('CT'))
  const SeriesInstanceUID = `${who.StudyInstanceUID}.1`
  const same = {
    ...who,
    SeriesInstanceUID,
    PatientBirthDate: '19710503',
    StudyDate: TODAY,
    StudyTime: '090000',
  }
  for (let number = 1; number <= count; number += 1) {
    await modality.store(
      picture(number, {
        ...same,
        StudyDescription: 'CT Thorax',
        SOPInstanceUID: `${SeriesInstanceUID}.${number}`,
      }),
    )
  }
  await modality.release()
}

/**
 * How an exam ends at the device: the technologist may see that it was begun by the wrong entry.
 */
type End = 'COMPLETED' | 'WRONG ENTRY'

interface Performed {
  /** `HH:MM` */
  readonly from: string
  /** When its image comes, and how it ends then; without it, it is not over. */
  readonly to?: string
  readonly end?: End
}

/** An exam as a device does it that reports on it: begun, one image, and, where it is over, how. */
export async function perform(
  gateway: PicturedGateway,
  exam: WorklistItem,
  { from, to = from, end }: Performed,
): Promise<void> {
  const {
    StudyInstanceUID,
    AccessionNumber,
    PatientID,
    PatientName,
    PatientBirthDate,
    PatientSex,
    StudyDescription,
    Modality,
  } = exam
  const [planned] = exam.ScheduledProcedureStepSequence
  const step = `${StudyInstanceUID}.9`
  const SeriesInstanceUID = `${StudyInstanceUID}.1`
  const SOPInstanceUID = `${SeriesInstanceUID}.1`
  await gateway.putClock(from)
  await using modality = await openModality(Number(gateway.dimsePort), callerOf(Modality))
  const of = { StudyInstanceUID, ScheduledProcedureStepID: planned?.ScheduledProcedureStepID ?? '' }
  await modality.begin(step, {
    ...{
      PerformedProcedureStepStatus: 'IN PROGRESS',
      PerformedProcedureStepID: 'PPS1',
      Modality,
      PatientID,
    },
    ...{
      PerformedProcedureStepStartDate: TODAY,
      PerformedProcedureStepStartTime: timeOf(from),
      PerformedSeriesSequence: [],
    },
    ScheduledStepAttributesSequence: [of],
  })
  await gateway.putClock(to)
  const patient = {
    SpecificCharacterSet: 'ISO_IR 192',
    PatientName,
    PatientID,
    PatientBirthDate,
    PatientSex,
  }
  const when = { StudyDate: TODAY, StudyTime: timeOf(from) }
  await modality.store(
    picture(1, {
      ...patient,
      ...when,
      ...{ StudyInstanceUID, SeriesInstanceUID, SOPInstanceUID, AccessionNumber, StudyDescription },
    }),
  )
  const images = [
    {
      SeriesInstanceUID,
      ReferencedImageSequence: [
        { ReferencedSOPClassUID: CT, ReferencedSOPInstanceUID: SOPInstanceUID },
      ],
    },
  ]
  const over = {
    PerformedProcedureStepEndDate: TODAY,
    PerformedProcedureStepEndTime: timeOf(to),
    PerformedSeriesSequence: images,
  }
  if (end) await modality.set(step, { ...over, ...END[end] })
  await modality.release()
}

const timeOf = (time: string) => `${time.replace(':', '')}00`

const END: Readonly<Record<End, Values>> = {
  COMPLETED: { PerformedProcedureStepStatus: 'COMPLETED' },
  'WRONG ENTRY': {
    PerformedProcedureStepStatus: 'DISCONTINUED',
    // PS3.16 CID 9300.
    PerformedProcedureStepDiscontinuationReasonCodeSequence: [
      {
        CodeValue: WRONG_ENTRY_CODE,
        CodingSchemeDesignator: 'DCM',
        CodeMeaning: 'Incorrect worklist entry selected',
      },
    ],
  },
}
