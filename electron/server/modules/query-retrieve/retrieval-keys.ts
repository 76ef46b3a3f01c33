import { decodeText } from '#server/dicom/character-sets/character-set.ts'
import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { readDataSet } from '#server/dicom/data-set/data-set.ts'
import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import { withoutPadding } from '#server/dicom/data-set/vr.ts'
import type { RetrievalRequest } from '#server/dicom/dimse/service.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { message } from '#shared/messages/message.ts'

/** The unique keys of an identifier (PS3.4 C.4.2.1.4.1). An empty list matches everything. */
export interface RetrievalKeys {
  /** '' if it is missing. */
  readonly patientId: string
  readonly studyInstanceUids: readonly string[]
  readonly seriesInstanceUids: readonly string[]
  readonly sopInstanceUids: readonly string[]
}

const TAG = {
  specificCharacterSet: 0x00080005,
  sopInstanceUid: 0x00080018,
  level: 0x00080052,
  patientId: 0x00100020,
  studyInstanceUid: 0x0020000d,
  seriesInstanceUid: 0x0020000e,
} as const

/** The unique key of each level (PS3.4 C.6.1.1, C.6.2.1). */
const KEY_OF_LEVEL: Readonly<Record<string, number>> = {
  PATIENT: TAG.patientId,
  STUDY: TAG.studyInstanceUid,
  SERIES: TAG.seriesInstanceUid,
  IMAGE: TAG.sopInstanceUid,
}
const PATIENT_ROOT_CLASSES: readonly string[] = [
  SOP_CLASS.patientRootGet,
  SOP_CLASS.patientRootMove,
]

/**
 * Reads the identifier. Keys above the level may be missing, as if relational retrieval had been
 * negotiated (PS3.4 C.5.2.1); those that are present must match. Only the level SERIES needs the
 * Study Instance UID, because there is no index of series without it.
 * @throws DimseError A900 with the offending element
 */
export function readRetrievalKeys({
  identifier,
  sopClassUid,
  transferSyntax,
}: Pick<RetrievalRequest, 'identifier' | 'sopClassUid' | 'transferSyntax'>): RetrievalKeys {
  if (!identifier) throw new DimseError(0xa900, message('query-retrieve.no-identifier'))
  const dataSet = readDataSet(identifier, transferSyntax)
  const level = textIn(dataSet, TAG.level).trim()
  const key = KEY_OF_LEVEL[level]
  if (key === undefined || (level === 'PATIENT' && !PATIENT_ROOT_CLASSES.includes(sopClassUid)))
    throw new DimseError(0xa900, message('query-retrieve.no-such-level'), [TAG.level])
  const keys: RetrievalKeys = {
    patientId: PATIENT_ROOT_CLASSES.includes(sopClassUid) ? patientIdOf(dataSet) : '',
    studyInstanceUids: level === 'PATIENT' ? [] : uidsOf(dataSet, TAG.studyInstanceUid),
    seriesInstanceUids:
      level === 'SERIES' || level === 'IMAGE' ? uidsOf(dataSet, TAG.seriesInstanceUid) : [],
    sopInstanceUids: level === 'IMAGE' ? uidsOf(dataSet, TAG.sopInstanceUid) : [],
  }
  const requiredTags = level === 'SERIES' ? [key, TAG.studyInstanceUid] : [key]
  const missing = requiredTags.filter((tag) => textIn(dataSet, tag) === '')
  if (missing.length > 0)
    throw new DimseError(0xa900, message('query-retrieve.no-unique-key'), missing)
  return keys
}

/** A retrieval never has wild cards: a patient is named by exactly one ID (PS3.4 C.4.2.1.4.1). */
function patientIdOf(dataSet: DataSet): string {
  const patientId = textIn(dataSet, TAG.patientId)
  if (/[*?\\]/.test(patientId))
    throw new DimseError(0xa900, message('query-retrieve.one-patient-id'), [TAG.patientId])
  return patientId
}

const uidsOf = (dataSet: DataSet, tag: number): string[] => [
  ...new Set(
    textIn(dataSet, tag)
      .split('\\')
      .map((uid) => withoutPadding(uid))
      .filter((uid) => uid !== ''),
  ),
]

/** The text of a value; '' if it is missing. */
function textIn(dataSet: DataSet, tag: number): string {
  const value = dataSet.find((element) => element.tag === tag)?.value
  if (!Buffer.isBuffer(value)) return ''
  if (tag !== TAG.patientId) return withoutPadding(value.toString('latin1'))
  const terms = textIn(dataSet, TAG.specificCharacterSet)
  const declared = terms === '' ? [] : terms.split('\\').map((term) => term.trim())
  return withoutPadding(decodeText(value, declared, 'LO').text).trim()
}
