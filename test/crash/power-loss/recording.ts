import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import { dashboardBackups } from '#shared/contract/dashboard-backups.ts'
import { dashboardSetup } from '#shared/contract/dashboard-setup.ts'
import { dashboardReports, REPORT_CHECKS } from '#shared/contract/reports.ts'
import { scribe } from '#shared/contract/scribe.ts'
import type { StudyId } from '#shared/ids.ts'
import {
  encoded,
  image,
  STUDY,
  type Values,
} from '../../electron/server/modules/images/intake-fixture.ts'
import { startAcceptor } from '../../support/acceptor.ts'
import { callerOf, OWNER, type StartedGateway, sessionHeaders } from '../../support/gateway.ts'
import { httpCall } from '../../support/http-call.ts'
import { keyCall } from '../../support/interface.ts'
import { openModality } from '../../support/modality.ts'
import { tempFolder } from '../../support/temp-store.ts'
import { BACKUPS, RADIOLOGIST } from './clinic.ts'
import { STRACE_OPTIONS } from './strace.ts'
import { readTrace, type Trace } from './trace.ts'

/** Something that the gateway told somebody who relies on it. */
export type Promised =
  | { readonly kind: 'image'; readonly sopInstanceUid: string; readonly dataSet: Buffer }
  | { readonly kind: 'study'; readonly studyId: string }
  | { readonly kind: 'draft' | 'signed'; readonly studyId: string; readonly text: string }
  | { readonly kind: 'recovery-key'; readonly recoveryKey: string }
  | { readonly kind: 'backup'; readonly name: string }
  | { readonly kind: 'step'; readonly sopInstanceUid: string }
  | { readonly kind: 'commitment'; readonly committed: readonly string[] }

/** `at`: events of the trace that were complete when it was said. */
export type Acknowledged = Promised & { readonly at: number }

export interface Recording extends Trace {
  readonly acknowledged: readonly Acknowledged[]
}

/**
 * How the response is found among what was sent: the n-th HTTP response, or the first DIMSE message
 * that names it.
 */
type Answer = { readonly http: number } | { readonly names: string }

const CHILD = join(import.meta.dirname, 'traced-gateway.ts')

/**
 * A gateway of its own under strace, from an empty folder on: what it did, and what it promised.
 */
export async function record(): Promise<Recording> {
  using temp = tempFolder()
  const root = join(temp.folder, 'disk')
  const log = join(temp.folder, 'trace')
  mkdirSync(root)
  await using device = await startAcceptor({
    roles: [{ sopClass: SOP_CLASS.storageCommitmentPushModel, scu: false, scp: true }],
    message: (message, peer) => peer.respond(message, 0x0000),
  })
  const child = spawn(
    'strace',
    [...STRACE_OPTIONS, '-o', log, process.execPath, CHILD, root, String(device.port)],
    {
      // What goes round the system calls cannot be seen.
      env: { ...process.env, UV_USE_IO_URING: '0' },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  )
  const closed = once(child, 'close')
  const errors: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line))
  const starts = createInterface({ input: child.stdout })
  const started = async () => {
    const [line] = (await Promise.race([once(starts, 'line'), closed])) as [unknown]
    if (typeof line !== 'string') throw new Error(`The traced gateway ended: ${errors.join('\n')}`)
    return JSON.parse(line) as Started
  }
  const promised: (Promised & { readonly answer: Answer })[] = []
  try {
    const clinic = clinicOf(root, device, (promise, answer) =>
      promised.push({ ...promise, answer }),
    )
    await clinic.firstRun(await started())
    child.stdin.write('\n')
    const second = await started()
    await clinic.secondRun(second)
    // strace logs a call when it returns. Once this one is answered, so have those that sent the
    // promises.
    await httpCall(`${second.http}/healthz`)
  } finally {
    // All that it does now is still traced: it is ended from within, and strace then ends by
    // itself.
    child.stdin.destroy()
    process.kill(childOf(child.pid as number), 'SIGKILL')
    await closed
  }
  const trace = await readTrace(log, root)
  expectSame(trace, root)
  if (errors.length > 0) throw new Error(`The traced gateway warned: ${errors.join('\n')}`)
  return {
    ...trace,
    acknowledged: promised.map((one) => ({ ...one, at: answeredAt(trace, one.answer) })),
  }
}

