import { writeSync } from 'node:fs'
import { openContext } from '#server/context.ts'
import { acquireLock } from '#server/database/lock.ts'
import { insertInspection } from '#server/modules/worklist/inspection-queries.ts'
import { storeDocument } from '#server/modules/worklist/queries.ts'
import { inspectionRecord } from './inspection-record.ts'

/**
 * Commits devices for ever and prints the id of each once it is durable; run as its own process,
 * ended by SIGKILL.
 */
const [folder = ''] = process.argv.slice(2)
if (!acquireLock(folder)) throw new Error('The folder is locked')
const store = openContext({ folder, clock: Date.now, uuid: () => crypto.randomUUID() })

async function writer(): Promise<void> {
  for (;;) {
    const inspectionId = await store.database.commitSoon(() => {
      const answerHash = storeDocument(store, Buffer.from(crypto.randomUUID()))
      const at = new Date().toISOString()
      return insertInspection(
        store.database,
        inspectionRecord(at, { detail: Buffer.alloc(2000, 1), answerHash }),
      )
    })
    // Straight to the pipe: what has been printed was durable before.
    writeSync(1, `${inspectionId}\n`)
  }
}

await Promise.all(Array.from({ length: 8 }, writer))
