import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, type TestContext, vi } from 'vitest'
import { askControl } from '#gateway/control.ts'
import { dashboardSetup } from '#shared/contract/dashboard-setup.ts'
import { dashboardUpkeep } from '#shared/contract/dashboard-upkeep.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { ranOf, serving } from '../support/command-line.ts'
import { freePort } from '../support/free-port.ts'
import { signIn } from '../support/gateway.ts'
import { type ImagingClinic, imageOf, openImagingClinic, sendImages, UID } from '../support/imaging-clinic.ts'
import { needs } from '../support/needs.ts'
import { tempFolder } from '../support/temp-store.ts'

// A standby as a clinic makes it: the two scripts, the program in processes of its own, rclone to a server of another "host".

vi.setConfig({ testTimeout: 420_000 })

const SCRIPTS = join(import.meta.dirname, '../../scripts/standby')
const PASSWORD = 'seven calm otters'

const script = (name: string, args: readonly string[], { env = {}, input = '' }: { env?: NodeJS.ProcessEnv; input?: string } = {}) =>
  ranOf(spawn(process.execPath, [join(SCRIPTS, name), ...args], { env: { ...process.env, ...env } }), input)

interface Remote extends AsyncDisposable {
  /** What tells rclone of it; the remote is called `standby`. */
  readonly env: NodeJS.ProcessEnv
}

/** A server by rclone itself on 127.0.0.1: SFTP, as another host is reached, or WebDAV, which has no checksums. */
async function serve(kind: 'sftp' | 'webdav', folder: string): Promise<Remote> {
  const port = await freePort()
  const words = ['serve', kind, folder, '--addr', `127.0.0.1:${port}`, '--user', 'isthmus', '--pass', PASSWORD, '--dir-cache-time', '0s']
  const child: ChildProcess = spawn('rclone', words, {
    stdio: 'ignore',
    env: { ...process.env, RCLONE_CONFIG: join(folder, '..', 'none.conf') },
  })
  const pass = execFileSync('rclone', ['obscure', PASSWORD], { encoding: 'utf8' }).trim()
  const at = {
    sftp: { TYPE: 'sftp', HOST: '127.0.0.1', PORT: String(port), USER: 'isthmus', PASS: pass },
    webdav: { TYPE: 'webdav', URL: `http://127.0.0.1:${port}`, VENDOR: 'other', USER: 'isthmus', PASS: pass },
  }[kind]
  const env = {
    RCLONE_CONFIG: join(folder, '..', 'none.conf'),
    ...Object.fromEntries(Object.entries(at).map(([key, value]) => [`RCLONE_CONFIG_STANDBY_${key}`, value])),
  }
  await vi.waitFor(() => execFileSync('rclone', ['lsf', 'standby:'], { env: { ...process.env, ...env }, stdio: 'ignore' }), {
    timeout: 20_000,
    interval: 200,
  })
  return {
    env,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await once(child, 'close')
    },
  }
}

async function recoveryKeyOf({ gateway: { call } }: ImagingClinic): Promise<string> {
  const { recoveryKey, asked } = await call(dashboardSetup.makeRecoveryKey, {})
  await call(dashboardSetup.confirmRecoveryKey, { body: { groups: asked.map((at) => recoveryKey.split('-')[at] ?? '') } })
  return recoveryKey
}

const backedUp = ({ gateway: { folder } }: ImagingClinic) =>
  vi.waitFor(async () => expect(await askControl(folder, { command: 'backup' })).toMatchObject({ ok: true }), {
    timeout: 20_000,
    interval: 200,
  })

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name))

