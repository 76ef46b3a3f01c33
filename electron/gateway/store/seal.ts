import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { readDataKey } from './data-key.ts'
import { StoreError } from './store-error.ts'

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encryption at rest under the data key of the folder. */
export interface Seal {
  /** Version byte, 96-bit random nonce, AES-256-GCM ciphertext, 128-bit tag. `context` says what it is and must be given again. */
  seal(plain: Buffer, context: string): Buffer
  /** @throws StoreError seal-broken: another key, another context or changed bytes. */
  open(sealed: Buffer, context: string): Buffer
  /** A key of 32 bytes of its own for a purpose, e.g. to sign links: HKDF-SHA256 (RFC 5869) of the data key, always the same. */
  keyFor(purpose: string): Buffer
}

/** The seal of a data folder, with its key read from `data.key`, or made when `mayCreate`. @throws StoreError as `readDataKey` */
export function openSeal(folder: string, options: { readonly mayCreate: boolean; readonly random?: (bytes: number) => Buffer }): Seal {
  return sealWith(readDataKey(folder, { mayCreate: options.mayCreate, random: options.random ?? randomBytes }))
}

/** The seal under a key of 32 bytes. */
export function sealWith(key: Buffer): Seal {
  return {
    keyFor: (purpose) => Buffer.from(hkdfSync('sha256', key, '', `isthmus ${purpose}`, 32)),
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      return Buffer.concat([Buffer.of(VERSION), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed, context) {
      const end = sealed.length - TAG_BYTES
      const start = 1 + NONCE_BYTES
      if (sealed[0] !== VERSION || end < start) throw broken(context)
      const cipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, start), { authTagLength: TAG_BYTES })
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

function broken(context: string, cause?: unknown): StoreError {
  return new StoreError('seal-broken', `A sealed ${context} cannot be opened: it was changed, or sealed under another data key.`, cause)
}
