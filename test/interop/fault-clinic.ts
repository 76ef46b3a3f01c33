import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { readDataSet, tagOf } from '#server/dicom/data-set/data-set.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import { dashboard, type FeedLine } from '#shared/contract/dashboard.ts'
import { dashboardToday } from '#shared/contract/dashboard-today.ts'
import { dashboardDestinations, NewDestination } from '#shared/contract/destinations.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { ViewLine } from '#shared/contract/viewed-images.ts'
import { View } from '#shared/contract/viewing.ts'
import type { StudyId } from '#shared/ids.ts'
import { englishText } from '#shared/messages/english.ts'
import { viewPaths } from '#shared/view-paths.ts'
import { encoded } from '../electron/server/modules/images/intake-fixture.ts'
import { type Acceptor, startAcceptor } from '../support/acceptor.ts'
import {
  callerOf,
  OWNER,
  type StartedGateway,
  type StartOptions,
  sessionHeaders,
} from '../support/gateway.ts'
import { httpCall } from '../support/http-call.ts'
import {
  EXAMS,
  type ImagingClinic,
  imageOf,
  openImagingClinic,
  sopUid,
  UID,
} from '../support/imaging-clinic.ts'
import { keyCall } from '../support/interface.ts'
import { type Answered, type Modality, openModality } from '../support/modality.ts'
import {
  NORMAL,
  newScribeStudy,
  RADIOLOGIST,
  type ReadingWindow,
  readingWindow,
} from '../support/reporting-clinic.ts'
import { textOf } from '../support/saying.ts'
import { queryWorklist } from '../support/worklist-client.ts'
import { filesBelow } from './storage-fixture.ts'

// A clinic at work, to which a fault happens: what each service then answers, what is there
// afterwards, and what staff see.

const COMMITMENT = SOP_CLASS.storageCommitmentPushModel
export const SERVICES = [
  'worklist',
  'store',
  'commit',
  'forward',
  'sign',
  'deliver',
  'view',
] as const
type Service = (typeof SERVICES)[number]

/** One service under one fault. */
export interface Cell {
  readonly answer: string
  /** What is on the disk and in the lists afterwards. */
  readonly kept: string
  /** What the window shows of it: lines of the feed, or the state on the screen that it has. */
  readonly seen: string
}
export type Observed = Readonly<Record<Service, Cell>>

/** The image that a row of the matrix is about. */
export interface Subject {
  /** Of the image, see `sopUid`. */
  readonly number: number
  readonly from: string
  readonly dataSet: Buffer
  readonly store: (modality: Modality) => Promise<Answered>
}

/** How long a service that answers later is waited for. */
const LATER_MS = 8_000
/** How long an attempt to deliver a report is waited for: it ends after 15 s at the latest. */
const ATTEMPT_MS = 40_000

/**
 * What is there before the fault: image 1 stored, a draft that may be signed, a signed report that
 * waits for the partner.
 */
interface Work {
  readonly key: string
  readonly draftOf: StudyId
  readonly signedOf: StudyId
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
  /**
   * What store, commit, forward and view are asked about, where the fault is in an image itself.
   */
  readonly subject?: Subject
}

