import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendCommand } from '#server/modules/control/control.ts'
import { logFilesOf } from '#server/platform/log-file.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardBackups } from '#shared/contract/dashboard-backups.ts'
import {
  CANARY_PATIENT,
  CANARY_WORDS,
  type Canary,
  type CanaryKind,
  type Leak,
  leaksIn,
  PATIENT_CANARIES,
  secretCanary,
} from '../support/canaries.ts'
import { type CanaryClinic, openCanaryClinic } from '../support/canary-clinic.ts'
import { serving } from '../support/command-line.ts'
import { OWNER, sessionHeaders } from '../support/gateway.ts'
import { httpCall } from '../support/http-call.ts'
import { tempFolder } from '../support/temp-store.ts'
import { queryWorklist, rejectionOf } from '../support/worklist-client.ts'

// A day of a clinic whose patient, passwords, keys and tokens are words of nobody else; then they
// are looked for wherever they have no business.

/**
 * What may be in a file in the clear, and why (SECURITY.md). Paths are of the data folder, by `/`.
 */
const CLEAR: readonly {
  readonly where: RegExp
  readonly kind: CanaryKind
  readonly what?: string
  readonly why: string
}[] = [
  {
    where: /^images\//,
    kind: 'patient',
    why: 'images are kept as the device sent them: a disk that is encrypted protects them',
  },
  {
    where: /^cache\/views\//,
    kind: 'patient',
    why: 'images that the partner gave for a view, like images/',
  },
  {
    where: /^data\.key$/,
    kind: 'secret',
    what: 'data key',
    why: 'it is the key, where no key store of an account has it',
  },
]
const mayBe = ({ where, kind, what }: Leak) =>
  CLEAR.some((one) => one.where.test(where) && one.kind === kind && (one.what ?? what) === what)

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile())
const slashed = (path: string) => path.replaceAll('\\', '/')
/** What is in the files of a folder and must not be. */
const leaksOfFolder = (folder: string, canaries: readonly Canary[], only = /./): Leak[] =>
  filesOf(folder)
    .map(slashed)
    .filter((name) => only.test(name))
    .flatMap((name) => leaksIn(readFileSync(join(folder, name)), name, canaries))
    .filter((leak) => !mayBe(leak))

const temp = tempFolder()
const folder = join(temp.folder, 'data')
let day: CanaryClinic
beforeAll(async () => {
  mkdirSync(folder)
  day = await openCanaryClinic(folder)
}, 120_000)
afterAll(async () => {
  await day[Symbol.asyncDispose]()
  temp[Symbol.dispose]()
})

describe('after a day of the clinic, nothing of its patient and nothing that opens anything', () => {
  const nothingIn = (found: Buffer | string, where: string) =>
    expect(leaksIn(found, where, day.canaries)).toEqual([])

  it('is in the log, at any level, or in the feed', async () => {
    const { started, users } = day.clinic
    expect(started.log.length).toBeGreaterThan(5)
    nothingIn(started.log.join('\n'), 'log')
    nothingIn(JSON.stringify((await users.owner.call(dashboard.feed, { query: {} })).lines), 'feed')
  })

  it('is in metrics and health', async () => {
    for (const path of ['/metrics', '/healthz', '/readyz'])
      nothingIn((await httpCall(day.clinic.http + path)).text, path)
  })

  it('is in the bundle for support', async () => {
    const { http, users } = day.clinic
    nothingIn(JSON.stringify(await users.owner.call(dashboardBackups.diagnostics, {})), 'preview')
    const answer = await fetch(`${http}/dashboard/backups/diagnostics.zip`, {
      headers: await sessionHeaders(http, OWNER),
    })
    const pages = Object.entries(unzipSync(new Uint8Array(await answer.arrayBuffer())))
    expect(pages.length).toBeGreaterThan(5)
    for (const [name, bytes] of pages) nothingIn(`${name}\n${strFromU8(bytes)}`, name)
  })

  it('is told by the control socket to whoever may open the data folder', async () => {
    for (const request of [
      { command: 'status' },
      { command: 'doctor' },
      { command: 'config get' },
      { command: 'no such command' },
    ])
      nothingIn(JSON.stringify(await sendCommand(folder, request)), request.command)
  })

  it('is told to strangers, or to a partner that is refused what it sent', () => {
    expect(day.refusals.length).toBeGreaterThan(12)
    for (const [index, text] of day.refusals.entries()) nothingIn(text, `refusal ${index + 1}`)
  })

  it('is in an address that the gateway calls, or in a header', () => {
    // Files are fetched by presigned addresses: their signature is what opens them, and is in no
    // other place.
    const toFiles = (call: string) => /[?&]signature=/.test(call)
    expect(day.called.filter(toFiles).length).toBeGreaterThan(0)
    // The test itself fetches the PDF.
    for (const call of day.called.filter((one) => !one.startsWith(day.clinic.http)))
      expect(
        leaksIn(call, call.split(/[? ]/, 1)[0] ?? '', day.canaries).filter(
          ({ what }) => !toFiles(call) || what !== 'signature of a file’s address',
        ),
      ).toEqual([])
  })

  it('is in the clear in the database, its log or another file, but what CLEAR says', () => {
    const names = filesOf(folder).map(slashed)
    expect(names).toEqual(
      expect.arrayContaining(['gateway.sqlite', 'gateway.sqlite-wal', 'data.key', 'recovery.key']),
    )
    expect(leaksOfFolder(folder, day.canaries)).toEqual([])
    // Each exception is one: there is something that it lets be.
    for (const { where, kind } of CLEAR)
      expect(
        names
          .filter((name) => where.test(name))
          .flatMap((name) => leaksIn(readFileSync(join(folder, name)), name, day.canaries)),
        String(where),
      ).toContainEqual(expect.objectContaining({ kind }))
  })

  it('is lost to staff by that: the window shows what a refused console was sent, with the partner’s words', async () => {
    const { call } = day.clinic.users.owner
    const { inspections } = await call(dashboard.inspections, { query: { outcome: 'failed' } })
    const refused = inspections.find(({ status }) => status === 'C001')
    expect(refused?.errorComment).toBe('Worklist not authorised for AE CT1')
    const shown = await call(dashboard.inspection, {
      params: { inspectionId: refused?.inspectionId ?? 0 },
      query: {},
    })
    expect(shown.errorComment).toBe(`Worklist not authorised for AE CT1: ${CANARY_WORDS.refusal}`)
  })

  it('is in a backup', () => {
    expect(filesOf(day.backups)).toContainEqual(expect.stringMatching(/database\.sealed$/))
    expect(leaksOfFolder(day.backups, day.canaries)).toEqual([])
  })

  it('is the name of a file, nor is anything left in the spool', () => {
    for (const name of [...filesOf(folder), ...filesOf(day.backups)])
      nothingIn(name, 'name of a file')
    expect(filesOf(join(folder, 'spool')).filter((name) => name.endsWith('.part'))).toEqual([])
  })
})

