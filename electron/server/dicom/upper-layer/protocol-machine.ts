import type { Socket } from 'node:net'
import { writeAtOnce } from './connection.ts'
import { ABORT_REASON, ABORT_SOURCE } from './pdu.ts'
import { writePdu } from './pdu-writer.ts'
import { type Effect, type Event, type Given, type State, transition } from './state-machine.ts'

/** One side of a connection, driven by the table of PS3.8 §9.2. */
export abstract class ProtocolMachine<G extends Given> {
  protected readonly socket: Socket
  #state: State = 'Sta1'
  #artim: NodeJS.Timeout | undefined

  constructor(socket: Socket) {
    this.socket = socket
  }

  protected get state(): State {
    return this.#state
  }

  /** What the effects of the table are on this side; an effect that is missing cannot happen. */
  protected abstract readonly effects: Readonly<Partial<Record<Effect, (given: G) => void>>>

  protected dispatch(event: Event, given: Given & Partial<G> = {}, otherwise = false): void {
    const { effects, next } = transition(this.#state, event, otherwise)
    this.#state = next
    for (const effect of effects) this.effects[effect]?.(given as G)
  }

  protected startArtim(seconds: number, expired: () => void): void {
    clearTimeout(this.#artim)
    this.#artim = setTimeout(expired, seconds * 1000)
  }

  protected stopArtim(): void {
    clearTimeout(this.#artim)
  }

  protected write({ bytes = [], taken }: Given): void {
    writeAtOnce(this.socket, bytes, taken)
  }

  /**
   * A provider's abort has its reason in Sta2 too, where Table 9-9 says user: there is no user yet,
   * and a user's has no reason.
   */
  protected writeAbort({
    abort = { source: ABORT_SOURCE.serviceProvider, reason: ABORT_REASON.unexpectedPdu },
  }: Given): void {
    writeAtOnce(this.socket, [writePdu({ type: 'A-ABORT', ...abort })])
  }

  /**
   * Whole P-DATA-TFs in one write; resolves when the network has taken them, false where it never
   * will. `stalled` is called where that takes longer than so many seconds.
   */
  protected writeData(
    bytes: readonly Buffer[],
    seconds: number,
    stalled: () => void,
  ): Promise<boolean> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined
      const taken = (error?: Error | null) => {
        clearTimeout(timer)
        resolve(!error)
      }
      this.dispatch('Evt9', { bytes, taken } as Given & Partial<G>)
      // What fits into the system's buffer is taken at once.
      if (this.socket.writableLength > 0) timer = setTimeout(stalled, seconds * 1000)
    })
  }
}
