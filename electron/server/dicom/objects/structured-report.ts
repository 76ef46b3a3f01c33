import type { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import { type ByteSource, ViewedFileFault } from '#server/dicom/data-set/byte-window.ts'
import { tagsByKeyword } from '#server/dicom/data-set/dictionary.ts'
import { readWholeHeader } from '#server/dicom/data-set/whole-header.ts'
import type { StructuredReport } from '#shared/contract/viewed-objects.ts'
import { message } from '#shared/messages/message.ts'
import { contentTree } from './content-tree.ts'
import { codedConcept, objectContext, personName } from './object-context.ts'

const TAG = tagsByKeyword([
  'SOPClassUID',
  'ContentDate',
  'ContentTime',
  'CompletionFlag',
  'CompletionFlagDescription',
  'VerificationFlag',
  'PreliminaryFlag',
  'ConceptNameCodeSequence',
  'ContentSequence',
  'VerifyingObserverSequence',
  'VerifyingObserverName',
  'VerifyingOrganization',
  'VerificationDateTime',
  'VerifyingObserverIdentificationCodeSequence',
  'PersonIdentificationCodeSequence',
  'AuthorObserverSequence',
  'ParticipantSequence',
  'ParticipationDateTime',
  'PersonName',
  'InstitutionName',
  'StationName',
  'PredecessorDocumentsSequence',
  'ReferencedSeriesSequence',
  'ReferencedSOPSequence',
])
const MAX_PEOPLE = 50

/**
 * Reads a structured report or a key object selection of any template (PS3.3 A.35).
 * @throws {ViewedFileFault} if the file cannot be read or has no content
 */
export function readStructuredReport(source: ByteSource): StructuredReport {
  const { values, start } = readWholeHeader(source)
  if (!values.has(TAG.ConceptNameCodeSequence) && !values.has(TAG.ContentSequence))
    throw new ViewedFileFault(message('viewed-file.report-without-content'))
  return {
    sopClassUid: values.text(TAG.SOPClassUID) || start.sopClassUid,
    title: codedConcept(values, TAG.ConceptNameCodeSequence),
    context: objectContext(values),
    contentDate: values.text(TAG.ContentDate),
    contentTime: values.text(TAG.ContentTime),
    completionFlag: values.text(TAG.CompletionFlag),
    completionDescription: values.text(TAG.CompletionFlagDescription),
    verificationFlag: values.text(TAG.VerificationFlag),
    preliminaryFlag: values.text(TAG.PreliminaryFlag),
    people: peopleOf(values),
    predecessors: predecessorsOf(values),
    ...contentsOf(values),
  }
}

function contentsOf(values: AttributeValues): Pick<StructuredReport, 'items' | 'faults'> {
  const { items, faults } = contentTree(values)
  return { items: [...items], faults: [...faults] }
}

/** Verifying observers, authors and participants (PS3.3 C.17.2). */
function peopleOf(values: AttributeValues): StructuredReport['people'] {
  const verifiers = values.items(TAG.VerifyingObserverSequence).map((item) => ({
    role: 'verifier' as const,
    name: personName(item, TAG.VerifyingObserverName),
    organization: item.text(TAG.VerifyingOrganization),
    code: codedConcept(item, TAG.VerifyingObserverIdentificationCodeSequence),
    at: item.text(TAG.VerificationDateTime),
  }))
  const peopleIn = (role: 'author' | 'participant', sequence: number) =>
    values.items(sequence).map((item) => ({
      role,
      // A device has a station name instead of a person's name (PS3.3 Table 10-24).
      name: personName(item, TAG.PersonName) || item.text(TAG.StationName),
      organization: item.text(TAG.InstitutionName),
      code: codedConcept(item, TAG.PersonIdentificationCodeSequence),
      at: item.text(TAG.ParticipationDateTime),
    }))
  return [
    ...verifiers,
    ...peopleIn('author', TAG.AuthorObserverSequence),
    ...peopleIn('participant', TAG.ParticipantSequence),
  ].slice(0, MAX_PEOPLE)
}

const predecessorsOf = (values: AttributeValues): number =>
  values
    .items(TAG.PredecessorDocumentsSequence)
    .flatMap((study) => study.items(TAG.ReferencedSeriesSequence))
    .flatMap((series) => series.items(TAG.ReferencedSOPSequence)).length
