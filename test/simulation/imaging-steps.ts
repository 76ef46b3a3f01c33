import { encoded, image, type Values } from '../electron/server/modules/images/intake-fixture.ts'
import type { Device } from './device.ts'
import { examOf, type Patient, patient } from './exams.ts'
import type { Answer } from './gateway-lives.ts'
import type { KeptInstance, StepAccount } from './ledger.ts'
import { type Run, type Stage, type Told, wordOf } from './stage.ts'

/** What devices do. Each returns a line for the trace. */

export async function find(stage: Stage): Promise<Told> {
  const { random, ledger, lives, devices, partner } = stage
  const device = random.pick(devices)
  const [from, to] = random.chance(0.6) ? [stage.day(), stage.day()] : [stage.day(-1), stage.day(1)]
  const before = ledger.answers.length
  const faults = ledger.faultsMet
  const answer = await lives.call(() => device.find(lives.dimsePort, from, to), { waits: true })
  const given = ledger.answers.slice(before).filter(({ callingAe }) => callingAe === device.aeTitle)
  if (answer.kind !== 'answered' || ledger.faultsMet > faults)
    for (const one of given) one.isUnsure = true
  if (answer.kind !== 'answered')
    return `${device.aeTitle} asks for ${from} to ${to}: ${wordOf(answer)}`
  const { status, rows } = answer.value
  if (status === '0000') {
    device.rows = rows
    const asked = {
      callingAe: device.aeTitle,
      hidesStarted: device.hidesStarted,
      from,
      to,
      today: stage.day(),
    }
    ledger.finds.push({
      ...asked,
      status,
      rows,
      answers: ledger.answers.length,
      isLive: given.length > 0,
    })
  }
  const away = partner.outage ? `, the partner is away (${partner.outage})` : ''
  return `${device.aeTitle} asks for ${from} to ${to}: ${status}, ${rows.map(({ stepId, status }) => `${stepId} ${status}`).join(', ') || 'nothing'}${away}`
}

/** A device begins with one of the exams it was given. */
export async function begin(stage: Stage): Promise<Told> {
  const { random, ledger, lives, runs } = stage
  const device = random.pick(stage.devices)
  if (random.chance(0.12)) return walkIn(stage, device)
  const rows = device.rows.filter(
    ({ stepId }) => !runs.some(({ exam, isOver }) => exam.stepId === stepId && !isOver),
  )
  if (rows.length === 0) return undefined
  const row = random.pick(rows)
  const exam = ledger.exams.find(({ stepId }) => stepId === row.stepId)
  if (!exam) return `${device.aeTitle} has a row that is nobody's`
  const run: Run = {
    exam,
    device,
    stepUid: undefined,
    images: runs.filter((one) => one.exam === exam).reduce((sum, { images }) => sum + images, 0),
    isOver: false,
  }
  runs.push(run)
  ledger.runStudies.add(exam.studyInstanceUid)
  if (random.chance(0.25)) return `${device.aeTitle} begins ${exam.stepId} and says nothing of it`
  run.stepUid = `${exam.studyInstanceUid}.7.${stage.number()}`
  const account: StepAccount = {
    ...{
      sopInstanceUid: run.stepUid,
      studyInstanceUid: exam.studyInstanceUid,
      stepId: exam.stepId,
    },
    ...{ status: 'IN PROGRESS', asked: undefined, isSure: false },
  }
  ledger.steps.push(account)
  const answer = await lives.call(() =>
    device.begin(lives.dimsePort, account.sopInstanceUid, beginsWith(run, stage.day())),
  )
  account.isSure = answer.kind === 'answered' && answer.value === '0000'
  return `${device.aeTitle} begins ${exam.stepId}: ${said(answer)}`
}

/** An exam that nobody has planned: no row, no performed step. */
function walkIn({ random, ledger, runs, number, day }: Stage, device: Device): string {
  const own = number()
  const exam = {
    ...examOf(own, { day: day(), time: `1${random.below(9)}0000`, patient: patient(own) }),
    isWithdrawn: true,
  }
  ledger.exams.push(exam)
  runs.push({ exam, device, stepUid: undefined, images: 0, isOver: false })
  return `${device.aeTitle} begins ${exam.stepId}, which nobody has planned`
}

