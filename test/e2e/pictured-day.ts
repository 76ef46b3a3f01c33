import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { scriptOf } from '#electron/simulator/script.ts'
import { worklistDay } from '#electron/simulator/worklist-day.ts'
import type { Envelope, WorklistItem } from '#shared/contract/webhooks.ts'
import { CT, image, type Values } from '../electron/gateway/intake/intake-fixture.ts'
import { freePort } from '../support/free-port.ts'
import { openModality } from '../support/modality.ts'
import { type Archive, startArchive } from './modality.ts'
import type { PicturedOptions, PicturedReady } from './pictured-gateway.ts'
import { ask, newSecret, type Stage } from './stage.ts'
import { listOn, otherPc, post } from './stories.ts'

// A day in an invented clinic, told hour by hour on a clock that is moved by hand, so that every picture of it shows the same day.

const DAY = '2026-11-20'
const TODAY = '20261120'
const NEXT_DAY = '20261121'
/** When the pictures are taken. */
export const NOW = Date.parse(`${DAY}T10:42:00Z`)
const ROOT = '1.2.826.0.1.3680043.8.498.9100'
const PASSWORD = 'eight early herons'
const PEOPLE: PicturedOptions['people'] = [
  { email: 'olga@clinic.example', firstName: 'Olga', lastName: 'Berg', level: 'owner', clinicRole: 'Administrative Director' },
  { email: 'maja@clinic.example', firstName: 'Maja', lastName: 'Novák', level: 'member', clinicRole: 'Radiologist' },
  { email: 'ivan@clinic.example', firstName: 'Ivan', lastName: 'Petrov', level: 'member', clinicRole: 'Imaging Technologist' },
  { email: 'hana@clinic.example', firstName: 'Hana', lastName: 'Malá', level: 'member', clinicRole: 'Front Desk Operator' },
]
const STUDIES = [
  { number: 1, patientName: 'Marlowe^Ottilie', mrn: 'MRN-40017', dateOfBirth: '1971-05-03', sex: 'female', severity: 'stat' },
  { number: 2, patientName: 'Quillfeather^Ansgar', mrn: 'MRN-40018', dateOfBirth: '1958-01-01', sex: 'male', severity: 'high' },
  { number: 3, patientName: 'Vandermolen^Wilhelmina', mrn: 'MRN-40020', dateOfBirth: '1949-02-28', sex: 'female', severity: 'normal' },
  { number: 4, patientName: 'Osei^Kwabena', mrn: 'MRN-40021', dateOfBirth: '1944-10-09', sex: 'male', severity: 'normal' },
] as const
const DESCRIPTIONS = ['CT thorax with contrast', 'CT head', 'MR knee right', 'DX chest PA and lateral']
const NORMAL = 'Findings:\nThe lungs are clear. No effusion.\n\nImpression:\nNo acute finding.'
const CRITICAL = 'Findings:\nHyperdense collection along the left convexity, 11 mm.\n\nImpression:\nAcute left subdural haematoma.'
const TEMPLATE = 'Findings\nA nodule of [size] mm, {right|left} upper lobe. Pleura and mediastinum: normal.\n\nImpression\n[ ]\n'

// biome-ignore lint/suspicious/noExplicitAny: replies of many calls, read by the pictures alone
type Reply = any

export interface PicturedDay extends AsyncDisposable {
  readonly http: string
  readonly ids: Readonly<Record<'toRead' | 'event' | 'association' | 'exam' | 'device' | 'mismatch', string>>
  /** A page of somebody, in the light, at the time of the pictures, which shows no address and no folder of the machine it is made on. */
  pageOf(browser: Browser, who: 'owner' | 'radiologist'): Promise<Page>
}

