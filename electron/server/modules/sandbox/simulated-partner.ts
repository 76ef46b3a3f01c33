import { openPartnerSimulator, type PartnerSimulator } from '#electron/simulator/partner.ts'
import type { Context } from '#server/context.ts'
import { newSecret, readPartner, setPartner } from '#server/modules/partners/service.ts'
import { KeyedMutex } from '#server/platform/concurrency.ts'
import { isSimulatorUrl, SIMULATED_PATH } from './webhook.ts'

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
      if (url !== null && (!isSimulatorUrl(url) || this.#simulator)) return
      const secret = newSecret()
      const { clock } = this.#context
      this.#simulator = await openPartnerSimulator({ host: '127.0.0.1', port: 0, secret, clock })
      const ownUrl = new URL(SIMULATED_PATH, this.#simulator.url).href
      setPartner(this.#context, { url: ownUrl, secret, allowPlaintext: true }, 'gateway')
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#simulator?.[Symbol.asyncDispose]()
  }
}
