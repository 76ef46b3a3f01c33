import type { Promised } from '../promise.ts'
import { hashOf } from '../reader.ts'

/**
 * The chain of the audit trail verifies, and has each signature once, with the hashes of the text
 * and the PDF that are there.
 */
export const signaturesAudited: Promised = {
  name: 'The audit chain verifies',
  when: 'day',
  check({ ledger, reader: { store } }) {
    const signatures = store.audit
      .after(0, Number.MAX_SAFE_INTEGER, 1_000_000)
      .filter(({ action }) => action === 'report.sign')
    const wrong = [...ledger.frozen.values()].filter(({ reportId, text, pdfHash }) => {
      const [own, ...more] = signatures.filter(({ target }) => target === reportId)
      const { textHash, pdfHash: ofPdf } = (own?.detail ?? {}) as {
        textHash?: string
        pdfHash?: string
      }
      return more.length > 0 || textHash !== hashOf(text) || ofPdf !== pdfHash
    })
    return [
      ...(store.audit.verify().isIntact ? [] : ['the chain is broken']),
      ...wrong.map(({ reportId }) => `the signature of ${reportId} is not in it as it was made`),
    ]
  },
}
