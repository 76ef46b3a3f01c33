import { afterEach, beforeEach, expect, it } from 'vitest'
import { Problem } from '#shared/contract/conventions.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { openTestDashboard, type TestDashboard, type TestWindow } from './dashboard-fixture.ts'

let gateway: TestDashboard
let owner: TestWindow
beforeEach(async () => {
  gateway = await openTestDashboard()
  owner = await gateway.signedIn('owner')
})
afterEach(() => gateway[Symbol.asyncDispose]())

it('is read newest first, page by page', async () => {
  await owner.call('PATCH', '/dashboard/settings', { settings: { 'clinic.name': 'North' } })
  const [user] = gateway.people.list()
  const first = dashboard.audit.reply.parse((await owner.call('GET', '/dashboard/audit?limit=2')).json)
  expect(first.entries).toEqual([
    {
      seq: 3,
      at: '2026-11-20T09:00:00.000Z',
      actor: `user:${user?.userId}`,
      action: 'setting.change',
      target: 'clinic.name',
      detail: { before: '', after: 'North' },
    },
    expect.objectContaining({ seq: 2, action: 'user.sign-in' }),
  ])
  const second = await owner.call('GET', `/dashboard/audit?limit=2&cursor=${first.cursor}`)
  expect(second.json).toMatchObject({ entries: [{ seq: 1, actor: 'command-line', action: 'user.create' }], hasMore: false })
})

it('refuses a cursor that is not one of its own', async () => {
  const answer = await owner.call('GET', '/dashboard/audit?cursor=e30')
  expect([answer.status, Problem.parse(answer.json).errors[0]?.path]).toEqual([400, 'query.cursor'])
})
