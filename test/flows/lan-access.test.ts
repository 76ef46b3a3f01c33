import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardSecurity, type LanAccess } from '#shared/contract/dashboard-security.ts'
import { openEventSource } from '../support/event-source.ts'
import { freePort } from '../support/free-port.ts'
import { OWNER, type StartedGateway, sessionHeaders, startGateway } from '../support/gateway.ts'
import { type HttpAnswer, type HttpCall, httpCall, OWN_PAGE } from '../support/http-call.ts'
import { textOf } from '../support/saying.ts'

// The listener is at 127.0.0.1. Another PC is this one at 127.0.0.2: the two ends of a call of its
// own have one address, these have two.
const ELSEWHERE = '127.0.0.2'

/** A browser: it keeps its cookies, as their names and prefixes demand. */
function openBrowser(from: string) {
  const cookies = new Map<string, string>()
  const call = async (
    method: string,
    path: string,
    json?: unknown,
    more: HttpCall = {},
  ): Promise<HttpAnswer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...OWN_PAGE, ...(cookie && { cookie }), ...more.headers }
    const answer = await httpCall(`${https()}${path}`, {
      method,
      from,
      ca: certificate(),
      json,
      ...more,
      headers,
    })
    for (const set of answer.headers['set-cookie'] ?? []) {
      const [name = '', value = ''] = (set.split(';')[0] ?? '').split('=')
      cookies.set(name, value)
    }
    return answer
  }
  return { call, cookies }
}
const codeOf = (answer: HttpAnswer) => [
  answer.status,
  answer.status >= 400 ? Problem.parse(answer.json).code : '',
]

let gateway: StartedGateway
let key = ''
let port = 0
const https = () => `https://127.0.0.1:${port}`
const certificate = () => readFileSync(join(gateway.folder, 'tls', 'cert.pem'), 'utf8')
const open = (body: { isOn: boolean; host?: string; port?: number }): Promise<LanAccess> =>
  gateway.call(dashboardSecurity.setLanAccess, { body })

beforeAll(async () => {
  port = await freePort()
  gateway = await startGateway({
    partner: null,
    overrides: { 'https.host': '127.0.0.1', 'https.port': port },
    prepare: (context) => {
      key = createApiKey(
        context,
        { description: 'RIS', isViewerEnabled: true, scope: 'all' },
        'command-line',
      ).key
    },
  })
})
afterAll(() => gateway[Symbol.asyncDispose]())

