import { mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, it, vi } from 'vitest'
import { ANCHOR_FILE, DATABASE_FILE } from '#server/database/data-directory.ts'
import { runWithLock } from '#server/modules/control/commands.ts'
import { sendCommand } from '#server/modules/control/control.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardBackups } from '#shared/contract/dashboard-backups.ts'
import { dashboardSetup } from '#shared/contract/dashboard-setup.ts'
import { dashboardToday } from '#shared/contract/dashboard-today.ts'
import { type StartedGateway, signIn, startGateway } from '../support/gateway.ts'
import { saying } from '../support/saying.ts'
import { tempFolder } from '../support/temp-store.ts'

// Backups through the whole gateway: calls of the window, commands beside it, a real folder.

const WAIT = { timeout: 20_000, interval: 30 }
const MEMBER = { email: 'm@clinic.example', password: 'a long and quiet evening' }

const idle = ({ call }: Pick<StartedGateway, 'call'>) =>
  vi.waitFor(async () => {
    const state = await call(dashboardBackups.state, {})
    expect(state.running).toBeNull()
    return state
  }, WAIT)

async function openedOn(
  folder: string,
  options: Parameters<typeof startGateway>[0] = {},
): Promise<StartedGateway> {
  const gateway = await startGateway({ partner: null, ...options })
  expect(await gateway.call(dashboardSetup.setBackupFolder, { body: { folder } })).toMatchObject({
    isUsed: true,
  })
  return gateway
}

it('makes one, tries it, lists it and removes it; who may not manage the gateway sees nothing of it', async () => {
  using target = tempFolder()
  await using gateway = await openedOn(target.folder, {
    async prepare(context) {
      const people = openAccounts(context)
      await people.createUser(
        { ...MEMBER, firstName: 'M', lastName: 'M', level: 'member', clinicRole: 'Other' },
        'command-line',
      )
    },
  })
  const { call } = gateway
  await expect(call(dashboardBackups.rehearse, {})).rejects.toThrow(/make one first/)
  expect(await call(dashboardBackups.make, {})).toMatchObject({
    running: { phase: expect.any(String) },
    backups: [],
  })
  const made = await idle(gateway)
  expect(made).toMatchObject({
    ...{
      folder: target.folder,
      fault: null,
      plan: { dailyAt: '02:30', everyMinutes: null, keepDaily: 7 },
    },
    last: {
      success: true,
      sentence: saying('opened and compared'),
    },
    backups: [{ kind: 'by-hand', version: '0.0.0', keptUntil: null, hasRecoveryKey: false }],
    rehearsal: { last: null },
  })
  expect(Date.parse(made.nextAt ?? '')).toBeGreaterThan(Date.now())
  expect(await call(dashboardBackups.rehearse, {})).toMatchObject({
    running: { phase: 'rehearsing' },
  })
  expect((await idle(gateway)).rehearsal.last).toMatchObject({
    success: true,
    name: made.backups[0]?.name,
  })
  const [name = ''] = readdirSync(target.folder)
  await expect(call(dashboardBackups.remove, { params: { name } })).rejects.toThrow(/only backup/)
  await expect(
    call(dashboardBackups.remove, { params: { name: '../gateway.sqlite' } }),
  ).rejects.toThrow('404')
  // Names are of a second.
  await vi.waitFor(
    async () => expect((await sendCommand(gateway.folder, { command: 'backup' })).ok).toBe(true),
    WAIT,
  )
  expect(
    (await call(dashboardBackups.remove, { params: { name } })).backups.map((one) => one.name),
  ).toEqual(readdirSync(target.folder))
  const acts = (await call(dashboard.audit, { query: { action: 'backup' } })).entries.map(
    ({ action }) => action,
  )
  expect(acts).toEqual(['backup.remove', 'backup.make', 'backup.rehearse', 'backup.make'])
  const member = await signIn(gateway.http, MEMBER)
  for (const operation of [
    dashboardBackups.state,
    dashboardBackups.make,
    dashboardBackups.rehearse,
  ])
    await expect(member(operation, {})).rejects.toThrow('403')
})

it('shows red where a byte was flipped: under Today, in the readiness, to the command line', async () => {
  using target = tempFolder()
  await using gateway = await openedOn(target.folder)
  const { call } = gateway
  await call(dashboardBackups.make, {})
  await idle(gateway)
  const file = join(target.folder, readdirSync(target.folder)[0] ?? '', 'database.sealed')
  const bytes = readFileSync(file)
  bytes[5000] = (bytes[5000] ?? 0) ^ 0xff
  writeFileSync(file, bytes)
  const told = await sendCommand(gateway.folder, { command: 'rehearse' })
  expect(told).toMatchObject({
    ok: false,
    output: expect.stringMatching(/database\.sealed is damaged.*\.$/),
  })
  const item = (await call(dashboardToday.today, {})).items.find(({ kind }) => kind === 'rehearsal')
  expect(item).toMatchObject({
    tone: 'danger',
    detail: told.output,
    needs: 'manageGateway',
    mayAct: true,
  })
  const { findings } = await call(dashboardSetup.readiness, {})
  expect(findings.find(({ check }) => check === 'rehearsal')).toMatchObject({
    verdict: 'bad',
    sentence: told.output,
  })
  expect(gateway.log.join('')).not.toMatch(/internal error/)
})

