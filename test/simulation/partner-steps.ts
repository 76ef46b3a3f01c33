import { scribe } from '#shared/contract/scribe.ts'
import type { HttpAnswer } from '../support/http-call.ts'
import { examOf, patient, UID_ROOT } from './exams.ts'
import type { Manner } from './partner.ts'
import { BrokenPromise, isRefused, type MadeCall, type Stage, type Told, wordOf } from './stage.ts'

/**
 * What the partner does of its own: plans, changes its mind, is away, and calls the interface. Each
 * returns a line for the trace.
 */

export function plan(stage: Stage): string {
  const { random, ledger } = stage
  const number = stage.number()
  const day = stage.day(random.pick([-1, 0, 0, 0, 0, 1]))
  // Some come twice, with another order.
  const known =
    ledger.exams.length > 0 && random.chance(0.2) ? random.pick(ledger.exams).patient : undefined
  ledger.exams.push(
    examOf(number, {
      day,
      time: `${10 + random.below(8)}${10 + random.below(50)}00`,
      patient: known ?? patient(number),
    }),
  )
  return `the partner plans S${number} on ${day}`
}

export function change(stage: Stage): Told {
  const { random, ledger } = stage
  const exams = ledger.exams.filter(({ isWithdrawn }) => !isWithdrawn)
  if (exams.length === 0) return undefined
  const exam = random.pick(exams)
  if (random.chance(0.4)) {
    exam.isWithdrawn = true
    return `the partner withdraws ${exam.stepId}`
  }
  if (random.chance(0.5)) exam.time = `${10 + random.below(8)}${10 + random.below(50)}00`
  else exam.description = `CT chest ${stage.number()}`
  return `the partner changes ${exam.stepId}`
}

const OUTAGES: readonly Manner[] = ['error', 'drop', 'never', 'garbage', 'late']

/** For minutes or for hours. */
export function leave({ random, partner, time }: Stage): string {
  if (partner.outage) {
    partner.leave(partner.outage, time.now())
    return 'the partner is back'
  }
  const outage = random.pick(OUTAGES)
  const minutes = random.chance(0.6) ? 2 + random.below(20) : 30 + random.below(600)
  partner.leave(outage, time.now() + minutes * 60_000)
  return `the partner is away for ${minutes} minutes: ${outage}`
}

export async function create(stage: Stage): Promise<Told> {
  const { random, ledger, calls } = stage
  const number = stage.number()
  const ofExam =
    ledger.exams.length > 0 && random.chance(0.3) ? random.pick(ledger.exams) : undefined
  const who = ofExam?.patient ?? patient(number)
  const call: MadeCall = {
    key: `key-${number}`,
    body: {
      studyInstanceUid: ofExam?.studyInstanceUid ?? `${UID_ROOT}.9.${number}`,
      studyDescription: `CT chest ${number}`,
      severity: random.pick(['normal', 'high', 'stat'] as const),
      reportMetadata: {
        patientName: who.name,
        mrn: who.id,
        sex: who.sex === 'F' ? 'female' : 'male',
      },
    },
    answer: undefined,
    at: stage.time.now(),
  }
  calls.push(call)
  return `the partner creates study ${number}: ${await made(stage, call)}`
}

/** Whoever has no answer calls again, and so does who has one. */
export async function repeat(stage: Stage): Promise<Told> {
  const { random, calls } = stage
  if (calls.length === 0) return undefined
  const call = calls.find(({ answer }) => answer === undefined) ?? random.pick(calls.slice(-20))
  return `the partner calls again with ${call.key}: ${await made(stage, call)}`
}

/** A little less than the 24 hours that answers are kept. */
const KEPT_MS = 23 * 60 * 60_000

async function made({ ledger, lives, ris, time }: Stage, call: MadeCall): Promise<Told> {
  const answer = await lives.call(() =>
    ris().send('POST /v1/scribe/studies', {
      json: call.body,
      headers: { 'idempotency-key': call.key },
    }),
  )
  if (answer.kind !== 'answered') return wordOf(answer)
  const { status, text } = answer.value
  if (status >= 500 || status === 429 || status === 409) return String(status)
  // Nobody else makes that study.
  if (
    status !== 201 &&
    call.body.studyInstanceUid.startsWith(`${UID_ROOT}.9.`) &&
    time.now() - call.at < KEPT_MS
  )
    throw new BrokenPromise(
      'A repeated call is answered the same',
      `${call.key}: ${status}, and it was never answered`,
    )
  if (call.answer === undefined) {
    call.answer = `${time.now()} ${status} ${text}`
    if (status === 201) took(ledger, answer.value, call)
    return String(status)
  }
  const [at, ...first] = call.answer.split(' ')
  // Answers are kept for 24 hours; after that the study is there already.
  if (time.now() - Number(at) < KEPT_MS && first.join(' ') !== `${status} ${text}`)
    throw new BrokenPromise(
      'A repeated call is answered the same',
      `${call.key}: ${first[0]}, then ${status}`,
    )
  return `${status}, the same`
}

function took(ledger: Stage['ledger'], { json }: HttpAnswer, { body }: MadeCall): void {
  const { studyId, studyInstanceUid } = scribe.create.reply.parse(json)
  const { studyDescription, severity, reportMetadata } = body
  const { patientName, mrn } = reportMetadata
  ledger.studies.set(studyId, {
    ...{ studyId, studyInstanceUid, asked: undefined },
    told: { studyDescription, severity, patientName, mrn, isCancelled: false },
  })
  ledger.reports.set(studyId, {
    studyId,
    told: { draft: null, signed: [] },
    asked: undefined,
    windows: new Map(),
  })
}

export async function patch(stage: Stage): Promise<Told> {
  const { random, ledger, lives, ris } = stage
  const account = [...ledger.studies.values()].at(random.below(Math.max(1, ledger.studies.size)))
  if (!account) return undefined
  const { studyId, told } = account
  const number = stage.number()
  const params = { studyId: studyId as never }
  const [what, asked, work] = random.pick([
    [
      'describes',
      { studyDescription: `CT abdomen ${number}` },
      () =>
        ris().call(scribe.update, { params, body: { studyDescription: `CT abdomen ${number}` } }),
    ],
    [
      'corrects',
      { mrn: `PIDKAN${number}` },
      () =>
        ris().call(scribe.update, { params, body: { reportMetadata: { mrn: `PIDKAN${number}` } } }),
    ],
    [
      'cancels',
      { isCancelled: true },
      () => ris().call(scribe.cancel, { body: { studyId: studyId as never } }),
    ],
    [
      'takes back the cancelling of',
      { isCancelled: false },
      () => ris().call(scribe.uncancel, { body: { studyId: studyId as never } }),
    ],
  ] as const)
  const answer = await lives.call<unknown>(work)
  if (answer.kind === 'answered') account.told = { ...told, ...asked }
  else if (!isRefused(answer)) account.asked = { ...told, ...asked }
  return `the partner ${what} study ${told.studyDescription}: ${wordOf(answer)}`
}
