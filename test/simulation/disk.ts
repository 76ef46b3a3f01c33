import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { pageCache } from './page-cache.ts'

/**
 * The disk under the gateway, in this process: `fs` with faults, and the moments at which a run may
 * end. Imported before anything of the gateway, which keeps some of the functions when it is
 * loaded. What is asynchronous is done at once and answered in the next turn, so that the same
 * calls always end in the same order. Syncs are not handed to the disk: `cache` knows what a
 * simulated power failure takes along.
 */

/**
 * full: nothing can be written, and no commit either; the others fail once. write, sync, name: of
 * an image's bytes, of them or their folder, of a file's place; log: the sync of the database's
 * log; commit: a transaction.
 */
export const DISK_FAULTS = ['full', 'write', 'sync', 'name', 'log', 'commit'] as const
export type DiskFault = (typeof DISK_FAULTS)[number]

export interface Disk {
  /** What comes next; undefined: all is well. */
  fault: DiskFault | undefined
  /** Called at each moment at which a run may end; undefined outside of what the gateway does. */
  moment: ((what: string) => void) | undefined
  /** How often a fault was met. */
  met: number
}
export const disk: Disk = { fault: undefined, moment: undefined, met: 0 }
export const cache = pageCache()

const CODES: Readonly<Record<DiskFault, string>> = {
  full: 'ENOSPC',
  write: 'EIO',
  sync: 'EIO',
  name: 'EIO',
  log: 'EIO',
  commit: 'EIO',
}
/** Calls that a fault is about. */
const ABOUT: Readonly<Record<string, readonly DiskFault[]>> = {
  open: ['full'],
  writev: ['full', 'write'],
  write: ['full', 'write'],
  fsync: ['sync'],
  fdatasync: ['log'],
  rename: ['name', 'full'],
  mkdir: ['full'],
}

function faultOf(call: string): NodeJS.ErrnoException | undefined {
  if (!disk.moment || !disk.fault || !ABOUT[call]?.includes(disk.fault)) return undefined
  const code = CODES[disk.fault]
  disk.met++
  if (disk.fault !== 'full') disk.fault = undefined
  return Object.assign(new Error(`${code}: simulated, ${call}`), { code, syscall: call, errno: -5 })
}

/** Whether the transaction that is about to be committed fails. */
export function commitFault(): 'SQLITE_FULL' | 'SQLITE_IOERR' | undefined {
  if (!disk.moment || (disk.fault !== 'full' && disk.fault !== 'commit')) return undefined
  disk.met++
  if (disk.fault === 'full') return 'SQLITE_FULL'
  disk.fault = undefined
  return 'SQLITE_IOERR'
}

type Call = (...values: unknown[]) => unknown
const own = fs as unknown as Record<string, Call>

/** Opening for reading is no write. */
const isMet = (call: string, values: readonly unknown[]): boolean =>
  call !== 'open' || /[wa]/.test(String(values[1] ?? 'r'))

function simulate(name: string, call: string, work: Call): Call {
  const isSync = name.endsWith('Sync')
  const simulated: Call = (...values) => {
    // Everybody else (the test runner, the copy that a kill leaves) has the disk as it is.
    if (!disk.moment) return originals[name]?.apply(fs, values)
    disk.moment(name)
    const error = isMet(call, values) ? faultOf(call) : undefined
    if (isSync) {
      if (error) throw error
      return work(...values)
    }
    const callback = values.at(-1) as Call
    let result: unknown
    let failure: unknown = error
    try {
      if (!error) result = work(...values.slice(0, -1))
    } catch (cause) {
      failure = cause
    }
    if (failure) setImmediate(callback, failure)
    else setImmediate(callback, null, result)
    return undefined
  }
  // `promisify` knows by a symbol what `fs.writev` calls back with.
  const symbols = Object.getOwnPropertySymbols(own[name] as object)
  for (const symbol of symbols)
    Object.defineProperty(
      simulated,
      symbol,
      Object.getOwnPropertyDescriptor(own[name], symbol) ?? {},
    )
  return simulated
}

const originals: Readonly<Record<string, Call>> = Object.fromEntries(
  [
    ...['open', 'writev', 'fsync', 'fdatasync', 'rename', 'unlink'],
    ...[
      'openSync',
      'writevSync',
      'writeSync',
      'fsyncSync',
      'renameSync',
      'mkdirSync',
      'statfsSync',
      'copyFileSync',
    ],
  ].map((name) => [name, own[name] as Call]),
)
const original = (name: string): Call => originals[name] as Call
/** Does the work, then notes it. */
const noted =
  (work: Call, note: (result: unknown, values: readonly unknown[]) => void): Call =>
  (...values) => {
    const result = work(...values)
    note(result, values)
    return result
  }
const open = noted(original('openSync'), (fd, [path]) => cache.opened(fd as number, String(path)))
const writev = noted(original('writevSync'), (_, [fd]) => cache.wrote(fd as number))
const rename = noted(original('renameSync'), (_, [from, to]) =>
  cache.renamed(String(from), String(to)),
)
const fsync: Call = (fd) => cache.synced(fd as number)
Object.assign(fs, {
  open: simulate('open', 'open', open),
  openSync: simulate('openSync', 'open', open),
  writev: simulate('writev', 'writev', writev),
  writevSync: simulate('writevSync', 'writev', writev),
  writeSync: simulate('writeSync', 'write', original('writeSync')),
  fsync: simulate('fsync', 'fsync', fsync),
  fsyncSync: simulate('fsyncSync', 'fsync', fsync),
  // Of the log of the database alone.
  fdatasync: simulate('fdatasync', 'fdatasync', () => cache.logSynced()),
  rename: simulate('rename', 'rename', rename),
  renameSync: simulate('renameSync', 'rename', rename),
  mkdirSync: simulate(
    'mkdirSync',
    'mkdir',
    noted(original('mkdirSync'), (_, [path]) => cache.made(String(path))),
  ),
  unlink: simulate(
    'unlink',
    'unlink',
    noted(
      (path) => fs.unlinkSync(path as string),
      (_, [path]) => cache.removed(String(path)),
    ),
  ),
  statfsSync: (...values: unknown[]) => {
    const space = original('statfsSync')(...values) as {
      bavail: number
      blocks: number
      bsize: number
    }
    // Whatever room this machine has.
    return disk.moment
      ? { ...space, bsize: 4096, blocks: 1 << 26, bavail: disk.fault === 'full' ? 0 : 1 << 25 }
      : space
  },
})
syncBuiltinESMExports()
