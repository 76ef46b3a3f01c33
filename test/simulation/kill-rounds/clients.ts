import { createHash, randomUUID } from 'node:crypto'
import { worklistDay } from '#electron/simulator/worklist-day.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { encoded, image } from '../../electron/server/modules/images/intake-fixture.ts'
import { ask } from '../../electron/server/modules/worklist/worklist-fixture.ts'
import { callerOf } from '../../support/gateway.ts'
import { keyCall } from '../../support/interface.ts'
import { type Modality, openModality } from '../../support/modality.ts'
import {
  type DeskOptions,
  type DeskStudy,
  newStudy,
  writeReports,
} from '../../support/reading-desk.ts'
import { associated } from '../../support/requestor.ts'
import { findWorklist } from '../../support/worklist-client.ts'
import { patient, UID_ROOT } from '../exams.ts'
import type { Ledger } from '../ledger.ts'

// Everybody who works on the gateway until it is killed. Each notes in the ledger what was
// acknowledged.

export const COUNTS = [
  ...([
    'kills',
    'images',
    'repeats',
    'commitments',
    'creates',
    'changes',
    'drafts',
    'signed',
  ] as const),
  ...(['worklists', 'forwarded', 'delivered', 'unanswered'] as const),
] as const
export type Counts = Record<(typeof COUNTS)[number], number>

/** A create whose answer did not come: the partner repeats it with the same key. */
export interface Create {
  readonly key: string
  readonly number: number
  readonly studyInstanceUid: string
}

/** What outlasts a round. */
export interface Work {
  readonly seed: number
  readonly ledger: Ledger
  readonly counts: Counts
  /** Study Instance UIDs that were asked for, by whoever it was. */
  readonly asked: Set<string>
  /** Transactions whose N-ACTION was answered 0000, with what they name. */
  readonly transactions: Map<string, readonly string[]>
  readonly desks: (DeskStudy | undefined)[]
  readonly deskStudies: DeskStudy[]
  readonly unanswered: Create[]
  numbers: number
}

export interface Round {
  readonly round: number
  readonly http: string
  readonly dimsePort: number
  readonly key: string
  /** Headers of the radiologist's session. */
  readonly radiologist: Readonly<Record<string, string>>
  /** The day the worklist is asked for, `YYYYMMDD`. */
  readonly day: string
  /** An acknowledgement came. */
  readonly onAnswered: () => void
}

export const drawOf = (seed: number, words: string): number =>
  createHash('sha256').update(`${seed} ${words}`).digest().readUInt32LE() / 2 ** 32

/** Starts everybody; each promise ends by the connection that breaks, or by a wrong answer. */
export const startClients = (work: Work, round: Round): readonly Promise<never>[] => [
  sendImages(work, round, 'CT1'),
  sendImages(work, round, 'CT2'),
  ...work.desks.map((_, desk) => writeAtDesk(work, round, desk)),
  createStudies(work, round),
  askWorklist(work, round),
]

const noise = createHash('shake256', { outputLength: 128 << 10 })
  .update('pixels')
  .digest()
  .toString('latin1')
const IMAGES_OF_A_STUDY = 24
const IMAGES_OF_A_COMMITMENT = 6
const SIDE = 96

function imageOf(seed: number, studyInstanceUid: string, number: number, who: number): Buffer {
  const { name, id, birthDate, sex } = patient(who)
  const from = Math.floor(drawOf(seed, `pixels ${studyInstanceUid} ${number}`) * 60_000)
  return encoded(
    image(number, {
      ...{ PatientName: name, PatientID: id, PatientBirthDate: birthDate, PatientSex: sex },
      ...{ StudyInstanceUID: studyInstanceUid, SeriesInstanceUID: `${studyInstanceUid}.1` },
      ...{ SOPInstanceUID: `${studyInstanceUid}.1.${number}`, AccessionNumber: `ACCKAN${who}` },
      ...{ Rows: SIDE, Columns: SIDE, PixelData: noise.slice(from, from + SIDE * SIDE * 2) },
    }),
  )
}

/**
 * Exams one after the other, each image once or twice, with storage commitment of what was
 * acknowledged.
 */
async function sendImages(
  work: Work,
  { round, dimsePort, onAnswered }: Round,
  callingAeTitle: string,
): Promise<never> {
  const { seed, ledger, counts, asked, transactions } = work
  await using modality: Modality = await openModality(dimsePort, { callingAeTitle })
  for (let exam = 0; ; exam++) {
    const studyInstanceUid = `${UID_ROOT}.${seed}.${round}.${callingAeTitle === 'CT1' ? 1 : 2}.${exam}`
    const who = ++work.numbers
    asked.add(studyInstanceUid)
    ledger.sent.add(`${studyInstanceUid} ${patient(who).id}`)
    const kept: string[] = []
    for (let number = 1; number <= IMAGES_OF_A_STUDY; number++) {
      const sopInstanceUid = `${studyInstanceUid}.1.${number}`
      const dataSet = imageOf(seed, studyInstanceUid, number, who)
      demand((await modality.storeBytes(sopInstanceUid, dataSet)).status, '0000', 'C-STORE')
      ledger.instances.push({
        ...{ sopInstanceUid, studyInstanceUid, callingAeTitle, dataSet, isDiscarded: false },
        patient: patient(who),
      })
      kept.push(sopInstanceUid)
      counts.images++
      onAnswered()
      if (drawOf(seed, `again ${sopInstanceUid}`) < 0.1) {
        demand(
          (await modality.storeBytes(sopInstanceUid, dataSet)).status,
          '0000',
          'C-STORE of the same again',
        )
        counts.repeats++
        onAnswered()
      }
      if (number % IMAGES_OF_A_COMMITMENT > 0) continue
      const transactionUid = `${studyInstanceUid}.8.${number}`
      const committed = [...kept]
      demand((await modality.askCommitment(transactionUid, committed)).status, '0000', 'N-ACTION')
      transactions.set(transactionUid, committed)
      counts.commitments++
      onAnswered()
    }
  }
}

