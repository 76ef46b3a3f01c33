import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HttpServer } from '#server/http/server.ts'
import { VIEW_COOKIE } from '#server/http/view-authentication.ts'
import * as customerService from '#server/modules/customers/service.ts'
import { serveLinkedReports } from '#server/modules/reports/linked-report-routes.ts'
import { findDraft, listReports } from '#server/modules/reports/report-queries.ts'
import { serveDashboardReports } from '#server/modules/reports/report-routes.ts'
import { type UserRecord, updateUser } from '#server/modules/users/queries.ts'
import { sessionReply } from '#server/modules/users/session-routes.ts'
import { type NewView, ViewSessions } from '#server/modules/viewer/sessions.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { linked, linkedReports } from '#shared/contract/linked.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { viewPrefix } from '#shared/view-paths.ts'
import { bound } from '../../../../support/bound.ts'
import { newUser, revoke } from '../../../../support/callers.ts'
import { httpCall, OWN_PAGE } from '../../../../support/http-call.ts'
import { openTestServer } from '../../http/http-fixture.ts'
import { reportStage, SOUND } from './reports-fixture.ts'

const publicBase = () => 'https://gateway.example'
type Stage = ReturnType<typeof reportStage>
let on: Stage
let views: ViewSessions
let server: HttpServer
/** Without access to the window. */
let reader: UserRecord

beforeEach(async () => {
  on = reportStage({
    answer: () => ({ documentUrls: [{ url: 'https://files.example/letter.pdf' }] }),
    fetch: () => Buffer.from('%PDF-1.7'),
  })
  views = new ViewSessions(on.store)
  reader = newUser(on.store, { hasDashboardAccess: false, canCreateReports: true })
  server = await openTestServer({
    views,
    register(app) {
      const given = [app, on.store, on.eventLog, on.contexts.asking, publicBase] as const
      serveDashboardReports(...given)
      serveLinkedReports(...given, sessionReply(on.store, '1'))
    },
  })
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  on[Symbol.dispose]()
})

const opened = ({ url }: { readonly url: string }) =>
  views.byLink(new URL(url).searchParams.get('token') ?? '')
const forDictation = (studyId = on.studyId, user = reader) =>
  opened(on.links.reroute(on.key, { studyId, assignedToUserId: user.userId }))
function pageOf({ view, token }: NewView) {
  const cookie = `${VIEW_COOKIE}=${token}`
  return (method: string, path: string, json?: unknown) =>
    httpCall(`${server.url}${viewPrefix(view.viewId)}${path}`, {
      method,
      headers: { ...OWN_PAGE, cookie },
      json,
    })
}
const codeOf = ({ status, json }: { status: number; json: unknown }) => [
  status,
  Problem.parse(json).code,
]
const reading = (more = '', studyId = on.studyId) => `/dashboard/reading/${studyId}${more}`

