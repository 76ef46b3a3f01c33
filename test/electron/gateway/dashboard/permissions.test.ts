import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PERMISSIONS } from '#gateway/dashboard/permissions.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { LEVELS, type Level } from '#shared/contract/people.ts'
import { openTestDashboard, type TestDashboard, type TestWindow } from './dashboard-fixture.ts'

let gateway: TestDashboard
const windows = {} as Record<Level, TestWindow>
beforeAll(async () => {
  gateway = await openTestDashboard()
  for (const level of LEVELS) windows[level] = await gateway.signedIn(level)
})
afterAll(() => gateway[Symbol.asyncDispose]())

const names = (Object.keys(dashboard) as (keyof typeof dashboard)[]).filter((name) => PERMISSIONS[name] !== 'public')
const ask = (window: TestWindow, name: keyof typeof dashboard, headers?: Record<string, string>) => {
  const { method, path } = dashboard[name]
  const filled = path.replace(':deviceId', randomUUID()).replace(':inspectionId', '1').replace(':use', 'https')
  return window.call(method, filled, method === 'GET' || method === 'DELETE' ? undefined : { nonsense: true }, headers)
}

describe.each(names)('%s', (name) => {
  it('is for nobody without a session', async () => {
    const answer = await ask(gateway.openWindow(), name)
    expect([answer.status, Problem.parse(answer.json).code]).toEqual([401, 'not-signed-in'])
  })

  it.each(LEVELS)('keeps to the level of an %s', async (level) => {
    const answer = await ask(windows[level], name)
    if (level === 'member' && PERMISSIONS[name].startsWith('manage'))
      expect(Problem.parse(answer.json)).toMatchObject({ status: 403, code: 'not-permitted' })
    else expect([401, 403]).not.toContain(answer.status)
  })

  it('is refused to a page of another origin', async () => {
    const answer = await ask(windows.owner, name, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })
    expect([answer.status, Problem.parse(answer.json).code]).toEqual([403, 'not-permitted'])
  })
})

it('leaves to members what a technologist does, and to owner and admin what changes the gateway', () => {
  const managed = names.filter((name) => PERMISSIONS[name].startsWith('manage'))
  expect(managed).toEqual([
    'addDevice',
    'updateDevice',
    'removeDevice',
    'echoDevice',
    'lintDevice',
    'callers',
    'approveCaller',
    'dismissCaller',
    'partner',
    'setPartner',
    'testPartner',
    'certificates',
    'renewCertificate',
    'settings',
    'changeSettings',
    'audit',
    'verifyAudit',
    'acknowledgeAudit',
  ])
})

it('takes what an open window asks by itself for no sign of a person', async () => {
  const looksOf = async (name: keyof typeof dashboard) => {
    gateway.uses.length = 0
    await ask(windows.owner, name)
    return gateway.uses
  }
  for (const name of ['session', 'status', 'feed'] as const) expect(await looksOf(name)).toEqual(['background'])
  for (const name of ['devices', 'inspections', 'addDevice'] as const) expect(await looksOf(name)).toEqual(['person'])
})
