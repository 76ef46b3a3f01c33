import { setFlagsFromString } from 'node:v8'
import { gatewayEnvironment, SETTLED } from '#shared/gateway-environment.ts'

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
export function settleMemory(): void {
  // Read at each collection, so they hold from here on. So little is collected at a time that
  // waking other threads for it takes longer.
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=20')
  setFlagsFromString('--no-parallel-scavenge')
  // Only a gateway runs long enough for what is read at the start to matter.
  if (process.platform !== 'linux' || process.env[SETTLED] || process.argv[2] !== 'serve') return
  const args = [process.execPath, YOUNG_GENERATION, ...process.execArgv, ...process.argv.slice(1)]
  process.execve?.(process.execPath, args, gatewayEnvironment(process.env))
}