describe('the process of a gateway', () => {
  it('has no secret in its arguments, its environment, what it prints and its log files', async () => {
    // It takes the folder of the day over.
    await day[Symbol.asyncDispose]()
    const logs = join(folder, 'logs', 'gateway.log')
    await using gateway = await serving(folder, '--log-file', logs, '--log-level', 'trace')
    await queryWorklist(gateway.dimsePort)
    await rejectionOf(gateway.dimsePort, { callingAeTitle: 'STRANGER' })
    await sessionHeaders(gateway.http, OWNER)
    await httpCall(`${gateway.http}/nothing/${encodeURIComponent(CANARY_PATIENT.family)}`)
    const pid = gateway.child.pid ?? 0
    const seen =
      process.platform === 'linux'
        ? ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${pid}/${file}`))
        : []
    expect(await gateway.end('SIGTERM')).toBe(0)
    const files = logFilesOf(logs)
    expect(files.length).toBeGreaterThan(0)
    for (const found of [
      ...seen,
      [...gateway.stdout, ...gateway.stderr].join('\n'),
      ...files.map(({ path }) => readFileSync(path)),
    ])
      expect(leaksIn(found, 'the process', day.canaries)).toEqual([])
  })
})

describe('the search itself', () => {
  const KEY = Buffer.from(Array.from({ length: 32 }, (_, index) => (index * 37 + 11) % 256))
  const canaries = [
    ...PATIENT_CANARIES,
    secretCanary('data key', KEY),
    secretCanary('password', OWNER.password),
  ]
  const { family, given } = CANARY_PATIENT

  it.each([
    ['plain', `patient ${family} came`],
    ['plain', `PATIENT ${family.toUpperCase()}`],
    ['plain', 'index: zilpzalpova'],
    ['Latin-1', Buffer.from('Zilpzalpov\xe1', 'latin1')],
    ['UTF-16', Buffer.from(`x${given}`, 'utf16le')],
    ['percent-encoded', `/search?q=${encodeURIComponent(family)}`],
    ['escaped', 'Zilpzalpov\\u00e1'],
    ['hex', Buffer.from(given).toString('hex').toUpperCase()],
    ['base64', Buffer.from(`a${given} and more`).toString('base64')],
    ['base64', Buffer.from(`to${OWNER.password}`).toString('base64url')],
    ['base64', Buffer.concat([Buffer.from('key'), KEY, KEY]).toString('base64')],
    ['numbers', JSON.stringify({ key: [...KEY] }).replace('{"key":', '')],
  ])('finds a canary that is there as %s', (form, found) => {
    expect(leaksIn(found, 'there', canaries)).toContainEqual(
      expect.objectContaining({ form, where: 'there' }),
    )
  })

  it('finds none where there is none', () => {
    expect(leaksIn('The lungs are clear. 2026-11-22 MRN-4711', 'there', canaries)).toEqual([])
  })

  it('finds what is planted in a file of the data folder, and would have it refused', () => {
    const planted = join(temp.folder, 'planted')
    mkdirSync(join(planted, 'images'), { recursive: true })
    cpSync(join(folder, 'gateway.sqlite'), join(planted, 'gateway.sqlite'))
    writeFileSync(join(planted, 'images', 'one.dcm'), `PN ${family}`)
    expect(leaksOfFolder(planted, day.canaries, /^(gateway|images)/)).toEqual([])
    appendFileSync(join(planted, 'gateway.sqlite'), `\0${given}\0`)
    writeFileSync(join(planted, 'images', 'two.dcm'), OWNER.password)
    expect(leaksOfFolder(planted, day.canaries).map(({ what, where }) => [what, where])).toEqual(
      expect.arrayContaining([
        ['given', 'gateway.sqlite'],
        ['password', 'images/two.dcm'],
      ]),
    )
  })
})