/** Opens the clinic and lets the morning pass. */
export async function openPicturedDay(): Promise<PicturedDay> {
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-pictures-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const partner = opened.use(await openPartner())
  const gateway = opened.use(await startGateway(folder, partner.url))
  const stage = { http: gateway.http, dimsePort: gateway.dimsePort } as Stage
  const backups = join(folder, 'isthmus')
  await backUp(gateway, backups)
  await gateway.putClock('07:50')
  const owner = await signIn(gateway.http, 'olga')
  const radiologist = await signIn(gateway.http, 'maja')
  const archive = opened.use(await startArchive(stage))
  const lan = opened.use(await openLan(owner.call))
  const ids = await liveThroughTheMorning({ gateway, stage, archive, partner, call: owner.call, read: radiologist.call })
  await post(`https://127.0.0.1:${lan.port}/dashboard/workstation`, { name: 'Reading room 2' })

  /** What is of this machine, and what stands for it in a picture. */
  const plain: readonly (readonly [string | RegExp, string])[] = [
    [partner.url, 'https://ris.partner.example/webhooks'],
    ['"allowsPlaintext":true', '"allowsPlaintext":false'],
    [backups, '/mnt/backup/isthmus'],
    [folder, '/var/lib/isthmus'],
    [/https:\/\/[\d.]+:\d+/g, 'https://192.0.2.10:8443'],
    [`https://${hostname()}:`, 'https://isthmus.clinic.example:'],
    [/127\.0\.0\.3/g, '192.0.2.21'],
    [new RegExp(`\\b${lan.listens}\\b`, 'g'), '8443'],
    [new RegExp(`\\b${new URL(gateway.http).port}\\b`, 'g'), '8042'],
    [new RegExp(`\\b${gateway.dimsePort}\\b`, 'g'), '11112'],
    [new RegExp(`\\b${archive.port}\\b`, 'g'), '104'],
    [/127\.0\.0\.1/g, '192.0.2.17'],
  ]
  const cookies = { owner: owner.cookie, radiologist: radiologist.cookie }
  const kept = opened.move()
  return {
    http: gateway.http,
    ids,
    async pageOf(browser, who) {
      const context = await browser.newContext({
        ...{ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1, colorScheme: 'light', reducedMotion: 'reduce' },
        ...{ locale: 'en-GB', timezoneId: 'Europe/London' },
      })
      const [name = '', value = ''] = cookies[who].split('=')
      await context.addCookies([{ name, value, url: gateway.http, httpOnly: true, sameSite: 'Strict' }])
      await context.route(`${gateway.http}/dashboard/**`, async (route) => {
        const request = route.request()
        if (request.method() !== 'GET' || !['fetch', 'xhr'].includes(request.resourceType())) return route.continue()
        const response = await route.fetch()
        if (!(response.headers()['content-type'] ?? '').includes('json')) return route.fulfill({ response })
        const text = plain.reduce((before, [own, shown]) => before.replaceAll(own, shown), await response.text())
        return route.fulfill({ response, body: text })
      })
      const page = await context.newPage()
      await page.clock.setFixedTime(NOW)
      return page
    },
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}

interface Morning {
  readonly gateway: PicturedGateway
  readonly stage: Stage
  readonly archive: Archive
  readonly partner: PicturedPartner
  /** Calls of the owner and of the radiologist. */
  readonly call: Call
  readonly read: Call
}

async function liveThroughTheMorning({ gateway, stage, archive, partner, call, read }: Morning): Promise<PicturedDay['ids']> {
  /** Nobody is away for as long as locks a window. */
  const at = async (time: string) => {
    await gateway.putClock(time)
    await Promise.all([call, read].map((one) => one('GET', 'devices')))
  }
  const devices = [
    { aeTitle: 'CT1', name: 'CT, room 1', modality: 'CT', port: 11_104, profile: 'ge' },
    { aeTitle: 'MR1', name: 'MR, room 3', modality: 'MR', characterSet: 'ISO_IR 100' },
    { aeTitle: 'US1', name: 'Ultrasound, room 4', modality: 'US' },
  ]
  const [, mr] = await Promise.all(devices.map((device) => call('POST', 'devices', device)))
  await addDestinations(call, archive)
  const invited = { level: 'member', canManageStudies: false, hasDashboardAccess: true, canCreateReports: true, npiNumber: '1234567893' }
  await call('POST', 'people', {
    ...invited,
    firstName: 'Edda',
    lastName: 'Quist',
    email: 'edda@clinic.example',
    clinicRole: 'Radiologist',
  })
  const { people } = await call('GET', 'people')
  await call('POST', `people/${people.find(({ firstName }: Reply) => firstName === 'Hana').userId}/revoke-access`)
  await call('POST', 'templates', { kind: 'template', name: 'CT thorax', text: TEMPLATE, modalities: [], for: 'everybody' })

  await at('07:58')
  const [first, knee, abdomen, chest, head, hand, breast] = worklistDay(TODAY) as [Exam, Exam, Exam, Exam, Exam, Exam, Exam]
  await ask(stage, 'CT1')
  await listOn(stage, 'MR1', { day: TODAY, modality: 'CT' })
  await at('08:10')
  await perform(stage, first)
  const [toRead = '', ofHead = '', ofKnee = '', ofChest = ''] = await addStudies(gateway)
  await at('08:40')
  await perform(stage, abdomen)
  await sign(read, ofChest, NORMAL)
  await at('09:05')
  await perform(stage, chest)
  const { StudyInstanceUID, AccessionNumber } = head
  await send(stage, { StudyInstanceUID, AccessionNumber, PatientName: 'Wrongham^Peter', PatientID: 'MRN-99999' }, 1)
  await at('09:12')
  const right = { StudyInstanceUID: `${ROOT}1`, AccessionNumber: '', PatientName: 'Marlowe^Ottilie', PatientID: 'MRN-40017' }
  await send(stage, right, 4)
  await at('09:14')
  const { destinations } = await call('GET', 'destinations')
  for (const { destinationId } of destinations) {
    await call('POST', `destinations/${destinationId}/send`, { studyInstanceUid: right.StudyInstanceUID })
  }
  await at('09:50')
  await perform(stage, hand)
  await sign(read, ofHead, CRITICAL, 'Acute left subdural haematoma')
  await at('10:05')
  await perform(stage, breast, { isOver: false })
  await listOn(stage, 'MR1', { day: NEXT_DAY, modality: 'MR' })
  await ask(stage, 'XRAY9')
  await at('10:20')
  // The one before is there first, so that it is this one that fails.
  await eventually(async () => (await call('GET', 'events?type=report.delivered&show=waiting')).events.length === 0)
  partner.failNextReport()
  await sign(read, ofKnee, NORMAL)
  const { eventId } = await eventually(async () => {
    const { events } = await call('GET', 'events?type=report.delivered')
    return events.find(({ attempts, createdAt }: Reply) => attempts > 0 && createdAt.startsWith(`${DAY}T10:20`))
  })
  await at('10:26')
  await call('POST', 'events/replay', { which: 'these', eventIds: [eventId] })
  await eventually(async () => (await call('GET', `events/${eventId}`)).state === 'done')
  await at('10:42')
  for (const { destinationId } of destinations) await call('POST', `destinations/${destinationId}/retry`, {})
  const { associations } = await call('GET', 'associations?limit=50')
  return {
    toRead,
    event: eventId,
    association: associations.find(({ counts }: Reply) => counts.steps > 1).associationId,
    exam: knee.StudyInstanceUID,
    device: mr.deviceId,
    mismatch: StudyInstanceUID,
  }
}

type Exam = WorklistItem

/** Images of a woman of 3 May 1971, in one association. */
async function send(stage: Stage, who: Values & { readonly StudyInstanceUID: string }, count: number): Promise<void> {
  await using modality = await openModality(Number(stage.dimsePort))
  const SeriesInstanceUID = `${who.StudyInstanceUID}.1`
  const same = { ...who, SeriesInstanceUID, PatientBirthDate: '19710503', PatientSex: 'F', StudyDate: TODAY, StudyTime: '090000' }
  for (let number = 1; number <= count; number += 1) {
    await modality.store(image(number, { ...same, StudyDescription: 'CT Thorax', SOPInstanceUID: `${SeriesInstanceUID}.${number}` }))
  }
  await modality.release()
}

/** An exam as a device does it that reports on it: begun, one image, and, where it is over, completed. */
async function perform(stage: Stage, exam: Exam, { isOver = true } = {}): Promise<void> {
  const { StudyInstanceUID, AccessionNumber, PatientID, PatientName, PatientBirthDate, PatientSex, StudyDescription } = exam
  const [planned] = exam.ScheduledProcedureStepSequence
  const step = `${StudyInstanceUID}.9`
  const SeriesInstanceUID = `${StudyInstanceUID}.1`
  const SOPInstanceUID = `${SeriesInstanceUID}.1`
  await using modality = await openModality(Number(stage.dimsePort))
  const of = { StudyInstanceUID, ScheduledProcedureStepID: planned?.ScheduledProcedureStepID ?? '' }
  await modality.begin(step, {
    ...{ PerformedProcedureStepStatus: 'IN PROGRESS', PerformedProcedureStepID: 'PPS1', Modality: exam.Modality, PatientID },
    ...{ PerformedProcedureStepStartDate: TODAY, PerformedProcedureStepStartTime: '080000', PerformedSeriesSequence: [] },
    ScheduledStepAttributesSequence: [of],
  })
  const patient = { SpecificCharacterSet: 'ISO_IR 192', PatientName, PatientID, PatientBirthDate, PatientSex }
  await modality.store(
    image(1, { ...patient, ...{ StudyInstanceUID, SeriesInstanceUID, SOPInstanceUID, AccessionNumber, StudyDescription } }),
  )
  if (isOver)
    await modality.set(step, {
      ...{ PerformedProcedureStepStatus: 'COMPLETED', PerformedProcedureStepEndDate: TODAY, PerformedProcedureStepEndTime: '081000' },
      PerformedSeriesSequence: [
        { SeriesInstanceUID, ReferencedImageSequence: [{ ReferencedSOPClassUID: CT, ReferencedSOPInstanceUID: SOPInstanceUID }] },
      ],
    })
  await modality.release()
}

async function addStudies({ http, keys }: PicturedGateway): Promise<string[]> {
  const made: string[] = []
  for (const { number, severity, ...patient } of STUDIES) {
    const studyDescription = DESCRIPTIONS[number - 1] ?? ''
    const answer = await fetch(`${http}/v1/scribe/studies`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ studyInstanceUid: `${ROOT}${number}`, studyDescription, severity },
        reportMetadata: {
          ...{ ...patient, scanDate: DAY, scanTime: `0${7 + (number % 2)}:${10 + number * 9}`, scanType: studyDescription.slice(0, 2) },
          ...{ facilityName: 'North Clinic', referringPhysicianName: 'Dr. Adeyemi' },
        },
        clinicalIndication: 'Cough for three weeks, weight loss.',
        priorReports: [{ reportText: NORMAL, modality: 'CT', studyDate: '2025-03-12', studyDescription: 'CT thorax' }],
      }),
    })
    made.push(((await answer.json()) as { studyId: string }).studyId)
  }
  return made
}

