import type { DimseResult } from '#gateway/dimse/service.ts'
import { diskFaultKind } from '#gateway/store/disk-fault.ts'

/** What an answer says of a disk that took nothing; undefined for any other error. */
export function commentOnDisk(error: unknown): string | undefined {
  const kind = diskFaultKind(error)
  if (kind === undefined) return undefined
  return kind === 'full' ? 'Too little disk space' : 'Disk cannot be written to'
}

/**
 * The answer to a normalized request whose Success would say that something is kept, where the database does not take it: resource
 * limitation (PS3.7 Annex C). The device sends it again. Undefined for any other error.
 */
export function refusalOfDisk(error: unknown): DimseResult | undefined {
  const errorComment = commentOnDisk(error)
  return errorComment === undefined ? undefined : { status: 0x0213, errorComment }
}
