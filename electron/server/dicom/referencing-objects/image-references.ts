import type { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import { ViewedFileFault } from '#server/dicom/data-set/byte-window.ts'
import type { ImageReference } from '#shared/contract/referencing-objects.ts'
import { message } from '#shared/messages/message.ts'
import { TAG } from './tags.ts'

/** More images than any study has. */
const MAX_REFERENCES = 50_000

/** The images in a sequence of SOP Instance References (PS3.3 Table 10-3). */
export function imageReferences(values: AttributeValues, sequence: number): ImageReference[] {
  const items = values.items(sequence)
  if (items.length > MAX_REFERENCES)
    throw new ViewedFileFault(
      message('referencing-object.too-many-images', { most: MAX_REFERENCES }),
    )
  return items.flatMap((item) => {
    const sopInstanceUid = item.text(TAG.ReferencedSOPInstanceUID)
    if (sopInstanceUid === '') return []
    const frames = item
      .numbers(TAG.ReferencedFrameNumber)
      .filter((frame) => frame !== null && Number.isSafeInteger(frame) && frame > 0) as number[]
    return [{ sopInstanceUid, frames: frames.length > 0 ? frames : null }]
  })
}
