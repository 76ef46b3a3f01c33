import { openPartnerSimulator } from '#electron/simulator/partner.ts'
import type { Actor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { Peer } from '#server/dicom/scu/requestor.ts'
import type { WorklistExam } from '#server/dicom/scu/worklist.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import { addDevice } from '#server/modules/devices/devices.ts'
import { connectAsModality } from '#server/modules/devices/modality-simulation.ts'
import { newSecret, readPartner, setPartner } from '#server/modules/partners/service.ts'
import { clinicDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Simulators } from '#shared/contract/dashboard-setup.ts'
import { NewDevice } from '#shared/contract/devices.ts'
import { ApiError } from '#shared/errors.ts'
import { message, verbatim } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'
import { performExam } from './simulated-exam.ts'

const HOST = '127.0.0.1'
const AE_TITLE = 'SIMULATOR'

type Visit = NonNullable<Simulators['visit']>

/**
 * A simulated partner and a simulated CT for trying out the gateway, started from the window. Their
 * patients are invented. The simulated partner never replaces a configured partner.
 */
export class TrialSimulators implements AsyncDisposable {
  #partner: Awaited<ReturnType<typeof openPartnerSimulator>> | undefined
  #visit: Visit | null = null
  readonly #context
  readonly #dicomPort

  /** @param dicomPort port of the DICOM listener; undefined while it is down */
  constructor(context: Context, dicomPort: () => number | undefined) {
    this.#context = context
    this.#dicomPort = dicomPort
  }

  state(): Simulators {
    const { url } = readPartner(this.#context)
    return {
      partnerUrl: this.#partner?.url ?? null,
      // Recognized after a restart, too, because the port is a setting.
      hasPartner: url !== null && url !== (this.#partner?.url ?? partnerUrl(this.#port)),
      deviceAeTitle: AE_TITLE,
      visit: this.#visit,
    }
  }

  /** @throws ApiError refused: another partner is set, or the port is taken */
  async startPartner(actor: Actor): Promise<Simulators> {
    if (this.state().hasPartner) throw new ApiError('refused', message('setup.partner-is-set'))
    if (this.#partner) return this.state()
    const secret = newSecret()
    const { clock } = this.#context
    const port = this.#port
    this.#partner = await openPartnerSimulator({ host: HOST, port, secret, clock }).catch(() => {
      throw new ApiError('refused', message('setup.simulator-port', { port }))
    })
    try {
      const { url } = this.#partner
      setPartner(this.#context, { url, secret, allowPlaintext: true }, actor)
    } catch (error) {
      await this.stopPartner()
      throw error
    }
    return this.state()
  }

  async stopPartner(): Promise<Simulators> {
    await this.#partner?.[Symbol.asyncDispose]()
    this.#partner = undefined
    return this.state()
  }

  /**
   * Acts as a CT: sends a C-ECHO, queries today's worklist and, with `withImages`, sends images for
   * the first exam. The result, or the failure, is in the returned state.
   * @throws ApiError refused: images can be sent only for exams of the simulated partner, because
   *   those of another partner belong to real patients
   */
  async visitAsDevice(withImages: boolean, actor: Actor): Promise<Simulators> {
    if (withImages && (!this.#partner || this.state().hasPartner))
      throw new ApiError('refused', message('setup.images-of-real-patients'))
    const at = instantOf(this.#context.clock())
    this.#addDevice(actor)
    try {
      const peer = this.#peer()
      const { exams } = await connectAsModality(peer, AE_TITLE, {
        modality: 'CT',
        startDate: this.#today(),
      })
      const images = withImages ? await this.#perform(peer, exams) : 0
      this.#visit = { at, exams: exams.length, images, fault: null }
    } catch (error) {
      const fault =
        error instanceof MessageError
          ? error.explanation
          : verbatim(error instanceof Error ? error.message : String(error))
      this.#visit = { at, exams: 0, images: 0, fault }
    }
    return this.state()
  }

  get #port(): number {
    return this.#context.settings.get('setup.simulatorPort')
  }

  /** Today in the clinic, as DA. */
  #today(): string {
    const { clock, settings } = this.#context
    return clinicDay(clock(), timeZoneOf(settings.get('clinic.timeZone'))).replaceAll('-', '')
  }

  #peer(): Peer {
    const port = this.#dicomPort()
    if (port === undefined) throw new ApiError('refused', message('setup.no-dicom-listener'))
    return { host: HOST, port, aeTitle: this.#context.settings.get('dimse.aeTitle') }
  }

  #addDevice(actor: Actor): void {
    const isKnown = listDevices(this.#context.database).some(({ aeTitle }) => aeTitle === AE_TITLE)
    if (isKnown) return
    addDevice(
      this.#context,
      NewDevice.parse({ aeTitle: AE_TITLE, address: HOST, name: 'Simulated CT', modality: 'CT' }),
      actor,
    )
  }

  /** Sends generated images for the first exam and returns how many were stored. */
  async #perform(peer: Peer, exams: readonly WorklistExam[]): Promise<number> {
    const [exam] = exams
    if (!exam) throw new ApiError('refused', message('setup.no-exam-to-perform'))
    return await performExam(peer, AE_TITLE, exam)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopPartner()
  }
}

const partnerUrl = (port: number) => `http://${HOST}:${port}/webhooks`
