import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openContext } from '#server/context.ts'
import type { HttpApp, SessionUse } from '#server/http/http-app.ts'
import { openHttpServer } from '#server/http/server.ts'
import type { DomainDeps } from '#server/modules/audit/audit.ts'
import { openAuditTrail } from '#server/modules/audit/audit-trail.ts'
import * as customerService from '#server/modules/customers/service.ts'
import { serveDashboard } from '#server/modules/dashboard/dashboard.ts'
import { createFeed, type Feed } from '#server/modules/dashboard/feed.ts'
import type { DashboardPorts, ImagePorts } from '#server/modules/dashboard/ports.ts'
import { openDevices } from '#server/modules/devices/devices.ts'
import type { Forwarding } from '#server/modules/forwarding/forwarding.ts'
import { serveDestinations } from '#server/modules/forwarding/routes.ts'
import { serveDashboardImages } from '#server/modules/images/image-routes.ts'
import { openImageStudies } from '#server/modules/images/image-studies.ts'
import { openClosedSteps } from '#server/modules/procedure-steps/closed-steps.ts'
import { openSettings, type Settings } from '#server/modules/settings/settings.ts'
import { findUser, updateUser } from '#server/modules/users/queries.ts'
import { sessionsOf } from '#server/modules/users/session-routes.ts'
import { openDowntime } from '#server/modules/worklist/downtime.ts'
import type { InspectionRecord } from '#server/modules/worklist/inspection-queries.ts'
import { Problem } from '#shared/contract/conventions.ts'
import type { Certificate, Status } from '#shared/contract/dashboard.ts'
import type { Destination, Pull } from '#shared/contract/destinations.ts'
import type { Level, SignedInUser } from '#shared/contract/people.ts'
import type { Inspection } from '#shared/contract/worklist.ts'
import { bound } from '../../../../support/bound.ts'
import {
  type HttpAnswer,
  type HttpCall,
  httpCall,
  OWN_PAGE,
} from '../../../../support/http-call.ts'
import { inspectionRecord } from '../../../../support/inspection-record.ts'
import { peopleOf } from '../../../../support/people.ts'
import { prepareDataFolder } from '../../../../support/temp-store.ts'

export const START = Date.parse('2026-11-20T09:00:00.000Z')
export const PASSWORD = 'a long and quiet evening'

/** What a window is: its cookie, and the proof that it is ours with each call. */
export interface TestWindow {
  readonly cookie: () => string
  call(
    method: string,
    path: string,
    json?: unknown,
    headers?: Record<string, string>,
  ): Promise<HttpAnswer>
}

export const record = (more: Partial<InspectionRecord> = {}): InspectionRecord =>
  inspectionRecord('2026-11-20T08:55:00.000Z', {
    ...{ deviceName: 'CT room 1', transferSyntax: '1.2.840.10008.1.2', detail: Buffer.from('{}') },
    ...{ sent: 6, withheld: 1, tookMs: 412, sentence: 'CT1 asked for today; 6 sent.' },
    ...more,
  })

export const inspection = (more: Partial<Inspection> = {}): Inspection => {
  const { detail: _, answerHash: __, verdictHash: ___, ...summary } = record()
  return {
    ...summary,
    inspectionId: 7,
    repeats: 0,
    lastAt: null,
    keys: [],
    question: null,
    remarks: [],
    partner: null,
    rows: [],
    rowsTotal: 0,
    ...more,
  }
}

export const STORAGE: Status['storage'] = {
  state: 'ok',
  freeBytes: 400_000_000_000,
  totalBytes: 500_000_000_000,
  detail: '',
}

export const certificate = (more: Partial<Certificate> = {}): Certificate => ({
  use: 'https',
  isInUse: true,
  subject: 'CN=Isthmus',
  issuer: 'CN=Isthmus',
  isSelfMade: true,
  fingerprint256: '0A',
  notBefore: '2026-11-19T09:00:00.000Z',
  notAfter: '2028-11-19T09:00:00.000Z',
  daysLeft: 730,
  pem: 'PEM',
  ...more,
})

