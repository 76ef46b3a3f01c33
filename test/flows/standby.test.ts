import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, type TestContext, vi } from 'vitest'
import { sendCommand } from '#server/modules/control/control.ts'
import { dashboardBackups } from '#shared/contract/dashboard-backups.ts'
import { dashboardSetup } from '#shared/contract/dashboard-setup.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { ranOf, serving } from '../support/command-line.ts'
import { freePort } from '../support/free-port.ts'
import { signIn } from '../support/gateway.ts'
import {
  type ImagingClinic,
  imageOf,
  openImagingClinic,
  sendImages,
  UID,
} from '../support/imaging-clinic.ts'
import { needs } from '../support/needs.ts'
import { PROGRAM_ENVIRONMENT } from '../support/program.ts'
import { tempFolder } from '../support/temp-store.ts'

// A standby as a clinic makes it: the two scripts, the program in processes of its own, rclone to a
// server of another "host".

vi.setConfig({ testTimeout: 420_000 })

const SCRIPTS = join(import.meta.dirname, '../../scripts/standby')
const PASSWORD = 'seven calm otters'

const script = (
  name: string,
  args: readonly string[],
  { env = {}, input = '' }: { env?: NodeJS.ProcessEnv; input?: string } = {},
) =>
  ranOf(
    spawn(process.execPath, [join(SCRIPTS, name), ...args], {
      env: { ...PROGRAM_ENVIRONMENT, ...env },
    }),
    input,
  )

interface Remote extends AsyncDisposable {
  /** What tells rclone of it; the remote is called `standby`. */
  readonly env: NodeJS.ProcessEnv
}

/**
 * A server by rclone itself on 127.0.0.1: SFTP, as another host is reached, or WebDAV, which has no
 * checksums.
 */
async function serve(kind: 'sftp' | 'webdav', folder: string): Promise<Remote> {
  const port = await freePort()
  const words = [
    'serve',
    kind,
    folder,
    '--addr',
    `127.0.0.1:${port}`,
    '--user',
    'isthmus',
    '--pass',
    PASSWORD,
    '--dir-cache-time',
    '0s',
  ]
  const child: ChildProcess = spawn('rclone', words, {
    stdio: 'ignore',
    env: { ...process.env, RCLONE_CONFIG: join(folder, '..', 'none.conf') },
  })
  const pass = execFileSync('rclone', ['obscure', PASSWORD], { encoding: 'utf8' }).trim()
  const at = {
    sftp: { TYPE: 'sftp', HOST: '127.0.0.1', PORT: String(port), USER: 'isthmus', PASS: pass },
    webdav: {
      TYPE: 'webdav',
      URL: `http://127.0.0.1:${port}`,
      VENDOR: 'other',
      USER: 'isthmus',
      PASS: pass,
    },
  }[kind]
  const env = {
    RCLONE_CONFIG: join(folder, '..', 'none.conf'),
    ...Object.fromEntries(
      Object.entries(at).map(([key, value]) => [`RCLONE_CONFIG_STANDBY_${key}`, value]),
    ),
  }
  await vi.waitFor(
    () =>
      execFileSync('rclone', ['lsf', 'standby:'], {
        env: { ...process.env, ...env },
        stdio: 'ignore',
      }),
    {
      timeout: 20_000,
      interval: 200,
    },
  )
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
  await call(dashboardSetup.confirmRecoveryKey, {
    body: { groups: asked.map((at) => recoveryKey.split('-')[at] ?? '') },
  })
  return recoveryKey
}

const backedUp = ({ gateway: { folder } }: ImagingClinic) =>
  vi.waitFor(
    async () =>
      expect(await sendCommand(folder, { command: 'backup' })).toMatchObject({ ok: true }),
    {
      timeout: 20_000,
      interval: 200,
    },
  )

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name))

interface Standby {
  readonly clinic: ImagingClinic
  /** The folder of the drills. */
  readonly work: string
  /** Where the copy is, as the other host sees it. */
  readonly backups: string
  readonly images: string
  readonly recoveryKey: string
  copy(...args: string[]): ReturnType<typeof script>
  drill(name: string, ...args: string[]): ReturnType<typeof script>
}