describe('the window on other PCs', () => {
  it('is closed at first, and opened without a restart', async () => {
    expect(await gateway.call(dashboardSecurity.lanAccess, {})).toMatchObject({
      isOn: false,
      isUp: false,
      urls: [],
      fingerprint256: '',
    })
    await expect(httpCall(https(), { ca: '' })).rejects.toThrow('ECONNREFUSED')
    const lan = await open({ isOn: true })
    expect(lan).toMatchObject({
      isOn: true,
      isUp: true,
      detail: null,
      urls: [`${https()}/`],
      workstations: [],
    })
    expect(lan.fingerprint256).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
    const here = await openBrowser('127.0.0.1').call('GET', '/dashboard/workstation')
    expect([here.status, here.json]).toMatchObject([200, { state: 'here', code: '' }])
    expect(here.headers['strict-transport-security']).toBeUndefined()
  })

  it('opens on a PC once it was approved, with cookies that only this host can have set', async () => {
    const browser = openBrowser(ELSEWHERE)
    // What is no call loads: the page itself says what to do.
    expect((await browser.call('GET', '/')).status).not.toBe(403)
    for (const path of [
      '/dashboard/session',
      '/dashboard/status',
      '/dashboard/feed/events',
      '/dashboard/audit/export?format=csv',
    ])
      expect([path, ...codeOf(await browser.call('GET', path))]).toEqual([
        path,
        403,
        'workstation-unknown',
      ])
    expect(codeOf(await browser.call('POST', '/dashboard/session', OWNER))).toEqual([
      403,
      'workstation-unknown',
    ])
    expect((await browser.call('GET', '/dashboard/workstation')).json).toMatchObject({
      state: 'unknown',
      code: '',
    })

    const asked = await browser.call('POST', '/dashboard/workstation', { name: 'Reading room 2' })
    expect(asked.json).toMatchObject({ state: 'asking', name: 'Reading room 2' })
    expect(asked.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^__Host-isthmus-workstation-\d+=[\w-]{43}; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ])
    expect(codeOf(await browser.call('GET', '/dashboard/session'))).toEqual([
      403,
      'workstation-unknown',
    ])
    const [asking] = (await gateway.call(dashboardSecurity.lanAccess, {})).workstations
    expect(asking).toMatchObject({
      state: 'asking',
      address: ELSEWHERE,
      code: (asked.json as { code: string }).code,
    })

    const params = { workstationId: asking?.workstationId ?? '' }
    await gateway.call(dashboardSecurity.approveWorkstation, { params, body: {} })
    expect((await browser.call('GET', '/dashboard/workstation')).json).toMatchObject({
      state: 'approved',
      code: '',
    })
    const signedIn = await browser.call('POST', '/dashboard/session', OWNER)
    expect(signedIn.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^__Host-isthmus-session-\d+=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ])
    expect((await browser.call('GET', '/dashboard/status')).status).toBe(200)
    expect((await browser.call('GET', '/v1/express')).status).toBe(200)
    const { sessions } = await gateway.call(dashboardSecurity.sessions, {})
    expect(sessions.map(({ place, address }) => [place, address])).toContainEqual([
      'Reading room 2',
      ELSEWHERE,
    ])

    // A session that was carried to another PC opens nothing there, and the cookie of the plain
    // listener nothing here.
    const [name, session] = [...browser.cookies].find(([cookie]) =>
      cookie.startsWith('__Host-isthmus-session-'),
    ) ?? ['', '']
    const thief = openBrowser('127.0.0.3')
    thief.cookies.set(name, session)
    for (const path of ['/dashboard/status', '/v1/express'])
      expect(codeOf(await thief.call('GET', path))).toEqual([403, 'workstation-unknown'])
    const plain = openBrowser('127.0.0.1')
    for (const cookie of [name.replace('__Host-', ''), 'isthmus-session'])
      plain.cookies.set(cookie, session)
    expect(codeOf(await plain.call('GET', '/dashboard/status'))).toEqual([401, 'not-signed-in'])
  })

  it('is an event for open windows when a PC asks, as are audit entries and closed exams', async () => {
    const source = await openEventSource(
      `${gateway.http}/dashboard/feed/events`,
      await sessionHeaders(gateway.http, OWNER),
    )
    const wanted = new Set(['access', 'audit', 'exams'])
    const heard = (async () => {
      while (wanted.size > 0) wanted.delete((await source.next()).event)
    })()
    await openBrowser('127.0.0.5').call('POST', '/dashboard/workstation', {
      name: 'Reading room 5',
    })
    await gateway.call(dashboard.closeStep, {
      body: { studyInstanceUid: '2.25.1', scheduledProcedureStepId: 'S1' },
    })
    await heard
    source.close()
  })

  it('asks no approval of partners and of who has a link', async () => {
    const stranger = openBrowser('127.0.0.4')
    const headers = { authorization: `Bearer ${key}` }
    expect((await stranger.call('GET', '/v1/express', undefined, { headers })).status).toBe(200)
    const token = 'x'.repeat(43)
    expect(codeOf(await stranger.call('POST', '/dashboard/invitation', { token }))).toEqual([
      422,
      'refused',
    ])
    expect(codeOf(await stranger.call('POST', '/viewer/sessions', { token }))).toEqual([
      422,
      'refused',
    ])
    const pdf = await stranger.call(
      'GET',
      `/reports/rep_${'0'.repeat(32)}/pdf?expires=1&signature=x`,
    )
    expect(codeOf(pdf)).toEqual([403, 'not-permitted'])
  })

  it('ends at a PC that is removed, its stream at once', async () => {
    const browser = openBrowser('127.0.0.5')
    await browser.call('POST', '/dashboard/workstation', { name: 'Front desk' })
    const found = (await gateway.call(dashboardSecurity.lanAccess, {})).workstations.find(
      ({ name }) => name === 'Front desk',
    )
    const params = { workstationId: found?.workstationId ?? '' }
    await gateway.call(dashboardSecurity.approveWorkstation, { params, body: { name: 'Desk' } })
    await browser.call('POST', '/dashboard/session', OWNER)
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const ended = new Promise<void>((settle, fail) => {
      const options = {
        ca: certificate(),
        servername: '',
        agent: false,
        localAddress: '127.0.0.5',
        headers: { ...OWN_PAGE, cookie },
      }
      request(`${https()}/dashboard/feed/events`, options, (answer) => {
        answer.once(
          'data',
          () => void gateway.call(dashboardSecurity.removeWorkstation, { params }).catch(fail),
        )
        answer.on('end', settle).resume()
      })
        .on('error', fail)
        .end()
    })
    await ended
    expect(codeOf(await browser.call('GET', '/dashboard/status'))).toEqual([
      403,
      'workstation-unknown',
    ])
    const { sessions } = await gateway.call(dashboardSecurity.sessions, {})
    expect(sessions.map(({ place }) => place)).not.toContain('Desk')
  })

  it('says why it could not be opened, and opens at another port', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const taken = (holder.address() as AddressInfo).port
    const lan = await open({ isOn: true, port: taken })
    expect(lan).toMatchObject({ isOn: true, isUp: false, urls: [], fingerprint256: '' })
    expect(textOf(lan.detail)).toMatch(
      new RegExp(
        `^The HTTPS listener cannot use 127\\.0\\.0\\.1:${taken}: .+ already uses that port\\.`,
      ),
    )
    holder.close()
    await once(holder, 'close')
    port = await freePort()
    expect(await open({ isOn: true, port })).toMatchObject({ isUp: true, detail: null, port })
    expect((await openBrowser('127.0.0.1').call('GET', '/dashboard/workstation')).status).toBe(200)
  })

  it('can be closed from a window that it shows, which still gets its answer', async () => {
    const browser = openBrowser('127.0.0.1')
    await browser.call('POST', '/dashboard/session', OWNER)
    const closed = await browser.call('PUT', '/dashboard/lan', { isOn: false })
    expect([closed.status, closed.json]).toMatchObject([200, { isOn: false, isUp: false }])
    await expect(httpCall(https(), { ca: certificate() })).rejects.toThrow('ECONNREFUSED')
  })
})
