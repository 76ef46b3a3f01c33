import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { readDataSet, tagOf } from '#gateway/dimse/data-set.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#gateway/dimse/uids.ts'
import { openPeople } from '#gateway/domain/people.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardToday } from '#shared/contract/dashboard-today.ts'
import { dashboardDestinations, NewDestination } from '#shared/contract/destinations.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { View, viewPaths } from '#shared/contract/viewing.ts'
import type { StudyId } from '#shared/ids.ts'
import { type Acceptor, startAcceptor } from '../support/acceptor.ts'
import { callerOf, OWNER, type StartedGateway, type StartOptions, sessionHeaders } from '../support/gateway.ts'
import { httpCall } from '../support/http-call.ts'
import { EXAMS, type ImagingClinic, imageOf, openImagingClinic, sopUid, UID } from '../support/imaging-clinic.ts'
import { keyCall } from '../support/interface.ts'
import { openModality } from '../support/modality.ts'
import { NORMAL, newScribeStudy, RADIOLOGIST, type ReadingWindow, readingWindow } from '../support/reporting-clinic.ts'
import { queryWorklist } from '../support/worklist-client.ts'
import { filesBelow } from './storage-fixture.ts'

// A clinic at work, to which a fault happens: what each service then answers, and what staff see.

const COMMITMENT = SOP_CLASS.storageCommitmentPushModel
/** What each service answered, and for those that take something what is there afterwards. */
export type Observed = Readonly<Record<'worklist' | 'store' | 'commit' | 'forward' | 'sign' | 'deliver' | 'view', string>>

const NONE = 'not served'
const NOT_SERVED: Observed = { worklist: NONE, store: NONE, commit: NONE, forward: NONE, sign: NONE, deliver: NONE, view: NONE }

/** How long a service that answers later is waited for. */
const LATER_MS = 4_000

/** What is there before the fault: image 1 stored, a draft that may be signed, a signed report that waits for the partner. */
interface Work {
  readonly key: string
  readonly draftOf: StudyId
  /** Headers of their sessions. */
  readonly sessions: Record<'owner' | 'radiologist', Readonly<Record<string, string>>>
  readonly destinationId: string
}

export interface FaultClinic extends AsyncDisposable {
  /** The gateway that runs now. */
  readonly gateway: StartedGateway
  /** Ends the gateway, does something to its folder, and starts it again, as far as it starts. */
  restart(between: (folder: string) => void): Promise<void>
  /** Asks every service once. */
  observe(): Promise<Observed>
  /** Kinds of today's items, sentences of the status and of the feed. */
  seen(): Promise<readonly string[]>
}

export interface FaultClinicOptions extends Pick<StartOptions, 'partner' | 'clock'> {
  readonly folder: string
}

