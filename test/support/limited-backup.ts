import { randomUUID } from 'node:crypto'
import { mkdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openContext } from '#server/context.ts'
import { acquireLock } from '#server/database/lock.ts'
import { makeBackup } from '#server/modules/backups/make-backup.ts'

/**
 * Backs up the database in `data` of a folder into `backups`, and prints what stopped it: run
 * under `ulimit -f`. `--fill`: makes that database first, of some megabytes, and backs nothing up.
 * `--for-ever`: one after another, to be ended by SIGKILL.
 */
const [folder = '', mode] = process.argv.slice(2)
// The default of the signal is the end of the process; with a handler the call fails with EFBIG.
process.on('SIGXFSZ', () => undefined)
const [data, target] = [join(folder, 'data'), join(folder, 'backups')]
mkdirSync(target, { recursive: true })
if (!acquireLock(data)) throw new Error('The folder is locked')
using store = openContext({ folder: data, clock: Date.now, uuid: randomUUID })

let second = Math.floor(Date.now() / 1000)
const back = () => {
  second += 1
  return makeBackup({ ...store, clock: () => second * 1000 }, target, 'scheduled', '1.2.3')
}

if (mode === '--fill')
  store.database.transaction(() => {
    for (let at = 0; at < 500; at++)
      store.audit.append({
        actor: 'gateway',
        action: 'test',
        target: String(at),
        detail: { text: 'x'.repeat(8000) },
      })
  })
else if (mode === '--for-ever') {
  writeSync(1, 'begins\n')
  for (;;) {
    await back()
    writeSync(1, 'made one\n')
  }
} else {
  const error = await back().then(
    () => undefined,
    (caught) => caught,
  )
  console.log(JSON.stringify({ fault: error?.fault, message: error?.message }))
}
