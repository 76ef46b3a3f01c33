import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { type NamedValues, namedDataSet } from '#server/dicom/data-set/named-data-set.ts'
import { type ClinicTime, commonAttributes, type ObjectHeader } from './object-header.ts'

/** PS3.4 Table B.5-1. */
export const REPORT_SOP_CLASS = {
  pdf: '1.2.840.10008.5.1.4.1.1.104.1',
  sr: '1.2.840.10008.5.1.4.1.1.88.11',
} as const

/** Attributes common to both documents of a report. */
export interface ReportHeader extends ObjectHeader {
  readonly signed: ClinicTime
}

export interface TextSection {
  /** One of `HEADINGS`, or empty. */
  readonly heading: string
  readonly text: string
}

/** The verifying observer of a report or addendum (PS3.3 C.17.2). */
export interface Verifier {
  readonly name: string
  readonly organization: string
  readonly verifiedAt: ClinicTime
}

export interface StructuredReport {
  readonly sections: readonly TextSection[]
  readonly addenda: readonly { readonly sections: readonly TextSection[] }[]
  /** Critical results of the report and its addenda: the finding and who was notified. */
  readonly criticalResults: readonly string[]
  readonly verifiers: readonly Verifier[]
  /** Structured reports that this one supersedes. */
  readonly predecessors: readonly {
    readonly seriesInstanceUid: string
    readonly sopInstanceUid: string
  }[]
}

interface Code {
  readonly value: string
  readonly scheme: 'DCM' | 'LN'
  readonly meaning: string
}
const code = (value: string, scheme: Code['scheme'], meaning: string): Code => ({
  value,
  scheme,
  meaning,
})

const TITLE = code('18748-4', 'LN', 'Diagnostic imaging report')
const COMMENT = code('121106', 'DCM', 'Comment')
const ADDENDUM = code('55107-7', 'LN', 'Addendum')
const CRITICAL = code('73568-8', 'LN', 'Communication of Critical Results')
const OBSERVER_TYPE = code('121005', 'DCM', 'Observer Type')
const PERSON = code('121006', 'DCM', 'Person')
const PERSON_NAME = code('121008', 'DCM', 'Person Observer Name')

/** Codes of a heading (PS3.16 CID 7001) and of its content (CID 7002). */
const HEADINGS: Readonly<Record<string, { readonly heading: Code; readonly element: Code }>> = {
  Indication: {
    heading: code('18785-6', 'LN', 'Indications for Procedure'),
    element: code('55115-0', 'LN', 'Request'),
  },
  Technique: {
    heading: code('55111-9', 'LN', 'Current Procedure Descriptions'),
    element: code('121065', 'DCM', 'Procedure Description'),
  },
  Comparison: {
    heading: code('55114-3', 'LN', 'Prior Procedure Descriptions'),
    element: code('121065', 'DCM', 'Procedure Description'),
  },
  Findings: {
    heading: code('59776-5', 'LN', 'Findings'),
    element: code('121071', 'DCM', 'Finding'),
  },
  Impression: {
    heading: code('19005-8', 'LN', 'Impressions'),
    element: code('121073', 'DCM', 'Impression'),
  },
}

/**
 * Encapsulated PDF (PS3.3 A.45.1). The length of `pdf` must be even, because padding would become
 * part of the document.
 */
export function encapsulatedPdf(header: ReportHeader, pdf: Buffer): DataSet {
  return namedDataSet({
    ...commonAttributes(header, REPORT_SOP_CLASS.pdf, header.signed),
    Modality: 'DOC',
    // PS3.3 C.8.6.1: workstation.
    ConversionType: 'WSD',
    InstanceNumber: '1',
    ContentDate: header.signed.date,
    ContentTime: header.signed.time,
    AcquisitionDateTime: '',
    BurnedInAnnotation: 'YES',
    DocumentTitle: header.seriesDescription,
    VerificationFlag: 'VERIFIED',
    ConceptNameCodeSequence: [codeItem(TITLE)],
    MIMETypeOfEncapsulatedDocument: 'application/pdf',
    EncapsulatedDocument: pdf,
    EncapsulatedDocumentLength: pdf.length,
  })
}

