import { userActor } from '#server/audit-log/audit.ts'
import type { ChainedRow } from '#server/audit-log/audit-queries.ts'
import type { Context } from '#server/context.ts'
import { serveDownload } from '#server/http/file-route.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import { AuditExport, dashboardAudit } from '#shared/contract/dashboard.ts'
import type { AuditTrail } from './audit-trail.ts'

/**
 * Registers the window's audit trail operations, and `GET /dashboard/audit/export` (`AuditExport`),
 * which streams the trail as a file.
 */
export function serveAudit(app: HttpApp, context: Context, auditTrail: AuditTrail): void {
  const handlers: HandlersOf<typeof dashboardAudit> = {
    async audit({ query: { cursor, limit, ...filter } }) {
      const { items, ...rest } = await auditTrail.search(filter, { cursor, limit })
      return { entries: items, ...rest }
    },
    verifyAudit: ({ user }) => auditTrail.verifyFor(userActor(user.userId)),
    acknowledgeAudit: ({ user, body: { reason } }) =>
      auditTrail.acknowledgeFor(userActor(user.userId), reason),
  }
  serveAll(app, dashboardAudit, handlers, { afterChange: () => context.feed.noteStatus() })
  serveDownload(
    app,
    '/dashboard/audit/export',
    { access: dashboardAudit.audit.access, query: AuditExport },
    ({ query, user }) => {
      const { mediaType, head, line } = FORMATS[query.format]
      const day = new Date(context.clock()).toISOString().slice(0, 10)
      async function* text() {
        yield head
        for await (const rows of auditTrail.exportFor(userActor(user.userId), query))
          yield rows.map(line).join('')
      }
      return { fileName: `isthmus-audit-${day}.${query.format}`, mediaType, content: text() }
    },
  )
}

interface Format {
  readonly mediaType: string
  /** The first line of the file. */
  readonly head: string
  readonly line: (row: ChainedRow) => string
}

const FORMATS: Readonly<Record<AuditExport['format'], Format>> = {
  csv: {
    mediaType: 'text/csv; charset=utf-8; header=present',
    // The byte order mark makes spreadsheet programs read the file as UTF-8.
    head: '\ufeffseq,at,actor,action,target,detail,hash\r\n',
    line: ({ seq, at, actor, action, target, detail, hash }) =>
      `${[seq, at, actor, action, target, JSON.stringify(detail), hash].map((value) => csvField(String(value))).join(',')}\r\n`,
  },
  jsonl: {
    mediaType: 'application/jsonl; charset=utf-8',
    head: '',
    line: (row) => `${JSON.stringify(row)}\n`,
  },
}

/**
 * Quotes a CSV field (RFC 4180 §2.6). A value that a spreadsheet would take for a formula is
 * prefixed with an apostrophe (OWASP, CSV Injection).
 */
function csvField(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
