import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Context } from '#server/context.ts'
import type { Recall } from '#server/database/recall.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { ViewedHeader } from '#server/dicom/pixel-data/viewed-file.ts'
import type { ByteStream } from '#server/http/view-stream.ts'
import {
  findCurrentInstance,
  type InstanceRecord,
  listStudyInstancesAfter,
} from '#server/modules/images/instance-queries.ts'
import { keepLocalFile } from '#server/modules/images/local-files.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'
import { type ArrivingFile, readWhileArriving, sendWhileArriving } from './arriving-file.ts'
import { createInflatedCopy } from './file-fetcher.ts'
import {
  extrasOf,
  type Frame,
  frameOf,
  type ImageFile,
  largeSpanOf,
  locateFrame,
  wholeFrameOf,
} from './image-file.ts'
import { DISPLAY_DELAY_MS } from './load-queue.ts'
import { type FileSpan, OpenFile, PieceSender } from './open-files.ts'
import { FileFault } from './partner-file.ts'
import type { ShownStudies } from './shown-studies.ts'
import { type CacheLease, fileKeyOf, type ViewCache } from './view-cache.ts'

/** Number of images in the first batch, which is shown while the others are read. */
const FIRST_BATCH_SIZE = 24
/** Of images that have to be fetched. */
const FIRST_FETCHED_SIZE = 4
const BATCH_SIZE = 200
const MAX_CONCURRENT = 6
/**
 * The other batches wait until the first image is displayed, because the browser and the gateway
 * often share a PC: at most this long for its request, and then until the page has drawn it.
 */
const MAX_FIRST_FRAME_WAIT_MS = 1000

/** An instance of the view. Its file has another name after it was fetched from a tier. */
type CachedInstance = Pick<InstanceRecord, 'instanceId' | 'sopInstanceUid'>

/** The current images of a study in the archive; quarantined ones are not shown. */
export class ArchiveImages {
  readonly #context: Context
  readonly #cache: ViewCache
  readonly #shown: ShownStudies
  readonly #studyInstanceUid: string
  readonly #signal: AbortSignal
  readonly #instances = new Map<string, CachedInstance>()
  /** Inflated copies of deflated files, by file name. */
  readonly #inflated = new Map<string, Promise<CacheLease>>()
  readonly #startMs: number
  readonly #displayed = Promise.withResolvers<void>()
  #displaying: NodeJS.Timeout | undefined
  #files = 0
  #read = 0
  #hasReceived = false
  /** ID of the last listed instance, and the number of listed instances. */
  #after = 0
  #listed = 0
  #isStale = false
  /** Number of instances of the study when they were last listed. */
  #counted = 0

  /** @param startMs how long images after the first batch wait for the first one at most */
  constructor(
    context: Context,
    cache: ViewCache,
    shown: ShownStudies,
    studyInstanceUid: string,
    startMs: number,
    signal: AbortSignal,
  ) {
    this.#context = context
    this.#cache = cache
    this.#startMs = Math.min(startMs, MAX_FIRST_FRAME_WAIT_MS)
    this.#shown = shown
    this.#studyInstanceUid = studyInstanceUid
    this.#signal = signal
  }

