import type { JsonObject } from './json-schema.ts'

const UNIT = 'Unit of the value.'
const DELIVERY_URLS =
  'Presigned https URLs of DICOM files, on hosts that the clinic has listed. Their order does not matter.'

/**
 * What a field means, by name. `Owner.name` applies within one schema, one operation or one
 * enclosing field.
 */
const FIELDS: Readonly<Record<string, string>> = {
  // Lists
  cursor:
    'Opaque position of the next page, base64. Send it back with the same filters; it is there exactly if `hasMore` is true.',
  'query.cursor':
    'The `cursor` of the previous page. It is valid only with the filters of that page.',
  hasMore: 'Whether there is another page.',
  'query.limit': 'How many entries a page has at most.',
  expressCustomers: 'The customers of this page.',
  studies: 'The studies of this page.',
  users: 'The users of this page.',
  invitations: 'The invitations of this page.',
  reports: 'The reports, oldest first.',
  // Identifiers
  expressCustomerId: 'The Express customer.',
  'query.expressCustomerId': 'Only studies of this customer. Empty or `null`: studies without one.',
  orgId: 'The organization.',
  userId: 'The user.',
  'ScribeReport.userId': 'The user who wrote or signed the report.',
  'scribeViewerOnlyRerouteUrl.userId': 'The user who opens the link, for the audit trail.',
  studyId: 'The study.',
  'clinical_context.enrichment_requested.studyId':
    'The study, as a UUID without the prefix `stu_`.',
  reportId: 'The report or addendum.',
  invitationId: 'The invitation.',
  apiKeyId: 'The API key.',
  clinicId: 'The clinic; the same in every event and invitation.',
  studyInstanceUid: 'Study Instance UID (0020,000D).',
  seriesInstanceUid: 'Series Instance UID (0020,000E).',
  sopInstanceUid: 'SOP Instance UID (0008,0018).',
  // Records
  createdAt: 'When it was created.',
  updatedAt: 'When it was last changed.',
  isActive: 'Whether it may be used for new studies and users.',
  userCount: 'How many users are linked to it.',
  createdByApiKeyId: 'The API key that created it; absent if a user did.',
  createdByUserId: 'The user who created it in the window; null if an API key did.',
  createdByApiKey: 'The API key that created it.',
  createdByUser: 'The user who created it in the window.',
  expressCustomer: 'The customer that the study belongs to.',
  metadata: 'Pairs of your own; the gateway only stores them.',
  expressCustomerName: 'Name of the customer.',
  'query.expressCustomerName': 'Only customers whose name contains this text, in any case.',
  orgName: 'Name of the organization.',
  description: 'What the key is for, as entered in the window.',
  isViewerEnabled: 'Whether the key may call the viewer area.',
  success: 'Whether the call had an effect, or there was nothing to do.',
  message: 'Why not, in a sentence for a person.',
  // Studies
  studyDescription: 'Study Description (0008,1030).',
  'query.studyDescription': 'Only studies whose description contains this text, in any case.',
  severity: 'Urgency: `normal` is routine, `high` is urgent, `stat` needs immediate attention.',
  'query.severity': 'Only studies of this urgency.',
  assignedTo: 'The user to whom the study is assigned.',
  'query.assignedTo': 'Only studies assigned to this user. Empty or `null`: unassigned studies.',
  assignedToUserId: 'The user who opens the link. The study is assigned to them.',
  studyViewerStatus: 'Whether the images of the study are complete, as set by the partner.',
  'query.studyViewerStatus': 'Only studies with this status.',
  studyReportStatus:
    '`unassigned`, `assigned` but not begun, `in_progress`, `completed` (signed), or `addendum_active` (an addendum is being written).',
  'query.studyReportStatus':
    'Only studies with one of these statuses, separated by commas. Empty: no filter.',
  isCancelled: 'Whether the study was cancelled.',
  'query.studyType': 'All studies are `standard`; `external` finds none. For clients that send it.',
  'query.isCancelled':
    'Only cancelled studies (`true`) or only others (`false`). Empty: no filter.',
  cancelledAt: 'When the study was cancelled; null if it is not.',
  reportMetadata: 'Patient and scan, as shown on the report.',
  snapshotMetadata: 'Patient and scan at the time of signing; for a draft, now.',
  priorReportTexts: 'Texts of earlier reports, for the radiologist.',
  priorStudyIds: 'Earlier studies of the patient, of either area.',
  reportIds: 'The reports and addenda of the study, oldest first.',
  externalPatientId: 'The patient’s identifier in the partner’s system.',
  clinicalIndication: 'Why the exam was ordered.',
  clinicalHistory: 'Clinical history of the patient.',
  technologistTechnique: 'How the exam was made.',
  technologistNotes: 'Notes of the technologist.',
  priorReports: 'Earlier reports from elsewhere.',
  'priorReports.reportText': 'Text of the earlier report.',
  'priorReports.externalStudyId': 'Identifier of the earlier study in the partner’s system.',
  'priorReports.modality': 'Modality of the earlier study.',
  'priorReports.studyDate': 'Day of the earlier study.',
  'priorReports.studyDescription': 'Description of the earlier study.',
  age: 'Age at the scan, as text.',
  dateOfBirth: 'Date of birth.',
  facilityName: 'Where the exam was made.',
  height: 'Body height.',
  weight: 'Body weight.',
  'height.unit': UNIT,
  'weight.unit': UNIT,
  'height.value': 'The height in that unit.',
  'weight.value': 'The weight in that unit.',
  mrn: 'Medical record number, Patient ID (0010,0020).',
  patientName: 'Name of the patient.',
  referringPhysicianName: 'Name of the referring physician.',
  scanDate: 'Day of the scan, in the clinic’s time zone.',
  scanTime: 'Time of the scan, `HH:MM`, in the clinic’s time zone.',
  scanType: 'Modality or kind of scan, as text.',
  procedure: 'What was done: becomes `scanType`.',
  studyDate: 'Day of the scan: becomes `scanDate`.',
  studyTime: 'Time of the scan, `HH:MM` or `HH:MM:SS[.fff]`; becomes `scanTime`, to the minute.',
  modality: 'Modality, such as `CT`.',
  sex: 'Patient’s sex.',
  // Reports
  isAddendum: 'Whether it is an addendum to a completed report.',
  'ScribeReport.status': '`in_progress` is a draft, `completed` is signed.',
  'reportIds.status': '`in_progress` is a draft, `completed` is signed.',
  'reportIds.reportId': 'The report or addendum.',
  signedAt: 'When it was signed; null for a draft.',
  isCritical: 'Whether the signer marked the result as critical; null for a draft.',
  'report.delivered.isCritical':
    'Whether the signer marked the result as critical: somebody who treats the patient must be told without delay.',
  reportPlainText: 'The text; absent for a draft.',
  plainText: 'The whole text of the report.',
  presignedUrl: 'Link to the PDF, valid for an hour, without an API key.',
  url: 'The link. Whoever has it can open it: treat it like a password.',
  'mediaUrls.url': 'Presigned https URL of the file.',
  'documentUrls.url': 'https URL of the document, on a host that the clinic has listed.',
  // Ephemeral sessions
  retrievalId: 'Your own handle for the images; sent back unchanged in the event.',
  options:
    'Any JSON object of at most 3072 bytes; sent back unchanged in the event. Not meant for URLs.',
  hangingProtocol: 'How the viewer lays out the images first.',
  layout: 'Rows and columns of the viewer.',
  viewportAssignments:
    'The series description that each viewport shows, in reading order; null leaves one empty.',
  // Users
  email: 'E-mail address, for signing in and for notifications.',
  'query.email': 'Only the user with this e-mail address, in any case.',
  firstName: 'Given name.',
  'query.firstName': 'Only users whose given name contains this text, in any case.',
  lastName: 'Family name.',
  'query.lastName': 'Only users whose family name contains this text, in any case.',
  middleName: 'Middle name.',
  suffix1: 'First suffix, such as a degree.',
  suffix2: 'Second suffix.',
  phoneNumber: 'Telephone number, 10 to 15 digits.',
  npiNumber: 'National Provider Identifier, 10 digits; needed by users who may create reports.',
  clinicRole: 'What the user does in the clinic. It changes no rights.',
  level:
    '`admin` manages users and settings, `member` does not. `owner` exists in answers only: it cannot be assigned.',
  'query.level': 'Only users of this level.',
  canManageStudies: 'Whether the user may create, change and cancel studies.',
  canCreateReports: 'Whether the user may write and sign reports; needs `npiNumber`.',
  'query.canCreateReports': 'Only users who may (`true`) or may not (`false`) create reports.',
  hasDashboardAccess: 'Whether the user may use the window; must be true for `admin`.',
  invitedSource: 'Where the user was invited: in the window (`dashboard`) or by an API key.',
  'query.invitedSource': 'Only users who were invited there.',
  lastLoginAt: 'When the user last signed in; null if never.',
  inviterId: 'The user who sent the invitation; null if an API key did.',
  invitedByApiKeyId: 'The API key that sent the invitation; null if a user did.',
  expiry: 'When the invitation can no longer be accepted; null if it does not expire.',
  'ViewerInvitation.status': 'State of the invitation. An expired one stays `sent`; see `expiry`.',
  'ScribeInvitation.status': 'State of the invitation. An expired one stays `sent`; see `expiry`.',
  'query.status':
    'Only invitations with one of these states, separated by commas. Empty: no filter.',
  'query.expired': 'Whether expired invitations are included.',
  'query.startDate': 'Only invitations created on or after this day of the clinic.',
  'query.endDate': 'Only invitations created on or before this day of the clinic.',
  'query.userId': 'Only invitations of this user.',
  // Problems
  'Problem.type': 'URN of the kind of problem.',
  'Problem.title': 'The kind of problem in a few words.',
  'Problem.status': 'The HTTP status.',
  'Problem.detail': 'What is wrong and what to do about it, in a sentence.',
  'Problem.instance': 'The path of the request.',
  'Problem.message': 'The same as `detail`.',
  'Problem.code': 'The kind of problem, for programs.',
  'Problem.errors': 'Each field that was refused; empty if none is to blame.',
  'Problem.requestId': 'Names the request in the gateway’s log; also in `x-request-id`.',
  'errors.path': 'Dotted path of the field, such as `body.severity`.',
  'errors.message': 'What is wrong with it.',
  // Events
  id: 'ID of the event: the same at each attempt, and equal to `webhook-id`.',
  type: 'Which event it is.',
  data: 'What the event is about.',
  authorized: 'False refuses the request; a person in the clinic sees the reason in `error`.',
  error: 'Why the request is refused. Any text here counts as a refusal.',
  urls: DELIVERY_URLS,
  uploadUrls: 'Presigned https URLs. The same object is PUT to each of them, with retries.',
  mediaUrls: 'Other files of the study, such as videos and documents.',
  mimeType: 'Media type of the file.',
  fileName: 'Name that is shown for the file.',
  manifest: 'What the files contain, so that the viewer can show the first image early.',
  manifests: 'As `manifest`, one for each study of the session.',
  callingAe: 'AE title of the device that asked.',
  sourceIp: 'Address of the device that asked.',
  dateStart: 'First day of the exams, inclusive, in the clinic’s time zone.',
  dateEnd: 'Last day of the exams, inclusive, in the clinic’s time zone.',
  'modality_worklist.requested.modality':
    'Only exams of this modality; absent if the device did not ask for one.',
  items: 'The scheduled exams; an empty list means that nothing is scheduled.',
  accessionNumber: 'Accession Number (0008,0050) of the images.',
  patientId: 'Patient ID (0010,0020) of the images.',
  documents: 'Documents as text.',
  documentUrls: 'Documents to download.',
  content: 'Text of the document, in parts.',
  AccessionNumber: 'Accession Number (0008,0050), SH.',
  Modality: 'Modality (0008,0060), CS.',
  PatientBirthDate: 'Patient’s Birth Date (0010,0030), DA: `YYYYMMDD`.',
  PatientID: 'Patient ID (0010,0020).',
  PatientName: 'Patient’s Name (0010,0010), PN: `FAMILY^GIVEN^MIDDLE^PREFIX^SUFFIX`.',
  PatientSex: 'Patient’s Sex (0010,0040): `M`, `F` or `O`.',
  PatientSize: 'Patient’s Size (0010,1020) in metres; an empty text if unknown.',
  PatientWeight: 'Patient’s Weight (0010,1030) in kilograms; an empty text if unknown.',
  ProtocolName: 'Protocol Name (0018,1030).',
  RequestedProcedureDescription: 'Requested Procedure Description (0032,1060).',
  StudyDescription: 'Study Description (0008,1030).',
  StudyInstanceUID: 'Study Instance UID (0020,000D); an item without one is withheld.',
  AdmissionID: 'Admission ID (0038,0010).',
  OtherPatientIDs: 'Other Patient IDs (0010,1000): a list, or one text with backslashes.',
  ReferringPhysicianName: 'Referring Physician’s Name (0008,0090), PN.',
  ScheduledProcedureStepSequence: 'The scheduled steps of the exam; usually one.',
  ScheduledProcedureStepDescription: 'Scheduled Procedure Step Description (0040,0007).',
  ScheduledProcedureStepID: 'Scheduled Procedure Step ID (0040,0009), SH.',
  ScheduledProcedureStepStartDate: 'Scheduled start, DA: `YYYYMMDD`, in the clinic’s time zone.',
  ScheduledProcedureStepStartTime: 'Scheduled start, TM: `HHMMSS`, in the clinic’s time zone.',
  ScheduledProcedureStepLocation: 'Scheduled Procedure Step Location (0040,0011).',
  // Manifests
  studyInstanceUID: 'Study Instance UID; must be that of the requested study.',
  series: 'The series. One without a usable instance is ignored.',
  seriesInstanceUID: 'Series Instance UID (0020,000E).',
  seriesDescription: 'Series Description (0008,103E).',
  seriesNumber: 'Series Number (0020,0011).',
  'series.modality': 'Modality (0008,0060).',
  sops: 'The instances of the series. One with a wrong or missing field is ignored.',
  sopClassUID: 'SOP Class UID (0008,0016).',
  sopInstanceUID: 'SOP Instance UID (0008,0018).',
  instanceNumber: 'Instance Number (0020,0013); absent or 0 if unknown.',
  numberOfFrames: 'Number of Frames (0028,0008); 1 for a single image.',
  rows: 'Rows (0028,0010); needed for images.',
  columns: 'Columns (0028,0011); needed for images.',
  bitsAllocated: 'Bits Allocated (0028,0100): 8, 16 or 32; needed for images.',
  bitsStored: 'Bits Stored (0028,0101).',
  highBit: 'High Bit (0028,0102).',
  pixelRepresentation: 'Pixel Representation (0028,0103): 0 unsigned, 1 signed.',
  samplesPerPixel: 'Samples per Pixel (0028,0002): 1 gray, 3 colour; needed for images.',
  photometricInterpretation: 'Photometric Interpretation (0028,0004); needed for images.',
  rescaleSlope: 'Rescale Slope (0028,1053).',
  rescaleIntercept: 'Rescale Intercept (0028,1052).',
  isFloatPixelData: 'Whether the pixels are Float Pixel Data (7FE0,0008), 32 bits.',
  // Sandbox
  webhook: 'Where the events of the sandbox go; null before the first.',
  'SandboxState.studies': 'Number of studies.',
  'SandboxState.images': 'Number of images.',
  'webhook.url': 'Address that receives the events.',
  isSimulated:
    'Whether it is the simulated partner that the sandbox starts until an address is set.',
  waitingReports: 'Number of signed reports that no partner has accepted yet.',
  eventId: 'The event; the `id` of its envelope.',
  'SandboxDelivery.state':
    '`waiting` to be sent again, `delivered`, or `failed` if it will not be sent again.',
  attempts: 'Number of attempts so far.',
  fault: 'Why the last attempt failed; null if it did not.',
  nextAttemptAt: 'When it would be sent again; null if it will not be.',
  'SandboxExam.accessionNumber': 'Accession Number (0008,0050) of the exam.',
  'sandboxRunExam.accessionNumber': 'The exam to perform; the first without images if missing.',
  'SandboxExam.patientId': 'Patient ID (0010,0020) of the exam.',
  worklistExams: 'Number of exams on the worklist that the device received.',
  'SandboxExam.images': 'Number of images that the device sent.',
  'SandboxExam.studies': 'The studies that were created from the images.',
  area: 'The area of the study.',
  delivery: 'The delivery of the report after its first attempt.',
  request: 'The request as it is signed and sent.',
  'request.url': 'The address.',
  headers: 'The headers, with the signature.',
  body: 'The body as text; null if there was none.',
  'request.body': 'The body as it is signed.',
  response: 'What came back; null if nothing was sent.',
  outcome: '`accepted`, or why the gateway could not use the response.',
  httpStatus: 'The HTTP status; null if there was no response.',
  tookMs: 'Milliseconds from the request to the end of the response.',
  verdict: 'What the gateway would do with the response.',
  notes: 'Parts of the response that the gateway would leave out.',
  path: 'Place within the response.',
  'notes.message': 'Why the part is left out.',
  deliveries: 'The reports that were waiting.',
  'sandboxSetWebhook.url': 'The address, https.',
  'sandboxSetWebhook.secret':
    'The signing secret: `whsec_` and base64. In a reply it is null unless it was generated.',
  'sandboxSignReport.plainText': 'The text of the report; an invented one if missing.',
  'sandboxSignReport.isCritical': 'Whether the report is critical.',
  'sandboxSendEvent.type': 'The event.',
  'sandboxSendEvent.data': 'Fields that replace the invented ones.',
  isDryRun: 'Whether the request is only shown.',
  isDoubleFloatPixelData: 'Whether the pixels are Double Float Pixel Data (7FE0,0009), 64 bits.',
}

/** @throws TypeError if the field has no description */
export function describedField(owner: string, name: string): string {
  const description = FIELDS[`${owner}.${name}`] ?? FIELDS[name]
  if (description === undefined) throw new TypeError(`${owner}.${name} has no description`)
  return description
}

/**
 * Adds a description to each field of a JSON Schema, at any depth. `owner` names the schema, and
 * inner objects are named after their field.
 */
export function describeFields(schema: JsonObject, owner: string): void {
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'example' || typeof value !== 'object' || value === null) continue
    if (key !== 'properties') {
      for (const inner of Array.isArray(value) ? value : [value])
        if (typeof inner === 'object' && inner !== null) describeFields(inner, owner)
      continue
    }
    for (const [name, field] of Object.entries(value as Record<string, JsonObject>)) {
      field.description ??= describedField(owner, name)
      describeFields(field, name)
    }
  }
}
