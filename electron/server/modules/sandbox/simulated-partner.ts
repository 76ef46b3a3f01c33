import { openPartnerSimulator, type PartnerSimulator } from '#electron/simulator/partner.ts'
import type { Context } from '#server/context.ts'
import { newSecret, readPartner, setPartner } from '#server/modules/partners/service.ts'
import { KeyedMutex } from '#server/platform/concurrency.ts'
import type { SandboxState } from '#shared/contract/sandbox.ts'

/** By this path the sandbox knows its own simulator again, whatever its port is. */
const PATH = '/simulated-partner'

/**
 * The partner of a sandbox without a webhook: answers all events with invented exams, so that every
 * call of the sandbox works at once. It never replaces an address that somebody set.
 */
export class SimulatedPartner implements AsyncDisposable {
  readonly #context: Context
  readonly #starts = new KeyedMutex()
  #simulator: PartnerSimulator | undefined

  constructor(context: Context) {
    this.#context = context
  }

  /** Starts the simulator if the sandbox has no webhook. */
  async ensure(): Promise<void> {
    await this.#starts.run('start', async () => {
      const { url } = readPartner(this.#context)
      if (url !== null && (!isSimulated(url) || this.#simulator)) return
      const secret = newSecret()
      const { clock } = this.#context
      this.#simulator = await openPartnerSimulator({ host: '127.0.0.1', port: 0, secret, clock })
      const own = new URL(PATH, this.#simulator.url).href
      setPartner(this.#context, { url: own, secret, allowPlaintext: true }, 'gateway')
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#simulator?.[Symbol.asyncDispose]()
  }
}

const isSimulated = (url: string): boolean => new URL(url).pathname === PATH

/** Where the events of the sandbox go; null before the first. */
export function webhookOf(context: Context): SandboxState['webhook'] {
  const { url } = readPartner(context)
  return url === null ? null : { url, isSimulated: isSimulated(url) }
}
