import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { readReportPdf } from './report-document-queries.ts'

// Links to the PDFs of reports are not stored: the path and the expiry are signed. They are valid
// for GET only.

const LIFETIME_SECONDS = 3600
const PATH = '/reports/:reportId/pdf'

const pathOf = (reportId: string) => `/reports/${reportId}/pdf`

/** HMAC-SHA256 of the path and the expiry, in base64url. */
const signatureOf = ({ database }: Context, path: string, expires: string) =>
  createHmac('sha256', database.seal.keyFor('report PDF links'))
    .update(`GET\n${path}\n${expires}`)
    .digest('base64url')

/**
 * Returns a link to the PDF of the report that is valid for an hour.
 * @param publicBase without a trailing slash
 */
export function reportPdfUrl(context: Context, publicBase: string, reportId: string): string {
  const expires = String(Math.floor(context.clock() / 1000) + LIFETIME_SECONDS)
  const path = pathOf(reportId)
  const signature = signatureOf(context, path, expires)
  return `${publicBase}${path}?expires=${expires}&signature=${signature}`
}

/**
 * Whether this gateway signed the link to the report and it has not expired.
 * @param expires Unix time in seconds
 */
export function isReportPdfLink(
  context: Context,
  reportId: string,
  { expires, signature }: { readonly expires: string; readonly signature: string },
): boolean {
  const actual = Buffer.from(signature)
  const expected = Buffer.from(signatureOf(context, pathOf(reportId), expires))
  return (
    actual.length === expected.length &&
    timingSafeEqual(actual, expected) &&
    Number(expires) * 1000 > context.clock()
  )
}

/**
 * Serves `GET /reports/:reportId/pdf?expires&signature`: the PDF of a signed report, without
 * further authorization while the link is valid. Responds with 403 if the link is invalid or has
 * expired, and with 404 if there is no such PDF.
 */
export function serveReportPdf(app: HttpApp, context: Context): void {
  app.declared.push({ method: 'GET', path: PATH })
  app.fastify.route<{
    Params: { reportId: string }
    Querystring: Readonly<Record<string, unknown>>
  }>({
    method: 'GET',
    url: PATH,
    exposeHeadRoute: false,
    handler: ({ params: { reportId }, query: { expires, signature } }, reply) => {
      reply.header('cache-control', 'private, no-store')
      const hasSignature = typeof expires === 'string' && typeof signature === 'string'
      if (!hasSignature || !isReportPdfLink(context, reportId, { expires, signature }))
        throw new ApiError('not-permitted', message('reports.pdf-link-ended'))
      const pdf = readReportPdf(context.database, reportId)
      if (!pdf) throw new ApiError('not-found', message('reports.no-pdf'))
      return reply
        .headers({
          'content-type': 'application/pdf',
          'content-disposition': `inline; filename="${reportId}.pdf"`,
          'x-content-type-options': 'nosniff',
          'x-robots-tag': 'noindex',
        })
        .send(pdf)
    },
  })
}