  /**
   * Lists all images; when called again, those that have been received since.
   * @throws the abort reason of the signal
   */
  async list(): Promise<void> {
    this.#counted = this.#count()
    this.#isStale = false
    this.#files = Math.max(this.#files, this.#counted)
    const { database } = this.#context
    const listNext = (limit: number) =>
      listStudyInstancesAfter(database, this.#studyInstanceUid, this.#after, limit)
    const isFetched = listNext(FIRST_FETCHED_SIZE).some((next) => next.localRemovedAt !== null)
    const firstLimit = isFetched ? FIRST_FETCHED_SIZE : FIRST_BATCH_SIZE
    for (let limit = firstLimit; ; limit = BATCH_SIZE) {
      const batch = listNext(limit)
      await this.#showBatch(batch)
      this.#listed += batch.length
      this.#files = Math.max(this.#files, this.#listed)
      this.#after = batch.at(-1)?.instanceId ?? this.#after
      this.#shown.list.watch.changed()
      if (batch.length < limit) break
      if (limit === firstLimit) await this.#untilDisplayed()
    }
    this.#files = this.#listed
  }

  /** Whether the images have changed since they were listed. */
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
   * Whether any image was received from a device. Objects that the gateway created, such as
   * captures and copies of reports, have no sender; a study that has only those may have its images
   * elsewhere.
   */
  get hasReceived(): boolean {
    return this.#hasReceived
  }

  has(sopInstanceUid: string): boolean {
    return this.#instances.has(sopInstanceUid)
  }

  find(sopInstanceUid: string): ImageFile | undefined {
    const instance = this.#instances.get(sopInstanceUid)
    return instance && this.#imageOf(instance)
  }

  /** Releases the files. Called when the view ends. */
  close(): void {
    for (const copy of this.#inflated.values())
      copy.then((hold) => hold.release()).catch(() => undefined /* There is none. */)
  }

  /** Called when a frame has been read: it is displayed soon after. */
  #noteFrame(): void {
    this.#displaying ??= setTimeout(
      this.#displayed.resolve,
      Math.min(DISPLAY_DELAY_MS, this.#startMs),
    ).unref()
  }

  async #untilDisplayed(): Promise<void> {
    const signal = this.#signal
    const latest = pause(this.#startMs, undefined, { signal, ref: false })
    await Promise.race([this.#displayed.promise, latest])
  }

  #count(): number {
    return findImageStudy(this.#context.database, this.#studyInstanceUid)?.instances ?? 0
  }

  async #showBatch(batch: readonly InstanceRecord[]): Promise<void> {
    for (const { instanceId, sopInstanceUid, remoteAddress } of batch) {
      this.#instances.set(sopInstanceUid, { instanceId, sopInstanceUid })
      this.#hasReceived ||= remoteAddress !== ''
    }
    const waiting = batch.entries()
    const worker = async () => {
      for (const [index, instance] of waiting) {
        this.#signal.throwIfAborted()
        await this.#show(instance, this.#listed + index + 1)
      }
    }
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, worker))
  }

  /** Opens a file for its header only, because there may be thousands of them. */
  async #show(instance: InstanceRecord, number: number): Promise<void> {
    try {
      const arrived = await this.#showArriving(instance)
      using current = await keepLocalFile(this.#context, instance.instanceId)
      await using file = await OpenFile.open(await this.#pathOf(current))
      const header = file.viewed.header()
      if (!header) throw new FileFault(message('viewer.ends-before-image'))
      const fault = file.viewed.fault()
      // A copy that broke off, or was not the same, may have had another header.
      if (!isDeepStrictEqual(arrived, header))
        this.#shown.show(header, 'archive', this.#imageOf(instance))
      if (fault !== undefined) this.#addFault(instance, number, fault)
    } catch (error) {
      if (!this.#signal.aborted) this.#addFault(instance, number, faultMessage(error))
    }
    this.#read++
  }

  /**
   * Shows an image that is fetched from a tier as soon as its header is here, and waits for the
   * rest. Returns the header that was shown. The checksum is not known by then, so a header with
   * another image or patient than expected is not shown before.
   */
  async #showArriving(instance: InstanceRecord): Promise<ViewedHeader | undefined> {
    const recall = this.#recallOf(instance)
    if (!recall) return undefined
    const header = await readWhileArriving(recall, this.#signal, async (file) =>
      file.viewed.header(),
    )
    const isExpected =
      header?.instance.sopInstanceUid === instance.sopInstanceUid &&
      this.#shown.isOfListedPatient(header.study)
    if (header && isExpected) {
      this.#shown.show(header, 'archive', this.#imageOf(instance))
      this.#shown.list.watch.changed()
    }
    await recall.done
    return isExpected ? header : undefined
  }

  /** The fetch of a file that is not on this PC; a deflated one is readable only as a whole. */
  #recallOf({ instanceId, localRemovedAt, transferSyntaxUid }: InstanceRecord) {
    const isReadable = transferSyntaxUid !== TRANSFER_SYNTAX.deflatedExplicitLittleEndian
    return localRemovedAt !== null && isReadable
      ? this.#context.imageFiles.recall?.(instanceId)
      : undefined
  }

