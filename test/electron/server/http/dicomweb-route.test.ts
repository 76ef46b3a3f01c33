import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ApiKeyCaller } from '#server/http/callers.ts'
import { serveDicomwebRoutes } from '#server/http/dicomweb-route.ts'
import type { HttpServer } from '#server/http/server.ts'
import type { DicomwebRight } from '#shared/contract/dashboard-people.ts'
import { type HttpCall, httpCall, OWN_PAGE } from '../../../support/http-call.ts'
import { tempStore } from '../../../support/temp-store.ts'
import { openTestServer, partnersWith, person, sessionsOf } from './http-fixture.ts'

const ORIGIN = 'https://ohif.example.org'
const keyOf = (right: DicomwebRight) => `Bearer key-${right}`
const callerOf = (key: string): ApiKeyCaller | undefined => {
  const dicomweb = /^key-(none|read|store|read-and-store)$/.exec(key)?.[1] as
    | DicomwebRight
    | undefined
  return (
    dicomweb && { kind: 'api-key', apiKeyId: key, scope: 'all', isViewerEnabled: true, dicomweb }
  )
}

let temp: ReturnType<typeof tempStore>
let server: HttpServer
beforeAll(async () => {
  temp = tempStore()
  const { settings } = temp.store
  server = await openTestServer({
    sessions: sessionsOf({ token: person({ level: 'owner' }) }),
    partners: partnersWith(temp.store, callerOf),
    register: (app) =>
      serveDicomwebRoutes(
        app,
        (['GET', 'POST'] as const).map((method) => ({
          ...({ method, path: '/studies', right: method === 'GET' ? 'read' : 'store' } as const),
          answer: () => ({ contentType: 'application/dicom+json', body: '[]' }),
        })),
        { origins: () => settings.get('dicomweb.origins'), maxParallel: () => 10 },
      ),
  })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  temp[Symbol.dispose]()
})

const call = (method: 'GET' | 'POST' | 'OPTIONS', headers: HttpCall['headers'] = {}) =>
  httpCall(`${server.url}/dicom-web/studies`, { method, headers })
const change = (settings: Record<string, unknown>) =>
  temp.store.settings.change(settings, 'command-line')

it('is off until it is switched on, whoever asks', async () => {
  const off = await call('GET', { authorization: keyOf('read') })
  expect([off.status, off.json]).toMatchObject([404, { code: 'not-found' }])
  expect(off.text).toContain('DICOMweb is switched off')
})

it('answers keys by their right, and nobody else', async () => {
  change({ 'dicomweb.isOn': true })
  const statuses = async (authorization: string) => [
    (await call('GET', { authorization })).status,
    (await call('POST', { authorization })).status,
  ]
  expect(await statuses(keyOf('none'))).toEqual([403, 403])
  expect(await statuses(keyOf('read'))).toEqual([200, 403])
  expect(await statuses(keyOf('store'))).toEqual([403, 200])
  expect(await statuses(keyOf('read-and-store'))).toEqual([200, 200])
  expect(await statuses('Bearer unknown')).toEqual([401, 401])

  const refused = await call('GET', { authorization: keyOf('store') })
  expect(refused.text).toContain('may not search and retrieve studies by DICOMweb')
  const missing = await call('GET')
  expect([missing.status, missing.headers['www-authenticate']]).toEqual([401, 'Bearer'])
  // The session of an owner of the window is no key.
  expect((await call('GET', { ...OWN_PAGE, cookie: 'isthmus-session=token' })).status).toBe(401)
})

it('lets pages of other origins call only where a setting names them', async () => {
  const asked = {
    origin: ORIGIN,
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'authorization',
  }
  const allowedOrigin = async (origin: string) =>
    (await call('OPTIONS', { ...asked, origin })).headers['access-control-allow-origin']
  expect(await allowedOrigin(ORIGIN)).toBeUndefined()
  change({ 'dicomweb.origins': [ORIGIN] })
  const preflight = await call('OPTIONS', asked)
  expect([preflight.status, preflight.headers]).toMatchObject([
    204,
    { 'access-control-allow-origin': ORIGIN, 'access-control-allow-headers': 'authorization' },
  ])
  expect(await allowedOrigin('https://other.example.org')).toBeUndefined()
  const answer = await call('GET', { origin: ORIGIN, authorization: keyOf('read') })
  expect(answer.headers).toMatchObject({ 'access-control-allow-origin': ORIGIN })
  // No cookie is ever sent along.
  expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
  // A refusal can be read by the page, too.
  const refused = await call('GET', { origin: ORIGIN })
  expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, ORIGIN])
})

it('counts the requests of each key by its own limit', async () => {
  change({ 'dicomweb.rateBurst': 3, 'dicomweb.ratePerSecond': 1 })
  const authorization = keyOf('read-and-store')
  const statuses: number[] = []
  for (let at = 0; at < 5; at++) statuses.push((await call('GET', { authorization })).status)
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0)
  expect((await call('GET', { authorization: keyOf('read') })).status).not.toBe(401)
})
