import { listPage } from '#server/http/list-page.ts'
import type { HandlersOf } from '#server/http/operations.ts'
import type { viewer } from '#shared/contract/viewer.ts'
import type { Studies } from './studies.ts'
import { viewerStudyOf } from './viewer-study.ts'

export interface ViewerStudyDeps {
  readonly studies: Studies
}

/** All but the links, which modules/viewer/link-routes.ts serves. */
export const viewerStudyHandlers = ({
  studies,
}: ViewerStudyDeps): Omit<HandlersOf<typeof viewer>, 'rerouteUrl' | 'ephemeralSession'> => ({
  create: ({ caller, body }) => viewerStudyOf(studies.create(caller, 'viewer', body)),
  list({ caller, query: { cursor, ...query } }) {
    const { items, next } = studies.list(caller, 'viewer', { ...query, after: cursor })
    return listPage('studies', items.map(viewerStudyOf), next)
  },
  read: ({ caller, params }) => viewerStudyOf(studies.read(caller, 'viewer', params.studyId)),
  byUid: ({ caller, params }) =>
    viewerStudyOf(studies.byUid(caller, 'viewer', params.studyInstanceUid)),
  update: ({ caller, params, body }) =>
    viewerStudyOf(studies.update(caller, 'viewer', params.studyId, body)),
  cancel: ({ caller, body }) => studies.cancel(caller, 'viewer', body),
  uncancel: ({ caller, body }) => studies.uncancel(caller, 'viewer', body),
})
