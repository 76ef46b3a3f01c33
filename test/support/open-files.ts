import { readdirSync, readlinkSync } from 'node:fs'

/** Whether the files that are open cannot be listed here. */
export const hidesOpenFiles = process.platform !== 'linux'

/** Paths below the folder that this process has open, those of deleted files too. Only on Linux. */
export function openFilesIn(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      return path.startsWith(folder) ? [path.replace(/ \(deleted\)$/, '')] : []
    } catch {
      // The descriptor that lists the folder itself is closed by now.
      return []
    }
  })
}
