import { PDU_TYPE } from '#server/dicom/upper-layer/pdu.ts'
import { FRAGMENT_HEADER, roomOf } from './message.ts'

/**
 * A data set on its way out, cut into P-DATA-TFs of one PDV each as its bytes come (PS3.8 Annex E).
 */
export interface OutgoingDataSet {
  /** What can be sent now: whole PDUs, in parts that are written one after the other. */
  push(bytes: Buffer): Buffer[]
  /** The rest, with the last fragment. */
  end(): Buffer[]
}

/**
 * Cuts a data set for a peer of this maximum P-DATA-TF length. Bytes are not copied but for what is
 * left between two pieces.
 */
export function createOutgoingDataSet(contextId: number, maximumLength: number): OutgoingDataSet {
  const room = roomOf(maximumLength)
  let rest: Buffer[] = []
  let restLength = 0

  function header(length: number, isLast: boolean): Buffer {
    const bytes = Buffer.allocUnsafe(FRAGMENT_HEADER)
    bytes[0] = PDU_TYPE['P-DATA-TF']
    bytes[1] = 0
    bytes.writeUInt32BE(length + 6, 2)
    bytes.writeUInt32BE(length + 2, 6)
    bytes[10] = contextId
    bytes[11] = isLast ? 2 : 0
    return bytes
  }

  return {
    push(bytes) {
      const parts: Buffer[] = []
      let at = 0
      // One byte at least stays: the last fragment must be known as the last.
      while (restLength + bytes.length - at > room) {
        const taken = room - restLength
        parts.push(header(room, false), ...rest, bytes.subarray(at, at + taken))
        at += taken
        rest = []
        restLength = 0
      }
      rest.push(bytes.subarray(at))
      restLength += bytes.length - at
      return parts
    },
    end: () => [header(restLength, true), ...rest],
  }
}
