import type { Context } from '#server/context.ts'
import {
  Deliveries,
  type DeliveryAttempt,
  type DeliveryData,
  type Destination,
} from '#server/webhooks/deliveries.ts'
import type { Requester } from '#server/webhooks/request.ts'

export interface Known {
  readonly dataOf: (reportId: string) => DeliveryData | undefined
  readonly destinationOf?: (reportId: string) => Destination
  readonly attempted: (attempt: DeliveryAttempt) => void
  readonly onGone: (endpointId: string) => void
  readonly isIdle?: () => boolean
  readonly random?: () => number
}

/** Deliveries of what the test says that reports and endpoints are. */
export class TestDeliveries extends Deliveries {
  readonly #known: Known

  constructor(context: Context, requester: Requester, known: Known) {
    super(context, requester, known.random ?? (() => 0.5))
    this.#known = known
  }

  protected dataOf(reportId: string) {
    return this.#known.dataOf(reportId)
  }
  protected destinationOf(reportId: string) {
    return this.#known.destinationOf?.(reportId) ?? { endpointId: 'partner' }
  }
  protected attempted(attempt: DeliveryAttempt) {
    this.#known.attempted(attempt)
  }
  protected endpointGone(endpointId: string) {
    this.#known.onGone(endpointId)
  }
  protected isIdle() {
    return this.#known.isIdle?.() ?? false
  }
}
