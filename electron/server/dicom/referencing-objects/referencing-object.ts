import { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import {
  type ByteSource,
  ByteWindow,
  MissingBytesError,
  ViewedFileFault,
} from '#server/dicom/data-set/byte-window.ts'
import { UNDEFINED_LENGTH } from '#server/dicom/data-set/coding.ts'
import { readFileStart } from '#server/dicom/data-set/file-start.ts'
import { ElementSearch, type ElementSearchResult } from '#server/dicom/data-set/found-elements.ts'
import {
  REFERENCING_CLASSES,
  type ReferencingObject,
} from '#shared/contract/referencing-objects.ts'
import { message } from '#shared/messages/message.ts'
import { presentationStateOf } from './presentation-state.ts'
import { segmentationOf } from './segmentation.ts'
import { structureSetOf } from './structure-set.ts'
import { isReferencingObjectTag, TAG } from './tags.ts'

/**
 * Reads an object that refers to images from a complete, inflated file.
 * @throws {ViewedFileFault} if it is not such an object, or faulty as a whole; faulty parts are left
 *   out and named in `notApplied`
 */
export async function readReferencingObject(source: ByteSource): Promise<ReferencingObject> {
  try {
    const window = new ByteWindow(source)
    const start = readFileStart(window, source.length)
    const search = new ElementSearch(
      window,
      start.dataSetOffset,
      start.coding,
      isReferencingObjectTag,
    )
    const found = search.advance(source.length)
    const values = new AttributeValues(found.elements, window)
    const sopClassUid = values.text(TAG.SOPClassUID) || start.sopClassUid
    return await objectOf(sopClassUid, values, found.pixels)
  } catch (error) {
    if (error instanceof MissingBytesError)
      throw new ViewedFileFault(message('viewed-file.ends-within-header'))
    throw error
  }
}

function objectOf(
  sopClassUid: string,
  values: AttributeValues,
  pixels: ElementSearchResult['pixels'],
): ReferencingObject | Promise<ReferencingObject> {
  switch (REFERENCING_CLASSES[sopClassUid]) {
    case 'presentation-state':
      return presentationStateOf(values, sopClassUid)
    case 'segmentation':
      return segmentationOf(values, pixels, pixels?.length === UNDEFINED_LENGTH)
    case 'structure-set':
      return structureSetOf(values)
    default:
      throw new ViewedFileFault(message('referencing-object.other-class'))
  }
}
