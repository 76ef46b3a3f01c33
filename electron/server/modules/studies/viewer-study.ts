import type { ViewerStudy } from '#shared/contract/viewer.ts'
import type { Study } from './studies.ts'
import { studyFieldsOf } from './study-view.ts'

/** The record of the viewer area (interface.md, Viewer study). */
export const viewerStudyOf = (study: Study<'viewer'>): ViewerStudy => ({
  ...studyFieldsOf(study),
  studyViewerStatus: study.record.status,
})
