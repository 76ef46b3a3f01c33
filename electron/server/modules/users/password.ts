import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'

export interface ScryptCost {
  /** log2 of N. */
  readonly logN: number
  readonly r: number
  readonly p: number
}
/** OWASP's first recommendation for scrypt: 128 MiB and a few tenths of a second. */
const SCRYPT_COST: ScryptCost = { logN: 17, r: 8, p: 1 }

const SALT_BYTES = 16
const HASH_BYTES = 32
const MAX_CONCURRENT_HASHES = 2
const MAX_WAITING_HASHES = 20
const MAX_WAITING_PER_HOST = 5

interface WaitingHash {
  readonly host: string | undefined
  readonly go: () => void
}

/**
 * Hashes passwords as `scrypt$logN$r$p$salt$hash`, with salt and hash in base64. At most two are
 * computed at the same time, because each takes 128 MiB.
 */
export class Passwords {
  readonly #cost: ScryptCost
  /** The hosts whose passwords are being computed. */
  readonly #running: (string | undefined)[] = []
  readonly #waiting: WaitingHash[] = []

  constructor(cost: ScryptCost = SCRYPT_COST) {
    this.#cost = cost
  }

  async hash(password: string): Promise<string> {
    const { logN, r, p } = this.#cost
    const salt = randomBytes(SALT_BYTES)
    const hash = await this.#derive(password, salt, this.#cost)
    return ['scrypt', logN, r, p, salt.toString('base64'), hash.toString('base64')].join('$')
  }

  /**
   * Verifies a password. If `stored` is undefined, the same work is done, so that the response time
   * does not reveal which accounts exist.
   * @param host the requesting host; only one password per host is computed at a time, and waiting
   *   hosts alternate
   */
  async verify(password: string, stored: string | undefined, host?: string): Promise<boolean> {
    const [kind, logN, r, p, salt = '', hash] = stored?.split('$') ?? []
    const isKnown = kind === 'scrypt' && hash !== undefined
    const expected = Buffer.alloc(HASH_BYTES, isKnown ? Buffer.from(hash, 'base64') : 0)
    const given = isKnown
      ? await this.#derive(
          password,
          Buffer.from(salt, 'base64'),
          { logN: Number(logN), r: Number(r), p: Number(p) },
          host,
        )
      : await this.#derive(password, randomBytes(SALT_BYTES), this.#cost, host)
    return timingSafeEqual(given, expected) && isKnown
  }

  /**
   * Checks, without doing any work, that a password from this host would be accepted.
   * @throws ApiError too-many
   */
  checkCapacity(host?: string): void {
    if (this.#mayRun(host)) return
    const ofHost = this.#waiting.filter((one) => one.host === host).length
    const hasRoom = host === undefined || ofHost < MAX_WAITING_PER_HOST
    if (this.#waiting.length < MAX_WAITING_HASHES && hasRoom) return
    throw new ApiError('too-many', message('users.sign-ins-too-many'), {
      headers: { 'retry-after': '5' },
    })
  }

  #mayRun(host: string | undefined): boolean {
    return (
      this.#running.length < MAX_CONCURRENT_HASHES &&
      (host === undefined || !this.#running.includes(host))
    )
  }

  /** @throws ApiError too-many */
  async #derive(password: string, salt: Buffer, cost: ScryptCost, host?: string): Promise<Buffer> {
    this.checkCapacity(host)
    if (this.#mayRun(host)) this.#running.push(host)
    else await new Promise<void>((go) => this.#waiting.push({ host, go }))
    try {
      return await deriveHash(password, salt, cost)
    } finally {
      this.#running.splice(this.#running.indexOf(host), 1)
      this.#startNext(host)
    }
  }

  /** Starts the next computation, preferring other hosts to the one that was served last. */
  #startNext(served: string | undefined): void {
    const others = this.#waiting.findIndex((one) => one.host !== served && this.#mayRun(one.host))
    const next = others >= 0 ? others : this.#waiting.findIndex((one) => this.#mayRun(one.host))
    const [one] = next >= 0 ? this.#waiting.splice(next, 1) : []
    if (!one) return
    this.#running.push(one.host)
    one.go()
  }
}

const deriveHash = (password: string, salt: Buffer, { logN, r, p }: ScryptCost) =>
  new Promise<Buffer>((resolve, reject) => {
    const options = { N: 2 ** logN, r, p, maxmem: 256 * 2 ** logN * r }
    // Normalized, so that a password is the same on all keyboards (NIST SP 800-63B §5.1.1.2).
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, hash) =>
      error ? reject(error) : resolve(hash),
    )
  })
