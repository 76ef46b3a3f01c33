import { afterEach, beforeEach, expect, it } from 'vitest'
import { Problem } from '#shared/contract/conventions.ts'
import { EVENT_TYPES } from '#shared/contract/webhooks.ts'
import {
  openTestDashboard,
  type TestDashboard,
  type TestWindow,
} from '../dashboard/dashboard-fixture.ts'

let gateway: TestDashboard
let admin: TestWindow
beforeEach(async () => {
  gateway = await openTestDashboard()
  admin = await gateway.signedIn('admin')
})
afterEach(() => gateway[Symbol.asyncDispose]())

const set = (json: unknown) => admin.call('PUT', '/dashboard/partner', json)

it('is unset at first', async () => {
  expect((await admin.call('GET', '/dashboard/partner')).json).toEqual({
    url: null,
    hasSecret: false,
    events: [],
    allowsPlaintext: false,
  })
})

it('shows a secret once, when it was made here', async () => {
  const made = await set({ url: 'https://partner.example/hooks' })
  expect(made.json).toEqual({
    url: 'https://partner.example/hooks',
    hasSecret: true,
    events: EVENT_TYPES,
    allowsPlaintext: false,
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
  })
  expect(made.headers['cache-control']).toBe('no-store')
  expect((await admin.call('GET', '/dashboard/partner')).text).not.toContain('whsec_')
  expect((await set({ url: 'https://partner.example/other' })).json).toMatchObject({
    url: 'https://partner.example/other',
    secret: null,
  })
})

it('refuses what is no address or secret of a partner', async () => {
  const faults = async (json: unknown) => {
    const answer = await set(json)
    return [answer.status, Problem.parse(answer.json).errors[0]?.path]
  }
  expect(await faults({ url: 'ftp://partner.example' })).toEqual([400, 'body.url'])
  expect(await faults({ url: 'https://user:word@partner.example' })).toEqual([400, 'body.url'])
  expect(await faults({ url: 'https://partner.example', secret: 'whsec_short' })).toEqual([
    400,
    'body.secret',
  ])
  expect(await faults({ url: 'http://10.0.0.5:8080/hooks' })).toEqual([422, 'body.allowPlaintext'])
  expect((await set({ url: 'http://10.0.0.5:8080/hooks', allowPlaintext: true })).status).toBe(200)
  expect(gateway.store.settings.get('partner.plaintextHosts')).toEqual(['10.0.0.5:8080'])
})

it('is asked as a test', async () => {
  const answer = await admin.call('POST', '/dashboard/partner/test')
  expect(answer.json).toEqual({
    success: true,
    message: 'The partner responded with 24 exams for today in 12 ms.',
    tookMs: 12,
    items: 24,
  })
})
