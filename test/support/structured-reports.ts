import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { type NamedValues, namedDataSet } from '#server/dicom/data-set/named-data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'

// Structured reports of an invented patient, as modalities write them.

const CT_IMAGE = '1.2.840.10008.5.1.4.1.1.2'
const COMPREHENSIVE = '1.2.840.10008.5.1.4.1.1.88.33'
const DOSE = '1.2.840.10008.5.1.4.1.1.88.67'
const KEY_OBJECTS = '1.2.840.10008.5.1.4.1.1.88.59'

type Code = readonly [value: string, scheme: string, meaning: string]
const codeItem = ([value, scheme, meaning]: Code): NamedValues => ({
  CodeValue: value,
  CodingSchemeDesignator: scheme,
  CodeMeaning: meaning,
})
const named = (concept: Code) => ({ ConceptNameCodeSequence: [codeItem(concept)] })

export const contains = (item: NamedValues): NamedValues => ({
  RelationshipType: 'CONTAINS',
  ...item,
})
export const modifier = (item: NamedValues): NamedValues => ({
  RelationshipType: 'HAS CONCEPT MOD',
  ...item,
})
const context = (item: NamedValues): NamedValues => ({
  RelationshipType: 'HAS OBS CONTEXT',
  ...item,
})
export const container = (concept: Code, ...content: NamedValues[]): NamedValues => ({
  ValueType: 'CONTAINER',
  ContinuityOfContent: 'SEPARATE',
  ...named(concept),
  ContentSequence: content,
})
export const textItem = (concept: Code, text: string): NamedValues => ({
  ValueType: 'TEXT',
  ...named(concept),
  TextValue: text,
})
export const codeValue = (concept: Code, value: Code): NamedValues => ({
  ValueType: 'CODE',
  ...named(concept),
  ConceptCodeSequence: [codeItem(value)],
})
export const numberItem = (
  concept: Code,
  value: string,
  unit: Code,
  ...content: NamedValues[]
): NamedValues => ({
  ValueType: 'NUM',
  ...named(concept),
  MeasuredValueSequence: [{ NumericValue: value, MeasurementUnitsCodeSequence: [codeItem(unit)] }],
  ...(content.length > 0 && { ContentSequence: content }),
})
export const imageItem = (sopInstanceUid: string, concept?: Code): NamedValues => ({
  ValueType: 'IMAGE',
  ...(concept && named(concept)),
  ReferencedSOPSequence: [
    { ReferencedSOPClassUID: CT_IMAGE, ReferencedSOPInstanceUID: sopInstanceUid },
  ],
})

export interface MadeReport {
  readonly studyInstanceUid?: string
  readonly sopInstanceUid?: string
  readonly transferSyntaxUid?: string
}

/** A report as a DICOM file. @param root the root container */
export function reportFile(
  sopClassUid: string,
  root: NamedValues,
  { studyInstanceUid = '2.25.100', sopInstanceUid = '2.25.100.9.1', ...made }: MadeReport = {},
  more: NamedValues = {},
): Buffer {
  const transferSyntaxUid = made.transferSyntaxUid ?? TRANSFER_SYNTAX.explicitLittleEndian
  const dataSet = namedDataSet({
    SpecificCharacterSet: 'ISO_IR 192',
    SOPClassUID: sopClassUid,
    SOPInstanceUID: sopInstanceUid,
    StudyDate: '20260310',
    ContentDate: '20260310',
    StudyTime: '101500',
    ContentTime: '104200',
    AccessionNumber: 'A-4711',
    Modality: sopClassUid === KEY_OBJECTS ? 'KO' : 'SR',
    Manufacturer: 'Example Imaging',
    ReferringPhysicianName: 'Refer^Anna',
    StudyDescription: 'CT thorax',
    SeriesDescription: 'Report',
    PatientName: 'Müller^Jörg',
    PatientID: 'P-0815',
    PatientBirthDate: '19640229',
    PatientSex: 'M',
    StudyInstanceUID: studyInstanceUid,
    SeriesInstanceUID: `${sopInstanceUid}.1`,
    StudyID: '1',
    SeriesNumber: '900',
    InstanceNumber: '1',
    ...(sopClassUid !== KEY_OBJECTS && {
      CompletionFlag: 'COMPLETE',
      VerificationFlag: 'UNVERIFIED',
      PerformedProcedureCodeSequence: [],
    }),
    ...root,
    ...more,
  })
  return Buffer.concat([
    fileMeta({ sopClassUid, sopInstanceUid, transferSyntaxUid, sourceAeTitle: 'CT1' }),
    writeDataSet(dataSet, transferSyntaxUid),
  ])
}

