import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { HttpServer } from '#server/http/server.ts'
import { serveReportPdf } from '#server/modules/reports/pdf-links.ts'
import { readReportPdf } from '#server/modules/reports/report-document-queries.ts'
import { findDraft, listReports } from '#server/modules/reports/report-queries.ts'
import { serveDashboardReports } from '#server/modules/reports/report-routes.ts'
import type { UserRecord } from '#server/modules/users/queries.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { atTheWindow, newUser } from '../../../../support/callers.ts'
import { httpCall, OWN_PAGE } from '../../../../support/http-call.ts'
import { openTestServer } from '../../http/http-fixture.ts'
import { reportStage, SOUND } from './reports-fixture.ts'

type Stage = ReturnType<typeof reportStage>
let on: Stage
let server: HttpServer
/** Users by their session. */
const users = new Map<string, UserRecord>()
const looks: string[] = []

beforeEach(async () => {
  on = reportStage({
    answer: () => ({
      clinicalIndication: 'Cough',
      documentUrls: [{ url: 'https://files.example/letter.pdf' }],
    }),
    fetch: () => Buffer.from('%PDF-1.7'),
  })
  server = await openTestServer({
    sessions: {
      isConfirmed: () => true,
      isLimited: () => false,
      userOf(token, use) {
        looks.push(use)
        const user = users.get(token)
        return user && atTheWindow(user).user
      },
    },
    register(app) {
      const { contexts, eventLog } = on
      const publicBase = () => 'https://gateway.example'
      serveDashboardReports(app, on.store, eventLog, contexts.asking, publicBase)
      serveReportPdf(app, on.store)
    },
  })
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  on[Symbol.dispose]()
})

function windowOf(user: UserRecord) {
  const token = randomUUID()
  users.set(token, user)
  return (method: string, path: string, json?: unknown) =>
    httpCall(server.url + path, {
      method,
      headers: { ...OWN_PAGE, cookie: `isthmus-session=${token}` },
      json,
    })
}
const codeOf = ({ status, json }: { status: number; json: unknown }) => [
  status,
  Problem.parse(json).code,
]
const reading = (more = '') => `/dashboard/reading/${on.studyId}${more}`

