/**
 * Optional attributes that an item may have although the interface does not list them. A value that
 * cannot be used is left out; it never causes the row to be withheld.
 */
export const EXTRA_KEYWORDS = [
  'AdmissionID',
  'OtherPatientIDs',
  'ReferringPhysicianName',
  'ScheduledProcedureStepLocation',
] as const
const EXTRAS: ReadonlySet<string> = new Set(EXTRA_KEYWORDS)
export const isExtraKeyword = (keyword: string): boolean => EXTRAS.has(keyword)

/** Attributes of a row, by keyword: the partner's values and the state of the step. */
export const ROW_KEYWORDS = [
  ...EXTRA_KEYWORDS,
  'AccessionNumber',
  'Modality',
  'PatientBirthDate',
  'PatientID',
  'PatientName',
  'PatientSex',
  'PatientSize',
  'PatientWeight',
  'ProtocolName',
  'RequestedProcedureDescription',
  'RequestedProcedureID',
  'ScheduledProcedureStepDescription',
  'ScheduledProcedureStepID',
  'ScheduledProcedureStepStartDate',
  'ScheduledProcedureStepStartTime',
  'ScheduledProcedureStepStatus',
  'StudyDescription',
  'StudyInstanceUID',
] as const
export type RowKeyword = (typeof ROW_KEYWORDS)[number]

/**
 * Where the value of a returned attribute comes from.
 * row: the row, under the attribute's keyword
 * station: the query or the calling AE title
 * age: birth date and start date
 * clinic: the clinic's name
 * empty: returned with zero length
 * omitted: not returned, because the standard does not allow an empty value
 */
export type ValueSource = 'row' | 'station' | 'age' | 'clinic' | 'nothing' | 'omitted'

export interface Attribute {
  readonly tag: number
  readonly keyword: string
  readonly vr: string
  /** Matching key type of Table K.6-1: R required, O optional, - never matched. */
  readonly matching: 'R' | 'O' | '-'
  /** Return key type. */
  readonly type: '1' | '1C' | '2' | '2C' | '3'
  readonly source: ValueSource
}

export const TIMEZONE_OFFSET_FROM_UTC = 0x00080201
export const MODALITY = 0x00080060
export const PATIENT_NAME = 0x00100010
export const PATIENT_ID = 0x00100020
export const ACCESSION_NUMBER = 0x00080050
export const STUDY_INSTANCE_UID = 0x0020000d
export const REQUESTED_PROCEDURE_ID = 0x00401001
export const SCHEDULED_PROCEDURE_STEP_SEQUENCE = 0x00400100
export const SCHEDULED_STATION_AE_TITLE = 0x00400001
export const START_DATE = 0x00400002
export const START_TIME = 0x00400003

type AttributeRow = readonly [
  number,
  string,
  string,
  Attribute['matching'],
  Attribute['type'],
  ValueSource,
]
const attributeTable = (rows: readonly AttributeRow[]): ReadonlyMap<number, Attribute> =>
  new Map(
    rows.map(([tag, keyword, vr, matching, type, source]) => [
      tag,
      { tag, keyword, vr, matching, type, source },
    ]),
  )

