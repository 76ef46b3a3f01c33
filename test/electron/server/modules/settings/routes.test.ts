import { afterEach, beforeEach, expect, it } from 'vitest'
import { Problem } from '#shared/contract/conventions.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { SETTING_KEYS } from '#shared/contract/settings.ts'
import { httpCall } from '../../../../support/http-call.ts'
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

const change = (settings: unknown) => admin.call('PATCH', '/dashboard/settings', { settings })

it('shows every setting with its first value and what it does', async () => {
  const { settings } = dashboard.settings.reply.parse(
    (await admin.call('GET', '/dashboard/settings')).json,
  )
  expect(settings.map((row) => row.key)).toEqual(SETTING_KEYS)
  expect(settings.find((row) => row.key === 'dimse.port')).toEqual({
    key: 'dimse.port',
    value: 11112,
    initial: 11112,
    about: 'TCP port of the DICOM listener.',
    needsRestart: true,
  })
  expect(settings.find((row) => row.key === 'worklist.maxRows')).toMatchObject({
    needsRestart: false,
  })
})

it('changes several, which hold at once', async () => {
  const answer = await change({ 'worklist.daysBack': 3, 'http.allowedHosts': ['gw.local'] })
  expect(answer.status).toBe(200)
  const { settings } = dashboard.changeSettings.reply.parse(answer.json)
  expect(settings.find((row) => row.key === 'worklist.daysBack')).toMatchObject({
    value: 3,
    initial: 1,
  })
  const named = await httpCall(`${gateway.server.url}/dashboard/session`, {
    headers: { host: 'gw.local:8042' },
  })
  expect(named.status).toBe(200)
})

it('changes all or none, naming each at fault', async () => {
  const answer = await change({
    'worklist.daysBack': 3,
    'worklist.daysForward': 99,
    'dimse.colour': 'blue',
  })
  expect(answer.status).toBe(400)
  expect(Problem.parse(answer.json).errors.map(({ path }) => path)).toEqual([
    'body.settings.worklist.daysForward',
    'body.settings.dimse.colour',
  ])
  expect(gateway.store.settings.get('worklist.daysBack')).toBe(1)
})

it('tells the open windows that something changed', async () => {
  const news: string[] = []
  const told = new Promise<void>((settle) => {
    gateway.feed.subscribe(({ kind }) => {
      news.push(kind)
      settle()
    })
  })
  await change({ 'clinic.name': 'North' })
  await told
  expect(news).toEqual(['status'])
})
