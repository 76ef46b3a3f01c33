import type { EventData, EventType } from '#shared/contract/webhooks.ts'
import { idFromUuid, uidOfUuid, uuidOf } from '#shared/ids.ts'

export interface TestEventFacts {
  readonly clinicId: string
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly callingAe: string
  /** Base of URLs given out, without a trailing slash. */
  readonly publicBase: string
  /** A new UUID v4. */
  readonly uuid: () => string
}

const REPORT_TEXT =
  'Indication: test of the connection.\nFindings: none; this is no patient.\nImpression: test report of Isthmus, to be ignored.'

/** Invented event data. A partner that looks up its ids finds no such study. */
export function testEventData<T extends EventType>(
  type: T,
  { clinicId, day, callingAe, publicBase, uuid }: TestEventFacts,
): EventData<T> {
  const studyId = idFromUuid('stu', uuid())
  const reportId = idFromUuid('rep', uuid())
  // PS3.5 B.2: a UID derived from a UUID.
  const studyInstanceUid = uidOfUuid(uuid())
  const data: { readonly [E in EventType]: EventData<E> } = {
    'study.access_requested': { studyId, studyInstanceUid },
    'ephemeral.access_requested': { retrievalId: `test-${uuid()}` },
    'secondary_capture.access_requested': { studyId, studyInstanceUid },
    'modality_worklist.requested': {
      callingAe,
      clinicId,
      dateStart: day,
      dateEnd: day,
      sourceIp: '127.0.0.1',
    },
    'patient_study.enrichment_requested': {
      clinicId,
      studyInstanceUid,
      accessionNumber: 'ISTHMUS-TEST',
    },
    'clinical_context.enrichment_requested': {
      clinicId,
      studyId: uuidOf(studyId),
      studyInstanceUid,
      mrn: 'ISTHMUS-TEST',
    },
    'report.delivered': {
      isCritical: false,
      // The signature is invalid, because the report does not exist.
      presignedUrl: `${publicBase}/reports/${reportId}/pdf?expires=0&signature=test`,
      ...{ reportId, studyId, studyInstanceUid, plainText: REPORT_TEXT },
    },
  }
  return data[type] as EventData<T>
}