it.for(['sftp', 'webdav'] as const)('copies to another host by %s, and takes over there', async (kind, context: TestContext) => {
  needs(context, 'rclone')
  using work = tempFolder()
  const [there, folder] = [join(work.folder, 'there'), join(work.folder, 'back-ups')]
  mkdirSync(there)
  await using clinic = await openImagingClinic()
  const { call } = clinic.gateway
  await using remote = await serve(kind, there)
  const { env } = remote
  const recoveryKey = await recoveryKeyOf(clinic)
  const copy = (...args: string[]) => script('copy.mjs', ['--data', clinic.gateway.folder, '--to', 'standby:clinic', ...args], { env })
  const drill = (name: string, ...args: string[]) =>
    script('drill.mjs', ['--from', 'standby:clinic', '--into', join(work.folder, name), '--http', '127.0.0.1:0', ...args], {
      env,
      input: recoveryKey,
    })

  expect(await copy()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('choose one in its window first') })
  await call(dashboardSetup.setBackupFolder, { body: { folder } })
  expect(await copy()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('No back-up is in') })
  await sendImages(
    clinic,
    [1, 2, 3].map((number) => imageOf(number)),
  )
  await backedUp(clinic)
  const before = await call(dashboardUpkeep.state, {})
  expect(before.standby).toBeNull()

  const copied = await copy('--called', 'the other PC', ...(kind === 'webdav' ? ['--download'] : []))
  expect(copied).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^The standby at the other PC has everything up to \S+Z\.\nCopied in/),
  })
  const { standby, backups } = await call(dashboardUpkeep.state, {})
  expect(standby).toMatchObject({ to: 'the other PC', recoveryPoint: backups[0]?.madeAt })
  const images = join(there, 'clinic/images')
  expect(filesIn(images).map((file) => statSync(file).size)).toEqual(
    filesIn(join(clinic.gateway.folder, 'images')).map((file) => statSync(file).size),
  )
  expect(filesIn(images)).toHaveLength(3)

  const took = await drill('first')
  expect(took.stderr).not.toContain(recoveryKey)
  expect(took).toMatchObject({
    stderr: '',
    exitCode: 0,
    stdout: expect.stringMatching(/rows as in the back-up, 3 of 3 images[\s\S]*started in safe mode/),
  })
  expect(took.stdout).toContain(`with everything up to ${backups[0]?.madeAt.slice(0, 19)}`)
  expect(existsSync(join(work.folder, 'first'))).toBe(false)

  // The rest is the same whichever way it goes.
  if (kind === 'webdav') return

  // What the gateway keeps no longer goes there too; what came meanwhile is copied.
  await sendImages(clinic, [imageOf(4)])
  await backedUp(clinic)
  const [second, first] = (await call(dashboardUpkeep.state, {})).backups.map(({ name }) => name)
  await call(dashboardUpkeep.remove, { params: { name: first ?? '' } })
  expect(await copy('--since', '1h')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('0 older back-ups') })
  expect(readdirSync(join(there, 'clinic/backups')).sort()).toEqual([first, second])
  await wait(1100)
  expect(await copy('--keep-hours', '0')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 older back-ups') })
  expect(readdirSync(join(there, 'clinic/backups'))).toEqual([second])
  expect(filesIn(images)).toHaveLength(4)

  // A drill that goes wrong says so.
  const [image = ''] = filesIn(images)
  rmSync(image)
  expect(await drill('second')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('1 of 4 images are missing') })
  expect(await drill('third', '--without-images', '--keep')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('Ready to take over'),
  })
  expect(existsSync(join(work.folder, 'third/data/gateway.sqlite'))).toBe(true)

  // An image that came after the recovery point is copied too, and has its place again.
  await sendImages(clinic, [imageOf(5)])
  expect(await copy('--since', '1h')).toMatchObject({ exitCode: 0 })
  expect(await drill('taken over', '--keep')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('4 of 4 images') })
  {
    await using standby = await serving(join(work.folder, 'taken over/data'))
    const seen = await signIn(standby.http)
    await vi.waitFor(
      async () => expect(await seen(dashboardImages.read, { params: { studyInstanceUid: UID } })).toMatchObject({ instances: 5 }),
      { timeout: 20_000, interval: 100 },
    )
  }

  const sealed = join(there, 'clinic/backups', second ?? '', 'database.sealed')
  const bytes = readFileSync(sealed)
  bytes[7000] = (bytes[7000] ?? 0) ^ 1
  writeFileSync(sealed, bytes)
  expect((await drill('fourth')).exitCode).toBe(1)
})

it('copies to another disk, and says what is missing of its words', async (context: TestContext) => {
  needs(context, 'rclone')
  using work = tempFolder()
  await using clinic = await openImagingClinic({ partner: null })
  await clinic.gateway.call(dashboardSetup.setBackupFolder, { body: { folder: join(work.folder, 'back-ups') } })
  await backedUp(clinic)
  const to = join(work.folder, 'other disk')
  const env = { RCLONE_CONFIG: join(work.folder, 'none.conf') }
  const copied = await script('copy.mjs', ['--data', clinic.gateway.folder, '--to', to], { env })
  expect(copied).toMatchObject({ exitCode: 0, stderr: '' })
  expect(readdirSync(join(to, 'backups'))).toHaveLength(1)
  const uses: readonly (readonly [name: string, args: string[], words: string])[] = [
    ['copy.mjs', ['--data', 'x'], 'Say --data DIR'],
    ['copy.mjs', ['--data', 'x', '--to', 'y', '--keep-hours', 'few'], '--keep-hours takes a number'],
    ['copy.mjs', ['--data', clinic.gateway.folder, '--to', to, '--rclone', 'no-such-rclone'], 'no-such-rclone is not installed'],
    ['drill.mjs', ['--from', to], 'Say --from'],
    ['drill.mjs', ['--from', to, '--into', clinic.gateway.folder], 'is not empty'],
    ['drill.mjs', ['--from', join(work.folder, 'nowhere'), '--into', join(work.folder, 'new')], 'ended with'],
  ]
  for (const [name, args, words] of uses)
    expect(await script(name, args, { env })).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining(words) })
})