export const destination = (more: Partial<Destination> = {}): Destination => ({
  destinationId: '0d4b0a6e-5b0e-4c55-8f0e-3f3c1a2b4c5d',
  ...{
    name: 'PACS',
    aeTitle: 'PACS',
    host: '10.0.0.9',
    port: 104,
    isTls: false,
    certificate: null,
    isEnabled: true,
  },
  ...{ isAutomatic: false, modalities: [], hasPriors: true },
  createdAt: '2026-11-20T08:00:00.000Z',
  updatedAt: '2026-11-20T08:00:00.000Z',
  queue: { waiting: 0, sent: 0, failed: 0 },
  ...{ lastError: '', lastSentAt: null, nextAttemptAt: null },
  ...more,
})

const pull = (destinationId: string, studyInstanceUid: string): Pull => ({
  ...{
    pullId: 'p1',
    destinationId,
    destinationName: 'PACS',
    studyInstanceUid,
    ...{
      patientName: 'Probe^Paula',
      patientId: 'P1',
      studyDescription: 'CT',
      studyDate: '20200101',
    },
    state: 'running',
    completed: 0,
    failed: 0,
    remaining: 0,
  },
  ...{ detail: '', startedAt: '2026-11-20T09:00:00.000Z', endedAt: null },
})

const FORWARDING: Partial<Forwarding> = {
  list: () => ({ destinations: [destination()], native: { isAvailable: true, detail: '' } }),
  add: (made) => destination(made),
  update: () => destination(),
  remove: () => ({ success: true }),
  echo: async () => ({ success: true, message: 'The destination answers.', tookMs: 4 }),
  studies: () => ({ items: [] }),
  instances: () => ({ items: [] }),
  send: () => ({ success: true }),
  retry: async () => ({ success: true }),
  drop: async () => ({ success: true }),
  findPriors: async () => ({ studies: [], tookMs: 9 }),
  pull,
  pulls: () => [],
}

const IMAGES: ImagePorts = {
  retryEnrichment: async () => {},
  releaseInstance: async () => ({ success: true }),
  discardInstance: async () => ({ success: true }),
  releaseGroup: async () => ({ success: true, message: '', decided: 1, left: 0 }),
  discardGroup: async () => ({ success: true, message: '', decided: 1, left: 0 }),
  restoreVersion: () => ({ success: true }),
  recovery: {
    files: () => ({ items: [] }),
    describe: async () => {
      throw new Error('there is no such file')
    },
    import: async () => ({ imported: 1, failed: 0, problem: '', next: null }),
    discard: async () => ({ success: true }),
  },
}

interface DashboardParts {
  readonly images?: Partial<ImagePorts>
  readonly forwarding?: Partial<Forwarding>
  /** Declares more of the window's calls. */
  readonly serve?: (
    app: HttpApp,
    on: { readonly deps: DomainDeps; readonly settings: Settings; readonly feed: Feed },
  ) => void
}

/**
 * The dashboard on a real store, a real domain and a real listener; the other slices are functions.
 */
