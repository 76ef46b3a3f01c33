# Generated from docs/openapi.json by npm run clients. Do not edit.
"""Events that the gateway sends, and the handlers that answer them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NotRequired, TypedDict, Union

from . import models


class StudyAccessRequestedData(TypedDict):
    """Data of the event."""

    #: The study.
    studyId: str
    #: Study Instance UID (0020,000D).
    studyInstanceUid: str


class StudyAccessRequested(TypedDict):
    """Presigned URLs of a study’s DICOM images are needed."""

    id: str
    type: Literal["study.access_requested"]
    data: StudyAccessRequestedData


class EphemeralAccessRequestedData(TypedDict):
    """Data of the event."""

    #: An identifier of your choice for the images; the event contains it unchanged.
    retrievalId: str
    #: Any JSON object of at most 3072 bytes; the event contains it unchanged. Not intended for
    #: URLs.
    options: NotRequired[dict[str, Any]]


class EphemeralAccessRequested(TypedDict):
    """Presigned URLs are needed for a viewer session without a study."""

    id: str
    type: Literal["ephemeral.access_requested"]
    data: EphemeralAccessRequestedData


class SecondaryCaptureAccessRequestedData(TypedDict):
    """Data of the event."""

    #: The study.
    studyId: str
    #: Study Instance UID (0020,000D).
    studyInstanceUid: str
    #: Series Instance UID (0020,000E).
    seriesInstanceUid: NotRequired[str]
    #: SOP Instance UID (0008,0018).
    sopInstanceUid: NotRequired[str]


class SecondaryCaptureAccessRequested(TypedDict):
    """Presigned upload URLs for a secondary capture are needed."""

    id: str
    type: Literal["secondary_capture.access_requested"]
    data: SecondaryCaptureAccessRequestedData


class ModalityWorklistRequestedData(TypedDict):
    """Data of the event."""

    #: AE title of the device that sent the query.
    callingAe: str
    #: The clinic; the same in every event and invitation.
    clinicId: str
    #: First date of the exams, inclusive, in the clinic’s time zone.
    dateStart: str
    #: Last date of the exams, inclusive, in the clinic’s time zone.
    dateEnd: str
    #: IP address of the device that sent the query.
    sourceIp: str
    #: Only exams of this modality; absent if the query had none.
    modality: NotRequired[str]


class ModalityWorklistRequested(TypedDict):
    """A device queried the worklist."""

    id: str
    type: Literal["modality_worklist.requested"]
    data: ModalityWorklistRequestedData


class PatientStudyEnrichmentRequestedData(TypedDict):
    """Data of the event."""

    #: The clinic; the same in every event and invitation.
    clinicId: str
    #: Study Instance UID (0020,000D).
    studyInstanceUid: str
    #: Accession Number (0008,0050) of the images.
    accessionNumber: NotRequired[str]
    #: Patient ID (0010,0020) of the images.
    patientId: NotRequired[str]


class PatientStudyEnrichmentRequested(TypedDict):
    """A study was created from images and needs demographics."""

    id: str
    type: Literal["patient_study.enrichment_requested"]
    data: PatientStudyEnrichmentRequestedData


class ClinicalContextEnrichmentRequestedData(TypedDict):
    """Data of the event."""

    #: The clinic; the same in every event and invitation.
    clinicId: str
    #: ID of the study as a UUID, without the prefix `stu_`.
    studyId: str
    #: Study Instance UID (0020,000D).
    studyInstanceUid: str
    #: The patient’s identifier in the partner’s system.
    externalPatientId: NotRequired[str]
    #: Medical record number, Patient ID (0010,0020).
    mrn: NotRequired[str]


class ClinicalContextEnrichmentRequested(TypedDict):
    """The reporting area needs clinical context."""

    id: str
    type: Literal["clinical_context.enrichment_requested"]
    data: ClinicalContextEnrichmentRequestedData


class ReportDeliveredData(TypedDict):
    """Data of the event."""

    #: Whether the signer marked the result as critical. If true, immediately notify a clinician who
    #: is treating the patient.
    isCritical: bool
    #: Link to the PDF. It is valid for one hour and needs no API key.
    presignedUrl: str
    #: The report or addendum.
    reportId: str
    #: The study.
    studyId: str
    #: Study Instance UID (0020,000D).
    studyInstanceUid: str
    #: The patient’s identifier in the partner’s system.
    externalPatientId: NotRequired[str]
    #: The full text of the report.
    plainText: NotRequired[str]


class ReportDelivered(TypedDict):
    """A report was completed."""

    id: str
    type: Literal["report.delivered"]
    data: ReportDeliveredData


Event = Union[
    StudyAccessRequested,
    EphemeralAccessRequested,
    SecondaryCaptureAccessRequested,
    ModalityWorklistRequested,
    PatientStudyEnrichmentRequested,
    ClinicalContextEnrichmentRequested,
    ReportDelivered,
]

EVENT_TYPES = (
    "study.access_requested",
    "ephemeral.access_requested",
    "secondary_capture.access_requested",
    "modality_worklist.requested",
    "patient_study.enrichment_requested",
    "clinical_context.enrichment_requested",
    "report.delivered",
)

EventHandlers = TypedDict(
    "EventHandlers",
    {
        "study.access_requested": Callable[
            [StudyAccessRequestedData, StudyAccessRequested],
            models.StudyAccessRequestedResponse,
        ],
        "ephemeral.access_requested": Callable[
            [EphemeralAccessRequestedData, EphemeralAccessRequested],
            models.EphemeralAccessRequestedResponse,
        ],
        "secondary_capture.access_requested": Callable[
            [SecondaryCaptureAccessRequestedData, SecondaryCaptureAccessRequested],
            models.SecondaryCaptureAccessRequestedResponse,
        ],
        "modality_worklist.requested": Callable[
            [ModalityWorklistRequestedData, ModalityWorklistRequested],
            models.ModalityWorklistRequestedResponse,
        ],
        "patient_study.enrichment_requested": Callable[
            [PatientStudyEnrichmentRequestedData, PatientStudyEnrichmentRequested],
            models.PatientStudyEnrichmentRequestedResponse,
        ],
        "clinical_context.enrichment_requested": Callable[
            [ClinicalContextEnrichmentRequestedData, ClinicalContextEnrichmentRequested],
            models.ClinicalContextEnrichmentRequestedResponse,
        ],
        "report.delivered": Callable[
            [ReportDeliveredData, ReportDelivered],
            models.ReportDeliveredResponse,
        ],
    },
    total=False,
)
