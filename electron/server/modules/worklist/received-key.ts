import type { Element } from '#server/dicom/data-set/coding.ts'
import { formatTag, keywordOf } from '#server/dicom/data-set/data-set.ts'
import type { ReceivedKey } from '#shared/contract/worklist.ts'

/** Maximum number of characters of a key value that are stored for display. */
const MAX_VALUE_LENGTH = 256

/** Converts a key to the form that the inspector shows. */
export function receivedKey(
  element: Element,
  vr: string,
  text: string,
  matching: ReceivedKey['matching'],
  within?: number,
): ReceivedKey {
  const tag = formatTag(element.tag)
  return {
    tag: within === undefined ? tag : `${formatTag(within)} > ${tag}`,
    keyword: keywordOf(element.tag),
    vr,
    value: text.slice(0, MAX_VALUE_LENGTH),
    matching,
  }
}
