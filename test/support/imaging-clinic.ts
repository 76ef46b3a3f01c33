import { expect, vi } from 'vitest'
import { worklistDay } from '#electron/simulator/worklist-day.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardImages, type ImageStudy } from '#shared/contract/images.ts'
import { type ScribeStudy, scribe } from '#shared/contract/scribe.ts'
import type { WorklistItem } from '#shared/contract/webhooks.ts'
import { CT, image, type Values } from '../electron/server/modules/images/intake-fixture.ts'
import { ask, text } from '../electron/server/modules/worklist/worklist-fixture.ts'
import { type StartedGateway, type StartOptions, startGateway } from './gateway.ts'
import { type Modality, openModality } from './modality.ts'
import { queryWorklist } from './worklist-client.ts'

/**
 * Tomorrow, in UTC, which is the clinic's time here. Rows of days before are not served while the
 * partner is away; where midnight comes during a test, tomorrow is today.
 */
export const DAY = new Date(Date.now() + 24 * 60 * 60_000)
  .toISOString()
  .slice(0, 10)
  .replaceAll('-', '')
/** The exams of one day, whose patients the tests know, put on that day. */
export const EXAMS: WorklistItem[] = worklistDay('20261120').map((exam) => ({
  ...exam,
  ScheduledProcedureStepSequence: exam.ScheduledProcedureStepSequence.map((step) => ({
    ...step,
    ScheduledProcedureStepStartDate: DAY,
  })),
}))
/** CT Head, of Schröder^Anneliese. */
export const EXAM = EXAMS[4] as WorklistItem
export const STEP_ID = String(EXAM.ScheduledProcedureStepSequence[0]?.ScheduledProcedureStepID)
export const UID = EXAM.StudyInstanceUID

/** A clinic with a CT whose images make studies; all of it real but the devices and the partner. */
export interface ImagingClinic extends AsyncDisposable {
  readonly gateway: StartedGateway
  /** An association of CT1. */
  modality(callingAeTitle?: string): Promise<Modality>
  /** Statuses of the steps a device is served, by ScheduledProcedureStepID. */
  worklist(callingAeTitle?: string): Promise<Readonly<Record<string, string | undefined>>>
  /** Where the last answer to a worklist query came from. */
  worklistSource(): Promise<string | undefined>
  /** The study as the window shows it with its images. */
  images(studyInstanceUid?: string): Promise<ImageStudy>
  /** The study as the interface has it; undefined while there is none. */
  study(studyInstanceUid?: string): Promise<ScribeStudy | undefined>
  /** The study, as soon as it is there. */
  seeded(studyInstanceUid?: string): Promise<ScribeStudy>
  /** Events that the partner was sent to enrich studies. */
  questions(): number
}

export interface ClinicOptions extends StartOptions {
  /** Seconds of quiet after which a study is complete. */
  readonly idleSeconds?: number
}

const DEVICES: NonNullable<StartOptions['devices']> = [
  { aeTitle: 'CT1', name: 'CT room 1', address: '127.0.0.1' },
  { aeTitle: 'CT2', name: 'CT room 2', hideStarted: true },
]