async function standbyOf(
  clinic: ImagingClinic,
  { env }: Remote,
  work: string,
  there: string,
): Promise<Standby> {
  const recoveryKey = await recoveryKeyOf(clinic)
  return {
    ...{
      clinic,
      work,
      recoveryKey,
      backups: join(there, 'clinic/backups'),
      images: join(there, 'clinic/images'),
    },
    copy: (...args) =>
      script('copy.mjs', ['--data', clinic.gateway.folder, '--to', 'standby:clinic', ...args], {
        env,
      }),
    drill: (name, ...args) =>
      script(
        'drill.mjs',
        ['--from', 'standby:clinic', '--into', join(work, name), '--http', '127.0.0.1:0', ...args],
        {
          env,
          input: recoveryKey,
        },
      ),
  }
}

async function saysThatThereIsNoBackup({ clinic, copy, work }: Standby): Promise<void> {
  expect(await copy()).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('choose one in its window first'),
  })
  await clinic.gateway.call(dashboardSetup.setBackupFolder, {
    body: { folder: join(work, 'backups') },
  })
  expect(await copy()).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('There is no backup in'),
  })
}

/** Gives the time up to which the copy has everything. */
async function copiesEverything(
  { clinic, copy, images }: Standby,
  how: readonly string[],
): Promise<string> {
  const { call, folder } = clinic.gateway
  await sendImages(
    clinic,
    [1, 2, 3].map((number) => imageOf(number)),
  )
  await backedUp(clinic)
  const before = await call(dashboardBackups.state, {})
  expect(before.standby).toBeNull()
  expect(await copy('--called', 'the other PC', ...how)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(
      /^The standby at the other PC has all data up to \S+Z\.\nCopied in/,
    ),
  })
  const { standby, backups } = await call(dashboardBackups.state, {})
  expect(standby).toMatchObject({ to: 'the other PC', recoveryPoint: backups[0]?.madeAt })
  expect(filesIn(images).map((file) => statSync(file).size)).toEqual(
    filesIn(join(folder, 'images')).map((file) => statSync(file).size),
  )
  expect(filesIn(images)).toHaveLength(3)
  return backups[0]?.madeAt ?? ''
}

async function takesOver({ drill, work, recoveryKey }: Standby, madeAt: string): Promise<void> {
  const took = await drill('first')
  expect(took.stderr).not.toContain(recoveryKey)
  expect(took).toMatchObject({
    stderr: '',
    exitCode: 0,
    stdout: expect.stringMatching(
      /rows as in the backup, 3 of 3 images[\s\S]*started in safe mode/,
    ),
  })
  expect(took.stdout).toContain(`with everything up to ${madeAt.slice(0, 19)}`)
  expect(existsSync(join(work, 'first'))).toBe(false)
}

/**
 * What the gateway keeps no longer goes there too; what came meanwhile is copied. Gives the name of
 * the backup that stays.
 */
async function keepsAsTheGatewayDoes({ clinic, copy, backups, images }: Standby): Promise<string> {
  const { call } = clinic.gateway
  await sendImages(clinic, [imageOf(4)])
  await backedUp(clinic)
  const [second = '', first = ''] = (await call(dashboardBackups.state, {})).backups.map(
    ({ name }) => name,
  )
  await call(dashboardBackups.remove, { params: { name: first } })
  expect(await copy('--since', '1h')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('0 older backups'),
  })
  expect(readdirSync(backups).sort()).toEqual([first, second])
  await wait(1100)
  expect(await copy('--keep-hours', '0')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('1 older backups'),
  })
  expect(readdirSync(backups)).toEqual([second])
  expect(filesIn(images)).toHaveLength(4)
  return second
}

