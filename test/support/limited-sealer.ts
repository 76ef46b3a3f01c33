import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sealFile } from '#server/database/encrypted-file.ts'

/**
 * Seals the file `plain` of a folder into `closed` and prints what stopped it; run under
 * `ulimit -f`.
 */
const [folder = ''] = process.argv.slice(2)
// The default of the signal is the end of the process; with a handler the call fails with EFBIG.
process.on('SIGXFSZ', () => undefined)
const target = join(folder, 'closed')
const error = await sealFile(join(folder, 'plain'), target, Buffer.alloc(32, 1)).then(
  () => undefined,
  (caught) => caught,
)
console.log(
  JSON.stringify({ fault: error?.fault, message: error?.message, isLeft: existsSync(target) }),
)
