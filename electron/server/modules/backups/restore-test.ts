import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Context, openContext } from '#server/context.ts'
import { StoreError } from '#server/database/store-error.ts'
import { verifyAudit } from '#server/modules/audit/audit-trail.ts'
import { readReportPdf, sampleReportPdfs } from '#server/modules/reports/report-document-queries.ts'
import { findReport } from '#server/modules/reports/report-queries.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { BACKUP_SPOOL } from './make-backup.ts'
import { openBackup } from './open-backup.ts'

/** Outcome of a restore test, described in one sentence. */
export interface RestoreTestOutcome {
  readonly success: boolean
  readonly sentence: Message
}

/** Number of reports, chosen at random, whose text and PDF are read. */
const SAMPLE_SIZE = 20
/** Overall progress at the start of each phase, proportional to typical durations. */
const PHASE_START = { decrypting: 0, checking: 0.5, following: 0.8, reading: 0.95 } as const

/**
 * Tests whether a backup can be restored: decrypts and verifies it, verifies its audit trail and
 * reads a sample of reports. Works in a temporary folder inside the data folder while the gateway
 * keeps running.
 */
export async function testRestore(
  context: Context,
  from: string,
  name: string,
  onProgress: (share: number) => void,
): Promise<RestoreTestOutcome> {
  const folder = join(context.folder, BACKUP_SPOOL, 'rehearsal')
  try {
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const { manifest, dataKey } = await openBackup(
      from,
      folder,
      { dataKey: context.database.seal.exportKey() },
      ({ phase, share }) => onProgress(PHASE_START[phase] + share * 0.3),
    )
    using copy = openContext({
      folder,
      clock: context.clock,
      uuid: context.uuid,
      dataKey,
      check: 'done',
      isCopy: true,
    })
    onProgress(PHASE_START.following)
    const verdict = await verifyAudit(copy.audit)
    // A finding that was recorded before the backup was made is not a fault of the backup.
    if (!verdict.isIntact && !verdict.isRecorded)
      return {
        success: false,
        sentence: message('backups.test-audit-broken', { name, entry: verdict.seq }),
      }
    onProgress(PHASE_START.reading)
    const reports = sampleReportPdfs(copy.database, SAMPLE_SIZE)
    const unreadableReport = reports.find((report) => !isReadable(copy, report))
    if (unreadableReport)
      return {
        success: false,
        sentence: message('backups.test-report-changed', {
          name,
          reportId: unreadableReport.reportId,
        }),
      }
    const rows = Object.values(manifest.rows).reduce((sum, count) => sum + count, 0)
    const { entries } = verdict
    return {
      success: true,
      sentence: verdict.isIntact
        ? message('backups.test-passed', { name, rows, entries, reports: reports.length })
        : message('backups.test-passed-recorded-break', {
            name,
            rows,
            entries,
            entry: verdict.seq,
            reports: reports.length,
          }),
    }
  } catch (error) {
    if (error instanceof StoreError) return { success: false, sentence: error.explanation }
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Whether the PDF, byte for byte, and the text of the report are as signed. */
function isReadable(
  copy: Context,
  { reportId, sha256 }: { readonly reportId: string; readonly sha256: string },
): boolean {
  try {
    const report = findReport(copy.database, reportId)
    const pdf = readReportPdf(copy.database, reportId)
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
