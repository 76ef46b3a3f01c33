import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Context, openContext } from '#server/context.ts'
import type { SessionUse } from '#server/http/callers.ts'
import type { Certificates } from '#server/http/certificates.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { createFeed, type Feed } from '#server/live-events/feed.ts'
import { AuditTrail } from '#server/modules/audit/audit-trail.ts'
import { serveAudit } from '#server/modules/audit/routes.ts'
import * as customerService from '#server/modules/customers/service.ts'
import { type LiveState, serveStatus } from '#server/modules/dashboard/status.ts'
import { serveDevices } from '#server/modules/devices/routes.ts'
import type { Forwarding } from '#server/modules/forwarding/forwarding.ts'
import { serveDestinations } from '#server/modules/forwarding/routes.ts'
import { forecastOf } from '#server/modules/images/disk-forecast.ts'
import { serveImages } from '#server/modules/images/image-routes.ts'
import type { Quarantine } from '#server/modules/images/quarantine.ts'
import type { ImageRecovery } from '#server/modules/images/recovery.ts'
import type { StudyCreation } from '#server/modules/images/study-creation.ts'
import { servePartner } from '#server/modules/partners/routes.ts'
import { serveSettings } from '#server/modules/settings/routes.ts'
import { findUser, updateUser } from '#server/modules/users/queries.ts'
import { serveSessions, sessionReply, sessionsOf } from '#server/modules/users/session-routes.ts'
import type { InspectionRecord } from '#server/modules/worklist/inspection-queries.ts'
import { serveWorklist } from '#server/modules/worklist/routes.ts'
import type { Worklist } from '#server/modules/worklist/worklist.ts'
import type { Requester } from '#server/webhooks/request.ts'
import { Problem } from '#shared/contract/conventions.ts'
import type { Certificate, Status } from '#shared/contract/dashboard.ts'
import type { Destination, PriorRetrieval } from '#shared/contract/destinations.ts'
import type { Level, SignedInUser } from '#shared/contract/people.ts'
import type { Inspection } from '#shared/contract/worklist.ts'
import { verbatim } from '#shared/messages/message.ts'
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
import { openTestServer } from '../../http/http-fixture.ts'

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
    ...{ sent: 6, withheld: 1, tookMs: 412, sentence: verbatim('CT1 asked for today; 6 sent.') },
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
  detail: null,
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
  ...{ isAutomatic: false, modalities: [], hasPriors: true, confirmsStorage: false },
  createdAt: '2026-11-20T08:00:00.000Z',
  updatedAt: '2026-11-20T08:00:00.000Z',
  queue: { waiting: 0, sent: 0, failed: 0 },
  ...{ lastError: null, lastSentAt: null, nextAttemptAt: null },
  ...more,
})

const pull = (destinationId: string, studyInstanceUid: string): PriorRetrieval => ({
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
  ...{ detail: null, startedAt: '2026-11-20T09:00:00.000Z', endedAt: null },
})

const FORWARDING: Partial<Forwarding> = {
  list: () => ({ destinations: [destination()], native: { isAvailable: true, detail: null } }),
  add: (made) => destination(made),
  update: () => destination(),
  remove: () => ({ success: true }),
  echo: async () => ({ success: true, message: verbatim('The destination answers.'), tookMs: 4 }),
  studies: () => ({ items: [] }),
  instances: () => ({ items: [] }),
  send: () => ({ success: true }),
  retry: async () => ({ success: true }),
  drop: async () => ({ success: true }),
  findPriors: async () => ({ studies: [], tookMs: 9 }),
  pull,
  pulls: { list: () => [] as PriorRetrieval[] } as Forwarding['pulls'],
}

const done = async () => ({ success: true, message: '', decided: 1, left: 0 })
const IMAGES = {
  retry: async (_studyInstanceUid: string) => {},
  release: done,
  discard: done,
  releaseGroup: done,
  discardGroup: done,
  restoreVersion: () => ({ success: true }),
}
const RECOVERY = {
  files: () => ({ items: [] }),
  import: async () => ({ imported: 1, failed: 0, problem: '', next: null }),
  discard: async () => ({ success: true }),
} as unknown as ImageRecovery

