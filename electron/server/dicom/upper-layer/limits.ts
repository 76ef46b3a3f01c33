/** All limits on what a peer can make large, long or numerous. */
export interface DimseLimits {
  /**
   * Open associations: all, and those of one AE title at one address. Further ones are rejected as
   * transient.
   */
  readonly associations: number
  readonly associationsPerCaller: number
  /** Connections without an association. If exceeded, the oldest one is destroyed. */
  readonly pendingConnections: number
  /**
   * Bytes of incomplete PDUs that all of them together hold. If exceeded, the oldest one is
   * destroyed.
   */
  readonly pendingBytes: number
  /** Maximum P-DATA-TF length that is announced and accepted (PS3.8 D.1), in bytes. */
  readonly maxPduLength: number
  /** Length of a received A-ASSOCIATE-RQ in bytes. */
  readonly associateBytes: number
  readonly commandSetBytes: number
  /**
   * Length of a C-FIND identifier. A longer one is read to its end, discarded, and answered with
   * A900.
   */
  readonly identifierBytes: number
  /**
   * Length in bytes of the data set of a normalized service (MPPS, storage commitment), and total
   * length of all incomplete ones.
   */
  readonly normalizedBytes: number
  readonly gatheredBytes: number
  /**
   * Bytes of a streamed data set passed to the service at a time, and bytes waiting for the service
   * after which the connection is not read.
   */
  readonly dataSliceBytes: number
  readonly streamedBytes: number
  /** Length of a data set that is discarded; a longer one aborts the association. */
  readonly drainedBytes: number
  /**
   * Requests read ahead while one is being performed, and total length of their data sets; the
   * connection is then not read until one is answered.
   */
  readonly queuedRequests: number
  readonly queuedBytes: number
  /**
   * Total bytes of data sets, complete or not, that all associations sent ahead. If exceeded, an
   * association that sent ahead is not read until its current request is answered.
   */
  readonly aheadBytes: number
  /**
   * Bytes written to a socket at a time, which bounds the memory held by a peer that stops reading.
   */
  readonly sliceBytes: number
  /**
   * The same for the files of a C-GET: a whole image of most modalities, so that one read and one
   * write are enough.
   */
  readonly retrievalSliceBytes: number
  /**
   * ARTIM timer (PS3.8 §9.1.5): from the connection to the A-ASSOCIATE-RQ, and until the peer
   * closes the connection.
   */
  readonly artimSeconds: number
  /** Silence between messages; the timer is stopped while a service works. */
  readonly idleSeconds: number
  /** Time a peer may take to accept one slice before it is aborted. */
  readonly stallSeconds: number
  /** Time a peer may take to respond to a sub-operation before it is aborted. */
  readonly responseSeconds: number
  /** Time a service may take after C-CANCEL before Cancel is sent on its behalf. */
  readonly cancelSeconds: number
}

export const DEFAULT_LIMITS: DimseLimits = {
  associations: 100,
  associationsPerCaller: 50,
  pendingConnections: 512,
  pendingBytes: 4 << 20,
  maxPduLength: 65_536,
  associateBytes: 128 << 10,
  commandSetBytes: 64 << 10,
  identifierBytes: 256 << 10,
  normalizedBytes: 8 << 20,
  gatheredBytes: 48 << 20,
  dataSliceBytes: 128 << 10,
  streamedBytes: 256 << 10,
  drainedBytes: 64 << 20,
  queuedRequests: 8,
  queuedBytes: 32 << 10,
  aheadBytes: 8 << 20,
  sliceBytes: 256 << 10,
  retrievalSliceBytes: 1 << 20,
  artimSeconds: 30,
  idleSeconds: 120,
  stallSeconds: 60,
  responseSeconds: 120,
  cancelSeconds: 5,
}