export async function openFaultClinic({
  folder,
  partner = {},
  clock,
  subject,
}: FaultClinicOptions): Promise<FaultClinic> {
  await using opened = new AsyncDisposableStack()
  const device = opened.use(
    await startAcceptor({
      roles: [{ sopClass: COMMITMENT, scu: false, scp: true }],
      message: (message, peer) => peer.respond(message, 0x0000),
    }),
  )
  let takesImages = false
  const archive = opened.use(
    await startAcceptor({
      message: (message, peer) => peer.respond(message, takesImages ? 0x0000 : 0xa700),
    }),
  )
  let key = ''
  const start = () =>
    openImagingClinic({
      ...{ folder, idleSeconds: 3600, clock: clock ?? Date.now },
      partner:
        typeof partner === 'object' && partner !== null ? { worklist: EXAMS, ...partner } : partner,
      overrides: { 'commitment.isOn': true },
      devices: [
        { aeTitle: 'CT1', name: 'CT room 1', address: '127.0.0.1', port: device.port },
        { aeTitle: 'PACS', name: 'Archive', address: '127.0.0.1' },
      ],
      async prepare(context) {
        const people = openAccounts(context, { logN: 10, r: 8, p: 1 })
        await people.createUser(
          {
            ...RADIOLOGIST,
            firstName: 'Una',
            lastName: 'Reader',
            level: 'member',
            clinicRole: 'Radiologist',
          },
          'command-line',
        )
        key = createApiKey(
          context,
          { description: 'Cloud RIS', isViewerEnabled: true, scope: 'all' },
          'command-line',
        ).key
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
      if (fault !== '') return notServed(folder, fault)
      const { gateway } = clinic
      const owner = await callOf(gateway, work, 'owner')
      const asked: Asked = {
        gateway,
        work,
        owner,
        device,
        archive,
        faulty: subject,
        number: subject?.number ?? 1,
      }
      // In this order, so that the first ones do not depend on what the others changed.
      const worklist = await cellOf(asked, worklistAnswer, 'worklist')
      const store = await cellOf(asked, storeAnswer, 'images')
      const commit = await cellOf(asked, commitAnswer, 'commitment')
      takesImages = true
      const forward = await cellOf(asked, forwardAnswer)
      const sign = await cellOf(asked, signAnswer)
      const deliver = await cellOf(asked, deliverAnswer)
      const view = await cellOf(asked, viewAnswer)
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
        ...[status.storage.detail, status.partner.detail]
          .filter((detail) => detail !== null)
          .map(englishText),
        ...feed.lines.map(({ text }) => englishText(text)),
      ]
    },
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}

async function before(clinic: ImagingClinic, key: string, archivePort: number): Promise<Work> {
  const { gateway } = clinic
  const { http, call, partner } = gateway
  await queryWorklist(gateway.dimsePort, { callingAeTitle: 'CT1' })
  const body = NewDestination.parse({
    name: 'Archive',
    aeTitle: 'PACS',
    host: '127.0.0.1',
    port: archivePort,
    isAutomatic: true,
  })
  const { destinationId } = await call(dashboardDestinations.add, { body })
  await using modality = await openModality(gateway.dimsePort, { callingAeTitle: 'CT1' })
  const { status } = await modality.store(imageOf(1))
  if (status !== '0000') throw new Error(`The first image was answered ${status}`)
  await modality.release()
  // The attempt that the archive refuses is over: the next one is a minute away.
  const isRefused = async () =>
    (await call(dashboardDestinations.list, {})).destinations.some(
      ({ lastError }) => lastError !== null,
    )
  while (!(await isRefused())) await wait(20)
  const headers = await sessionHeaders(http, RADIOLOGIST)
  const radiologist = callerOf(http, headers)
  const partnerCall = keyCall(http, key).call
  const { studyId: draftOf } = await newScribeStudy(partnerCall)
  const window = readingWindow(radiologist, draftOf)
  await window.begin()
  await window.save(NORMAL)
  const owner = await sessionHeaders(http, OWNER)
  // Last, because the report is sent again five seconds later.
  partner.setSequence('report.delivered', ['error'])
  const { studyId: signedOf } = await newScribeStudy(partnerCall)
  const signed = readingWindow(radiologist, signedOf)
  await signed.report(NORMAL)
  while (!(await signed.read()).reports[0]?.delivery?.lastError) await wait(20)
  return { key, draftOf, signedOf, destinationId, sessions: { owner, radiologist: headers } }
}

/** What a service is asked with. */
interface Asked {
  readonly gateway: StartedGateway
  readonly work: Work
  readonly owner: StartedGateway['call']
  readonly device: Acceptor
  readonly archive: Acceptor
  readonly faulty: Subject | undefined
  /** Of the image that commit, forward and view are about. */
  readonly number: number
}
type Ask = (asked: Asked) => Promise<Partial<Cell>>

/** The last line of the feed about a service, where it was answered at all. */
const LAST_LINE: Partial<Record<FeedLine['kind'], RegExp>> = {
  images: /^Sent \d/,
  commitment: /was notified/,
}

/** Asks a service. Without a screen of its own it is seen in the feed's lines of that kind. */
async function cellOf(asked: Asked, ask: Ask, kind?: FeedLine['kind']): Promise<Cell> {
  const lines = async () => (await asked.owner(dashboard.feed, { query: { limit: 100 } })).lines
  const last = (await lines())[0]?.lineId ?? 0
  // A failure is an answer too.
  const cell = await ask(asked).catch(
    (error: unknown): Partial<Cell> => ({ answer: `failed: ${(error as Error).message}` }),
  )
  const { answer = '', kept = keptImage(asked) } = cell
  if (cell.seen !== undefined) return { answer, kept, seen: cell.seen }
  const own = async () => {
    const news = (await lines()).filter((line) => line.lineId > last && line.kind === kind)
    // A study that is complete is another line of that kind, at another time.
    return news.filter(({ associationId }) => kind !== 'images' || associationId !== '').reverse()
  }
  const isRefused = kind === 'commitment' && !answer.startsWith('0000')
  if (kind && !isRefused)
    await until(async () =>
      (await own()).some(({ text }) => (LAST_LINE[kind] ?? /./).test(englishText(text))),
    )
  const seen = (await own()).map(({ text }) => englishText(text)).join(' ')
  return { answer, kept, seen: seen === '' ? await troubleOf(asked) : withoutTimes(seen) }
}

/** Days, times and durations of this run. */
const withoutTimes = (text: string): string =>
  text
    .replace(/\d{4}-\d\d-\d\d/g, '(day)')
    .replace(/\b\d+ ms\b/, '(some) ms')
    .replace(/of \d\d:\d\d \([^)]*old\)/, 'of (a moment ago)')

