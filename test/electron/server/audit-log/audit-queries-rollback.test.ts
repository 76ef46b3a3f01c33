import { createHash, randomUUID } from 'node:crypto'
import fs, {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Context, openContext } from '#server/context.ts'
import { ANCHOR_FILE, DATABASE_FILE } from '#server/database/data-directory.ts'
import { Database } from '#server/database/database.ts'
import { AuditTrail } from '#server/modules/audit/audit-trail.ts'
import { makeBackup } from '#server/modules/backups/make-backup.ts'
import { applyStagedRestore, stageRestore } from '#server/modules/backups/restore-files.ts'
import { newUser } from '../../../support/callers.ts'
import { goldenFolder } from '../../../support/golden.ts'
import { needing } from '../../../support/needs.ts'
import { standingClock, tempDataFolder, tempFolder } from '../../../support/temp-store.ts'

// Whoever runs these attacks has the data folder and SQL, but not the data key.
let temp: ReturnType<typeof tempDataFolder>
const clock = standingClock()
beforeEach(() => {
  temp = tempDataFolder()
})
afterEach(() => temp[Symbol.dispose]())

const path = (name: string) => join(temp.folder, name)

/** Runs the gateway's store once, and closes it as the gateway does. */
function run<T>(work: (store: Context) => T): T {
  using store = openContext({ folder: temp.folder, clock, uuid: randomUUID })
  return work(store)
}

async function runAsync<T>(work: (store: Context) => Promise<T>): Promise<T> {
  using store = openContext({ folder: temp.folder, clock, uuid: randomUUID })
  return await work(store)
}

const append = (times: number) =>
  run((store) => {
    for (let at = 0; at < times; at++)
      store.audit.append({
        actor: 'user:usr_1',
        action: 'device.add',
        target: `device ${at}`,
        detail: {},
      })
  })
const verify = () => run((store) => store.audit.verify())
const findings = () =>
  run((store) =>
    store.audit.list({ limit: 100 }).items.filter(({ action }) => action === 'audit.finding'),
  )

function sql<T = unknown>(...statements: string[]): T[] {
  const sqlite = new Sqlite(path(DATABASE_FILE))
  try {
    for (const each of statements.slice(0, -1)) sqlite.exec(each)
    const last = sqlite.prepare(statements.at(-1) ?? '')
    if (last.reader) return last.all() as T[]
    last.run()
    return []
  } finally {
    sqlite.close()
  }
}
const dropTriggers = () => {
  for (const { name } of sql<{ name: string }>(
    `select name from sqlite_schema where type = 'trigger' and tbl_name in ('auditEntries', 'auditHead')`,
  ))
    sql(`drop trigger ${name}`)
}

/** With the triggers as they were afterwards. */
function tamperWithoutTrace(...statements: string[]): void {
  const triggers = sql<{ sql: string }>(`select sql from sqlite_schema where type = 'trigger'`)
  dropTriggers()
  sql(...statements)
  const names = new Set(
    sql<{ sql: string }>(`select sql from sqlite_schema where type = 'trigger'`).map(
      (each) => each.sql,
    ),
  )
  for (const each of triggers) if (!names.has(each.sql)) sql(each.sql)
}
const acknowledged = () =>
  run((store) => {
    store.audit.append({ actor: 'user:usr_1', action: 'audit.acknowledge', target: '', detail: {} })
    return store.audit.verify()
  })

const saved = () => join(temp.folder, '..', `${temp.folder.split('/').at(-1)}-saved`)
/** A copy of the database as it is. */
function save(): void {
  rmSync(saved(), { recursive: true, force: true })
  cpSync(temp.folder, saved(), { recursive: true })
}
function putBack(name: string): void {
  for (const each of readdirSync(temp.folder)) if (each.startsWith(name)) rmSync(path(each))
  cpSync(join(saved(), name), path(name))
}
afterEach(() => rmSync(saved(), { recursive: true, force: true }))