/** Basic Text SR (PS3.3 A.35.1), with a container for each heading. */
export function basicTextSr(header: ReportHeader, report: StructuredReport): DataSet {
  const { sections, addenda, criticalResults, verifiers, predecessors } = report
  const [first] = verifiers
  return namedDataSet({
    ...commonAttributes(header, REPORT_SOP_CLASS.sr, header.signed),
    Modality: 'SR',
    InstanceNumber: '1',
    ContentDate: header.signed.date,
    ContentTime: header.signed.time,
    ReferencedPerformedProcedureStepSequence: [],
    PerformedProcedureCodeSequence: [],
    CompletionFlag: 'COMPLETE',
    VerificationFlag: 'VERIFIED',
    VerifyingObserverSequence: verifiers.map(({ name, organization, verifiedAt }) => ({
      VerifyingObserverName: name,
      VerifyingOrganization: organization,
      VerificationDateTime: `${verifiedAt.date}${verifiedAt.time}${verifiedAt.offset}`,
      VerifyingObserverIdentificationCodeSequence: [],
    })),
    ReferencedRequestSequence: header.accessionNumber === '' ? undefined : [request(header)],
    PredecessorDocumentsSequence:
      predecessors.length === 0
        ? undefined
        : [
            {
              StudyInstanceUID: header.studyInstanceUid,
              ReferencedSeriesSequence: predecessors.map(
                ({ seriesInstanceUid, sopInstanceUid }) => ({
                  SeriesInstanceUID: seriesInstanceUid,
                  ReferencedSOPSequence: [
                    {
                      ReferencedSOPClassUID: REPORT_SOP_CLASS.sr,
                      ReferencedSOPInstanceUID: sopInstanceUid,
                    },
                  ],
                }),
              ),
            },
          ],
    ...container(TITLE),
    ContentSequence: [
      ...(first === undefined ? [] : observerSequence(first)),
      ...criticalResults.map((text) =>
        containedItem({ ...container(CRITICAL), ContentSequence: [textItem(COMMENT, text)] }),
      ),
      ...sections.flatMap(sectionItems),
      ...addenda.map((addendum) =>
        containedItem({
          ...container(ADDENDUM),
          ContentSequence: addendum.sections.flatMap(({ heading, text }) =>
            subItems(heading, text),
          ),
        }),
      ),
    ],
  })
}

const sectionItems = ({ heading, text }: TextSection): NamedValues[] => {
  const knownHeading = HEADINGS[heading]
  if (!knownHeading) return text === '' ? [] : [textItem(COMMENT, text)]
  const content = text === '' ? undefined : [textItem(knownHeading.element, text)]
  return [containedItem({ ...container(knownHeading.heading), ContentSequence: content })]
}

/** The contents of an addendum: a section with a heading, or plain text. */
const subItems = (heading: string, text: string): NamedValues[] => sectionItems({ heading, text })

// PS3.16 TID 1001-1003.
const observerSequence = ({ name }: Verifier): NamedValues[] => [
  {
    RelationshipType: 'HAS OBS CONTEXT',
    ValueType: 'CODE',
    ConceptNameCodeSequence: [codeItem(OBSERVER_TYPE)],
    ConceptCodeSequence: [codeItem(PERSON)],
  },
  {
    RelationshipType: 'HAS OBS CONTEXT',
    ValueType: 'PNAME',
    ConceptNameCodeSequence: [codeItem(PERSON_NAME)],
    PersonName: name,
  },
]

const containedItem = (item: NamedValues): NamedValues => ({
  RelationshipType: 'CONTAINS',
  ...item,
})

const container = (concept: Code): NamedValues => ({
  ValueType: 'CONTAINER',
  ConceptNameCodeSequence: [codeItem(concept)],
  ContinuityOfContent: 'SEPARATE',
})

// PS3.5 §6.1.3: lines end with CR LF.
const textItem = (concept: Code, text: string): NamedValues =>
  containedItem({
    ValueType: 'TEXT',
    ConceptNameCodeSequence: [codeItem(concept)],
    TextValue: text.replace(/\r?\n/g, '\r\n'),
  })

const codeItem = ({ value, scheme, meaning }: Code): NamedValues => ({
  CodeValue: value,
  CodingSchemeDesignator: scheme,
  CodeMeaning: meaning,
})

const request = ({ studyInstanceUid, accessionNumber }: ReportHeader): NamedValues => ({
  AccessionNumber: accessionNumber,
  ReferencedStudySequence: [],
  StudyInstanceUID: studyInstanceUid,
  RequestedProcedureDescription: '',
  RequestedProcedureCodeSequence: [],
  RequestedProcedureID: '',
  PlacerOrderNumberImagingServiceRequest: '',
  FillerOrderNumberImagingServiceRequest: '',
})