/** What every screen says at the moment. */
async function troubleOf({ owner }: Asked): Promise<string> {
  const { records, storage, partner } = await owner(dashboard.status, {})
  const detail = records.detail ?? storage.detail ?? partner.detail
  return detail ? englishText(detail) : 'nothing of it'
}

async function until(check: () => Promise<boolean>, withinMs = LATER_MS): Promise<void> {
  const by = Date.now() + withinMs
  while (!(await check()) && Date.now() < by) await wait(20)
}

const isBelow = (folder: string, dataSet: Buffer): boolean =>
  existsSync(folder) && filesBelow(folder).some((path) => readFileSync(path).includes(dataSet))

/**
 * The image that was stored before the fault, as a file of the archive with the bytes that were
 * sent.
 */
function keptImage({ gateway: { folder }, faulty, number }: Asked): string {
  const sent = encoded(imageOf(1))
  if (number === 1) return isBelow(join(folder, 'images'), sent) ? 'the image' : 'nothing'
  return faulty !== undefined && isBelow(join(folder, 'images'), faulty.dataSet)
    ? 'the object, in quarantine'
    : 'nothing'
}

/** The gateway did not start again: what its folder has, and what the rescue page says. */
function notServed(folder: string, fault: string): Observed {
  const images = isBelow(join(folder, 'images'), encoded(imageOf(1))) ? 'the image' : 'nothing'
  const records = existsSync(join(folder, DATABASE_FILE)) ? 'the database' : 'nothing'
  // What is wrong; what to do follows in the sentence.
  const seen = fault.replace(`${folder}/`, '').replace(/(?:: |\. ).*$/s, '')
  const cell = (kept: string): Cell => ({ answer: 'not served', kept, seen })
  return {
    ...{
      worklist: cell(records),
      store: cell(images),
      commit: cell(images),
      forward: cell(images),
    },
    ...{ sign: cell(records), deliver: cell(records), view: cell(images) },
  }
}

/** The person's session; a new one where the database does not know it any more. */
async function headersOf(
  { http }: StartedGateway,
  { sessions }: Work,
  who: 'owner' | 'radiologist',
) {
  const { status } = await httpCall(`${http}/dashboard/today`, { headers: sessions[who] })
  if (status === 401)
    sessions[who] = await sessionHeaders(http, who === 'owner' ? OWNER : RADIOLOGIST)
  return sessions[who]
}
const callOf = async (gateway: StartedGateway, work: Work, who: 'owner' | 'radiologist') =>
  callerOf(gateway.http, await headersOf(gateway, work, who))

