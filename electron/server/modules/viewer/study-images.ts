import type { Context } from '#server/context.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { ArchiveImages } from './archive-images.ts'
import type { FileFetcher } from './file-fetcher.ts'
import type { ImageFile } from './image-file.ts'
import type { AccessAnswer } from './partner-access.ts'
import { addNotes, PartnerImages } from './partner-images.ts'
import type { ShownStudies } from './shown-studies.ts'
import type { NewFault, Progress } from './view-list.ts'

/** Minimum time before a request without a result may be repeated. */
const RETRY_AFTER_MS = 5000

const IMAGES_MESSAGE = message('viewer.images')
const ARCHIVE_LABEL = message('viewer.archive')
const PARTNER_LABEL = message('viewer.partner')

/**
 * The images of a study of a view, or of its ephemeral session: from the archive, and missing ones
 * from the partner.
 */
export class StudyImages {
  readonly #context: Context
  readonly #fetcher: FileFetcher
  readonly #shown: ShownStudies
  readonly #studyInstanceUid: string | null
  readonly #isPrior: boolean
  readonly #ask: (() => Promise<AccessAnswer>) | undefined
  readonly #signal: AbortSignal
  readonly #archive: ArchiveImages | undefined
  #partner: PartnerImages | undefined
  #phase: 'new' | 'asking' | 'loading' | 'over' = 'new'
  #failedAt: number | undefined

