import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveDashboard } from '#gateway/dashboard/dashboard.ts'
import { createFeed } from '#gateway/dashboard/feed.ts'
import type { DashboardPorts } from '#gateway/dashboard/ports.ts'
import { sessionsOf } from '#gateway/dashboard/session.ts'
import { openClosedSteps } from '#gateway/domain/closed-steps.ts'
import { openDevices } from '#gateway/domain/devices.ts'
import { openDowntime } from '#gateway/domain/downtime.ts'
import { openPartnerEndpoint } from '#gateway/domain/partner-endpoint.ts'
import { openPeople } from '#gateway/domain/people.ts'
import { openSettings } from '#gateway/domain/settings.ts'
import { openHttpServer } from '#gateway/http/server.ts'
import type { SessionUse } from '#gateway/http/sessions.ts'
import type { InspectionRecord } from '#gateway/store/inspections.ts'
import { openStore } from '#gateway/store/store.ts'
import type { Level } from '#shared/contract/people.ts'
import type { Inspection } from '#shared/contract/worklist.ts'
import { type HttpAnswer, type HttpCall, httpCall, OWN_PAGE } from '../../../support/http-call.ts'

export const START = Date.parse('2026-11-20T09:00:00.000Z')
export const PASSWORD = 'a long and quiet evening'

/** What a window is: its cookie, and the proof that it is ours with each call. */
export interface TestWindow {
  readonly cookie: () => string
  call(method: string, path: string, json?: unknown, headers?: Record<string, string>): Promise<HttpAnswer>
}

export const record = (more: Partial<InspectionRecord> = {}): InspectionRecord => ({
  at: '2026-11-20T08:55:00.000Z',
  origin: 'device',
  deviceName: 'CT room 1',
  callingAeTitle: 'CT1',
  calledAeTitle: 'ISTHMUS',
  remoteAddress: '10.0.3.7',
  source: 'live',
  status: '0000',
  errorComment: '',
  fault: null,
  sent: 6,
  filtered: 2,
  withheld: 1,
  tookMs: 412,
  partnerMs: 400,
  sentence: 'CT1 asked for today; 6 sent.',
  transferSyntax: '1.2.840.10008.1.2',
  detail: Buffer.from('{}'),
  answerHash: null,
  verdictHash: null,
  ...more,
})

export const inspection = (more: Partial<Inspection> = {}): Inspection => {
  const { detail: _, answerHash: __, verdictHash: ___, ...summary } = record()
  return { ...summary, inspectionId: 7, keys: [], question: null, remarks: [], partner: null, rows: [], rowsTotal: 0, ...more }
}

/** The dashboard on a real store, a real domain and a real listener; the other slices are functions. */
export async function openTestDashboard(ports: Partial<DashboardPorts> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-dashboard-'))
  let now = START
  const clock = () => now
  const store = openStore({ folder, clock, uuid: randomUUID })
  store.settings.set('clinic.timeZone', 'Europe/Berlin')
  const deps = { store, clock, uuid: randomUUID }
  const people = openPeople({ ...deps, passwordCost: { logN: 10, r: 8, p: 1 } })
  const settings = openSettings(deps)
  const devices = openDevices(deps)
  const downtime = openDowntime(deps)
  const partnerEndpoint = openPartnerEndpoint({ ...deps, settings })
  const closedSteps = openClosedSteps(deps)
  const feed = createFeed({ clock, statusMs: 1 })
  const filled: DashboardPorts = {
    askWorklist: async () => inspection(),
    inspection: async () => undefined,
    listenerStatus: () => [{ name: 'dimse', address: '0.0.0.0:11112', aeTitle: 'ISTHMUS', isUp: true, detail: '' }],
    partnerStatus: () => ({ url: null, state: 'unset', fault: null, detail: '', lastOkAt: null, downSince: null }),
    testPartner: async () => ({ success: true, message: 'The partner answered.', tookMs: 12, items: 24 }),
    openAssociations: () => 3,
    feed,
    ...ports,
  }
  const uses: SessionUse[] = []
  const server = await openHttpServer({
    host: '127.0.0.1',
    port: 0,
    log: { error: () => {} },
    uuid: randomUUID,
    allowedHosts: () => settings.get('http.allowedHosts'),
    publicUrl: () => settings.get('http.publicUrl'),
    pageFolder: join(folder, 'no-page'),
    sessions: sessionsOf({
      sessionOf(token, use) {
        uses.push(use)
        return people.sessionOf(token)
      },
    }),
    register: (app) =>
      serveDashboard(app, {
        store,
        clock,
        version: '0.1.0',
        people,
        devices,
        settings,
        partnerEndpoint,
        downtime,
        closedSteps,
        ports: filled,
      }),
  })

  /** A window without a session until it signs in. */
  function openWindow(): TestWindow {
    let cookie = ''
    return {
      cookie: () => cookie,
      async call(method, path, json, headers) {
        const call: HttpCall = { method, headers: { ...OWN_PAGE, ...(cookie && { cookie }), ...headers }, json }
        const answer = await httpCall(server.url + path, call)
        const set = answer.headers['set-cookie']?.[0]
        if (set) cookie = set.split(';')[0] ?? ''
        return answer
      },
    }
  }

  async function signedIn(level: Level): Promise<TestWindow> {
    const email = `${level}-${randomUUID()}@clinic.example`
    await people.createUser(
      { email, firstName: 'Vera', lastName: level, level, clinicRole: 'Imaging Technologist', password: PASSWORD },
      'command-line',
    )
    const window = openWindow()
    await window.call('POST', '/dashboard/session', { email, password: PASSWORD })
    return window
  }

  return {
    /** `uses` is how sessions were looked at, call by call. */
    ...{ server, store, people, uses, settings, devices, downtime, feed, openWindow, signedIn },
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