const worklistAnswer: Ask = async ({ gateway: { dimsePort }, owner }) => {
  const newest = async () => {
    const [query] = (await owner(dashboard.inspections, { query: { limit: 1 } })).inspections
    return query && `${query.inspectionId} ${query.repeats}`
  }
  const before = await newest()
  const { status, comment, rows } = await queryWorklist(dimsePort, { callingAeTitle: 'CT1' })
  const answer =
    status !== '0000'
      ? `${status} ${comment}`.trim()
      : rows.length > 0
        ? '0000, the exams'
        : '0000, nothing'
  return { answer, kept: (await newest()) === before ? 'no record of the query' : 'the query' }
}

const NEXT = 2
const storeAnswer: Ask = async (asked) => {
  const { gateway, owner, faulty } = asked
  const { dimsePort, folder } = gateway
  const dataSet = faulty?.dataSet ?? encoded(imageOf(NEXT))
  await using modality = await openModality(dimsePort, { callingAeTitle: faulty?.from ?? 'CT1' })
  const { status, comment } = await (faulty?.store(modality) ??
    modality.storeBytes(sopUid(NEXT), dataSet))
  await modality.release()
  const { instances } = await owner(dashboardImages.quarantine, {
    query: { studyInstanceUid: UID },
  })
  const isAside = instances.some(
    ({ sopInstanceUid }) => sopInstanceUid === sopUid(faulty?.number ?? NEXT),
  )
  const answer = `${status} ${comment}`.trim()
  if (isBelow(join(folder, 'images'), dataSet))
    return { answer, kept: isAside ? 'the object, in quarantine' : 'the image' }
  return {
    answer,
    kept: faulty?.number === 1 ? `${keptImage(asked)} as it was sent first` : 'nothing',
  }
}

let transactions = 0
const commitAnswer: Ask = async ({ gateway: { dimsePort }, device, number }) => {
  const before = device.messages.length
  await using modality = await openModality(dimsePort, { callingAeTitle: 'CT1' })
  const { status, comment } = await modality.askCommitment(`1.2.3.800.${++transactions}`, [
    sopUid(number),
  ])
  await modality.release()
  if (status !== '0000') return { answer: `${status} ${comment}`.trim() }
  await until(async () => device.messages.length > before)
  const { command, dataSet } = device.messages[before] ?? {}
  if (!command || !Buffer.isBuffer(dataSet)) return { answer: '0000, no result yet' }
  if (command.eventTypeId === 1) return { answer: '0000, committed' }
  const failed = readDataSet(dataSet, TRANSFER_SYNTAX.explicitLittleEndian).find(
    ({ tag }) => tag === tagOf('FailedSOPSequence'),
  )
  const [item] = (failed?.value ?? []) as readonly ReturnType<typeof readDataSet>[]
  const reason = item?.find(({ tag }) => tag === tagOf('FailureReason'))?.value as
    | Buffer
    | undefined
  return { answer: `0000, not committed (${reason?.readUInt16LE().toString(16).padStart(4, '0')})` }
}

/** A person tries again what waits, and sends the study where its faulty object is in no queue. */
const forwardAnswer: Ask = async ({ owner, work: { destinationId }, archive, number, faulty }) => {
  const sent = () =>
    archive.messages.filter(({ command }) => command.affectedSopInstanceUid === sopUid(number))
      .length
  const before = sent()
  const of = { params: { destinationId, studyInstanceUid: UID }, query: { limit: 100 } }
  const queue = async () => (await owner(dashboardDestinations.instances, of)).instances
  const params = { destinationId }
  const refused = await owner(dashboardDestinations.retry, { params, body: {} })
    .then(
      () =>
        faulty && owner(dashboardDestinations.send, { params, body: { studyInstanceUid: UID } }),
    )
    .then(
      () => '',
      (error: unknown) => `: ${(error as Error).message}`,
    )
  await until(async () => (await queue()).every(({ state }) => state !== 'waiting'))
  const own = (await queue()).find(({ sopInstanceUid }) => sopInstanceUid === sopUid(number))
  return {
    answer: sent() > before ? 'sent' : `not sent${refused}`,
    seen:
      own === undefined
        ? 'not in the queue'
        : [`in the queue: ${own.state}`, textOf(own.lastError)].filter(Boolean).join(', '),
  }
}

