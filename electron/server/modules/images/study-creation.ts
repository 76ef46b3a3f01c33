import type { Context } from '#server/context.ts'
import { Worker } from '#server/jobs/worker.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import { listCreatedStudies } from '#server/modules/studies/created-study-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type { ImageStudyPatch, ImageStudyRecord } from '#server/modules/studies/image-study-row.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Requester } from '#server/webhooks/request.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import type { StudyArea } from '#shared/contract/settings.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message, sentences } from '#shared/messages/message.ts'
import {
  createStudyFromImages,
  updateCancellation,
  updateCreatedStudies,
  withCustomer,
} from './created-studies.ts'
import {
  type EnrichmentResult,
  enrichmentAfter,
  NO_PARTNER_MESSAGE,
  requestEnrichment,
} from './enrichment.ts'
import { classifyUid, identityKeyOf } from './header.ts'
import { appendStudyEntry, notifyImagesChanged } from './image-feed.ts'
import { listEnrichmentDue, nextEnrichmentDue } from './image-study-list-queries.ts'
import { updateImageStudy } from './image-study-writing-queries.ts'
import { leadingModality, type MergedValues, mergedValues } from './study-values.ts'

/** Names of the areas in the window. */
const AREA_NAMES: Record<StudyArea, Message> = {
  scribe: message('images.in-reporting'),
  viewer: message('images.in-viewer'),
}

/**
 * Creates API studies from images, with values from the partner
 * (`patient_study.enrichment_requested`).
 */
export class StudyCreation implements AsyncDisposable {
  readonly #context: Context
  readonly #requester: Pick<Requester, 'request'>
  readonly #events: Pick<EventLog, 'setEffect'>
  readonly #worker: Worker
  readonly #closing = new AbortController()
  /** Requests that users started. */
  readonly #userRequests = new Set<Promise<void>>()

