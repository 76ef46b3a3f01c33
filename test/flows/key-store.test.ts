import { fork } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { SettingOverrides } from '#server/configuration/settings.ts'
import { openContext } from '#server/context.ts'
import { moveKeyToStore, unwrapKey } from '#server/database/wrapped-key.ts'
import { currentKeyStore } from '#server/modules/settings/key-file.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardBackups } from '#shared/contract/dashboard-backups.ts'
import { dashboardSetup } from '#shared/contract/dashboard-setup.ts'
import type { KeyStoreState } from '#shared/contract/shell.ts'
import { gatewayEnvironment } from '#shared/gateway-environment.ts'
import { isthmus, serving } from '../support/command-line.ts'
import { fakeKeyStore } from '../support/fake-key-store.ts'
import { OWNER, type StartedGateway, signIn, startGateway } from '../support/gateway.ts'
import { PROGRAM, PROGRAM_ENVIRONMENT } from '../support/program.ts'
import { tempFolder } from '../support/temp-store.ts'

const PARENT_PORT = join(import.meta.dirname, '../support/parent-port.ts')
const LISTENERS = ['--http', '127.0.0.1:0', '--dimse', '127.0.0.1:0', '--dimse-tls', 'off']
type Call = StartedGateway['call']

/** Makes a recovery key and confirms it, as the wizard does. */
async function recoveryKeyOf(call: Call): Promise<string> {
  const { recoveryKey, asked } = await call(dashboardSetup.makeRecoveryKey, {})
  const groups = asked.map((at) => recoveryKey.split('-')[at] ?? '')
  expect(await call(dashboardSetup.confirmRecoveryKey, { body: { groups } })).toMatchObject({
    state: 'ready',
  })
  return recoveryKey
}

async function keyFinding(call: Call) {
  const { findings } = await call(dashboardSetup.readiness, {})
  return findings.find(({ check }) => check === 'key-store')
}

/** The gateway's process as Electron's main process starts it, with the key store of an account. */
async function startApp(folder: string, account: string) {
  const keys = fakeKeyStore(account)
  const child = fork(PROGRAM, ['serve', '--data', folder, ...LISTENERS, '--data-key-from-parent'], {
    execArgv: ['--import', PARENT_PORT],
    silent: true,
    serialization: 'advanced',
    // As the desktop app gives them: without, the gateway starts itself anew and the channel is
    // gone.
    env: gatewayEnvironment(PROGRAM_ENVIRONMENT),
  })
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr])
    if (stream) createInterface({ input: stream }).on('line', (line) => said.push(line))
  const closed = once(child, 'close')
  const sealed = Promise.withResolvers<boolean>()
  child.on('message', (message) => {
    if (typeof message === 'object' && 'sealKey' in message)
      sealed.resolve(moveKeyToStore(folder, keys, Date.now()))
  })
  const dataKey = unwrapKey(folder, keys)
  const keyStore: KeyStoreState = currentKeyStore(folder, 'file') ?? 'file'
  child.send({ dataKey: dataKey ? new Uint8Array(dataKey) : null, keyStore })
  /** Base URL of the gateway after so many openings; undefined where the process ended before. */
  async function ready(count: number): Promise<string | undefined> {
    for (;;) {
      const line = said.filter((text) => text.startsWith('{"ready"'))[count - 1]
      if (line !== undefined) return (JSON.parse(line) as { http: string }).http
      if (child.exitCode !== null) return undefined
      await Promise.race([sleep(20), closed])
    }
  }
  return {
    said,
    dataKey,
    pid: child.pid ?? 0,
    http: await ready(1),
    ready,
    exitCode: () => child.exitCode,
    /** Whether the key went into the key store, once the gateway asked for it. */
    sealed: () => sealed.promise,
    async end(): Promise<void> {
      if (child.exitCode === null) child.send('stop')
      await closed
    },
    async [Symbol.asyncDispose](): Promise<void> {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await closed
    },
  }
}

/** A clinic with an owner, and nothing else. */
async function furnished(folder: string, overrides: SettingOverrides = {}): Promise<void> {
  await using _ = await startGateway({ folder, partner: null, overrides })
}

