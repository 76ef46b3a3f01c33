import { isStorageClass } from '#server/dicom/data-set/storage-uids.ts'
import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import type { Device, RetrievalRight } from '#shared/contract/devices.ts'
import { type Message, message } from '#shared/messages/message.ts'

// Query/Retrieve (PS3.4 Annex C) is only offered to devices that were given the right to it
// (decision 0057).

/** The right that each SOP class needs. */
export const RIGHT_BY_SOP_CLASS: Readonly<Record<string, Exclude<RetrievalRight, 'none'>>> = {
  [SOP_CLASS.patientRootFind]: 'query',
  [SOP_CLASS.studyRootFind]: 'query',
  [SOP_CLASS.patientRootMove]: 'retrieve',
  [SOP_CLASS.studyRootMove]: 'retrieve',
  [SOP_CLASS.patientRootGet]: 'retrieve',
  [SOP_CLASS.studyRootGet]: 'retrieve',
}
const GET_CLASSES: readonly string[] = [SOP_CLASS.patientRootGet, SOP_CLASS.studyRootGet]

/** What a caller with this right may not use of what it proposed, and why. */
export interface RetrievalRefusal {
  /** Completes a sentence in the live feed. */
  readonly why: Message
  /** The proposed SOP classes that remain. */
  readonly allowed: readonly string[]
  /**
   * Whether the caller proposed nothing but Query/Retrieve: with C-GET, storage classes are
   * proposed only to receive the images (PS3.4 C.5.3).
   */
  readonly isRetrievalOnly: boolean
}

/**
 * Undefined if the caller may use every Query/Retrieve class that it proposed.
 * @param device undefined for a caller that is not in the device list
 */
export function retrievalRefusal(
  device: Pick<Device, 'retrieval'> | undefined,
  abstractSyntaxes: readonly string[],
): RetrievalRefusal | undefined {
  const right = device?.retrieval ?? 'none'
  const allowed = abstractSyntaxes.filter((uid) => isAllowed(right, uid))
  if (allowed.length === abstractSyntaxes.length) return undefined
  const onlyReceives = abstractSyntaxes.some((uid) => GET_CLASSES.includes(uid))
  return {
    why: message(
      !device
        ? 'devices.retrieval-unlisted'
        : right === 'none'
          ? 'devices.retrieval-not-permitted'
          : 'devices.only-query-permitted',
    ),
    allowed,
    isRetrievalOnly: allowed.every(
      (uid) => uid === SOP_CLASS.verification || (onlyReceives && isStorageClass(uid, true)),
    ),
  }
}

function isAllowed(right: RetrievalRight, uid: string): boolean {
  const needed = RIGHT_BY_SOP_CLASS[uid]
  return needed === undefined || right === 'retrieve' || right === needed
}
