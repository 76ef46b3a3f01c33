import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { tempStore } from '../../../support/temp-store.ts'

function trail(entries: number) {
  const temp = tempStore()
  for (let i = 1; i <= entries; i++) {
    temp.clock.pass(1000)
    temp.store.audit.append({
      actor: 'user:usr_1',
      action: 'device.add',
      target: `device ${i}`,
      detail: { number: i },
    })
  }
  return temp
}

const NO_TRIGGERS = `drop trigger auditEntriesKeepWhatTheySay; drop trigger auditEntriesStay; drop trigger auditHeadStays;`

/** Somebody with the file and SQL, but without the data key. */
function tamper(folder: string, statements: string): void {
  const sqlite = new Sqlite(join(folder, DATABASE_FILE))
  sqlite.exec(`${NO_TRIGGERS} ${statements}`)
  sqlite.close()
}

describe('the audit trail', () => {
  it('lists what was appended, newest first, in pages', () => {
    using temp = trail(5)
    const first = temp.store.audit.list({ limit: 2 })
    expect(first.items).toEqual([
      {
        seq: 5,
        at: '2026-03-10T09:00:05.000Z',
        actor: 'user:usr_1',
        action: 'device.add',
        target: 'device 5',
        detail: { number: 5 },
      },
      {
        seq: 4,
        at: '2026-03-10T09:00:04.000Z',
        actor: 'user:usr_1',
        action: 'device.add',
        target: 'device 4',
        detail: { number: 4 },
      },
    ])
    const second = temp.store.audit.list({ limit: 2, cursor: first.cursor })
    const third = temp.store.audit.list({ limit: 2, cursor: second.cursor })
    expect([...second.items, ...third.items].map((entry) => entry.seq)).toEqual([3, 2, 1])
    expect(third).toMatchObject({ hasMore: false })
  })

  it('is intact, empty or not, and after opening it again', () => {
    using none = trail(0)
    expect(none.store.audit.verify()).toEqual({ isIntact: true, entries: 0 })
    using temp = trail(3)
    expect(temp.store.audit.verify()).toEqual({ isIntact: true, entries: 3 })
    expect(
      temp.store.audit.append({ actor: 'gateway', action: 'start', target: '', detail: null }),
    ).toBe(4)
    expect(temp.store.audit.verify()).toEqual({ isIntact: true, entries: 4 })
  })

  it('has no row of what was rolled back, and no gap', () => {
    using temp = trail(1)
    expect(() =>
      temp.store.database.transaction(() => {
        temp.store.audit.append({ actor: 'gateway', action: 'never', target: '', detail: {} })
        throw new Error('rolled back')
      }),
    ).toThrow('rolled back')
    expect(
      temp.store.audit.append({ actor: 'gateway', action: 'then', target: '', detail: {} }),
    ).toBe(2)
    expect(temp.store.audit.verify()).toEqual({ isIntact: true, entries: 2 })
  })

  it('lets no statement change or delete an entry', () => {
    using temp = trail(2)
    const { database } = temp.store
    expect(() =>
      database.run(database.sql.updateTable('auditEntries').set({ actor: 'nobody' })),
    ).toThrow('the audit trail is append-only')
    expect(() => database.run(database.sql.deleteFrom('auditEntries'))).toThrow(
      'the audit trail is append-only',
    )
    expect(temp.store.audit.verify()).toEqual({ isIntact: true, entries: 2 })
  })

  const TAMPERING: [what: string, statements: string, seq: number][] = [
    ['a changed actor', `update auditEntries set actor = 'user:usr_2' where seq = 2`, 2],
    ['a changed time', `update auditEntries set at = '2026-03-10T08:00:00.000Z' where seq = 3`, 3],
    ['a changed detail', `update auditEntries set sealedDetail = x'00' where seq = 2`, 2],
    ['a changed hash', `update auditEntries set hash = zeroblob(32) where seq = 4`, 4],
    ['a missing entry', `delete from auditEntries where seq = 3`, 3],
    ['a missing first entry', `delete from auditEntries where seq = 1`, 1],
    ['a missing last entry', `delete from auditEntries where seq = 5`, 5],
    ['a missing tail', `delete from auditEntries where seq > 2`, 3],
    ['an empty trail', `delete from auditEntries`, 1],
    [
      'two entries that changed places',
      `update auditEntries set seq = 100 where seq = 2; update auditEntries set seq = 2 where seq = 3; update auditEntries set seq = 3 where seq = 100`,
      2,
    ],
    [
      'an added entry',
      `insert into auditEntries select 6, at, actor, action, target, sealedDetail, hash from auditEntries where seq = 5`,
      6,
    ],
    ['a head that is gone', `delete from auditHead`, 1],
    ['a head that is not ours', `update auditHead set sealed = zeroblob(100)`, 5],
  ]
  it.each(TAMPERING)('shows %s', (_what, statements, seq) => {
    using temp = trail(5)
    tamper(temp.folder, statements)
    expect(temp.store.audit.verify()).toMatchObject({ isIntact: false, seq })
    const chain = temp.store.audit.chain()
    let verdict = chain.advance(1)
    while (!verdict) verdict = chain.advance(1)
    expect(verdict).toMatchObject({ isIntact: false, seq })
  })

  it('follows entries that are appended while it is verified, a portion at a time', () => {
    using temp = trail(4)
    const chain = temp.store.audit.chain()
    expect([chain.advance(2), chain.entries]).toEqual([undefined, 2])
    temp.store.audit.append({ actor: 'gateway', action: 'start', target: '', detail: null })
    expect([chain.advance(2), chain.entries]).toEqual([undefined, 4])
    expect([chain.advance(2), chain.entries]).toEqual([{ isIntact: true, entries: 5 }, 5])
  })

  it('is searched by who, what, on what and when, also where its head is gone', () => {
    using temp = trail(5)
    temp.store.audit.append({
      actor: 'gateway',
      action: 'Report.Sign',
      target: 'rep_1',
      detail: {},
    })
    tamper(temp.folder, 'delete from auditHead')
    const found = (filter: Parameters<typeof temp.store.audit.search>[0]) =>
      temp.store.audit
        .search(filter, { before: Number.MAX_SAFE_INTEGER, limit: 10 })
        .items.map(({ seq }) => seq)
    expect(found({})).toEqual([6, 5, 4, 3, 2, 1])
    expect(found({ actor: 'GATE' })).toEqual([6])
    expect(found({ action: 'report.' })).toEqual([6])
    expect(found({ target: 'device 3' })).toEqual([3])
    expect(found({ action: '%' })).toEqual([])
    expect(found({ from: '2026-03-10T09:00:02.000Z', to: '2026-03-10T09:00:04.000Z' })).toEqual([
      3, 2,
    ])
  })

  it('tells a search where it goes on', () => {
    using temp = trail(5)
    const first = temp.store.audit.search({}, { before: Number.MAX_SAFE_INTEGER, limit: 2 })
    expect([first.items.map(({ seq }) => seq), first.next]).toEqual([[5, 4], 4])
    const rest = temp.store.audit.search({}, { before: 4, limit: 3 })
    expect([rest.items.map(({ seq }) => seq), rest.next]).toEqual([[3, 2, 1], undefined])
  })

  it('shows a chain that was rewritten from a changed entry on, as it ends in another hash', async () => {
    const { createHash } = await import('node:crypto')
    using temp = trail(3)
    const sqlite = new Sqlite(join(temp.folder, DATABASE_FILE))
    sqlite.exec(
      `drop trigger auditEntriesKeepWhatTheySay; update auditEntries set actor = 'user:usr_2' where seq = 2`,
    )
    const rows = sqlite.prepare('select * from auditEntries order by seq').all() as Record<
      string,
      string | number | Buffer
    >[]
    let previous = '0'.repeat(64)
    for (const row of rows) {
      const canonical = [
        row.seq,
        row.at,
        row.actor,
        row.action,
        row.target,
        (row.sealedDetail as Buffer).toString('base64'),
      ]
      previous = createHash('sha256')
        .update(previous)
        .update(JSON.stringify(canonical))
        .digest('hex')
      sqlite
        .prepare('update auditEntries set hash = ? where seq = ?')
        .run(Buffer.from(previous, 'hex'), row.seq)
    }
    sqlite.close()
    expect(temp.store.audit.verify()).toMatchObject({ isIntact: false, seq: 3 })
  })

  it('shows the rest of a page when one detail cannot be opened', () => {
    using temp = trail(2)
    tamper(temp.folder, `update auditEntries set sealedDetail = x'00' where seq = 1`)
    expect(temp.store.audit.list({ limit: 10 }).items.map((entry) => entry.detail)).toEqual([
      { number: 2 },
      { unreadable: true },
    ])
  })
})
