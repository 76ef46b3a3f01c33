import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { openContext } from '#server/context.ts'
import { DATABASE_FILE, RESCUE_HINT_FILE } from '#server/database/data-directory.ts'
import { salvageSetting } from '#server/database/database-contents.ts'
import { RECOVERY_FILE } from '#server/database/recovery-key.ts'
import { StoreError } from '#server/database/store-error.ts'
import { sendCommand } from '#server/modules/control/control.ts'
import { canBeRescued, openRescue, type RescueServer } from '#server/modules/control/rescue.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import { openLog } from '#server/platform/log.ts'
import { openGateway } from '#server/server.ts'
import { dashboardRescue } from '#shared/contract/dashboard-backups.ts'
import { verbatim } from '#shared/messages/message.ts'
import {
  type Clinic,
  clinicWithBackup,
  DAMAGES,
  type Damage,
  digestOf,
} from '../../../../support/damaged-clinic.ts'
import { callerOf, type StartedGateway } from '../../../../support/gateway.ts'
import { httpCall, OWN_PAGE } from '../../../../support/http-call.ts'
import { tempFolder } from '../../../../support/temp-store.ts'

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 10_000, interval: 10 })

interface Stage extends AsyncDisposable {
  readonly clinic: Clinic
  readonly rescue: RescueServer
  readonly log: readonly string[]
  readonly call: StartedGateway['call']
  readonly done: () => number
}