/** The trace leads to the files that are there: nothing that changes them went past it. */
function expectSame({ files }: Trace, root: string): void {
  const there = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
  const names = [...new Set([...there, ...files.keys()])]
  const differing = names.filter(
    (name) => !there.includes(name) || !files.get(name)?.equals(readFileSync(join(root, name))),
  )
  if (differing.length > 0)
    throw new Error(`The trace does not lead to these files: ${differing.join(', ')}`)
}

interface Started {
  readonly http: string
  readonly dimsePort: number
  readonly key: string
}

/** The one child of a process. */
const childOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim())

function answeredAt({ sent }: Trace, answer: Answer): number {
  const found =
    'http' in answer
      ? sent.filter(({ bytes }) => bytes.subarray(0, 9).toString('latin1') === 'HTTP/1.1 ')[
          answer.http
        ]
      : sent.find(({ bytes }) => bytes.includes(answer.names))
  if (!found) throw new Error(`The trace has no answer ${JSON.stringify(answer)}`)
  return found.at
}

type Note = (promise: Promised, answer: Answer) => void
type Device = Awaited<ReturnType<typeof startAcceptor>>

const WINDOW = '0f0e1b52-6a4e-4d7e-9d55-0a8f3a1b2c31'
/** PS3.4 Table F.7.2-1. */
const STEP_BEGINS: Values = {
  ...{
    PerformedProcedureStepStatus: 'IN PROGRESS',
    PerformedProcedureStepID: 'PPS1',
    Modality: 'CT',
  },
  ...{ PerformedProcedureStepStartDate: '20260310', PerformedProcedureStepStartTime: '091500' },
  ...{ PatientName: 'Sample^Sam', PatientID: 'P100', PerformedSeriesSequence: [] },
  ScheduledStepAttributesSequence: [
    { StudyInstanceUID: STUDY, ScheduledProcedureStepID: 'S100', AccessionNumber: 'A100' },
  ],
}
const ROOT_UID = '1.2.826.0.1.3680043.10.1'

