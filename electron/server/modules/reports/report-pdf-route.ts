import type { HttpApp } from '#server/http/http-app.ts'
import { ApiError } from '#shared/errors.ts'

export interface ReportPdfPort {
  /** Whether this gateway signed the link and it has not ended. */
  readonly verify: (
    reportId: string,
    query: { readonly expires: string; readonly signature: string },
  ) => boolean
  /** The stored bytes; undefined where there is no PDF of such a report. */
  readonly read: (reportId: string) => Buffer | undefined
}

const PATH = '/reports/:reportId/pdf'

/**
 * `GET /reports/:reportId/pdf?expires&signature`: the PDF of a signed report for whoever has its
 * link, for as long as that lasts (interface-choices §6 row 24). GET only. 403: the link is not one
 * of this gateway, or it has ended; 404: there is no such PDF.
 */
export function serveReportPdf(app: HttpApp, { verify, read }: ReportPdfPort): void {
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
      const isGiven = typeof expires === 'string' && typeof signature === 'string'
      if (!isGiven || !verify(reportId, { expires, signature }))
        throw new ApiError(
          'not-permitted',
          'This link to a report does not open it: it has ended, or was changed. Ask for a new one.',
        )
      const pdf = read(reportId)
      if (!pdf) throw new ApiError('not-found', 'There is no PDF of this report.')
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
