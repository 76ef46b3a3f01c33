import fs from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const open = promisify(fs.open)

/** A new, empty file that nobody has written to. */
export interface SpareFile {
  readonly path: string
  readonly fd: number
}

/**
 * Files that are made ahead: on a busy disk a new name waits for the journal longer than an image
 * takes to arrive. They lie in a folder of their own, so that what is in the spool is always
 * somebody's.
 */
export interface SpareFiles {
  /** Undefined where none is ready. More are made meanwhile. */
  take(): SpareFile | undefined
  /** One that was taken and is of no use. */
  drop(spare: SpareFile): void
  /** Deletes what is left of an earlier run. */
  sweep(): void
  /** Deletes what nobody took. */
  close(): void
}

export function openSpareFiles(folder: string, uuid: () => string, most = 4): SpareFiles {
  const ready: SpareFile[] = []
  let making = 0
  let isClosed = false

  async function make(): Promise<void> {
    const path = join(folder, uuid())
    making++
    try {
      const fd = await open(path, 'wx+', 0o600)
      if (isClosed) drop({ path, fd })
      else ready.push({ path, fd })
    } catch {
      // Whoever needs a file then makes it in its place, and meets the fault there.
    } finally {
      making--
    }
  }

  function drop({ path, fd }: SpareFile): void {
    fs.closeSync(fd)
    try {
      fs.unlinkSync(path)
    } catch {
      // Gone already, or the disk turned read-only: what is left is deleted at the next start.
    }
  }

  return {
    take() {
      const taken = ready.pop()
      while (!isClosed && ready.length + making < most) void make()
      return taken
    },
    drop,
    sweep() {
      if (!fs.existsSync(folder)) fs.mkdirSync(folder, { mode: 0o700 })
      for (const name of fs.readdirSync(folder)) fs.rmSync(join(folder, name), { force: true })
    },
    close() {
      isClosed = true
      for (const spare of ready.splice(0)) drop(spare)
    },
  }
}
