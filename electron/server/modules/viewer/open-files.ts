import { type FileHandle, open } from 'node:fs/promises'
import { openViewedFile, type ViewedFile } from '#server/dicom/pixel-data/viewed-file.ts'
import { type DiskSource, diskSource } from './disk-source.ts'

/** A whole file on disk, with its header at hand. */
export interface OpenFile {
  readonly source: DiskSource
  readonly viewed: ViewedFile
}

/** Files that frames are read from, the last used of them kept open. */
export interface OpenFiles {
  /**
   * Opens the file, or takes the one that is open; it stays so until `work` is over. @throws the
   * disk's errors; what `work` throws
   */
  use<T>(path: string, work: (file: OpenFile) => Promise<T>): Promise<T>
  /** The file goes, or was changed. */
  drop(path: string): void
  close(): void
}

interface Entry {
  readonly opening: Promise<{ readonly handle: FileHandle; readonly file: OpenFile }>
  users: number
  isOver: boolean
}

const MOST_OPEN = 48

export function openFiles(most = MOST_OPEN): OpenFiles {
  const entries = new Map<string, Entry>()

  async function opened(path: string) {
    const handle = await open(path, 'r')
    try {
      const { size } = await handle.stat()
      const source = diskSource(handle, { length: size, isWhole: true })
      await source.prefetch()
      return { handle, file: { source, viewed: openViewedFile(source) } }
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  function closeUnused(entry: Entry): void {
    if (entry.isOver && entry.users === 0)
      entry.opening
        .then(({ handle }) => handle.close())
        .catch(() => undefined /* It was never open, or the disk is gone. */)
  }

  function drop(path: string): void {
    const entry = entries.get(path)
    if (!entry) return
    entries.delete(path)
    entry.isOver = true
    closeUnused(entry)
  }

  return {
    async use(path, work) {
      const entry = entries.get(path) ?? { opening: opened(path), users: 0, isOver: false }
      // The last used one is the last to go.
      entries.delete(path)
      entries.set(path, entry)
      entry.users++
      try {
        const { file } = await entry.opening
        return await work(file)
      } catch (error) {
        if (entries.get(path) === entry) drop(path)
        throw error
      } finally {
        entry.users--
        closeUnused(entry)
        for (const [oldest, { users }] of entries) {
          if (entries.size <= most) break
          if (users === 0) drop(oldest)
        }
      }
    },
    drop,
    close() {
      for (const path of [...entries.keys()]) drop(path)
    },
  }
}
