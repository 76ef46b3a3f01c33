import type { CStoreRequest } from '#server/dicom/dimse/service.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { message } from '#shared/messages/message.ts'
import { classifyUid, type InstanceHeader, TAG } from './header.ts'

/**
 * PS3.7 Table 9.3-1: the file meta information is built from these UIDs before the data set has
 * arrived.
 */
export function checkCommand({ sopClassUid, sopInstanceUid }: CStoreRequest): void {
  if (classifyUid(sopClassUid) === 'unfit')
    throw new DimseError(0xa900, message('images.affected-class-unfit'), [TAG.sopClassUid])
  if (classifyUid(sopInstanceUid) === 'unfit')
    throw new DimseError(0xa900, message('images.affected-instance-unfit'), [TAG.sopInstanceUid])
}

export function checkHeader(header: InstanceHeader, request: CStoreRequest): void {
  // A data set without them has another transfer syntax, or is not a data set.
  if (header.sopClassUid === '')
    throw new DimseError(0xc000, message('images.no-class-uid'), [TAG.sopClassUid])
  if (header.sopInstanceUid === '')
    throw new DimseError(0xc000, message('images.no-instance-uid'), [TAG.sopInstanceUid])
  if (header.sopClassUid !== request.sopClassUid)
    throw new DimseError(0xa900, message('images.class-uid-differs'), [TAG.sopClassUid])
  if (header.sopInstanceUid !== request.sopInstanceUid)
    throw new DimseError(0xa900, message('images.instance-uid-differs'), [TAG.sopInstanceUid])
  if (classifyUid(header.studyInstanceUid) === 'unfit')
    throw new DimseError(0xa900, message('images.study-uid-unfit'), [TAG.studyInstanceUid])
  if (classifyUid(header.seriesInstanceUid) === 'unfit')
    throw new DimseError(0xa900, message('images.series-uid-unfit'), [TAG.seriesInstanceUid])
}