/** What people, devices and the partner's program do. HTTP calls are made one after the other. */
function clinicOf(root: string, device: Device, note: Note) {
  let answers = 0
  let images = 0

  /** Counts the answers, in the order of which the trace has them. */
  const counted =
    (call: StartedGateway['call']): StartedGateway['call'] =>
    async (operation, input) => {
      const reply = await call(operation, input)
      answers++
      return reply
    }
  const signedIn = async (http: string, who: { email: string; password: string }) => {
    const headers = await sessionHeaders(http, who)
    answers++
    return counted(callerOf(http, headers))
  }

  /** Sends images of these sizes over one association; their UIDs. */
  async function send(
    { dimsePort }: Started,
    study: number,
    sizes: readonly number[],
  ): Promise<string[]> {
    await using modality = await openModality(dimsePort)
    const uids: string[] = []
    for (const size of sizes) {
      const number = 100 + images++
      const StudyInstanceUID = `${ROOT_UID}.${study}`
      const SOPInstanceUID = `${StudyInstanceUID}.1.${number}`
      const uid = { StudyInstanceUID, SeriesInstanceUID: `${StudyInstanceUID}.1`, SOPInstanceUID }
      const dataSet = encoded(
        image(number, { ...uid, PixelData: `pixels ${number} `.repeat(size / 11) }),
      )
      const { status } = await modality.storeBytes(SOPInstanceUID, dataSet)
      if (status !== '0000') throw new Error(`C-STORE was answered ${status}`)
      note({ kind: 'image', sopInstanceUid: SOPInstanceUID, dataSet }, { names: SOPInstanceUID })
      uids.push(SOPInstanceUID)
    }
    await modality.release()
    return uids
  }

  async function create({ http, key }: Started, number: number): Promise<StudyId> {
    const body = {
      ...{ studyInstanceUid: `${ROOT_UID}.9.${number}`, studyDescription: `CT chest ${number}` },
      severity: 'normal' as const,
      reportMetadata: { patientName: 'Vymyslena^Jana', mrn: `P-${number}`, sex: 'female' as const },
    }
    const { studyId } = await counted(keyCall(http, key).call)(scribe.create, { body })
    note({ kind: 'study', studyId }, { http: answers - 1 })
    return studyId
  }

  async function report(
    call: StartedGateway['call'],
    studyId: StudyId,
    number: number,
  ): Promise<void> {
    const params = { studyId }
    const text = `Findings: The lungs are clear.\nImpression: Normal ${number}.`
    await call(dashboardReports.begin, { params, body: { windowId: WINDOW, text: '' } })
    await call(dashboardReports.save, { params, body: { windowId: WINDOW, revision: 0, text } })
    note({ kind: 'draft', studyId, text }, { http: answers - 1 })
    const body = {
      windowId: WINDOW,
      revision: 1,
      isCritical: false,
      finding: null,
      acknowledged: [...REPORT_CHECKS],
    }
    const { outcome } = await call(dashboardReports.sign, { params, body })
    if (outcome !== 'signed') throw new Error(`The report was not signed: ${outcome}`)
    note({ kind: 'signed', studyId, text }, { http: answers - 1 })
  }

  async function backUp(call: StartedGateway['call']): Promise<void> {
    const before = await call(dashboardBackups.make, {})
    for (;;) {
      const { running, backups, last } = await call(dashboardBackups.state, {})
      if (!running) {
        const made = backups.find(({ name }) => !before.backups.some((one) => one.name === name))
        if (!made) throw new Error(`No backup was made: ${last?.sentence}`)
        return note({ kind: 'backup', name: made.name }, { http: answers - 1 })
      }
      await wait(20)
    }
  }

  async function commit(
    { dimsePort }: Started,
    number: number,
    uids: readonly string[],
  ): Promise<void> {
    const transactionUid = `${ROOT_UID}.7.${number}`
    const before = device.messages.length
    await using modality = await openModality(dimsePort)
    await modality.askCommitment(transactionUid, uids)
    await modality.release()
    while (device.messages.length === before) await wait(10)
    const { command } = device.messages[before] ?? {}
    if (command?.eventTypeId !== 1) throw new Error('Not all was committed.')
    note({ kind: 'commitment', committed: uids }, { names: transactionUid })
  }

  async function step({ dimsePort }: Started, uid: string): Promise<void> {
    await using modality = await openModality(dimsePort)
    const { status } = await modality.begin(uid, STEP_BEGINS)
    if (status !== '0000') throw new Error(`N-CREATE was answered ${status}`)
    note({ kind: 'step', sopInstanceUid: uid }, { names: uid })
    await modality.release()
  }

  return {
    async firstRun(started: Started): Promise<void> {
      const owner = await signedIn(started.http, OWNER)
      const { recoveryKey, asked } = await owner(dashboardSetup.makeRecoveryKey, {})
      const groups = asked.map((at) => recoveryKey.split('-')[at] ?? '')
      await owner(dashboardSetup.confirmRecoveryKey, { body: { groups } })
      note({ kind: 'recovery-key', recoveryKey }, { http: answers - 1 })
      const uids = await send(started, 1, [200, 40_000, 700_000])
      await Promise.all([
        send(started, 1, [3_000, 600_000, 50]),
        send(started, 2, [90_000, 20, 4_096]),
        send(started, 3, [10, 10]),
      ])
      await commit(started, 1, uids)
      await step(started, `${ROOT_UID}.5.1`)
      const studyId = await create(started, 1)
      const radiologist = await signedIn(started.http, RADIOLOGIST)
      await report(radiologist, studyId, 1)
      await owner(dashboardSetup.setBackupFolder, { body: { folder: join(root, BACKUPS) } })
      await backUp(owner)
    },
    /** The same folder again, after an orderly end. */
    async secondRun(started: Started): Promise<void> {
      const uids = await send(started, 4, [700])
      await Promise.all([send(started, 1, [60_000]), send(started, 4, [5_000, 300_000])])
      await commit(started, 2, uids)
      const owner = await signedIn(started.http, OWNER)
      const studyId = await create(started, 2)
      const radiologist = await signedIn(started.http, RADIOLOGIST)
      await report(radiologist, studyId, 2)
      await backUp(owner)
    },
  }
}