type ImageCalls = Pick<
  Quarantine,
  'release' | 'discard' | 'releaseGroup' | 'discardGroup' | 'restoreVersion'
> &
  Pick<StudyCreation, 'retry'>

interface DashboardParts {
  readonly images?: Partial<ImageCalls>
  readonly worklist?: Partial<Worklist>
  readonly echo?: Parameters<typeof serveDevices>[2]
  readonly forwarding?: Partial<Forwarding>
  /** Declares more of the window's calls. */
  readonly serve?: (app: HttpApp, on: { readonly store: Context; readonly feed: Feed }) => void
}

/**
 * The dashboard on a real store, a real domain and a real listener; the other slices are functions.
 */
export async function openTestDashboard(
  live: Partial<LiveState> = {},
  { images = {}, forwarding = {}, worklist = {}, echo, serve }: DashboardParts = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-dashboard-'))
  let now = START
  const clock = () => now
  prepareDataFolder(folder)
  const feed = createFeed({ clock, coalesceMs: 1 })
  const store = { ...openContext({ folder, clock, uuid: randomUUID }), feed }
  store.settings.set('clinic.timeZone', 'Europe/Berlin')
  const deps = { store, clock, uuid: randomUUID }
  const people = peopleOf(store)

  const customers = bound(customerService, deps.store)
  const auditTrail = new AuditTrail(deps.store)
  const filled: LiveState = {
    auditTrail,
    listeners: () => [
      { name: 'dimse', address: '0.0.0.0:11112', aeTitle: 'ISTHMUS', isUp: true, detail: null },
    ],
    partner: () => ({
      url: null,
      state: 'unset',
      fault: null,
      detail: null,
      lastOkAt: null,
      downSince: null,
    }),
    openAssociations: () => 3,
    collectorFault: () => undefined,
    storage: () => STORAGE,
    forecast: () => forecastOf(STORAGE, 5e9, []),
    recoveredFiles: () => 0,
    correctionNotices: () => ({ count: 0, since: null }),
    forwards: () => ({ waiting: 2, failed: 0 }),
    undelivered: () => ({ count: 0, since: null, fault: null, disabledEndpoints: [] }),
    keyStore: () => undefined,
    certificates: () => [certificate()],
    examsToday: async () => {
      throw new Error('no exams are asked for here')
    },
    firstReconciledDay: () => '2026-11-20',
    ...live,
  }
  const certificates = {
    list: () => [certificate()],
    renew: (use) => certificate({ use, fingerprint256: '0B' }),
  } satisfies Partial<Certificates>
  const answering = {
    ask: async () => inspection(),
    lint: async (device) => ({
      profile: device.profile,
      source: '',
      inspectionId: 7,
      rows: 0,
      refused: 0,
      findings: [],
    }),
    ...worklist,
  } satisfies Partial<Worklist>
  const uses: SessionUse[] = []
  const { onClosed: _, ...sessions } = sessionsOf(store)
  const server = await openTestServer({
    hosts: () => ({
      publicUrl: deps.store.settings.get('http.publicUrl'),
      allowedHosts: deps.store.settings.get('http.allowedHosts'),
    }),
    sessions: {
      ...sessions,
      userOf(token, use) {
        uses.push(use)
        return sessions.userOf(token, use)
      },
    },
    register(app) {
      const calls = { ...IMAGES, ...images } as unknown as Quarantine & StudyCreation
      serveImages(app, store, calls, calls, RECOVERY)
      serveDestinations(app, store, { ...FORWARDING, ...forwarding } as Forwarding)
      serve?.(app, { store, feed })
      serveSessions(app, store, people, sessionReply(store, '0.1.0'), {
        signOut: async () => null,
      })
      serveStatus(app, store, filled)
      serveWorklist(app, store, answering as Worklist)
      serveDevices(
        app,
        store,
        echo ??
          (async () => ({ success: true, message: verbatim('The device answers.'), tookMs: 4 })),
      )
      servePartner(app, store, {
        request: async () => ({ items: 24, tookMs: 12 }),
      } as unknown as Requester)
      serveSettings(app, store, certificates as unknown as Certificates)
      serveAudit(app, store, auditTrail)
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

      customers,
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
