import type { Context } from '#server/context.ts'
import { ANCHOR_FILE } from '#server/database/data-directory.ts'
import { AuditTrail, auditFaultSentence } from './audit-trail.ts'

export interface AuditWatch extends AsyncDisposable {
  readonly trail: AuditTrail
}

/**
 * Starts verifying the audit trail in the background. Reports a finding in the activity feed and
 * the log, without the content of entries.
 */
export function watchAudit(context: Context): AuditWatch {
  const { feed, log } = context
  const abortController = new AbortController()
  const trail = new AuditTrail(context, (check) => {
    feed.noteStatus()
    const { anchorFault } = context.audit
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
  })
  const first = trail.verify(abortController.signal).catch((error: unknown) => {
    if (!abortController.signal.aborted)
      log.error({ err: error }, 'the audit trail could not be verified')
  })
  return {
    trail,
    async [Symbol.asyncDispose]() {
      abortController.abort()
      await first
    },
  }
}
