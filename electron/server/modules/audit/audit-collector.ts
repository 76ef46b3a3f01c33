import type { Context } from '#server/context.ts'
import type { Certificates } from '#server/http/certificates.ts'
import { actorName } from '#server/modules/users/users.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Message } from '#shared/messages/message.ts'
import { Collector } from './collector.ts'

/** The collector has not been receiving entries for some time. */
export interface CollectorFault {
  readonly since: string
  readonly count: number
  readonly isMore: boolean
  readonly detail: Message
}

/** How long a fault must last before it is shown, so that a restart of the collector is not. */
const FAULT_GRACE_MS = 5 * 60_000
const MAX_COUNT = 999

/** Sends the audit trail to the collector that is configured in the settings, if there is one. */
export class AuditCollector implements AsyncDisposable {
  readonly #context: Context
  readonly #collector: Collector
  readonly #stopListening: () => void

  constructor(context: Context, certificates: Pick<Certificates, 'of'>) {
    const { settings } = context
    this.#context = context
    this.#collector = new Collector(
      context,
      () => targetOf(context, certificates),
      () => ({
        id: settings.get('clinic.id') ?? 'isthmus',
        site: settings.get('clinic.name'),
        nameOf: (actor) => actorName(context, actor),
      }),
    )
    this.#stopListening = settings.onChange(
      (keys) => keys.some((key) => key.startsWith('audit.')) && this.#collector.retry(),
    )
  }

  /** The current fault; `undefined` if the collector is up to date or has failed only briefly. */
  fault(): CollectorFault | undefined {
    const { waiting, fault } = this.#collector.state()
    // The absolute difference, so that setting the clock back does not hide a fault.
    if (!fault || Math.abs(this.#context.clock() - fault.since) < FAULT_GRACE_MS) return undefined
    const count = Math.min(Math.max(1, waiting), MAX_COUNT)
    const since = instantOf(fault.since)
    return { since, count, isMore: waiting > MAX_COUNT, detail: fault.reason }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopListening()
    await this.#collector[Symbol.asyncDispose]()
  }
}

function targetOf({ settings }: Context, certificates: Pick<Certificates, 'of'>) {
  const host = settings.get('audit.collectorHost')
  if (host === null) return undefined
  return {
    host,
    port: settings.get('audit.collectorPort'),
    authorities: settings.get('audit.collectorAuthorities'),
    identity: settings.get('audit.collectorIdentity') ? certificates.of('dicom-tls') : undefined,
  }
}