it('says in the readiness that the folder is gone, and what to do', async () => {
  using target = tempFolder()
  await using gateway = await openedOn(target.folder)
  const { call } = gateway
  const of = async (name: string) =>
    (await call(dashboardSetup.readiness, {})).findings.find(({ check }) => check === name)
  expect(await of('backup')).toMatchObject({
    verdict: 'warn',
    sentence: saying('There is no backup in'),
  })
  expect(await of('rehearsal')).toMatchObject({ verdict: 'warn' })
  expect(await of('standby')).toMatchObject({ verdict: 'ok' })
  await call(dashboard.changeSettings, { body: { settings: { 'backup.everyMinutes': 15 } } })
  expect(await of('standby')).toMatchObject({
    verdict: 'warn',
    remedy: saying('the standby guide'),
  })
  renameSync(target.folder, `${target.folder}-away`)
  expect(await of('backup')).toMatchObject({
    verdict: 'bad',
    remedy: saying('disk is connected'),
  })
  await expect(call(dashboardBackups.make, {})).rejects.toThrow(/does not exist/)
  renameSync(`${target.folder}-away`, target.folder)
})

it('takes a note of the standby from a script, with the gateway and without it', async () => {
  using temp = tempFolder()
  using target = tempFolder()
  let name = ''
  {
    await using gateway = await openedOn(target.folder, { folder: temp.folder })
    expect(await sendCommand(temp.folder, { command: 'backup' })).toMatchObject({
      ok: true,
      output: expect.stringContaining('was made, opened and compared'),
    })
    name = readdirSync(target.folder)[0] ?? ''
    const note = (options: Record<string, string>) =>
      sendCommand(temp.folder, { command: 'standby note', options })
    expect(await note({ to: 'nas', backup: name })).toMatchObject({
      ok: true,
      output: expect.stringMatching(/^The standby at nas has all data/),
    })
    expect(await note({ to: 'nas' })).toMatchObject({
      ok: false,
      output: expect.stringContaining('--backup NAME'),
    })
    expect(await note({ to: 'nas', backup: 'isthmus-2020-01-01-000000Z' })).toMatchObject({
      ok: false,
      output: expect.stringContaining('no backup'),
    })
    expect((await gateway.call(dashboardBackups.state, {})).standby).toMatchObject({ to: 'nas' })
  }
  const alone = (command: string, options: Record<string, string> = {}) =>
    runWithLock(temp.folder, { command, arguments: [], options, input: '' }, '9.9.9')
  expect(await alone('rehearse')).toMatchObject({
    ok: true,
    output: expect.stringContaining(`The backup ${name} was opened`),
  })
  expect(await alone('standby forget')).toEqual({
    ok: true,
    output: 'The record of the standby was removed.',
  })
  expect(await alone('standby forget')).toMatchObject({
    ok: false,
    output: 'No standby is registered.',
  })
  await vi.waitFor(async () => expect((await alone('backup'))?.ok).toBe(true), WAIT)
  await using again = await startGateway({ folder: temp.folder, partner: null })
  const state = await again.call(dashboardBackups.state, {})
  expect(state).toMatchObject({ standby: null, rehearsal: { last: { success: true, name } } })
  expect(state.backups.map(({ version }) => version)).toEqual(['9.9.9', '0.0.0'])
})

it('shows under Today that the anchor of the audit trail cannot be written, until it can be', async () => {
  await using gateway = await startGateway({ partner: null })
  const { call, folder } = gateway
  const blocked = ['part', 'next'].map((end) => join(folder, `${ANCHOR_FILE}.${end}`))
  const shown = async () => {
    const sqlite = new Sqlite(join(folder, DATABASE_FILE))
    sqlite.exec('drop trigger auditEntriesStay')
    sqlite.close()
    // Its finding is written to the anchor at once.
    expect(await call(dashboard.verifyAudit, {})).toMatchObject({ finding: 'triggers' })
    const { items } = await call(dashboardToday.today, {})
    return items.filter(({ kind }) => kind === 'audit-anchor')
  }
  for (const path of blocked) mkdirSync(path)
  const detail = 'The file audit-anchor.json of the data folder cannot be written.'
  expect(await shown()).toMatchObject([
    { tone: 'warning', detail, needs: 'manageGateway', mayAct: true },
  ])
  for (const path of blocked) rmdirSync(path)
  expect(await shown()).toEqual([])
})
