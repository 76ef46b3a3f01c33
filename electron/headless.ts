import { settleMemory } from './command-line/memory.ts'

/** The gateway without a window, and the command line: the same entry file under plain Node and in Electron's utility process. */
settleMemory()
// Loaded after that: what is loaded first would be loaded twice.
const { main } = await import('./command-line/main.ts')
await main(process.argv.slice(2))
