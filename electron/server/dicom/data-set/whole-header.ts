import { message } from '#shared/messages/message.ts'
import { AttributeValues } from './attribute-values.ts'
import { type ByteSource, ByteWindow, MissingBytesError, ViewedFileFault } from './byte-window.ts'
import { type FileStart, readFileStart } from './file-start.ts'
import { ElementSearch, type ElementSearchResult } from './found-elements.ts'

/** All elements of a file up to its pixel data. */
export interface WholeHeader {
  readonly start: FileStart
  readonly found: ElementSearchResult
  readonly values: AttributeValues
}

/**
 * Reads all elements of a complete file, nested ones too, up to its pixel data. Values are read on
 * demand.
 * @throws {ViewedFileFault} if it is not a DICOM file, ends too early, or has too many elements
 */
export function readWholeHeader(source: ByteSource): WholeHeader {
  try {
    const window = new ByteWindow(source)
    const start = readFileStart(window, source.length)
    if (start.coding.deflated) throw new ViewedFileFault(message('viewed-file.not-inflated'))
    const search = new ElementSearch(window, start.dataSetOffset, start.coding, () => true)
    const found = search.advance(source.length)
    return { start, found, values: new AttributeValues(found.elements, window) }
  } catch (error) {
    if (!(error instanceof MissingBytesError)) throw error
    throw new ViewedFileFault(message('viewed-file.ends-within-header'))
  }
}
