import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '#server/context.ts'
import type { FileToSend } from '#server/dicom/dimse/service.ts'
import { TranscodingError } from '#server/dicom/transcoding/native-process.ts'
import { TranscodedCopies } from '#server/dicom/transcoding/transcoded-copies.ts'
import type { Transcoder } from '#server/dicom/transcoding/transcoder.ts'
import { ApiError } from '#shared/errors.ts'

/** Copies that are kept: viewers ask for the frames of an instance one by one. */
const MAX_COPIES = 16

interface Copy {
  /** The stored file that it was made from. */
  readonly source: string
  readonly made: Promise<FileToSend>
  users: number
}

export interface LentCopy extends AsyncDisposable {
  readonly path: string
}

/**
 * Temporary copies of stored files in other transfer syntaxes. Each copy is made once, however many
 * requests need it at the same time; the least recently used are deleted, and those whose stored
 * file was deleted.
 */
export class ConvertedFiles implements AsyncDisposable {
  readonly #files: TranscodedCopies
  readonly #onDelete: (path: string) => void
  readonly #copies = new Map<string, Copy>()
  readonly #closed = new AbortController()

  /** @param onDelete called before a copy is deleted */
  constructor(
    { folder, uuid }: Context,
    transcode: Transcoder['transcode'],
    onDelete: (path: string) => void,
  ) {
    this.#files = new TranscodedCopies(join(folder, 'spool', 'dicomweb'), transcode, uuid)
    this.#onDelete = onDelete
  }

  /**
   * Returns a copy that exists until it is disposed of.
   * @throws ApiError refused: the instance cannot be converted; errors of the disk
   */
  async lend(from: FileToSend, to: string): Promise<LentCopy> {
    const key = `${to} ${from.path}`
    const copy = this.#copies.get(key) ?? {
      source: from.path,
      made: this.#files.make(from, to, this.#closed.signal),
      users: 0,
    }
    // Moved to the end: the least recently used copy is deleted first.
    this.#copies.delete(key)
    this.#copies.set(key, copy)
    copy.users++
    const releaseCopy = async () => {
      copy.users--
      await this.#deleteOldest()
    }
    try {
      const { path } = await copy.made
      return { path, [Symbol.asyncDispose]: releaseCopy }
    } catch (error) {
      if (this.#copies.get(key) === copy) this.#copies.delete(key)
      if (error instanceof TranscodingError) throw new ApiError('refused', error.explanation)
      throw error
    }
  }

  /** Deletes the copies of files that no longer exist, those in use too. */
  async deleteOrphans(): Promise<void> {
    const orphans = [...this.#copies].filter(([, { source }]) => !existsSync(source))
    for (const [key] of orphans) this.#copies.delete(key)
    await Promise.all(orphans.map(([, copy]) => this.#delete(copy)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
    const copies = [...this.#copies.values()]
    this.#copies.clear()
    for (const copy of copies) await this.#delete(copy)
  }

  async #deleteOldest(): Promise<void> {
    for (const [key, copy] of this.#copies) {
      if (this.#copies.size <= MAX_COPIES) return
      if (copy.users > 0) continue
      this.#copies.delete(key)
      await this.#delete(copy)
    }
  }

  async #delete({ made }: Copy): Promise<void> {
    const instance = await made.catch(() => undefined)
    if (!instance) return
    this.#onDelete(instance.path)
    await this.#files.remove(instance)
  }
}
