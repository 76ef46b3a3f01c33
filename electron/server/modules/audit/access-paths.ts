import { keyActor, userActor } from '#server/audit-log/audit.ts'
import { DICOMWEB_PREFIX } from '#server/http/dicomweb-route.ts'
import type { NoteAnswer } from '#server/http/http-app.ts'
import type { Access, AccessAudit } from '#server/modules/audit/access-audit.ts'

/**
 * GET operations that show patient data to a user: the action to record and its target. A target
 * that begins with a colon lists parameters of the path or the query; the first one that is present
 * is used.
 */
const GET_READS: Readonly<Record<string, readonly [Access['action'], target: string]>> = {
  '/dashboard/studies': ['read.list', 'studies'],
  '/dashboard/studies/:studyId': ['read.study', ':studyId'],
  '/dashboard/images': ['read.list', 'images'],
  '/dashboard/images/:studyInstanceUid': ['read.images', ':studyInstanceUid'],
  // Thumbnails are part of the lists that show them.
  '/dashboard/images/:studyInstanceUid/thumbnail': ['read.list', 'images'],
  '/dashboard/images/:studyInstanceUid/series/:seriesInstanceUid/thumbnail': [
    'read.list',
    'images',
  ],
  '/dashboard/images/:studyInstanceUid/identities': ['read.images', ':studyInstanceUid'],
  '/dashboard/images/:studyInstanceUid/correction-targets': ['read.list', 'correction-targets'],
  '/dashboard/images/:studyInstanceUid/corrections': ['read.images', ':studyInstanceUid'],
  '/dashboard/worklist/exams': ['read.list', 'exams'],
  '/dashboard/worklist/exams/print': ['read.list', 'exams'],
  '/dashboard/inspections': ['read.list', 'queries'],
  '/dashboard/inspections/:inspectionId': ['read.list', 'queries'],
  '/dashboard/quarantine': ['read.list', 'quarantine'],
  '/dashboard/quarantine/:instanceId/thumbnail': ['read.list', 'quarantine'],
  '/dashboard/quarantine/studies/:studyInstanceUid': ['read.images', ':studyInstanceUid'],
  '/dashboard/recovery': ['read.list', 'recovery'],
  '/dashboard/reconciliation': ['read.list', 'reconciliation'],
  '/dashboard/correction-notices': ['read.list', 'correction-notices'],
  '/dashboard/criticals': ['read.list', 'critical-results'],
  '/dashboard/forwards': ['read.list', 'forwards'],
  '/dashboard/events': ['read.list', 'events'],
  '/dashboard/events/:eventId': ['read.list', 'events'],
  '/dashboard/reading/:studyId': ['read.report', ':studyId'],
  '/dashboard/reading/by-uid/:studyInstanceUid': ['read.report', ':studyInstanceUid'],
  '/dashboard/reading/:studyId/draft/revisions': ['read.report', ':studyId'],
  '/dashboard/reading/:studyId/draft/revisions/:revision': ['read.report', ':studyId'],
  '/dashboard/reading/:studyId/documents/:documentId': ['read.report', ':studyId'],
  // A user may also call the `/v1` API with the window's session.
  '/v1/viewer/studies': ['read.list', 'studies'],
  '/v1/viewer/studies/:studyId': ['read.study', ':studyId'],
  '/v1/viewer/studies/by-uid/:studyInstanceUid': ['read.study', ':studyInstanceUid'],
  '/v1/scribe/studies': ['read.list', 'studies'],
  '/v1/scribe/studies/:studyId': ['read.study', ':studyId'],
  '/v1/scribe/studies/by-uid/:studyInstanceUid': ['read.study', ':studyInstanceUid'],
  '/v1/scribe/reports': ['read.report', ':studyId :studyInstanceUid'],
  '/v1/scribe/reports/text': ['read.report', ':studyId :studyInstanceUid :reportId'],
  '/v1/scribe/reports/pdf': ['read.report', ':studyId :studyInstanceUid :reportId'],
}
/** POST operations that return patient data and change nothing. */
const POST_READS: typeof GET_READS = {
  '/dashboard/worklist/ask': ['read.list', 'queries'],
  '/dashboard/worklist/explain': ['read.list', 'exams'],
}

/**
 * Records each response that contains patient data. For a user and by DICOMweb, the study is
 * recorded; for a call of an API key to the interface, which may list thousands of studies, only
 * the operation.
 */
export const accessRecorder =
  (accesses: Pick<AccessAudit, 'note'>): NoteAnswer =>
  ({ method, path }, params, who) => {
    if ('apiKeyId' in who) {
      if (path.startsWith(`${DICOMWEB_PREFIX}/`)) {
        if (method === 'GET') accesses.note(dicomwebRead(who.apiKeyId, path, params))
        return
      }
      const isPatientData =
        method === 'GET' &&
        path.startsWith('/v1/') &&
        /studies|reports|criticals|events\/:eventId/.test(path)
      if (isPatientData)
        accesses.note({
          actor: keyActor(who.apiKeyId),
          action: 'read.interface',
          target: `GET ${path}`,
        })
      return
    }
    const read =
      method === 'GET' ? GET_READS[path] : method === 'POST' ? POST_READS[path] : undefined
    if (!read) return
    const [action, target] = read
    accesses.note({ actor: userActor(who.userId), action, target: targetOf(target, params) })
  }

/** A search (QIDO-RS), or the retrieval of something of a study (WADO-RS). */
function dicomwebRead(apiKeyId: string, path: string, params: unknown): Access {
  const { studyInstanceUid } = params as { readonly studyInstanceUid?: string }
  const isSearch = /\/(studies|series|instances)$/.test(path)
  const service = isSearch ? 'QIDO-RS' : 'WADO-RS'
  const actor = keyActor(apiKeyId)
  return studyInstanceUid === undefined
    ? { actor, action: 'read.query', target: service }
    : { actor, action: 'read.images', target: studyInstanceUid, detail: { service } }
}

function targetOf(target: string, params: unknown): string {
  if (!target.startsWith(':')) return target
  const values = params as Readonly<Record<string, unknown>>
  const given = target.split(' ').map((name) => values[name.slice(1)])
  return String(given.find((value) => value !== undefined) ?? '')
}