/** PS3.4 Table K.6-1, inside Scheduled Procedure Step Sequence (0040,0100). */
export const STEP_ATTRIBUTES = attributeTable([
  [MODALITY, 'Modality', 'CS', 'R', '1', 'row'],
  [0x00102210, 'AnatomicalOrientationType', 'CS', 'O', '1C', 'omitted'],
  [0x00321070, 'RequestedContrastAgent', 'LO', 'O', '2C', 'nothing'],
  [SCHEDULED_STATION_AE_TITLE, 'ScheduledStationAETitle', 'AE', 'R', '1', 'station'],
  [START_DATE, 'ScheduledProcedureStepStartDate', 'DA', 'R', '1', 'row'],
  [START_TIME, 'ScheduledProcedureStepStartTime', 'TM', 'R', '1', 'row'],
  [0x00400004, 'ScheduledProcedureStepEndDate', 'DA', 'O', '3', 'nothing'],
  [0x00400005, 'ScheduledProcedureStepEndTime', 'TM', 'O', '3', 'nothing'],
  [0x00400006, 'ScheduledPerformingPhysicianName', 'PN', 'R', '2', 'nothing'],
  [0x00400007, 'ScheduledProcedureStepDescription', 'LO', 'O', '1C', 'row'],
  // Type 1C: not required, because the description is present. An item with empty codes would be
  // invalid.
  [0x00400008, 'ScheduledProtocolCodeSequence', 'SQ', 'O', '1C', 'omitted'],
  [0x00400009, 'ScheduledProcedureStepID', 'SH', 'O', '1', 'row'],
  [0x00400010, 'ScheduledStationName', 'SH', 'O', '2', 'nothing'],
  [0x00400011, 'ScheduledProcedureStepLocation', 'SH', 'O', '2', 'row'],
  [0x00400012, 'PreMedication', 'LO', 'O', '2C', 'nothing'],
  [0x00400020, 'ScheduledProcedureStepStatus', 'CS', 'O', '3', 'row'],
  [0x00400400, 'CommentsOnTheScheduledProcedureStep', 'LT', 'O', '3', 'nothing'],
])

/**
 * PS3.4 Table K.6-1, outside that sequence. Any other standard attribute is returned with zero
 * length.
 */
