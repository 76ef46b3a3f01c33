import { writeSync } from 'node:fs'
import { takeLock } from '#gateway/store/lock.ts'
import { openStore } from '#gateway/store/store.ts'

/** Commits devices for ever and prints the id of each once it is durable; run as its own process, ended by SIGKILL. */
const [folder = ''] = process.argv.slice(2)
if (!takeLock(folder)) throw new Error('The folder is locked')
const store = openStore({ folder, clock: Date.now, uuid: () => crypto.randomUUID() })

async function writer(): Promise<void> {
  for (;;) {
    const inspectionId = await store.database.commitSoon(() => {
      const answerHash = store.documents.keep(Buffer.from(crypto.randomUUID()))
      return store.inspections.insert({
        at: new Date().toISOString(),
        origin: 'device',
        deviceName: 'CT 1',
        callingAeTitle: 'CT1',
        calledAeTitle: 'ISTHMUS',
        remoteAddress: '10.0.3.7',
        source: 'live',
        status: '0000',
        errorComment: '',
        fault: null,
        sent: 1,
        filtered: 0,
        withheld: 0,
        tookMs: 1,
        partnerMs: 1,
        sentence: 'CT1 asked.',
        transferSyntax: '1.2.840.10008.1.2.1',
        detail: Buffer.alloc(2000, 1),
        answerHash,
        verdictHash: null,
      })
    })
    // Straight to the pipe: what has been printed was durable before.
    writeSync(1, `${inspectionId}\n`)
  }
}

await Promise.all(Array.from({ length: 8 }, writer))
