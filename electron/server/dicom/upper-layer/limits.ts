/** Everything a peer could make large, long or many, bounded in one place. */
export interface DimseLimits {
  /**
   * Associations open at once: all, and those of one AE title at one address. Beyond: rejected,
   * transient.
   */
  readonly associations: number
  readonly associationsPerCaller: number
  /** Connections without an association. Beyond: the oldest of them is destroyed. */
  readonly pendingConnections: number
  /** Bytes that all of them together have sent and that are no whole PDU yet. Beyond: as above. */
  readonly pendingBytes: number
  /** PS3.8 D.1: the P-DATA-TF length we announce and take, bytes. */
  readonly maxPduLength: number
  /** Length of a received A-ASSOCIATE-RQ, bytes. */
  readonly associateBytes: number
  readonly commandSetBytes: number
  /** A C-FIND identifier; a longer one is read to its end without being kept and answered A900. */
  readonly identifierBytes: number
  /**
   * Data set of a normalized service (MPPS, storage commitment), bytes; and of all those being
   * gathered together.
   */
  readonly normalizedBytes: number
  readonly gatheredBytes: number
  /**
   * Bytes of a streamed data set that are handed to the service at a time, and that wait for it;
   * then the connection is not read.
   */
  readonly dataSliceBytes: number
  readonly streamedBytes: number
  /** A data set that long is not even read to its end: the association is aborted. */
  readonly drainedBytes: number
  /**
   * Requests read ahead while one is at work, and bytes of their data sets; then the connection is
   * not read until one is answered.
   */
  readonly queuedRequests: number
  readonly queuedBytes: number
  /**
   * Bytes of data sets that wait, or are being gathered, behind a request at work, of all
   * associations together. Beyond: an association that has sent ahead is not read until its own
   * request is answered.
   */
  readonly aheadBytes: number
  /** Bytes handed to a socket at a time; what a peer that stops reading can hold. */
  readonly sliceBytes: number
  /** ARTIM (PS3.8 §9.1.5): from the connection to the A-ASSOCIATE-RQ, and until the peer closes. */
  readonly artimSeconds: number
  /** Silence between messages; the clock rests while a service works. */
  readonly idleSeconds: number
  /** A peer that takes longer to accept one slice is aborted. */
  readonly stallSeconds: number
  /** What a service may still take after C-CANCEL; then it is answered for. */
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
  artimSeconds: 30,
  idleSeconds: 120,
  stallSeconds: 60,
  cancelSeconds: 5,
}
