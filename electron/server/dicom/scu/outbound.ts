import { sendEventReport } from './event-report.ts'
import { moveStudy } from './move.ts'
import type { PriorKeys } from './prior-study.ts'
import { findStudies, testConnection } from './query.ts'
import type { Peer } from './requestor.ts'
import { type InstanceToSend, sendInstances } from './store.ts'

export type Outbound = ReturnType<typeof openOutbound>

/**
 * Calls to other DICOM nodes, under our AE title and, by TLS, with our certificate.
 * @param identity key and certificate, PEM
 */
export function openOutbound(
  aeTitle: () => string,
  identity: () => { readonly key: string; readonly cert: string },
) {
  const introduced = (peer: Peer): Peer =>
    peer.tls ? { ...peer, tls: { ...identity(), ...peer.tls } } : peer
  return {
    echo: (peer: Peer) => testConnection(introduced(peer), aeTitle()),
    findStudies: (peer: Peer, keys: PriorKeys) => findStudies(introduced(peer), aeTitle(), keys),
    /** C-MOVE to ourselves. */
    moveStudy: (peer: Peer, studyInstanceUid: string, signal: AbortSignal) =>
      moveStudy({
        peer: introduced(peer),
        callingAeTitle: aeTitle(),
        destinationAeTitle: aeTitle(),
        studyInstanceUid,
        signal,
      }),
    sendInstances: <I extends InstanceToSend>(
      peer: Peer,
      instances: readonly I[],
      signal: AbortSignal,
    ) => sendInstances({ peer: introduced(peer), callingAeTitle: aeTitle(), instances, signal }),
    sendEventReport: (...[peer, ...call]: Parameters<typeof sendEventReport>) =>
      sendEventReport(introduced(peer), ...call),
  }
}
