import type { Peer } from '#server/dicom/scu/requestor.ts'
import type { DestinationRecord } from './destination-queries.ts'

/** A destination as the network calls it. */
export const peerOf = ({ host, port, aeTitle, isTls, certificate }: DestinationRecord): Peer => ({
  host,
  port,
  aeTitle,
  ...(isTls && { tls: certificate === null ? {} : { ca: certificate } }),
})