export async function end(stage: Stage): Promise<Told> {
  const { random, ledger, lives } = stage
  const run = openRun(stage)
  if (!run) return undefined
  run.isOver = true
  const account = ledger.steps.find(({ sopInstanceUid }) => sopInstanceUid === run.stepUid)
  if (!account) return `${run.device.aeTitle} ends ${run.exam.stepId} and says nothing of it`
  const status = random.chance(0.8) ? 'COMPLETED' : 'DISCONTINUED'
  const numbers = Array.from({ length: run.images }, (_, at) => at + 1)
  const answer = await lives.call(() =>
    run.device.set(
      lives.dimsePort,
      account.sopInstanceUid,
      endsWith(run, status, numbers, stage.day()),
    ),
  )
  if (answer.kind === 'answered' && answer.value === '0000') account.status = status
  else if (answer.kind !== 'answered' || !isCertainRefusal(answer.value)) account.asked = status
  return `${run.device.aeTitle} ends ${run.exam.stepId} as ${status}: ${said(answer)}`
}

/** Processing failure: whether it was kept is not said. */
const isCertainRefusal = (status: string) => status !== '0110'

export async function send(stage: Stage): Promise<Told> {
  const { random, runs } = stage
  const run = random.chance(0.85) ? openRun(stage) : random.pick([...runs, undefined])
  if (!run) return undefined
  const wrong = random.chance(0.08)
  const who = wrong ? patient(run.exam.number + 1 + random.below(500)) : run.exam.patient
  const count = 1 + random.below(3)
  const words: string[] = []
  for (let sent = 0; sent < count && !stage.lives.isOver; sent++)
    words.push(await sendOne(stage, run, ++run.images, who, 'first'))
  if (random.chance(0.7) && !stage.lives.isOver) await stage.lives.call(() => run.device.release())
  return `${run.device.aeTitle} sends ${run.exam.stepId}${run.isOver ? ', late' : ''}${wrong ? ', of another patient' : ''}: ${words.join(', ')}`
}

async function sendOne(
  stage: Stage,
  { exam, device }: Pick<Run, 'exam' | 'device'>,
  number: number,
  who: Patient,
  content: string,
): Promise<string> {
  const { ledger, lives } = stage
  const sopInstanceUid = `${exam.studyInstanceUid}.1.${number}`
  ledger.sent.add(`${exam.studyInstanceUid} ${who.id}`)
  const dataSet = encoded(imageOf(exam, number, who, content))
  const answer = await lives.call(() => device.store(lives.dimsePort, sopInstanceUid, dataSet))
  if (answer.kind === 'answered' && answer.value === '0000')
    keep(ledger.instances, {
      sopInstanceUid,
      studyInstanceUid: exam.studyInstanceUid,
      callingAeTitle: device.aeTitle,
      dataSet,
      patient: who,
      isDiscarded: false,
    })
  return `${number} ${said(answer)}`
}

function keep(instances: KeptInstance[], kept: KeptInstance): void {
  const before = instances.find(
    (one) => one.sopInstanceUid === kept.sopInstanceUid && one.dataSet.equals(kept.dataSet),
  )
  // What was discarded may be sent again.
  if (before) before.isDiscarded = false
  else instances.push(kept)
}

/** The connection ends before the image is there, or before the response is. */
export async function sendCutOff(stage: Stage): Promise<Told> {
  const { random, lives, ledger } = stage
  const run = openRun(stage)
  if (!run) return undefined
  const number = ++run.images
  ledger.sent.add(`${run.exam.studyInstanceUid} ${run.exam.patient.id}`)
  const share = random.chance(0.4) ? 1 : 0.2 + random.next() * 0.7
  const dataSet = encoded(imageOf(run.exam, number, run.exam.patient, 'first'))
  const answer = await lives.call(() =>
    run.device.storeCutOff(
      lives.dimsePort,
      `${run.exam.studyInstanceUid}.1.${number}`,
      dataSet,
      share,
    ),
  )
  return `${run.device.aeTitle} sends ${run.exam.stepId} image ${number} and is gone at ${Math.round(share * 100)} %: ${wordOf(answer)}`
}