describe('an audit trail that was rolled back', () => {
  it('is detected when entries are deleted and an older head is put back', () => {
    append(3)
    const head = sql<{ sealed: Buffer }>('select sealed from auditHead')[0]?.sealed
    append(4)
    dropTriggers()
    sql('delete from auditEntries where seq > 3')
    sql(`update auditHead set sealed = x'${head?.toString('hex')}'`)
    expect(verify()).toMatchObject({ isIntact: false, finding: 'triggers', isRecorded: true })
    expect(findings().map(({ target, detail }) => [target, detail])).toEqual([
      ['older', expect.objectContaining({ anchorSeq: 7, entries: 3, missing: 4 })],
      ['triggers', expect.anything()],
    ])
  })

  it('is detected in a copy, which has no anchor, when its newest entry is another one of that number', () => {
    append(3)
    save()
    append(1)
    const [other] = sql<{ sealedDetail: Buffer; hash: Buffer }>(
      'select sealedDetail, hash from auditEntries where seq = 4',
    )
    for (const name of [DATABASE_FILE, ANCHOR_FILE]) putBack(name)
    append(1)
    const hex = (bytes?: Buffer) => `x'${bytes?.toString('hex')}'`
    tamperWithoutTrace(
      `update auditEntries set sealedDetail = ${hex(other?.sealedDetail)}, hash = ${hex(other?.hash)} where seq = 4`,
    )
    using copy = openContext({ folder: temp.folder, clock, uuid: randomUUID, isCopy: true })
    expect(copy.audit.verify()).toMatchObject({ isIntact: false, finding: 'entry', seq: 4 })
  })

  it('is detected when everything in it is deleted', () => {
    append(3)
    dropTriggers()
    sql('delete from auditEntries', 'delete from auditHead')
    expect(verify()).toMatchObject({ isIntact: false })
    expect(findings().map(({ target }) => target)).toEqual(['older', 'triggers', 'head-missing'])
  })

  it('is detected when everything is deleted, the anchor too', () => {
    append(3)
    dropTriggers()
    sql('delete from auditEntries', 'delete from auditHead')
    rmSync(path(ANCHOR_FILE))
    expect(verify()).toMatchObject({ isIntact: false, finding: 'head-missing', isRecorded: true })
    expect(findings().map(({ target }) => target)).toEqual([
      'anchor-missing',
      'triggers',
      'head-missing',
    ])
    expect(acknowledged()).toMatchObject({ isIntact: true })
  })

  it('is detected when everything is deleted, and made to look as if nothing was written yet', () => {
    run((store) => newUser(store, { level: 'owner' }))
    append(3)
    tamperWithoutTrace(
      'delete from auditEntries',
      'delete from auditHead',
      'insert into auditUnkeyed values (1)',
    )
    rmSync(path(ANCHOR_FILE))
    expect(findings().map(({ target }) => target)).toEqual(['anchor-missing', 'head-missing'])
    expect(verify()).toMatchObject({ isIntact: false, isRecorded: true })
    expect(acknowledged()).toMatchObject({ isIntact: true })
  })

  it('is detected when everything is deleted, and entries as versions without a key wrote them take its place', () => {
    append(3)
    const [{ sealedDetail } = { sealedDetail: Buffer.alloc(0) }] = sql<{ sealedDetail: Buffer }>(
      'select sealedDetail from auditEntries',
    )
    const at = new Date(clock()).toISOString()
    const entry = [1, at, 'user:usr_2', 'device.add', 'device 0', sealedDetail.toString('base64')]
    const hash = createHash('sha256')
      .update(`${'0'.repeat(64)}${JSON.stringify(entry)}`)
      .digest('hex')
    const values = `1, '${at}', 'user:usr_2', 'device.add', 'device 0', x'${sealedDetail.toString('hex')}', x'${hash}'`
    tamperWithoutTrace(
      ...[
        'delete from auditEntries',
        'delete from auditHead',
        'insert into auditUnkeyed values (1)',
      ],
      `insert into auditEntries (seq, at, actor, action, target, sealedDetail, hash) values (${values})`,
    )
    rmSync(path(ANCHOR_FILE))
    expect(findings().map(({ target }) => target)).toEqual(['anchor-missing', 'head-missing'])
    expect(verify()).toMatchObject({ isIntact: false })
  })

  it('is detected when an older database is made to look like one of a version without keyed entries', () => {
    append(3)
    save()
    append(4)
    putBack(DATABASE_FILE)
    sql('insert into auditUnkeyed values (1)')
    rmSync(path(ANCHOR_FILE))
    expect(findings()).toMatchObject([{ seq: 4, target: 'anchor-missing' }])
    expect(acknowledged()).toMatchObject({ isIntact: true })
  })

  it('is detected where the first comparison fails, and entries are written before the next', () => {
    append(3)
    save()
    append(5)
    putBack(DATABASE_FILE)
    const busy = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
    vi.spyOn(Database.prototype, 'transaction').mockImplementationOnce(() => {
      throw busy
    })
    append(1)
    vi.restoreAllMocks()
    expect(findings()).toMatchObject([
      { seq: 5, target: 'older', detail: { anchorSeq: 8, entries: 4 } },
    ])
  })

  it('that lost its head goes on after it, and a person can acknowledge that', () => {
    append(3)
    dropTriggers()
    sql('delete from auditHead')
    rmSync(path(ANCHOR_FILE))
    append(2)
    expect(verify()).toMatchObject({ isIntact: false, finding: 'head-missing', isRecorded: true })
    expect(acknowledged()).toMatchObject({ isIntact: true })
  })

  it('is detected while the gateway runs, before the anchor is written', () => {
    run((store) => {
      for (const target of ['a', 'b', 'c'])
        store.audit.append({ actor: 'gateway', action: 'test', target, detail: {} })
      dropTriggers()
      sql('delete from auditEntries', 'delete from auditHead')
      expect(store.audit.verify()).toMatchObject({
        isIntact: false,
        finding: 'head-missing',
        missing: 3,
      })
      store.audit.append({ actor: 'gateway', action: 'test', target: 'd', detail: {} })
      expect(store.audit.verify()).toMatchObject({ isIntact: false, finding: 'entry', seq: 1 })
    })
  })

  it('says by how many entries a database that was copied back is older, until a person acknowledges it', () => {
    append(3)
    save()
    append(5)
    putBack(DATABASE_FILE)
    expect(findings()).toMatchObject([
      { seq: 4, target: 'older', detail: { missing: 5, anchorSeq: 8, entries: 3 } },
    ])
    expect(verify()).toMatchObject({ isIntact: false, seq: 4, finding: 'older', isRecorded: true })
    append(2)
    expect(findings()).toHaveLength(1)
    run((store) => {
      store.audit.append({
        actor: 'user:usr_1',
        action: 'audit.acknowledge',
        target: '',
        detail: {},
      })
      expect(store.audit.verify()).toMatchObject({ isIntact: true })
    })
    expect(verify()).toMatchObject({ isIntact: true, entries: 7 })
  })

  it('is detected when an older database was written on, past the anchor', () => {
    append(3)
    save()
    append(2)
    const anchor = path(ANCHOR_FILE)
    cpSync(anchor, path('later.anchor'))
    putBack(DATABASE_FILE)
    putBack(ANCHOR_FILE)
    append(6)
    cpSync(path('later.anchor'), anchor)
    expect(findings()).toMatchObject([{ target: 'replaced' }])
  })

  it.each([
    ['is missing', () => rmSync(path(ANCHOR_FILE)), 'anchor-missing'],
    [
      'was written by somebody else',
      () => writeFileSync(path(ANCHOR_FILE), '{}'),
      'anchor-changed',
    ],
  ])('is possible where the anchor %s', (_what, tamper, finding) => {
    append(3)
    tamper()
    expect(findings()).toMatchObject([{ seq: 4, target: finding }])
    expect(findings()).toHaveLength(1)
  })
})