describe('a report, from its study to its PDF', () => {
  it('is begun, saved, checked, signed, and read by its link for an hour', async () => {
    const call = windowOf(on.user)
    const { windowId } = on
    const begun = dashboardReports.begin.reply.parse(
      (await call('POST', reading('/draft'), { windowId })).json,
    )
    expect(begun).toMatchObject({ status: 'in_progress', mayWrite: true, draft: { revision: 0 } })
    const text = 'The prostate is normal.'
    const saved = (await call('PUT', reading('/draft'), { windowId, revision: 0, text })).json
    expect(saved).toMatchObject({ outcome: 'saved', revision: 1 })
    expect(
      (await call('PUT', reading('/draft'), { windowId, revision: 0, text: 'Other' })).json,
    ).toMatchObject({
      ...{ outcome: 'conflict', theirs: { text, revision: 1 } },
    })
    expect(
      (await call('POST', reading('/draft/check'), { text, isCritical: false })).json,
    ).toMatchObject({ findings: [{ check: 'sex' }] })
    expect((await call('GET', reading('/draft/revisions'))).json).toMatchObject({
      revisions: [{ revision: 1 }],
    })
    expect((await call('GET', reading('/draft/revisions/1'))).json).toMatchObject({ text })
    expect(
      (await call('POST', reading('/draft/hold'), { windowId, isWriting: true })).json,
    ).toMatchObject({ lock: { windowId } })
    const order = { windowId, revision: 1, isCritical: false }
    expect((await call('POST', reading('/draft/sign'), order)).json).toMatchObject({
      outcome: 'checks',
    })
    const noteStatus = vi.spyOn(on.store.feed, 'noteStatus')
    const signed = dashboardReports.sign.reply.parse(
      (await call('POST', reading('/draft/sign'), { ...order, acknowledged: ['sex'] })).json,
    )
    expect(signed).toMatchObject({
      outcome: 'signed',
      reading: { status: 'completed', reports: [{ text }] },
    })
    expect(noteStatus).toHaveBeenCalledTimes(1)

    const reportId = listReports(on.store.database, on.studyId)[0]?.reportId ?? ''
    const { url } = dashboardReports.pdfLink.reply.parse(
      (await call('POST', `/dashboard/reports/${reportId}/pdf-link`)).json,
    )
    const path = url.slice('https://gateway.example'.length)
    const pdf = await fetch(server.url + path)
    expect(Buffer.from(await pdf.arrayBuffer())).toEqual(readReportPdf(on.store.database, reportId))
    on.clock.pass(3_600_000)
    expect((await fetch(server.url + path)).status).toBe(403)
    expect(on.audited()[0]).toBe('report.pdf-link')
  }, 30_000)

  it('takes as long a text as the contract, in any script', async () => {
    const call = windowOf(on.user)
    await call('POST', reading('/draft'), { windowId: on.windowId })
    const text = '所見'.repeat(100_000)
    expect(
      (await call('PUT', reading('/draft'), { windowId: on.windowId, revision: 0, text })).json,
    ).toMatchObject({ outcome: 'saved' })
    expect(
      codeOf(
        await call('PUT', reading('/draft'), {
          windowId: on.windowId,
          revision: 1,
          text: `${text}x`,
        }),
      ),
    ).toEqual([400, 'malformed'])
  })

  it('may have an addendum, or none after all', async () => {
    const call = windowOf(on.user)
    const reportId = await on.signed()
    expect((await call('POST', `/dashboard/reports/${reportId}/addendum`)).json).toMatchObject({
      success: true,
    })
    expect((await call('POST', `/dashboard/reports/${reportId}/addendum`)).json).toMatchObject({
      success: false,
    })
    expect(
      (await call('POST', `/dashboard/reports/${reportId}/cancel-addendum`)).json,
    ).toMatchObject({ success: true })
  })

  it('is assigned to somebody, or to nobody, by who manages studies', async () => {
    const manager = windowOf(newUser(on.store, { canManageStudies: true }))
    expect(
      (await manager('POST', reading('/assign'), { userId: on.user.userId })).json,
    ).toMatchObject({ assignedTo: { name: 'Una Malá' } })
    expect((await manager('POST', reading('/assign'), { userId: null })).json).toMatchObject({
      assignedTo: null,
      status: 'unassigned',
    })
    expect(codeOf(await windowOf(on.user)('POST', reading('/assign'), { userId: null }))).toEqual([
      403,
      'not-permitted',
    ])
  })
})

describe('the clinical context', () => {
  it('is asked for, and its documents are for whoever sees the study', async () => {
    const call = windowOf(newUser(on.store, { canCreateReports: false }))
    const context = dashboardReports.askContext.reply.parse(
      (await call('POST', reading('/context'), {})).json,
    )
    expect(context).toMatchObject({
      state: 'answered',
      clinicalIndication: 'Cough',
      documents: [{ fileName: 'letter.pdf', fault: null }],
    })
    const { documentId } = context.documents[0] ?? {}
    const document = await call('GET', reading(`/documents/${documentId}`))
    expect([
      document.status,
      document.headers['content-type'],
      document.headers['content-disposition'],
    ]).toEqual([
      ...[200, 'application/pdf', `inline; filename="letter.pdf"; filename*=UTF-8''letter.pdf`],
    ])
    expect(codeOf(await call('GET', reading('/documents/99')))).toEqual([404, 'not-found'])
    expect(
      codeOf(
        await call('GET', `/dashboard/reading/${on.newStudy().studyId}/documents/${documentId}`),
      ),
    ).toEqual([404, 'not-found'])
  })
})

