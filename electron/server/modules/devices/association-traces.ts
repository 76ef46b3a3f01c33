import type {
  AnsweredRequest,
  AssociationInfo,
  AssociationObserver,
} from '#server/dicom/dimse/service.ts'
import type { AssociateRq, ProposedContext } from '#server/dicom/upper-layer/pdu.ts'

/** One request of a device and its final response, as they were on the network. */
export interface TracedExchange extends AnsweredRequest {
  /** When the response had been written (ms). */
  readonly at: number
}

/** What is kept of an association beside its entry in the log. */
export interface AssociationTrace {
  readonly rejection: RejectionCodes | undefined
  /** What the caller of a rejected association proposed; undefined if it is too long. */
  readonly proposal: Proposal | undefined
  readonly exchanges: readonly TracedExchange[]
  /** Number of further exchanges, which are not kept. */
  readonly omitted: number
}

/** Result, source and reason of an A-ASSOCIATE-RJ (PS3.8 Table 9-21). */
export interface RejectionCodes {
  readonly result: number
  readonly source: number
  readonly reason: number
}

/** The parts of an A-ASSOCIATE-RQ that a vendor's support asks for. */
export interface Proposal {
  readonly maximumLength: number
  readonly implementationClassUid: string
  readonly implementationVersionName: string
  readonly contexts: readonly ProposedContext[]
}

interface Entry {
  readonly caller: string
  rejection: RejectionCodes | undefined
  proposal: Proposal | undefined
  readonly exchanges: TracedExchange[]
  omitted: number
  /** Of data sets and of the proposal. */
  dataSetBytes: number
}

/** The newest associations of one caller, so that a busy device does not displace the others. */
const MAX_PER_CALLER = 20
const MAX_ASSOCIATIONS = 400
const MAX_EXCHANGES = 100
/** Identifiers and attribute lists of devices take a few kilobytes; longer ones are not kept. */
const MAX_DATA_SET_BYTES = 32 << 10
const MAX_TOTAL_DATA_SET_BYTES = 8 << 20
/** As JSON. The 128 contexts that PS3.8 §9.3.2.2 permits take about 30,000 characters. */
const MAX_PROPOSAL = 64 << 10

/**
 * The messages of the newest associations, in memory: a restart forgets them. They contain patient
 * data, which only `dataSet` and the instance UIDs of a command hold; whoever shows them replaces
 * it. Nothing is decoded until somebody looks, so that no device waits for it.
 */
export class AssociationTraces {
  readonly #clock: () => number
  /** In the order in which they began. */
  readonly #entries = new Map<string, Entry>()
  readonly idsByCaller = new Map<string, string[]>()
  #dataSetBytes = 0

  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** An observer that keeps what happens, and then calls the given one. */
  observing(observer: AssociationObserver): AssociationObserver {
    return {
      ...observer,
      opened: (association, services, negotiated) => {
        this.#begin(association)
        observer.opened(association, services, negotiated)
      },
      rejected: (association, rejection, services, request) => {
        const { result, source, reason } = rejection
        const entry = this.#begin(association)
        entry.rejection = { result, source, reason }
        if (request) this.#keepProposal(entry, request)
        observer.rejected(association, rejection, services, request)
      },
      answered: (association, answer) => {
        this.#keep(association.associationId, answer)
        observer.answered(association, answer)
      },
    }
  }

  /** Undefined for an association before the last start, or one that newer ones displaced. */
  of(associationId: string): AssociationTrace | undefined {
    return this.#entries.get(associationId)
  }

  #begin({ associationId, callingAeTitle, remoteAddress }: AssociationInfo): Entry {
    const caller = `${callingAeTitle} ${remoteAddress}`
    const entry: Entry = {
      ...{ caller, rejection: undefined, proposal: undefined },
      ...{ exchanges: [], omitted: 0, dataSetBytes: 0 },
    }
    this.#entries.set(associationId, entry)
    const ids = this.idsByCaller.get(caller) ?? []
    ids.push(associationId)
    this.idsByCaller.set(caller, ids)
    if (ids.length > MAX_PER_CALLER) this.#remove(ids[0])
    while (this.#entries.size > MAX_ASSOCIATIONS) this.#remove(this.#oldest)
    return entry
  }

  #keep(associationId: string, answer: AnsweredRequest): void {
    const entry = this.#entries.get(associationId)
    if (!entry) return
    if (entry.exchanges.length >= MAX_EXCHANGES) {
      entry.omitted += 1
      return
    }
    const { exchange } = answer
    const bytes = exchange?.dataSet?.length ?? 0
    const isTooLong = bytes > MAX_DATA_SET_BYTES
    entry.exchanges.push({
      ...answer,
      ...(exchange && isTooLong && { exchange: { ...exchange, dataSet: undefined } }),
      at: this.#clock(),
    })
    if (!isTooLong) this.#addBytes(entry, bytes)
  }

  #keepProposal(entry: Entry, { user, presentationContexts }: AssociateRq): void {
    const { maximumLength, implementationClassUid, implementationVersionName } = user
    const proposal = {
      ...{ maximumLength, implementationClassUid, implementationVersionName },
      contexts: presentationContexts,
    }
    const { length } = JSON.stringify(proposal)
    if (length > MAX_PROPOSAL) return
    entry.proposal = proposal
    this.#addBytes(entry, length)
  }

  #addBytes(entry: Entry, bytes: number): void {
    entry.dataSetBytes += bytes
    this.#dataSetBytes += bytes
    while (this.#dataSetBytes > MAX_TOTAL_DATA_SET_BYTES) this.#remove(this.#oldest)
  }

  get #oldest(): string | undefined {
    return this.#entries.keys().next().value
  }

  #remove(associationId: string | undefined): void {
    const entry = associationId === undefined ? undefined : this.#entries.get(associationId)
    if (associationId === undefined || !entry) return
    this.#entries.delete(associationId)
    this.#dataSetBytes -= entry.dataSetBytes
    const remainingIds =
      this.idsByCaller.get(entry.caller)?.filter((id) => id !== associationId) ?? []
    if (remainingIds.length > 0) this.idsByCaller.set(entry.caller, remainingIds)
    else this.idsByCaller.delete(entry.caller)
  }
}
