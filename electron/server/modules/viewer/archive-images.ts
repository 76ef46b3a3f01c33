import type { Context } from '#server/context.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import {
  findCurrentInstance,
  type InstanceRecord,
  listStudyInstancesAfter,
} from '#server/modules/images/instance-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'
import { inflatedCopy } from './file-fetcher.ts'
import { extrasOf, type ImageFile, wholeFrameOf } from './image-file.ts'
import { OpenFile } from './open-files.ts'
import { FileFault } from './partner-file.ts'
import type { ShownStudies } from './shown-studies.ts'
import { type CacheHold, fileKeyOf, type ViewCache } from './view-cache.ts'

/** The first images are shown while the others are read. */
const FIRST = 24
const BATCH = 200
const AT_ONCE = 6

/** What is remembered of an instance. */
type Kept = Pick<InstanceRecord, 'sopInstanceUid' | 'file' | 'crc32' | 'transferSyntaxUid'>

/** The current images of a study in the archive; those that were set aside are not shown. */
export class ArchiveImages {
  readonly #context: Context
  readonly #cache: ViewCache
  readonly #shown: ShownStudies
  readonly #studyInstanceUid: string
  readonly #signal: AbortSignal
  readonly #instances = new Map<string, Kept>()
  /** Inflated copies of deflated files, by file. */
  readonly #inflated = new Map<string, Promise<CacheHold>>()
  #files = 0
  #read = 0
  #hasReceived = false
  /** Id of the last instance that was listed, and how many there are. */
  #after = 0
  #listed = 0
  #isStale = false
  /** How many instances the study had when they were listed last. */
  #counted = 0

  constructor(
    context: Context,
    cache: ViewCache,
    shown: ShownStudies,
    studyInstanceUid: string,
    signal: AbortSignal,
  ) {
    this.#context = context
    this.#cache = cache
    this.#shown = shown
    this.#studyInstanceUid = studyInstanceUid
    this.#signal = signal
  }

  /** Lists them all; again, those that have come since. @throws the signal's reason */
  async list(): Promise<void> {
    this.#counted = this.#count()
    this.#isStale = false
    this.#files = Math.max(this.#files, this.#counted)
    const { database } = this.#context
    for (let limit = FIRST; ; limit = BATCH) {
      const part = listStudyInstancesAfter(database, this.#studyInstanceUid, this.#after, limit)
      await this.#showPart(part)
      this.#listed += part.length
      this.#files = Math.max(this.#files, this.#listed)
      this.#after = part.at(-1)?.instanceId ?? this.#after
      this.#shown.list.watch.changed()
      if (part.length < limit) break
    }
    this.#files = this.#listed
  }

  /** Whether there are others than were listed. */
  get isChanged(): boolean {
    return this.#isStale || this.#count() !== this.#counted
  }

  get files(): number {
    return this.#files
  }

  get read(): number {
    return this.#read
  }

  /**
   * Whether a device sent any of them. What the gateway itself made, such as a capture or the copy
   * of a report, has no sender: with it alone, the images are elsewhere.
   */
  get hasReceived(): boolean {
    return this.#hasReceived
  }

  has(sopInstanceUid: string): boolean {
    return this.#instances.has(sopInstanceUid)
  }

  find(sopInstanceUid: string): ImageFile | undefined {
    const kept = this.#instances.get(sopInstanceUid)
    return kept && this.#imageOf(kept)
  }

  /** The view is over. */
  close(): void {
    for (const copy of this.#inflated.values())
      copy.then((hold) => hold.release()).catch(() => undefined /* There is none. */)
  }

  #count(): number {
    return findImageStudy(this.#context.database, this.#studyInstanceUid)?.instances ?? 0
  }

  async #showPart(part: readonly InstanceRecord[]): Promise<void> {
    for (const { sopInstanceUid, file, crc32, transferSyntaxUid, remoteAddress } of part) {
      this.#instances.set(sopInstanceUid, { sopInstanceUid, file, crc32, transferSyntaxUid })
      this.#hasReceived ||= remoteAddress !== ''
    }
    const waiting = part.entries()
    const worker = async () => {
      for (const [index, instance] of waiting) {
        this.#signal.throwIfAborted()
        await this.#show(instance, this.#listed + index + 1)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  }

  /** Opens it for its header alone: of thousands none stays open. */
  async #show(instance: InstanceRecord, number: number): Promise<void> {
    try {
      await using file = await OpenFile.open(await this.#pathOf(instance))
      const header = file.viewed.header()
      if (!header) throw new FileFault(message('viewer.ends-before-image'))
      const fault = file.viewed.fault()
      this.#shown.show(header, 'archive', this.#imageOf(instance))
      if (fault !== undefined) this.#addFault(instance, number, fault)
    } catch (error) {
      if (!this.#signal.aborted) this.#addFault(instance, number, faultSentence(error))
    }
    this.#read++
  }

  #addFault({ sopInstanceUid }: Kept, number: number, sentence: Message): void {
    this.#shown.list.faults.add({
      ...{ level: 'warning', what: message('viewer.archive-image', { number }), sentence },
      ...{ studyInstanceUid: this.#studyInstanceUid, sopInstanceUid },
    })
  }

  #imageOf(kept: Kept): ImageFile {
    return {
      frame: (number) => this.#useCurrent(kept, (file) => wholeFrameOf(file, number)),
      extras: () => this.#useCurrent(kept, async (file) => extrasOf(file)),
      use: (_signal, work) => this.#useCurrent(kept, work),
    }
  }

  /**
   * What was set aside or replaced since it was listed is shown no more, as where it was of another
   * patient.
   */
  async #useCurrent<T>(kept: Kept, work: (file: OpenFile) => Promise<T>): Promise<T> {
    const current = findCurrentInstance(this.#context.database, kept.sopInstanceUid)
    if (current?.file !== kept.file) {
      this.#isStale = true
      throw new ApiError('refused', message('viewer.replaced-meanwhile'))
    }
    try {
      return await this.#cache.openFiles.use(await this.#pathOf(kept), work)
    } catch (error) {
      if (error instanceof ApiError) throw error
      throw new ApiError('refused', faultSentence(error))
    }
  }

  /** Of a deflated file it is that of its inflated copy. */
  async #pathOf({ file, crc32, transferSyntaxUid }: Kept): Promise<string> {
    const path = this.#context.imageFiles.pathOf(file)
    if (transferSyntaxUid !== TRANSFER_SYNTAX.deflatedExplicitLittleEndian) return path
    const copy = this.#inflated.get(file) ?? this.#inflate(file, path, `"${crc32}"`)
    this.#inflated.set(file, copy)
    copy.catch(() => this.#inflated.delete(file))
    const hold = await copy
    hold.touch()
    return hold.path
  }

  async #inflate(file: string, path: string, etag: string): Promise<CacheHold> {
    const cache = this.#cache
    await cache.ready
    const fileKey = fileKeyOf(`archive ${file}`)
    const evicted = () => void this.#inflated.delete(file)
    const before = cache.known(fileKey)
    const hold = before?.etag === etag ? cache.hold(before, evicted) : undefined
    const known = { fileKey, studyInstanceUid: this.#studyInstanceUid, etag, lastModified: null }
    return hold ?? (await inflatedCopy(cache, path, known, evicted))
  }
}

function faultSentence(error: unknown): Message {
  if (error instanceof MessageError) return error.explanation
  const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
  return message(isGone ? 'viewer.file-gone' : 'viewer.file-unreadable')
}
