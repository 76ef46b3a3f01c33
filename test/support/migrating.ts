import { writeSync } from 'node:fs'
import { openStore } from '#gateway/store/store.ts'

/** Opens the store of a folder, which brings its schema up to date, and says when it begins and what came of it; ended by SIGKILL, or run under `ulimit -f`. */
const [folder = ''] = process.argv.slice(2)
// The default of the signal is the end of the process; with a handler the write fails with EFBIG.
process.on('SIGXFSZ', () => undefined)
writeSync(1, 'begins\n')
try {
  openStore({ folder, clock: Date.now, uuid: () => crypto.randomUUID() })[Symbol.dispose]()
  writeSync(1, 'done\n')
} catch (error) {
  const { name, message, fault } = error as Error & { fault?: string }
  writeSync(1, `${JSON.stringify({ name, message, fault })}\n`)
}
