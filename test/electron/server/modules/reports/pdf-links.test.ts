import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HttpServer } from '#server/http/server.ts'
import { reportPdfUrl, serveReportPdf } from '#server/modules/reports/pdf-links.ts'
import { insertReportPdf } from '#server/modules/reports/report-document-queries.ts'
import { createStudy } from '#server/modules/studies/service.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { newKey, newUser } from '../../../../support/callers.ts'
import { httpCall } from '../../../../support/http-call.ts'
import { completedReport } from '../../../../support/reports.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import { openTestServer } from '../../http/http-fixture.ts'

const PDF = Buffer.from('%PDF-1.7\n…')
let temp: ReturnType<typeof tempStore>
let server: HttpServer
let reportId: string
let unsigned: string
beforeEach(async () => {
  temp = tempStore()
  const { store } = temp
  const { studyId } = createStudy(store, newKey(store), 'scribe', {
    ...{ studyInstanceUid: '1.2.3', studyDescription: 'CT', severity: 'normal' },
  }).record
  const of = { studyId, userId: newUser(store).userId }
  reportId = completedReport(store, of)
  unsigned = completedReport(store, { ...of, isAddendum: true })
  const createdAt = '2026-03-10T09:00:00.000Z'
  insertReportPdf(store.database, {
    reportId,
    sha256: 'a'.repeat(64),
    pages: 1,
    content: PDF,
    createdAt,
  })
  server = await openTestServer({ register: (app) => serveReportPdf(app, store) })
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  temp[Symbol.dispose]()
})

const linkTo = (id: string) => new URL(reportPdfUrl(temp.store, server.url, id))
/** The link with a parameter that is changed. */
function changed(name: string, value: (before: string) => string): URL {
  const url = linkTo(reportId)
  url.searchParams.set(name, value(url.searchParams.get(name) ?? ''))
  return url
}
async function codeOf(url: URL, method = 'GET') {
  const { status, json, headers } = await httpCall(url.href, { method })
  return [status, Problem.parse(json).code, ...(headers.allow ? [headers.allow] : [])]
}

describe('the PDF of a report', () => {
  it('is for whoever has its link, without a session, and is kept by nobody on the way', async () => {
    const link = reportPdfUrl(temp.store, 'https://gateway.example/base', reportId)
    expect(link).toMatch(`https://gateway.example/base/reports/${reportId}/pdf?expires=`)
    const response = await fetch(linkTo(reportId))
    expect(Buffer.from(await response.arrayBuffer())).toEqual(PDF)
    const names = ['content-type', 'content-disposition', 'cache-control', 'x-content-type-options']
    expect(names.map((name) => response.headers.get(name))).toEqual([
      ...['application/pdf', `inline; filename="${reportId}.pdf"`],
      ...['private, no-store', 'nosniff'],
    ])
  })

  it('is refused without a signature of this gateway', async () => {
    const other = linkTo(unsigned)
    other.pathname = `/reports/${reportId}/pdf`
    const bare = new URL(`/reports/${reportId}/pdf`, server.url)
    const twice = linkTo(reportId)
    twice.searchParams.append('expires', twice.searchParams.get('expires') ?? '')
    for (const url of [
      ...[bare, other, twice, changed('signature', () => '')],
      changed('signature', (is) => is.replace(/^./, (c) => (c === 'A' ? 'B' : 'A'))),
      changed('expires', (is) => String(Number(is) + 1)),
    ])
      expect(await codeOf(url)).toEqual([403, 'not-permitted'])
  })

  it('has a link that is good for an hour', async () => {
    const link = linkTo(reportId)
    temp.clock.pass(3_599_000)
    expect((await fetch(link)).status).toBe(200)
    temp.clock.pass(1000)
    expect(await codeOf(link)).toEqual([403, 'not-permitted'])
  })

  it('is not found where there is none', async () => {
    expect(await codeOf(linkTo(unsigned))).toEqual([404, 'not-found'])
  })

  it.each(['POST', 'PUT', 'DELETE', 'PATCH'])('is not for %s', async (method) => {
    expect(await codeOf(linkTo(reportId), method)).toEqual([405, 'method-not-allowed', 'GET'])
  })
  it('is not for HEAD', async () => {
    expect((await fetch(linkTo(reportId), { method: 'HEAD' })).status).toBe(405)
  })
})
