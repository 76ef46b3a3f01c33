import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Context, openContext } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { createFeed } from '#server/live-events/feed.ts'
import { watchAudit } from '#server/modules/audit/audit-watch.ts'
import { openLog } from '#server/platform/log.ts'
import { tempDataFolder } from '../../../../support/temp-store.ts'

let folder: ReturnType<typeof tempDataFolder>
let context: Context
let logged: string[]
beforeEach(() => {
  folder = tempDataFolder()
  context = openContext({ folder: folder.folder })
  logged = []
  const entry = (number: number) => ({
    actor: 'gateway',
    action: 'test',
    target: `device ${number}`,
    detail: { name: 'TESTMANN^TILDA' },
  })
  context.database.transaction(() => {
    for (let number = 1; number <= 600; number++) context.audit.append(entry(number))
  })
})
afterEach(() => {
  context[Symbol.dispose]()
  folder[Symbol.dispose]()
})

function watch() {
  const feed = createFeed({ clock: Date.now })
  const log = openLog('info', { write: (line: string) => void logged.push(line) })
  return { feed, watch: watchAudit({ ...context, feed, log }) }
}

it('verifies the whole trail when the gateway starts, and says nothing where it is unbroken', async () => {
  const { feed, watch: watched } = watch()
  await using _ = watched
  expect(watched.trail.latest).toBeUndefined()
  expect(await watched.trail.verify()).toMatchObject({
    isIntact: true,
    entries: 600,
    firstBadSeq: null,
  })
  expect(feed.latest({ limit: 10 }).items).toEqual([])
  expect(logged).toEqual([])
})

it('says in the feed and the log at which entry it is broken, and nothing of what it holds', async () => {
  const sqlite = new Sqlite(join(folder.folder, DATABASE_FILE))
  sqlite.exec(`drop trigger auditEntriesStay; delete from auditEntries where seq = 301`)
  sqlite.close()
  const { feed, watch: watched } = watch()
  await using _ = watched
  expect(await watched.trail.verify()).toMatchObject({
    isIntact: false,
    entries: 300,
    firstBadSeq: 301,
  })
  expect(watched.trail.latest).toMatchObject({ firstBadSeq: 301 })
  const [line] = feed.latest({ limit: 10 }).items
  expect(line).toMatchObject({
    kind: 'audit',
    tone: 'danger',
    text: expect.stringContaining('broken at entry 301'),
  })
  expect(logged.map((text) => JSON.parse(text))).toMatchObject([
    { level: 'error', firstBadSeq: 301, msg: 'the audit trail is broken' },
  ])
  expect(logged.join()).not.toMatch(/TESTMANN|device/)
})

it('does not complain when it is ended before it is through', async () => {
  const { feed, watch: watched } = watch()
  await watched[Symbol.asyncDispose]()
  expect(watched.trail.latest).toBeUndefined()
  expect([feed.latest({ limit: 10 }).items, logged]).toEqual([[], []])
})
