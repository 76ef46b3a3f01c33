import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { openContext } from '#server/context.ts'
import { keepRecoveryKey, newRecoveryKey, wrapDataKey } from '#server/database/recovery-key.ts'
import { storeRecoveryProof } from '#server/modules/backups/recovery-key-setup.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import { isthmus, ranOf, serving } from '../support/command-line.ts'
import { needs } from '../support/needs.ts'
import { PROGRAM, PROGRAM_ENVIRONMENT } from '../support/program.ts'
import { tempFolder } from '../support/temp-store.ts'

// A standby that follows the log, with the program and the script in processes of their own.

vi.setConfig({ testTimeout: 240_000 })

const ROOT = join(import.meta.dirname, '../..')
const until = <T>(check: () => T) => vi.waitFor(check, { timeout: 60_000, interval: 100 })

interface Position {
  readonly chain: string
  readonly epoch: number
  readonly frames: number
  readonly at: string
}

function openClinic() {
  const temp = tempFolder()
  const [main, backups, there] = ['main', 'backups', 'there'].map((name) =>
    join(temp.folder, name),
  ) as [string, string, string]
  for (const folder of [main, backups, there]) mkdirSync(folder)
  const recoveryKey = newRecoveryKey()
  {
    using context = openContext({ folder: main })
    storeRecoveryProof(context)
    keepRecoveryKey(main, wrapDataKey(context.database.seal, recoveryKey, Date.now()))
    const settings = { 'backup.folder': backups, 'backup.isContinuous': true }
    context.settings.change(settings, 'command-line')
  }
  const standby = join(there, 'data')
  const position = (of = backups): Position =>
    JSON.parse(readFileSync(join(of, 'isthmus-log/position.json'), 'utf8')) as Position
  return {
    ...{ main, backups, there, standby, recoveryKey, position },
    folders: ['--data', standby, '--from', there] as const,
    /** Resolves when everything that was committed before is on the standby. */
    async isCopied() {
      const now = new Date().toISOString()
      await until(() => expect(position(join(there, 'backups')).at > now).toBe(true))
    },
    replicate: () =>
      isthmus(
        ['replicate', '--data', standby, '--from', there, '--once', '--recovery-key-stdin'],
        recoveryKey,
      ),
    addDevice: (aeTitle: string) =>
      isthmus(['device', 'add', '--data', main, '--ae-title', aeTitle]).then((ran) =>
        expect(ran).toMatchObject({ exitCode: 0 }),
      ),
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

function follow({ main, there }: { main: string; there: string }, ...more: string[]) {
  const script = join(ROOT, 'scripts/standby/follow.mjs')
  const words = [script, '--data', main, '--to', there, '--every', '1', ...more]
  const child: ChildProcess = spawn(process.execPath, words, {
    env: { ...PROGRAM_ENVIRONMENT, ISTHMUS: PROGRAM },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const closed = once(child, 'close')
  let stderr = ''
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk))
  return {
    get stderr() {
      return stderr
    },
    async ended() {
      await closed
      return child.exitCode
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await closed
    },
  }
}

const aeTitles = (folder: string): string[] => {
  using context = openContext({ folder })
  return listDevices(context.database).map(({ aeTitle }) => aeTitle)
}

it('takes over from a gateway that is killed while images arrive, within a minute of them and two minutes of it', async (context) => {
  needs(context, 'rclone', 'dcmtk', 'pydicom')
  const words = ['--studies', '20', '--instances', '40', '--seconds', '15']
  const script = join(ROOT, 'scripts/bench-standby.mjs')
  const ran = await ranOf(spawn(process.execPath, [script, ...words], { env: PROGRAM_ENVIRONMENT }))
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 })
  const figures = JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? '') as Record<string, number>
  expect(figures).toMatchObject({ brokenPromises: 0, integrity: 'ok' })
  expect(figures.sent).toBeGreaterThan(figures.lost ?? 0)
  expect(figures.recoveryPointSeconds).toBeLessThan(60)
  expect(figures.recoverySeconds).toBeLessThan(120)
})

it('goes on with the chain after a stop and after a kill, and applies each segment once', async (context) => {
  needs(context, 'rclone')
  using clinic = openClinic()
  const { main, position, replicate, addDevice, isCopied } = clinic
  await using _script = follow(clinic)
  {
    await using _gateway = await serving(main)
    await until(() =>
      expect(position(join(clinic.there, 'backups')).frames).toBeGreaterThanOrEqual(0),
    )
    await addDevice('FIRST')
    await isCopied()
    expect(await replicate()).toMatchObject({ exitCode: 0, stderr: '' })
    expect(await _gateway.end('SIGTERM')).toBe(0)
  }
  const { chain } = position()
  {
    await using gateway = await serving(main)
    await addDevice('SECOND')
    await isCopied()
    expect(position()).toMatchObject({ chain })
    await gateway.end('SIGKILL')
  }
  await using _gateway = await serving(main)
  await addDevice('THIRD')
  await isCopied()
  expect(position()).toMatchObject({ chain })
  expect(await replicate()).toMatchObject({ exitCode: 0, stderr: '' })

  const log = join(clinic.there, 'backups/isthmus-log', chain)
  await addDevice('FOURTH')
  await isCopied()
  const newest = readdirSync(log).sort().at(-1) ?? ''
  await addDevice('FIFTH')
  await isCopied()
  rmSync(join(log, newest))
  expect(await replicate()).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('has a gap'),
  })
})

it('never has two gateways serve one clinic without their knowing', async (context) => {
  needs(context, 'rclone')
  using clinic = openClinic()
  const { main, standby, folders, replicate, addDevice, isCopied } = clinic
  const refused = (stderr: string) => ({ exitCode: 1, stderr: expect.stringContaining(stderr) })
  {
    await using _gateway = await serving(main)
    await using _script = follow(clinic)
    await until(() => expect(clinic.position(join(clinic.there, 'backups'))).toBeDefined())
    await addDevice('FIRST')
    await isCopied()
    expect(await replicate()).toMatchObject({ exitCode: 0 })
    expect(await isthmus(['config', 'get', '--data', standby])).toMatchObject(
      refused('is the copy of another gateway'),
    )
    expect(await isthmus(['serve', '--data', standby])).toMatchObject(
      refused('is the copy of another gateway'),
    )
    expect(await isthmus(['take-over', ...folders])).toMatchObject(refused('is still running'))
  }
  expect(await isthmus(['take-over', ...folders, '--old-is-off'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(
      /^Everything up to \S+Z is in the database\.[\s\S]*Ready to serve/,
    ),
  })
  expect(aeTitles(standby)).toEqual(['FIRST'])

  // The old PC comes back: its script is asked before, and the gateway is stopped if it was not.
  await using gateway = await serving(main)
  await using script = follow(clinic)
  expect(await script.ended()).toBe(3)
  expect(script.stderr).toContain('serves the clinic since')
  await until(() => expect(gateway.child.exitCode).toBe(1))
  expect(gateway.stderr.join('\n')).toContain('took over for this gateway')
  await using again = follow(clinic, '--check')
  expect(await again.ended()).toBe(3)
  expect(await isthmus(['serve', '--data', main])).toMatchObject(
    refused('took over for this gateway'),
  )
})
