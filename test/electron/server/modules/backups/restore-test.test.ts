import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { saying } from '../../../../support/saying.ts'
import { reportStage } from '../reports/reports-fixture.ts'
import { backupStage, DAY_MS, HOUR_MS } from './backups-fixture.ts'

const OWNER = 'user:usr_1'

/** Another byte in the middle of a file. */
function flip(file: string): void {
  const bytes = readFileSync(file)
  const at = Math.floor(bytes.length / 2)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(file, bytes)
}

/** Somebody changes the database past the gateway. */
function tamper(folder: string, sql: string): void {
  const sqlite = new Sqlite(join(folder, 'gateway.sqlite'))
  sqlite.exec(sql)
  sqlite.close()
}

it('opens the newest, follows its trail, reads its reports, and leaves nothing behind', async () => {
  using reports = reportStage()
  await reports.signed()
  await using stage = backupStage({ 'backup.dailyAt': null }, reports)
  await stage.backups.make('by-hand', OWNER)
  const trial = await stage.backups.test(OWNER)
  const entries = stage.store.audit.list({ limit: 1 }).items[0]?.seq ?? 0
  expect(trial).toMatchObject({
    success: true,
    // The trail had not yet the backup itself, and has the trial now.
    sentence: saying(
      `an intact audit log of ${entries - 2} entries, and 1 report that was read as a sample.`,
    ),
  })
  expect(stage.audited('backup.rehearse')).toMatchObject([
    { actor: OWNER, detail: { success: true } },
  ])
  expect(existsSync(join(stage.folder, 'spool-backup', 'rehearsal'))).toBe(false)
  expect((await stage.backups.state()).rehearsal.last).toEqual(trial)
  await stage.restart()
  expect((await stage.backups.state()).rehearsal.last).toEqual(trial)
})

it('is red where a byte of the backup was flipped, until another one is good', async () => {
  await using stage = backupStage()
  await stage.live(HOUR_MS)
  const [name = ''] = readdirSync(stage.target)
  flip(join(stage.target, name, 'database.sealed'))
  const trial = await stage.backups.test(OWNER)
  expect(trial).toMatchObject({
    success: false,
    name,
    sentence: saying(/\.$/),
  })
  expect(stage.health().rehearsal).toMatchObject({ tone: 'danger', sentence: trial.sentence })
  expect(readdirSync(join(stage.folder, 'spool-backup'))).toEqual([])
  // It is not waited for a month: the next night's backup is tried.
  await stage.live(DAY_MS)
  expect((await stage.backups.state()).rehearsal.last?.success).toBe(true)
  expect(stage.health().rehearsal).toBeUndefined()
  expect(stage.faults).toEqual([])
})

it('is red where the trail in the backup is broken', async () => {
  await using stage = backupStage({ 'backup.dailyAt': null })
  for (const target of ['a', 'b', 'c'])
    stage.store.audit.append({ actor: 'gateway', action: 'test', target, detail: {} })
  const [entry] = stage.store.audit.list({ limit: 2 }).items.slice(-1)
  tamper(
    stage.folder,
    `drop trigger auditEntriesKeepWhatTheySay; update auditEntries set target = 'x' where seq = ${entry?.seq}`,
  )
  const { name } = await stage.backups.make('by-hand', OWNER)
  expect(await stage.backups.test(OWNER)).toMatchObject({
    success: false,
    sentence: `In the backup ${name}, the audit log is broken at entry ${entry?.seq}.`,
  })
})

it('passes where a break was recorded before the backup, and names its entry', async () => {
  await using stage = backupStage({ 'backup.dailyAt': null })
  tamper(stage.folder, 'drop trigger auditEntriesStay')
  expect(stage.store.audit.inspect()).toEqual(['triggers'])
  const [entry] = stage.store.audit.list({ limit: 1 }).items
  const { name } = await stage.backups.make('by-hand', OWNER)
  expect(await stage.backups.test(OWNER)).toMatchObject({
    success: true,
    sentence: saying(
      new RegExp(
        `^The backup ${name} was opened and is complete, .* has a break at entry ${entry?.seq} that was recorded`,
      ),
    ),
  })
})

it('is red where a report in the backup is not what was signed', async () => {
  using reports = reportStage()
  const reportId = await reports.signed()
  await using stage = backupStage({ 'backup.dailyAt': null }, reports)
  tamper(
    stage.folder,
    `drop trigger reportPdfsKeepWhatTheySay; update reportPdfs set sealedPdf = zeroblob(length(sealedPdf))`,
  )
  const { name } = await stage.backups.make('by-hand', OWNER)
  expect(await stage.backups.test(OWNER)).toMatchObject({
    success: false,
    sentence: `In the backup ${name}, the report ${reportId} does not match what was signed.`,
  })
})

it('is warned of where it was not made for long', async () => {
  await using stage = backupStage({ 'backup.dailyAt': null })
  await stage.backups.make('by-hand', OWNER)
  stage.clock.pass(36 * DAY_MS)
  expect(stage.health().rehearsal).toBeUndefined()
  stage.clock.pass(2 * DAY_MS)
  expect(stage.health().rehearsal).toMatchObject({
    tone: 'warning',
    sentence: saying('No restore test was ever made'),
  })
  await stage.backups.test(OWNER)
  expect(stage.health().rehearsal).toBeUndefined()
  stage.clock.pass(38 * DAY_MS)
  expect(stage.health().rehearsal).toMatchObject({
    tone: 'warning',
    sentence: saying('The last restore test was on'),
  })
})