/**
 * The same bytes again; another content under the same UID, by the same device or another one; what
 * was never answered.
 */
export async function sendAgain(stage: Stage): Promise<Told> {
  const { random, runs, devices } = stage
  const known = runs.filter(({ images }) => images > 0)
  if (known.length === 0) return undefined
  const run = random.pick(known)
  const number = 1 + random.below(run.images)
  const how = random.pick([
    'the same',
    'the same',
    'the same',
    'another content',
    'another patient',
    'by another device',
  ] as const)
  const device =
    how === 'by another device'
      ? (devices.find((one) => one !== run.device) ?? run.device)
      : run.device
  const who = how === 'another patient' ? patient(run.exam.number + 501) : run.exam.patient
  const content = how === 'the same' ? 'first' : `content ${stage.number()}`
  const word = await sendOne(stage, { exam: run.exam, device }, number, who, content)
  return `${device.aeTitle} sends ${run.exam.stepId} again, ${how}: ${word}`
}

export async function commit(stage: Stage): Promise<Told> {
  const { random, lives, runs } = stage
  const known = runs.filter(({ images }) => images > 0)
  if (known.length === 0) return undefined
  const { exam, device, images } = random.pick(known)
  const uids = Array.from({ length: images }, (_, at) => `${exam.studyInstanceUid}.1.${at + 1}`)
  const answer = await lives.call(() =>
    device.commit(lives.dimsePort, `${exam.studyInstanceUid}.8.${stage.number()}`, uids),
  )
  return `${device.aeTitle} asks whether ${exam.stepId} is kept: ${said(answer)}`
}

export async function release(stage: Stage): Promise<Told> {
  const device = stage.random.pick(stage.devices)
  if (!device.isOpen) return undefined
  return `${device.aeTitle} releases: ${wordOf(await stage.lives.call(() => device.release()))}`
}

const said = (answer: Answer<string>): string =>
  answer.kind === 'answered' ? answer.value : wordOf(answer)

function openRun({ random, runs }: Stage): Run | undefined {
  const open = runs.filter(({ isOver }) => !isOver)
  return open.length === 0 ? undefined : random.pick(open)
}

const identity = (who: Patient): Values => ({
  PatientName: who.name,
  PatientID: who.id,
  PatientBirthDate: who.birthDate,
  PatientSex: who.sex,
})

const imageOf = (exam: Run['exam'], number: number, who: Patient, content: string): Values =>
  image(number, {
    ...identity(who),
    StudyInstanceUID: exam.studyInstanceUid,
    SeriesInstanceUID: `${exam.studyInstanceUid}.1`,
    SOPInstanceUID: `${exam.studyInstanceUid}.1.${number}`,
    AccessionNumber: exam.accessionNumber,
    StudyDate: exam.day,
    RequestAttributesSequence: [{ ScheduledProcedureStepID: exam.stepId }],
    PixelData: `${exam.stepId} ${number} ${content} `.repeat(20),
  })

/** PS3.4 Table F.7.2-1. */
const beginsWith = ({ exam }: Run, today: string): Values => ({
  ...identity(exam.patient),
  PerformedProcedureStepStatus: 'IN PROGRESS',
  PerformedProcedureStepID: 'PPS1',
  PerformedProcedureStepStartDate: today,
  PerformedProcedureStepStartTime: '091500',
  Modality: 'CT',
  PerformedSeriesSequence: [],
  ScheduledStepAttributesSequence: [
    {
      StudyInstanceUID: exam.studyInstanceUid,
      ScheduledProcedureStepID: exam.stepId,
      AccessionNumber: exam.accessionNumber,
    },
  ],
})

const endsWith = (
  { exam }: Run,
  status: string,
  numbers: readonly number[],
  today: string,
): Values => ({
  PerformedProcedureStepStatus: status,
  PerformedProcedureStepEndDate: today,
  PerformedProcedureStepEndTime: '093000',
  PerformedSeriesSequence: [
    {
      SeriesInstanceUID: `${exam.studyInstanceUid}.1`,
      ReferencedImageSequence: numbers.map((number) => ({
        ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
        ReferencedSOPInstanceUID: `${exam.studyInstanceUid}.1.${number}`,
      })),
    },
  ],
})
