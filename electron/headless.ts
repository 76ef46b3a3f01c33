import { enableCompileCache, findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { ENVIRONMENT_MARKER, gatewayEnvironment } from '#shared/gateway-environment.ts'

// Entry point of the server without a window and of the command line, under plain Node and in
// Electron's utility process.

/**
 * In MiB; V8's default is 1. With 4, the garbage of a worklist query is collected before it is
 * promoted to the old generation. V8 reads this flag only at process start.
 */
const SEMI_SPACE_OPTION = '--min-semi-space-size=4'

/**
 * Limits memory growth, because the gateway shares a PC with other programs for months. V8 sizes
 * its heap by the machine's memory and glibc gives each thread its own arena, so without limits
 * both grow to several hundred MB that are never returned (docs/decisions/0006).
 */
function limitMemory(): void {
  // V8 reads these flags at each collection. Collections are so small that waking parallel threads
  // for them would take longer than the collection.
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--no-parallel-scavenge')
  // The other flags are read only at process start, and only `serve` runs long enough to need them.
  if (
    process.platform !== 'linux' ||
    process.env[ENVIRONMENT_MARKER] ||
    process.argv[2] !== 'serve'
  )
    return
  const args = [process.execPath, SEMI_SPACE_OPTION, ...process.execArgv, ...process.argv.slice(1)]
  process.execve?.(process.execPath, args, gatewayEnvironment(process.env))
}

/**
 * Keeps the compiled code of this version for its next start, a fifth of whose time is compiling.
 * In the folder that systemd gives the service, or with the packages of a checkout. Where neither
 * can be written to, and in the desktop app's archive, every start compiles.
 */
function keepCompiledCode(): void {
  const folder = dirname(findPackageJSON('..', import.meta.url) ?? '')
  const { CACHE_DIRECTORY = join(folder, 'node_modules', '.cache', 'isthmus') } = process.env
  enableCompileCache(join(CACHE_DIRECTORY, 'code'))
}

limitMemory()
keepCompiledCode()
// Imported only now, because execve may have replaced the process and the modules would be loaded
// twice.
const { main } = await import('./cli/commands.ts')
const { parentPort } = await import('./cli/parent-port.ts')
await main(process.argv.slice(2))
// A utility process does not exit when its event loop is empty (electron/electron issue 47228), so
// it exits here after flushing its output.
if (parentPort()) process.stdout.write('', () => process.stderr.write('', () => process.exit()))
