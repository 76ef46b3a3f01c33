import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { ApiError } from '#shared/errors.ts'

export interface ScryptCost {
  /** log2 of N. */
  readonly logN: number
  readonly r: number
  readonly p: number
}
/** OWASP's first choice for scrypt: 128 MiB and some tenths of a second. */
const SCRYPT_COST: ScryptCost = { logN: 17, r: 8, p: 1 }

const SALT_BYTES = 16
const HASH_BYTES = 32
const AT_ONCE = 2
const MOST_WAITING = 20

/** Passwords as `scrypt$logN$r$p$salt$hash`, both in base64. Not more than two are worked on at once: each takes 128 MiB. */
export interface Passwords {
  hash(password: string): Promise<string>
  /** The same work is done where `stored` is undefined: nobody learns from the time who has an account. */
  verify(password: string, stored: string | undefined): Promise<boolean>
}

export function openPasswords(cost: ScryptCost = SCRYPT_COST): Passwords {
  let running = 0
  const waiting: (() => void)[] = []

  /** @throws ApiError too-many */
  async function derive(password: string, salt: Buffer, { logN, r, p }: ScryptCost): Promise<Buffer> {
    if (running >= AT_ONCE) {
      if (waiting.length >= MOST_WAITING)
        throw new ApiError('too-many', 'Too many people sign in at once. Try again in a moment.', { headers: { 'retry-after': '5' } })
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running += 1
    try {
      return await new Promise((resolve, reject) => {
        const options = { N: 2 ** logN, r, p, maxmem: 256 * 2 ** logN * r }
        // NIST SP 800-63B §5.1.1.2: one password typed on two keyboards is one password.
        scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, hash) => (error ? reject(error) : resolve(hash)))
      })
    } finally {
      // The place is handed on, not freed: `running` stays as it is when somebody waits.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }

  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES)
      const hash = await derive(password, salt, cost)
      return ['scrypt', cost.logN, cost.r, cost.p, salt.toString('base64'), hash.toString('base64')].join('$')
    },
    async verify(password, stored) {
      const [kind, logN, r, p, salt, hash] = stored?.split('$') ?? []
      const isKnown = kind === 'scrypt' && salt !== undefined && hash !== undefined
      const expected = Buffer.alloc(HASH_BYTES, isKnown ? Buffer.from(hash, 'base64') : 0)
      const given = isKnown
        ? await derive(password, Buffer.from(salt, 'base64'), { logN: Number(logN), r: Number(r), p: Number(p) })
        : await derive(password, randomBytes(SALT_BYTES), cost)
      return timingSafeEqual(given, expected) && isKnown
    },
  }
}
