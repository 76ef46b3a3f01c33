import { setTimeout as pause } from 'node:timers/promises'
import type { ViewedHeader } from '#server/dicom/pixel-data/viewed-file.ts'
import type { Manifest } from '#server/webhooks/manifest.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import type { AnswerNote } from '#shared/contract/events.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { ArchiveImages } from './archive-images.ts'
import type { FileFetcher } from './file-fetcher.ts'
import { LoadQueue } from './load-queue.ts'
import { contentOf, manifestMatch } from './manifest.ts'
import { type GrowingFile, isSameFile } from './open-files.ts'
import type { AccessAnswer } from './partner-access.ts'
import {
  cacheKeyOf,
  identitiesOf,
  isExpiredLink,
  isTransient,
  matchNewUrls,
  PartnerAnswer,
} from './partner-answer.ts'
import {
  FileFault,
  FileSkippedError,
  faultSentence,
  PartnerFile,
  PartnerImage,
} from './partner-file.ts'
import type { ShownStudies } from './shown-studies.ts'
import { EvictedError, fileKeyOf } from './view-cache.ts'
import type { ViewList } from './view-list.ts'

/** Maximum number of files; others are left out. */
const MAX_FILES = 20_000

/** The images of a study, or of an ephemeral session, at a partner. */
export class PartnerImages {
  readonly #fetcher: FileFetcher
  readonly #shown: ShownStudies
  readonly #list: ViewList
  readonly #studyInstanceUid: string | null
  readonly #archive: ArchiveImages | undefined
  readonly #signal: AbortSignal
  readonly #manifests: readonly Manifest[]
  readonly #answer: PartnerAnswer
  /** Matches the URLs of a second response with the files. */
  readonly #identities: readonly string[]
  /** Generation of the response whose URLs the files have. */
  #generation = 0
  readonly #files: readonly PartnerFile[]
  readonly #match: ReturnType<typeof manifestMatch>
  readonly #queue: LoadQueue
  readonly #filesBySopInstanceUid = new Map<string, PartnerFile>()
  #read = 0

