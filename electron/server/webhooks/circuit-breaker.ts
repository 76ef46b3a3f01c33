import { type Message, message } from '#shared/messages/message.ts'
import { WebhookError } from './webhook-error.ts'

/** Permission for one call. Exactly one of the three methods must be called with its outcome. */
export interface CallPermit {
  succeeded(): void
  /** `why`: the explanation given to callers while the circuit is open. */
  failed(why: Message): void
  /** The call ended for a reason unrelated to the partner, such as an abort by the caller. */
  abandoned(): void
}

interface Circuit {
  failures: number
  openedAt: number | undefined
  isProbing: boolean
  why: Message | undefined
}

/**
 * Circuit breakers by key. Five consecutive failures open a circuit; then one call is permitted
 * every fifteen seconds, so that an unreachable partner does not delay device consoles. `elapsed`:
 * a monotonic clock in milliseconds.
 */
export function openCircuitBreakers(
  elapsed: () => number,
  failuresToOpen = 5,
  probeAfterMs = 15_000,
) {
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
   * Asks for permission to call. @throws WebhookError `circuit-open` while the circuit is open
   * @param ignoresOpenCircuit permits the call in any case, because a person wants to see its outcome
   */
  function enter(key: string, ignoresOpenCircuit = false): CallPermit {
    const circuit = circuitOf(key)
    let isProbe = false
    if (circuit.openedAt !== undefined && !ignoresOpenCircuit) {
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
