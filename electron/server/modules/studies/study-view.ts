import type { ViewerStudy } from '#shared/contract/viewer.ts'
import type { StudyId } from '#shared/ids.ts'
import type { Study } from './studies.ts'

/**
 * What the records of both areas have in common (interface.md, Viewer study): what it refers to and
 * `cancelledAt` are there, null where there is none.
 */
export function studyFieldsOf(study: Study): Omit<ViewerStudy, 'studyViewerStatus'> {
  const { record, assignedTo, createdByApiKey, createdByUser, expressCustomer } = study
  const {
    studyId,
    studyInstanceUid,
    studyDescription,
    severity,
    cancelledAt,
    createdAt,
    updatedAt,
    detail,
  } = record
  return {
    studyId: studyId as StudyId,
    studyInstanceUid,
    studyDescription,
    severity,
    isCancelled: cancelledAt !== null,
    cancelledAt,
    createdAt,
    updatedAt,
    assignedTo,
    createdByApiKey,
    createdByUser,
    expressCustomer,
    ...(detail.metadata && { metadata: detail.metadata }),
  }
}