/** Reports and addenda, study after study; after a kill a desk goes on with its study. */
async function writeAtDesk(work: Work, round: Round, desk: number): Promise<never> {
  const { seed, desks, deskStudies, counts, asked } = work
  const options: DeskOptions = {
    call: callerOf(round.http, round.radiologist),
    partner: keyCall(round.http, round.key).call,
    windowId: randomUUID(),
    draw: (words) => drawOf(seed, words),
    onAsked: () => {},
    onAnswered(step) {
      if (step === 'save') counts.drafts++
      if (step === 'sign') counts.signed++
      if (step === 'create') counts.creates++
      round.onAnswered()
    },
  }
  for (let n = 0; ; n++) {
    const studyInstanceUid = `${UID_ROOT}.${seed}.${round.round}.9.${desk}.${n}`
    let study = desks[desk]
    if (!study) {
      asked.add(studyInstanceUid)
      study = await newStudy(options, studyInstanceUid)
      deskStudies.push(study)
      desks[desk] = study
    }
    await writeReports(options, study)
    desks[desk] = undefined
  }
}

/** Creates by the interface, each with its Idempotency-Key, and changes of what was created. */
async function createStudies(work: Work, { round, http, key, onAnswered }: Round): Promise<never> {
  const { seed, ledger, counts, asked, unanswered } = work
  const client = keyCall(http, key)
  for (let n = 0; ; n++) {
    const made = unanswered[0] ?? {
      key: `${seed}-${round}-${n}`,
      number: ++work.numbers,
      studyInstanceUid: `${UID_ROOT}.${seed}.${round}.7.${n}`,
    }
    if (unanswered.length === 0) unanswered.push(made)
    asked.add(made.studyInstanceUid)
    const { name: patientName, id: mrn } = patient(made.number)
    const studyDescription = `CT chest ${made.number}`
    const json = {
      studyInstanceUid: made.studyInstanceUid,
      studyDescription,
      severity: 'normal',
      reportMetadata: { patientName, mrn },
    }
    const answer = await client.send('POST /v1/scribe/studies', {
      json,
      headers: { 'idempotency-key': made.key },
    })
    // An answer that the kill cut off is none.
    if (answer.json === undefined) throw new Error('ECONNRESET: half an answer')
    demand(answer.status, 201, 'create')
    const { studyId } = scribe.create.reply.parse(answer.json)
    unanswered.shift()
    const told = { studyDescription, severity: 'normal', patientName, mrn, isCancelled: false }
    const account = {
      studyId,
      studyInstanceUid: made.studyInstanceUid,
      told,
      asked: undefined as typeof told | undefined,
    }
    ledger.studies.set(studyId, account)
    counts.creates++
    onAnswered()
    if (drawOf(seed, `change ${made.key}`) > 0.3) continue
    account.asked = { ...told, severity: 'stat' }
    await client.call(scribe.update, { params: { studyId }, body: { severity: 'stat' } })
    account.told = account.asked
    account.asked = undefined
    counts.changes++
    onAnswered()
  }
}

/** The worklist, again and again: it has the partner's exams and nothing else. */
async function askWorklist(
  { counts }: Work,
  { dimsePort, day, onAnswered }: Round,
): Promise<never> {
  const known = new Set(worklistDay(day).map(({ AccessionNumber }) => String(AccessionNumber)))
  await using console = await associated(dimsePort, { callingAeTitle: 'CT1' })
  for (let messageId = 1; ; messageId++) {
    const { status, accessionNumbers } = await findWorklist(
      console,
      ask({}, { ScheduledProcedureStepStartDate: day }),
      messageId,
    )
    demand(status, '0000', 'C-FIND')
    demand(
      accessionNumbers.filter((number) => !known.has(number)).join(', '),
      '',
      'rows that nobody planned',
    )
    demand(new Set(accessionNumbers).size, known.size, 'rows of the worklist')
    counts.worklists++
    onAnswered()
  }
}

/** An answer that is not what it has to be. */
export class WrongAnswer extends Error {}

function demand(found: unknown, expected: unknown, what: string): void {
  if (found !== expected)
    throw new WrongAnswer(`${what}: ${String(found)} in place of ${String(expected)}`)
}