describe('dictation by link', () => {
  it('takes a report from the first word to its PDF, for who has no access to the window', async () => {
    const call = pageOf(forDictation())
    const { windowId } = on
    expect(
      dashboard.session.reply.parse((await call('GET', '/dashboard/session')).json).user,
    ).toMatchObject({
      userId: reader.userId,
      hasDashboardAccess: true,
    })
    expect(dashboardReports.read.reply.parse((await call('GET', reading())).json)).toMatchObject({
      mayWrite: true,
      status: 'assigned',
    })
    expect((await call('GET', `/dashboard/templates?studyId=${on.studyId}`)).json).toEqual({
      templates: [],
    })
    await call('POST', reading('/draft'), { windowId })
    expect(
      (await call('PUT', reading('/draft'), { windowId, revision: 0, text: SOUND })).json,
    ).toMatchObject({ outcome: 'saved' })
    expect(
      (await call('POST', reading('/draft/hold'), { windowId, isWriting: true })).json,
    ).toMatchObject({ lock: { windowId } })
    expect(
      (await call('POST', reading('/draft/check'), { text: SOUND, isCritical: false })).json,
    ).toMatchObject({ findings: [] })
    expect((await call('GET', reading('/draft/revisions/1'))).json).toMatchObject({ text: SOUND })
    const order = {
      windowId,
      revision: 1,
      isCritical: true,
      finding: 'Something',
      acknowledged: [],
    }
    const signed = dashboardReports.sign.reply.parse(
      (await call('POST', reading('/draft/sign'), order)).json,
    )
    expect(signed).toMatchObject({
      outcome: 'signed',
      reading: { status: 'completed', reports: [{ author: { userId: reader.userId } }] },
    })

    const [{ reportId = '' } = {}] = listReports(on.store.database, on.studyId)
    const told = {
      communicatedTo: 'Dr. Referring',
      method: 'phone',
      communicatedAt: '2026-03-10T09:00:00.000Z',
      isReadBack: true,
    }
    expect((await call('POST', `/dashboard/criticals/${reportId}`, told)).json).toMatchObject({
      communication: told,
    })
    expect((await call('POST', `/dashboard/reports/${reportId}/pdf-link`)).json).toMatchObject({
      url: expect.stringContaining(reportId),
    })
    expect((await call('POST', `/dashboard/reports/${reportId}/addendum`)).json).toMatchObject({
      success: true,
    })
    expect(
      (await call('POST', `/dashboard/reports/${reportId}/cancel-addendum`)).json,
    ).toMatchObject({ success: true })
  })

  it('reads the clinical context and its documents', async () => {
    const call = pageOf(forDictation())
    const context = dashboardReports.askContext.reply.parse(
      (await call('POST', reading('/context'), {})).json,
    )
    const document = await call('GET', reading(`/documents/${context.documents[0]?.documentId}`))
    expect([document.status, document.headers['content-type']]).toEqual([200, 'application/pdf'])
    expect(
      codeOf(await call('GET', `/dashboard/reading/${on.newStudy().studyId}/documents/1`)),
    ).toEqual([404, 'not-found'])
  })

  it('is of the one study of its link, and of nothing else of the window', async () => {
    const call = pageOf(forDictation())
    const other = on.newStudy().studyId
    const { windowId } = on
    expect(codeOf(await call('GET', reading('', other)))).toEqual([404, 'not-found'])
    expect(codeOf(await call('POST', reading('/draft', other), { windowId }))).toEqual([
      404,
      'not-found',
    ])
    expect(codeOf(await call('GET', `/dashboard/templates?studyId=${other}`))).toEqual([
      404,
      'not-found',
    ])
    on.writing.beginReport(on.radiologist, other, { windowId, takeOver: false, text: '' })
    const reportId = findDraft(on.store.database, other)?.reportId
    for (const path of [
      `/dashboard/reports/${reportId}/pdf-link`,
      `/dashboard/reports/rep_${'0'.repeat(32)}/addendum`,
    ])
      expect(codeOf(await call('POST', path))).toEqual([404, 'not-found'])
    for (const path of ['/dashboard/reading', '/dashboard/criticals', '/dashboard/settings'])
      expect([path, (await call('GET', path)).status]).toEqual([path, 404])
    expect((await call('POST', reading('/assign'), { userId: null })).status).toBe(404)
  })

  it('releases nothing against an identity mismatch: that takes a recent sign-in to the window', async () => {
    const call = pageOf(forDictation())
    const order = { reason: 'Same patient', differences: [] }
    // An override can be withdrawn by the same path.
    expect((await call('POST', reading('/identity/override'), order)).status).toBe(405)
    const names = Object.keys(linkedReports) as (keyof typeof linkedReports)[]
    expect(names.filter((name) => dashboardReports[name].access !== 'signed-in')).toEqual([])
  })

  it('is read only once the study is signed', async () => {
    await on.signed()
    const call = pageOf(forDictation())
    expect((await call('GET', reading())).json).toMatchObject({
      status: 'completed',
      mayWrite: false,
      whyNot: 'The report is signed: to add something, write an addendum.',
    })
    expect(codeOf(await call('POST', reading('/draft'), { windowId: on.windowId }))).toEqual([
      422,
      'refused',
    ])
  })

  it('ends with what the person may do: to write reports, to be here at all', async () => {
    const call = pageOf(forDictation())
    updateUser(on.store.database, { ...reader, canCreateReports: false })
    expect(codeOf(await call('GET', reading()))).toEqual([422, 'refused'])
    updateUser(on.store.database, reader)
    expect((await call('GET', reading())).status).toBe(200)
    revoke(on.store, reader)
    expect(codeOf(await call('POST', reading('/draft'), { windowId: on.windowId }))).toEqual([
      422,
      'refused',
    ])
  })

  it('is also for one who sees only studies of their customers, of whom this is none', async () => {
    const customers = bound(customerService, on.store)
    const { expressCustomerId } = customers.createCustomer(on.key, {
      expressCustomerName: 'Other clinic',
      metadata: null,
    } as never)
    customers.addCustomerUser(on.key, expressCustomerId, reader.userId)
    const call = pageOf(forDictation())
    expect((await call('GET', reading())).json).toMatchObject({ mayWrite: true })
    expect((await call('POST', reading('/draft'), { windowId: on.windowId })).status).toBe(200)
  })

  it('needs a link that is for it, its cookie, and a page of ours', async () => {
    const call = pageOf(
      opened(on.links.viewerOnly(on.key, { studyId: on.studyId, userId: on.user.userId })),
    )
    const refused = await call('GET', reading())
    expect([...codeOf(refused), Problem.parse(refused.json).message]).toEqual([
      403,
      'not-permitted',
      expect.stringContaining('for viewing'),
    ])
    expect(codeOf(await call('GET', '/dashboard/session'))).toEqual([403, 'not-permitted'])
    const { view, token } = forDictation()
    const url = `${server.url}${viewPrefix(view.viewId)}${reading('/draft')}`
    const cookie = `${VIEW_COOKIE}=${token}`
    expect(codeOf(await httpCall(url, { method: 'POST', headers: { cookie }, json: {} }))).toEqual([
      403,
      'not-permitted',
    ])
    expect(codeOf(await httpCall(url, { method: 'POST', headers: OWN_PAGE, json: {} }))).toEqual([
      401,
      'not-signed-in',
    ])
    const inTheWindow = `${server.url}${reading()}`
    expect(codeOf(await httpCall(inTheWindow, { headers: { ...OWN_PAGE, cookie } }))).toEqual([
      401,
      'not-signed-in',
    ])
  })

  it.each(Object.keys(linked) as (keyof typeof linked)[])(
    'has %s where the window has it, below the view',
    (name) => {
      const { method, path } = name === 'session' ? dashboard.session : dashboardReports[name]
      expect(linked[name]).toMatchObject({ method, path: `/viewer/:viewId${path}` })
      expect(Object.keys(linkedReports)).toHaveLength(15)
    },
  )
})
