import fs from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const open = promisify(fs.open)

/** A new, empty file for the next caller. */
export interface SpareFile {
  readonly path: string
  readonly fd: number
}

/**
 * Creates files in advance, because on a busy disk creating a file can wait for the file system
 * journal longer than an image takes to arrive. They are in a separate folder, so that every file
 * in the spool belongs to a transfer.
 */
export interface SpareFiles {
  /** Undefined if none is ready; another is then created. */
  take(): SpareFile | undefined
  /** Deletes a file that was taken but cannot be used. */
  drop(spare: SpareFile): void
  /** Deletes files left by an earlier run. */
  sweep(): void
  /** Deletes the unused files. */
  close(): void
}

export function openSpareFiles(folder: string, uuid: () => string, maxReady = 4): SpareFiles {
  const ready: SpareFile[] = []
  let pending = 0
  let isClosed = false

  async function make(): Promise<void> {
    const path = join(folder, uuid())
    pending++
    try {
      const fd = await open(path, 'wx+', 0o600)
      if (isClosed) discard({ path, fd })
      else ready.push({ path, fd })
    } catch {
      // The caller then creates the file itself and reports the error.
    } finally {
      pending--
    }
  }

  function discard({ path, fd }: SpareFile): void {
    fs.closeSync(fd)
    try {
      fs.unlinkSync(path)
    } catch {
      // Already deleted, or the disk became read-only; the next start deletes what is left.
    }
  }

  return {
    take() {
      const taken = ready.pop()
      while (!isClosed && ready.length + pending < maxReady) void make()
      return taken
    },
    drop: discard,
    sweep() {
      if (!fs.existsSync(folder)) fs.mkdirSync(folder, { mode: 0o700 })
      for (const name of fs.readdirSync(folder)) fs.rmSync(join(folder, name), { force: true })
    },
    close() {
      isClosed = true
      for (const spare of ready.splice(0)) discard(spare)
    },
  }
}