describe('an anchor that cannot be written', () => {
  // The file is written under this name first.
  const block = () => mkdirSync(path(`${ANCHOR_FILE}.part`))
  const unblock = () => rmSync(path(`${ANCHOR_FILE}.part`), { recursive: true })

  it('does not keep the gateway from its first start, and is written by a later inspection', () => {
    block()
    run((store) => {
      store.audit.append({ actor: 'user:usr_1', action: 'device.add', target: 'a', detail: {} })
      expect(store.audit.anchorFault).toBe('unwritable')
      unblock()
      expect(store.audit.inspect()).toEqual([])
      expect(store.audit.anchorFault).toBeUndefined()
      expect(store.audit.verify()).toMatchObject({ isIntact: true })
    })
    expect(existsSync(path(ANCHOR_FILE))).toBe(true)
    expect([verify().isIntact, findings()]).toEqual([true, []])
  })

  it('does not keep it from a start with a finding, which is recorded once', () => {
    append(3)
    save()
    append(2)
    putBack(DATABASE_FILE)
    block()
    run((store) => {
      expect(store.audit.list({ limit: 1 }).items).toMatchObject([
        { action: 'audit.finding', target: 'older' },
      ])
      expect(store.audit.inspect()).toEqual([])
      expect(store.audit.verify()).toMatchObject({ finding: 'older', isRecorded: true })
      unblock()
    })
    expect(run((store) => store.audit.inspect())).toEqual([])
  })
})

