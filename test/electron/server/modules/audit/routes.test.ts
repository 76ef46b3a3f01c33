import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { allUsers } from '#server/modules/users/queries.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import {
  openTestDashboard,
  type TestDashboard,
  type TestWindow,
} from '../dashboard/dashboard-fixture.ts'

let gateway: TestDashboard
let owner: TestWindow
beforeEach(async () => {
  gateway = await openTestDashboard()
  owner = await gateway.signedIn('owner')
})
afterEach(() => gateway[Symbol.asyncDispose]())

it('is read newest first, page by page', async () => {
  await owner.call('PATCH', '/dashboard/settings', { settings: { 'clinic.name': 'North' } })
  const [user] = allUsers(gateway.store.database)
  const first = dashboard.audit.reply.parse(
    (await owner.call('GET', '/dashboard/audit?limit=2')).json,
  )
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
  expect(second.json).toMatchObject({
    entries: [{ seq: 1, actor: 'command-line', action: 'user.create' }],
    hasMore: false,
  })
})

it('refuses a cursor that is not one of its own', async () => {
  const answer = await owner.call('GET', '/dashboard/audit?cursor=e30')
  expect([answer.status, Problem.parse(answer.json).errors[0]?.path]).toEqual([400, 'query.cursor'])
})

it('is searched by who did what on what, and when', async () => {
  await owner.call('PATCH', '/dashboard/settings', { settings: { 'clinic.name': 'North' } })
  gateway.advance(60_000)
  await owner.call('PATCH', '/dashboard/settings', { settings: { 'clinic.name': 'South' } })
  const found = async (query: string) =>
    dashboard.audit.reply
      .parse((await owner.call('GET', `/dashboard/audit?${query}`)).json)
      .entries.map(({ seq }) => seq)
  expect(await found('action=setting.')).toEqual([4, 3])
  expect(await found('action=setting.&from=2026-11-20T09:00:30.000Z')).toEqual([4])
  expect(await found('to=2026-11-20T09:00:30.000Z&actor=command-line')).toEqual([1])
  expect(await found('target=clinic.name&actor=')).toEqual([4, 3])
  expect(await found('target=nothing')).toEqual([])
  const first = dashboard.audit.reply.parse(
    (await owner.call('GET', '/dashboard/audit?action=setting&limit=1')).json,
  )
  expect([first.entries.map(({ seq }) => seq), first.hasMore]).toEqual([[4], true])
  expect(await found(`action=setting&limit=1&cursor=${first.cursor}`)).toEqual([3])
})

it('is verified by a button, which is kept too', async () => {
  const answer = dashboard.verifyAudit.reply.parse(
    (await owner.call('POST', '/dashboard/audit/verify')).json,
  )
  expect(answer).toEqual({
    ...{ isIntact: true, entries: 2, firstBadSeq: null, at: '2026-11-20T09:00:00.000Z', tookMs: 0 },
    ...{ finding: null, missing: 0, isRecorded: false },
  })
  expect(gateway.store.audit.list({ limit: 1 }).items[0]).toMatchObject({
    action: 'audit.verify',
    detail: { isIntact: true, entries: 2 },
  })
})

describe('when the database was changed behind its back', () => {
  const change = (statements: string) => {
    const sqlite = new Sqlite(join(gateway.store.folder, DATABASE_FILE))
    sqlite.exec(statements)
    sqlite.close()
  }
  beforeEach(() =>
    change(
      `drop trigger auditEntriesKeepWhatTheySay; update auditEntries set actor = 'user:nobody' where seq = 1`,
    ),
  )

  it('says at which entry, and every screen says so', async () => {
    expect((await owner.call('POST', '/dashboard/audit/verify')).json).toMatchObject({
      isIntact: false,
      firstBadSeq: 1,
    })
    const { banner } = dashboard.status.reply.parse(
      (await owner.call('GET', '/dashboard/status')).json,
    )
    expect(banner).toMatchObject({
      tone: 'danger',
      text: expect.stringContaining('The audit log is broken at entry 1'),
    })
  })

  it('can still be read, verified, written on and saved when its end was changed too', async () => {
    change('update auditHead set sealed = zeroblob(100)')
    expect((await owner.call('GET', '/dashboard/audit')).status).toBe(200)
    expect((await owner.call('POST', '/dashboard/audit/verify')).json).toMatchObject({
      isIntact: false,
    })
    const lines = (await owner.call('GET', '/dashboard/audit/export?format=jsonl')).text
      .trim()
      .split('\n')
    const added = lines
      .map((line) => JSON.parse(line))
      .map(({ action, target }) => `${action} ${target}`)
    expect(added.slice(2)).toEqual([
      'audit.finding head-unreadable',
      'audit.finding triggers',
      'audit.verify ',
      'audit.export ',
    ])
  })
})

