import { listPage } from '#server/http/list-page.ts'
import type { HandlersOf } from '#server/http/operations.ts'
import type { scribe } from '#shared/contract/scribe.ts'
import { scribeStudyOf } from './scribe-study.ts'
import type { Studies } from './studies.ts'

export interface ScribeStudyDeps {
  readonly studies: Studies
}

type ScribeHandlers = HandlersOf<typeof scribe>
/** Served by modules/viewer/link-routes.ts. */
type LinkCalls = 'rerouteUrl' | 'viewerOnlyRerouteUrl' | 'ephemeralSession'
type ReportCalls = 'reports' | 'reportText' | 'reportPdf' | 'startAddendum' | 'cancelAddendum'

export const scribeStudyHandlers = ({
  studies,
}: ScribeStudyDeps): Omit<ScribeHandlers, ReportCalls | LinkCalls> => ({
  create: ({ caller, body }) => scribeStudyOf(studies.create(caller, 'scribe', body)),
  list({ caller, query: { cursor, ...query } }) {
    const { items, next } = studies.list(caller, 'scribe', { ...query, after: cursor })
    return listPage('studies', items.map(scribeStudyOf), next)
  },
  read: ({ caller, params }) => scribeStudyOf(studies.read(caller, 'scribe', params.studyId)),
  byUid: ({ caller, params }) =>
    scribeStudyOf(studies.byUid(caller, 'scribe', params.studyInstanceUid)),
  update: ({ caller, params, body }) =>
    scribeStudyOf(studies.update(caller, 'scribe', params.studyId, body)),
  cancel: ({ caller, body }) => studies.cancel(caller, 'scribe', body),
  uncancel: ({ caller, body }) => studies.uncancel(caller, 'scribe', body),
})
