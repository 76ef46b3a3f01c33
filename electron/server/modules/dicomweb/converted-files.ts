import { rmSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '#server/context.ts'
import { inflatedFile } from '#server/dicom/data-set/inflated-file.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { Transcoder } from '#server/dicom/transcoding/transcoder.ts'

/** Copies that are kept: viewers ask for the frames of an instance one by one. */
const MAX_COPIES = 16
const MAX_INFLATED_BYTES = 4 * 2 ** 30

interface Copy {
  readonly path: string
  readonly made: Promise<void>
  users: number
}

export interface LentCopy extends AsyncDisposable {
  readonly path: string
}

/**
 * Temporary copies of stored files in other transfer syntaxes. Each copy is made once, however many
 * requests need it at the same time; the least recently used are deleted.
 */
export class ConvertedFiles implements AsyncDisposable {
  readonly #context: Context
  readonly #transcode: Transcoder['transcode']
  readonly #onDelete: (path: string) => void
  readonly #folder: string
  readonly #copies = new Map<string, Copy>()

  /** @param onDelete called before a copy is deleted */
  constructor(
    context: Context,
    transcode: Transcoder['transcode'],
    onDelete: (path: string) => void,
  ) {
    this.#context = context
    this.#transcode = transcode
    this.#onDelete = onDelete
    this.#folder = join(context.folder, 'spool', 'dicomweb')
    // Copies of an interrupted run.
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /**
   * Returns a copy that exists until it is disposed of.
   * @param from a stored file
   * @throws TranscodingError if the instance cannot be converted; ViewedFileFault if it cannot be
   * inflated; errors of the disk
   */
  async lend(
    from: { readonly path: string; readonly transferSyntaxUid: string },
    to: string,
  ): Promise<LentCopy> {
    const key = `${to} ${from.path}`
    const copy = this.#copies.get(key) ?? this.#make(from, to)
    // Moved to the end: the least recently used copy is deleted first.
    this.#copies.delete(key)
    this.#copies.set(key, copy)
    copy.users++
    const giveBack = async () => {
      copy.users--
      await this.#deleteOldest()
    }
    try {
      await copy.made
      return { path: copy.path, [Symbol.asyncDispose]: giveBack }
    } catch (error) {
      if (this.#copies.get(key) === copy) this.#copies.delete(key)
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { path } of this.#copies.values()) this.#onDelete(path)
    this.#copies.clear()
    await rm(this.#folder, { recursive: true, force: true })
  }

  #make(
    {
      path: from,
      transferSyntaxUid,
    }: { readonly path: string; readonly transferSyntaxUid: string },
    to: string,
  ): Copy {
    const path = join(this.#folder, `${this.#context.uuid()}.dcm`)
    const make = async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      const isInflation =
        transferSyntaxUid === TRANSFER_SYNTAX.deflatedExplicitLittleEndian &&
        to === TRANSFER_SYNTAX.explicitLittleEndian
      if (isInflation) await inflatedFile(from, path, { bytes: MAX_INFLATED_BYTES })
      else await this.#transcode(from, path, to)
    }
    return { path, made: make(), users: 0 }
  }

  async #deleteOldest(): Promise<void> {
    for (const [key, { path, users }] of this.#copies) {
      if (this.#copies.size <= MAX_COPIES) return
      if (users > 0) continue
      this.#copies.delete(key)
      this.#onDelete(path)
      await rm(path, { force: true })
    }
  }
}