  /** @param ask undefined if no partner can be asked for the study */
  constructor(
    context: Context,
    fetcher: FileFetcher,
    shown: ShownStudies,
    studyInstanceUid: string | null,
    isPrior: boolean,
    ask: (() => Promise<AccessAnswer>) | undefined,
    signal: AbortSignal,
  ) {
    this.#context = context
    this.#fetcher = fetcher
    this.#shown = shown
    this.#studyInstanceUid = studyInstanceUid
    this.#isPrior = isPrior
    this.#ask = ask
    this.#signal = signal
    if (studyInstanceUid !== null)
      this.#archive = new ArchiveImages(
        ...([context, fetcher.cache, shown, studyInstanceUid] as const),
        // The first image of a prior study is not what the page waits for.
        isPrior ? 0 : fetcher.startMs,
        signal,
      )
  }

  get state(): Progress['state'] {
    if (this.#phase === 'new') return 'loading'
    if (this.#phase !== 'over') return this.#phase
    return this.#partner && this.#partner.read < this.#partner.files ? 'loading' : 'done'
  }

  get files(): number {
    return (this.#archive?.files ?? 0) + (this.#partner?.files ?? 0)
  }

  get read(): number {
    return (this.#archive?.read ?? 0) + (this.#partner?.read ?? 0)
  }

  /**
   * Starts loading. If loading has finished, retries after failures, and if there were no images.
   */
  start(): void {
    if (this.#phase === 'new') return void this.#run()
    if (this.#phase !== 'over') return
    this.#partner?.retry()
    const { clock } = this.#context
    const isDue = this.#failedAt !== undefined && clock() - this.#failedAt >= RETRY_AFTER_MS
    if (!isDue && !this.#archive?.isChanged) return
    this.#failedAt = undefined
    const { faults } = this.#shown.list
    for (const what of [IMAGES_MESSAGE, ARCHIVE_LABEL]) faults.drop(what)
    if (!this.#partner) faults.drop(PARTNER_LABEL)
    void this.#run()
  }

  /** Continues loading when there is a reader again. */
  wake(): void {
    this.#partner?.wake()
  }

  find(sopInstanceUid: string): ImageFile | undefined {
    return this.#archive?.find(sopInstanceUid) ?? this.#partner?.find(sopInstanceUid)
  }

  /** Gives an image priority. Returns a function that withdraws the request. */
  prioritize(sopInstanceUid: string): () => void {
    return this.#partner?.prioritize(sopInstanceUid) ?? (() => undefined)
  }

  close(): void {
    this.#archive?.close()
    this.#partner?.close()
  }

  async #run(): Promise<void> {
    try {
      this.#enter('loading')
      await this.#readArchive()
      if (!this.#partner && !this.#isArchiveComplete()) await this.#askPartner()
    } catch {
      // An error of the storage, which may be retried, or the view has ended.
      if (this.#signal.aborted) return
      this.#failedAt = this.#context.clock()
      this.#addFault('warning', IMAGES_MESSAGE, message('viewer.images-not-listed'))
    } finally {
      this.#enter('over')
    }
  }

  async #readArchive(): Promise<void> {
    const studyInstanceUid = this.#studyInstanceUid
    if (studyInstanceUid === null) return
    this.#shown.announce(studyInstanceUid, this.#isPrior)
    this.#shown.addIdentity(studyInstanceUid)
    await this.#archive?.list()
    this.#shown.addIdentity(studyInstanceUid)
    if (this.#record()?.state === 'receiving')
      this.#addFault('note', ARCHIVE_LABEL, message('viewer.still-receiving'))
  }

  /** Whether the archive has all images of the study. */
  #isArchiveComplete(): boolean {
    return this.#archive?.hasReceived === true && (this.#record()?.missing ?? 0) === 0
  }

  async #askPartner(): Promise<void> {
    const ask = this.#ask
    if (!ask) return this.#addNoImages(message('viewer.no-images-and-no-partner'))
    this.#enter('asking')
    try {
      const answer = await ask()
      if (answer.urls.length > 0 || answer.media.length > 0) await this.#load(answer, ask)
      else {
        this.#failedAt = this.#context.clock()
        addNotes(answer.notes, this.#shown.list, this.#studyInstanceUid)
        if (!this.#archive?.files)
          this.#addFault(
            ...(['warning', PARTNER_LABEL] as const),
            message('viewer.partner-has-no-images'),
          )
      }
    } catch (error) {
      if (this.#signal.aborted || !(error instanceof WebhookError)) throw error
      this.#failedAt = this.#context.clock()
      if (error.fault === 'no-endpoint') this.#addNoEndpoint()
      else this.#addFault('warning', PARTNER_LABEL, sentenceOf(error))
    }
  }

  async #load(answer: AccessAnswer, ask: () => Promise<AccessAnswer>): Promise<void> {
    this.#enter('loading')
    const partner = new PartnerImages(
      this.#fetcher,
      this.#shown,
      this.#studyInstanceUid,
      this.#archive,
      answer,
      ask,
      this.#signal,
    )
    await partner.start()
    this.#partner = partner
    if (this.#signal.aborted) partner.close()
  }

  #addNoEndpoint(): void {
    const missing = this.#record()?.missing ?? 0
    if (this.#archive?.files && missing > 0)
      this.#addFault(
        'warning',
        ARCHIVE_LABEL,
        message('viewer.announced-images-missing', { missing }),
      )
    this.#addNoImages(
      this.#studyInstanceUid === null
        ? message('viewer.no-endpoint', { event: 'ephemeral.access_requested' })
        : message('viewer.no-images-and-no-endpoint', { event: 'study.access_requested' }),
    )
  }

  /** Reports why there are no images, unless the archive has some. */
  #addNoImages(sentence: Message): void {
    if (!this.#archive?.files) this.#addFault('warning', IMAGES_MESSAGE, sentence)
  }

  #addFault(level: NewFault['level'], what: Message, sentence: Message): void {
    const studyInstanceUid = this.#studyInstanceUid
    this.#shown.list.faults.add({ level, what, sentence, studyInstanceUid })
  }

  #record() {
    const studyInstanceUid = this.#studyInstanceUid
    return studyInstanceUid === null
      ? undefined
      : findImageStudy(this.#context.database, studyInstanceUid)
  }

  #enter(phase: 'asking' | 'loading' | 'over'): void {
    this.#phase = phase
    this.#shown.list.watch.changed()
  }
}

/** The user-facing message for a failed request. */
function sentenceOf({ fault, detail }: WebhookError): Message {
  return fault === 'refused'
    ? message('viewer.partner-refused', { reason: detail })
    : message('viewer.partner-answer-unusable', { reason: detail })
}
