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
const MOST_WAITING_OF_HOST = 5

interface Waiting {
  readonly host: string | undefined
  readonly go: () => void
}

/**
 * Passwords as `scrypt$logN$r$p$salt$hash`, both in base64. Not more than two are worked on at
 * once: each takes 128 MiB.
 */
export function openPasswords(cost: ScryptCost = SCRYPT_COST) {
  const running: (string | undefined)[] = []
  const waiting: Waiting[] = []

  const mayRun = (host: string | undefined) =>
    running.length < AT_ONCE && (host === undefined || !running.includes(host))

  /** @throws ApiError too-many where a password of this host would be refused, without any work */
  function requireRoom(host?: string): void {
    if (mayRun(host)) return
    const ofHost = waiting.filter((one) => one.host === host).length
    if (waiting.length < MOST_WAITING && (host === undefined || ofHost < MOST_WAITING_OF_HOST))
      return
    throw new ApiError('too-many', 'Too many people sign in at once. Try again in a moment.', {
      headers: { 'retry-after': '5' },
    })
  }

  /** @throws ApiError too-many */
  async function derive(
    password: string,
    salt: Buffer,
    { logN, r, p }: ScryptCost,
    host?: string,
  ): Promise<Buffer> {
    requireRoom(host)
    if (mayRun(host)) running.push(host)
    else await new Promise<void>((go) => waiting.push({ host, go }))
    try {
      return await new Promise((resolve, reject) => {
        const options = { N: 2 ** logN, r, p, maxmem: 256 * 2 ** logN * r }
        // NIST SP 800-63B §5.1.1.2: one password typed on two keyboards is one password.
        scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, hash) =>
          error ? reject(error) : resolve(hash),
        )
      })
    } finally {
      running.splice(running.indexOf(host), 1)
      // The host that was served just now comes after the others that wait.
      const others = waiting.findIndex((one) => one.host !== host && mayRun(one.host))
      const next = others >= 0 ? others : waiting.findIndex((one) => mayRun(one.host))
      const [one] = next >= 0 ? waiting.splice(next, 1) : []
      if (one) {
        running.push(one.host)
        one.go()
      }
    }
  }

  return {
    async hash(password: string): Promise<string> {
      const salt = randomBytes(SALT_BYTES)
      const hash = await derive(password, salt, cost)
      return [
        'scrypt',
        cost.logN,
        cost.r,
        cost.p,
        salt.toString('base64'),
        hash.toString('base64'),
      ].join('$')
    },
    requireRoom,
    /**
     * The same work is done where `stored` is undefined: nobody learns from the time who has an
     * account.
     * @param host that asks: one has a single password worked on at a time, and those that wait
     *   take turns
     */
    async verify(password: string, stored: string | undefined, host?: string): Promise<boolean> {
      const [kind, logN, r, p, salt, hash] = stored?.split('$') ?? []
      const isKnown = kind === 'scrypt' && salt !== undefined && hash !== undefined
      const expected = Buffer.alloc(HASH_BYTES, isKnown ? Buffer.from(hash, 'base64') : 0)
      const given = isKnown
        ? await derive(
            password,
            Buffer.from(salt, 'base64'),
            { logN: Number(logN), r: Number(r), p: Number(p) },
            host,
          )
        : await derive(password, randomBytes(SALT_BYTES), cost, host)
      return timingSafeEqual(given, expected) && isKnown
    },
  }
}