  /**
   * @param studyInstanceUid the requested study; null to accept any study
   * @param archive images in the archive, which take precedence over the partner's
   * @param ask repeats the request to the partner
   */
  constructor(
    fetcher: FileFetcher,
    shown: ShownStudies,
    studyInstanceUid: string | null,
    archive: ArchiveImages | undefined,
    first: AccessAnswer,
    ask: () => Promise<AccessAnswer>,
    signal: AbortSignal,
  ) {
    this.#fetcher = fetcher
    this.#shown = shown
    this.#list = shown.list
    this.#studyInstanceUid = studyInstanceUid
    this.#archive = archive
    this.#signal = signal
    this.#manifests = first.manifests
    this.#answer = new PartnerAnswer(first, ask)
    const urls = urlsToLoad(first.urls, shown.list, studyInstanceUid)
    this.#identities = identitiesOf(urls)
    this.#files = urls.map((url, index) => new PartnerFile(index, url))
    this.#match = manifestMatch(urls, first.manifests, (uid) => this.#isInArchive(uid))
    this.#queue = new LoadQueue(
      (index) => this.#loadAt(index),
      () => shown.list.hasReaders,
      fetcher.startMs,
    )
  }

  get files(): number {
    return this.#files.length
  }

  /** Number of files that have been loaded or have failed. */
  get read(): number {
    return this.#read
  }

  /** Lists the images according to the response, and starts loading them. */
  async start(): Promise<void> {
    addNotes(this.#answer.now.notes, this.#list, this.#studyInstanceUid)
    this.#shown.media.addLinks(this.#answer)
    await this.#listManifests()
    for (const file of this.#files) {
      const named = this.#match.namedBy(file.index)
      if (named !== undefined && this.#isInArchive(named)) this.#endLoading(file)
      else this.#queue.add(file.index)
    }
  }

  find(sopInstanceUid: string): PartnerImage | undefined {
    const file = this.#filesBySopInstanceUid.get(sopInstanceUid) ?? this.#faultyFile(sopInstanceUid)
    return file && this.#imageOf(file)
  }

  /**
   * Gives an image priority if it is still to be loaded. Returns a function that withdraws the
   * request.
   */
  prioritize(sopInstanceUid: string): () => void {
    const file = this.#files[this.#match.urlOf(sopInstanceUid) ?? this.files]
    return file && !file.isLoaded ? this.#queue.prioritize(file.index) : () => undefined
  }

  /** Continues loading when there is a reader again. */
  wake(): void {
    this.#queue.run()
  }

  /** Like `wake`, and also retries files with transient errors. */
  retry(): void {
    for (const file of this.#files) {
      if (!file.isTransient) continue
      this.#list.faults.drop(this.#nameOf(file))
      Object.assign(file, { fault: null, isTransient: false, isLoaded: false })
      this.#read--
      this.#queue.add(file.index)
    }
    this.#queue.run()
  }

  /** Stops loading and releases the files. Called when the view ends. */
  close(): void {
    this.#queue.close()
    for (const { hold } of this.#files) hold?.release()
  }

  async #listManifests(): Promise<void> {
    let listed = 0
    for (const manifest of this.#manifests) {
      const { series, instances } = contentOf(manifest)
      this.#shown.announce(manifest.studyInstanceUID, false, this.#studyInstanceUid !== null)
      for (const one of series) this.#list.putSeries(one)
      for (const instance of instances) {
        if (listed++ >= MAX_FILES) break
        // Data from a file takes precedence, even if the file belongs to another study with the
        // same SOP Instance UID.
        const { sopInstanceUid } = instance
        if (!this.#isInArchive(sopInstanceUid) && !this.#list.instance(sopInstanceUid))
          this.#list.putInstance(instance)
        if (listed % 1000 === 0) await new Promise(setImmediate)
      }
    }
  }

  async #loadAt(index: number): Promise<void> {
    const file = this.#files[index]
    if (!file || file.hold || file.fault || this.#signal.aborted) return
    await this.#load(file).catch((error) => this.#fail(file, error))
    this.#endLoading(file)
  }

  /**
   * Downloads a file, with retries and new links, and sets its `hold`.
   * @throws errors that `faultSentence` describes; FileSkippedError
   */
  async #load(file: PartnerFile): Promise<void> {
    const { pausesMs } = this.#fetcher
    const signal = this.#signal
    for (let tries = 0; ; ) {
      this.#updateUrls()
      const { generation } = file
      try {
        await this.#fetch(file)
        return
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (isExpiredLink(error)) {
          await this.#renewLink(file, generation)
          continue
        }
        if (error instanceof WebhookError && error.fault === 'forbidden-address')
          this.#answer.now.noteRefusedHost(file.url)
        if (!isTransient(error) || tries >= pausesMs.length) throw error
        await pause(pausesMs[tries++], undefined, { signal })
      }
    }
  }

  /** Gets a new URL for a file whose link has expired. @throws FileFault */
  async #renewLink(file: PartnerFile, generation: number): Promise<void> {
    const number = file.index + 1
    if (!(await this.#answer.renew(generation)))
      throw new FileFault(message('viewer.new-link-ended', { number }))
    this.#updateUrls()
    if (file.generation === generation)
      throw new FileFault(message('viewer.link-not-renewed', { number }))
  }

  /** Assigns the URLs of a new response to the files. */
  #updateUrls(): void {
    const { generation, now } = this.#answer
    if (generation === this.#generation) return
    this.#generation = generation
    const urls = matchNewUrls(this.#identities, [...new Set(now.urls)])
    for (const file of this.#files) {
      const url = urls[file.index]
      if (url !== undefined) Object.assign(file, { url, generation })
    }
  }

  async #fetch(file: PartnerFile): Promise<void> {
    const { openFiles } = this.#fetcher.cache
    let isEvicted = false
    const evicted = () => {
      isEvicted = true
      file.hold = undefined
      file.watch.changed()
    }
    try {
      const of = {
        fileKey: fileKeyOf(cacheKeyOf(file.url)),
        studyInstanceUid: this.#studyInstanceUid ?? '',
      }
      const hosts = this.#answer.now.hosts()
      const grown = (growing: GrowingFile) => this.#grown(file, growing)
      const hold = await this.#fetcher.fetch(of, file.url, hosts, this.#signal, grown, evicted)
      try {
        await openFiles.use(hold.path, async ({ viewed }) => {
          const header = viewed.header()
          if (!header) throw new FileFault(message('viewer.ends-before-image'))
          await this.#takeComplete(file, header, hold.path, viewed.fault())
        })
      } catch (error) {
        hold.release()
        const isFinalError = error instanceof FileFault || error instanceof FileSkippedError
        if (isEvicted && !isFinalError) throw new EvictedError('It was evicted before it was read.')
        throw error
      }
      if (this.#signal.aborted) hold.release()
      else if (!isEvicted) file.hold = hold
    } finally {
      file.growing = undefined
      file.watch.changed()
    }
  }

  /** Called when more bytes of a file are available. @throws ViewedFileFault, FileSkippedError */
  #grown(file: PartnerFile, growing: GrowingFile): void {
    if (file.growing !== growing) {
      const header = growing.viewed.header()
      if (!header) return
      this.#check(file, header)
      if (!this.#filesBySopInstanceUid.has(header.instance.sopInstanceUid)) this.#take(file, header)
      file.growing = growing
    }
    file.watch.changed()
  }

  /** Called when a file is complete. @throws ViewedFileFault, FileSkippedError */
  async #takeComplete(
    file: PartnerFile,
    header: ViewedHeader,
    path: string,
    fault: Message | undefined,
  ): Promise<void> {
    this.#check(file, header)
    const { sopInstanceUid, studyInstanceUid } = header.instance
    const other = this.#filesBySopInstanceUid.get(sopInstanceUid)
    if (other && other !== file) await this.#yieldTo(other, path)
    this.#take(file, header)
    const what = this.#nameOf(file)
    if (fault)
      this.#list.faults.add({
        ...{ level: 'warning', what, sentence: fault, studyInstanceUid, sopInstanceUid },
      })
  }

  #check(file: PartnerFile, { instance }: ViewedHeader): void {
    const { sopInstanceUid, studyInstanceUid } = instance
    if (this.#studyInstanceUid !== null && studyInstanceUid !== this.#studyInstanceUid)
      throw new FileFault(message('viewer.of-another-study'))
    if (this.#isInArchive(sopInstanceUid)) throw new FileSkippedError()
    if (file.sopInstanceUid !== '' && file.sopInstanceUid !== sopInstanceUid)
      throw new FileFault(message('viewer.another-image'))
  }

  #take(file: PartnerFile, header: ViewedHeader): void {
    if (file.sopInstanceUid !== '') return
    file.sopInstanceUid = header.instance.sopInstanceUid
    this.#filesBySopInstanceUid.set(file.sopInstanceUid, file)
    this.#shown.show(header, 'partner', this.#imageOf(file))
  }

  /** If two files contain the same instance, the first is shown, if it is readable. */
  async #yieldTo(other: PartnerFile, path: string): Promise<void> {
    while (!other.isLoaded) await other.watch.next(this.#signal)
    if (other.fault) return
    if (!other.hold || (await isSameFile(path, other.hold.path))) throw new FileSkippedError()
    throw new FileFault(message('viewer.same-uid'))
  }

  #fail(file: PartnerFile, error: unknown): void {
    if (this.#signal.aborted) return
    if (error instanceof FileSkippedError) {
      // The image was received by the archive in the meantime, where waiting requests find it.
      if (file.sopInstanceUid !== '') file.fault = message('viewer.in-archive-by-now')
      return
    }
    file.fault = faultSentence(error)
    file.isTransient = isTransient(error)
    this.#list.faults.add({
      ...{ level: 'warning', what: this.#nameOf(file), sentence: file.fault },
      studyInstanceUid: this.#studyInstanceUid,
      sopInstanceUid: file.sopInstanceUid || null,
    })
  }

  #endLoading(file: PartnerFile): void {
    if (!file.isLoaded) {
      file.isLoaded = true
      this.#read++
    }
    file.watch.changed()
    if (this.#read === this.files)
      addMissingCounts(
        this.#manifests,
        (uid) => this.#filesBySopInstanceUid.has(uid) || this.#isInArchive(uid),
        this.#list,
      )
    this.#list.watch.changed()
  }

  /** The unreadable file of an instance, so that waiting requests get the reason. */
  #faultyFile(sopInstanceUid: string): PartnerFile | undefined {
    const file = this.#files[this.#match.urlOf(sopInstanceUid) ?? this.files]
    return file?.fault && file.sopInstanceUid === '' ? file : undefined
  }

  #imageOf(file: PartnerFile): PartnerImage {
    return new PartnerImage(file, this.#fetcher.cache.openFiles, this.#queue)
  }

  #isInArchive(sopInstanceUid: string): boolean {
    return this.#archive?.has(sopInstanceUid) ?? false
  }

  #nameOf({ index }: PartnerFile): Message {
    return message('viewer.partner-image', { number: index + 1, files: this.files })
  }
}

