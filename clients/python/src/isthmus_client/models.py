# Generated from docs/openapi.json by npm run clients. Do not edit.
"""Objects of the interface. Names are those of the interface."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class APIKeyReference(TypedDict):
    #: The API key.
    apiKeyId: str
    #: Description of the API key, as entered by an administrator.
    description: str
    #: Whether the API key has access to the viewer area.
    isViewerEnabled: NotRequired[bool]


class ClinicalContextEnrichmentRequestedResponseDocuments(TypedDict):
    #: Text of the document, in parts.
    content: list[str]
    #: Name under which the file is shown.
    fileName: str


class ClinicalContextEnrichmentRequestedResponseDocumentUrls(TypedDict):
    #: https URL of the document, on a host that the clinic has listed.
    url: str
    #: Name under which the file is shown.
    fileName: NotRequired[str]


class ClinicalContextEnrichmentRequestedResponsePriorReports(TypedDict):
    #: Text of the prior report.
    reportText: str
    #: Identifier of the prior study in the partner’s system.
    externalStudyId: NotRequired[str]
    #: Modality of the prior study.
    modality: NotRequired[str]
    #: Date of the prior study.
    studyDate: NotRequired[str]
    #: Description of the prior study.
    studyDescription: NotRequired[str]


class ClinicalContextEnrichmentRequestedResponse(TypedDict):
    #: Reason for the exam.
    clinicalIndication: NotRequired[str]
    #: Documents as text.
    documents: NotRequired[list[ClinicalContextEnrichmentRequestedResponseDocuments]]
    #: Documents to download.
    documentUrls: NotRequired[list[ClinicalContextEnrichmentRequestedResponseDocumentUrls]]
    #: Prior reports from other systems.
    priorReports: NotRequired[list[ClinicalContextEnrichmentRequestedResponsePriorReports]]
    #: Notes of the technologist.
    technologistNotes: NotRequired[list[str]]
    #: How the exam was performed.
    technologistTechnique: NotRequired[str]


class DeliveryEndpointRefusedHosts(TypedDict):
    #: Host name, with the port unless it is 443.
    host: str
    #: Time at which the response with this host was received.
    at: str


class DeliveryEndpointSecrets(TypedDict):
    #: Time at which the object was created.
    createdAt: str
    #: When the secret expires; null for the newest.
    endsAt: str | None


class DeliveryEndpoint(TypedDict):
    #: The endpoint.
    endpointId: str
    #: A name of your choice for the endpoint; may be empty.
    name: str
    #: The address that events are sent to.
    url: str
    #: The event types that the endpoint receives. No other endpoint of this key may receive them.
    events: list[Literal["study.access_requested", "ephemeral.access_requested", "secondary_capture.access_requested", "modality_worklist.requested", "patient_study.enrichment_requested", "clinical_context.enrichment_requested", "report.delivered"]]
    #: Hosts of presigned URLs from which the gateway downloads files; set by the clinic.
    fileHosts: list[str]
    #: Hosts that occurred in responses since the gateway started and that the clinic has not
    #: listed, newest first.
    refusedHosts: list[DeliveryEndpointRefusedHosts]
    #: The signing secrets in use, newest first, with their creation and expiry times.
    secrets: list[DeliveryEndpointSecrets]
    #: Whether events are sent to the endpoint.
    isEnabled: bool
    #: `person`: disabled by a user of the clinic. `gone`: the endpoint returned 410. Null if the
    #: endpoint is enabled.
    disabledReason: Literal["person", "gone"] | None
    #: Number of reports that have not been delivered to the endpoint yet.
    waiting: int
    #: Time at which the object was created.
    createdAt: str


class DeliveryEndpointWithSecretRefusedHosts(TypedDict):
    #: Host name, with the port unless it is 443.
    host: str
    #: Time at which the response with this host was received.
    at: str


class DeliveryEndpointWithSecretSecrets(TypedDict):
    #: Time at which the object was created.
    createdAt: str
    #: When the secret expires; null for the newest.
    endsAt: str | None


class DeliveryEndpointWithSecret(TypedDict):
    #: The endpoint.
    endpointId: str
    #: A name of your choice for the endpoint; may be empty.
    name: str
    #: The address that events are sent to.
    url: str
    #: The event types that the endpoint receives. No other endpoint of this key may receive them.
    events: list[Literal["study.access_requested", "ephemeral.access_requested", "secondary_capture.access_requested", "modality_worklist.requested", "patient_study.enrichment_requested", "clinical_context.enrichment_requested", "report.delivered"]]
    #: Hosts of presigned URLs from which the gateway downloads files; set by the clinic.
    fileHosts: list[str]
    #: Hosts that occurred in responses since the gateway started and that the clinic has not
    #: listed, newest first.
    refusedHosts: list[DeliveryEndpointWithSecretRefusedHosts]
    #: The signing secrets in use, newest first, with their creation and expiry times.
    secrets: list[DeliveryEndpointWithSecretSecrets]
    #: Whether events are sent to the endpoint.
    isEnabled: bool
    #: `person`: disabled by a user of the clinic. `gone`: the endpoint returned 410. Null if the
    #: endpoint is enabled.
    disabledReason: Literal["person", "gone"] | None
    #: Number of reports that have not been delivered to the endpoint yet.
    waiting: int
    #: Time at which the object was created.
    createdAt: str
    #: The signing secret, `whsec_…`. No other response contains it: store it now.
    secret: str


class EphemeralAccessRequestedResponseMediaUrls(TypedDict):
    #: Media type of the file.
    mimeType: str
    #: Presigned https URL of the file.
    url: str
    #: Name under which the file is shown.
    fileName: NotRequired[str]


class EphemeralAccessRequestedResponse(TypedDict):
    #: If false, the request is refused, and the reason in `error` is shown to the clinic.
    authorized: bool
    #: Reason for the refusal. Any text in this field counts as a refusal.
    error: NotRequired[str]
    #: Presigned https URLs of DICOM files, on hosts that the clinic has listed. Their order does
    #: not matter.
    urls: list[str]
    #: Like `manifest`, one for each study of the session.
    manifests: NotRequired[list[StudyManifest]]
    #: Other files of the study, such as videos and documents.
    mediaUrls: NotRequired[list[EphemeralAccessRequestedResponseMediaUrls]]


class ExpressCustomer(TypedDict):
    #: The Express customer.
    expressCustomerId: str
    #: Name of the customer.
    expressCustomerName: str
    #: Whether the customer may be used for new studies and users.
    isActive: bool
    #: Time at which the object was created.
    createdAt: str
    #: Time at which the object was last changed.
    updatedAt: str
    #: Number of users associated with the customer.
    userCount: int
    #: The API key that created the object; absent if a user created it.
    createdByApiKeyId: NotRequired[str]
    #: The user who created the object in Isthmus; null if an API key created it.
    createdByUserId: str | None
    #: Key-value pairs of your choice. The gateway stores them but does not use them.
    metadata: NotRequired[Metadata]


class ExpressCustomerReference(TypedDict):
    #: The Express customer.
    expressCustomerId: str
    #: Name of the customer.
    expressCustomerName: str


class ModalityWorklistRequestedResponse(TypedDict):
    #: If false, the request is refused, and the reason in `error` is shown to the clinic.
    authorized: bool
    #: Reason for the refusal. Any text in this field counts as a refusal.
    error: NotRequired[str]
    #: The scheduled exams. An empty list means that no exams are scheduled.
    items: list[WorklistItem]


class Organization(TypedDict):
    #: The organization.
    orgId: str
    #: Name of the organization.
    orgName: str
    #: Whether the customer may be used for new studies and users.
    isActive: bool
    #: Time at which the object was created.
    createdAt: str
    #: Time at which the object was last changed.
    updatedAt: str
    #: Number of users associated with the customer.
    userCount: int
    #: The API key that created the object; absent if a user created it.
    createdByApiKeyId: NotRequired[str]
    #: The user who created the object in Isthmus; null if an API key created it.
    createdByUserId: str | None
    #: Key-value pairs of your choice. The gateway stores them but does not use them.
    metadata: NotRequired[Metadata]


class Outcome(TypedDict):
    #: True if the call succeeded, even if there was nothing to change.
    success: bool
    #: If `success` is false, the reason, as a sentence for a person to read.
    message: NotRequired[str]


class PatientStudyEnrichmentRequestedResponseHeight(TypedDict):
    """Body height."""

    #: Unit of the value.
    unit: Literal["in", "cm"]
    #: The height in the given unit.
    value: float


class PatientStudyEnrichmentRequestedResponseWeight(TypedDict):
    """Body weight."""

    #: Unit of the value.
    unit: Literal["lbs", "kg"]
    #: The weight in the given unit.
    value: float


class PatientStudyEnrichmentRequestedResponse(TypedDict):
    #: Date of birth.
    dateOfBirth: NotRequired[str]
    #: The Express customer.
    expressCustomerId: NotRequired[str]
    #: The patient’s identifier in the partner’s system.
    externalPatientId: NotRequired[str]
    #: Facility where the exam was performed.
    facilityName: NotRequired[str]
    #: Body height.
    height: NotRequired[PatientStudyEnrichmentRequestedResponseHeight]
    #: Medical record number, Patient ID (0010,0020).
    mrn: NotRequired[str]
    #: Name of the patient.
    patientName: NotRequired[str]
    #: Type of exam; stored as `scanType`.
    procedure: NotRequired[str]
    #: Name of the referring physician.
    referringPhysicianName: NotRequired[str]
    #: Urgency: `normal` is routine, `high` is urgent, `stat` needs immediate attention.
    severity: NotRequired[Literal["normal", "high", "stat"]]
    #: Patient’s sex.
    sex: NotRequired[Literal["male", "female", "other"]]
    #: Date of the exam; stored as `scanDate`.
    studyDate: NotRequired[str]
    #: Study Description (0008,1030).
    studyDescription: NotRequired[str]
    #: Time of the exam, `HH:MM` or `HH:MM:SS[.fff]`; stored to the minute as `scanTime`.
    studyTime: NotRequired[str]
    #: Body weight.
    weight: NotRequired[PatientStudyEnrichmentRequestedResponseWeight]


class ProblemErrors(TypedDict):
    #: Dotted path of the field, such as `body.severity`.
    path: str
    #: What is wrong with the field.
    message: str


class Problem(TypedDict):
    #: URN of the problem type.
    type: str
    #: Short title of the problem type.
    title: str
    #: The HTTP status.
    status: float
    #: Description of the problem and how to correct it.
    detail: str
    #: The path of the request.
    instance: str
    #: The same as `detail`.
    message: str
    #: Code of the problem type, for programs.
    code: str
    #: The fields that were refused; empty if the problem is not in a field.
    errors: list[ProblemErrors]
    #: Identifies the request in the gateway’s log; also in `x-request-id`.
    requestId: NotRequired[str]


class ReportDeliveredResponse(TypedDict):
    #: True if the call succeeded, even if there was nothing to change.
    success: bool


class ReportPdf(TypedDict):
    #: The report or addendum.
    reportId: str
    #: The study.
    studyId: str
    #: Study Instance UID (0020,000D).
    studyInstanceUid: str
    #: Details of the patient and the exam at the time of signing; for a draft, the current ones.
    snapshotMetadata: StudyReportMetadata
    #: Whether the signer marked the result as critical; null for a draft.
    isCritical: bool | None
    #: The full text of the report.
    plainText: NotRequired[str]
    #: Link to the PDF. It is valid for one hour and needs no API key.
    presignedUrl: str


class ReportText(TypedDict):
    #: The report or addendum.
    reportId: str
    #: The study.
    studyId: str
    #: Study Instance UID (0020,000D).
    studyInstanceUid: str
    #: Details of the patient and the exam at the time of signing; for a draft, the current ones.
    snapshotMetadata: StudyReportMetadata
    #: Whether the signer marked the result as critical; null for a draft.
    isCritical: bool | None
    #: The full text of the report.
    plainText: NotRequired[str]


class SandboxDelivery(TypedDict):
    #: ID of the event, equal to its `webhook-id`.
    eventId: str
    #: The report or addendum.
    reportId: str
    #: `waiting` for the next attempt, `delivered`, or `failed` if there are no more attempts.
    state: Literal["waiting", "delivered", "failed"]
    #: Number of attempts.
    attempts: int
    #: Why the last attempt failed; null if it succeeded.
    fault: str | None
    #: Time of the next attempt; null if there is none.
    nextAttemptAt: str | None


class SandboxEventRequest(TypedDict):
    """The request, as signed and sent."""

    #: The address.
    url: str
    #: The headers, including the signature.
    headers: dict[str, str]
    #: The body, as signed.
    body: str


class SandboxEventResponseNotes(TypedDict):
    #: Path of the part in the response, such as `manifest.series.0`.
    path: str
    #: Why the part is ignored.
    message: str


class SandboxEventResponse(TypedDict):
    #: `accepted`, or why the response is not valid.
    outcome: Literal["none", "accepted", "no-endpoint", "unreachable", "timeout", "status", "oversize", "invalid", "refused", "circuit-open", "forbidden-address"]
    #: HTTP status of the response; null if there was none.
    httpStatus: int | None
    #: Time in milliseconds until the response was received.
    tookMs: float
    #: How the gateway would process the response.
    verdict: str
    #: Parts of the response that the gateway would ignore.
    notes: list[SandboxEventResponseNotes]
    #: The body as text; null if there was none.
    body: str | None


class SandboxEvent(TypedDict):
    #: ID of the event, equal to its `webhook-id`.
    eventId: str
    #: The request, as signed and sent.
    request: SandboxEventRequest
    #: The response; null if nothing was sent.
    response: SandboxEventResponse | None


class SandboxExamStudies(TypedDict):
    #: The area of the study.
    area: Literal["scribe", "viewer"]
    #: The study.
    studyId: str


class SandboxExam(TypedDict):
    #: Study Instance UID (0020,000D).
    studyInstanceUid: str
    #: Accession Number (0008,0050) of the exam.
    accessionNumber: str
    #: Patient ID (0010,0020) of the exam.
    patientId: str
    #: Number of exams in the worklist that the device received.
    worklistExams: int
    #: Number of images that the device sent.
    images: int
    #: The studies that were created from the images.
    studies: list[SandboxExamStudies]


class SandboxReport(TypedDict):
    #: The report or addendum.
    reportId: str
    #: The study.
    studyId: str
    #: Study Instance UID (0020,000D).
    studyInstanceUid: str
    #: The delivery of the report after its first attempt.
    delivery: SandboxDelivery


class SandboxStateWebhook(TypedDict):
    #: Address that receives the events.
    url: str
    #: Whether this is the simulated partner, which the sandbox uses until an address is set.
    isSimulated: bool


class SandboxState(TypedDict):
    #: Address to which the events of the sandbox are sent; null before the first event.
    webhook: SandboxStateWebhook | None
    #: Number of studies.
    studies: int
    #: Number of images.
    images: int
    #: Number of signed reports that no partner has accepted yet.
    waitingReports: int


class ScribeInvitation(TypedDict):
    #: The invitation.
    invitationId: str
    #: The user.
    userId: str
    #: The clinic; the same in every event and invitation.
    clinicId: str
    #: E-mail address, used to sign in and for notifications.
    email: str
    #: Given name.
    firstName: str
    #: Family name.
    lastName: str
    #: Middle name.
    middleName: NotRequired[str | None]
    #: Telephone number, 10 to 15 digits.
    phoneNumber: NotRequired[str | None]
    #: First suffix, such as a degree.
    suffix1: NotRequired[str | None]
    #: Second suffix.
    suffix2: NotRequired[str | None]
    #: Role of the user in the clinic. It does not affect permissions.
    clinicRole: Literal["Radiologist", "Cardiologist", "Neurologist", "Urologist", "Gynecologist", "Endocrinologist", "Doctor", "Surgeon", "Physician", "Physician Assistant", "Nurse Practitioner", "Registered Nurse", "Patient Care Coordinator", "Front Desk Operator", "Imaging Technologist", "PACS Administrator", "Software Engineer", "Revenue Cycle Manager", "Administrative Director", "Administrative Assistant", "Oncologist", "Radiation Oncologist", "Hematologist", "Gastroenterologist", "Pulmonologist", "Nephrologist", "Rheumatologist", "Dermatologist", "Ophthalmologist", "Otolaryngologist", "Pediatrician", "Obstetrician", "Psychiatrist", "Anesthesiologist", "Emergency Medicine Physician", "Family Medicine Physician", "Internal Medicine Physician", "Pathologist", "Nuclear Medicine Physician", "Pain Management Specialist", "Infectious Disease Specialist", "Immunologist", "Certified Registered Nurse Anesthetist", "Psychologist", "Medical Assistant", "Scribe", "Nurse Manager", "Laboratory Technician", "Medical Laboratory Scientist", "Pathologists' Assistant", "Phlebotomist", "Pharmacist", "Pharmacy Technician", "Physical Therapist", "Occupational Therapist", "Speech-Language Pathologist", "Respiratory Therapist", "Nutritionist", "Legal Administrator", "IT Administrator", "IT Support", "Other"]
    #: The level as set through the API. It does not grant permissions in the gateway; only the
    #: clinic grants them. `owner` occurs only in responses and cannot be assigned.
    level: Literal["owner", "admin", "member"]
    #: Whether the user may create, change and cancel studies.
    canManageStudies: bool
    #: Whether the user may sign in to Isthmus; must be true for `admin`.
    hasDashboardAccess: bool
    #: State of the invitation. An expired invitation keeps the state `sent`; see `expiry`.
    status: Literal["sent", "accepted", "rejected", "revoked"]
    #: How the user was invited: by a user of Isthmus (`dashboard`) or through the API (`api`).
    invitedSource: Literal["dashboard", "api"]
    #: The user who sent the invitation; null if it was sent with an API key.
    inviterId: str | None
    #: The API key that the invitation was sent with; null if a user sent it.
    invitedByApiKeyId: NotRequired[str | None]
    #: When the invitation expires; null if it does not expire.
    expiry: str | None
    #: Time at which the object was created.
    createdAt: str
    #: Time at which the object was last changed.
    updatedAt: str
    #: Whether the user may write and sign reports; requires `npiNumber`.
    canCreateReports: bool
    #: National Provider Identifier, 10 digits; required for users who may create reports.
    npiNumber: NotRequired[str | None]


class ScribeReport(TypedDict):
    #: The report or addendum.
    reportId: str
    #: The study.
    studyId: str
    #: The user who wrote or signed the report.
    userId: str
    #: Whether this is an addendum to a completed report.
    isAddendum: bool
    #: `in_progress`: a draft. `completed`: signed.
    status: Literal["in_progress", "completed"]
    #: Time at which the report was signed; null for a draft.
    signedAt: str | None
    #: Whether the signer marked the result as critical; null for a draft.
    isCritical: bool | None
    #: Details of the patient and the exam at the time of signing; for a draft, the current ones.
    snapshotMetadata: StudyReportMetadata
    #: The text; absent for a draft.
    reportPlainText: NotRequired[str]
    #: Time at which the object was created.
    createdAt: str
    #: Time at which the object was last changed.
    updatedAt: str


class ScribeStudyReportIds(TypedDict):
    #: The report or addendum.
    reportId: str
    #: `in_progress`: a draft. `completed`: signed.
    status: Literal["in_progress", "completed"]
    #: Whether the signer marked the result as critical; null for a draft.
    isCritical: bool | None


class ScribeStudyPriorReports(TypedDict):
    #: Text of the prior report.
    reportText: str
    #: Identifier of the prior study in the partner’s system.
    externalStudyId: NotRequired[str]
    #: Modality of the prior study.
    modality: NotRequired[str]
    #: Date of the prior study.
    studyDate: NotRequired[str]
    #: Description of the prior study.
    studyDescription: NotRequired[str]


class ScribeStudy(TypedDict):
    #: The study.
    studyId: str
    #: Study Instance UID (0020,000D).
    studyInstanceUid: str
    #: Study Description (0008,1030).
    studyDescription: str
    #: Urgency: `normal` is routine, `high` is urgent, `stat` needs immediate attention.
    severity: Literal["normal", "high", "stat"]
    #: Whether the study was cancelled.
    isCancelled: bool
    #: When the study was cancelled; null if it is not cancelled.
    cancelledAt: str | None
    #: Time at which the object was created.
    createdAt: str
    #: Time at which the object was last changed.
    updatedAt: str
    #: The API key that created the object.
    createdByApiKey: NotRequired[APIKeyReference | None]
    #: The user who created the object in Isthmus.
    createdByUser: NotRequired[UserReference | None]
    #: The customer that the study belongs to.
    expressCustomer: NotRequired[ExpressCustomerReference | None]
    #: Key-value pairs of your choice. The gateway stores them but does not use them.
    metadata: NotRequired[Metadata]
    #: The user to whom the study is assigned.
    assignedTo: UserReference | None
    #: Details of the patient and the exam, as shown on the report.
    reportMetadata: StudyReportMetadata
    #: `unassigned`, `assigned` (not started), `in_progress`, `completed` (signed), or
    #: `addendum_active` (an addendum is being written).
    studyReportStatus: Literal["unassigned", "assigned", "in_progress", "completed", "addendum_active"]
    #: Texts of prior reports, for the radiologist.
    priorReportTexts: NotRequired[list[str]]
    #: Prior studies of the patient, in either area.
    priorStudyIds: NotRequired[list[str]]
    #: The reports and addenda of the study, oldest first.
    reportIds: NotRequired[list[ScribeStudyReportIds]]
    #: The patient’s identifier in the partner’s system.
    externalPatientId: NotRequired[str | None]
    #: Clinical history of the patient.
    clinicalHistory: NotRequired[str | None]
    #: Reason for the exam.
    clinicalIndication: NotRequired[str | None]
    #: Modality, such as `CT`.
    modality: NotRequired[str | None]
    #: How the exam was performed.
    technologistTechnique: NotRequired[str | None]
    #: Notes of the technologist.
    technologistNotes: NotRequired[list[str]]
    #: Prior reports from other systems.
    priorReports: NotRequired[list[ScribeStudyPriorReports]]


class ScribeUser(TypedDict):
    #: The user.
    userId: str
    #: E-mail address, used to sign in and for notifications.
    email: str
    #: Given name.
    firstName: str
    #: Family name.
    lastName: str
    #: Middle name.
    middleName: NotRequired[str]
    #: First suffix, such as a degree.
    suffix1: NotRequired[str]
    #: Second suffix.
    suffix2: NotRequired[str]
    #: Telephone number, 10 to 15 digits.
    phoneNumber: NotRequired[str]
    #: Role of the user in the clinic. It does not affect permissions.
    clinicRole: Literal["Radiologist", "Cardiologist", "Neurologist", "Urologist", "Gynecologist", "Endocrinologist", "Doctor", "Surgeon", "Physician", "Physician Assistant", "Nurse Practitioner", "Registered Nurse", "Patient Care Coordinator", "Front Desk Operator", "Imaging Technologist", "PACS Administrator", "Software Engineer", "Revenue Cycle Manager", "Administrative Director", "Administrative Assistant", "Oncologist", "Radiation Oncologist", "Hematologist", "Gastroenterologist", "Pulmonologist", "Nephrologist", "Rheumatologist", "Dermatologist", "Ophthalmologist", "Otolaryngologist", "Pediatrician", "Obstetrician", "Psychiatrist", "Anesthesiologist", "Emergency Medicine Physician", "Family Medicine Physician", "Internal Medicine Physician", "Pathologist", "Nuclear Medicine Physician", "Pain Management Specialist", "Infectious Disease Specialist", "Immunologist", "Certified Registered Nurse Anesthetist", "Psychologist", "Medical Assistant", "Scribe", "Nurse Manager", "Laboratory Technician", "Medical Laboratory Scientist", "Pathologists' Assistant", "Phlebotomist", "Pharmacist", "Pharmacy Technician", "Physical Therapist", "Occupational Therapist", "Speech-Language Pathologist", "Respiratory Therapist", "Nutritionist", "Legal Administrator", "IT Administrator", "IT Support", "Other"]
    #: The level as set through the API. It does not grant permissions in the gateway; only the
    #: clinic grants them. `owner` occurs only in responses and cannot be assigned.
    level: Literal["owner", "admin", "member"]
    #: Whether the user may create, change and cancel studies.
    canManageStudies: bool
    #: Whether the user may sign in to Isthmus; must be true for `admin`.
    hasDashboardAccess: bool
    #: How the user was invited: by a user of Isthmus (`dashboard`) or through the API (`api`).
    invitedSource: Literal["dashboard", "api"]
    #: When the user last signed in; null if never.
    lastLoginAt: str | None
    #: Time at which the object was created.
    createdAt: str
    #: Whether the user may write and sign reports; requires `npiNumber`.
    canCreateReports: bool
    #: National Provider Identifier, 10 digits; required for users who may create reports.
    npiNumber: NotRequired[str]


class SecondaryCaptureAccessRequestedResponse(TypedDict):
    #: If false, the request is refused, and the reason in `error` is shown to the clinic.
    authorized: bool
    #: Reason for the refusal. Any text in this field counts as a refusal.
    error: NotRequired[str]
    #: Presigned https URLs. The gateway uploads the same object to each of them by PUT, with
    #: retries.
    uploadUrls: list[str]


class SentEvent(TypedDict):
    #: ID of the event, equal to its `webhook-id`.
    eventId: str
    #: Type of the event.
    type: Literal["study.access_requested", "ephemeral.access_requested", "secondary_capture.access_requested", "modality_worklist.requested", "patient_study.enrichment_requested", "clinical_context.enrichment_requested", "report.delivered"]
    #: `synchronous`: a user or a device waits for the response. `soft`: the gateway continues
    #: without the response. `asynchronous`: retried until accepted.
    kind: Literal["synchronous", "soft", "asynchronous"]
    #: The endpoint that the event was sent to; null if it was not sent to any.
    endpointId: str | None
    #: The ID of the report or study, the AE title of a device, or `test`; never patient data.
    subject: str
    #: Study Instance UID (0020,000D).
    studyInstanceUid: str | None
    #: `waiting`: to be sent or retried. `done`: accepted. `failed`: no more attempts. `dropped`:
    #: stopped by a user of the clinic.
    state: Literal["waiting", "done", "failed", "dropped"]
    #: Result of the last attempt: `accepted`, or the kind of failure. `none`: not sent yet.
    #: `refused`: `success` or `authorized` was false.
    outcome: Literal["none", "accepted", "no-endpoint", "unreachable", "timeout", "status", "oversize", "invalid", "refused", "circuit-open", "forbidden-address"]
    #: Number of attempts.
    attempts: int
    #: Number of parts of the last response that were ignored.
    remarkCount: int
    #: Whether the event is a test with sample data.
    isTest: bool
    #: Time of the next attempt; null if there is none.
    nextAttemptAt: str | None
    #: Time at which the object was created.
    createdAt: str
    #: Time at which the object was last changed.
    updatedAt: str


class SentEventAttemptRemarks(TypedDict):
    #: Path of the part in the response, such as `manifest.series.0`.
    path: str
    #: What is wrong with the part. The text never contains the value.
    sentence: str


class SentEventAttempt(TypedDict):
    #: Number of the attempt, starting at 1.
    attempt: int
    #: Time of the attempt.
    at: str
    #: Result of the attempt: `accepted`, or the kind of failure.
    outcome: Literal["none", "accepted", "no-endpoint", "unreachable", "timeout", "status", "oversize", "invalid", "refused", "circuit-open", "forbidden-address"]
    #: HTTP status of the response; null if there was none.
    httpStatus: int | None
    #: Time in milliseconds until the response was received.
    tookMs: float
    #: Size of the response in bytes, as received.
    bytes: int
    #: Description of the failure; null if there was none. The text of a partner’s refusal is
    #: included only for keys that may see bodies.
    detail: str | None
    #: The parts of the response that were ignored, with the reasons.
    remarks: list[SentEventAttemptRemarks]
    #: The stored part of the response body, without the query strings of URLs; null if there was
    #: none or the key may not see bodies.
    response: str | None
    #: Whether `response` has been truncated.
    isCut: bool


class SentEventWithAttempts(TypedDict):
    #: ID of the event, equal to its `webhook-id`.
    eventId: str
    #: Type of the event.
    type: Literal["study.access_requested", "ephemeral.access_requested", "secondary_capture.access_requested", "modality_worklist.requested", "patient_study.enrichment_requested", "clinical_context.enrichment_requested", "report.delivered"]
    #: `synchronous`: a user or a device waits for the response. `soft`: the gateway continues
    #: without the response. `asynchronous`: retried until accepted.
    kind: Literal["synchronous", "soft", "asynchronous"]
    #: The endpoint that the event was sent to; null if it was not sent to any.
    endpointId: str | None
    #: The ID of the report or study, the AE title of a device, or `test`; never patient data.
    subject: str
    #: Study Instance UID (0020,000D).
    studyInstanceUid: str | None
    #: `waiting`: to be sent or retried. `done`: accepted. `failed`: no more attempts. `dropped`:
    #: stopped by a user of the clinic.
    state: Literal["waiting", "done", "failed", "dropped"]
    #: Result of the last attempt: `accepted`, or the kind of failure. `none`: not sent yet.
    #: `refused`: `success` or `authorized` was false.
    outcome: Literal["none", "accepted", "no-endpoint", "unreachable", "timeout", "status", "oversize", "invalid", "refused", "circuit-open", "forbidden-address"]
    #: Number of attempts.
    attempts: int
    #: Number of parts of the last response that were ignored.
    remarkCount: int
    #: Whether the event is a test with sample data.
    isTest: bool
    #: Time of the next attempt; null if there is none.
    nextAttemptAt: str | None
    #: Time at which the object was created.
    createdAt: str
    #: Time at which the object was last changed.
    updatedAt: str
    #: The body of the last request as JSON, without the query strings of presigned URLs; null if it
    #: has been deleted or the key may not see bodies.
    request: str | None
    #: The attempts, newest first.
    attemptList: list[SentEventAttempt]
    #: Whether this API key may see bodies.
    hasBodies: bool
    #: Whether the event can be sent again.
    canReplay: bool
    #: Why the event cannot be sent again; null if it can.
    whyNot: str | None


class StudyAccessRequestedResponseMediaUrls(TypedDict):
    #: Media type of the file.
    mimeType: str
    #: Presigned https URL of the file.
    url: str
    #: Name under which the file is shown.
    fileName: NotRequired[str]


class StudyAccessRequestedResponse(TypedDict):
    #: If false, the request is refused, and the reason in `error` is shown to the clinic.
    authorized: bool
    #: Reason for the refusal. Any text in this field counts as a refusal.
    error: NotRequired[str]
    #: Presigned https URLs of DICOM files, on hosts that the clinic has listed. Their order does
    #: not matter.
    urls: list[str]
    #: Description of the files, which lets the viewer show the first image earlier.
    manifest: NotRequired[StudyManifest]
    #: Other files of the study, such as videos and documents.
    mediaUrls: NotRequired[list[StudyAccessRequestedResponseMediaUrls]]


class StudyManifestSeriesSops(TypedDict):
    #: SOP Class UID (0008,0016).
    sopClassUID: str
    #: SOP Instance UID (0008,0018).
    sopInstanceUID: str
    #: Instance Number (0020,0013); absent or 0 if unknown.
    instanceNumber: NotRequired[float]
    #: Number of Frames (0028,0008); 1 for a single image.
    numberOfFrames: NotRequired[int]
    #: Rows (0028,0010); required for images.
    rows: NotRequired[int]
    #: Columns (0028,0011); required for images.
    columns: NotRequired[int]
    #: Bits Allocated (0028,0100): 8, 16 or 32; required for images.
    bitsAllocated: NotRequired[Literal[8, 16, 32]]
    #: Bits Stored (0028,0101).
    bitsStored: NotRequired[float]
    #: High Bit (0028,0102).
    highBit: NotRequired[float]
    #: Pixel Representation (0028,0103): 0 unsigned, 1 signed.
    pixelRepresentation: NotRequired[Literal[0, 1]]
    #: Samples per Pixel (0028,0002): 1 grey, 3 colour; required for images.
    samplesPerPixel: NotRequired[Literal[1, 3]]
    #: Photometric Interpretation (0028,0004); required for images.
    photometricInterpretation: NotRequired[str]
    #: Rescale Slope (0028,1053).
    rescaleSlope: NotRequired[float]
    #: Rescale Intercept (0028,1052).
    rescaleIntercept: NotRequired[float]
    #: Whether the pixels are Float Pixel Data (7FE0,0008), 32 bits.
    isFloatPixelData: NotRequired[bool]
    #: Whether the pixels are Double Float Pixel Data (7FE0,0009), 64 bits.
    isDoubleFloatPixelData: NotRequired[bool]


class StudyManifestSeries(TypedDict):
    #: Series Instance UID (0020,000E).
    seriesInstanceUID: str
    #: Series Description (0008,103E).
    seriesDescription: str
    #: Series Number (0020,0011).
    seriesNumber: str | float
    #: Modality (0008,0060).
    modality: str
    #: The instances of the series. An instance with an invalid or missing field is ignored.
    sops: list[StudyManifestSeriesSops]


class StudyManifest(TypedDict):
    #: Study Instance UID; must be that of the requested study.
    studyInstanceUID: str
    #: The series. A series without a valid instance is ignored.
    series: list[StudyManifestSeries]


class StudyReportMetadataHeight(TypedDict):
    """Body height."""

    #: Unit of the value.
    unit: Literal["in", "cm"]
    #: The height in the given unit.
    value: float


class StudyReportMetadataWeight(TypedDict):
    """Body weight."""

    #: Unit of the value.
    unit: Literal["lbs", "kg"]
    #: The weight in the given unit.
    value: float


class StudyReportMetadata(TypedDict):
    #: Age at the time of the exam, as text.
    age: NotRequired[str]
    #: Date of birth.
    dateOfBirth: NotRequired[str]
    #: Facility where the exam was performed.
    facilityName: NotRequired[str]
    #: Body height.
    height: NotRequired[StudyReportMetadataHeight]
    #: Medical record number, Patient ID (0010,0020).
    mrn: NotRequired[str]
    #: Name of the patient.
    patientName: NotRequired[str]
    #: Name of the referring physician.
    referringPhysicianName: NotRequired[str]
    #: Date of the exam, in the clinic’s time zone.
    scanDate: NotRequired[str]
    #: Time of the exam, `HH:MM`, in the clinic’s time zone.
    scanTime: NotRequired[str]
    #: Modality or type of exam, as text.
    scanType: NotRequired[str]
    #: Patient’s sex.
    sex: NotRequired[Literal["male", "female", "other"]]
    #: Body weight.
    weight: NotRequired[StudyReportMetadataWeight]


class UserReference(TypedDict):
    #: E-mail address, used to sign in and for notifications.
    email: str
    #: The user.
    userId: str
    #: Given name.
    firstName: NotRequired[str]
    #: Family name.
    lastName: NotRequired[str]
    #: Middle name.
    middleName: NotRequired[str]
    #: First suffix, such as a degree.
    suffix1: NotRequired[str]
    #: Second suffix.
    suffix2: NotRequired[str]


class ViewerInvitation(TypedDict):
    #: The invitation.
    invitationId: str
    #: The user.
    userId: str
    #: The clinic; the same in every event and invitation.
    clinicId: str
    #: E-mail address, used to sign in and for notifications.
    email: str
    #: Given name.
    firstName: str
    #: Family name.
    lastName: str
    #: Middle name.
    middleName: NotRequired[str | None]
    #: Telephone number, 10 to 15 digits.
    phoneNumber: NotRequired[str | None]
    #: First suffix, such as a degree.
    suffix1: NotRequired[str | None]
    #: Second suffix.
    suffix2: NotRequired[str | None]
    #: Role of the user in the clinic. It does not affect permissions.
    clinicRole: Literal["Radiologist", "Cardiologist", "Neurologist", "Urologist", "Gynecologist", "Endocrinologist", "Doctor", "Surgeon", "Physician", "Physician Assistant", "Nurse Practitioner", "Registered Nurse", "Patient Care Coordinator", "Front Desk Operator", "Imaging Technologist", "PACS Administrator", "Software Engineer", "Revenue Cycle Manager", "Administrative Director", "Administrative Assistant", "Oncologist", "Radiation Oncologist", "Hematologist", "Gastroenterologist", "Pulmonologist", "Nephrologist", "Rheumatologist", "Dermatologist", "Ophthalmologist", "Otolaryngologist", "Pediatrician", "Obstetrician", "Psychiatrist", "Anesthesiologist", "Emergency Medicine Physician", "Family Medicine Physician", "Internal Medicine Physician", "Pathologist", "Nuclear Medicine Physician", "Pain Management Specialist", "Infectious Disease Specialist", "Immunologist", "Certified Registered Nurse Anesthetist", "Psychologist", "Medical Assistant", "Scribe", "Nurse Manager", "Laboratory Technician", "Medical Laboratory Scientist", "Pathologists' Assistant", "Phlebotomist", "Pharmacist", "Pharmacy Technician", "Physical Therapist", "Occupational Therapist", "Speech-Language Pathologist", "Respiratory Therapist", "Nutritionist", "Legal Administrator", "IT Administrator", "IT Support", "Other"]
    #: The level as set through the API. It does not grant permissions in the gateway; only the
    #: clinic grants them. `owner` occurs only in responses and cannot be assigned.
    level: Literal["owner", "admin", "member"]
    #: Whether the user may create, change and cancel studies.
    canManageStudies: bool
    #: Whether the user may sign in to Isthmus; must be true for `admin`.
    hasDashboardAccess: bool
    #: State of the invitation. An expired invitation keeps the state `sent`; see `expiry`.
    status: Literal["sent", "accepted", "rejected", "revoked"]
    #: How the user was invited: by a user of Isthmus (`dashboard`) or through the API (`api`).
    invitedSource: Literal["dashboard", "api"]
    #: The user who sent the invitation; null if it was sent with an API key.
    inviterId: str | None
    #: The API key that the invitation was sent with; null if a user sent it.
    invitedByApiKeyId: NotRequired[str | None]
    #: When the invitation expires; null if it does not expire.
    expiry: str | None
    #: Time at which the object was created.
    createdAt: str
    #: Time at which the object was last changed.
    updatedAt: str


class ViewerStudy(TypedDict):
    #: The study.
    studyId: str
    #: Study Instance UID (0020,000D).
    studyInstanceUid: str
    #: Study Description (0008,1030).
    studyDescription: str
    #: Urgency: `normal` is routine, `high` is urgent, `stat` needs immediate attention.
    severity: Literal["normal", "high", "stat"]
    #: Whether the study was cancelled.
    isCancelled: bool
    #: When the study was cancelled; null if it is not cancelled.
    cancelledAt: str | None
    #: Time at which the object was created.
    createdAt: str
    #: Time at which the object was last changed.
    updatedAt: str
    #: The user to whom the study is assigned.
    assignedTo: UserReference | None
    #: The API key that created the object.
    createdByApiKey: NotRequired[APIKeyReference | None]
    #: The user who created the object in Isthmus.
    createdByUser: NotRequired[UserReference | None]
    #: The customer that the study belongs to.
    expressCustomer: NotRequired[ExpressCustomerReference | None]
    #: Key-value pairs of your choice. The gateway stores them but does not use them.
    metadata: NotRequired[Metadata]
    #: Whether the images of the study are complete, as set by the partner.
    studyViewerStatus: Literal["incomplete", "complete"]


class ViewerUser(TypedDict):
    #: The user.
    userId: str
    #: E-mail address, used to sign in and for notifications.
    email: str
    #: Given name.
    firstName: str
    #: Family name.
    lastName: str
    #: Middle name.
    middleName: NotRequired[str]
    #: First suffix, such as a degree.
    suffix1: NotRequired[str]
    #: Second suffix.
    suffix2: NotRequired[str]
    #: Telephone number, 10 to 15 digits.
    phoneNumber: NotRequired[str]
    #: Role of the user in the clinic. It does not affect permissions.
    clinicRole: Literal["Radiologist", "Cardiologist", "Neurologist", "Urologist", "Gynecologist", "Endocrinologist", "Doctor", "Surgeon", "Physician", "Physician Assistant", "Nurse Practitioner", "Registered Nurse", "Patient Care Coordinator", "Front Desk Operator", "Imaging Technologist", "PACS Administrator", "Software Engineer", "Revenue Cycle Manager", "Administrative Director", "Administrative Assistant", "Oncologist", "Radiation Oncologist", "Hematologist", "Gastroenterologist", "Pulmonologist", "Nephrologist", "Rheumatologist", "Dermatologist", "Ophthalmologist", "Otolaryngologist", "Pediatrician", "Obstetrician", "Psychiatrist", "Anesthesiologist", "Emergency Medicine Physician", "Family Medicine Physician", "Internal Medicine Physician", "Pathologist", "Nuclear Medicine Physician", "Pain Management Specialist", "Infectious Disease Specialist", "Immunologist", "Certified Registered Nurse Anesthetist", "Psychologist", "Medical Assistant", "Scribe", "Nurse Manager", "Laboratory Technician", "Medical Laboratory Scientist", "Pathologists' Assistant", "Phlebotomist", "Pharmacist", "Pharmacy Technician", "Physical Therapist", "Occupational Therapist", "Speech-Language Pathologist", "Respiratory Therapist", "Nutritionist", "Legal Administrator", "IT Administrator", "IT Support", "Other"]
    #: The level as set through the API. It does not grant permissions in the gateway; only the
    #: clinic grants them. `owner` occurs only in responses and cannot be assigned.
    level: Literal["owner", "admin", "member"]
    #: Whether the user may create, change and cancel studies.
    canManageStudies: bool
    #: Whether the user may sign in to Isthmus; must be true for `admin`.
    hasDashboardAccess: bool
    #: How the user was invited: by a user of Isthmus (`dashboard`) or through the API (`api`).
    invitedSource: Literal["dashboard", "api"]
    #: When the user last signed in; null if never.
    lastLoginAt: str | None
    #: Time at which the object was created.
    createdAt: str


class WorklistItemScheduledProcedureStepSequence(TypedDict):
    #: Modality (0008,0060), CS.
    Modality: str
    #: Scheduled Procedure Step Description (0040,0007).
    ScheduledProcedureStepDescription: str
    #: Scheduled Procedure Step ID (0040,0009), SH.
    ScheduledProcedureStepID: str
    #: Scheduled start, DA: `YYYYMMDD`, in the clinic’s time zone.
    ScheduledProcedureStepStartDate: str
    #: Scheduled start, TM: `HHMMSS`, in the clinic’s time zone.
    ScheduledProcedureStepStartTime: str
    #: Scheduled Procedure Step Location (0040,0011).
    ScheduledProcedureStepLocation: NotRequired[str]


class WorklistItem(TypedDict):
    #: Accession Number (0008,0050), SH.
    AccessionNumber: str
    #: Modality (0008,0060), CS.
    Modality: str
    #: Patient’s Birth Date (0010,0030), DA: `YYYYMMDD`.
    PatientBirthDate: str
    #: Patient ID (0010,0020).
    PatientID: str
    #: Patient’s Name (0010,0010), PN: `FAMILY^GIVEN^MIDDLE^PREFIX^SUFFIX`.
    PatientName: str
    #: Patient’s Sex (0010,0040): `M`, `F` or `O`.
    PatientSex: Literal["M", "F", "O", ""]
    #: Patient’s Size (0010,1020) in metres; an empty string if unknown.
    PatientSize: str
    #: Patient’s Weight (0010,1030) in kilograms; an empty string if unknown.
    PatientWeight: str
    #: Protocol Name (0018,1030).
    ProtocolName: str
    #: Requested Procedure Description (0032,1060).
    RequestedProcedureDescription: str
    #: The scheduled steps of the exam; usually one.
    ScheduledProcedureStepSequence: list[WorklistItemScheduledProcedureStepSequence]
    #: Study Description (0008,1030).
    StudyDescription: str
    #: Study Instance UID (0020,000D); an item without one is withheld.
    StudyInstanceUID: str
    #: Admission ID (0038,0010).
    AdmissionID: NotRequired[str]
    #: Other Patient IDs (0010,1000): a list, or one string separated by backslashes.
    OtherPatientIDs: NotRequired[str | list[str]]
    #: Referring Physician’s Name (0008,0090), PN.
    ReferringPhysicianName: NotRequired[str]


class ViewerUsersInviteBody(TypedDict):
    #: E-mail address, used to sign in and for notifications.
    email: str
    #: Given name.
    firstName: str
    #: Family name.
    lastName: str
    #: The level as set through the API. It does not grant permissions in the gateway; only the
    #: clinic grants them. `owner` occurs only in responses and cannot be assigned.
    level: Literal["admin", "member"]
    #: Role of the user in the clinic. It does not affect permissions.
    clinicRole: Literal["Radiologist", "Cardiologist", "Neurologist", "Urologist", "Gynecologist", "Endocrinologist", "Doctor", "Surgeon", "Physician", "Physician Assistant", "Nurse Practitioner", "Registered Nurse", "Patient Care Coordinator", "Front Desk Operator", "Imaging Technologist", "PACS Administrator", "Software Engineer", "Revenue Cycle Manager", "Administrative Director", "Administrative Assistant", "Oncologist", "Radiation Oncologist", "Hematologist", "Gastroenterologist", "Pulmonologist", "Nephrologist", "Rheumatologist", "Dermatologist", "Ophthalmologist", "Otolaryngologist", "Pediatrician", "Obstetrician", "Psychiatrist", "Anesthesiologist", "Emergency Medicine Physician", "Family Medicine Physician", "Internal Medicine Physician", "Pathologist", "Nuclear Medicine Physician", "Pain Management Specialist", "Infectious Disease Specialist", "Immunologist", "Certified Registered Nurse Anesthetist", "Psychologist", "Medical Assistant", "Scribe", "Nurse Manager", "Laboratory Technician", "Medical Laboratory Scientist", "Pathologists' Assistant", "Phlebotomist", "Pharmacist", "Pharmacy Technician", "Physical Therapist", "Occupational Therapist", "Speech-Language Pathologist", "Respiratory Therapist", "Nutritionist", "Legal Administrator", "IT Administrator", "IT Support", "Other"]
    #: Whether the user may create, change and cancel studies.
    canManageStudies: bool
    #: Whether the user may sign in to Isthmus; must be true for `admin`.
    hasDashboardAccess: bool
    #: Middle name.
    middleName: NotRequired[str | None]
    #: Telephone number, 10 to 15 digits.
    phoneNumber: NotRequired[str | None]
    #: First suffix, such as a degree.
    suffix1: NotRequired[str | None]
    #: Second suffix.
    suffix2: NotRequired[str | None]


class ViewerUsersListQuery(TypedDict):
    #: The `cursor` that the previous page returned. It is valid only with the filters of that page.
    cursor: NotRequired[str]
    #: Maximum number of entries on a page.
    limit: NotRequired[int]
    #: Only the user with this e-mail address, ignoring case.
    email: NotRequired[str]
    #: Only users whose given name contains this text, ignoring case.
    firstName: NotRequired[str]
    #: Only users whose family name contains this text, ignoring case.
    lastName: NotRequired[str]
    #: Only users with this level.
    level: NotRequired[Literal["owner", "admin", "member"]]
    #: Only users who were invited this way.
    invitedSource: NotRequired[Literal["dashboard", "api"]]


class ViewerUsersListReply(TypedDict):
    #: The users of this page.
    users: list[ViewerUser]
    #: Whether there is another page.
    hasMore: bool
    #: Opaque base64 cursor of the next page. Send it with the same filters to get that page.
    #: Present only if `hasMore` is true.
    cursor: NotRequired[str]


class ViewerUsersUpdateBody(TypedDict):
    #: Given name.
    firstName: NotRequired[str]
    #: Family name.
    lastName: NotRequired[str]
    #: The level as set through the API. It does not grant permissions in the gateway; only the
    #: clinic grants them. `owner` occurs only in responses and cannot be assigned.
    level: NotRequired[Literal["admin", "member"]]
    #: Role of the user in the clinic. It does not affect permissions.
    clinicRole: NotRequired[Literal["Radiologist", "Cardiologist", "Neurologist", "Urologist", "Gynecologist", "Endocrinologist", "Doctor", "Surgeon", "Physician", "Physician Assistant", "Nurse Practitioner", "Registered Nurse", "Patient Care Coordinator", "Front Desk Operator", "Imaging Technologist", "PACS Administrator", "Software Engineer", "Revenue Cycle Manager", "Administrative Director", "Administrative Assistant", "Oncologist", "Radiation Oncologist", "Hematologist", "Gastroenterologist", "Pulmonologist", "Nephrologist", "Rheumatologist", "Dermatologist", "Ophthalmologist", "Otolaryngologist", "Pediatrician", "Obstetrician", "Psychiatrist", "Anesthesiologist", "Emergency Medicine Physician", "Family Medicine Physician", "Internal Medicine Physician", "Pathologist", "Nuclear Medicine Physician", "Pain Management Specialist", "Infectious Disease Specialist", "Immunologist", "Certified Registered Nurse Anesthetist", "Psychologist", "Medical Assistant", "Scribe", "Nurse Manager", "Laboratory Technician", "Medical Laboratory Scientist", "Pathologists' Assistant", "Phlebotomist", "Pharmacist", "Pharmacy Technician", "Physical Therapist", "Occupational Therapist", "Speech-Language Pathologist", "Respiratory Therapist", "Nutritionist", "Legal Administrator", "IT Administrator", "IT Support", "Other"]]
    #: Whether the user may create, change and cancel studies.
    canManageStudies: NotRequired[bool]
    #: Whether the user may sign in to Isthmus; must be true for `admin`.
    hasDashboardAccess: NotRequired[bool]
    #: Middle name.
    middleName: NotRequired[str | None]
    #: Telephone number, 10 to 15 digits.
    phoneNumber: NotRequired[str | None]
    #: First suffix, such as a degree.
    suffix1: NotRequired[str | None]
    #: Second suffix.
    suffix2: NotRequired[str | None]


class ViewerUsersRevokeAccessBody(TypedDict):
    #: The user.
    userId: str


class ViewerUsersReactivateBody(TypedDict):
    #: The user.
    userId: str


class ViewerUsersInvitationsQuery(TypedDict):
    #: The `cursor` that the previous page returned. It is valid only with the filters of that page.
    cursor: NotRequired[str]
    #: Maximum number of entries on a page.
    limit: NotRequired[int]
    #: Only invitations created on or after this date, in the clinic’s time zone.
    startDate: NotRequired[str]
    #: Only invitations created on or before this date, in the clinic’s time zone.
    endDate: NotRequired[str]
    #: All invitations, only expired ones, or only those that have not expired.
    expired: NotRequired[Literal["all", "expired", "not-expired"]]
    #: Only invitations in one of these states, separated by commas. Empty: no filter.
    status: NotRequired[list[Literal["sent", "accepted", "rejected", "revoked"]]]
    #: Only invitations sent to this user.
    userId: NotRequired[str]


class ViewerUsersInvitationsReply(TypedDict):
    #: The invitations of this page.
    invitations: list[ViewerInvitation]
    #: Whether there is another page.
    hasMore: bool
    #: Opaque base64 cursor of the next page. Send it with the same filters to get that page.
    #: Present only if `hasMore` is true.
    cursor: NotRequired[str]


class ViewerUsersUpdateInvitationBody(TypedDict):
    #: Given name.
    firstName: NotRequired[str]
    #: Family name.
    lastName: NotRequired[str]
    #: The level as set through the API. It does not grant permissions in the gateway; only the
    #: clinic grants them. `owner` occurs only in responses and cannot be assigned.
    level: NotRequired[Literal["admin", "member"]]
    #: Role of the user in the clinic. It does not affect permissions.
    clinicRole: NotRequired[Literal["Radiologist", "Cardiologist", "Neurologist", "Urologist", "Gynecologist", "Endocrinologist", "Doctor", "Surgeon", "Physician", "Physician Assistant", "Nurse Practitioner", "Registered Nurse", "Patient Care Coordinator", "Front Desk Operator", "Imaging Technologist", "PACS Administrator", "Software Engineer", "Revenue Cycle Manager", "Administrative Director", "Administrative Assistant", "Oncologist", "Radiation Oncologist", "Hematologist", "Gastroenterologist", "Pulmonologist", "Nephrologist", "Rheumatologist", "Dermatologist", "Ophthalmologist", "Otolaryngologist", "Pediatrician", "Obstetrician", "Psychiatrist", "Anesthesiologist", "Emergency Medicine Physician", "Family Medicine Physician", "Internal Medicine Physician", "Pathologist", "Nuclear Medicine Physician", "Pain Management Specialist", "Infectious Disease Specialist", "Immunologist", "Certified Registered Nurse Anesthetist", "Psychologist", "Medical Assistant", "Scribe", "Nurse Manager", "Laboratory Technician", "Medical Laboratory Scientist", "Pathologists' Assistant", "Phlebotomist", "Pharmacist", "Pharmacy Technician", "Physical Therapist", "Occupational Therapist", "Speech-Language Pathologist", "Respiratory Therapist", "Nutritionist", "Legal Administrator", "IT Administrator", "IT Support", "Other"]]
    #: Whether the user may create, change and cancel studies.
    canManageStudies: NotRequired[bool]
    #: Whether the user may sign in to Isthmus; must be true for `admin`.
    hasDashboardAccess: NotRequired[bool]
    #: Middle name.
    middleName: NotRequired[str | None]
    #: Telephone number, 10 to 15 digits.
    phoneNumber: NotRequired[str | None]
    #: First suffix, such as a degree.
    suffix1: NotRequired[str | None]
    #: Second suffix.
    suffix2: NotRequired[str | None]


class ViewerUsersRevokeInvitationBody(TypedDict):
    #: The invitation.
    invitationId: NotRequired[str]
    #: The user.
    userId: NotRequired[str]


class ScribeUsersInviteBody(TypedDict):
    #: E-mail address, used to sign in and for notifications.
    email: str
    #: Given name.
    firstName: str
    #: Family name.
    lastName: str
    #: The level as set through the API. It does not grant permissions in the gateway; only the
    #: clinic grants them. `owner` occurs only in responses and cannot be assigned.
    level: Literal["admin", "member"]
    #: Role of the user in the clinic. It does not affect permissions.
    clinicRole: Literal["Radiologist", "Cardiologist", "Neurologist", "Urologist", "Gynecologist", "Endocrinologist", "Doctor", "Surgeon", "Physician", "Physician Assistant", "Nurse Practitioner", "Registered Nurse", "Patient Care Coordinator", "Front Desk Operator", "Imaging Technologist", "PACS Administrator", "Software Engineer", "Revenue Cycle Manager", "Administrative Director", "Administrative Assistant", "Oncologist", "Radiation Oncologist", "Hematologist", "Gastroenterologist", "Pulmonologist", "Nephrologist", "Rheumatologist", "Dermatologist", "Ophthalmologist", "Otolaryngologist", "Pediatrician", "Obstetrician", "Psychiatrist", "Anesthesiologist", "Emergency Medicine Physician", "Family Medicine Physician", "Internal Medicine Physician", "Pathologist", "Nuclear Medicine Physician", "Pain Management Specialist", "Infectious Disease Specialist", "Immunologist", "Certified Registered Nurse Anesthetist", "Psychologist", "Medical Assistant", "Scribe", "Nurse Manager", "Laboratory Technician", "Medical Laboratory Scientist", "Pathologists' Assistant", "Phlebotomist", "Pharmacist", "Pharmacy Technician", "Physical Therapist", "Occupational Therapist", "Speech-Language Pathologist", "Respiratory Therapist", "Nutritionist", "Legal Administrator", "IT Administrator", "IT Support", "Other"]
    #: Whether the user may create, change and cancel studies.
    canManageStudies: bool
    #: Whether the user may sign in to Isthmus; must be true for `admin`.
    hasDashboardAccess: bool
    #: Middle name.
    middleName: NotRequired[str | None]
    #: Telephone number, 10 to 15 digits.
    phoneNumber: NotRequired[str | None]
    #: First suffix, such as a degree.
    suffix1: NotRequired[str | None]
    #: Second suffix.
    suffix2: NotRequired[str | None]
    #: Whether the user may write and sign reports; requires `npiNumber`.
    canCreateReports: bool
    #: National Provider Identifier, 10 digits; required for users who may create reports.
    npiNumber: NotRequired[str | None]


class ScribeUsersListQuery(TypedDict):
    #: The `cursor` that the previous page returned. It is valid only with the filters of that page.
    cursor: NotRequired[str]
    #: Maximum number of entries on a page.
    limit: NotRequired[int]
    #: Only the user with this e-mail address, ignoring case.
    email: NotRequired[str]
    #: Only users whose given name contains this text, ignoring case.
    firstName: NotRequired[str]
    #: Only users whose family name contains this text, ignoring case.
    lastName: NotRequired[str]
    #: Only users with this level.
    level: NotRequired[Literal["owner", "admin", "member"]]
    #: Only users who were invited this way.
    invitedSource: NotRequired[Literal["dashboard", "api"]]
    #: Only users who may (`true`) or may not (`false`) create reports.
    canCreateReports: NotRequired[bool]


class ScribeUsersListReply(TypedDict):
    #: The users of this page.
    users: list[ScribeUser]
    #: Whether there is another page.
    hasMore: bool
    #: Opaque base64 cursor of the next page. Send it with the same filters to get that page.
    #: Present only if `hasMore` is true.
    cursor: NotRequired[str]


class ScribeUsersUpdateBody(TypedDict):
    #: Given name.
    firstName: NotRequired[str]
    #: Family name.
    lastName: NotRequired[str]
    #: The level as set through the API. It does not grant permissions in the gateway; only the
    #: clinic grants them. `owner` occurs only in responses and cannot be assigned.
    level: NotRequired[Literal["admin", "member"]]
    #: Role of the user in the clinic. It does not affect permissions.
    clinicRole: NotRequired[Literal["Radiologist", "Cardiologist", "Neurologist", "Urologist", "Gynecologist", "Endocrinologist", "Doctor", "Surgeon", "Physician", "Physician Assistant", "Nurse Practitioner", "Registered Nurse", "Patient Care Coordinator", "Front Desk Operator", "Imaging Technologist", "PACS Administrator", "Software Engineer", "Revenue Cycle Manager", "Administrative Director", "Administrative Assistant", "Oncologist", "Radiation Oncologist", "Hematologist", "Gastroenterologist", "Pulmonologist", "Nephrologist", "Rheumatologist", "Dermatologist", "Ophthalmologist", "Otolaryngologist", "Pediatrician", "Obstetrician", "Psychiatrist", "Anesthesiologist", "Emergency Medicine Physician", "Family Medicine Physician", "Internal Medicine Physician", "Pathologist", "Nuclear Medicine Physician", "Pain Management Specialist", "Infectious Disease Specialist", "Immunologist", "Certified Registered Nurse Anesthetist", "Psychologist", "Medical Assistant", "Scribe", "Nurse Manager", "Laboratory Technician", "Medical Laboratory Scientist", "Pathologists' Assistant", "Phlebotomist", "Pharmacist", "Pharmacy Technician", "Physical Therapist", "Occupational Therapist", "Speech-Language Pathologist", "Respiratory Therapist", "Nutritionist", "Legal Administrator", "IT Administrator", "IT Support", "Other"]]
    #: Whether the user may create, change and cancel studies.
    canManageStudies: NotRequired[bool]
    #: Whether the user may sign in to Isthmus; must be true for `admin`.
    hasDashboardAccess: NotRequired[bool]
    #: Middle name.
    middleName: NotRequired[str | None]
    #: Telephone number, 10 to 15 digits.
    phoneNumber: NotRequired[str | None]
    #: First suffix, such as a degree.
    suffix1: NotRequired[str | None]
    #: Second suffix.
    suffix2: NotRequired[str | None]
    #: Whether the user may write and sign reports; requires `npiNumber`.
    canCreateReports: NotRequired[bool]
    #: National Provider Identifier, 10 digits; required for users who may create reports.
    npiNumber: NotRequired[str | None]


class ScribeUsersRevokeAccessBody(TypedDict):
    #: The user.
    userId: str


class ScribeUsersReactivateBody(TypedDict):
    #: The user.
    userId: str


class ScribeUsersInvitationsQuery(TypedDict):
    #: The `cursor` that the previous page returned. It is valid only with the filters of that page.
    cursor: NotRequired[str]
    #: Maximum number of entries on a page.
    limit: NotRequired[int]
    #: Only invitations created on or after this date, in the clinic’s time zone.
    startDate: NotRequired[str]
    #: Only invitations created on or before this date, in the clinic’s time zone.
    endDate: NotRequired[str]
    #: All invitations, only expired ones, or only those that have not expired.
    expired: NotRequired[Literal["all", "expired", "not-expired"]]
    #: Only invitations in one of these states, separated by commas. Empty: no filter.
    status: NotRequired[list[Literal["sent", "accepted", "rejected", "revoked"]]]
    #: Only invitations sent to this user.
    userId: NotRequired[str]


class ScribeUsersInvitationsReply(TypedDict):
    #: The invitations of this page.
    invitations: list[ScribeInvitation]
    #: Whether there is another page.
    hasMore: bool
    #: Opaque base64 cursor of the next page. Send it with the same filters to get that page.
    #: Present only if `hasMore` is true.
    cursor: NotRequired[str]


class ScribeUsersUpdateInvitationBody(TypedDict):
    #: Given name.
    firstName: NotRequired[str]
    #: Family name.
    lastName: NotRequired[str]
    #: The level as set through the API. It does not grant permissions in the gateway; only the
    #: clinic grants them. `owner` occurs only in responses and cannot be assigned.
    level: NotRequired[Literal["admin", "member"]]
    #: Role of the user in the clinic. It does not affect permissions.
    clinicRole: NotRequired[Literal["Radiologist", "Cardiologist", "Neurologist", "Urologist", "Gynecologist", "Endocrinologist", "Doctor", "Surgeon", "Physician", "Physician Assistant", "Nurse Practitioner", "Registered Nurse", "Patient Care Coordinator", "Front Desk Operator", "Imaging Technologist", "PACS Administrator", "Software Engineer", "Revenue Cycle Manager", "Administrative Director", "Administrative Assistant", "Oncologist", "Radiation Oncologist", "Hematologist", "Gastroenterologist", "Pulmonologist", "Nephrologist", "Rheumatologist", "Dermatologist", "Ophthalmologist", "Otolaryngologist", "Pediatrician", "Obstetrician", "Psychiatrist", "Anesthesiologist", "Emergency Medicine Physician", "Family Medicine Physician", "Internal Medicine Physician", "Pathologist", "Nuclear Medicine Physician", "Pain Management Specialist", "Infectious Disease Specialist", "Immunologist", "Certified Registered Nurse Anesthetist", "Psychologist", "Medical Assistant", "Scribe", "Nurse Manager", "Laboratory Technician", "Medical Laboratory Scientist", "Pathologists' Assistant", "Phlebotomist", "Pharmacist", "Pharmacy Technician", "Physical Therapist", "Occupational Therapist", "Speech-Language Pathologist", "Respiratory Therapist", "Nutritionist", "Legal Administrator", "IT Administrator", "IT Support", "Other"]]
    #: Whether the user may create, change and cancel studies.
    canManageStudies: NotRequired[bool]
    #: Whether the user may sign in to Isthmus; must be true for `admin`.
    hasDashboardAccess: NotRequired[bool]
    #: Middle name.
    middleName: NotRequired[str | None]
    #: Telephone number, 10 to 15 digits.
    phoneNumber: NotRequired[str | None]
    #: First suffix, such as a degree.
    suffix1: NotRequired[str | None]
    #: Second suffix.
    suffix2: NotRequired[str | None]
    #: Whether the user may write and sign reports; requires `npiNumber`.
    canCreateReports: NotRequired[bool]
    #: National Provider Identifier, 10 digits; required for users who may create reports.
    npiNumber: NotRequired[str | None]


class ScribeUsersRevokeInvitationBody(TypedDict):
    #: The invitation.
    invitationId: NotRequired[str]
    #: The user.
    userId: NotRequired[str]


class ExpressCreateBody(TypedDict):
    #: Name of the customer.
    expressCustomerName: str
    #: Key-value pairs of your choice. The gateway stores them but does not use them.
    metadata: NotRequired[Metadata | None]


class ExpressListQuery(TypedDict):
    #: The `cursor` that the previous page returned. It is valid only with the filters of that page.
    cursor: NotRequired[str]
    #: Maximum number of entries on a page.
    limit: NotRequired[int]
    #: Only customers whose name contains this text, ignoring case.
    expressCustomerName: NotRequired[str]


class ExpressListReply(TypedDict):
    #: The customers of this page.
    expressCustomers: list[ExpressCustomer]
    #: Whether there is another page.
    hasMore: bool
    #: Opaque base64 cursor of the next page. Send it with the same filters to get that page.
    #: Present only if `hasMore` is true.
    cursor: NotRequired[str]


class ExpressUpdateBody(TypedDict):
    #: Name of the customer.
    expressCustomerName: NotRequired[str]
    #: Key-value pairs of your choice. The gateway stores them but does not use them.
    metadata: NotRequired[Metadata | None]


class ExpressAddUserBody(TypedDict):
    #: The user.
    userId: str


class ExpressRemoveUserBody(TypedDict):
    #: The user.
    userId: str


class OrgsCreateBody(TypedDict):
    #: Name of the organization.
    orgName: str
    #: Key-value pairs of your choice. The gateway stores them but does not use them.
    metadata: NotRequired[Metadata | None]


class ViewerCreateBody(TypedDict):
    #: Study Instance UID (0020,000D).
    studyInstanceUid: str
    #: Study Description (0008,1030).
    studyDescription: str
    #: Urgency: `normal` is routine, `high` is urgent, `stat` needs immediate attention.
    severity: Literal["normal", "high", "stat"]
    #: The user to whom the study is assigned.
    assignedTo: NotRequired[str | None]
    #: The Express customer.
    expressCustomerId: NotRequired[str | None]
    #: Key-value pairs of your choice. The gateway stores them but does not use them.
    metadata: NotRequired[Metadata | None]


class ViewerListQuery(TypedDict):
    #: The `cursor` that the previous page returned. It is valid only with the filters of that page.
    cursor: NotRequired[str]
    #: Maximum number of entries on a page.
    limit: NotRequired[int]
    #: Only studies assigned to this user. Empty or `null`: unassigned studies.
    assignedTo: NotRequired[str | None]
    #: Only studies of this customer. Empty or `null`: studies without a customer.
    expressCustomerId: NotRequired[str | None]
    #: Only cancelled studies (`true`) or only studies that are not cancelled (`false`). Empty: no
    #: filter.
    isCancelled: NotRequired[bool]
    #: Only studies of this urgency.
    severity: NotRequired[Literal["normal", "high", "stat"]]
    #: Only studies whose description contains this text, ignoring case.
    studyDescription: NotRequired[str]
    #: Only studies with this status.
    studyViewerStatus: NotRequired[Literal["incomplete", "complete"]]


class ViewerListReply(TypedDict):
    #: The studies of this page.
    studies: list[ViewerStudy]
    #: Whether there is another page.
    hasMore: bool
    #: Opaque base64 cursor of the next page. Send it with the same filters to get that page.
    #: Present only if `hasMore` is true.
    cursor: NotRequired[str]


class ViewerUpdateBody(TypedDict):
    #: The user to whom the study is assigned.
    assignedTo: NotRequired[str | None]
    #: Key-value pairs of your choice. The gateway stores them but does not use them.
    metadata: NotRequired[Metadata | None]
    #: Urgency: `normal` is routine, `high` is urgent, `stat` needs immediate attention.
    severity: NotRequired[Literal["normal", "high", "stat"]]
    #: Study Description (0008,1030).
    studyDescription: NotRequired[str]
    #: Whether the images of the study are complete, as set by the partner.
    studyViewerStatus: NotRequired[Literal["incomplete", "complete"]]


class ViewerCancelBody(TypedDict):
    #: The study.
    studyId: NotRequired[str]
    #: Study Instance UID (0020,000D).
    studyInstanceUid: NotRequired[str]


class ViewerUncancelBody(TypedDict):
    #: The study.
    studyId: NotRequired[str]
    #: Study Instance UID (0020,000D).
    studyInstanceUid: NotRequired[str]


class ViewerRerouteUrlBody(TypedDict):
    #: The study.
    studyId: NotRequired[str]
    #: Study Instance UID (0020,000D).
    studyInstanceUid: NotRequired[str]


class ViewerRerouteUrlReply(TypedDict):
    #: The link. Anyone who has it can open it: treat it like a password.
    url: str


class ViewerEphemeralSessionBodyHangingProtocol(TypedDict):
    #: Number of rows and columns of viewports.
    layout: Literal["1x1", "1x2", "1x3", "1x4", "2x1", "2x2", "2x3", "2x4", "3x1", "3x2", "3x3", "3x4", "4x1", "4x2", "4x3", "4x4"]
    #: The series description that each viewport shows, row by row; null leaves a viewport empty.
    viewportAssignments: list[str | None]


class ViewerEphemeralSessionBody(TypedDict):
    #: An identifier of your choice for the images; the event contains it unchanged.
    retrievalId: str
    #: Any JSON object of at most 3072 bytes; the event contains it unchanged. Not intended for
    #: URLs.
    options: NotRequired[dict[str, JsonValue] | None]
    #: Initial layout of the images in the viewer.
    hangingProtocol: NotRequired[ViewerEphemeralSessionBodyHangingProtocol | None]


class ViewerEphemeralSessionReply(TypedDict):
    #: The link. Anyone who has it can open it: treat it like a password.
    url: str


class ScribeCreateBodyReportMetadataHeight(TypedDict):
    #: Unit of the value.
    unit: Literal["in", "cm"]
    #: The height in the given unit.
    value: float


class ScribeCreateBodyReportMetadataWeight(TypedDict):
    #: Unit of the value.
    unit: Literal["lbs", "kg"]
    #: The weight in the given unit.
    value: float


class ScribeCreateBodyReportMetadata(TypedDict):
    """Details of the patient and the exam, as shown on the report."""

    #: Age at the time of the exam, as text.
    age: NotRequired[str | None]
    #: Date of birth.
    dateOfBirth: NotRequired[str | None]
    #: Facility where the exam was performed.
    facilityName: NotRequired[str | None]
    #: Body height.
    height: NotRequired[ScribeCreateBodyReportMetadataHeight | None]
    #: Medical record number, Patient ID (0010,0020).
    mrn: NotRequired[str | None]
    #: Name of the patient.
    patientName: NotRequired[str | None]
    #: Name of the referring physician.
    referringPhysicianName: NotRequired[str | None]
    #: Date of the exam, in the clinic’s time zone.
    scanDate: NotRequired[str | None]
    #: Time of the exam, `HH:MM`, in the clinic’s time zone.
    scanTime: NotRequired[str | None]
    #: Modality or type of exam, as text.
    scanType: NotRequired[str | None]
    #: Patient’s sex.
    sex: NotRequired[Literal["male", "female", "other"] | None]
    #: Body weight.
    weight: NotRequired[ScribeCreateBodyReportMetadataWeight | None]
    #: Type of exam; stored as `scanType`.
    procedure: NotRequired[str | None]
    #: Date of the exam; stored as `scanDate`.
    studyDate: NotRequired[str | None]
    #: Time of the exam, `HH:MM` or `HH:MM:SS[.fff]`; stored to the minute as `scanTime`.
    studyTime: NotRequired[str | None]


class ScribeCreateBodyPriorReports(TypedDict):
    #: Text of the prior report.
    reportText: str
    #: Identifier of the prior study in the partner’s system.
    externalStudyId: NotRequired[str | None]
    #: Modality of the prior study.
    modality: NotRequired[str | None]
    #: Date of the prior study.
    studyDate: NotRequired[str | None]
    #: Description of the prior study.
    studyDescription: NotRequired[str | None]


class ScribeCreateBody(TypedDict):
    #: Study Instance UID (0020,000D).
    studyInstanceUid: str
    #: Study Description (0008,1030).
    studyDescription: str
    #: Urgency: `normal` is routine, `high` is urgent, `stat` needs immediate attention.
    severity: Literal["normal", "high", "stat"]
    #: Details of the patient and the exam, as shown on the report.
    reportMetadata: ScribeCreateBodyReportMetadata
    #: The user to whom the study is assigned.
    assignedTo: NotRequired[str | None]
    #: The Express customer.
    expressCustomerId: NotRequired[str | None]
    #: Key-value pairs of your choice. The gateway stores them but does not use them.
    metadata: NotRequired[Metadata | None]
    #: Texts of prior reports, for the radiologist.
    priorReportTexts: NotRequired[list[str] | None]
    #: Prior studies of the patient, in either area.
    priorStudyIds: NotRequired[list[str] | None]
    #: The patient’s identifier in the partner’s system.
    externalPatientId: NotRequired[str | None]
    #: Clinical history of the patient.
    clinicalHistory: NotRequired[str | None]
    #: Reason for the exam.
    clinicalIndication: NotRequired[str | None]
    #: Modality, such as `CT`.
    modality: NotRequired[str | None]
    #: How the exam was performed.
    technologistTechnique: NotRequired[str | None]
    #: Notes of the technologist.
    technologistNotes: NotRequired[list[str] | None]
    #: Prior reports from other systems.
    priorReports: NotRequired[list[ScribeCreateBodyPriorReports] | None]


class ScribeListQuery(TypedDict):
    #: The `cursor` that the previous page returned. It is valid only with the filters of that page.
    cursor: NotRequired[str]
    #: Maximum number of entries on a page.
    limit: NotRequired[int]
    #: Only studies assigned to this user. Empty or `null`: unassigned studies.
    assignedTo: NotRequired[str | None]
    #: Only studies of this customer. Empty or `null`: studies without a customer.
    expressCustomerId: NotRequired[str | None]
    #: Only cancelled studies (`true`) or only studies that are not cancelled (`false`). Empty: no
    #: filter.
    isCancelled: NotRequired[bool]
    #: Only studies of this urgency.
    severity: NotRequired[Literal["normal", "high", "stat"]]
    #: Only studies whose description contains this text, ignoring case.
    studyDescription: NotRequired[str]
    #: Only studies with one of these statuses, separated by commas. Empty: no filter.
    studyReportStatus: NotRequired[list[Literal["unassigned", "assigned", "in_progress", "completed", "addendum_active"]]]
    #: Accepted for compatibility. All studies are `standard`; `external` matches none.
    studyType: NotRequired[Literal["standard", "external"]]


class ScribeListReply(TypedDict):
    #: The studies of this page.
    studies: list[ScribeStudy]
    #: Whether there is another page.
    hasMore: bool
    #: Opaque base64 cursor of the next page. Send it with the same filters to get that page.
    #: Present only if `hasMore` is true.
    cursor: NotRequired[str]


class ScribeUpdateBodyReportMetadataHeight(TypedDict):
    #: Unit of the value.
    unit: Literal["in", "cm"]
    #: The height in the given unit.
    value: float


class ScribeUpdateBodyReportMetadataWeight(TypedDict):
    #: Unit of the value.
    unit: Literal["lbs", "kg"]
    #: The weight in the given unit.
    value: float


class ScribeUpdateBodyReportMetadata(TypedDict):
    """Details of the patient and the exam, as shown on the report."""

    #: Age at the time of the exam, as text.
    age: NotRequired[str | None]
    #: Date of birth.
    dateOfBirth: NotRequired[str | None]
    #: Facility where the exam was performed.
    facilityName: NotRequired[str | None]
    #: Body height.
    height: NotRequired[ScribeUpdateBodyReportMetadataHeight | None]
    #: Medical record number, Patient ID (0010,0020).
    mrn: NotRequired[str | None]
    #: Name of the patient.
    patientName: NotRequired[str | None]
    #: Name of the referring physician.
    referringPhysicianName: NotRequired[str | None]
    #: Date of the exam, in the clinic’s time zone.
    scanDate: NotRequired[str | None]
    #: Time of the exam, `HH:MM`, in the clinic’s time zone.
    scanTime: NotRequired[str | None]
    #: Modality or type of exam, as text.
    scanType: NotRequired[str | None]
    #: Patient’s sex.
    sex: NotRequired[Literal["male", "female", "other"] | None]
    #: Body weight.
    weight: NotRequired[ScribeUpdateBodyReportMetadataWeight | None]
    #: Type of exam; stored as `scanType`.
    procedure: NotRequired[str | None]
    #: Date of the exam; stored as `scanDate`.
    studyDate: NotRequired[str | None]
    #: Time of the exam, `HH:MM` or `HH:MM:SS[.fff]`; stored to the minute as `scanTime`.
    studyTime: NotRequired[str | None]


class ScribeUpdateBodyPriorReports(TypedDict):
    #: Text of the prior report.
    reportText: str
    #: Identifier of the prior study in the partner’s system.
    externalStudyId: NotRequired[str | None]
    #: Modality of the prior study.
    modality: NotRequired[str | None]
    #: Date of the prior study.
    studyDate: NotRequired[str | None]
    #: Description of the prior study.
    studyDescription: NotRequired[str | None]


class ScribeUpdateBody(TypedDict):
    #: The user to whom the study is assigned.
    assignedTo: NotRequired[str | None]
    #: The Express customer.
    expressCustomerId: NotRequired[str | None]
    #: Key-value pairs of your choice. The gateway stores them but does not use them.
    metadata: NotRequired[Metadata | None]
    #: Texts of prior reports, for the radiologist.
    priorReportTexts: NotRequired[list[str] | None]
    #: Prior studies of the patient, in either area.
    priorStudyIds: NotRequired[list[str] | None]
    #: Details of the patient and the exam, as shown on the report.
    reportMetadata: NotRequired[ScribeUpdateBodyReportMetadata]
    #: Urgency: `normal` is routine, `high` is urgent, `stat` needs immediate attention.
    severity: NotRequired[Literal["normal", "high", "stat"]]
    #: Study Description (0008,1030).
    studyDescription: NotRequired[str]
    #: The patient’s identifier in the partner’s system.
    externalPatientId: NotRequired[str | None]
    #: Clinical history of the patient.
    clinicalHistory: NotRequired[str | None]
    #: Reason for the exam.
    clinicalIndication: NotRequired[str | None]
    #: Modality, such as `CT`.
    modality: NotRequired[str | None]
    #: How the exam was performed.
    technologistTechnique: NotRequired[str | None]
    #: Notes of the technologist.
    technologistNotes: NotRequired[list[str] | None]
    #: Prior reports from other systems.
    priorReports: NotRequired[list[ScribeUpdateBodyPriorReports] | None]


class ScribeCancelBody(TypedDict):
    #: The study.
    studyId: NotRequired[str]
    #: Study Instance UID (0020,000D).
    studyInstanceUid: NotRequired[str]


class ScribeUncancelBody(TypedDict):
    #: The study.
    studyId: NotRequired[str]
    #: Study Instance UID (0020,000D).
    studyInstanceUid: NotRequired[str]


class ScribeRerouteUrlBody(TypedDict):
    #: The user who opens the link. The study is assigned to this user.
    assignedToUserId: str
    #: The study.
    studyId: NotRequired[str]
    #: Study Instance UID (0020,000D).
    studyInstanceUid: NotRequired[str]


class ScribeRerouteUrlReply(TypedDict):
    #: The link. Anyone who has it can open it: treat it like a password.
    url: str


class ScribeViewerOnlyRerouteUrlBody(TypedDict):
    #: The study.
    studyId: NotRequired[str]
    #: Study Instance UID (0020,000D).
    studyInstanceUid: NotRequired[str]
    #: The user who opens the link, for the audit log.
    userId: NotRequired[str]


class ScribeViewerOnlyRerouteUrlReply(TypedDict):
    #: The link. Anyone who has it can open it: treat it like a password.
    url: str


class ScribeReportsQuery(TypedDict):
    #: The study.
    studyId: NotRequired[str]
    #: Only entries about the study with this Study Instance UID.
    studyInstanceUid: NotRequired[str]


class ScribeReportsReply(TypedDict):
    #: The reports, oldest first.
    reports: list[ScribeReport]
    #: The study.
    studyId: str
    #: Study Instance UID (0020,000D).
    studyInstanceUid: str


class ScribeReportTextQuery(TypedDict):
    #: The report or addendum.
    reportId: NotRequired[str]
    #: The study.
    studyId: NotRequired[str]
    #: Only entries about the study with this Study Instance UID.
    studyInstanceUid: NotRequired[str]


class ScribeReportTextReply2(TypedDict):
    #: The reports, oldest first.
    reports: list[ReportText]
    #: The study.
    studyId: str
    #: Study Instance UID (0020,000D).
    studyInstanceUid: str


class ScribeReportPdfQuery(TypedDict):
    #: The report or addendum.
    reportId: NotRequired[str]
    #: The study.
    studyId: NotRequired[str]
    #: Only entries about the study with this Study Instance UID.
    studyInstanceUid: NotRequired[str]


class ScribeReportPdfReply2(TypedDict):
    #: The reports, oldest first.
    reports: list[ReportPdf]
    #: The study.
    studyId: str
    #: Study Instance UID (0020,000D).
    studyInstanceUid: str


class ScribeEphemeralSessionBodyHangingProtocol(TypedDict):
    #: Number of rows and columns of viewports.
    layout: Literal["1x1", "1x2", "1x3", "1x4", "2x1", "2x2", "2x3", "2x4", "3x1", "3x2", "3x3", "3x4", "4x1", "4x2", "4x3", "4x4"]
    #: The series description that each viewport shows, row by row; null leaves a viewport empty.
    viewportAssignments: list[str | None]


class ScribeEphemeralSessionBody(TypedDict):
    #: An identifier of your choice for the images; the event contains it unchanged.
    retrievalId: str
    #: Any JSON object of at most 3072 bytes; the event contains it unchanged. Not intended for
    #: URLs.
    options: NotRequired[dict[str, JsonValue] | None]
    #: Initial layout of the images in the viewer.
    hangingProtocol: NotRequired[ScribeEphemeralSessionBodyHangingProtocol | None]


class ScribeEphemeralSessionReply(TypedDict):
    #: The link. Anyone who has it can open it: treat it like a password.
    url: str


class EventsListQuery(TypedDict):
    #: The `cursor` that the previous page returned. It is valid only with the filters of that page.
    cursor: NotRequired[str]
    #: Maximum number of entries on a page.
    limit: NotRequired[int]
    #: Only events of this type.
    type: NotRequired[Literal["study.access_requested", "ephemeral.access_requested", "secondary_capture.access_requested", "modality_worklist.requested", "patient_study.enrichment_requested", "clinical_context.enrichment_requested", "report.delivered"]]
    #: Only events in this state.
    state: NotRequired[Literal["waiting", "done", "failed", "dropped"]]
    #: Only entries about the study with this Study Instance UID.
    studyInstanceUid: NotRequired[str]


class EventsListReply(TypedDict):
    #: The events of this page.
    events: list[SentEvent]
    #: Whether there is another page.
    hasMore: bool
    #: Opaque base64 cursor of the next page. Send it with the same filters to get that page.
    #: Present only if `hasMore` is true.
    cursor: NotRequired[str]


class EndpointsListReply(TypedDict):
    #: The endpoints, oldest first.
    endpoints: list[DeliveryEndpoint]


class EndpointsCreateBody(TypedDict):
    #: A name of your choice for the endpoint; may be empty.
    name: NotRequired[str]
    #: The address that events are sent to: https, on a public host.
    url: str
    #: The event types that the endpoint receives. No other endpoint of this key may receive them.
    events: list[Literal["study.access_requested", "ephemeral.access_requested", "secondary_capture.access_requested", "report.delivered"]]


class EndpointsUpdateBody(TypedDict):
    #: A name of your choice for the endpoint; may be empty.
    name: NotRequired[str]
    #: The address that events are sent to: https, on a public host.
    url: NotRequired[str]
    #: The event types that the endpoint receives. No other endpoint of this key may receive them.
    events: NotRequired[list[Literal["study.access_requested", "ephemeral.access_requested", "secondary_capture.access_requested", "report.delivered"]]]
    #: Set to true to enable the endpoint again after it returned 410.
    isEnabled: NotRequired[Literal[True]]


class EndpointsRotateSecretBody(TypedDict):
    #: Whether former secrets expire immediately.
    endOthersNow: NotRequired[bool]


class EndpointsTestBody(TypedDict):
    #: Type of the event to send.
    type: Literal["study.access_requested", "ephemeral.access_requested", "secondary_capture.access_requested", "report.delivered"]


class EndpointsTestReply(TypedDict):
    #: Whether the response was valid.
    success: bool
    #: Result of the test, as a sentence for a person to read.
    message: str
    #: ID of the event, equal to its `webhook-id`.
    eventId: str


class SandboxSetWebhookBody(TypedDict):
    #: The https URL that events are sent to.
    url: str
    #: The signing secret: `whsec_` and base64. In a response, it is null unless the gateway
    #: generated it.
    secret: NotRequired[str]


class SandboxSetWebhookReply(TypedDict):
    #: The https URL that events are sent to.
    url: str
    #: The signing secret: `whsec_` and base64. In a response, it is null unless the gateway
    #: generated it.
    secret: str | None


class SandboxRunExamBody(TypedDict):
    #: Accession number of the exam to perform. If absent, the first exam without images is
    #: performed.
    accessionNumber: NotRequired[str]


class SandboxSignReportBody(TypedDict):
    #: The study.
    studyId: NotRequired[str]
    #: Study Instance UID (0020,000D).
    studyInstanceUid: NotRequired[str]
    #: The text of the report. If absent, a sample text is used.
    plainText: NotRequired[str]
    #: Whether the report is critical.
    isCritical: NotRequired[bool]


class SandboxSendEventBody(TypedDict):
    #: Type of the event.
    type: Literal["study.access_requested", "ephemeral.access_requested", "secondary_capture.access_requested", "modality_worklist.requested", "patient_study.enrichment_requested", "clinical_context.enrichment_requested", "report.delivered"]
    #: Fields that replace those of the sample data.
    data: NotRequired[dict[str, Any]]
    #: Whether to return the request without sending it.
    isDryRun: NotRequired[bool]


class SandboxAdvanceReply(TypedDict):
    #: The reports that were waiting.
    deliveries: list[SandboxDelivery]


JsonValue = Any

Metadata = dict[str, str]

ScribeReportTextReply = ReportText | ScribeReportTextReply2

ScribeReportPdfReply = ReportPdf | ScribeReportPdfReply2
