import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/**
 * The key store of an account, as `safeStorage` is one: what it wrapped only the same account takes
 * out again.
 */
export function fakeKeyStore(account: string): {
  readonly account: string
  readonly wrap: (plain: Buffer) => Buffer
  readonly unwrap: (wrapped: Buffer) => Buffer
} {
  const key = createHash('sha256').update(account).digest()
  return {
    account,
    wrap(plain) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    unwrap(wrapped) {
      const decipher = createDecipheriv('aes-256-gcm', key, wrapped.subarray(0, 12), {
        authTagLength: 16,
      }).setAuthTag(wrapped.subarray(-16))
      return Buffer.concat([decipher.update(wrapped.subarray(12, -16)), decipher.final()])
    },
  }
}
