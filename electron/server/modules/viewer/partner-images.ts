import { setTimeout as pause } from 'node:timers/promises'
import type { ViewedHeader } from '#server/dicom/pixel-data/viewed-file.ts'
import type { Manifest } from '#server/webhooks/manifest.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import type { AnswerNote } from '#shared/contract/events.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { AccessAnswer } from './access-asking.ts'
import type { ArchiveImages } from './archive-images.ts'
import type { FileFetcher } from './file-fetcher.ts'
import { LoadQueue } from './load-queue.ts'
import { contentOf, manifestMatch } from './manifest.ts'
import { type GrowingFile, isSameFile } from './open-files.ts'
import {
  identitiesOf,
  isEnded,
  isPassing,
  matchedAnew,
  PartnerAnswer,
  resourceOf,
} from './partner-answer.ts'
import { FileFault, faultSentence, LeftOut, PartnerFile, PartnerImage } from './partner-file.ts'
import type { ShownStudies } from './shown-studies.ts'
import { fileKeyOf } from './view-cache.ts'
import type { ViewList } from './view-list.ts'

/** More are no study: the others are left out. */
const MOST_FILES = 20_000

/** The images of a study, or of an ephemeral session, that a partner has. */
export class PartnerImages {
  readonly #fetcher: FileFetcher
  readonly #shown: ShownStudies
  readonly #list: ViewList
  readonly #studyInstanceUid: string | null
  readonly #archive: ArchiveImages | undefined
  readonly #signal: AbortSignal
  readonly #manifests: readonly Manifest[]
  readonly #answer: PartnerAnswer
  /** By what the URLs of a second answer are matched with the files. */
  readonly #identities: readonly string[]
  /** The answer whose URLs the files have. */
  #generation = 0
  readonly #files: readonly PartnerFile[]
  readonly #match: ReturnType<typeof manifestMatch>
  readonly #queue: LoadQueue
  readonly #bySop = new Map<string, PartnerFile>()
  #read = 0

  /**
   * @param studyInstanceUid the study that was asked for; null: any may come
   * @param archive its own file of an instance is shown instead of the partner's
   * @param ask asks the partner again
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

  /** Those that have come, or have failed. */
  get read(): number {
    return this.#read
  }