async function sign(call: Call, studyId: string, text: string, finding?: string): Promise<void> {
  const at = `reading/${studyId}/draft`
  const windowId = randomUUID()
  const { draft } = await call('POST', at, { windowId })
  const { revision } = await call('PUT', at, { windowId, revision: draft.revision, text })
  const critical = { isCritical: finding !== undefined, ...(finding && { finding }) }
  const send = (acknowledged: string[]) => call('POST', `${at}/sign`, { windowId, revision, ...critical, acknowledged })
  const first = await send([])
  if (first.outcome === 'checks') await send(first.findings.map(({ check }: Reply) => check))
}

async function addDestinations(call: Call, archive: Archive): Promise<void> {
  const add = (more: object) => call('POST', 'destinations', { host: '127.0.0.1', ...more })
  await add({ name: 'Hospital PACS', aeTitle: 'PACS', port: archive.port, hasPriors: true, isAutomatic: true })
  // Nobody listens there.
  await add({ name: 'Old archive', aeTitle: 'OLDARCHIVE', port: 9 })
}

/** That of the night, into a folder that is chosen for it. */
async function backUp({ http, putClock }: PicturedGateway, folder: string): Promise<void> {
  await putClock('02:30')
  const { call } = await signIn(http, 'olga')
  await call('PUT', 'setup/backup/folder', { folder })
  await call('POST', 'upkeep/backups')
  await eventually(async () => {
    const { running, last } = await call('GET', 'upkeep')
    return running === null && last !== null
  })
  await call('DELETE', 'session')
}