const MM: Code = ['mm', 'UCUM', 'millimeter']
const OBSERVER = [
  context(codeValue(['121005', 'DCM', 'Observer Type'], ['121006', 'DCM', 'Person'])),
  context({
    ValueType: 'PNAME',
    ...named(['121008', 'DCM', 'Person Observer Name']),
    PersonName: 'Invented^Carla^^Dr.',
  }),
]

/** A measurement report (PS3.16 TID 1500) with a verified observer. */
export const measurementReport = (image: string, made?: MadeReport): Buffer =>
  reportFile(
    COMPREHENSIVE,
    container(
      ['126000', 'DCM', 'Imaging Measurement Report'],
      modifier(
        codeValue(
          ['121049', 'DCM', 'Language of Content Item and Descendants'],
          ['en', 'RFC5646', 'English'],
        ),
      ),
      ...OBSERVER,
      contains(
        container(
          ['126010', 'DCM', 'Imaging Measurements'],
          contains(
            container(
              ['125007', 'DCM', 'Measurement Group'],
              contains(codeValue(['121071', 'DCM', 'Finding'], ['27925004', 'SCT', 'Nodule'])),
              contains(
                numberItem(
                  ['103339001', 'SCT', 'Long Axis'],
                  '12.5',
                  MM,
                  { RelationshipType: 'INFERRED FROM', ...imageItem(image) },
                  modifier(
                    codeValue(
                      ['363698007', 'SCT', 'Finding Site'],
                      ['3341006', 'SCT', 'Right lung'],
                    ),
                  ),
                ),
              ),
              contains(numberItem(['103340004', 'SCT', 'Short Axis'], '8.25', MM)),
              contains(
                numberItem(['112058', 'DCM', 'Calcium score'], '102', ['1', 'UCUM', 'no units']),
              ),
            ),
          ),
        ),
      ),
      contains(
        container(
          ['111028', 'DCM', 'Image Library'],
          contains(imageItem(image, ['121112', 'DCM', 'Source of Measurement'])),
        ),
      ),
      contains(
        textItem(
          ['121106', 'DCM', 'Comment'],
          'The nodule in the right upper lobe has grown since the prior examination.\r\nFollow-up in three months.',
        ),
      ),
    ),
    made,
    {
      VerificationFlag: 'VERIFIED',
      VerifyingObserverSequence: [
        {
          VerifyingObserverName: 'Invented^Carla^^Dr.',
          VerifyingOrganization: 'Clinic North',
          VerificationDateTime: '20260310113000',
          VerifyingObserverIdentificationCodeSequence: [],
        },
      ],
    },
  )

/** An X-ray radiation dose report of two irradiation events (PS3.16 TID 10011). */
export const doseReport = (made?: MadeReport): Buffer =>
  reportFile(
    DOSE,
    container(
      ['113701', 'DCM', 'X-Ray Radiation Dose Report'],
      modifier(
        codeValue(
          ['121058', 'DCM', 'Procedure reported'],
          ['77477000', 'SCT', 'Computed Tomography X-Ray'],
        ),
      ),
      contains(
        container(
          ['113811', 'DCM', 'CT Accumulated Dose Data'],
          contains(
            numberItem(['113812', 'DCM', 'Total Number of Irradiation Events'], '2', [
              '{events}',
              'UCUM',
              'events',
            ]),
          ),
          contains(
            numberItem(['113813', 'DCM', 'CT Dose Length Product Total'], '512.4', [
              'mGy.cm',
              'UCUM',
              'mGy.cm',
            ]),
          ),
        ),
      ),
      ...['Scout', 'Thorax'].map((protocol, index) =>
        contains(
          container(
            ['113819', 'DCM', 'CT Acquisition'],
            contains(textItem(['125203', 'DCM', 'Acquisition Protocol'], protocol)),
            contains({
              ValueType: 'UIDREF',
              ...named(['113769', 'DCM', 'Irradiation Event UID']),
              UID: `2.25.100.77.${index}`,
            }),
            contains(
              numberItem(['113830', 'DCM', 'Mean CTDIvol'], index === 0 ? '0.11' : '7.93', [
                'mGy',
                'UCUM',
                'mGy',
              ]),
            ),
          ),
        ),
      ),
    ),
    made,
  )

/** A key object selection of images (PS3.16 TID 2010). */
export const keyObjects = (images: readonly string[], made?: MadeReport): Buffer =>
  reportFile(
    KEY_OBJECTS,
    container(
      ['113000', 'DCM', 'Of Interest'],
      contains(textItem(['113012', 'DCM', 'Key Object Description'], 'Nodule, right upper lobe')),
      ...images.map((image) => contains(imageItem(image))),
    ),
    made,
    { CurrentRequestedProcedureEvidenceSequence: [] },
  )