/** The distinct URLs to load. */
function urlsToLoad(
  urls: readonly string[],
  { faults }: ViewList,
  studyInstanceUid: string | null,
): string[] {
  const distinctUrls = [...new Set(urls)]
  if (distinctUrls.length > MAX_FILES) {
    faults.add({
      ...{ level: 'warning', what: message('viewer.partner'), studyInstanceUid },
      sentence: message('viewer.too-many-files', { files: distinctUrls.length, most: MAX_FILES }),
    })
  }
  return distinctUrls.slice(0, MAX_FILES)
}

/** Reports for each series how many images of a manifest are missing. */
function addMissingCounts(
  manifests: readonly Manifest[],
  isHere: (sopInstanceUid: string) => boolean,
  { faults }: ViewList,
): void {
  for (const { studyInstanceUID, series } of manifests) {
    for (const { sops, seriesNumber } of series) {
      const what = message('viewer.manifest-series', { number: seriesNumber })
      faults.drop(what)
      const missing = sops.filter(({ sopInstanceUID }) => !isHere(sopInstanceUID)).length
      if (missing === 0) continue
      const sentence = message('viewer.images-did-not-come', { missing, count: sops.length })
      faults.add({ level: 'warning', what, sentence, studyInstanceUid: studyInstanceUID })
    }
  }
}

/** Reports what was left out of the response. */
export function addNotes(
  notes: readonly AnswerNote[],
  { faults }: ViewList,
  studyInstanceUid: string | null,
): void {
  for (const note of notes) {
    const what = message(note.path.startsWith('manifest') ? 'viewer.manifest' : 'viewer.partner')
    const sentence = message('viewer.answer-note', { path: note.path, note: note.sentence })
    faults.add({ level: 'note', what, sentence, studyInstanceUid })
  }
}
