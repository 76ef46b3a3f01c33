import { describe, expect, it } from 'vitest'
import { type HealthCheck, serveHealth } from '#server/modules/diagnostics/health-route.ts'
import { selfSignedCertificate } from '../../../../support/certificate.ts'
import { httpCall } from '../../../../support/http-call.ts'
import { openTestServer } from '../../http/http-fixture.ts'

const WELL: readonly HealthCheck[] = [
  { name: 'database', isOk: true, detail: '' },
  { name: 'disk', isOk: true, detail: '' },
]
const FULL = {
  name: 'disk',
  isOk: false,
  detail: 'There is too little disk space to receive images.',
}

const watched = (
  checks: () => readonly HealthCheck[] = () => WELL,
  tls?: ReturnType<typeof selfSignedCertificate>,
) =>
  openTestServer({
    ...(tls && { tls }),
    register: (app) =>
      serveHealth(app, checks, {
        text: async () => ({ contentType: 'text/plain; version=0.0.4', text: 'isthmus_up 1\n' }),
      }),
  })

describe('what programs that watch the gateway are told', () => {
  it('answers /healthz while the event loop turns, to anyone', async () => {
    await using server = await watched()
    const { status, text, headers } = await httpCall(`${server.url}/healthz`)
    expect({ status, text, cache: headers['cache-control'] }).toEqual({
      status: 200,
      text: 'ok\n',
      cache: 'no-store',
    })
    expect((await httpCall(`${server.url}/healthz`, { method: 'HEAD' })).status).toBe(200)
  })

  it('answers /readyz with 200 where every check holds, else with 503 and what does not', async () => {
    let checks = WELL
    await using server = await watched(() => checks)
    expect(await httpCall(`${server.url}/readyz`)).toMatchObject({
      status: 200,
      json: { ready: true, checks: [{ name: 'database', ok: true, detail: '' }, { name: 'disk' }] },
    })
    checks = [WELL[0] as HealthCheck, FULL]
    expect(await httpCall(`${server.url}/readyz`)).toMatchObject({
      status: 503,
      json: {
        ready: false,
        checks: [{ ok: true }, { name: 'disk', ok: false, detail: FULL.detail }],
      },
    })
  })

  it('gives its metrics to programs on this PC, by the plain listener alone', async () => {
    await using server = await watched()
    expect(await httpCall(`${server.url}/metrics`)).toMatchObject({
      status: 200,
      text: 'isthmus_up 1\n',
    })
    for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip'])
      expect(
        (await httpCall(`${server.url}/metrics`, { headers: { [header]: '10.0.0.9' } })).status,
      ).toBe(404)
    expect((await httpCall(`${server.url}/metrics`, { from: '127.0.0.2' })).status).toBe(404)

    const tls = selfSignedCertificate(['localhost'])
    await using secure = await watched(undefined, tls)
    const call = (path: string) =>
      httpCall(`${secure.url.replace('127.0.0.1', 'localhost')}${path}`, {
        ca: tls.cert,
        headers: { host: 'localhost' },
      })
    expect((await call('/metrics')).status).toBe(404)
    expect((await call('/healthz')).status).toBe(200)
    expect((await call('/readyz')).status).toBe(200)
  })

  it('takes nothing, and answers under no foreign host name', async () => {
    await using server = await watched()
    const posted = await httpCall(`${server.url}/healthz`, { method: 'POST', json: {} })
    expect({ status: posted.status, allow: posted.headers.allow }).toEqual({
      status: 405,
      allow: 'GET, HEAD',
    })
    expect(
      (await httpCall(`${server.url}/metrics`, { headers: { host: 'evil.example' } })).status,
    ).toBe(421)
  })
})
