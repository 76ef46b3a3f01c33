import type { Feed } from '#server/modules/dashboard/feed.ts'
import type { Parts } from '#server/parts.ts'
import type { Log } from '#server/platform/log.ts'
import { ANCHOR_FILE } from './audit-anchor.ts'
import { type AuditTrail, auditFaultSentence, openAuditTrail } from './audit-trail.ts'

export interface AuditWatch extends AsyncDisposable {
  readonly trail: AuditTrail
}

/**
 * Verifies the audit trail in the background from now on; a broken one is told in the feed and the
 * log, which never say what it holds.
 */
export function watchAudit(
  { deps }: Parts,
  { feed, log }: { readonly feed: Feed; readonly log: Log },
): AuditWatch {
  const ended = new AbortController()
  const trail = openAuditTrail({
    ...deps,
    onChecked(check) {
      feed.noteStatus()
      const { anchorFault } = deps.store.audit
      if (anchorFault)
        log.error(
          { file: ANCHOR_FILE, fault: anchorFault },
          'the anchor of the audit trail fails: a rollback is not detected',
        )
      const text = auditFaultSentence(check)
      if (text === undefined) return
      const { entries, firstBadSeq, finding } = check
      log.error({ entries, firstBadSeq, finding }, 'the audit trail is broken')
      feed.append({
        kind: 'audit',
        tone: 'danger',
        text,
        ...{ associationId: '', aeTitle: '', address: '' },
      })
    },
  })
  const first = trail.verify(ended.signal).catch((error: unknown) => {
    if (!ended.signal.aborted) log.error({ err: error }, 'the audit trail could not be verified')
  })
  return {
    trail,
    async [Symbol.asyncDispose]() {
      ended.abort()
      await first
    },
  }
}