describe('the data key in the key store of an account', () => {
  it('goes there once a recovery key is in force, comes back at each start, and another account needs the recovery key', async () => {
    using temp = tempFolder()
    const { folder } = temp
    await furnished(folder)
    const key = readFileSync(join(folder, 'data.key'))
    let recoveryKey: string
    {
      await using app = await startApp(folder, 'reception on PC-1')
      const call = await signIn(app.http ?? '', OWNER)
      expect(await keyFinding(call)).toMatchObject({
        verdict: 'warn',
        remedy: expect.stringMatching(/^Create a recovery key/),
      })
      recoveryKey = await recoveryKeyOf(call)
      expect(await app.sealed()).toBe(true)
      expect(existsSync(join(folder, 'data.key'))).toBe(false)
      expect(await keyFinding(call)).toMatchObject({
        verdict: 'ok',
        sentence: expect.stringMatching(/protected by the key store of this account/),
      })
      // Without its file the gateway goes on: another recovery key wraps the key it holds.
      expect(await recoveryKeyOf(call)).not.toBe(recoveryKey)
      recoveryKey = await recoveryKeyOf(call)
      await app.end()
      scan(app.said.join('\n'), { key, recoveryKey })
    }
    for (const command of [['config', 'get'], ['doctor'], ['sign-in-link']]) {
      const refused = await isthmus([...command, '--data', folder])
      expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
      expect(refused.stderr).toMatch(
        /key store of the account reception on PC-1 .* recovery key: isthmus recover/,
      )
    }
    {
      await using app = await startApp(folder, 'reception on PC-1')
      expect(app.dataKey).toEqual(key)
      const call = await signIn(app.http ?? '', OWNER)
      expect(await keyFinding(call)).toMatchObject({ verdict: 'ok' })
      if (process.platform === 'linux')
        for (const file of ['cmdline', 'environ'])
          scan(readFileSync(`/proc/${app.pid}/${file}`), { key, recoveryKey })
      // While it runs, commands go through it.
      expect(await isthmus(['config', 'get', 'clinic.name', '--data', folder])).toMatchObject({
        exitCode: 0,
      })
      await app.end()
    }
    {
      await using app = await startApp(folder, 'admin on PC-1')
      await app.end()
      expect([app.http, app.exitCode()]).toEqual([undefined, 1])
      expect(app.said.join('\n')).toMatch(/key store of the account reception on PC-1/)
    }
    expect(
      await isthmus(['recover', '--data', folder, '--recovery-key-stdin'], recoveryKey),
    ).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(
        /^data\.key was restored and opens the database\.\nStart the gateway/,
      ),
    })
    {
      await using app = await startApp(folder, 'admin on PC-1')
      expect(await app.sealed()).toBe(true)
      await app.end()
    }
    expect(unwrapKey(folder, fakeKeyStore('admin on PC-1'))).toEqual(key)
    for (const file of filesOf(folder)) scan(readFileSync(file), { key, recoveryKey }, file)
  }, 240_000)

  it('is what a restore opens the gateway with again, in the process that saw it leave its file', async () => {
    using temp = tempFolder()
    const [folder, backups] = [join(temp.folder, 'data'), join(temp.folder, 'backups')]
    mkdirSync(backups)
    await furnished(folder, { 'backup.folder': backups })
    await using app = await startApp(folder, 'reception on PC-1')
    const call = await signIn(app.http ?? '', OWNER)
    await recoveryKeyOf(call)
    expect(await app.sealed()).toBe(true)
    let state = await call(dashboardBackups.make, {})
    while (state.running) {
      await sleep(20)
      state = await call(dashboardBackups.state, {})
    }
    await call(dashboardBackups.restore, {
      body: { name: state.backups[0]?.name ?? '', password: OWNER.password },
    })
    const again = await signIn((await app.ready(2)) ?? '', OWNER)
    expect(await keyFinding(again)).toMatchObject({ verdict: 'ok' })
    expect(existsSync(join(folder, 'data.key'))).toBe(false)
    await app.end()
  }, 120_000)

  it('says what it means where the account has no key store, in the readiness page and across the window', async () => {
    for (const [keyStore, words] of [
      ['basic', /^The key ring of this account offers no protection/],
      ['none', /^This account has no key store/],
    ] as const) {
      using temp = tempFolder()
      await furnished(temp.folder)
      await using told = await startGateway({ folder: temp.folder, keyStore })
      expect(await keyFinding(told.call)).toMatchObject({
        verdict: 'warn',
        sentence: expect.stringMatching(/anyone who copies the data folder/),
      })
      expect((await told.call(dashboard.status, {})).banner).toMatchObject({
        tone: 'warning',
        text: expect.stringMatching(words),
      })
    }
  })
})