  #addFault({ sopInstanceUid }: CachedInstance, number: number, sentence: Message): void {
    this.#shown.list.faults.add({
      ...{ level: 'warning', what: message('viewer.archive-image', { number }), sentence },
      ...{ studyInstanceUid: this.#studyInstanceUid, sopInstanceUid },
    })
  }

  #imageOf(instance: CachedInstance): ImageFile {
    return {
      frame: (number, signal) => this.#frame(instance, number, signal),
      extras: () => this.#readCurrent(instance, async (file) => extrasOf(file)),
      use: (_signal, work) => this.#readCurrent(instance, work),
    }
  }

  /** Reads a frame, from a file that is still being fetched if possible. */
  async #frame(instance: CachedInstance, number: number, signal: AbortSignal): Promise<Frame> {
    const current = this.#current(instance)
    const recall = this.#recallOf(current)
    const arriving =
      recall &&
      (await readWhileArriving(recall, signal, (file) =>
        this.#arrivingFrame(current, recall, file, number),
      ))
    const frame =
      arriving ??
      (await this.#readCurrent(instance, async (file) => {
        const span = largeSpanOf(locateFrame(file.viewed, number))
        return span ? this.#streamedFrame(instance, file, number, span) : wholeFrameOf(file, number)
      }))
    if (frame.body instanceof Buffer) this.#noteFrame()
    return frame
  }

  /**
   * A single frame ends where its file ends, so it is complete only after the checksum of the file
   * has been verified. Frames of longer files are shown before.
   */
  async #arrivingFrame(
    current: InstanceRecord,
    recall: Recall,
    file: OpenFile,
    number: number,
  ): Promise<Frame | undefined> {
    const { viewed } = file
    const { path } = recall
    const isHere = locateFrame(viewed, number) !== undefined
    if (viewed.frames !== 1) return isHere ? await frameOf(file, number) : undefined
    const span = largeSpanOf(viewed.expectedFrame(number))
    if (span && span.at + span.length <= current.bytes)
      return this.#streamedFrame(current, file, number, span, { recall, path })
    return isHere && recall.isVerified ? await frameOf(file, number) : undefined
  }

  /** A large frame, which is read while it is sent. */
  #streamedFrame(
    instance: CachedInstance,
    { viewed: { transferSyntaxUid } }: OpenFile,
    number: number,
    { at, length }: FileSpan,
    arriving?: ArrivingFile,
  ): Frame {
    const send: ByteStream['send'] = async (write, signal) => {
      const sender = new PieceSender(write)
      const sent = arriving ? await sendWhileArriving(arriving, { at, length }, sender, signal) : 0
      if (sent < length)
        await this.#readCurrent(instance, ({ source, viewed }) => {
          const now = largeSpanOf(locateFrame(viewed, number))
          const isSame = now?.at === at && now.length === length
          // It was fetched again, from a PACS that encodes it otherwise.
          if (!isSame || viewed.transferSyntaxUid !== transferSyntaxUid)
            throw new ApiError('refused', message('viewer.replaced-meanwhile'))
          return sender.send(source, { at: at + sent, length: length - sent })
        })
      this.#noteFrame()
    }
    return { transferSyntaxUid, body: { length, send } }
  }

  /**
   * Checks that the image is still current: one that was quarantined or replaced after it was
   * listed must not be shown any more.
   */
  #current({ instanceId, sopInstanceUid }: CachedInstance): InstanceRecord {
    const current = findCurrentInstance(this.#context.database, sopInstanceUid)
    if (current?.instanceId === instanceId) return current
    this.#isStale = true
    throw new ApiError('refused', message('viewer.replaced-meanwhile'))
  }

  async #readCurrent<T>(
    instance: CachedInstance,
    work: (file: OpenFile) => Promise<T>,
  ): Promise<T> {
    const current = this.#current(instance)
    try {
      using local = await keepLocalFile(this.#context, current.instanceId)
      return await this.#cache.openFiles.use(await this.#pathOf(local), work)
    } catch (error) {
      if (error instanceof ApiError) throw error
      throw new ApiError('refused', faultMessage(error))
    }
  }

  /** The path of the file, or of its inflated copy if it is deflated. */
  async #pathOf({ file, crc32, transferSyntaxUid }: InstanceRecord): Promise<string> {
    const path = this.#context.imageFiles.pathOf(file)
    if (transferSyntaxUid !== TRANSFER_SYNTAX.deflatedExplicitLittleEndian) return path
    const copy = this.#inflated.get(file) ?? this.#inflate(file, path, `"${crc32}"`)
    this.#inflated.set(file, copy)
    copy.catch(() => this.#inflated.delete(file))
    const hold = await copy
    hold.touch()
    return hold.path
  }

  async #inflate(file: string, path: string, etag: string): Promise<CacheLease> {
    const cache = this.#cache
    await cache.ready
    const fileKey = fileKeyOf(`archive ${file}`)
    const onEvicted = () => void this.#inflated.delete(file)
    const before = cache.known(fileKey)
    const hold = before?.etag === etag ? cache.hold(before, onEvicted) : undefined
    const known = { fileKey, studyInstanceUid: this.#studyInstanceUid, etag, lastModified: null }
    return hold ?? (await createInflatedCopy(cache, path, known, onEvicted))
  }
}

function faultMessage(error: unknown): Message {
  if (error instanceof MessageError) return error.explanation
  const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
  return message(isGone ? 'viewer.file-gone' : 'viewer.file-unreadable')
}
