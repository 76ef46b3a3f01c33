import { readFileSync } from 'node:fs'
import { StartError } from '#server/http/start-error.ts'
import { KEY_BYTES } from '#server/modules/settings/key-file.ts'
import { KeyStoreState } from '#shared/contract/shell.ts'
import { UsageError } from './words.ts'
import type { ParentPort } from './worker-port.ts'

/** The data key as whoever started the gateway keeps it. */
export interface HandedKey {
  /** Undefined: it is in the folder, or still to be made. */
  readonly dataKey?: Buffer
  /** As the desktop app says. */
  readonly keyStore?: KeyStoreState
}

/**
 * What the gateway's process tells Electron's main process: a recovery key is in force, so the data
 * key may go into the key store.
 */
export interface KeyNews {
  readonly sealKey: true
}

const PATIENCE_MS = 30_000

/**
 * Waits for the first message of Electron's main process, `{ dataKey, keyStore }`. Keys never go by
 * argument or environment: other programs of the account can read those, and dumps hold them.
 * @throws StartError none came
 */
export function keyFromParent(port: ParentPort, patienceMs = PATIENCE_MS): Promise<HandedKey> {
  return new Promise((resolve, reject) => {
    const end = setTimeout(
      () =>
        reject(
          new StartError('The app did not hand over the data key: end it and start it again.'),
        ),
      patienceMs,
    )
    // It stays: a port without a listener holds back what comes until the next one, such as the
    // word to stop.
    port.on('message', ({ data }) => {
      const handed = handedKey(data)
      if (!handed) return
      clearTimeout(end)
      resolve(handed)
    })
  })
}

function handedKey(data: unknown): HandedKey | undefined {
  if (typeof data !== 'object' || data === null || !('dataKey' in data) || !('keyStore' in data))
    return undefined
  const { dataKey } = data
  const keyStore = KeyStoreState.safeParse(data.keyStore).data
  if (!keyStore || !(dataKey === null || dataKey instanceof Uint8Array)) return undefined
  if (dataKey === null) return { keyStore }
  const key = Buffer.from(dataKey)
  dataKey.fill(0)
  return { dataKey: key, keyStore }
}

/**
 * The key in a file of the service, such as a credential of systemd (`LoadCredential`). @throws
 * UsageError it cannot be read, or is none
 */
export function keyFromFile(file: string): HandedKey {
  let dataKey: Buffer
  try {
    dataKey = readFileSync(file)
  } catch (error) {
    throw new UsageError(
      `--data-key-file: ${file} could not be read (${(error as NodeJS.ErrnoException).code}).`,
    )
  }
  if (dataKey.length !== KEY_BYTES)
    throw new UsageError(
      `--data-key-file: ${file} has ${dataKey.length} bytes instead of the ${KEY_BYTES} of a data.key.`,
    )
  return { dataKey }
}