describe('the data key of a service', () => {
  it('is taken from a file elsewhere, and is not written to the data folder', async () => {
    using temp = tempFolder()
    const [folder, file] = [join(temp.folder, 'data'), join(temp.folder, 'credential')]
    mkdirSync(folder)
    await furnished(folder)
    renameSync(join(folder, 'data.key'), file)
    const plain = await isthmus(['serve', '--data', folder, ...LISTENERS])
    expect(plain).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/data\.key is missing/),
    })
    {
      await using served = await serving(folder, '--data-key-file', file)
      const call = await signIn(served.http, OWNER)
      expect(await keyFinding(call)).toMatchObject({
        verdict: 'ok',
        sentence: expect.stringMatching(/is passed to the gateway at start/),
      })
      expect(existsSync(join(folder, 'data.key'))).toBe(false)
      expect(await served.end('SIGTERM')).toBe(0)
    }
    writeFileSync(file, Buffer.alloc(32, 9))
    const wrong = await isthmus(['serve', '--data', folder, ...LISTENERS, '--data-key-file', file])
    expect(wrong).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^The data key is not the one that .* was encrypted with/),
    })
  }, 120_000)
})

describe('keys and passwords', () => {
  it('are in no log, no backup, no report of a crash and no file but their own', async () => {
    using temp = tempFolder()
    const { folder } = temp
    const backups = join(temp.folder, '..', `${temp.folder.split('/').at(-1)}-backups`)
    mkdirSync(backups)
    try {
      await using gateway = await startGateway({
        folder,
        partner: null,
        overrides: { 'backup.folder': backups },
      })
      const key = readFileSync(join(folder, 'data.key'))
      const recoveryKey = await recoveryKeyOf(gateway.call)
      const secrets = { key, recoveryKey, password: OWNER.password }
      await gateway.call(dashboardSetup.makeBackup, {})
      while ((await gateway.call(dashboardSetup.backups, {})).running) await sleep(20)
      expect(await gateway.call(dashboardSetup.backups, {})).toMatchObject({
        last: { success: true },
      })
      // A wrong password and a wrong recovery key, which might be quoted.
      await expect(
        signIn(gateway.http, { ...OWNER, password: `${OWNER.password}!` }),
      ).rejects.toThrow(/40[13]/)
      await gateway.call(dashboardSetup.makeRecoveryKey, {})
      await expect(
        gateway.call(dashboardSetup.confirmRecoveryKey, {
          body: { groups: recoveryKey.split('-').slice(0, 2) },
        }),
      ).rejects.toThrow()
      scan(gateway.log.join('\n'), secrets)
      scan(JSON.stringify(process.report.getReport()), secrets)
      scan(JSON.stringify(process.argv), secrets)
      for (const file of filesOf(backups)) scan(readFileSync(file), secrets, file)
      for (const file of filesOf(folder).filter((name) => !name.endsWith('data.key')))
        scan(readFileSync(file), secrets, file)
      expect(filesOf(backups).length).toBeGreaterThan(1)
      // The scan does look at the bytes.
      expect(() => scan(readFileSync(join(folder, 'data.key')), secrets)).toThrow()
    } finally {
      rmSync(backups, { recursive: true, force: true })
    }
  }, 120_000)

  it('are never logged by what opens the folder', () => {
    using temp = tempFolder()
    const dataKey = Buffer.alloc(32, 0xa7)
    using context = openContext({ folder: temp.folder, dataKey })
    scan(JSON.stringify(context.database.seal), { key: dataKey, recoveryKey: 'none' })
  })
})

interface Secrets {
  readonly key: Buffer
  readonly recoveryKey: string
  readonly password?: string
}

/** Throws where a secret is in it, in any form that it could be written in. */
function scan(
  found: Buffer | string,
  { key, recoveryKey, password }: Secrets,
  where = 'there',
): void {
  const bytes = Buffer.from(found as string)
  const forms = {
    'the data key': [
      key,
      key.toString('hex'),
      key.toString('base64'),
      key.toString('base64url'),
      key.toString('latin1'),
      JSON.stringify([...key]),
    ],
    'the recovery key': [recoveryKey, recoveryKey.replaceAll('-', ''), recoveryKey.toLowerCase()],
    'the password': password === undefined ? [] : [password],
  }
  for (const [what, texts] of Object.entries(forms))
    for (const text of texts) if (bytes.includes(text)) throw new Error(`${what} is in ${where}`)
}

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((name) => statSync(name).isFile())
