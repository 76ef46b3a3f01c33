import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'

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
export class Passwords {
  readonly #cost: ScryptCost
  /** The hosts whose passwords are worked on. */
  readonly #running: (string | undefined)[] = []
  readonly #waiting: Waiting[] = []

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
   * The same work is done where `stored` is undefined: nobody learns from the time who has an
   * account.
   * @param host that asks: one has a single password worked on at a time, and the hosts that wait
   *   alternate
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

  /** @throws ApiError too-many where a password of this host would be refused, without any work */
  requireRoom(host?: string): void {
    if (this.#mayRun(host)) return
    const ofHost = this.#waiting.filter((one) => one.host === host).length
    const hasRoom = host === undefined || ofHost < MOST_WAITING_OF_HOST
    if (this.#waiting.length < MOST_WAITING && hasRoom) return
    throw new ApiError('too-many', message('users.sign-ins-too-many'), {
      headers: { 'retry-after': '5' },
    })
  }

  #mayRun(host: string | undefined): boolean {
    return this.#running.length < AT_ONCE && (host === undefined || !this.#running.includes(host))
  }

  /** @throws ApiError too-many */
  async #derive(password: string, salt: Buffer, cost: ScryptCost, host?: string): Promise<Buffer> {
    this.requireRoom(host)
    if (this.#mayRun(host)) this.#running.push(host)
    else await new Promise<void>((go) => this.#waiting.push({ host, go }))
    try {
      return await derive(password, salt, cost)
    } finally {
      this.#running.splice(this.#running.indexOf(host), 1)
      this.#startNext(host)
    }
  }

  /** The host that was served just now comes after the others that wait. */
  #startNext(served: string | undefined): void {
    const others = this.#waiting.findIndex((one) => one.host !== served && this.#mayRun(one.host))
    const next = others >= 0 ? others : this.#waiting.findIndex((one) => this.#mayRun(one.host))
    const [one] = next >= 0 ? this.#waiting.splice(next, 1) : []
    if (!one) return
    this.#running.push(one.host)
    one.go()
  }
}

const derive = (password: string, salt: Buffer, { logN, r, p }: ScryptCost) =>
  new Promise<Buffer>((resolve, reject) => {
    const options = { N: 2 ** logN, r, p, maxmem: 256 * 2 ** logN * r }
    // NIST SP 800-63B §5.1.1.2: one password typed on two keyboards is one password.
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, hash) =>
      error ? reject(error) : resolve(hash),
    )
  })
