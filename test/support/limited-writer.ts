import { randomUUID } from 'node:crypto'
import { ImageFiles } from '#server/database/image-files.ts'

/**
 * Writes 1 MiB into a file of the image spool and prints how far it came and what stopped it; run
 * under `ulimit -f`.
 */
const [folder = ''] = process.argv.slice(2)
// The default of the signal is the end of the process; with a handler the call fails with EFBIG.
process.on('SIGXFSZ', () => undefined)
const part = new ImageFiles(folder, randomUUID).begin()
const kind = await part.write(Array.from({ length: 16 }, () => Buffer.alloc(65_536, 1))).then(
  () => 'none',
  (error) => error.kind,
)
console.log(JSON.stringify({ kind, bytes: part.bytes }))
await part.discard()