const signAnswer: Ask = async ({ gateway, work }) => {
  const window: ReadingWindow = readingWindow(
    await callOf(gateway, work, 'radiologist'),
    work.draftOf,
  )
  await window.read()
  await window.begin({ takeOver: true }).catch(() => undefined)
  const answer = await window.sign().then(
    (signed) => signed.outcome,
    (error: unknown) => `refused: ${(error as Error).message}`,
  )
  const { status, draft, reports } = await window.read()
  const isSigned = reports.some(({ signedAt, text }) => signedAt !== null && text === NORMAL)
  return {
    answer,
    kept: isSigned ? 'the report' : draft?.text === NORMAL ? 'the draft' : 'nothing',
    seen: `study: ${status}`,
  }
}

/** Which of the two malformed responses is the last one depends on how often it was tried. */
const MALFORMED = /the response (?:is not JSON in UTF-8|does not have the agreed form: .*)$/

const deliverAnswer: Ask = async ({ gateway, work, owner }) => {
  const { events } = await owner(dashboardEvents.list, {
    query: { type: 'report.delivered', show: 'waiting' },
  })
  const eventIds = events.map(({ eventId }) => eventId)
  const radiologist = await callOf(gateway, work, 'radiologist')
  const report = async () =>
    (await radiologist(dashboardReports.read, { params: { studyId: work.signedOf } })).reports[0]
  const refused =
    eventIds.length === 0
      ? ''
      : await owner(dashboardEvents.replay, { body: { which: 'these', eventIds } }).then(
          () => '',
          (error: unknown) => `failed: ${(error as Error).message}`,
        )
  // The first attempt was before the fault.
  if (refused === '')
    await until(async () => ((await report())?.delivery?.attempts ?? 0) > 1, ATTEMPT_MS)
  const { text, signedAt, delivery } = (await report()) ?? {}
  const isThere = gateway.partner.reports.size > 0
  return {
    answer: refused !== '' ? refused : isThere ? 'delivered' : 'waits',
    kept: text === NORMAL && signedAt ? 'the report' : 'nothing',
    seen: [
      `report: ${delivery?.state}`,
      textOf(delivery?.lastError).replace(MALFORMED, '(malformed)'),
    ]
      .filter((part) => part !== '')
      .join(', '),
  }
}

/** The first frame of the image, and how many images the viewer lists. */
const viewAnswer: Ask = async ({ gateway, work, number }) => {
  const { http } = gateway
  const session = await headersOf(gateway, work, 'owner')
  const opened = await httpCall(`${http}/dashboard/views`, {
    method: 'POST',
    headers: session,
    json: { studyInstanceUid: UID },
  })
  const message = (opened.json as { message?: string } | undefined)?.message ?? ''
  if (opened.status >= 300) return { answer: `${opened.status} ${message}`.trim(), seen: message }
  const { viewId } = View.parse(opened.json)
  const headers = { ...session, cookie: opened.headers['set-cookie']?.[0]?.split(';')[0] ?? '' }
  const listed = await httpCall(http + viewPaths.images(viewId), { headers })
  const lines = listed.text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ViewLine.parse(JSON.parse(line)))
  const uids = new Set(
    lines
      .flatMap((line) => (line.line === 'instances' ? line.instances : []))
      .map((one) => one.sopInstanceUid),
  )
  // A note says whether an association is still open, which depends on the moment.
  const faults = lines.flatMap((line) =>
    line.line === 'faults' ? line.faults.filter(({ level }) => level !== 'note') : [],
  )
  const frame = await httpCall(http + viewPaths.frame(viewId, sopUid(number), 1), { headers })
  const which = uids.has(sopUid(number)) ? 'with it' : 'without it'
  return {
    answer: frame.status === 200 ? 'shown' : `${frame.status}, not shown`,
    seen: [
      `${uids.size} ${uids.size === 1 ? 'image' : 'images'}, ${which}`,
      ...faults.map(({ sentence }) => englishText(sentence)),
    ].join(': '),
  }
}
