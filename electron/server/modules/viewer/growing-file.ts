import type { FileHandle } from 'node:fs/promises'
import {
  isDeflated,
  openViewedFile,
  type ViewedFile,
} from '#server/dicom/pixel-data/viewed-file.ts'
import { type DiskSource, diskSource } from './disk-source.ts'

/** A file that is still coming: its header and frames are there as soon as their bytes are. */
export interface GrowingFile {
  readonly source: DiskSource
  readonly viewed: ViewedFile
  readonly length: number
  /**
   * Whether it is to be inflated before anything of it can be read; undefined while too little of
   * it is there. @throws ViewedFileFault: it is no DICOM file
   */
  isDeflated(): boolean | undefined
  write(chunk: Buffer): Promise<void>
  /** No more will come. */
  end(): void
}

export function growingFile(handle: FileHandle): GrowingFile {
  const extent = { length: 0, isWhole: false }
  const source = diskSource(handle, extent)
  let deflated: boolean | undefined
  return {
    source,
    viewed: openViewedFile(source),
    get length() {
      return extent.length
    },
    isDeflated: () => {
      deflated ??= isDeflated(source)
      return deflated
    },
    async write(chunk) {
      for (let written = 0; written < chunk.length; )
        written += (
          await handle.write(chunk, written, chunk.length - written, extent.length + written)
        ).bytesWritten
      extent.length += chunk.length
    },
    end() {
      extent.isWhole = true
    },
  }
}
