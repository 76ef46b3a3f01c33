import type { Socket } from 'node:net'
import { writeAll } from './connection.ts'
import { ABORT_REASON, ABORT_SOURCE } from './pdu.ts'
import { writePdu } from './pdu-writer.ts'
import {
  type Effect,
  type Event,
  type EventParameters,
  type State,
  transition,
} from './state-machine.ts'

/** One side of a connection, driven by the state table of PS3.8 §9.2. */
export abstract class ProtocolMachine<G extends EventParameters> {
  protected readonly socket: Socket
  #state: State = 'Sta1'
  #artim: NodeJS.Timeout | undefined

  constructor(socket: Socket) {
    this.socket = socket
  }

  protected get state(): State {
    return this.#state
  }

  /** Implements the effects of the table on this side; a missing effect cannot occur. */
  protected abstract readonly effects: Readonly<Partial<Record<Effect, (given: G) => void>>>

  protected dispatch(
    event: Event,
    given: EventParameters & Partial<G> = {},
    otherwise = false,
  ): void {
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

  protected write({ bytes = [], onWritten }: EventParameters): void {
    writeAll(this.socket, bytes, onWritten)
  }

  /**
   * An abort by the provider keeps its reason in Sta2 too. Table 9-9 specifies a user abort there,
   * but no user exists yet, and a user abort has no reason.
   */
  protected writeAbort({
    abort = { source: ABORT_SOURCE.serviceProvider, reason: ABORT_REASON.unexpectedPdu },
  }: EventParameters): void {
    writeAll(this.socket, [writePdu({ type: 'A-ABORT', ...abort })])
  }

  /**
   * Sends complete P-DATA-TFs in one write. Resolves to true when the network has accepted them,
   * and to false if it never will. `stalled` is called if that takes longer than this many seconds.
   */
  protected writeData(
    bytes: readonly Buffer[],
    seconds: number,
    stalled: () => void,
  ): Promise<boolean> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined
      const onWritten = (error?: Error | null) => {
        clearTimeout(timer)
        resolve(!error)
      }
      this.dispatch('Evt9', { bytes, onWritten } as EventParameters & Partial<G>)
      // What fits into the operating system's buffer is accepted immediately.
      if (this.socket.writableLength > 0) timer = setTimeout(stalled, seconds * 1000)
    })
  }
}
