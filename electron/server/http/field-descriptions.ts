import type { JsonObject } from './json-schema.ts'

const UNIT_DESCRIPTION = 'Unit of the value.'
const DELIVERY_URLS_DESCRIPTION =
  'Presigned https URLs of DICOM files, on hosts that the clinic has listed. Their order does not matter.'

/**
 * What a field means, by name. `Owner.name` applies within one schema, one operation or one
 * enclosing field.
 */
const FIELDS: Readonly<Record<string, string>> = {
  // Lists
  cursor:
    'Opaque base64 cursor of the next page. Send it with the same filters to get that page. Present only if `hasMore` is true.',
  'query.cursor':
    'The `cursor` that the previous page returned. It is valid only with the filters of that page.',
  hasMore: 'Whether there is another page.',
  'query.limit': 'Maximum number of entries on a page.',
  expressCustomers: 'The customers of this page.',
  studies: 'The studies of this page.',
  users: 'The users of this page.',
  invitations: 'The invitations of this page.',
  reports: 'The reports, oldest first.',
  // Identifiers
  expressCustomerId: 'The Express customer.',
  'query.expressCustomerId':
    'Only studies of this customer. Empty or `null`: studies without a customer.',
  orgId: 'The organization.',
  userId: 'The user.',
  'ScribeReport.userId': 'The user who wrote or signed the report.',
  'scribeViewerOnlyRerouteUrl.userId': 'The user who opens the link, for the audit log.',
  studyId: 'The study.',
  'clinical_context.enrichment_requested.studyId':
    'ID of the study as a UUID, without the prefix `stu_`.',
  reportId: 'The report or addendum.',
  invitationId: 'The invitation.',
  apiKeyId: 'The API key.',
  clinicId: 'The clinic; the same in every event and invitation.',
  studyInstanceUid: 'Study Instance UID (0020,000D).',
  seriesInstanceUid: 'Series Instance UID (0020,000E).',
  sopInstanceUid: 'SOP Instance UID (0008,0018).',
  // Events and endpoints of a key
  'eventsList.events': 'The events of this page.',
  eventId: 'ID of the event, equal to its `webhook-id`.',
  'query.type': 'Only events of this type.',
  'query.state': 'Only events in this state.',
  'query.studyInstanceUid': 'Only entries about the study with this Study Instance UID.',
  endpointId: 'The endpoint.',
  'SentEvent.endpointId':
    'The endpoint that the event was sent to; null if it was not sent to any.',
  'SentEventWithAttempts.endpointId':
    'The endpoint that the event was sent to; null if it was not sent to any.',
  kind: '`synchronous`: a user or a device waits for the response. `soft`: the gateway continues without the response. `asynchronous`: retried until accepted.',
  subject:
    'The ID of the report or study, the AE title of a device, or `test`; never patient data.',
  state:
    '`waiting`: to be sent or retried. `done`: accepted. `failed`: no more attempts. `dropped`: stopped by a user of the clinic.',
  outcome:
    'Result of the last attempt: `accepted`, or the kind of failure. `none`: not sent yet. `refused`: `success` or `authorized` was false.',
  'SentEventAttempt.outcome': 'Result of the attempt: `accepted`, or the kind of failure.',
  attempts: 'Number of attempts.',
  remarkCount: 'Number of parts of the last response that were ignored.',
  isTest: 'Whether the event is a test with sample data.',
  nextAttemptAt: 'Time of the next attempt; null if there is none.',
  attemptList: 'The attempts, newest first.',
  attempt: 'Number of the attempt, starting at 1.',
  at: 'Time at which it happened.',
  'refusedHosts.at': 'Time at which the response with this host was received.',
  'SentEventAttempt.at': 'Time of the attempt.',
  httpStatus: 'HTTP status of the response; null if there was none.',
  tookMs: 'Time in milliseconds until the response was received.',
  bytes: 'Size of the response in bytes, as received.',
  detail:
    'Description of the failure; null if there was none. The text of a partner’s refusal is included only for keys that may see bodies.',
  remarks: 'The parts of the response that were ignored, with the reasons.',
  path: 'Path of the part in the response, such as `manifest.series.0`.',
  sentence: 'What is wrong with the part. The text never contains the value.',
  request:
    'The body of the last request as JSON, without the query strings of presigned URLs; null if it has been deleted or the key may not see bodies.',
  response:
    'The stored part of the response body, without the query strings of URLs; null if there was none or the key may not see bodies.',
  isCut: 'Whether `response` has been truncated.',
  hasBodies: 'Whether this API key may see bodies.',
  canReplay: 'Whether the event can be sent again.',
  whyNot: 'Why the event cannot be sent again; null if it can.',
  endpoints: 'The endpoints, oldest first.',
  name: 'A name of your choice for the endpoint; may be empty.',
  'DeliveryEndpoint.url': 'The address that events are sent to.',
  'DeliveryEndpointWithSecret.url': 'The address that events are sent to.',
  'endpointsCreate.url': 'The address that events are sent to: https, on a public host.',
  'endpointsUpdate.url': 'The address that events are sent to: https, on a public host.',
  events:
    'The event types that the endpoint receives. No other endpoint of this key may receive them.',
  fileHosts: 'Hosts of presigned URLs from which the gateway downloads files; set by the clinic.',
  refusedHosts:
    'Hosts that occurred in responses since the gateway started and that the clinic has not listed, newest first.',
  host: 'Host name, with the port unless it is 443.',
  secrets: 'The signing secrets in use, newest first, with their creation and expiry times.',
  endsAt: 'When the secret expires; null for the newest.',
  isEnabled: 'Whether events are sent to the endpoint.',
  'endpointsUpdate.isEnabled': 'Set to true to enable the endpoint again after it returned 410.',
  disabledReason:
    '`person`: disabled by a user of the clinic. `gone`: the endpoint returned 410. Null if the endpoint is enabled.',
  waiting: 'Number of reports that have not been delivered to the endpoint yet.',
  secret: 'The signing secret, `whsec_…`. No other response contains it: store it now.',
  endOthersNow: 'Whether former secrets expire immediately.',
  'endpointsTest.type': 'Type of the event to send.',
  'endpointsTest.success': 'Whether the response was valid.',
  'endpointsTest.message': 'Result of the test, as a sentence for a person to read.',
  // Records
  createdAt: 'Time at which the object was created.',
  updatedAt: 'Time at which the object was last changed.',
  isActive: 'Whether the customer may be used for new studies and users.',
  userCount: 'Number of users associated with the customer.',
  createdByApiKeyId: 'The API key that created the object; absent if a user created it.',
  createdByUserId: 'The user who created the object in Isthmus; null if an API key created it.',
  createdByApiKey: 'The API key that created the object.',
  createdByUser: 'The user who created the object in Isthmus.',
  expressCustomer: 'The customer that the study belongs to.',
  metadata: 'Key-value pairs of your choice. The gateway stores them but does not use them.',
  expressCustomerName: 'Name of the customer.',
  'query.expressCustomerName': 'Only customers whose name contains this text, ignoring case.',
  orgName: 'Name of the organization.',
  description: 'Description of the API key, as entered by an administrator.',
  isViewerEnabled: 'Whether the API key has access to the viewer area.',
  success: 'True if the call succeeded, even if there was nothing to change.',
  message: 'If `success` is false, the reason, as a sentence for a person to read.',
  // Studies
  studyDescription: 'Study Description (0008,1030).',
  'query.studyDescription': 'Only studies whose description contains this text, ignoring case.',
  severity: 'Urgency: `normal` is routine, `high` is urgent, `stat` needs immediate attention.',
  'query.severity': 'Only studies of this urgency.',
  assignedTo: 'The user to whom the study is assigned.',
  'query.assignedTo': 'Only studies assigned to this user. Empty or `null`: unassigned studies.',
  assignedToUserId: 'The user who opens the link. The study is assigned to this user.',
  studyViewerStatus: 'Whether the images of the study are complete, as set by the partner.',
  'query.studyViewerStatus': 'Only studies with this status.',
  studyReportStatus:
    '`unassigned`, `assigned` (not started), `in_progress`, `completed` (signed), or `addendum_active` (an addendum is being written).',
  'query.studyReportStatus':
    'Only studies with one of these statuses, separated by commas. Empty: no filter.',
  isCancelled: 'Whether the study was cancelled.',
  'query.studyType':
    'Accepted for compatibility. All studies are `standard`; `external` matches none.',
  'query.isCancelled':
    'Only cancelled studies (`true`) or only studies that are not cancelled (`false`). Empty: no filter.',
  cancelledAt: 'When the study was cancelled; null if it is not cancelled.',
  reportMetadata: 'Details of the patient and the exam, as shown on the report.',
  snapshotMetadata:
    'Details of the patient and the exam at the time of signing; for a draft, the current ones.',
  priorReportTexts: 'Texts of prior reports, for the radiologist.',
  priorStudyIds: 'Prior studies of the patient, in either area.',
  reportIds: 'The reports and addenda of the study, oldest first.',
  externalPatientId: 'The patient’s identifier in the partner’s system.',
  clinicalIndication: 'Reason for the exam.',
  clinicalHistory: 'Clinical history of the patient.',
  technologistTechnique: 'How the exam was performed.',
  technologistNotes: 'Notes of the technologist.',
  priorReports: 'Prior reports from other systems.',
  'priorReports.reportText': 'Text of the prior report.',
  'priorReports.externalStudyId': 'Identifier of the prior study in the partner’s system.',
  'priorReports.modality': 'Modality of the prior study.',
  'priorReports.studyDate': 'Date of the prior study.',
  'priorReports.studyDescription': 'Description of the prior study.',
  age: 'Age at the time of the exam, as text.',
  dateOfBirth: 'Date of birth.',
  facilityName: 'Facility where the exam was performed.',
  height: 'Body height.',
  weight: 'Body weight.',
  'height.unit': UNIT_DESCRIPTION,
  'weight.unit': UNIT_DESCRIPTION,
  'height.value': 'The height in the given unit.',
  'weight.value': 'The weight in the given unit.',
  mrn: 'Medical record number, Patient ID (0010,0020).',
  patientName: 'Name of the patient.',
  referringPhysicianName: 'Name of the referring physician.',
  scanDate: 'Date of the exam, in the clinic’s time zone.',
  scanTime: 'Time of the exam, `HH:MM`, in the clinic’s time zone.',
  scanType: 'Modality or type of exam, as text.',
  procedure: 'Type of exam; stored as `scanType`.',
  studyDate: 'Date of the exam; stored as `scanDate`.',
  studyTime: 'Time of the exam, `HH:MM` or `HH:MM:SS[.fff]`; stored to the minute as `scanTime`.',
  modality: 'Modality, such as `CT`.',
  sex: 'Patient’s sex.',
  // Reports
  isAddendum: 'Whether this is an addendum to a completed report.',
  'ScribeReport.status': '`in_progress`: a draft. `completed`: signed.',
  'reportIds.status': '`in_progress`: a draft. `completed`: signed.',
  'reportIds.reportId': 'The report or addendum.',
  signedAt: 'Time at which the report was signed; null for a draft.',
  isCritical: 'Whether the signer marked the result as critical; null for a draft.',
  'report.delivered.isCritical':
    'Whether the signer marked the result as critical. If true, immediately notify a clinician who is treating the patient.',
  reportPlainText: 'The text; absent for a draft.',
  plainText: 'The full text of the report.',
  presignedUrl: 'Link to the PDF. It is valid for one hour and needs no API key.',
  url: 'The link. Anyone who has it can open it: treat it like a password.',
  'mediaUrls.url': 'Presigned https URL of the file.',
  'documentUrls.url': 'https URL of the document, on a host that the clinic has listed.',
  // Ephemeral sessions
  retrievalId: 'An identifier of your choice for the images; the event contains it unchanged.',
  options:
    'Any JSON object of at most 3072 bytes; the event contains it unchanged. Not intended for URLs.',
  hangingProtocol: 'Initial layout of the images in the viewer.',
  layout: 'Number of rows and columns of viewports.',
  viewportAssignments:
    'The series description that each viewport shows, row by row; null leaves a viewport empty.',
  // Users
  email: 'E-mail address, used to sign in and for notifications.',
  'query.email': 'Only the user with this e-mail address, ignoring case.',
  firstName: 'Given name.',
  'query.firstName': 'Only users whose given name contains this text, ignoring case.',
  lastName: 'Family name.',
  'query.lastName': 'Only users whose family name contains this text, ignoring case.',
  middleName: 'Middle name.',
  suffix1: 'First suffix, such as a degree.',
  suffix2: 'Second suffix.',
  phoneNumber: 'Telephone number, 10 to 15 digits.',
  npiNumber: 'National Provider Identifier, 10 digits; required for users who may create reports.',
  clinicRole: 'Role of the user in the clinic. It does not affect permissions.',
  level:
    'The level as set through the API. It does not grant permissions in the gateway; only the clinic grants them. `owner` occurs only in responses and cannot be assigned.',
  'query.level': 'Only users with this level.',
  canManageStudies: 'Whether the user may create, change and cancel studies.',
  canCreateReports: 'Whether the user may write and sign reports; requires `npiNumber`.',
  'query.canCreateReports': 'Only users who may (`true`) or may not (`false`) create reports.',
  hasDashboardAccess: 'Whether the user may sign in to Isthmus; must be true for `admin`.',
  invitedSource:
    'How the user was invited: by a user of Isthmus (`dashboard`) or through the API (`api`).',
  'query.invitedSource': 'Only users who were invited this way.',
  lastLoginAt: 'When the user last signed in; null if never.',
  inviterId: 'The user who sent the invitation; null if it was sent with an API key.',
  invitedByApiKeyId: 'The API key that the invitation was sent with; null if a user sent it.',
  expiry: 'When the invitation expires; null if it does not expire.',
  'ViewerInvitation.status':
    'State of the invitation. An expired invitation keeps the state `sent`; see `expiry`.',
  'ScribeInvitation.status':
    'State of the invitation. An expired invitation keeps the state `sent`; see `expiry`.',
  'query.status': 'Only invitations in one of these states, separated by commas. Empty: no filter.',
  'query.expired': 'All invitations, only expired ones, or only those that have not expired.',
  'query.startDate': 'Only invitations created on or after this date, in the clinic’s time zone.',
  'query.endDate': 'Only invitations created on or before this date, in the clinic’s time zone.',
  'query.userId': 'Only invitations sent to this user.',
  // Problems
  'Problem.type': 'URN of the problem type.',
  'Problem.title': 'Short title of the problem type.',
  'Problem.status': 'The HTTP status.',
  'Problem.detail': 'Description of the problem and how to correct it.',
  'Problem.instance': 'The path of the request.',
  'Problem.message': 'The same as `detail`.',
  'Problem.code': 'Code of the problem type, for programs.',
  'Problem.errors': 'The fields that were refused; empty if the problem is not in a field.',
  'Problem.requestId': 'Identifies the request in the gateway’s log; also in `x-request-id`.',
  'errors.path': 'Dotted path of the field, such as `body.severity`.',
  'errors.message': 'What is wrong with the field.',
  // Events
  id: 'ID of the event: the same in each attempt, and equal to `webhook-id`.',
  type: 'Type of the event.',
  data: 'Data of the event.',
  authorized: 'If false, the request is refused, and the reason in `error` is shown to the clinic.',
  error: 'Reason for the refusal. Any text in this field counts as a refusal.',
  urls: DELIVERY_URLS_DESCRIPTION,
  uploadUrls:
    'Presigned https URLs. The gateway uploads the same object to each of them by PUT, with retries.',
  mediaUrls: 'Other files of the study, such as videos and documents.',
  mimeType: 'Media type of the file.',
  fileName: 'Name under which the file is shown.',
  manifest: 'Description of the files, which lets the viewer show the first image earlier.',
  manifests: 'Like `manifest`, one for each study of the session.',
  callingAe: 'AE title of the device that sent the query.',
  sourceIp: 'IP address of the device that sent the query.',
  dateStart: 'First date of the exams, inclusive, in the clinic’s time zone.',
  dateEnd: 'Last date of the exams, inclusive, in the clinic’s time zone.',
  'modality_worklist.requested.modality':
    'Only exams of this modality; absent if the query had none.',
  items: 'The scheduled exams. An empty list means that no exams are scheduled.',
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
  PatientSize: 'Patient’s Size (0010,1020) in metres; an empty string if unknown.',
  PatientWeight: 'Patient’s Weight (0010,1030) in kilograms; an empty string if unknown.',
  ProtocolName: 'Protocol Name (0018,1030).',
  RequestedProcedureDescription: 'Requested Procedure Description (0032,1060).',
  StudyDescription: 'Study Description (0008,1030).',
  StudyInstanceUID: 'Study Instance UID (0020,000D); an item without one is withheld.',
  AdmissionID: 'Admission ID (0038,0010).',
  OtherPatientIDs: 'Other Patient IDs (0010,1000): a list, or one string separated by backslashes.',
  ReferringPhysicianName: 'Referring Physician’s Name (0008,0090), PN.',
  ScheduledProcedureStepSequence: 'The scheduled steps of the exam; usually one.',
  ScheduledProcedureStepDescription: 'Scheduled Procedure Step Description (0040,0007).',
  ScheduledProcedureStepID: 'Scheduled Procedure Step ID (0040,0009), SH.',
  ScheduledProcedureStepStartDate: 'Scheduled start, DA: `YYYYMMDD`, in the clinic’s time zone.',
  ScheduledProcedureStepStartTime: 'Scheduled start, TM: `HHMMSS`, in the clinic’s time zone.',
  ScheduledProcedureStepLocation: 'Scheduled Procedure Step Location (0040,0011).',
  // Manifests
  studyInstanceUID: 'Study Instance UID; must be that of the requested study.',
  series: 'The series. A series without a valid instance is ignored.',
  seriesInstanceUID: 'Series Instance UID (0020,000E).',
  seriesDescription: 'Series Description (0008,103E).',
  seriesNumber: 'Series Number (0020,0011).',
  'series.modality': 'Modality (0008,0060).',
  sops: 'The instances of the series. An instance with an invalid or missing field is ignored.',
  sopClassUID: 'SOP Class UID (0008,0016).',
  sopInstanceUID: 'SOP Instance UID (0008,0018).',
  instanceNumber: 'Instance Number (0020,0013); absent or 0 if unknown.',
  numberOfFrames: 'Number of Frames (0028,0008); 1 for a single image.',
  rows: 'Rows (0028,0010); required for images.',
  columns: 'Columns (0028,0011); required for images.',
  bitsAllocated: 'Bits Allocated (0028,0100): 8, 16 or 32; required for images.',
  bitsStored: 'Bits Stored (0028,0101).',
  highBit: 'High Bit (0028,0102).',
  pixelRepresentation: 'Pixel Representation (0028,0103): 0 unsigned, 1 signed.',
  samplesPerPixel: 'Samples per Pixel (0028,0002): 1 grey, 3 colour; required for images.',
  photometricInterpretation: 'Photometric Interpretation (0028,0004); required for images.',
  rescaleSlope: 'Rescale Slope (0028,1053).',
  rescaleIntercept: 'Rescale Intercept (0028,1052).',
  isFloatPixelData: 'Whether the pixels are Float Pixel Data (7FE0,0008), 32 bits.',
  // Sandbox
  webhook: 'Address to which the events of the sandbox are sent; null before the first event.',
  'SandboxState.studies': 'Number of studies.',
  'SandboxState.images': 'Number of images.',
  'webhook.url': 'Address that receives the events.',
  isSimulated:
    'Whether this is the simulated partner, which the sandbox uses until an address is set.',
  waitingReports: 'Number of signed reports that no partner has accepted yet.',
  'SandboxDelivery.state':
    '`waiting` for the next attempt, `delivered`, or `failed` if there are no more attempts.',
  fault: 'Why the last attempt failed; null if it succeeded.',
  'SandboxDelivery.nextAttemptAt': 'Time of the next attempt; null if there is none.',
  'SandboxExam.accessionNumber': 'Accession Number (0008,0050) of the exam.',
  'sandboxRunExam.accessionNumber':
    'Accession number of the exam to perform. If absent, the first exam without images is performed.',
  'SandboxExam.patientId': 'Patient ID (0010,0020) of the exam.',
  worklistExams: 'Number of exams in the worklist that the device received.',
  'SandboxExam.images': 'Number of images that the device sent.',
  'SandboxExam.studies': 'The studies that were created from the images.',
  area: 'The area of the study.',
  delivery: 'The delivery of the report after its first attempt.',
  'SandboxEvent.request': 'The request, as signed and sent.',
  'request.url': 'The address.',
  headers: 'The headers, including the signature.',
  body: 'The body as text; null if there was none.',
  'request.body': 'The body, as signed.',
  'SandboxEvent.response': 'The response; null if nothing was sent.',
  'response.outcome': '`accepted`, or why the response is not valid.',
  verdict: 'How the gateway would process the response.',
  notes: 'Parts of the response that the gateway would ignore.',
  'notes.message': 'Why the part is ignored.',
  deliveries: 'The reports that were waiting.',
  'sandboxSetWebhook.url': 'The https URL that events are sent to.',
  'sandboxSetWebhook.secret':
    'The signing secret: `whsec_` and base64. In a response, it is null unless the gateway generated it.',
  'sandboxSignReport.plainText': 'The text of the report. If absent, a sample text is used.',
  'sandboxSignReport.isCritical': 'Whether the report is critical.',
  'sandboxSendEvent.type': 'Type of the event.',
  'sandboxSendEvent.data': 'Fields that replace those of the sample data.',
  isDryRun: 'Whether to return the request without sending it.',
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
      for (const subschema of Array.isArray(value) ? value : [value])
        if (typeof subschema === 'object' && subschema !== null) describeFields(subschema, owner)
      continue
    }
    for (const [name, field] of Object.entries(value as Record<string, JsonObject>)) {
      field.description ??= describedField(owner, name)
      describeFields(field, name)
    }
  }
}