async function eventually<T>(look: () => Promise<T>): Promise<NonNullable<T>> {
  for (let tries = 0; tries < 300; tries += 1) {
    const found = await look()
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`It did not come to pass: ${look}`)
}

type Call = (method: string, path: string, body?: unknown) => Promise<Reply>

/** A person at the window: the cookie of the session, and calls below `/dashboard/`. */
async function signIn(http: string, name: string): Promise<{ readonly cookie: string; readonly call: Call }> {
  const headers = { 'x-isthmus-csrf': '1', origin: http }
  const json = { 'content-type': 'application/json' }
  const body = JSON.stringify({ email: `${name}@clinic.example`, password: PASSWORD })
  const session = await fetch(`${http}/dashboard/session`, { method: 'POST', headers: { ...headers, ...json }, body })
  const cookie = session.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return {
    cookie,
    async call(method, path, given) {
      const answer = await fetch(`${http}/dashboard/${path}`, {
        method,
        headers: { ...headers, cookie, ...(given !== undefined && json) },
        ...(given !== undefined && { body: JSON.stringify(given) }),
      })
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
      return answer.json()
    },
  }
}

/** The window is open to other PCs. */
async function openLan(call: Call): Promise<{ readonly port: number; readonly listens: number } & AsyncDisposable> {
  const listens = await freePort()
  await call('PUT', 'lan', { isOn: true, host: '0.0.0.0', port: listens })
  const other = await otherPc(listens)
  return { port: other.port, listens, [Symbol.asyncDispose]: () => other[Symbol.asyncDispose]() }
}