/** A clinic that this has befallen, and the rescue of it. */
async function openStage(
  damage: Damage,
  prepare: (clinic: Clinic) => void = () => {},
): Promise<Stage> {
  await using opened = new AsyncDisposableStack()
  const { folder: root } = opened.use(tempFolder())
  const clinic = await clinicWithBackup(root)
  DAMAGES[damage](clinic.folder)
  prepare(clinic)
  const pageFolder = join(root, 'page')
  mkdirSync(pageFolder)
  writeFileSync(join(pageFolder, 'index.html'), '<!doctype html><title>Window</title>')
  writeFileSync(join(pageFolder, 'rescue.html'), '<!doctype html><title>Rescue</title>')
  const log: string[] = []
  let done = 0
  const rescue = opened.use(
    await openRescue({
      ...{
        folder: clinic.folder,
        fault: faultOf(clinic.folder),
        port: 0,
        version: '1.2.3',
        pageFolder,
        doneDelayMs: 0,
      },
      log: openLog('trace', { write: (line) => void log.push(line) }),
      onDone: () => void done++,
    }),
  )
  const kept = opened.move()
  return {
    ...{ clinic, rescue, log, done: () => done },
    call: callerOf(rescue.http, { ...OWN_PAGE, authorization: `Bearer ${rescue.token}` }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

function faultOf(folder: string): StoreError {
  try {
    openContext({ folder })[Symbol.dispose]()
  } catch (error) {
    if (error instanceof StoreError) return error
    throw error
  }
  throw new Error('the folder opens')
}

it.each(Object.keys(DAMAGES) as Damage[])('is for %s', async (damage) => {
  using temp = tempFolder()
  const { folder } = await clinicWithBackup(temp.folder)
  DAMAGES[damage](folder)
  expect(canBeRescued(faultOf(folder))).toBe(true)
})

it('is not for what a backup does not mend', () => {
  for (const fault of [
    'bad-folder',
    'newer-schema',
    'foreign-database',
    'not-wal',
    'old-sqlite',
    'closed',
  ] as const)
    expect(canBeRescued(new StoreError(fault, verbatim('x')))).toBe(false)
  expect(canBeRescued(new Error('x'))).toBe(false)
})

it('answers nobody without the token of its link, however the path is written, and no other host name', async () => {
  await using stage = await openStage('pages overwritten in the middle')
  const { http, link, token } = stage.rescue
  expect(new URL(link).hash).toBe(`#token=${token}`)
  expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  const calls = Object.values(dashboardRescue)
  for (const authorization of [
    undefined,
    '',
    'Bearer',
    `Bearer ${token}x`,
    `Basic ${token}`,
    token,
  ]) {
    for (const { method, path } of calls) {
      for (const written of [path, path.replace('rescue', '%72escue'), `${path}?token=${token}`]) {
        const headers = { ...OWN_PAGE, ...(authorization !== undefined && { authorization }) }
        const answer = await httpCall(http + written, {
          method,
          headers,
          ...(method === 'POST' && { json: {} }),
        })
        expect([method, written, answer.status]).toEqual([method, written, 401])
        expect(answer.text).not.toContain(stage.clinic.folder)
      }
    }
  }
  const authorization = `Bearer ${token}`
  const path = dashboardRescue.state.path
  expect((await httpCall(http + path, { headers: { ...OWN_PAGE, authorization } })).status).toBe(
    200,
  )
  expect(
    (await httpCall(http + path, { headers: { ...OWN_PAGE, authorization, host: 'evil.example' } }))
      .status,
  ).toBe(421)
  const foreign = await httpCall(http + path, {
    headers: { ...OWN_PAGE, authorization, origin: 'https://evil.example' },
  })
  expect(foreign.status).toBe(403)
  expect(foreign.headers['access-control-allow-origin']).toBeUndefined()
  expect(stage.log.join('')).not.toContain(token)
})

it('leads whoever asks for the window to its page, and has no other call', async () => {
  await using stage = await openStage('pages overwritten in the middle')
  const { http } = stage.rescue
  const window = await httpCall(`${http}/`)
  expect([window.status, window.headers.location]).toEqual([302, '/rescue.html'])
  const page = await httpCall(`${http}/rescue.html`)
  expect([page.status, page.text]).toEqual([200, '<!doctype html><title>Rescue</title>'])
  expect(page.headers['content-security-policy']).toContain("script-src 'self'")
  expect((await httpCall(`${http}/dashboard/session`)).status).toBe(404)
  expect((await httpCall(`${http}/v1/studies`)).status).toBe(404)
})

it('listens on this PC alone, whatever the window was set to', async () => {
  using temp = tempFolder()
  const { folder } = await clinicWithBackup(temp.folder)
  DAMAGES['pages overwritten in the middle'](folder)
  await using rescue = await openRescue({
    ...{
      folder,
      fault: faultOf(folder),
      host: '0.0.0.0',
      port: 0,
      version: '0',
      pageFolder: folder,
      log: openLog('fatal'),
      onDone() {},
    },
  })
  expect(new URL(rescue.http).hostname).toBe('127.0.0.1')
})

it('takes another port where that of the window is taken', async () => {
  await using stage = await openStage('pages overwritten in the middle')
  using temp = tempFolder()
  const { folder } = await clinicWithBackup(temp.folder)
  DAMAGES['no data key'](folder)
  const port = Number(new URL(stage.rescue.http).port)
  await using rescue = await openRescue({
    ...{
      folder,
      fault: faultOf(folder),
      port,
      version: '0',
      pageFolder: folder,
      log: openLog('fatal'),
      onDone() {},
    },
  })
  expect(Number(new URL(rescue.http).port)).not.toBe(port)
})

it('has the folder for itself: neither a gateway nor another rescue opens it', async () => {
  await using stage = await openStage('no data key')
  const { folder } = stage.clinic
  const options = { folder, log: openLog('fatal'), version: '0', pageFolder: folder }
  // At the same time: each waits some seconds for the lock.
  const refused = [
    openGateway(options),
    openRescue({ ...options, fault: faultOfKey(), onDone() {} }),
  ]
  for (const result of await Promise.allSettled(refused))
    expect(result).toMatchObject({
      reason: { message: expect.stringContaining('Another instance of Isthmus is already using') },
    })
})
const faultOfKey = () => new StoreError('key-missing', verbatim('x'))

it('gives its link to whoever may open the data folder, and refuses every other command with what is wrong', async () => {
  await using stage = await openStage('no data key')
  const { folder } = stage.clinic
  expect(
    await sendCommand(folder, { command: 'sign-in-link', options: { 'if-no-owner': true } }),
  ).toEqual({
    ok: true,
    output: stage.rescue.link,
  })
  const refused = await sendCommand(folder, { command: 'doctor' })
  expect(refused.ok).toBe(false)
  expect(refused.output).toMatch(/cannot open its data.*data\.key is missing/)
})

it('tells what is wrong, and the backups of the folder that the damaged database still names', async () => {
  await using stage = await openStage('another data key')
  const { clinic, call } = stage
  expect(await call(dashboardRescue.state, {})).toMatchObject({
    ...{
      fault: 'key-wrong',
      version: '1.2.3',
      folder: clinic.folder,
      backupFolder: clinic.backupFolder,
      hasDataKey: true,
    },
    backups: [
      {
        name: clinic.backup.name,
        kind: 'by-hand',
        bytes: clinic.backup.bytes,
        hasRecoveryKey: true,
        keptUntil: null,
      },
    ],
    restore: { phase: 'none' },
  })
})

it('knows where the backups are though nothing of the database can be read', async () => {
  await using stage = await openStage('a beginning overwritten')
  const { clinic, call } = stage
  expect(await call(dashboardRescue.state, {})).toMatchObject({
    backupFolder: clinic.backupFolder,
    backups: [{ name: clinic.backup.name }],
  })
})

it('looks into another folder, and says what is wrong with one', async () => {
  await using stage = await openStage('a beginning overwritten', ({ folder }) =>
    rmSync(join(folder, RESCUE_HINT_FILE)),
  )
  const { clinic, call } = stage
  const state = await call(dashboardRescue.state, {})
  expect(state).toMatchObject({ fault: 'not-a-database', backupFolder: null, backups: [] })
  const look = (folder: string) => call(dashboardRescue.look, { body: { folder } })
  const { backups, findings } = await look(clinic.backupFolder)
  expect([backups.map(({ name }) => name), findings]).toEqual([[clinic.backup.name], []])
  // The folder of one backup stands for the one that it is in.
  expect((await look(join(clinic.backupFolder, clinic.backup.name))).backups).toEqual(backups)
  for (const folder of ['relative', join(clinic.backupFolder, 'gone'), clinic.folder]) {
    const found = await look(folder)
    expect([folder, found.backups, found.findings.map(({ verdict }) => verdict)]).toEqual([
      folder,
      [],
      ['bad'],
    ])
  }
})

it('previews and puts back one of another folder, and is then done', async () => {
  await using stage = await openStage('a beginning overwritten')
  const { clinic, call } = stage
  const from = { folder: clinic.backupFolder, name: clinic.backup.name }
  const preview = await call(dashboardRescue.preview, { body: from })
  expect(preview).toMatchObject({ opensWith: 'own', fault: null })
  expect(preview.rows).toContainEqual({ table: 'devices', inBackup: 1, now: null })
  expect((await call(dashboardRescue.restore, { body: from })).phase).toBe('decrypting')
  await until(() => expect(stage.done()).toBe(1))
  expect((await call(dashboardRescue.state, {})).restore.phase).toBe('ready')
  expect(existsSync(join(clinic.folder, 'restore', 'restore.json'))).toBe(true)
})

it('puts the data key back beside the database, and keeps a wrong one aside', async () => {
  for (const damage of ['no data key', 'another data key'] as const) {
    await using stage = await openStage(damage)
    const { clinic, call, rescue } = stage
    const put = (recoveryKey: string) => call(dashboardRescue.recoverKey, { body: { recoveryKey } })
    await expect(put('0000-0000')).rejects.toThrow(/^422 This is not the recovery key/)
    expect((await call(dashboardRescue.state, {})).hasDataKey).toBe(damage === 'another data key')
    expect(stage.done()).toBe(0)
    expect(await put(clinic.recoveryKey.toLowerCase())).toEqual({ success: true })
    await until(() => expect(stage.done()).toBe(1))
    await rescue[Symbol.asyncDispose]()
    using context = openContext({ folder: clinic.folder })
    expect(listDevices(context.database).map(({ aeTitle }) => aeTitle)).toEqual(['CT1', 'CT2'])
  }
})

it('says where the recovery file is missing, from which the key would come', async () => {
  await using stage = await openStage('no data key', ({ folder }) =>
    rmSync(join(folder, RECOVERY_FILE)),
  )
  const asked = stage.call(dashboardRescue.recoverKey, {
    body: { recoveryKey: stage.clinic.recoveryKey },
  })
  await expect(asked).rejects.toThrow(/recovery\.key does not exist/)
  // The backup has it too.
  const from = { name: stage.clinic.backup.name, recoveryKey: stage.clinic.recoveryKey }
  expect(await stage.call(dashboardRescue.preview, { body: from })).toMatchObject({
    opensWith: 'recovery-key',
    fault: null,
  })
})

it('reads settings without the data key, and leaves the database as it is', async () => {
  using temp = tempFolder()
  const { folder, backupFolder } = await clinicWithBackup(temp.folder)
  DAMAGES['no data key'](folder)
  const before = digestOf(join(folder, DATABASE_FILE))
  expect(salvageSetting(folder, 'backup.folder')).toBe(backupFolder)
  expect(salvageSetting(folder, 'http.port')).toBeUndefined()
  expect(salvageSetting(folder, 'dimse.tlsPort')).toBeNull()
  expect(digestOf(join(folder, DATABASE_FILE))).toBe(before)
})

it('knows nothing of a file that is no database, or is not there', async () => {
  using temp = tempFolder()
  const { folder } = await clinicWithBackup(temp.folder)
  DAMAGES['a beginning overwritten'](folder)
  expect(salvageSetting(folder, 'backup.folder')).toBeUndefined()
  rmSync(join(folder, DATABASE_FILE))
  expect(salvageSetting(folder, 'backup.folder')).toBeUndefined()
  expect(readdirSync(folder)).not.toContain(DATABASE_FILE)
})
