import { setFlagsFromString } from 'node:v8'
import { ENVIRONMENT_IS_SET, gatewayEnvironment } from '#shared/gateway-environment.ts'

// The gateway without a window, and the command line: the same entry file under plain Node and in
// Electron's utility process.

/**
 * MiB, where V8 begins with 1: what a query makes is garbage before it is moved to the old
 * generation. Read once, at the start of a process.
 */
const YOUNG_GENERATION = '--min-semi-space-size=4'

/**
 * The gateway shares one PC with other programs for months. V8 sizes its heap by the machine's
 * memory and glibc gives every thread an arena of its own: left alone, the garbage of a busy
 * morning grows both to some hundred MB that are never given back (docs/decisions/0006).
 */
function limitMemory(): void {
  // V8 reads these at each collection. So little is collected at a time that waking other threads
  // for it takes longer.
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=20')
  setFlagsFromString('--no-parallel-scavenge')
  // The other flags are read at the start alone, and only a gateway runs long enough to need them.
  if (
    process.platform !== 'linux' ||
    process.env[ENVIRONMENT_IS_SET] ||
    process.argv[2] !== 'serve'
  )
    return
  const args = [process.execPath, YOUNG_GENERATION, ...process.execArgv, ...process.argv.slice(1)]
  process.execve?.(process.execPath, args, gatewayEnvironment(process.env))
}

limitMemory()
// Imported after that: the process may have been replaced, and would load everything twice.
const { main } = await import('./cli/commands.ts')
const { parentPort } = await import('./cli/parent-port.ts')
await main(process.argv.slice(2))
// A utility process does not end when nothing is left to do (electron/electron issue 47228). Its
// output is flushed first.
if (parentPort()) process.stdout.write('', () => process.stderr.write('', () => process.exit()))
