import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext } from '@playwright/test'
import { worklistDay } from '#electron/simulator/worklist-day.ts'
import { freePort } from '../support/free-port.ts'
import { type Archive, firstRow, type Image, sendImages, startArchive } from './modality.ts'
import { addSession, ask, createOwner, OWNER } from './stage.ts'
import { otherPc, post } from './stories.ts'
import { openViewerStage, phantomImages, type ViewerStage } from './viewer-stage.ts'

/** Somebody who may open the window. */
export const PEOPLE = ['owner', 'member', 'nobody'] as const
export type Who = (typeof PEOPLE)[number]

/** A clinic in the middle of its day: one gateway that has something to show on every screen. */
export interface Clinic extends AsyncDisposable {
  readonly stage: ViewerStage
  readonly archive: Archive
  readonly ids: Ids
  /** Signs somebody in to a browser. */
  enter(context: BrowserContext, who: Who): Promise<void>
  /** A call of the window by the owner. */
  call(method: string, path: string, body?: unknown): Promise<Reply>
  /** A new invitation's link. */
  invite(): Promise<string>
  /** A one-time link to the viewer, or to reading with dictation. */
  viewerLink(): Promise<string>
  readingLink(): Promise<string>
  /** The window by HTTPS from another PC. */
  readonly overLan: string
}
export interface Ids {
  readonly studyUid: string
  readonly mismatchUid: string
  readonly toRead: string
  readonly signed: string
  readonly viewer: string
  readonly customer: string
  readonly destination: string
  readonly association: string
  readonly inspection: string
  readonly event: string
  readonly device: string
  readonly member: string
}
// biome-ignore lint/suspicious/noExplicitAny: replies of many calls, read by the fixture alone
type Reply = any

const ROOT = '1.2.826.0.1.3680043.8.498.9000'
const MARLOWE = {
  patientName: 'Marlowe^Ottilie',
  patientId: 'MRN-40017',
  studyInstanceUid: `${ROOT}1`,
  accessionNumber: 'ACC-40017',
}
const STUDIES = [
  {
    number: 1,
    patientName: 'Marlowe^Ottilie',
    mrn: 'MRN-40017',
    dateOfBirth: '1971-05-03',
    sex: 'female',
    severity: 'stat',
  },
  {
    number: 2,
    patientName: 'Quillfeather^Ansgar^^Dr.',
    mrn: 'MRN-40018',
    dateOfBirth: '1958-01-01',
    sex: 'male',
    severity: 'high',
  },
  {
    number: 3,
    patientName: 'Tanaka^Ichiro=田中^一郎=たなか^いちろう',
    mrn: 'MRN-40019',
    dateOfBirth: '1990-12-31',
    sex: 'male',
    severity: 'normal',
  },
  {
    number: 4,
    patientName: 'Vandermolenbroek^Wilhelmina^Theodora',
    mrn: 'MRN-40020',
    dateOfBirth: '2019-02-28',
    sex: 'female',
    severity: 'normal',
  },
  {
    number: 5,
    patientName: 'Osei^Kwabena',
    mrn: 'MRN-40021',
    dateOfBirth: '1944-10-09',
    sex: 'other',
    severity: 'normal',
  },
] as const
const DESCRIPTIONS = [
  'CT thorax with contrast',
  'MR knee right',
  'CT head',
  'US abdomen',
  'DX chest PA and lateral',
]
const REPORT = 'Findings:\nThe lungs are clear.\n\nImpression:\nNo acute finding.'
const PEOPLE_NAMED = ['Olga Berg', 'Maja Novák', 'Hana Malá', 'Ivan Petrov', 'Edda Quist']
const CUSTOMERS = [
  'Harbour Orthopaedics',
  'Seven Oaks Family Practice',
  'St Brigid Emergency Department',
] as const
const MEMBER = { email: 'maja@clinic.example', password: 'eight early herons' }
const KEYS = ['Cloud RIS, production', 'Teleradiology night service'] as const

/**
 * Opens it, with everything in place.
 * @param timeZone of the clinic
 */
export async function openClinic(timeZone = 'local'): Promise<Clinic> {
  const stage = await openViewerStage({
    'modality_worklist.requested': ({ dateStart, dateEnd }) => ({
      authorized: true,
      items: daysOf(dateStart, dateEnd),
    }),
  })
  try {
    return await fill(stage, timeZone)
  } catch (error) {
    await stage[Symbol.asyncDispose]()
    throw error
  }
}

