import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { gatewayEnvironment } from '#shared/gateway-environment.ts'
import { filesIn } from '../../packaging/app-folder.ts'
import { echoscu, findscu } from '../support/dcmtk.ts'
import { needing, needs } from '../support/needs.ts'

// The archive as a server room gets it, run with an empty PATH: nothing of this machine helps.
const root = join(import.meta.dirname, '../..')
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'isthmus-service-')))
const data = join(scratch, 'data')
const EMPTY = { PATH: '', HOME: scratch }
const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const LISTENERS = ['--http', '127.0.0.1:0', '--dimse', '127.0.0.1:0', '--dimse-tls', 'off']
let folder = ''
const children: ChildProcess[] = []

interface Running {
  readonly child: ChildProcess
  readonly ready: Readonly<Record<string, string>>
}

beforeAll(() => {
  const made = spawnSync(
    process.execPath,
    [join(root, 'scripts/package-service.mjs'), '--out', scratch],
    { encoding: 'utf8' },
  )
  expect(made.status, made.stdout + made.stderr).toBe(0)
  const archive = readdirSync(scratch).find((name) => name.endsWith('.tar.gz')) ?? ''
  expect(archive).toMatch(/^isthmus-service-\d+\.\d+\.\d+-(linux|darwin|win)-(x64|arm64)\.tar\.gz$/)
  expect(spawnSync('tar', ['-xzf', join(scratch, archive), '-C', scratch]).status).toBe(0)
  folder = join(scratch, archive.replace('.tar.gz', ''))
}, 300_000)
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(scratch, { recursive: true, force: true })
})

const program = () => join(folder, 'bin', 'isthmus')
const run = (...args: string[]) =>
  spawnSync(program(), args, { encoding: 'utf8', env: EMPTY, cwd: '/' })

const start = (...args: string[]): Promise<Running> => startWith({}, ...args)

async function startWith(
  env: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<Running> {
  const child = spawn(program(), args, {
    env: { ...EMPTY, ...env },
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  const log: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line))
  const line = once(createInterface({ input: child.stdout }), 'line').then(([text]) => String(text))
  const end = once(child, 'exit').then(() =>
    Promise.reject(new Error(`it ended: ${log.join('\n')}`)),
  )
  return {
    child,
    ready: JSON.parse(await Promise.race([line, end])) as Readonly<Record<string, string>>,
  }
}

async function stop({ child }: Running): Promise<number | null> {
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
  return child.exitCode
}

it('holds the program, its own Node, and the licences; no sources and no tests', () => {
  const files = filesIn(folder)
  expect(files).toEqual(
    expect.arrayContaining([
      'LICENSE',
      'README.md',
      'THIRD-PARTY-LICENSES.txt',
      'bin/isthmus',
      'bin/node',
      'install.sh',
    ]),
  )
  expect(files.filter((file) => /\.(map|ts|tsx)$|^(electron|renderer|test)\//.test(file))).toEqual(
    [],
  )
  const packages = readdirSync(join(folder, 'node_modules'))
  expect(packages.sort()).toEqual(
    ['bindings', 'better-sqlite3', 'dcmjs', 'dicom-dimse-native', 'file-uri-to-path'].sort(),
  )
  const licenses = readFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8')
  for (const name of ['better-sqlite3', 'fastify', 'react', 'zod', '@mantine/core'])
    expect(licenses).toContain(`\n  ${name} `)
})

it('names its commands, from any folder and by any path', () => {
  expect(run('help')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('serve --data DIR'),
  })
  const relative = spawnSync('/bin/sh', ['-c', './isthmus help'], {
    encoding: 'utf8',
    env: EMPTY,
    cwd: join(folder, 'bin'),
  })
  expect(relative).toMatchObject({ status: 0, stdout: expect.stringContaining('serve --data DIR') })
})

it('loads the module for other DICOM systems from its own folder', (context) => {
  needs(context, 'native')
  const script = `require(${JSON.stringify(join(folder, 'node_modules/dicom-dimse-native'))}); console.log('loaded')`
  expect(
    spawnSync(join(folder, 'bin/node'), ['-e', script], {
      encoding: 'utf8',
      env: EMPTY,
      cwd: scratch,
    }).stdout,
  ).toContain('loaded')
})

it('serves devices and the window, says that it is well, and ends when it is told to', async (context) => {
  needs(context, 'dcmtk')
  const secretFile = join(scratch, 'partner-secret')
  writeFileSync(secretFile, SECRET, { mode: 0o600 })
  const partner = await start('simulator', 'partner', '--port', '0', '--secret-file', secretFile)
  const gateway = await start(
    ...['serve', '--data', data, ...LISTENERS, '--allow-unknown-devices'],
    ...['--partner-url', partner.ready.url ?? '', '--partner-secret-file', secretFile],
  )
  const { http = '', dimse = '' } = gateway.ready
  const port = Number(dimse.split(':').at(-1))

  expect((await fetch(`${http}/healthz`)).status).toBe(200)
  const page = await fetch(http)
  expect({ status: page.status, type: page.headers.get('content-type') }).toMatchObject({
    status: 200,
    type: expect.stringContaining('text/html'),
  })
  expect(await echoscu(port)).toBe(true)
  const found = await findscu({ port, args: ['-k', 'PatientName', '-k', 'PatientID'] })
  expect(found.final).toContain('Success')
  expect(found.pending).toBeGreaterThan(0)

  const doctor = run('doctor', '--data', data)
  expect(doctor.stdout).toMatch(/^ok {4}The data folder is /m)
  expect(doctor.stdout).toMatch(/^ok {4}The DICOM listener is running at /m)

  expect(await stop(gateway)).toBe(0)
  expect(await stop(partner)).toBe(0)
  expect(await echoscu(port)).toBe(false)
}, 120_000)

it('runs with the memory of a process that serves for months', needing('linux'), async () => {
  // What the PC's own people set has the last word.
  const gateway = await startWith(
    { UV_THREADPOOL_SIZE: '6' },
    'serve',
    '--data',
    data,
    ...LISTENERS,
  )
  const told = (name: string) =>
    readFileSync(`/proc/${gateway.child.pid}/${name}`, 'utf8').split('\0')
  expect(told('cmdline')).toContain('--min-semi-space-size=4')
  expect(told('environ')).toEqual(
    expect.arrayContaining(
      Object.entries(gatewayEnvironment({ UV_THREADPOOL_SIZE: '6' })).map(
        ([name, value]) => `${name}=${value}`,
      ),
    ),
  )
  expect(await stop(gateway)).toBe(0)
})

it('opens the same data again, and says in a sentence what it lacks', async () => {
  const gateway = await start('serve', '--data', data, ...LISTENERS)
  expect(await stop(gateway)).toBe(0)
  expect(run('serve', '--data', '')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--data DIR'),
  })
}, 60_000)