  constructor(
    context: Context,
    requester: Pick<Requester, 'request'>,
    events: Pick<EventLog, 'setEffect'>,
  ) {
    this.#context = context
    this.#requester = requester
    this.#events = events
    this.#worker = new Worker(
      context,
      () => nextEnrichmentDue(context.database),
      (signal) => this.#sendDue(signal),
    )
    this.#worker.wake()
  }

  /**
   * Called when a study is complete for the first time or was corrected. Creates API studies in all
   * configured areas that do not have one. The partner is asked once for all of them, within the
   * time limit of a soft event; until it answers, the values of the header are used.
   */
  async complete(study: ImageStudyRecord, signal: AbortSignal): Promise<void> {
    const { database, clock } = this.#context
    const { studyInstanceUid } = study
    // If all instances are in quarantine, the first current image will reopen the study.
    const isEligible = classifyUid(studyInstanceUid) === 'usable' && study.instances > 0
    const wasCreated = listCreatedStudies(database, studyInstanceUid).length > 0
    if (!isEligible || (!wasCreated && this.#freeAreas(studyInstanceUid).length === 0)) {
      this.close(studyInstanceUid, {})
      return
    }
    const answered = await this.#ask(study, signal)
    const created = database.transaction(() => {
      const now = findImageStudy(database, studyInstanceUid)
      if (!now || !isStillCurrent(study, now)) return undefined
      const merged = this.#mergedFor(now, answered)
      // The study may have been created in the meantime.
      const areas = this.#freeAreas(studyInstanceUid)
      for (const area of areas) createStudyFromImages(this.#context, area, studyInstanceUid, merged)
      if (wasCreated) {
        updateCreatedStudies(this.#context, studyInstanceUid, merged)
        updateCancellation(this.#context, studyInstanceUid, instantOf(clock()), 'gateway')
      }
      const isOurs = wasCreated || areas.length > 0
      this.close(studyInstanceUid, isOurs ? enrichmentAfter(answered, 0, merged, clock()) : {})
      return areas
    })
    if (!created) return
    this.#note(studyInstanceUid, created, answered)
    this.#worker.wake()
  }

  /** Marks the study as settled. */
  close(studyInstanceUid: string, patch: ImageStudyPatch): void {
    const { database, clock } = this.#context
    const settledAt = instantOf(clock())
    updateImageStudy(database, studyInstanceUid, { ...patch, state: 'settled', settledAt })
    notifyImagesChanged(this.#context)
  }

  /**
   * Sends the request again, for a user.
   * @throws ApiError not-found; refused if the gateway created no study from these images
   */
  async retry(studyInstanceUid: string): Promise<void> {
    const { database } = this.#context
    const study = findImageStudy(database, studyInstanceUid)
    if (!study) throw new ApiError('not-found', message('images.no-study'))
    if (listCreatedStudies(database, studyInstanceUid).length === 0)
      throw new ApiError('refused', message('images.study-not-ours'))
    const repeatedRequest = this.#repeatRequest(study, this.#closing.signal)
    this.#userRequests.add(repeatedRequest)
    try {
      await repeatedRequest
    } finally {
      this.#userRequests.delete(repeatedRequest)
    }
    this.#worker.wake()
  }

  /**
   * Schedules another enrichment request soon. With `isForgotten`, the previous values from the
   * partner are removed until then. Must be called within a transaction.
   */
  requestAgain(studyInstanceUid: string, isForgotten: boolean): void {
    const { database, clock } = this.#context
    const study = findImageStudy(database, studyInstanceUid)
    if (!study || listCreatedStudies(database, studyInstanceUid).length === 0) return
    if (isForgotten)
      updateCreatedStudies(this.#context, studyInstanceUid, this.#mergedFor(study, undefined))
    const nextAt = instantOf(clock())
    const { askedAt } = study.enrichment
    updateImageStudy(database, studyInstanceUid, {
      enrichment: { state: 'waiting', askedAt, nextAt, detail: null, warnings: [] },
      enrichmentAttempts: 0,
    })
    database.afterCommit(() => this.#worker.wake())
  }

  wake(): void {
    this.#worker.wake()
  }

  settled(): Promise<void> {
    return this.#worker.settled()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled(this.#userRequests)
    await this.#worker[Symbol.asyncDispose]()
  }

  async #sendDue(signal: AbortSignal): Promise<void> {
    const { database, clock } = this.#context
    const faults: unknown[] = []
    // A study that cannot be written does not prevent the others from being processed.
    for (const study of listEnrichmentDue(database, instantOf(clock())))
      await this.#repeatRequest(study, signal).catch((error) => faults.push(error))
    if (faults.length > 0) throw faults[0]
  }

  #ask(study: ImageStudyRecord, signal: AbortSignal): Promise<EnrichmentResult> {
    return requestEnrichment(this.#context, this.#requester, study, signal)
  }

  async #repeatRequest(study: ImageStudyRecord, signal: AbortSignal): Promise<void> {
    const { database, clock } = this.#context
    const { studyInstanceUid } = study
    const answered = await this.#ask(study, signal)
    const isKept = database.transaction(() => {
      const now = findImageStudy(database, studyInstanceUid)
      if (!now || !isStillCurrent(study, now)) return false
      const merged = this.#mergedFor(now, answered)
      if (answered.answer) updateCreatedStudies(this.#context, studyInstanceUid, merged)
      const patch = enrichmentAfter(answered, now.enrichmentAttempts, merged, clock())
      updateImageStudy(database, studyInstanceUid, patch)
      return true
    })
    if (!isKept) return
    this.#note(studyInstanceUid, [], answered)
    notifyImagesChanged(this.#context)
  }

  #freeAreas(studyInstanceUid: string): StudyArea[] {
    const { database, settings } = this.#context
    return settings
      .get('intake.areas')
      .filter((area) => findStudyByUid(database, area, studyInstanceUid) === undefined)
  }

  #mergedFor(study: ImageStudyRecord, answered: EnrichmentResult | undefined): MergedValues {
    const modality = leadingModality([study.header.modality, ...study.modalities])
    const merged = mergedValues(study.header, modality, answered?.answer ?? {})
    return withCustomer(this.#context.database, merged)
  }

  #note(
    studyInstanceUid: string,
    created: readonly StudyArea[],
    { webhookId }: EnrichmentResult,
  ): void {
    const study = findImageStudy(this.#context.database, studyInstanceUid)
    if (!study) return
    const { enrichment, instances, series } = study
    const { state, detail, warnings } = enrichment
    const effect = EFFECTS[state]
    // Values that could not be used are reported as warnings on the event.
    if (webhookId !== undefined && effect)
      this.#events.setEffect(webhookId, sentences(effect, ...warnings))
    const say = (kind: FeedLine['kind'], tone: FeedLine['tone'], text: Message) =>
      appendStudyEntry(this.#context, study, kind, tone, text)
    if (created.length > 0)
      say(
        'images',
        'good',
        message('images.study-here', {
          count: instances,
          series,
          areas: created.map((area) => AREA_NAMES[area]),
        }),
      )
    // A missing partner is not reported.
    if (detail?.code === NO_PARTNER_MESSAGE.code) return
    if (state === 'waiting' && detail)
      say('enrichment', 'warning', sentences(detail, message('images.images-stand')))
    if (state === 'given-up' && detail)
      say('enrichment', 'danger', sentences(detail, message('images.not-asked-again')))
    if (state === 'done' && created.length === 0)
      say('enrichment', 'good', message('images.partner-completed'))
    for (const warning of warnings) say('enrichment', 'warning', warning)
  }
}

const EFFECTS: Partial<Record<ImageStudyRecord['enrichment']['state'], Message>> = {
  done: message('images.completed'),
  empty: message('webhooks.added-nothing'),
}

/**
 * Whether the response still applies. If the device corrected the header or a user linked an order
 * in the meantime, it does not, and the next request is due.
 */
const isStillCurrent = (asked: ImageStudyRecord, now: ImageStudyRecord): boolean =>
  identityKeyOf(asked.header) === identityKeyOf(now.header) &&
  asked.handedOut?.accessionNumber === now.handedOut?.accessionNumber
