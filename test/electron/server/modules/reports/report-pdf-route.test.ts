import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HttpServer } from '#server/http/server.ts'
import { serveReportPdf } from '#server/modules/reports/report-pdf-route.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { httpCall } from '../../../../support/http-call.ts'
import { openTestServer } from '../../http/http-fixture.ts'

const PDF = Buffer.from('%PDF-1.7\n…')
let server: HttpServer
beforeEach(async () => {
  server = await openTestServer({
    register: (app) =>
      serveReportPdf(app, {
        verify: (reportId, { expires, signature }) => signature === `${reportId} ${expires}`,
        read: (reportId) => (reportId === 'rep_1' ? PDF : undefined),
      }),
  })
})
afterEach(() => server[Symbol.asyncDispose]())

const get = (path: string, method = 'GET') => httpCall(server.url + path, { method })
const codeOf = ({ status, json }: { status: number; json: unknown }) => [
  status,
  Problem.parse(json).code,
]

describe('the PDF of a report', () => {
  it('is for whoever has its link, without a session, and is kept by nobody on the way', async () => {
    const response = await fetch(`${server.url}/reports/rep_1/pdf?expires=9&signature=rep_1%209`)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(PDF)
    const headers = [
      'content-type',
      'content-disposition',
      'cache-control',
      'x-content-type-options',
    ].map((name) => response.headers.get(name))
    expect(headers).toEqual([
      'application/pdf',
      'inline; filename="rep_1.pdf"',
      'private, no-store',
      'nosniff',
    ])
  })

  it('is refused without a signature of this gateway', async () => {
    for (const query of [
      '',
      '?expires=9',
      '?signature=rep_1%209',
      '?expires=8&signature=rep_1%209',
      '?expires=9&expires=9&signature=rep_1%209',
    ])
      expect(codeOf(await get(`/reports/rep_1/pdf${query}`))).toEqual([403, 'not-permitted'])
    expect(codeOf(await get('/reports/rep_2/pdf?expires=9&signature=rep_1%209'))).toEqual([
      403,
      'not-permitted',
    ])
  })

  it('is not found where there is none', async () => {
    expect(codeOf(await get('/reports/rep_2/pdf?expires=9&signature=rep_2%209'))).toEqual([
      404,
      'not-found',
    ])
  })

  it.each(['POST', 'PUT', 'DELETE', 'PATCH'])('is not for %s', async (method) => {
    const answer = await get('/reports/rep_1/pdf?expires=9&signature=rep_1%209', method)
    expect([...codeOf(answer), answer.headers.allow]).toEqual([405, 'method-not-allowed', 'GET'])
  })
  it('is not for HEAD', async () => {
    expect(
      (
        await fetch(`${server.url}/reports/rep_1/pdf?expires=9&signature=rep_1%209`, {
          method: 'HEAD',
        })
      ).status,
    ).toBe(405)
  })
})
