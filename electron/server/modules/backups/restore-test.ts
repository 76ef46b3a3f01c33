import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Context, openContext } from '#server/context.ts'
import { StoreError } from '#server/database/store-error.ts'
import type { DomainDeps } from '#server/modules/audit/audit.ts'
import { verifyAudit } from '#server/modules/audit/audit-trail.ts'
import { BACKUP_SPOOL } from './make-backup.ts'
import { openBackup } from './restore-files.ts'

/** What came of trying a back-up: one sentence. */
export interface Trial {
  readonly success: boolean
  readonly sentence: string
}

export interface TrialOptions {
  /** The back-up's folder. */
  readonly from: string
  readonly name: string
  readonly onProgress: (share: number) => void
}

/** Reports that are read, text and PDF; which ones, chance says. */
const REPORTS = 20
/** How far the work is when each part of it begins, by what they take. */
const BEGINS = { decrypting: 0, checking: 0.5, following: 0.8, reading: 0.95 } as const

/**
 * Tries a back-up as a restore would use it: opened and decrypted, whole and with all its rows, its
 * audit trail followed, reports read. In a folder of its own inside the data folder, which is gone
 * afterwards. The gateway works on meanwhile.
 */
export async function tryBackup(
  { store, clock, uuid }: DomainDeps,
  { from, name, onProgress }: TrialOptions,
): Promise<Trial> {
  const folder = join(store.folder, BACKUP_SPOOL, 'rehearsal')
  try {
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const { manifest, dataKey } = await openBackup({
      ...{ from, to: folder, key: { dataKey: store.seal.exportKey() } },
      onProgress: ({ phase, share }) => onProgress(BEGINS[phase] + share * 0.3),
    })
    using copy = openContext({ folder, clock, uuid, dataKey, isChecked: true, isCopy: true })
    onProgress(BEGINS.following)
    const verdict = await verifyAudit(copy.audit)
    // What was recorded before the backup is no fault of the backup.
    if (!verdict.isIntact && !verdict.isRecorded)
      return {
        success: false,
        sentence: `In the back-up ${name} the audit trail is broken at entry ${verdict.seq}.`,
      }
    onProgress(BEGINS.reading)
    const reports = copy.reportPdfs.sample(REPORTS)
    const unread = reports.find((report) => !isReadable(copy, report))
    if (unread)
      return {
        success: false,
        sentence: `In the back-up ${name} the report ${unread.reportId} is not as it was signed.`,
      }
    const rows = Object.values(manifest.rows).reduce((sum, count) => sum + count, 0)
    return {
      success: true,
      sentence: `The back-up ${name} was opened: it is whole, with ${rows} rows, an unbroken audit trail of ${verdict.entries} entries, and ${reports.length} reports that were read.`,
    }
  } catch (error) {
    if (error instanceof StoreError) return { success: false, sentence: error.message }
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Its PDF, byte for byte, and its text are what was signed. */
function isReadable(
  copy: Context,
  { reportId, sha256 }: { readonly reportId: string; readonly sha256: string },
): boolean {
  try {
    const report = copy.reports.get(reportId)
    const pdf = copy.reportPdfs.read(reportId)
    if (!report || !pdf) return false
    const isSameText =
      report.textHash === null || report.textHash === hashOf(Buffer.from(report.plainText ?? ''))
    return isSameText && hashOf(pdf) === sha256
  } catch (error) {
    if (error instanceof StoreError) return false
    throw error
  }
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
