import type { Peer } from '#gateway/dimse/requestor.ts'
import type { DestinationRecord } from '#gateway/store/destinations.ts'

/** A destination as the network calls it. */
export const peerOf = ({ host, port, aeTitle, isTls, certificate }: DestinationRecord): Peer => ({
  host,
  port,
  aeTitle,
  ...(isTls && { tls: certificate === null ? {} : { ca: certificate } }),
})
