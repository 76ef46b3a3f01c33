import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { message } from '#shared/messages/message.ts'
import { dataKeyOf } from './data-key.ts'
import { StoreError } from './store-error.ts'

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encryption at rest under the data key of the folder. */
export interface Seal {
  /**
   * Version byte, 96-bit random nonce, AES-256-GCM ciphertext, 128-bit tag. `context` says what it
   * is and must be given again.
   */
  seal(plain: Buffer, context: string): Buffer
  /** @throws StoreError seal-broken: another key, another context or changed bytes. */
  open(sealed: Buffer, context: string): Buffer
  /**
   * A key of 32 bytes of its own for a purpose, e.g. to sign links: HKDF-SHA256 (RFC 5869) of the
   * data key, always the same.
   */
  keyFor(purpose: string): Buffer
  /** Which data key it is, without saying it: 16 hexadecimal digits. */
  readonly keyName: string
  /**
   * The data key itself as `sealWith(key).seal(…, context)` gives it: for whoever has that key,
   * such as the sheet of the recovery key.
   */
  wrapUnder(key: Buffer, context: string): Buffer
  /**
   * A copy of the data key: to open a copy of the database in another folder, and for nothing else.
   */
  exportKey(): Buffer
}

/**
 * The seal of a data folder. Its key is handed over, or read from `data.key`, or made when
 * `mayCreate`.
 * @throws StoreError as `dataKeyOf`
 */
export function openSeal(
  folder: string,
  options: {
    readonly mayCreate: boolean
    /**
     * 32 bytes that something else keeps: the key store of the account, a credential of the
     * service.
     */
    readonly dataKey?: Buffer | undefined
    readonly random?: (bytes: number) => Buffer
  },
): Seal {
  return sealWith(dataKeyOf(folder, { random: randomBytes, ...options }))
}

/** The seal under a key of 32 bytes, of which it keeps a copy of its own. */
export function sealWith(dataKey: Buffer): Seal {
  const key = Buffer.from(dataKey)
  const keyFor = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', key, '', `isthmus ${purpose}`, 32))
  return {
    keyFor,
    keyName: keyNameOf(key),
    wrapUnder: (wrapping, context) => sealWith(wrapping).seal(key, context),
    exportKey: () => Buffer.from(key),
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
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
      if (sealed[0] !== VERSION || end < start) throw broken(context)
      const cipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, start), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(context))
        .setAuthTag(sealed.subarray(end))
      try {
        return Buffer.concat([cipher.update(sealed.subarray(start, end)), cipher.final()])
      } catch (error) {
        throw broken(context, error)
      }
    },
  }
}

/** Which key of 32 bytes it is, without saying it. */
export const keyNameOf = (key: Buffer): string =>
  Buffer.from(hkdfSync('sha256', key, '', 'isthmus name of the data key', 8)).toString('hex')

function broken(context: string, cause?: unknown): StoreError {
  return new StoreError(
    'seal-broken',
    message('database.sealed-not-opened', { what: context }),
    cause,
  )
}