  /** Lists what the answer says of the images, and begins to load them. */
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
    const file = this.#bySop.get(sopInstanceUid) ?? this.#faultyFile(sopInstanceUid)
    return file && this.#imageOf(file)
  }

  /** It is needed now, where it may still come. Returns what takes the request back. */
  urge(sopInstanceUid: string): () => void {
    const file = this.#files[this.#match.urlOf(sopInstanceUid) ?? this.files]
    return file && !file.isLoaded ? this.#queue.urge(file.index) : () => undefined
  }

  /** There is somebody to load for again. */
  wake(): void {
    this.#queue.run()
  }

  /** As `wake`; files that the network failed are tried anew. */
  retry(): void {
    for (const file of this.#files) {
      if (!file.isPassing) continue
      this.#list.faults.drop(this.#nameOf(file))
      Object.assign(file, { fault: null, isPassing: false, isLoaded: false })
      this.#read--
      this.#queue.add(file.index)
    }
    this.#queue.run()
  }

  /** The view is over. */
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
        if (listed++ >= MOST_FILES) break
        // What a file says stands: one of another study, too, that has the same UID.
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
   * Brings a file here, with new tries and with the partner's second answer; its `hold` is set
   * then. @throws what `faultSentence` puts into words; LeftOut
   */
  async #load(file: PartnerFile): Promise<void> {
    const { pausesMs } = this.#fetcher
    const signal = this.#signal
    for (let tries = 0; ; ) {
      this.#takeNewUrls()
      const { generation } = file
      try {
        await this.#fetch(file)
        return
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (isEnded(error)) {
          await this.#renewLink(file, generation)
          continue
        }
        if (error instanceof WebhookError && error.fault === 'forbidden-address')
          this.#answer.now.noteRefusedHost(file.url)
        if (!isPassing(error) || tries >= pausesMs.length) throw error
        await pause(pausesMs[tries++], undefined, { signal })
      }
    }
  }

  /** Its URL of that generation has ended: it has a new one then. @throws FileFault */
  async #renewLink(file: PartnerFile, generation: number): Promise<void> {
    const number = file.index + 1
    if (!(await this.#answer.renew(generation)))
      throw new FileFault(message('viewer.new-link-ended', { number }))
    this.#takeNewUrls()
    if (file.generation === generation)
      throw new FileFault(message('viewer.link-not-renewed', { number }))
  }

  /** Gives the files their URLs of the second answer. */
  #takeNewUrls(): void {
    const { generation, now } = this.#answer
    if (generation === this.#generation) return
    this.#generation = generation
    const urls = matchedAnew(this.#identities, [...new Set(now.urls)])
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
        fileKey: fileKeyOf(resourceOf(file.url)),
        studyInstanceUid: this.#studyInstanceUid ?? '',
      }
      const hosts = this.#answer.now.hosts()
      const grown = (growing: GrowingFile) => this.#grown(file, growing)
      const hold = await this.#fetcher.fetch(of, file.url, hosts, this.#signal, grown, evicted)
      try {
        await openFiles.use(hold.path, async ({ viewed }) => {
          const header = viewed.header()
          if (!header) throw new FileFault(message('viewer.ends-before-image'))
          await this.#takeWhole(file, header, hold.path, viewed.fault())
        })
      } catch (error) {
        hold.release()
        throw error
      }
      if (this.#signal.aborted) hold.release()
      else if (!isEvicted) file.hold = hold
    } finally {
      file.growing = undefined
      file.watch.changed()
    }
  }

  /** More of the file has come. @throws ViewedFileFault, LeftOut */
  #grown(file: PartnerFile, growing: GrowingFile): void {
    if (file.growing !== growing) {
      const header = growing.viewed.header()
      if (!header) return
      this.#check(file, header)
      if (!this.#bySop.has(header.instance.sopInstanceUid)) this.#take(file, header)
      file.growing = growing
    }
    file.watch.changed()
  }

  /** @throws ViewedFileFault, LeftOut */
  async #takeWhole(
    file: PartnerFile,
    header: ViewedHeader,
    path: string,
    fault: Message | undefined,
  ): Promise<void> {
    this.#check(file, header)
    const { sopInstanceUid, studyInstanceUid } = header.instance
    const other = this.#bySop.get(sopInstanceUid)
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
    if (this.#isInArchive(sopInstanceUid)) throw new LeftOut()
    if (file.sopInstanceUid !== '' && file.sopInstanceUid !== sopInstanceUid)
      throw new FileFault(message('viewer.another-image'))
  }

  #take(file: PartnerFile, header: ViewedHeader): void {
    if (file.sopInstanceUid !== '') return
    file.sopInstanceUid = header.instance.sopInstanceUid
    this.#bySop.set(file.sopInstanceUid, file)
    this.#shown.show(header, 'partner', this.#imageOf(file))
  }

  /** Of two files of one instance the first is shown, as long as it can be. */
  async #yieldTo(other: PartnerFile, path: string): Promise<void> {
    while (!other.isLoaded) await other.watch.next(this.#signal)
    if (other.fault) return
    if (!other.hold || (await isSameFile(path, other.hold.path))) throw new LeftOut()
    throw new FileFault(message('viewer.same-uid'))
  }

  #fail(file: PartnerFile, error: unknown): void {
    if (this.#signal.aborted) return
    if (error instanceof LeftOut) {
      // It came into the archive while the view was open, and whoever waits finds it there.
      if (file.sopInstanceUid !== '') file.fault = message('viewer.in-archive-by-now')
      return
    }
    file.fault = faultSentence(error)
    file.isPassing = isPassing(error)
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
      addMissing(
        this.#manifests,
        (uid) => this.#bySop.has(uid) || this.#isInArchive(uid),
        this.#list,
      )
    this.#list.watch.changed()
  }

  /** The file that was to be the instance, and cannot be read: whoever waits for it learns why. */
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

/** The URLs that are loaded, each once. */
function urlsToLoad(
  urls: readonly string[],
  { faults }: ViewList,
  studyInstanceUid: string | null,
): string[] {
  const once = [...new Set(urls)]
  if (once.length > MOST_FILES) {
    faults.add({
      ...{ level: 'warning', what: message('viewer.partner'), studyInstanceUid },
      sentence: message('viewer.too-many-files', { files: once.length, most: MOST_FILES }),
    })
  }
  return once.slice(0, MOST_FILES)
}

/** Lists, by series, how many images of a manifest no file was. */
function addMissing(
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

/** Lists what was left out of the answer when it was read. */
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
