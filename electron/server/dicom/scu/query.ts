import { encodeText } from '#server/dicom/character-sets/character-set.ts'
import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { tagOf, vrOf } from '#server/dicom/data-set/data-set.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { RequestorError } from './requestor.ts'
import { type Caller, find, refusedError, requestService, textOf } from './service-request.ts'

/** C-ECHO (PS3.4 Annex A). @throws {RequestorError} if the peer does not answer Success */
export async function echo(caller: Caller): Promise<void> {
  const responses = requestService(caller, {
    sopClass: SOP_CLASS.verification,
    transferSyntaxes: [TRANSFER_SYNTAX.implicitLittleEndian],
    command: { commandField: COMMAND_FIELD['C-ECHO-RQ'] },
    notOfferedMessage: 'dicom.no-echo',
  })
  for await (const { status } of responses)
    if (status !== 0x0000) throw refusedError(caller.peer, status)
}

/** C-ECHO for a connection test. Never throws; `message` completes a sentence. */
export async function testConnection(caller: Caller) {
  const startedAt = performance.now()
  const fault = await echo(caller).then(
    (): Message | undefined => undefined,
    (error: unknown) =>
      error instanceof RequestorError ? error.explanation : message('dicom.not-tested'),
  )
  return {
    success: fault === undefined,
    message: fault ?? message('dicom.answers', { aeTitle: caller.peer.aeTitle }),
    tookMs: performance.now() - startedAt,
  }
}

/** Matching keys as entered by the user; '' and null are not sent. */
export interface PriorKeys {
  readonly patientId: string
  /** Matches the beginning of names, unless it contains a wildcard. */
  readonly patientName: string
  readonly accessionNumber: string
  /** YYYY-MM-DD or YYYYMMDD. */
  readonly startDate: string | null
  readonly endDate: string | null
}

/** A study found on another system. Text in DICOM format, '' if missing. */
export interface PriorStudyRow {
  readonly studyInstanceUid: string
  readonly patientName: string
  readonly patientId: string
  readonly patientBirthDate: string
  readonly studyDate: string
  readonly studyTime: string
  readonly studyDescription: string
  readonly accessionNumber: string
  readonly modalities: readonly string[]
  readonly instances: number | null
}

/** More matches are treated as an error, so that the user narrows the search. */
export const MAX_STUDIES = 500

const tag = (keyword: string): number => tagOf(keyword) as number

/** PS3.4 Tables C.6-5 and C.6.2-1: the return keys, by field. */
const FIELDS = {
  studyInstanceUid: tag('StudyInstanceUID'),
  patientName: tag('PatientName'),
  patientId: tag('PatientID'),
  patientBirthDate: tag('PatientBirthDate'),
  studyDate: tag('StudyDate'),
  studyTime: tag('StudyTime'),
  studyDescription: tag('StudyDescription'),
  accessionNumber: tag('AccessionNumber'),
  modalities: tag('ModalitiesInStudy'),
  instances: tag('NumberOfStudyRelatedInstances'),
} as const

/**
 * Finds studies by Study Root C-FIND (PS3.4 C.4.1), at most `MAX_STUDIES`. Matches without a Study
 * Instance UID are omitted.
 * @throws {RequestorError} if the association fails or the peer refuses; a failure is never
 * returned as an empty list
 */
export async function findStudies(caller: Caller, keys: PriorKeys): Promise<PriorStudyRow[]> {
  const matches = await find(
    caller,
    SOP_CLASS.studyRootFind,
    identifierOf(keys),
    'dicom.no-queries',
    MAX_STUDIES,
  )
  return matches.map(rowOf).filter(({ studyInstanceUid }) => studyInstanceUid !== '')
}

const SPECIFIC_CHARACTER_SET = 0x00080005
const UTF_8 = 'ISO_IR 192'

/** A Study Root identifier at STUDY level (PS3.4 C.4.1.2), sorted by tag. */
export function identifierOf(keys: PriorKeys): DataSet {
  const { patientId, patientName, accessionNumber, startDate, endDate } = keys
  const asked: Partial<Record<keyof typeof FIELDS, string>> = {
    patientId,
    patientName: patientName === '' || /[*?]/.test(patientName) ? patientName : `${patientName}*`,
    accessionNumber,
    studyDate: rangeOf(startDate, endDate),
  }
  // PS3.4 C.2.2.2: declared only if a key needs it, because some systems reject character sets they
  // do not support.
  const isAscii = Object.values(asked).every((text) => /^[ -~]*$/.test(text))
  const terms = isAscii ? [] : [UTF_8]
  const element = (tag: number, text: string) => {
    const vr = vrOf(tag)
    return { tag, vr, value: encodeText(text, terms, vr) ?? Buffer.alloc(0) }
  }
  const fields = Object.entries(FIELDS) as [keyof typeof FIELDS, number][]
  return [
    ...terms.map((term) => element(SPECIFIC_CHARACTER_SET, term)),
    element(tag('QueryRetrieveLevel'), 'STUDY'),
    ...fields.map(([field, of]) => element(of, asked[field] ?? '')),
  ].sort((a, b) => a.tag - b.tag)
}

/** PS3.4 C.2.2.2.5: a range may be open at either end. */
function rangeOf(start: string | null, end: string | null): string {
  const days = [start, end].map((day) => day?.replaceAll('-', '') ?? '')
  return days.some(Boolean) ? days.join('-') : ''
}

function rowOf(match: DataSet): PriorStudyRow {
  const of = (field: keyof typeof FIELDS) => textOf(match, FIELDS[field]).trim()
  const instances = of('instances')
  return {
    studyInstanceUid: of('studyInstanceUid'),
    patientName: of('patientName'),
    patientId: of('patientId'),
    patientBirthDate: of('patientBirthDate'),
    studyDate: of('studyDate'),
    studyTime: of('studyTime'),
    studyDescription: of('studyDescription'),
    accessionNumber: of('accessionNumber'),
    modalities: of('modalities')
      .split('\\')
      .map((modality) => modality.trim())
      .filter(Boolean),
    instances: /^\d{1,9}$/.test(instances) ? Number(instances) : null,
  }
}