describe('a finding', () => {
  const acknowledge = (reason: string) =>
    owner.call('POST', '/dashboard/audit/acknowledge', { reason })

  it('is shown until it is acknowledged with a reason, and stays in the trail', async () => {
    expect((await acknowledge('nothing to see')).status).toBe(422)
    const sqlite = new Sqlite(join(gateway.store.folder, DATABASE_FILE))
    sqlite.exec('drop trigger auditEntriesStay')
    sqlite.close()
    const found = (await owner.call('POST', '/dashboard/audit/verify')).json
    expect(found).toMatchObject({
      isIntact: false,
      finding: 'triggers',
      firstBadSeq: 3,
      isRecorded: true,
    })
    const banner = async () =>
      dashboard.status.reply.parse((await owner.call('GET', '/dashboard/status')).json).banner
    expect(await banner()).toMatchObject({
      tone: 'danger',
      text: expect.stringContaining('tampered with (see entry 3)'),
    })
    expect((await acknowledge(' ')).status).toBe(400)
    expect((await acknowledge('Test of the protection')).json).toMatchObject({
      isIntact: true,
      finding: null,
    })
    expect((await banner())?.text ?? '').not.toContain('audit')
    const { items } = gateway.store.audit.list({ limit: 10 })
    expect(items.map(({ action }) => action)).toContain('audit.finding')
    expect(items[0]).toMatchObject({
      action: 'audit.acknowledge',
      detail: { finding: 'triggers', seq: 3, reason: 'Test of the protection' },
    })
  })
})

describe('as a file', () => {
  it('is CSV with a row for each entry, the last of which says who took it', async () => {
    await owner.call('PATCH', '/dashboard/settings', { settings: { 'clinic.name': 'a "b", c' } })
    gateway.store.audit.append({ actor: '=cmd', action: 'test', target: '+1', detail: null })
    const answer = await owner.call('GET', '/dashboard/audit/export?format=csv')
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="isthmus-audit-2026-11-20.csv"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    const lines = answer.text.replace('\ufeff', '').split('\r\n')
    expect(lines[0]).toBe('seq,at,actor,action,target,detail,hash')
    expect(lines[3]).toMatch(
      /^3,2026-11-20T09:00:00\.000Z,user:usr_\w+,setting\.change,clinic\.name,"/,
    )
    expect(lines[3]).toContain(String.raw`""after"":""a \""b\"", c""}"`)
    expect(lines[4]).toMatch(/^4,[^,]+,'=cmd,test,'\+1,null,[0-9a-f]{64}$/)
    expect(lines[5]).toMatch(/,audit\.export,,"\{""format"":""csv""/)
    expect(lines.slice(6)).toEqual([''])
  })

  it('is JSON Lines with all that the chain is of', async () => {
    const { text } = await owner.call('GET', '/dashboard/audit/export?format=jsonl')
    const rows = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    let hash = '0'.repeat(64)
    for (const { seq, at, actor, action, target, sealedDetail, hash: said } of rows) {
      hash = createHmac('sha256', gateway.store.database.seal.keyFor('audit chain'))
        .update(hash)
        .update(JSON.stringify([seq, at, actor, action, target, sealedDetail]))
        .digest('hex')
      expect(said).toBe(hash)
    }
    expect(rows.at(-1)).toMatchObject({
      action: 'audit.export',
      detail: { format: 'jsonl', from: null, to: null },
    })
  })

  it('is a span of time when asked, over many portions', async () => {
    gateway.store.settings.set('window.lockMinutes', 60)
    gateway.store.database.transaction(() => {
      for (let i = 0; i < 600; i++) {
        gateway.advance(1000)
        gateway.store.audit.append({
          actor: 'gateway',
          action: 'test',
          target: String(i),
          detail: {},
        })
      }
    })
    const span = 'from=2026-11-20T09:00:11.000Z&to=2026-11-20T09:09:00.000Z'
    const { text } = await owner.call('GET', `/dashboard/audit/export?format=jsonl&${span}`)
    const targets = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).target)
    expect([targets.length, targets[0], targets.at(-1)]).toEqual([529, '10', '538'])
  })

  it('is refused to members, to strangers, to other sites, and in no other form', async () => {
    const member = await gateway.signedIn('member')
    const path = '/dashboard/audit/export?format=csv'
    expect((await member.call('GET', path)).status).toBe(403)
    expect((await gateway.openWindow().call('GET', path)).status).toBe(401)
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await owner.call('GET', path, undefined, foreign)).status).toBe(403)
    const wrong = await owner.call('GET', '/dashboard/audit/export?format=xml&from=yesterday')
    expect([wrong.status, Problem.parse(wrong.json).errors.map((fault) => fault.path)]).toEqual([
      400,
      ['query.format', 'query.from'],
    ])
    expect((await owner.call('POST', path, {})).status).toBe(405)
    expect(
      gateway.store.audit
        .list({ limit: 100 })
        .items.some(({ action }) => action === 'audit.export'),
    ).toBe(false)
  })
})