interface PicturedGateway extends PicturedReady, AsyncDisposable {
  /** @param time of the day, `HH:MM` */
  putClock(time: string): Promise<void>
}

async function startGateway(folder: string, partnerUrl: string): Promise<PicturedGateway> {
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, 'pictured-gateway.ts')], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, TZ: 'Europe/London' },
  })
  const ended = once(child, 'exit')
  const say = async (message: object): Promise<unknown> => {
    const told = new Promise((resolve) => child.once('message', resolve))
    child.send(message)
    const answer = await Promise.race([told, ended.then(() => undefined)])
    if (answer === undefined) throw new Error('The gateway of the pictures ended.')
    return answer
  }
  const open: PicturedOptions = {
    ...{ folder: join(folder, 'data'), partner: { url: partnerUrl, secret: newSecret() }, people: PEOPLE, password: PASSWORD },
    keys: ['Cloud RIS'],
    settings: {
      ...{ 'setup.isDone': true, 'clinic.name': 'North Clinic', 'clinic.timeZone': 'Europe/London', 'window.lockMinutes': 60 },
      ...{ 'intake.idleSeconds': 1, 'intake.stopGigabytes': 0, 'intake.warnGigabytes': 0, 'worklist.freshSeconds': 0 },
    },
  }
  const ready = (await say({ now: Date.parse(`${DAY}T02:00:00Z`), open })) as PicturedReady
  return {
    ...ready,
    putClock: async (time) => void (await say({ now: Date.parse(`${DAY}T${time}:00Z`) })),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

interface PicturedPartner extends AsyncDisposable {
  readonly url: string
  /** Answers the next report with an error, as a partner does whose own database is away. */
  failNextReport(): void
}

/** It believes every signature: those of another day are too old for a careful partner. */
async function openPartner(): Promise<PicturedPartner> {
  let isFailing = false
  const script = scriptOf(
    (day) => worklistDay(day, { withBadRows: true }),
    () => TODAY,
  )
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const { type, data } = JSON.parse(Buffer.concat(chunks).toString()) as Envelope
    const fails = isFailing && type === 'report.delivered'
    if (fails) isFailing = false
    const answer = fails ? { error: 'The database of the partner is away.' } : (script[type] as (given: unknown) => unknown)(data)
    response.writeHead(fails ? 503 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    failNextReport() {
      isFailing = true
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