export async function openFaultClinic({ folder, partner = {}, clock }: FaultClinicOptions): Promise<FaultClinic> {
  await using opened = new AsyncDisposableStack()
  const device = opened.use(
    await startAcceptor({
      roles: [{ sopClass: COMMITMENT, scu: false, scp: true }],
      message: (message, peer) => peer.respond(message, 0x0000),
    }),
  )
  let takesImages = false
  const archive = opened.use(await startAcceptor({ message: (message, peer) => peer.respond(message, takesImages ? 0x0000 : 0xa700) }))
  let key = ''
  const start = () =>
    openImagingClinic({
      ...{ folder, idleSeconds: 3600, clock: clock ?? Date.now },
      partner: typeof partner === 'object' && partner !== null ? { worklist: EXAMS, ...partner } : partner,
      overrides: { 'commitment.isOn': true },
      devices: [
        { aeTitle: 'CT1', name: 'CT room 1', address: '127.0.0.1', port: device.port },
        { aeTitle: 'PACS', name: 'Archive', address: '127.0.0.1' },
      ],
      async prepare(parts) {
        const people = openPeople({ ...parts.deps, passwordCost: { logN: 10, r: 8, p: 1 } })
        await people.createUser(
          { ...RADIOLOGIST, firstName: 'Una', lastName: 'Reader', level: 'member', clinicRole: 'Radiologist' },
          'command-line',
        )
        key = parts.apiKeys.create({ description: 'Cloud RIS', isViewerEnabled: true, scope: 'all' }, 'command-line').key
      },
    })
  let clinic: ImagingClinic = await start()
  /** Why it did not start again. */
  let fault = ''
  opened.defer(() => clinic[Symbol.asyncDispose]())
  const work = await before(clinic, key, archive.port)
  const kept = opened.move()
  return {
    get gateway() {
      return clinic.gateway
    },
    async restart(between) {
      await clinic[Symbol.asyncDispose]()
      between(folder)
      try {
        clinic = await start()
      } catch (error) {
        fault = (error as Error).message
      }
    },
    async observe() {
      if (fault !== '') return NOT_SERVED
      const { gateway } = clinic
      // In this order, so that the first ones do not depend on what the others changed.
      const worklist = await answerOf(() => worklistAnswer(gateway))
      const store = await answerOf(() => storeAnswer(gateway))
      const commit = await answerOf(() => commitAnswer(gateway, device))
      takesImages = true
      const forward = await answerOf(() => forwardAnswer(gateway, work, archive))
      const sign = await answerOf(() => signAnswer(gateway, work))
      const deliver = await answerOf(() => deliverAnswer(gateway, work))
      const view = await answerOf(() => viewAnswer(gateway, work))
      return { worklist, store, commit, forward, sign, deliver, view }
    },
    async seen() {
      if (fault !== '') return [fault]
      const call = await callOf(clinic.gateway, work, 'owner')
      const [status, today, feed] = [
        await call(dashboard.status, {}),
        await call(dashboardToday.today, {}),
        await call(dashboard.feed, { query: { limit: 100 } }),
      ]
      return [
        ...today.items.map(({ kind }) => kind),
        ...[status.storage.detail, status.partner.detail].filter((text) => text !== ''),
        ...feed.lines.map(({ text }) => text),
      ]
    },
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}

async function before(clinic: ImagingClinic, key: string, archivePort: number): Promise<Work> {
  const { gateway } = clinic
  const { http, call, partner } = gateway
  await queryWorklist(gateway.dimsePort, { callingAeTitle: 'CT1' })
  const body = NewDestination.parse({ name: 'Archive', aeTitle: 'PACS', host: '127.0.0.1', port: archivePort, isAutomatic: true })
  const { destinationId } = await call(dashboardDestinations.add, { body })
  await using modality = await openModality(gateway.dimsePort, { callingAeTitle: 'CT1' })
  const { status } = await modality.store(imageOf(1))
  if (status !== '0000') throw new Error(`The first image was answered ${status}`)
  await modality.release()
  // The attempt that the archive refuses is over: the next one is a minute away.
  const isRefused = async () => (await call(dashboardDestinations.list, {})).destinations.some(({ lastError }) => lastError !== '')
  while (!(await isRefused())) await wait(20)
  const headers = await sessionHeaders(http, RADIOLOGIST)
  const radiologist = callerOf(http, headers)
  const partnerCall = keyCall(http, key).call
  partner.setSequence('report.delivered', ['error'])
  const { studyId: signedOf } = await newScribeStudy(partnerCall)
  await readingWindow(radiologist, signedOf).report(NORMAL)
  while ((partner.requestsOf['report.delivered'] ?? 0) === 0) await wait(20)
  const { studyId: draftOf } = await newScribeStudy(partnerCall)
  const window = readingWindow(radiologist, draftOf)
  await window.begin()
  await window.save(NORMAL)
  const owner = await sessionHeaders(http, OWNER)
  return { key, draftOf, destinationId, sessions: { owner, radiologist: headers } }
}

/** A failure is an answer too. */
async function answerOf(ask: () => Promise<string>): Promise<string> {
  try {
    return await ask()
  } catch (error) {
    return `failed: ${(error as Error).message}`
  }
}

/** The person's session; a new one where the database does not know it any more. */
async function headersOf({ http }: StartedGateway, { sessions }: Work, who: 'owner' | 'radiologist') {
  const { status } = await httpCall(`${http}/dashboard/today`, { headers: sessions[who] })
  if (status === 401) sessions[who] = await sessionHeaders(http, who === 'owner' ? OWNER : RADIOLOGIST)
  return sessions[who]
}
const callOf = async (gateway: StartedGateway, work: Work, who: 'owner' | 'radiologist') =>
  callerOf(gateway.http, await headersOf(gateway, work, who))

async function worklistAnswer({ dimsePort }: StartedGateway): Promise<string> {
  const { status, comment, rows } = await queryWorklist(dimsePort, { callingAeTitle: 'CT1' })
  if (status !== '0000') return `${status} ${comment}`.trim()
  return rows.length > 0 ? '0000, the exams' : '0000, nothing'
}

let images = 1
async function storeAnswer({ dimsePort, folder }: StartedGateway): Promise<string> {
  await using modality = await openModality(dimsePort, { callingAeTitle: 'CT1' })
  const before = imagesIn(folder)
  const { status, comment } = await modality.store(imageOf(++images))
  await modality.release()
  const isKept = imagesIn(folder) > before
  return `${status} ${comment}`.trim() + (isKept ? ', kept' : ', not kept')
}
/** Also those of the recovery folder, to which a start moves files while images come. */
const imagesIn = (folder: string) =>
  ['images', 'recovery'].flatMap((name) => (existsSync(join(folder, name)) ? filesBelow(join(folder, name)) : [])).length

let transactions = 0
/** Of the image that was stored before the fault. */
async function commitAnswer({ dimsePort }: StartedGateway, device: Acceptor): Promise<string> {
  const before = device.messages.length
  await using modality = await openModality(dimsePort, { callingAeTitle: 'CT1' })
  const { status, comment } = await modality.askCommitment(`1.2.3.800.${++transactions}`, [sopUid(1)])
  await modality.release()
  if (status !== '0000') return `${status} ${comment}`.trim()
  const by = Date.now() + LATER_MS
  while (device.messages.length === before && Date.now() < by) await wait(20)
  const { command, dataSet } = device.messages[before] ?? {}
  if (!command || !Buffer.isBuffer(dataSet)) return '0000, no result yet'
  if (command.eventTypeId === 1) return '0000, committed'
  const failed = readDataSet(dataSet, TRANSFER_SYNTAX.explicitLittleEndian).find(({ tag }) => tag === tagOf('FailedSOPSequence'))
  const [item] = (failed?.value ?? []) as readonly ReturnType<typeof readDataSet>[]
  const reason = item?.find(({ tag }) => tag === tagOf('FailureReason'))?.value as Buffer | undefined
  return `0000, not committed (${reason?.readUInt16LE().toString(16).padStart(4, '0')})`
}

async function forwardAnswer(gateway: StartedGateway, work: Work, archive: Acceptor): Promise<string> {
  const has = () => archive.messages.filter(({ command }) => command.affectedSopInstanceUid === sopUid(1)).length
  const before = has()
  const call = await callOf(gateway, work, 'owner')
  const refused = await call(dashboardDestinations.retry, {
    params: { destinationId: work.destinationId },
    body: {},
  }).then(
    () => '',
    (error: unknown) => (error as Error).message,
  )
  const by = Date.now() + LATER_MS
  while (has() === before && Date.now() < by) await wait(20)
  if (has() > before) return 'sent'
  return refused === '' ? 'not sent' : `not sent: ${refused}`
}

async function signAnswer(gateway: StartedGateway, work: Work): Promise<string> {
  const window: ReadingWindow = readingWindow(await callOf(gateway, work, 'radiologist'), work.draftOf)
  await window.read()
  await window.begin({ takeOver: true }).catch(() => undefined)
  const outcome = await window.sign().then(
    (signed) => signed.outcome,
    (error: unknown) => `refused: ${(error as Error).message}`,
  )
  const { draft, reports } = await window.read()
  if (draft?.text === NORMAL) return `${outcome}, the draft is kept`
  return reports.some(({ signedAt }) => signedAt !== null) ? `${outcome}, the report is kept` : `${outcome}, nothing is kept`
}

async function deliverAnswer(gateway: StartedGateway, work: Work): Promise<string> {
  const { partner } = gateway
  const before = partner.requestsOf['report.delivered'] ?? 0
  const call = await callOf(gateway, work, 'owner')
  const { events } = await call(dashboardEvents.list, { query: { type: 'report.delivered', show: 'waiting' } })
  const eventIds = events.map(({ eventId }) => eventId)
  if (eventIds.length === 0) return partner.reports.size > 0 ? 'delivered' : 'nothing waits'
  await call(dashboardEvents.replay, { body: { which: 'these', eventIds } })
  const by = Date.now() + LATER_MS
  while (partner.reports.size === 0 && Date.now() < by) await wait(20)
  if (partner.reports.size > 0) return 'delivered'
  return (partner.requestsOf['report.delivered'] ?? 0) > before ? 'tried, and waits' : 'waits'
}

/** The first frame of the image that was stored before the fault. */
async function viewAnswer(gateway: StartedGateway, work: Work): Promise<string> {
  const { http } = gateway
  const session = await headersOf(gateway, work, 'owner')
  const opened = await httpCall(`${http}/dashboard/views`, { method: 'POST', headers: session, json: { studyInstanceUid: UID } })
  if (opened.status >= 300) return `${opened.status} ${(opened.json as { message?: string } | undefined)?.message ?? ''}`.trim()
  const { viewId } = View.parse(opened.json)
  const headers = { ...session, cookie: opened.headers['set-cookie']?.[0]?.split(';')[0] ?? '' }
  await httpCall(http + viewPaths.images(viewId), { headers })
  const frame = await httpCall(http + viewPaths.frame(viewId, sopUid(1), 1), { headers })
  return frame.status === 200 ? 'shown' : `${frame.status}`
}
