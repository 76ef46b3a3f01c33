import { type Message, message } from '#shared/messages/message.ts'
import { WebhookError } from './webhook-error.ts'

/** Leave to call; exactly one of the three is told how it went. */
export interface Passage {
  succeeded(): void
  /** `why`: the detail shown to those who are refused while the circuit is open. */
  failed(why: Message): void
  /**
   * The call ended for a reason that says nothing about the partner, such as the caller's abort.
   */
  abandoned(): void
}

interface Circuit {
  failures: number
  openedAt: number | undefined
  isProbing: boolean
  why: Message | undefined
}

/**
 * Circuit breakers, one for each key: five failures in a row open it, and then one call is let
 * through every fifteen seconds, so that a dead partner costs no console its waiting time.
 * `elapsed`: milliseconds on a clock that never goes back.
 */
export function openCircuits(elapsed: () => number, failuresToOpen = 5, probeAfterMs = 15_000) {
  const circuits = new Map<string, Circuit>()

  function circuitOf(key: string): Circuit {
    let circuit = circuits.get(key)
    if (!circuit) {
      circuit = { failures: 0, openedAt: undefined, isProbing: false, why: undefined }
      circuits.set(key, circuit)
    }
    return circuit
  }

  /**
   * Throws `WebhookError` `circuit-open` while the circuit is open.
   * @param evenIfOpen a person asked for this call and wants to see its own outcome
   */
  function enter(key: string, evenIfOpen = false): Passage {
    const circuit = circuitOf(key)
    let isProbe = false
    if (circuit.openedAt !== undefined && !evenIfOpen) {
      const waitMs = circuit.openedAt + probeAfterMs - elapsed()
      if (waitMs > 0 || circuit.isProbing)
        throw new WebhookError('circuit-open', sentence(circuit, waitMs))
      circuit.isProbing = true
      isProbe = true
    }
    const ended = () => {
      if (isProbe) circuit.isProbing = false
    }
    return {
      succeeded() {
        ended()
        circuit.failures = 0
        circuit.openedAt = undefined
      },
      failed(why) {
        ended()
        circuit.failures += 1
        circuit.why = why
        if (circuit.failures >= failuresToOpen) circuit.openedAt = elapsed()
      },
      abandoned: ended,
    }
  }
  return { enter }
}

function sentence(
  { failures, why = message('webhooks.connection-failed') }: Circuit,
  waitMs: number,
) {
  const seconds = Math.ceil(waitMs / 1000)
  return waitMs > 0
    ? message('webhooks.circuit-open', { failures, why, seconds })
    : message('webhooks.circuit-probing', { failures, why })
}