async function fill(stage: ViewerStage, timeZone: string): Promise<Clinic> {
  const settings = {
    'setup.isDone': 'true',
    'intake.idleSeconds': '1',
    'clinic.timeZone': timeZone,
    'window.lockMinutes': '60',
  }
  for (const [key, value] of Object.entries(settings))
    await stage.command('config', 'set', key, value)
  const cookies: Record<Exclude<Who, 'nobody'>, string> = {
    owner: await createOwner(stage),
    member: '',
  }
  const as = (who: Exclude<Who, 'nobody'>) => caller(stage.http, () => cookies[who])
  const call = as('owner')

  const { owner, member, linked } = await addPeople(stage, call, cookies)
  const devices = await addDevices(stage, call)
  const archive = await startArchive(stage)
  const studies = await addStudies(stage, call, { owner, member, linked })
  const mismatchUid = await receive(stage)
  const destination = await addDestinations(call, archive)
  await beSeen(stage, call)
  const backups = await backUp(call)
  const elsewhere = await openLan(call)

  const { associations } = await call('GET', 'associations?limit=50')
  const association =
    associations.find(({ counts }: Reply) => counts.queries > 0) ?? associations[0]
  const { inspections } = await call('GET', 'inspections')
  const { events } = await call('GET', 'events?limit=100')
  const report = events.find(({ type }: Reply) => type === 'report.delivered') ?? events[0]
  let number = 0
  return {
    stage,
    archive,
    overLan: `https://127.0.0.1:${elsewhere.port}`,
    ids: {
      studyUid: MARLOWE.studyInstanceUid,
      mismatchUid,
      ...studies,
      destination,
      association: association.associationId,
      inspection: String(inspections[0].inspectionId),
      event: report.eventId,
      device: devices[0] ?? '',
      member,
    },
    call,
    async enter(context, who) {
      if (who === 'nobody') return
      await addSession(context, stage.http, cookies[who])
    },
    async invite() {
      number += 1
      // A sweep of all screens takes longer than a confirmation of the identity lasts.
      await call('POST', 'session/confirm', { password: OWNER.password })
      const person = {
        firstName: 'Edda',
        lastName: 'Quist',
        email: `edda${number}@clinic.example`,
        ...RADIOLOGIST,
      }
      return (await call('POST', 'people', person)).link
    },
    viewerLink: () => stage.link(`${ROOT}7`),
    readingLink: async () => {
      const body = { studyInstanceUid: `${ROOT}4`, assignedToUserId: owner }
      return String((await stage.v1('POST', 'scribe/studies/reroute-url', body)).url)
    },
    async [Symbol.asyncDispose]() {
      await elsewhere[Symbol.asyncDispose]()
      await archive[Symbol.asyncDispose]()
      await stage[Symbol.asyncDispose]()
      rmSync(backups, { recursive: true, force: true })
    },
  }
}

/** What people, devices and the partner wrote here: the same in every language. */
export const WRITTEN: readonly string[] = [
  ...STUDIES.flatMap(({ patientName, mrn }) => [patientName, mrn]),
  ...DESCRIPTIONS,
  ...CUSTOMERS,
  ...KEYS,
  ...PEOPLE_NAMED,
  ...[
    REPORT,
    'Impression: No nodule.',
    'Cough for three weeks.',
    'New haemorrhage in the left hemisphere',
    'MR brain with contrast',
  ],
  ...[
    'Wrongham^Peter',
    'Nobody^Norbert',
    'CT Thorax',
    'Thorax 1.0',
    'North Clinic',
    'Cloud PACS',
    'Hospital PACS',
    'Old archive',
  ],
  ...[
    'CT thorax',
    'Findings A nodule of [size] mm. Impression [ ]',
    'Follow-up',
    'CT again in 3 months.',
    'Urgent ones',
    'My morning',
  ],
  ...[
    'CT, room 1',
    'CT, room 2',
    'MR, room 3',
    'Ultrasound, room 4',
    'XRAY9',
    'XRAY 9',
    'Night service',
    'Reading room 2',
  ],
  ...[
    'contract',
    'region',
    'North',
    'Dr. Example',
    'Modality Worklist',
    'Verification',
    'Simulated partner',
    'CT thorax (phantom)',
  ],
]