describe('what is sent and made known', () => {
  it('is a signed report’s, by who writes or manages', async () => {
    const reportId = await on.signed(SOUND, { isCritical: true, finding: 'Something' })
    const call = windowOf(on.user)
    const destinationId = randomUUID()
    const path = `/dashboard/reports/${reportId}/send`
    expect(codeOf(await call('POST', path, { destinationId }))).toEqual([404, 'not-found'])
    const clerk = windowOf(newUser(on.store, { canCreateReports: false }))
    expect(codeOf(await clerk('POST', path, { destinationId }))).toEqual([403, 'not-permitted'])
    expect(
      dashboardReports.criticals.reply.parse((await clerk('GET', '/dashboard/criticals')).json)
        .criticals,
    ).toHaveLength(1)
    const communication = {
      communicatedTo: 'Dr. Referring',
      method: 'phone',
      communicatedAt: '2026-03-10T09:00:00.000Z',
      isReadBack: true,
    }
    expect(
      (await call('POST', `/dashboard/criticals/${reportId}`, communication)).json,
    ).toMatchObject({
      communication,
    })
    expect(codeOf(await call('POST', `/dashboard/criticals/${reportId}`, communication))).toEqual([
      422,
      'refused',
    ])
  })

  it('is nothing of a draft', async () => {
    on.written()
    const { reportId } = findDraft(on.store.database, on.studyId) ?? {}
    const call = windowOf(on.user)
    expect(codeOf(await call('POST', `/dashboard/reports/${reportId}/pdf-link`))).toEqual([
      404,
      'not-found',
    ])
    expect(
      codeOf(
        await call('POST', `/dashboard/reports/${reportId}/send`, { destinationId: randomUUID() }),
      ),
    ).toEqual([404, 'not-found'])
  })
})

it('keeps templates', async () => {
  const call = windowOf(on.user)
  const made = await call('POST', '/dashboard/templates', {
    kind: 'template',
    name: 'Chest',
    text: 'Findings:',
    modalities: ['ct'],
  })
  const { templateId } = dashboardReports.addTemplate.reply.parse(made.json)
  expect(made.status).toBe(201)
  expect(
    (await call('PATCH', `/dashboard/templates/${templateId}`, { shortcut: 'ch' })).json,
  ).toMatchObject({
    shortcut: 'ch',
    text: 'Findings:',
  })
  expect((await call('GET', `/dashboard/templates?studyId=${on.studyId}`)).json).toMatchObject({
    templates: [{ templateId }],
  })
  expect((await call('DELETE', `/dashboard/templates/${templateId}`)).json).toMatchObject({
    success: true,
  })
})

describe('every call about reports', () => {
  const names = Object.keys(dashboardReports) as (keyof typeof dashboardReports)[]
  it.each(names)('%s is for a session', async (name) => {
    const { method, path } = dashboardReports[name]
    const filled = path.replace(':studyId', on.studyId).replace(/:(\w+)/g, 'x')
    const answer = await httpCall(server.url + filled, {
      method,
      headers: OWN_PAGE,
      json: method === 'GET' ? undefined : {},
    })
    expect(codeOf(answer)).toEqual([401, 'not-signed-in'])
    // What a report is released with against its warnings takes a recent sign-in.
    expect(dashboardReports[name].access).toBe(
      name === 'overrideIdentity' ? 'confirmed' : 'signed-in',
    )
  })

  it('that a window makes by itself is no sign of a person', async () => {
    const call = windowOf(on.user)
    const lookOf = async (...asked: Parameters<typeof call>) => {
      looks.length = 0
      await call(...asked)
      return looks
    }
    expect(await lookOf('GET', reading())).toEqual(['background'])
    expect(
      await lookOf('POST', reading('/draft/hold'), { windowId: on.windowId, isWriting: true }),
    ).toEqual(['background'])
    expect(await lookOf('PUT', reading('/draft'), {})).toEqual(['person'])
  })
})
