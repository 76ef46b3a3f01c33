import type { AcceptedContext } from '#server/dicom/upper-layer/presentation-contexts.ts'
import { message, type Message as Said } from '#shared/messages/message.ts'
import type { CommandSet } from './command-set.ts'
import { type Message, writeMessage } from './message.ts'

/** The association on which the sub-operations are performed. */
export interface SubOperationTarget {
  /** Sends complete messages in one write; false if the association has ended. */
  send(parts: readonly Buffer[]): Promise<boolean>
  /** Aborts the association. */
  terminate(detail: Said): void
}

/** A request of the acceptor; its message id is assigned by `SubOperations`. */
export type SubOperationCommand = Omit<CommandSet, 'messageId' | 'hasDataSet'>

/** The data set of a request in complete P-DATA-TFs. */
export interface FramedDataSet {
  /**
   * The next P-DATA-TFs, to be given back by `release` when they have been sent; undefined at the
   * end.
   */
  next(): Promise<Buffer | undefined>
  release(pdus: Buffer): void
}

interface OutstandingRequest {
  readonly messageId: number
  readonly answered: PromiseWithResolvers<CommandSet | undefined>
}

/**
 * Requests of the acceptor to the peer on the peer's own association: the C-STORE sub-operations of
 * a C-GET (PS3.4 C.4.3). There is one at a time, because asynchronous operations are not negotiated.
 */
export class SubOperations {
  readonly #target: SubOperationTarget
  /** The peer's maximum P-DATA-TF length in bytes; 0: unlimited. */
  readonly #maximumLength: number
  readonly #responseSeconds: number
  #messageId = 0
  #outstanding: OutstandingRequest | undefined

  /** @param responseSeconds after which a peer that does not respond is aborted */
  constructor(target: SubOperationTarget, maximumLength: number, responseSeconds: number) {
    this.#target = target
    this.#maximumLength = maximumLength
    this.#responseSeconds = responseSeconds
  }

  /**
   * Sends a request; resolves to its response, or to undefined if the association has ended.
   * @param before messages that are sent in the same write, such as a pending response
   * @throws the error of `dataSet`; the association is then aborted, because the message is
   * incomplete
   */
  async request(
    context: AcceptedContext,
    command: SubOperationCommand,
    dataSet: FramedDataSet,
    before: readonly Buffer[] = [],
  ): Promise<CommandSet | undefined> {
    // PS3.7 §9.1: unique among the outstanding requests of this side, of which there is only one.
    this.#messageId = (this.#messageId % 0xffff) + 1
    const messageId = this.#messageId
    const outstanding: OutstandingRequest = { messageId, answered: Promise.withResolvers() }
    this.#outstanding = outstanding
    const head = writeMessage(
      context.id,
      { ...command, messageId, hasDataSet: true },
      undefined,
      this.#maximumLength,
    )
    try {
      if (!(await this.#send([...before, head], dataSet))) return undefined
    } catch (error) {
      this.#target.terminate(message('dicom.data-set-unread'))
      throw error
    }
    return await this.#response(outstanding)
  }

  /** Sends the data set; the next P-DATA-TFs are read while the previous ones are being sent. */
  async #send(head: readonly Buffer[], dataSet: FramedDataSet): Promise<boolean> {
    let pdus = await dataSet.next()
    let parts = pdus ? [...head, pdus] : head
    for (;;) {
      const sending = this.#target.send(parts)
      const reading = pdus ? dataSet.next() : undefined
      // Awaited below; until then a rejection must not count as unhandled.
      reading?.catch(() => {})
      const isSent = await sending
      if (pdus) dataSet.release(pdus)
      pdus = await reading
      if (!isSent) {
        if (pdus) dataSet.release(pdus)
        return false
      }
      if (!pdus) return true
      parts = [pdus]
    }
  }

  async #response({ answered }: OutstandingRequest): Promise<CommandSet | undefined> {
    const seconds = this.#responseSeconds
    const timer = setTimeout(
      () => this.#target.terminate(message('dicom.sub-operation-unanswered', { seconds })),
      seconds * 1000,
    )
    try {
      return await answered.promise
    } finally {
      clearTimeout(timer)
      this.#outstanding = undefined
    }
  }

  /** Takes a response of the peer. False if no request with its message id is outstanding. */
  take({ command }: Message): boolean {
    if (this.#outstanding?.messageId !== command.messageIdBeingRespondedTo) return false
    this.#outstanding?.answered.resolve(command)
    return this.#outstanding !== undefined
  }

  /** Ends the outstanding request with the association. */
  end(): void {
    this.#outstanding?.answered.resolve(undefined)
  }
}