export async function openTestDashboard(
  ports: Partial<DashboardPorts> = {},
  { images = {}, forwarding = {}, serve }: DashboardParts = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-dashboard-'))
  let now = START
  const clock = () => now
  prepareDataFolder(folder)
  const store = openContext({ folder, clock, uuid: randomUUID })
  store.settings.set('clinic.timeZone', 'Europe/Berlin')
  const deps = { store, clock, uuid: randomUUID }
  const people = peopleOf(store)
  const settings = openSettings(deps)
  const devices = openDevices(deps)
  const downtime = openDowntime(deps)
  const closedSteps = openClosedSteps(deps)
  const customers = bound(customerService, deps.store)
  const auditTrail = openAuditTrail(deps)
  const feed = createFeed({ clock, statusMs: 1 })
  const filled: DashboardPorts = {
    askWorklist: async () => inspection(),
    lint: async (device) => ({
      profile: device.profile,
      source: '',
      inspectionId: 7,
      rows: 0,
      refused: 0,
      findings: [],
    }),
    echoDevice: async () => ({ success: true, message: 'The device answers.', tookMs: 4 }),
    inspection: async () => undefined,
    listenerStatus: () => [
      { name: 'dimse', address: '0.0.0.0:11112', aeTitle: 'ISTHMUS', isUp: true, detail: '' },
    ],
    partnerStatus: () => ({
      url: null,
      state: 'unset',
      fault: null,
      detail: '',
      lastOkAt: null,
      downSince: null,
    }),
    testPartner: async () => ({
      success: true,
      message: 'The partner answered.',
      tookMs: 12,
      items: 24,
    }),
    openAssociations: () => 3,
    collectorFault: () => undefined,
    storage: () => STORAGE,
    recoveredFiles: () => 0,
    correctionNotices: () => ({ count: 0, since: null }),
    forwards: () => ({ waiting: 2, failed: 0 }),
    undelivered: () => ({ count: 0, since: null, fault: null, switchedOff: [] }),
    certificates: () => [certificate()],
    renewCertificate: (use) => certificate({ use, fingerprint256: '0B' }),
    feed,
    ...ports,
  }
  const uses: SessionUse[] = []
  const { onClosed: _, ...sessions } = sessionsOf(store)
  const server = await openHttpServer({
    host: '127.0.0.1',
    port: 0,
    log: { error: () => {} },
    uuid: randomUUID,
    allowedHosts: () => settings.get('http.allowedHosts'),
    publicUrl: () => settings.get('http.publicUrl'),
    pageFolder: join(folder, 'no-page'),
    sessions: {
      ...sessions,
      userOf(token, use) {
        uses.push(use)
        return sessions.userOf(token, use)
      },
    },
    register(app) {
      const about = {
        store,
        imageStudies: openImageStudies(deps),
        feed,
      }
      serveDashboardImages(app, { ...about, ports: { ...IMAGES, ...images } })
      const given = { ...FORWARDING, ...forwarding } as Forwarding
      serveDestinations(app, store, about.imageStudies, feed, given)
      serve?.(app, { deps, settings, feed })
      serveDashboard(app, {
        store,
        clock,
        version: '0.1.0',
        people,
        devices,
        settings,
        downtime,
        closedSteps,
        auditTrail,
        ports: filled,
      })
    },
  })

  /** A window without a session until it signs in. */
  function openWindow(): TestWindow {
    let cookie = ''
    return {
      cookie: () => cookie,
      async call(method, path, json, headers) {
        const call: HttpCall = {
          method,
          headers: { ...OWN_PAGE, ...(cookie && { cookie }), ...headers },
          json,
        }
        const answer = await httpCall(server.url + path, call)
        const set = answer.headers['set-cookie']?.[0]
        if (set) cookie = set.split(';')[0] ?? ''
        return answer
      },
    }
  }

  async function signedIn(
    level: Level,
    prepare: (user: SignedInUser) => void = () => {},
  ): Promise<TestWindow> {
    const email = `${level}-${randomUUID()}@clinic.example`
    const user = await people.createUser(
      {
        email,
        firstName: 'Vera',
        lastName: level,
        level,
        clinicRole: 'Imaging Technologist',
        password: PASSWORD,
      },
      'command-line',
    )
    prepare(user)
    const window = openWindow()
    await window.call('POST', '/dashboard/session', { email, password: PASSWORD })
    return window
  }

  return {
    /** `uses` is how sessions were looked at, call by call. */
    ...{
      deps,
      server,
      store,
      people,
      uses,
      settings,
      devices,
      customers,
      downtime,
      feed,
      openWindow,
      signedIn,
    },
    advance: (ms: number) => {
      now += ms
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      store[Symbol.dispose]()
      rmSync(folder, { recursive: true })
    },
  }
}
export type TestDashboard = Awaited<ReturnType<typeof openTestDashboard>>

/** What a call is refused with. */
export const codeOf = ({ status, json }: Pick<HttpAnswer, 'status' | 'json'>) => [
  status,
  Problem.parse(json).code,
]

/** Gives the person the right to manage studies. */
export const mayManage =
  ({ store }: TestDashboard) =>
  ({ userId }: SignedInUser): void => {
    const user = findUser(store.database, userId)
    if (user) updateUser(store.database, { ...user, canManageStudies: true })
  }
