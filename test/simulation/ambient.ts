import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { type Random, randomOf } from './random.ts'

const real = { randomUUID: crypto.randomUUID, randomBytes: crypto.randomBytes, random: Math.random }

/**
 * Ids, keys and nonces are drawn from the seed until it is disposed of: `openGateway` takes no
 * `uuid` from outside. `Math.random` is always one half: it only spreads waits, and who draws first
 * among things side by side is nobody's order.
 */
export function seededAmbient(seed: number): Disposable {
  const random = randomOf(seed ^ 0x5eed)
  const set = (randomUUID: unknown, randomBytes: unknown, mathRandom: () => number) => {
    Object.assign(crypto, { randomUUID, randomBytes })
    syncBuiltinESMExports()
    Math.random = mathRandom
  }
  set(
    () => uuidOf(random),
    (size: number, callback?: (error: null, bytes: Buffer) => void) => {
      const bytes = bytesOf(random, size)
      if (callback) setImmediate(callback, null, bytes)
      return bytes
    },
    () => 0.5,
  )
  return { [Symbol.dispose]: () => set(real.randomUUID, real.randomBytes, real.random) }
}

function bytesOf(random: Random, size: number): Buffer {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at < size; at++) bytes[at] = random.below(256)
  return bytes
}

/** RFC 9562 §5.4. */
export function uuidOf(random: Random): string {
  const bytes = bytesOf(random, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-')
}
