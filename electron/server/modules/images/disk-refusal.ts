import type { DimseResult } from '#server/dicom/dimse/status.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'

/**
 * The answer to a normalized request whose Success would say that something is kept, where the
 * database does not take it: resource limitation (PS3.7 Annex C). The device sends it again.
 * Undefined for any other error.
 */
export function refusalOfDisk(error: unknown): DimseResult | undefined {
  const kind = diskFaultKind(error)
  if (kind === undefined) return undefined
  if (kind === 'full') return { status: 0x0213, errorComment: 'Too little disk space' }
  return { status: 0x0213, errorComment: 'Disk cannot be written to' }
}