export const ROOT_ATTRIBUTES = attributeTable([
  [0x00080020, 'StudyDate', 'DA', 'O', '3', 'nothing'],
  [0x00080030, 'StudyTime', 'TM', 'O', '3', 'nothing'],
  [ACCESSION_NUMBER, 'AccessionNumber', 'SH', 'O', '2', 'row'],
  [0x00080051, 'IssuerOfAccessionNumberSequence', 'SQ', 'O', '3', 'omitted'],
  [0x00080080, 'InstitutionName', 'LO', 'O', '3', 'clinic'],
  [0x00080081, 'InstitutionAddress', 'ST', 'O', '3', 'nothing'],
  [0x00080082, 'InstitutionCodeSequence', 'SQ', 'O', '3', 'omitted'],
  [0x00080090, 'ReferringPhysicianName', 'PN', 'O', '2', 'row'],
  [0x00081030, 'StudyDescription', 'LO', 'O', '3', 'row'],
  [0x00081040, 'InstitutionalDepartmentName', 'LO', 'O', '3', 'nothing'],
  [0x00081110, 'ReferencedStudySequence', 'SQ', 'O', '2', 'nothing'],
  [0x00081120, 'ReferencedPatientSequence', 'SQ', 'O', '2', 'nothing'],
  [PATIENT_NAME, 'PatientName', 'PN', 'R', '1', 'row'],
  [PATIENT_ID, 'PatientID', 'LO', 'R', '1', 'row'],
  [0x00100021, 'IssuerOfPatientID', 'LO', 'O', '3', 'nothing'],
  [0x00100030, 'PatientBirthDate', 'DA', 'O', '2', 'row'],
  [0x00100040, 'PatientSex', 'CS', 'O', '2', 'row'],
  [0x00101000, 'OtherPatientIDs', 'LO', 'O', '3', 'row'],
  [0x00101001, 'OtherPatientNames', 'PN', 'O', '3', 'nothing'],
  [0x00101010, 'PatientAge', 'AS', 'O', '3', 'age'],
  [0x00101020, 'PatientSize', 'DS', 'O', '3', 'row'],
  [0x00101030, 'PatientWeight', 'DS', 'O', '3', 'row'],
  [0x00101040, 'PatientAddress', 'LO', 'O', '3', 'nothing'],
  [0x00102000, 'MedicalAlerts', 'LO', 'O', '2', 'nothing'],
  [0x00102110, 'Allergies', 'LO', 'O', '2', 'nothing'],
  [0x00102160, 'EthnicGroup', 'SH', 'O', '3', 'nothing'],
  // US: returned with zero length, because 0 is not a defined value.
  [0x001021c0, 'PregnancyStatus', 'US', 'O', '2', 'nothing'],
  [0x001021b0, 'AdditionalPatientHistory', 'LT', 'O', '3', 'nothing'],
  [0x00102201, 'PatientSpeciesDescription', 'LO', 'O', '1C', 'omitted'],
  [0x00102202, 'PatientSpeciesCodeSequence', 'SQ', 'O', '1C', 'omitted'],
  [0x00102292, 'PatientBreedDescription', 'LO', 'O', '2C', 'omitted'],
  [0x00102293, 'PatientBreedCodeSequence', 'SQ', 'O', '2C', 'omitted'],
  [0x00102297, 'ResponsiblePerson', 'PN', 'O', '2C', 'omitted'],
  [0x00102298, 'ResponsiblePersonRole', 'CS', 'O', '1C', 'omitted'],
  [0x00104000, 'PatientComments', 'LT', 'O', '3', 'nothing'],
  [0x00181030, 'ProtocolName', 'LO', 'O', '3', 'row'],
  [STUDY_INSTANCE_UID, 'StudyInstanceUID', 'UI', 'O', '1', 'row'],
  [0x00321032, 'RequestingPhysician', 'PN', 'O', '2', 'nothing'],
  [0x00321033, 'RequestingService', 'LO', 'O', '3', 'nothing'],
  [0x00321060, 'RequestedProcedureDescription', 'LO', 'O', '1C', 'row'],
  [0x00321064, 'RequestedProcedureCodeSequence', 'SQ', 'O', '1C', 'omitted'],
  [0x00380010, 'AdmissionID', 'LO', 'O', '2', 'row'],
  [0x00380014, 'IssuerOfAdmissionIDSequence', 'SQ', 'O', '3', 'omitted'],
  [0x00380050, 'SpecialNeeds', 'LO', 'O', '2', 'nothing'],
  [0x00380300, 'CurrentPatientLocation', 'LO', 'O', '2', 'nothing'],
  [0x00380500, 'PatientState', 'LO', 'O', '2', 'nothing'],
  [REQUESTED_PROCEDURE_ID, 'RequestedProcedureID', 'SH', 'O', '1', 'row'],
  [0x00401002, 'ReasonForTheRequestedProcedure', 'LO', 'O', '3', 'nothing'],
  [0x00401003, 'RequestedProcedurePriority', 'SH', 'O', '2', 'nothing'],
  [0x00401004, 'PatientTransportArrangements', 'LO', 'O', '2', 'nothing'],
  [0x0040100a, 'ReasonForRequestedProcedureCodeSequence', 'SQ', 'O', '3', 'omitted'],
  [0x00401400, 'RequestedProcedureComments', 'LT', 'O', '3', 'nothing'],
  [0x00402016, 'PlacerOrderNumberImagingServiceRequest', 'LO', 'O', '3', 'nothing'],
  [0x00402017, 'FillerOrderNumberImagingServiceRequest', 'LO', 'O', '3', 'nothing'],
  [0x00402400, 'ImagingServiceRequestComments', 'LT', 'O', '3', 'nothing'],
  [0x00403001, 'ConfidentialityConstraintOnPatientDataDescription', 'LO', 'O', '2', 'nothing'],
])

/**
 * What an empty sequence item, or a sequence of zero length, requests: all type 1 and type 2
 * attributes of the step (PS3.4 C.2.2.2.6).
 */
export const DEFAULT_STEP_ATTRIBUTES: readonly Attribute[] = [...STEP_ATTRIBUTES.values()].filter(
  ({ type, source }) => type !== '3' && source !== 'omitted',
)