type Call = (method: string, path: string, body?: unknown) => Promise<Reply>

/** Calls as the window makes them. Paths are under `/dashboard/`, or `/v1/…`. */
function caller(http: string, cookie: () => string): Call {
  return async (method, path, body) => {
    const answer = await fetch(path.startsWith('/') ? http + path : `${http}/dashboard/${path}`, {
      method,
      headers: {
        cookie: cookie(),
        'x-isthmus-csrf': '1',
        origin: http,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
}

/** The cookie of a new session. */
async function sessionOf(
  http: string,
  path: string,
  body: object,
  method = 'POST',
): Promise<string> {
  const headers = { 'x-isthmus-csrf': '1', origin: http, 'content-type': 'application/json' }
  const answer = await fetch(`${http}/dashboard/${path}`, {
    method,
    headers,
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer.headers.getSetCookie().map((one) => one.split(';')[0] ?? '')[0] ?? ''
}

const RADIOLOGIST = {
  ...{
    level: 'member',
    clinicRole: 'Radiologist',
    canManageStudies: false,
    hasDashboardAccess: true,
    canCreateReports: true,
  },
  npiNumber: '1234567893',
} as const

async function addPeople(stage: ViewerStage, call: Call, cookies: { member: string }) {
  const { user } = await call('GET', 'session')
  await call('PATCH', `people/${user.userId}`, { canCreateReports: true, npiNumber: '1234567893' })
  const invite = (person: object) => call('POST', 'people', { ...RADIOLOGIST, ...person })
  const maja = await invite({ firstName: 'Maja', lastName: 'Novák', email: MEMBER.email })
  const tokenOf = (link: string) => new URL(link.replace('#/', '')).searchParams.get('token')
  cookies.member = await sessionOf(stage.http, 'invitation/accept', {
    token: tokenOf(maja.link),
    password: MEMBER.password,
  })
  const hana = await invite({
    firstName: 'Hana',
    lastName: 'Malá',
    email: 'hana@clinic.example',
    clinicRole: 'Imaging Technologist',
  })
  await sessionOf(stage.http, 'invitation/accept', {
    token: tokenOf(hana.link),
    password: MEMBER.password,
  })
  await call('POST', `people/${hana.person.userId}/revoke-access`)
  const ivan = await invite({
    firstName: 'Ivan',
    lastName: 'Petrov',
    email: 'ivan@clinic.example',
    clinicRole: 'Front Desk Operator',
  })
  for (const description of KEYS)
    await call('POST', 'api-keys', { description, isViewerEnabled: true })
  const { apiKeys } = await call('GET', 'api-keys')
  const night = apiKeys.find(({ description }: Reply) => description === KEYS[1])
  await call('POST', `api-keys/${night.apiKeyId}/revoke`)
  return {
    owner: user.userId as string,
    member: maja.person.userId as string,
    linked: ivan.person.userId as string,
  }
}

async function addDevices(stage: ViewerStage, call: Call): Promise<string[]> {
  const devices = [
    { aeTitle: 'CT1', name: 'CT, room 1', modality: 'CT', port: 11_104, profile: 'ge' },
    { aeTitle: 'CT2', name: 'CT, room 2', modality: 'CT' },
    { aeTitle: 'MR1', name: 'MR, room 3', modality: 'MR', characterSet: 'ISO_IR 100' },
    {
      ...{ aeTitle: 'US1', name: 'Ultrasound, room 4', modality: 'US' },
      ...{ isEnabled: false, retrieval: 'retrieve' },
    },
  ]
  const added = []
  for (const device of devices) added.push((await call('POST', 'devices', device)).deviceId)
  // Nobody knows the last one.
  for (const aeTitle of ['CT1', 'MR1', 'XRAY9']) await ask(stage, aeTitle)
  return added
}

async function addStudies(
  stage: ViewerStage,
  call: Call,
  { owner, member, linked }: Readonly<Record<'owner' | 'member' | 'linked', string>>,
) {
  const customers = []
  for (const expressCustomerName of CUSTOMERS) {
    const made = await call('POST', '/v1/express', {
      expressCustomerName,
      metadata: { contract: 'C-100', region: 'North' },
    })
    customers.push(made.expressCustomerId)
  }
  // Who is linked sees the studies of that customer alone.
  await call('POST', `/v1/express/${customers[0]}/users`, { userId: linked })
  await call('POST', `/v1/express/${customers[2]}/deactivate`)
  const made = []
  for (const { number, severity, ...patient } of STUDIES) {
    const body = {
      studyInstanceUid: `${ROOT}${number}`,
      studyDescription: DESCRIPTIONS[number - 1],
      severity,
      expressCustomerId: number === 5 ? undefined : customers[number % 2],
      reportMetadata: {
        ...patient,
        scanDate: '2026-11-20',
        scanTime: '10:40',
        facilityName: 'North Clinic',
        scanType: DESCRIPTIONS[number - 1]?.slice(0, 2),
      },
      priorReportTexts: ['Impression: No nodule.'],
      clinicalIndication: 'Cough for three weeks.',
      ...(number === 1 && {
        priorReports: [
          {
            reportText: REPORT,
            modality: 'CT',
            studyDate: '2025-03-12',
            studyDescription: 'CT thorax',
          },
        ],
      }),
    }
    made.push(String((await stage.v1('POST', 'scribe/studies', body)).studyId))
  }
  const [toRead = '', signed = '', second = '', third = '', cancelled = ''] = made
  await call('POST', `reading/${toRead}/assign`, { userId: owner })
  await call('POST', `reading/${third}/assign`, { userId: member })
  await sign(call, signed, false)
  await sign(call, second, true)
  await call('POST', '/v1/scribe/studies/cancel', { studyId: cancelled })
  const phantom = {
    seriesInstanceUid: `${ROOT}7.2`,
    slices: 12,
    patientName: 'Marlowe^Ottilie',
    patientId: 'MRN-40017',
  }
  stage.studies.add({
    studyInstanceUid: `${ROOT}7`,
    images: phantomImages({ studyInstanceUid: `${ROOT}7`, ...phantom }),
  })
  const viewer = await stage.addStudy(`${ROOT}7`, {
    severity: 'high',
    expressCustomerId: customers[0],
  })
  await stage.addStudy(`${ROOT}8`, {
    studyDescription: 'MR brain with contrast',
    assignedTo: owner,
  })
  const template = {
    kind: 'template',
    name: 'CT thorax',
    text: 'Findings\nA nodule of [size] mm.\n\nImpression\n[ ]\n',
    modalities: ['CT'],
  }
  await call('POST', 'templates', template)
  await call('POST', 'templates', {
    kind: 'macro',
    name: 'Follow-up',
    shortcut: 'fu',
    text: 'CT again in 3 months.',
    for: 'everybody',
  })
  const view = {
    list: 'studies',
    area: 'scribe',
    name: 'Urgent ones',
    filter: { severity: ['stat', 'high'] },
    order: 'priority',
  }
  await call('POST', 'saved-views', { ...view, isShared: true })
  await call('POST', 'saved-views', {
    ...view,
    list: 'reading',
    name: 'My morning',
    filter: { assignedTo: 'me' },
  })
  return { toRead, signed, viewer, customer: customers[1] as string }
}

async function sign(call: Call, studyId: string, isCritical: boolean): Promise<void> {
  const at = `reading/${studyId}/draft`
  const windowId = randomUUID()
  const { draft } = await call('POST', at, { windowId })
  const { revision } = await call('PUT', at, { windowId, revision: draft.revision, text: REPORT })
  const finding = isCritical ? { finding: 'New haemorrhage in the left hemisphere' } : {}
  const send = (acknowledged: string[]) =>
    call('POST', `${at}/sign`, { windowId, revision, isCritical, acknowledged, ...finding })
  const first = await send([])
  if (first.outcome === 'checks') await send(first.findings.map(({ check }: Reply) => check))
}

/**
 * Images of a study that is known, of the wrong patient, of no study, one that is set aside, one
 * that was replaced, and a file without a record.
 */
async function receive(stage: ViewerStage): Promise<string> {
  const send = (aeTitle: string, images: readonly Image[]) => sendImages(stage, aeTitle, images)
  await send(
    'CT1',
    [1, 2, 3].map((number) => ({ ...MARLOWE, number })),
  )
  const { studyInstanceUid, accessionNumber } = await firstRow(stage, 'CT1')
  await send('CT1', [
    {
      studyInstanceUid,
      accessionNumber,
      number: 1,
      patientName: 'Wrongham^Peter',
      patientId: 'MRN-99999',
    },
  ])
  await send('CT2', [{ ...MARLOWE, number: 1, pixel: '0009' }])
  await send('CT2', [
    {
      studyInstanceUid: `${ROOT}30`,
      number: 1,
      patientName: 'Nobody^Norbert',
      patientId: 'MRN-77777',
    },
  ])
  await send('CT1', [{ ...MARLOWE, number: 2, pixel: '0007' }])
  const [kept = ''] = readdirSync(join(stage.folder, 'images'), {
    recursive: true,
    encoding: 'utf8',
  }).filter((name) => name.endsWith('.dcm'))
  const recovered = join(stage.folder, 'recovery', 'ab', 'cd'.repeat(16))
  mkdirSync(recovered, { recursive: true })
  copyFileSync(join(stage.folder, 'images', kept), join(recovered, `${randomUUID()}.dcm`))
  return studyInstanceUid
}

async function addDestinations(call: Call, archive: Archive): Promise<string> {
  const add = (more: object) => call('POST', 'destinations', { host: '127.0.0.1', ...more })
  const pacs = await add({
    name: 'Hospital PACS',
    aeTitle: 'PACS',
    port: archive.port,
    hasPriors: true,
  })
  // Nobody listens there.
  const away = await add({ name: 'Old archive', aeTitle: 'OLDARCHIVE', port: 9 })
  const prior = {
    studyInstanceUid: `${ROOT}40`,
    patientName: 'Marlowe^Ottilie',
    patientId: 'MRN-40017',
  }
  await archive.take([1, 2].map((number) => ({ ...prior, number })))
  for (const { destinationId } of [pacs, away]) {
    await call('POST', `destinations/${destinationId}/send`, {
      studyInstanceUid: MARLOWE.studyInstanceUid,
    })
  }
  return away.destinationId
}

/** What the partner and the people of the clinic did until now. */
async function beSeen(stage: ViewerStage, call: Call): Promise<void> {
  const { devices } = await call('GET', 'devices')
  const device = devices.find(({ aeTitle }: Reply) => aeTitle === 'CT1')
  await call('POST', `devices/${device.deviceId}/lint`)
  await stage.v1('POST', 'viewer/studies/reroute-url', { studyInstanceUid: `${ROOT}7` })
  const { apiKeys } = await call('GET', 'api-keys')
  const of = apiKeys.find(({ description }: Reply) => description === KEYS[0])
  const made = await call('POST', 'endpoints', {
    ...{
      name: 'Night service',
      url: 'https://night.partner.example/hooks',
      events: ['report.delivered'],
      apiKeyId: of.apiKeyId,
    },
  })
  const { endpointId } = made.endpoint ?? made
  await call('PATCH', `endpoints/${endpointId}`, { isEnabled: false })
}

/** A backup in a folder of its own, which is given back. */
async function backUp(call: Call): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-backups-'))
  await call('PUT', 'setup/backup/folder', { folder })
  await call('POST', 'backups')
  for (;;) {
    const { running, last } = await call('GET', 'backups')
    if (running === null && last) return folder
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** The window is open to other PCs, and one asks. */
async function openLan(call: Call) {
  const port = await freePort()
  await call('PUT', 'lan', { isOn: true, host: '0.0.0.0', port })
  const other = await otherPc(port)
  await post(`https://127.0.0.1:${other.port}/dashboard/workstation`, { name: 'Reading room 2' })
  return other
}

/** The partner has a full day whatever day it is in the zone of the clinic. */
function daysOf(dateStart: string, dateEnd: string) {
  const [from, to] = [dateStart, dateEnd].map((day) => Date.parse(`${day}T00:00:00Z`)) as [
    number,
    number,
  ]
  const days = Array.from(
    { length: Math.min(31, (to - from) / 86_400_000 + 1) },
    (_, index) => new Date(from + index * 86_400_000),
  )
  return days.flatMap((day) =>
    worklistDay(day.toISOString().slice(0, 10).replaceAll('-', ''), { withBadRows: true }),
  )
}