describe('an anchor that cannot be written for a while', () => {
  // What the two ways of writing it write first.
  const parts = ['part', 'next'].map((ending) => `${ANCHOR_FILE}.${ending}`)
  afterEach(() => vi.useRealTimers())

  it('is written within seconds once it can be, without another entry', async () => {
    append(3)
    save()
    append(2)
    putBack(DATABASE_FILE)
    const before = readFileSync(path(ANCHOR_FILE), 'utf8')
    for (const part of parts) mkdirSync(path(part))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await runAsync(async (store) => {
      /**
       * Begins the next attempt; whether it is over, because the one after it is planned or none is
       * needed.
       */
      const attempt = async () => {
        vi.advanceTimersByTime(2000)
        const isOver = () => vi.getTimerCount() > 0 || store.audit.anchorFault === undefined
        await vi.waitUntil(isOver, { timeout: 10_000 })
      }
      for (let times = 0; times < 3; times++) {
        await attempt()
        expect(store.audit.anchorFault).toBe('unwritable')
      }
      for (const part of parts) rmSync(path(part), { recursive: true })
      await attempt()
      expect(store.audit.anchorFault).toBeUndefined()
      expect(readFileSync(path(ANCHOR_FILE), 'utf8')).not.toBe(before)
    })
    expect([findings().length, verify().isIntact]).toEqual([1, false])
  })
})

describe('an anchor that cannot be read', () => {
  it('is no finding, is not overwritten, and is compared once it can be read', () => {
    append(3)
    save()
    append(5)
    putBack(DATABASE_FILE)
    const read = fs.readFileSync
    const spy = vi.spyOn(fs, 'readFileSync').mockImplementation(((
      file: string,
      ...rest: never[]
    ) => {
      if (String(file).endsWith(ANCHOR_FILE))
        throw Object.assign(new Error('denied'), { code: 'EACCES' })
      return read(file, ...rest)
    }) as typeof read)
    syncBuiltinESMExports()
    const restore = () => {
      spy.mockRestore()
      syncBuiltinESMExports()
    }
    try {
      append(1)
      run((store) => {
        expect([store.audit.anchorFault, store.audit.verify().isIntact]).toEqual([
          'unreadable',
          true,
        ])
        restore()
        expect(store.audit.inspect()).toEqual(['older'])
        expect(store.audit.anchorFault).toBeUndefined()
      })
    } finally {
      restore()
    }
    expect(findings()).toMatchObject([{ seq: 5, detail: { anchorSeq: 8, entries: 4 } }])
  })

  it('is not what root leaves to the account that has the folder', needing('root'), () => {
    fs.chownSync(temp.folder, 1234, 1234)
    append(1)
    expect(fs.statSync(path(ANCHOR_FILE))).toMatchObject({ uid: 1234, gid: 1234 })
  })
})

describe('the triggers of the audit trail', () => {
  it.each([
    ['are missing', 'drop trigger auditEntriesStay', ['auditEntriesStay']],
    [
      'have another text',
      'drop trigger auditHeadStays; create trigger auditHeadStays before delete on auditHead begin select 1; end',
      ['auditHeadStays'],
    ],
    [
      'have company',
      'create trigger quiet before insert on auditEntries begin select raise(ignore); end',
      ['quiet'],
    ],
    [
      'have company on a table that is spelled in another way',
      'create trigger quiet before insert on AUDITENTRIES begin select raise(ignore); end',
      ['quiet'],
    ],
    [
      'have company on the position of sending',
      'create trigger quiet before update on auditsending begin select 1; end',
      ['quiet'],
    ],
  ])('are restored with a finding where they %s', (_what, statements, triggers) => {
    append(2)
    sql(...statements.split('; create').map((text, at) => (at === 0 ? text : `create${text}`)))
    expect(findings()).toMatchObject([{ seq: 3, target: 'triggers', detail: { triggers } }])
    expect(() => sql('delete from auditEntries')).toThrow('append-only')
    expect(() => sql('delete from auditHead')).toThrow('append-only')
    expect(findings()).toHaveLength(1)
  })
})

