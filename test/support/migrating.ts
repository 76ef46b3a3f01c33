import fs, { writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import Sqlite from 'better-sqlite3'
import { openContext } from '#server/context.ts'

/**
 * Opens the store of a folder, which brings its schema up to date, and prints when it begins and
 * what came of it; ended by SIGKILL, or run under `ulimit -f`. With a number as second argument it
 * kills itself before that call (from 0) which changes the database or its files.
 */
const [folder = '', killAt] = process.argv.slice(2)
// The default of the signal is the end of the process; with a handler the write fails with EFBIG.
process.on('SIGXFSZ', () => undefined)
if (killAt !== undefined) killBefore(Number(killAt))
writeSync(1, 'begins\n')
try {
  openContext({ folder, clock: Date.now, uuid: () => crypto.randomUUID() })[Symbol.dispose]()
  writeSync(1, 'done\n')
} catch (error) {
  const { name, message, fault } = error as Error & { fault?: string }
  writeSync(1, `${JSON.stringify({ name, message, fault })}\n`)
}

function killBefore(call: number): void {
  let left = call
  const counted = (
    of: object,
    names: readonly string[],
    changes: (argument: unknown) => boolean,
  ) => {
    for (const name of names) {
      const method = Reflect.get(of, name) as (...args: unknown[]) => unknown
      Object.assign(of, {
        [name](this: unknown, ...args: unknown[]) {
          if (changes(args[0]) && left-- === 0) process.kill(process.pid, 'SIGKILL')
          return method.apply(this, args)
        },
      })
    }
  }
  counted(fs, ['renameSync', 'rmSync', 'chmodSync', 'fsyncSync'], () => true)
  counted(Sqlite.prototype, ['exec'], () => true)
  counted(Sqlite.prototype, ['pragma', 'prepare'], (sql) =>
    /^(user_version|application_id) =|^vacuum/.test(String(sql)),
  )
  syncBuiltinESMExports()
}