export async function openImagingClinic({
  idleSeconds = 1,
  partner,
  overrides,
  ...options
}: ClinicOptions = {}): Promise<ImagingClinic> {
  const gateway = await startGateway({
    devices: DEVICES,
    ...options,
    partner:
      partner === undefined || (typeof partner === 'object' && partner !== null)
        ? { worklist: EXAMS, ...partner }
        : partner,
    overrides: {
      'clinic.timeZone': 'UTC',
      'worklist.freshSeconds': 0,
      'intake.idleSeconds': idleSeconds,
      ...overrides,
    },
  })
  const { call, dimsePort } = gateway
  const clinic: ImagingClinic = {
    gateway,
    modality: (callingAeTitle = 'CT1') => openModality(dimsePort, { callingAeTitle }),
    async worklist(callingAeTitle = 'CT1') {
      const keys = ask(
        {},
        { ScheduledProcedureStepStartDate: DAY, ScheduledProcedureStepStatus: '' },
      )
      const { status, rows } = await queryWorklist(dimsePort, { keys, callingAeTitle })
      expect(status).toBe('0000')
      return Object.fromEntries(
        rows.map((row) => [
          text(row, 'ScheduledProcedureStepID'),
          text(row, 'ScheduledProcedureStepStatus'),
        ]),
      )
    },
    worklistSource: async () =>
      (await call(dashboard.inspections, { query: { limit: 1 } })).inspections[0]?.source,
    images: (studyInstanceUid = UID) =>
      call(dashboardImages.read, { params: { studyInstanceUid } }),
    study: (studyInstanceUid = UID) =>
      call(scribe.byUid, { params: { studyInstanceUid } }).catch((error: unknown) => {
        if (String(error).includes('404')) return undefined
        throw error
      }),
    async seeded(studyInstanceUid = UID) {
      const study = await until(async () => {
        const found = await clinic.study(studyInstanceUid)
        expect(found).toBeDefined()
        return found
      })
      return study as ScribeStudy
    },
    questions: () => gateway.partner.requestsOf['patient_study.enrichment_requested'] ?? 0,
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
  return clinic
}

export const until = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 15_000, interval: 20 })

/** Milliseconds since 1970, ahead of the real time by what it was put ahead. */
export function movableClock() {
  const clock = Object.assign(() => Date.now() + clock.ahead, { ahead: 0 })
  return clock
}

const SERIES = `${UID}.1`
export const sopUid = (number: number): string => `${SERIES}.${number}`

/** An image of the exam as a CT makes it that copies the row into it. */
export function imageOf(number: number, more: Values = {}): Values {
  return image(number, {
    SpecificCharacterSet: 'ISO_IR 192',
    StudyInstanceUID: UID,
    SeriesInstanceUID: SERIES,
    SOPInstanceUID: sopUid(number),
    AccessionNumber: String(EXAM.AccessionNumber),
    PatientName: String(EXAM.PatientName),
    PatientID: String(EXAM.PatientID),
    PatientBirthDate: String(EXAM.PatientBirthDate),
    PatientSex: String(EXAM.PatientSex),
    RequestAttributesSequence: [{ ScheduledProcedureStepID: STEP_ID }],
    PixelData: `pixels of ${number} `,
    ...more,
  })
}

/** What a device says when it begins the exam (PS3.4 Table F.7.2-1). */
export const BEGINS: Values = {
  SpecificCharacterSet: 'ISO_IR 192',
  PerformedProcedureStepStatus: 'IN PROGRESS',
  PerformedProcedureStepID: 'PPS1',
  PerformedProcedureStepStartDate: DAY,
  PerformedProcedureStepStartTime: '091500',
  Modality: 'CT',
  PatientName: String(EXAM.PatientName),
  PatientID: String(EXAM.PatientID),
  PerformedSeriesSequence: [],
  ScheduledStepAttributesSequence: [
    {
      StudyInstanceUID: UID,
      ScheduledProcedureStepID: STEP_ID,
      AccessionNumber: String(EXAM.AccessionNumber),
    },
  ],
}

/** What it says at the end, with the numbers of the images it made. */
export const ended = (
  status: 'COMPLETED' | 'DISCONTINUED',
  numbers: readonly number[],
  more: Values = {},
): Values => ({
  PerformedProcedureStepStatus: status,
  PerformedProcedureStepEndDate: DAY,
  PerformedProcedureStepEndTime: '093000',
  PerformedSeriesSequence: [
    {
      SeriesInstanceUID: SERIES,
      ReferencedImageSequence: numbers.map((number) => ({
        ReferencedSOPClassUID: CT,
        ReferencedSOPInstanceUID: sopUid(number),
      })),
    },
  ],
  ...more,
})

/** Sends images over an association of their own. */
export async function sendImages(
  clinic: ImagingClinic,
  images: readonly Values[],
  callingAeTitle = 'CT1',
): Promise<void> {
  await using modality = await clinic.modality(callingAeTitle)
  for (const one of images) expect(await modality.store(one)).toMatchObject({ status: '0000' })
  await modality.release()
}
