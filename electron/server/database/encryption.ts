import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto'
import { message } from '#shared/messages/message.ts'
import { dataKeyOf } from './data-key.ts'
import { StoreError } from './store-error.ts'

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encryption at rest with the data key of the folder. */
export interface Seal {
  /**
   * Returns a version byte, a random 96-bit nonce, the AES-256-GCM ciphertext and a 128-bit tag.
   * `context` is authenticated with the data and must be the same for `open`.
   */
  seal(plain: Buffer, context: string): Buffer
  /** @throws StoreError seal-broken if the key or the context differs or the bytes were changed */
  open(sealed: Buffer, context: string): Buffer
  /**
   * A separate key of 32 bytes for one purpose, e.g. signing links: HKDF-SHA256 (RFC 5869) of the
   * data key, always the same.
   */
  keyFor(purpose: string): Buffer
  /** Identifies the data key without revealing it: 16 hexadecimal digits. */
  readonly keyName: string
  /**
   * Encrypts the data key with another key, in the format of `sealWith(key).seal(…, context)`. Used
   * for the recovery key.
   */
  wrapUnder(key: Buffer, context: string): Buffer
  /** A copy of the data key, only for opening a copy of the database in another folder. */
  exportKey(): Buffer
}

/**
 * The encryption of a data folder. The key is provided, read from `data.key`, or created if
 * `mayCreate` is set.
 * @throws StoreError as `dataKeyOf`
 */
export function loadSeal(
  folder: string,
  options: {
    readonly mayCreate: boolean
    /**
     * The 32-byte data key if it is stored elsewhere: in the account's key store or a service
     * credential.
     */
    readonly dataKey?: Buffer | undefined
    readonly random?: (bytes: number) => Buffer
  },
): Seal {
  return sealWith(dataKeyOf(folder, { random: randomBytes, ...options }))
}

/** Encryption with the given 32-byte key, which is copied. */
export function sealWith(dataKey: Buffer): Seal {
  const key = Buffer.from(dataKey)
  // Prepared once: a key given as bytes is checked and copied for each value.
  const cipherKey = createSecretKey(key)
  const keyFor = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', key, '', `isthmus ${purpose}`, 32))
  return {
    keyFor,
    keyName: keyNameOf(key),
    wrapUnder: (wrapping, context) => sealWith(wrapping).seal(key, context),
    exportKey: () => Buffer.from(key),
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce).setAAD(Buffer.from(context))
      return Buffer.concat([
        Buffer.of(VERSION),
        nonce,
        cipher.update(plain),
        cipher.final(),
        cipher.getAuthTag(),
      ])
    },
    open(sealed, context) {
      const end = sealed.length - TAG_BYTES
      const start = 1 + NONCE_BYTES
      if (sealed[0] !== VERSION || end < start) throw sealBroken(context)
      const cipher = createDecipheriv('aes-256-gcm', cipherKey, sealed.subarray(1, start), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(context))
        .setAuthTag(sealed.subarray(end))
      try {
        return Buffer.concat([cipher.update(sealed.subarray(start, end)), cipher.final()])
      } catch (error) {
        throw sealBroken(context, error)
      }
    },
  }
}

/** Identifies a 32-byte key without revealing it. */
export const keyNameOf = (key: Buffer): string =>
  Buffer.from(hkdfSync('sha256', key, '', 'isthmus name of the data key', 8)).toString('hex')

function sealBroken(context: string, cause?: unknown): StoreError {
  return new StoreError(
    'seal-broken',
    message('database.sealed-not-opened', { what: context }),
    cause,
  )
}