describe('the chain of an older version', () => {
  it('is closed without following it; what its first verification finds is an entry, once', async () => {
    temp[Symbol.dispose]()
    temp = tempFolder()
    goldenFolder(temp.folder, 4)
    await runAsync(async (store) => {
      const [key] = store.audit.list({ limit: 1 }).items
      const trail = new AuditTrail(store)
      for (let times = 0; times < 2; times++)
        expect(await trail.verify()).toMatchObject({ isIntact: true })
      expect(store.audit.list({ limit: 2 }).items).toMatchObject([
        {
          actor: 'gateway',
          action: 'audit.verify',
          detail: { isIntact: true, firstBadSeq: null, entries: key?.seq },
        },
        { action: 'audit.key' },
      ])
    })
  })

  it('is closed as followed where its database was put back later, which is a finding of its own', () => {
    temp[Symbol.dispose]()
    temp = tempFolder()
    goldenFolder(temp.folder, 4)
    save()
    append(2)
    putBack(DATABASE_FILE)
    const entries = () => run((store) => store.audit.list({ limit: 2 }).items)
    expect(entries()).toMatchObject([
      { action: 'audit.finding', target: 'older' },
      { action: 'audit.key', detail: { endsAsHead: true } },
    ])
  })
})

it('an entry that the trail does not take is an error, so that what it records is not done', () => {
  run((store) => {
    sql('create trigger quiet before insert on auditEntries begin select raise(ignore); end')
    expect(() =>
      store.audit.append({ actor: 'gateway', action: 'test', target: '', detail: {} }),
    ).toThrow('did not take an entry')
    expect(store.audit.inspect()).toEqual(['triggers'])
    expect(store.audit.append({ actor: 'gateway', action: 'test', target: '', detail: {} })).toBe(2)
  })
})

describe('no finding', () => {
  it('is made of a gateway that was killed before it wrote the anchor', () => {
    append(3)
    save()
    append(4)
    // The database of now with the anchor of before: what a kill between the two leaves.
    putBack(ANCHOR_FILE)
    expect(verify()).toEqual({ isIntact: true, entries: 7 })
  })

  it('is made of a restore by the gateway, and one is made of a second one by hand', async () => {
    append(3)
    const from = path('backups')
    mkdirSync(from)
    const { name } = await runAsync((store) => makeBackup(store, from, 'by-hand', '0'))
    append(5)
    const dataKey = run((store) => store.database.seal.exportKey())
    await stageRestore(temp.folder, join(from, name), { dataKey }, 'user:usr_1', clock())
    save()
    applyStagedRestore(temp.folder, clock())
    expect(verify()).toEqual({ isIntact: true, entries: 3 })
    append(4)
    expect(verify()).toEqual({ isIntact: true, entries: 7 })
    // The order that explained the restore is still there, and explains nothing more.
    const older = join(saved(), 'restore', DATABASE_FILE)
    for (const each of readdirSync(temp.folder))
      if (each.startsWith(DATABASE_FILE)) rmSync(path(each))
    cpSync(older, path(DATABASE_FILE))
    expect(findings()).toMatchObject([{ target: 'older', detail: { missing: 4 } }])
  })

  it('is made of the chain of an older version, which goes on with keyed entries', () => {
    temp[Symbol.dispose]()
    temp = tempFolder()
    goldenFolder(temp.folder, 4)
    expect(verify()).toMatchObject({ isIntact: true })
    const [key] = run((store) => store.audit.list({ limit: 1 }).items)
    expect(key).toMatchObject({
      actor: 'gateway',
      action: 'audit.key',
      detail: { endsAsHead: true, entries: (key?.seq ?? 0) - 1 },
    })
    append(2)
    expect(verify()).toEqual({ isIntact: true, entries: (key?.seq ?? 0) + 2 })
    dropTriggers()
    sql(`update auditEntries set actor = 'user:usr_9' where seq = 1`)
    expect(verify()).toMatchObject({ isIntact: false, seq: 1, finding: 'entry' })
  })
})
