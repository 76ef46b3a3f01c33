import { settleMemory } from './cli/memory.ts'

/**
 * The gateway without a window, and the command line: the same entry file under plain Node and in
 * Electron's utility process.
 */
settleMemory()
// Loaded after that: what is loaded first would be loaded twice.
const { main } = await import('./cli/main.ts')
const { parentPort } = await import('./cli/worker-port.ts')
await main(process.argv.slice(2))
// A utility process does not end when nothing is left to do (electron/electron issue 47228). What
// it said last goes first.
if (parentPort()) process.stdout.write('', () => process.stderr.write('', () => process.exit()))
