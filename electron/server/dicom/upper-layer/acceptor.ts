import { randomUUID } from 'node:crypto'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import type {
  AssociationInfo,
  AssociationObserver,
  AssociationPolicy,
} from '#server/dicom/dimse/service.ts'
import type { ServiceClass } from '#server/dicom/dimse/service-class.ts'
import {
  connectionToClose,
  hostOf,
  isThisPc,
  isWithinShare,
} from '#server/platform/connection-budget.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { OpenAssociations } from './association-admission.ts'
import type { DimseLimits } from './limits.ts'
import { SlicePool } from './slice-pool.ts'

/** The parts of a connection that other connections depend on. */
export interface AcceptedConnection {
  readonly host: string
  readonly info: AssociationInfo | undefined
  readonly isOpen: boolean
  readonly isUnlisted: boolean
  readonly heldBytes: number
  readonly aheadBytes: number
  readonly gatheredBytes: number
  /** Resolves when no request is being performed. */
  whenIdle(): Promise<void>
  terminate(detail: Message): void
  destroy(detail: Message): void
}

const NORMALIZED_COMMANDS: ReadonlySet<number> = new Set([
  COMMAND_FIELD['N-CREATE-RQ'],
  COMMAND_FIELD['N-SET-RQ'],
  COMMAND_FIELD['N-ACTION-RQ'],
])

/** Slices kept for reuse; enough for four devices that send at the same time. */
const MAX_DATA_SLICES = 32

/** Slices kept for reuse: two of each of four C-GETs, one being sent and one being read. */
const MAX_RETRIEVAL_SLICES = 8

/** State shared by the connections of a server: services, policy, limits and memory. */
export class Acceptor {
  readonly policy: AssociationPolicy
  readonly observer: AssociationObserver
  readonly slices: SlicePool
  readonly dataSlices: SlicePool
  readonly retrievalSlices: SlicePool
  readonly connections = new Set<AcceptedConnection>()
  /** Applies to new associations; open ones keep their limits. */
  limits: DimseLimits
  readonly #services: readonly ServiceClass[]
  readonly #bySopClass: ReadonlyMap<string, ServiceClass>
  readonly #onError: (reference: string, error: unknown) => void

  /**
   * @param onError logs an exception under the reference sent to the peer (status C003). Its
   * message may contain patient data, so only name and stack frames may be logged.
   */
  constructor(
    services: readonly ServiceClass[],
    policy: AssociationPolicy,
    observer: AssociationObserver,
    limits: DimseLimits,
    onError: (reference: string, error: unknown) => void,
  ) {
    this.#services = services
    this.#bySopClass = new Map(
      services.flatMap((service) =>
        service.sopClasses.map((sopClass) => [sopClass, service] as const),
      ),
    )
    this.policy = policy
    this.observer = observer
    this.limits = limits
    this.slices = new SlicePool(limits.sliceBytes)
    this.dataSlices = new SlicePool(limits.dataSliceBytes, MAX_DATA_SLICES)
    this.retrievalSlices = new SlicePool(limits.retrievalSliceBytes, MAX_RETRIEVAL_SLICES)
    this.#onError = onError
  }

  serviceOf(abstractSyntax: string): ServiceClass | undefined {
    return (
      this.#bySopClass.get(abstractSyntax) ??
      this.#services.find(({ offers }) => offers?.(abstractSyntax))
    )
  }

  /** Logs an exception; returns its reference. */
  report(error: unknown): string {
    const reference = randomUUID().slice(0, 8)
    this.#onError(reference, error)
    return reference
  }

  get open(): AcceptedConnection[] {
    return [...this.connections].filter(({ isOpen }) => isOpen)
  }

  /** Whether all associations together hold too much data sent ahead. */
  get exceedsAheadLimit(): boolean {
    return sum(this.connections, ({ aheadBytes }) => aheadBytes) > this.limits.aheadBytes
  }

  /** Whether all associations together hold too much of incomplete data sets. */
  get exceedsGatheredLimit(): boolean {
    return sum(this.connections, ({ gatheredBytes }) => gatheredBytes) > this.limits.gatheredBytes
  }

  /**
   * Maximum length of a request's data set that is kept. Commitment requests are as long as the
   * list of instances of a study.
   */
  maxBytesFor(commandField: number): number {
    const { identifierBytes, normalizedBytes } = this.limits
    return NORMALIZED_COMMANDS.has(commandField) && !this.exceedsGatheredLimit
      ? normalizedBytes
      : identifierBytes
  }

  /** Number of open associations, as they count for this caller. */
  openAssociations({ callingAeTitle, remoteAddress }: AssociationInfo): OpenAssociations {
    const host = hostOf(remoteAddress)
    const count = { all: 0, ofCaller: 0, unlisted: 0, ofHost: 0, unlistedOfHost: 0 }
    for (const { isOpen, info, isUnlisted, host: itsHost } of this.connections) {
      if (!isOpen) continue
      const isSameHost = itsHost === host
      count.all++
      if (info?.callingAeTitle === callingAeTitle && info.remoteAddress === remoteAddress)
        count.ofCaller++
      if (isUnlisted) count.unlisted++
      if (isSameHost) count.ofHost++
      if (isSameHost && isUnlisted) count.unlistedOfHost++
    }
    // An expected address may stand for a whole site of listed devices, or for a tunnel on this
    // PC.
    return this.isExpected(host) ? { ...count, ofHost: 0 } : count
  }

  isExpected = (host: string): boolean =>
    isThisPc(host) || (this.policy.isExpectedHost?.(host) ?? false)

  /** Closes connections without an association if there are too many. */
  closeSurplus(): void {
    const max = this.limits.pendingConnections
    if (isWithinShare(this.connections.size, { max })) return
    for (;;) {
      const surplus = connectionToClose(this.#pending, { max, isExpected: this.isExpected })
      if (!surplus) return
      this.#refuse(surplus, message('dicom.connections-without-association', { most: max }))
    }
  }

  /** Closes connections without an association if they hold too many bytes of incomplete PDUs. */
  closeSurplusBytes(): void {
    const holding = new Set(this.#pending.filter(({ heldBytes }) => heldBytes > 0))
    let bytes = sum(holding, ({ heldBytes }) => heldBytes)
    while (bytes > this.limits.pendingBytes) {
      const surplus = connectionToClose(holding, { max: 0, isExpected: this.isExpected })
      if (!surplus) return
      holding.delete(surplus)
      bytes -= surplus.heldBytes
      this.#refuse(surplus, message('dicom.bytes-without-association'))
    }
  }

  get #pending(): AcceptedConnection[] {
    return [...this.connections].filter(({ isOpen }) => !isOpen)
  }

  #refuse(connection: AcceptedConnection, detail: Message): void {
    this.connections.delete(connection)
    connection.destroy(detail)
  }
}

function sum(
  connections: Iterable<AcceptedConnection>,
  bytesOf: (connection: AcceptedConnection) => number,
): number {
  let bytes = 0
  for (const connection of connections) bytes += bytesOf(connection)
  return bytes
}
