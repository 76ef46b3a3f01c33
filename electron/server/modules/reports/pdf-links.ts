import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from '#server/context.ts'

// Links to the PDFs of reports need no row: the path and its end are signed. For GET only.

const LIFETIME_SECONDS = 3600

const pathOf = (reportId: string) => `/reports/${reportId}/pdf`

/** HMAC-SHA256 of the path and its end, base64url. */
const signatureOf = ({ seal }: Pick<Context, 'seal'>, path: string, expires: string) =>
  createHmac('sha256', seal.keyFor('report PDF links'))
    .update(`GET\n${path}\n${expires}`)
    .digest('base64url')

/**
 * A link to the PDF of the report, good for an hour. @param publicBase without a slash at its end
 */
export function reportPdfUrl(context: Context, publicBase: string, reportId: string): string {
  const expires = String(Math.floor(context.clock() / 1000) + LIFETIME_SECONDS)
  const path = pathOf(reportId)
  const signature = signatureOf(context, path, expires)
  return `${publicBase}${path}?expires=${expires}&signature=${signature}`
}

/**
 * Whether this gateway signed the link to the report and it has not ended. @param expires Unix
 * seconds
 */
export function isReportPdfLink(
  context: Context,
  reportId: string,
  { expires, signature }: { readonly expires: string; readonly signature: string },
): boolean {
  const [given, ours] = [
    Buffer.from(signature),
    Buffer.from(signatureOf(context, pathOf(reportId), expires)),
  ]
  return (
    given.length === ours.length &&
    timingSafeEqual(given, ours) &&
    Number(expires) * 1000 > context.clock()
  )
}