/** A drill that goes wrong says so. */
async function saysThatAnImageIsMissing({ drill, images, work }: Standby): Promise<void> {
  const [image = ''] = filesIn(images)
  rmSync(image)
  expect(await drill('second')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('1 of 4 images are missing'),
  })
  expect(await drill('third', '--without-images', '--keep')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('Ready to take over'),
  })
  expect(existsSync(join(work, 'third/data/gateway.sqlite'))).toBe(true)
}

/** An image that came after the recovery point is copied too, and has its place again. */
async function hasWhatCameLater({ clinic, copy, drill, work }: Standby): Promise<void> {
  await sendImages(clinic, [imageOf(5)])
  expect(await copy('--since', '1h')).toMatchObject({ exitCode: 0 })
  expect(await drill('taken over', '--keep')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('4 of 4 images'),
  })
  await using standby = await serving(join(work, 'taken over/data'))
  const seen = await signIn(standby.http)
  await vi.waitFor(
    async () =>
      expect(await seen(dashboardImages.read, { params: { studyInstanceUid: UID } })).toMatchObject(
        { instances: 5 },
      ),
    { timeout: 20_000, interval: 100 },
  )
}

async function refusesADamagedBackup({ drill, backups }: Standby, name: string): Promise<void> {
  const sealed = join(backups, name, 'database.sealed')
  const bytes = readFileSync(sealed)
  bytes[7000] = (bytes[7000] ?? 0) ^ 1
  writeFileSync(sealed, bytes)
  expect((await drill('fourth')).exitCode).toBe(1)
}

it.for(['sftp', 'webdav'] as const)(
  'copies to another host by %s, and takes over there',
  async (kind, context: TestContext) => {
    needs(context, 'rclone')
    using work = tempFolder()
    const there = join(work.folder, 'there')
    mkdirSync(there)
    await using clinic = await openImagingClinic()
    await using remote = await serve(kind, there)
    const standby = await standbyOf(clinic, remote, work.folder, there)
    await saysThatThereIsNoBackup(standby)
    await takesOver(
      standby,
      await copiesEverything(standby, kind === 'webdav' ? ['--download'] : []),
    )

    // The rest is the same whichever way it goes.
    if (kind === 'webdav') return

    const kept = await keepsAsTheGatewayDoes(standby)
    await saysThatAnImageIsMissing(standby)
    await hasWhatCameLater(standby)
    await refusesADamagedBackup(standby, kept)
  },
)

it('copies to another disk, and says what is missing of its words', async (context: TestContext) => {
  needs(context, 'rclone')
  using work = tempFolder()
  await using clinic = await openImagingClinic({ partner: null })
  await clinic.gateway.call(dashboardSetup.setBackupFolder, {
    body: { folder: join(work.folder, 'backups') },
  })
  await backedUp(clinic)
  const to = join(work.folder, 'other disk')
  const env = { RCLONE_CONFIG: join(work.folder, 'none.conf') }
  const copied = await script('copy.mjs', ['--data', clinic.gateway.folder, '--to', to], { env })
  expect(copied).toMatchObject({ exitCode: 0, stderr: '' })
  expect(readdirSync(join(to, 'backups'))).toHaveLength(1)
  const uses: readonly (readonly [name: string, args: string[], words: string])[] = [
    ['copy.mjs', ['--data', 'x'], 'Say --data DIR'],
    [
      'copy.mjs',
      ['--data', 'x', '--to', 'y', '--keep-hours', 'few'],
      '--keep-hours takes a number',
    ],
    [
      'copy.mjs',
      ['--data', clinic.gateway.folder, '--to', to, '--rclone', 'no-such-rclone'],
      'no-such-rclone is not installed',
    ],
    ['drill.mjs', ['--from', to], 'Say --from'],
    ['drill.mjs', ['--from', to, '--into', clinic.gateway.folder], 'is not empty'],
    [
      'drill.mjs',
      ['--from', join(work.folder, 'nowhere'), '--into', join(work.folder, 'new')],
      'ended with',
    ],
  ]
  for (const [name, args, words] of uses)
    expect(await script(name, args, { env })).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining(words),
    })
})
