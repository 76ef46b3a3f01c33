import { setTimeout as sleep } from 'node:timers/promises'
import { STAT_STUDY_DESCRIPTION } from '#electron/simulator/demo-answers.ts'
import { localDay } from '#electron/simulator/partner.ts'
import type { Peer } from '#server/dicom/scu/requestor.ts'
import type { WorklistExam } from '#server/dicom/scu/worklist.ts'
import { connectAsModality } from '#server/modules/devices/modality-simulation.ts'
import { performExam } from '#server/modules/setup/simulated-exam.ts'
import { completeStep, startStep } from './performed-step.ts'
import { type Account, openRadiologist } from './radiologist.ts'

export interface DemoDayOptions {
  /** The gateway’s DICOM listener. */
  readonly peer: Peer
  /** URL of the window. */
  readonly windowUrl: string
  readonly radiologist: Account
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** All pauses are divided by this number; 1 by default. */
  readonly speed?: number
  /** Ends the day. */
  readonly signal: AbortSignal
  /** Called with one sentence for each step. */
  readonly report: (sentence: string) => void
}

/** Devices that the gateway knows. */
const CT = { aeTitle: 'CT1', modality: 'CT' } as const
const MR = { aeTitle: 'MR1', modality: 'MR' } as const
/** Devices that wait for approval. */
const NEW_DEVICES = [
  { aeTitle: 'MR2', modality: 'MR' },
  { aeTitle: 'CT_ER', modality: 'CT' },
] as const
const ROUTINE_SECONDS = 120

interface Device {
  readonly aeTitle: string
  readonly modality: 'CT' | 'MR'
}

/**
 * Plays the devices and a radiologist of an invented clinic until the signal aborts: in the first
 * minute a new device, images of a wrong patient, exams, a STAT study and a signed report; then an
 * exam every two minutes and a report every four. At midnight the next day begins in the same way.
 */
export async function runDemoDay(options: DemoDayOptions): Promise<void> {
  const { clock, signal, speed = 1 } = options
  const clinic = new DemoClinic(options)
  const pause = (seconds: number) => sleep((seconds * 1000) / speed, undefined, { signal })
  let day = ''
  let round = 0
  try {
    while (!signal.aborted) {
      const today = localDay(clock())
      const steps: readonly Step[] =
        today === day ? routineSteps(clinic, ++round) : openingSteps(clinic)
      day = today
      for (const [seconds, step] of steps) {
        await pause(seconds)
        await step().catch((error: Error) => signal.aborted || options.report(error.message))
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Seconds to wait, and what to do then. */
type Step = readonly [seconds: number, step: () => Promise<void>]

const openingSteps = (clinic: DemoClinic): Step[] => [
  [2, () => clinic.visit(NEW_DEVICES[0])],
  [1, () => clinic.perform(MR, { isWrongPatient: true })],
  [3, () => clinic.perform(CT)],
  [8, () => clinic.perform(CT, { description: STAT_STUDY_DESCRIPTION })],
  [15, () => clinic.signReport()],
  [10, () => clinic.perform(MR)],
  [15, () => clinic.visit(NEW_DEVICES[1])],
]

const routineSteps = (clinic: DemoClinic, round: number): Step[] => [
  [ROUTINE_SECONDS, () => clinic.perform(round % 2 === 0 ? CT : MR)],
  ...NEW_DEVICES.map((device): Step => [1, () => clinic.visit(device)]),
  ...(round % 2 === 0 ? [[1, () => clinic.signReport()] as const] : []),
]

interface PerformOptions {
  readonly description?: string
  /** The images name the patient of another exam. */
  readonly isWrongPatient?: boolean
}

class DemoClinic {
  /** Study Instance UIDs of exams that have been performed. */
  readonly #performedUids = new Set<string>()
  /** AE titles of devices that were refused. */
  readonly #refusedAeTitles = new Set<string>()
  readonly #options
  readonly #radiologist

  constructor(options: DemoDayOptions) {
    this.#options = options
    this.#radiologist = openRadiologist(options.windowUrl, options.radiologist, options.signal)
  }

  /** Connects as a new device, which is refused until somebody approves it; then it performs exams. */
  async visit(device: Device): Promise<void> {
    const { aeTitle } = device
    const exams = await this.#worklist(device).catch(() => undefined)
    if (exams) return await this.perform(device)
    if (this.#refusedAeTitles.has(aeTitle)) return
    this.#refusedAeTitles.add(aeTitle)
    this.#options.report(`${aeTitle} is unknown and was refused. Approve it under Devices.`)
  }

  /** Performs the next exam of today’s worklist for the modality of the device. */
  async perform(
    device: Device,
    { description, isWrongPatient = false }: PerformOptions = {},
  ): Promise<void> {
    const { peer, clock, report } = this.#options
    const { aeTitle } = device
    const remaining = (await this.#worklist(device)).filter(
      ({ studyInstanceUid }) => !this.#performedUids.has(studyInstanceUid),
    )
    // STAT studies are performed only when they are asked for, so that one is left to read.
    const exam = remaining.find((one) =>
      description === undefined
        ? one.description !== STAT_STUDY_DESCRIPTION
        : one.description === description,
    )
    if (!exam) return
    const other = remaining.find(({ patientId }) => patientId !== exam.patientId)
    const performed = isWrongPatient && other ? { ...exam, ...patientOf(other) } : exam
    this.#performedUids.add(exam.studyInstanceUid)
    const caller = { peer, callingAeTitle: aeTitle }
    const step = await startStep(caller, exam, clock())
    const images = await performExam(peer, aeTitle, performed)
    await completeStep(caller, step, exam, images, clock())
    report(`${aeTitle} sent ${images} images: ${exam.description}, ${exam.accessionNumber}.`)
    if (performed !== exam) report('They name another patient. Compare them under Images.')
    if (exam.description === STAT_STUDY_DESCRIPTION)
      report('The study is STAT. Read it under Reading.')
  }

  async signReport(): Promise<void> {
    const study = await this.#radiologist.signOldest()
    if (study)
      this.#options.report(
        `A report was signed: ${study.studyDescription}. The partner refuses it at first; see Events.`,
      )
  }

  async #worklist({ aeTitle, modality }: Device): Promise<readonly WorklistExam[]> {
    const { peer, clock } = this.#options
    const keys = { modality, startDate: localDay(clock()) }
    return (await connectAsModality(peer, aeTitle, keys)).exams
  }
}

const patientOf = ({ patientName, patientId, patientBirthDate, patientSex }: WorklistExam) => ({
  ...{ patientName, patientId, patientBirthDate, patientSex },
})
