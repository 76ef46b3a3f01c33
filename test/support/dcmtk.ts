import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

const run = promisify(execFile)
const EXAMPLES = '/usr/share/doc/dcmtk/examples'
// Without it DCMTK's tools wait 40 ms for Nagle's algorithm at every message.
const env = { ...process.env, TCP_NODELAY: '1' }

export interface FindOptions {
  readonly port: number
  readonly calling?: string
  readonly called?: string
  /** Further arguments: keys, transfer syntaxes, `--cancel N`. */
  readonly args?: readonly string[]
  /** A query file made by `sampleQuery`. */
  readonly query?: string
  /** Keep the responses as files and read them by `readResponses`. */
  readonly keepIn?: string
}

/** What `findscu -W` said: pending responses, the final status line, all of its output. */
export interface Found {
  readonly pending: number
  readonly final: string
  readonly output: string
}

/** Asks a worklist by DCMTK's findscu. */
export async function findscu({
  port,
  calling = 'CT1',
  called = 'ISTHMUS',
  args = [],
  query,
  keepIn,
}: FindOptions): Promise<Found> {
  const keep = keepIn ? ['-X', '-od', keepIn] : []
  const words = [
    '-v',
    '-W',
    '-aet',
    calling,
    '-aec',
    called,
    ...keep,
    ...args,
    '127.0.0.1',
    String(port),
    ...(query ? [query] : []),
  ]
  const { stdout, stderr } = await run('findscu', words, {
    env,
    encoding: 'latin1',
    timeout: 30_000,
  }).catch((error: { stdout: string; stderr: string }) => error)
  const output = stdout + stderr
  return {
    pending: output.match(/Find Response: \d+ \(Pending/g)?.length ?? 0,
    final: /Received Final Find Response \((.+)\)/.exec(output)?.[1] ?? '',
    output,
  }
}

/** Presses C-ECHO by DCMTK's echoscu; true on success. */
export async function echoscu(port: number, calling = 'CT1', called = 'ISTHMUS'): Promise<boolean> {
  return run('echoscu', ['-aet', calling, '-aec', called, '127.0.0.1', String(port)], {
    env,
    timeout: 15_000,
  }).then(
    () => true,
    () => false,
  )
}

const READER = `
import json, sys, glob, pydicom
def plain(ds):
    out = {}
    for e in ds:
        out[e.keyword or str(e.tag)] = [plain(i) for i in e.value] if e.VR == 'SQ' else ('\\\\'.join(str(v) for v in e.value) if e.VM > 1 else str(e.value if e.value is not None else ''))
    return out
print(json.dumps([plain(pydicom.dcmread(f, force=True)) for f in sorted(glob.glob(sys.argv[1] + '/rsp*.dcm'))]))
`
export type Response = { readonly [keyword: string]: string | readonly Response[] }

/** The responses findscu kept, decoded by pydicom, an implementation that is not ours. */
export async function readResponses(folder: string): Promise<Response[]> {
  const { stdout } = await run('/usr/bin/python3', ['-c', READER, folder], {
    timeout: 30_000,
    maxBuffer: 1 << 26,
  })
  return JSON.parse(stdout) as Response[]
}

/** A folder of its own under the temporary one, removed when it is disposed. */
export function scratchFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'isthmus-test-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** One of the thirteen sample queries that come with DCMTK, as a data set file. */
export async function sampleQuery(number: number, folder: string): Promise<string> {
  const file = join(folder, `wlistqry${number}.wl`)
  await run('dump2dcm', [join(EXAMPLES, 'wlistqry', `wlistqry${number}.dump`), file])
  return file
}

type Attributes = Readonly<Record<string, string>>

/** The ten sample rows as a partner would send them: items of the interface. */
export function sampleItems(): Record<string, unknown>[] {
  return sampleDumps().map((file) => {
    const row = attributes(readFileSync(file, 'utf8'))
    const text = (tag: string) => row[tag] ?? ''
    return {
      AccessionNumber: text('0008,0050'),
      Modality: text('0008,0060'),
      PatientBirthDate: text('0010,0030'),
      PatientID: text('0010,0020'),
      PatientName: text('0010,0010'),
      PatientSex: text('0010,0040'),
      PatientSize: '',
      PatientWeight: '',
      ProtocolName: '',
      RequestedProcedureDescription: text('0032,1060'),
      StudyDescription: text('0032,1060'),
      StudyInstanceUID: text('0020,000d'),
      ScheduledProcedureStepSequence: [
        {
          Modality: text('0008,0060'),
          ScheduledProcedureStepDescription: text('0040,0007'),
          ScheduledProcedureStepID: text('0040,0009'),
          ScheduledProcedureStepStartDate: text('0040,0002'),
          ScheduledProcedureStepStartTime: text('0040,0003'),
          ScheduledProcedureStepLocation: text('0040,0011'),
        },
      ],
    }
  })
}

function sampleDumps(): string[] {
  const folder = join(EXAMPLES, 'wlistdb', 'OFFIS')
  return readdirSync(folder)
    .filter((name) => name.endsWith('.dump'))
    .map((name) => join(folder, name))
}

/** Values by tag; the last of a tag wins, as one of the samples names a tag twice. */
function attributes(dump: string): Attributes {
  return Object.fromEntries(
    [...dump.matchAll(/^\s*\(([0-9a-f]{4},[0-9a-f]{4})\)\s+[A-Z]{2}\s+(.*)$/gm)].map((line) => [
      line[1] ?? '',
      value(line[2] ?? ''),
    ]),
  )
}

const value = (text: string) =>
  text
    .replace(/\s*#.*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .trim()

/** DCMTK's worklist server on the ten sample rows, the reference of the oracle test. */
export async function startWlmscpfs(): Promise<{ readonly port: number } & AsyncDisposable> {
  const scratch = scratchFolder()
  const rows = join(scratch.path, 'OFFIS')
  mkdirSync(rows)
  writeFileSync(join(rows, 'lockfile'), '')
  for (const [index, dump] of sampleDumps().entries())
    await run('dump2dcm', [dump, join(rows, `row${index}.wl`)])
  const port = await freePort()
  const server = spawn('wlmscpfs', ['-s', '-dfp', scratch.path, String(port)], {
    env,
    stdio: 'ignore',
  })
  for (let tries = 0; tries < 100 && !(await echoscu(port, 'TEST', 'OFFIS')); tries++)
    await new Promise((resolve) => setTimeout(resolve, 50))
  return {
    port,
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGTERM')
      await ended
      scratch[Symbol.dispose]()
    },
  }
}
