import type { Study } from '#gateway/domain/studies.ts'
import { studyFieldsOf } from '#gateway/domain/study-view.ts'
import type { ViewerStudy } from '#shared/contract/viewer.ts'

/** The record of the viewer area (interface.md, Viewer study). */
export const viewerStudyOf = (study: Study<'viewer'>): ViewerStudy => ({ ...studyFieldsOf(study), studyViewerStatus: study.record.status })
