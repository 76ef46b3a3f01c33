import type { Peer } from '#server/dicom/upper-layer/connection.ts'
import { type CommitmentToRequest, requestCommitment } from './commitment-request.ts'
import { type CommitmentReport, sendEventReport } from './event-report.ts'
import { moveStudy } from './move.ts'
import { findStudies, type PriorKeys, testConnection } from './query.ts'
import type { Caller } from './service-request.ts'
import { type InstanceToSend, type MoveOriginator, sendInstances } from './store.ts'

/** Requests to other DICOM nodes, with the gateway's AE title and, over TLS, its certificate. */
export class OutboundRequests {
  readonly #aeTitle: () => string
  readonly #identity: () => { readonly key: string; readonly cert: string }

  /** @param identity the gateway's key and certificate, PEM */
  constructor(
    aeTitle: () => string,
    identity: () => { readonly key: string; readonly cert: string },
  ) {
    this.#aeTitle = aeTitle
    this.#identity = identity
  }

  echo(peer: Peer) {
    return testConnection(this.#caller(peer))
  }

  findStudies(peer: Peer, keys: PriorKeys) {
    return findStudies(this.#caller(peer), keys)
  }

  /** C-MOVE with the gateway as destination. */
  moveStudy(peer: Peer, studyInstanceUid: string, signal: AbortSignal) {
    return moveStudy(this.#caller(peer, signal), studyInstanceUid)
  }

  sendInstances<I extends InstanceToSend>(
    peer: Peer,
    instances: readonly I[],
    signal: AbortSignal,
    originator?: MoveOriginator,
  ) {
    return sendInstances(this.#caller(peer, signal), instances, originator)
  }

  sendEventReport(peer: Peer, report: CommitmentReport, signal?: AbortSignal) {
    return sendEventReport(this.#caller(peer, signal), report)
  }

  requestCommitment(peer: Peer, request: CommitmentToRequest, signal?: AbortSignal) {
    return requestCommitment(this.#caller(peer, signal), request)
  }

  #caller(peer: Peer, signal?: AbortSignal): Caller {
    const withIdentity = peer.tls ? { ...peer, tls: { ...this.#identity(), ...peer.tls } } : peer
    return { peer: withIdentity, callingAeTitle: this.#aeTitle(), signal }
  }
}
