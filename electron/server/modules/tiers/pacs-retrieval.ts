import { setTimeout as sleep } from 'node:timers/promises'
import { readSecret } from '#server/configuration/secret-queries.ts'
import type { Context } from '#server/context.ts'
import type { CStoreScp } from '#server/dicom/dimse/service.ts'
import { storePart } from '#server/modules/dicomweb/storing.ts'
import { readParts } from '#server/modules/dicomweb/uploads.ts'
import type { DestinationRecord } from '#server/modules/forwarding/destination-queries.ts'
import { requireDestination } from '#server/modules/forwarding/destinations.ts'
import type { Forwarding } from '#server/modules/forwarding/forwarding.ts'
import type { IsFetching } from '#server/modules/images/image-receiver.ts'
import { findInstance, type InstanceRecord } from '#server/modules/images/instance-queries.ts'
import { sumRemoved } from '#server/modules/images/local-file-queries.ts'
import type { StudyCompletion } from '#server/modules/images/study-completion.ts'
import { admitStoreUrl } from '#server/webhooks/address.ts'
import { discardBody } from '#server/webhooks/response-body.ts'
import type { PriorRetrieval } from '#shared/contract/destinations.ts'
import type { DicomwebSettings, PacsSettings } from '#shared/contract/tiers.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'
import type { RecallCache } from './recall-cache.ts'
import { secretNameOf, type TierConnections } from './stores.ts'
import type { TierRecord } from './tier-queries.ts'

/** Milliseconds without an answer, or without a byte of it, after which a request fails. */
const MAX_SILENCE_MS = 30_000
/** Pause after all retrievals of the gateway are in use. */
const BUSY_PAUSE_MS = 500

/** The PACS did not send the image. */
class PacsFault extends MessageError {}

type DicomwebTier = TierRecord & { readonly settings: DicomwebSettings }
type DimseTier = TierRecord & { readonly settings: PacsSettings }

/**
 * Retrieves images from a PACS: the study by C-MOVE, or single instances by WADO-RS. Either way the
 * images are received like those of any device, and replace the files that were removed.
 */
export class PacsRetrieval {
  readonly #context: Context
  readonly #connections: TierConnections
  readonly #forwarding: Forwarding
  readonly #receiver: CStoreScp
  readonly #completion: Pick<StudyCompletion, 'associationClosed'>
  readonly #cache: RecallCache
  /** AE titles by which the received images of a WADO-RS retrieval are recognized. */
  readonly #running = new Map<string, number>()
  /** Studies that are being retrieved by C-MOVE. */
  readonly #movingStudies = new Set<string>()

  constructor(
    context: Context,
    connections: TierConnections,
    forwarding: Forwarding,
    receiver: CStoreScp,
    completion: Pick<StudyCompletion, 'associationClosed'>,
    cache: RecallCache,
  ) {
    this.#context = context
    this.#connections = connections
    this.#forwarding = forwarding
    this.#receiver = receiver
    this.#completion = completion
    this.#cache = cache
  }

  /** Whether images from this caller were requested here. */
  expects: IsFetching = (callingAeTitle) => this.#running.has(callingAeTitle)

  /** Whether images of the study arrive because one of them was asked for here. */
  isMoving = (studyInstanceUid: string): boolean => this.#movingStudies.has(studyInstanceUid)

  /** @throws MessageError, errors of the network, the reason of the signal */
  async retrieve(tier: TierRecord, instance: InstanceRecord, signal: AbortSignal): Promise<void> {
    const hasLocalFile = () =>
      findInstance(this.#context.database, instance.instanceId)?.localRemovedAt === null
    if (isDicomweb(tier)) await this.#get(tier, instance, signal)
    else if (isDimse(tier)) await this.#move(tier, instance, hasLocalFile, signal)
    if (!hasLocalFile()) throw new PacsFault(message('tiers.not-in-pacs'))
  }

  /** Retrieves the study, of which further images are usually wanted; ends when the image is here. */
  async #move(
    { settings }: DimseTier,
    { studyInstanceUid }: InstanceRecord,
    isHere: () => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const { database } = this.#context
    const { pulls } = this.#forwarding
    const destination = requireDestination(database, settings.destinationId)
    let pull: PriorRetrieval | undefined
    for (;;) {
      if (isHere()) return
      pull = await this.#startMove(destination, studyInstanceUid)
      if (pull) break
      await sleep(BUSY_PAUSE_MS, undefined, { signal })
    }
    const arrived = Promise.withResolvers<void>()
    const abort = () => arrived.reject(signal.reason)
    const unsubscribe = database.subscribe('returned files', () => isHere() && arrived.resolve())
    signal.addEventListener('abort', abort, { once: true })
    try {
      if (!isHere()) await Promise.race([arrived.promise, pulls.ended(pull.pullId)])
    } finally {
      unsubscribe()
      signal.removeEventListener('abort', abort)
    }
    const { detail, state } = pulls.list().find(({ pullId }) => pullId === pull.pullId) ?? pull
    if (!isHere() && state === 'failed' && detail) throw new PacsFault(detail)
  }

  /**
   * Starts a C-MOVE with space for the whole study, or returns the running one of the study.
   * Undefined if too many are running.
   * @throws NoSpaceFault
   */
  async #startMove(
    destination: DestinationRecord,
    studyInstanceUid: string,
  ): Promise<PriorRetrieval | undefined> {
    const { pulls } = this.#forwarding
    const mayStart = () => pulls.mayStart(destination, studyInstanceUid)
    const start = () => pulls.start(destination, studyInstanceUid, 'gateway')
    if (!mayStart()) return undefined
    if (this.#movingStudies.has(studyInstanceUid)) return start()
    const { bytes } = sumRemoved(this.#context.database, studyInstanceUid)
    using reserved = new DisposableStack()
    reserved.defer(await this.#cache.reserve(bytes))
    // Others may have been started meanwhile.
    if (!mayStart()) return undefined
    const pull = start()
    this.#movingStudies.add(studyInstanceUid)
    reserved.defer(() => this.#movingStudies.delete(studyInstanceUid))
    const kept = reserved.move()
    // Other images of the study arrive after the one that was asked for.
    void pulls.ended(pull.pullId).then(() => kept.dispose())
    return pull
  }

  /** PS3.18 10.4: the instance in the transfer syntax in which the PACS keeps it. */
  async #get(
    tier: DicomwebTier,
    { instanceId, studyInstanceUid, seriesInstanceUid, sopInstanceUid }: InstanceRecord,
    signal: AbortSignal,
  ): Promise<void> {
    const path = `/studies/${studyInstanceUid}/series/${seriesInstanceUid}/instances/${sopInstanceUid}`
    const accept = 'multipart/related; type="application/dicom"; transfer-syntax=*'
    const { headers, body } = await this.#request(tier, path, accept, signal)
    const association = {
      associationId: this.#context.uuid(),
      callingAeTitle: `TIER-${tier.tierId.slice(0, 8).toUpperCase()}`,
      calledAeTitle: this.#context.settings.get('dimse.aeTitle'),
      remoteAddress: new URL(tier.settings.url).hostname,
    }
    const { callingAeTitle } = association
    this.#running.set(callingAeTitle, (this.#running.get(callingAeTitle) ?? 0) + 1)
    try {
      await readParts(String(headers['content-type']), body, async (part) => {
        // It may have been erased meanwhile.
        if (!findInstance(this.#context.database, instanceId))
          throw new ApiError('not-found', message('images.none-such'))
        const call = { signal }
        const stored = await storePart(
          ...([this.#context, this.#receiver, association, call] as const),
          ...([part, studyInstanceUid, instanceId] as const),
        )
        if (stored.status !== 0) throw new PacsFault(message('tiers.not-in-pacs'))
      })
    } finally {
      const left = (this.#running.get(callingAeTitle) ?? 1) - 1
      if (left > 0) this.#running.set(callingAeTitle, left)
      else this.#running.delete(callingAeTitle)
      const closed = { kind: 'released', detail: null } as const
      this.#completion.associationClosed(association.associationId, closed)
    }
  }

  async #request(
    { tierId, settings, ...tier }: DicomwebTier,
    path: string,
    accept: string,
    signal: AbortSignal,
  ) {
    const agents = this.#connections.agentsOf({ tierId, settings, ...tier }, settings.certificate)
    const { url, route } = admitStoreUrl(settings.url.replace(/\/+$/, '') + path, agents.isOwn)
    const password = readSecret(this.#context, secretNameOf(tierId)) ?? ''
    const basicCredentials = Buffer.from(`${settings.user}:${password}`).toString('base64')
    const response = await agents.of[route].request({
      ...{ origin: url.origin, path: url.pathname + url.search, method: 'GET', signal },
      ...{ headersTimeout: MAX_SILENCE_MS, bodyTimeout: MAX_SILENCE_MS },
      headers: {
        accept,
        ...(settings.user !== '' && { authorization: `Basic ${basicCredentials}` }),
      },
    })
    const { statusCode } = response
    if (statusCode === 200 || statusCode === 204) return response
    throw discardBody(response, new PacsFault(faultOf(statusCode)))
  }

  /** C-ECHO, or a search for one study. @throws as `retrieve` */
  async test(tier: TierRecord): Promise<Message> {
    if (isDimse(tier)) {
      const { success, message: outcome } = await this.#forwarding.echo(tier.settings.destinationId)
      if (!success) throw new PacsFault(outcome)
    } else if (isDicomweb(tier)) {
      const signal = AbortSignal.timeout(MAX_SILENCE_MS)
      const found = await this.#request(tier, '/studies?limit=1', 'application/dicom+json', signal)
      await found.body.dump()
    }
    return message('tiers.test-passed-pacs')
  }
}

function faultOf(status: number): Message {
  if (status === 404) return message('tiers.not-in-pacs')
  if (status === 401 || status === 403) return message('tiers.pacs-access-denied')
  return message('tiers.pacs-error', { status })
}

const isDicomweb = (tier: TierRecord): tier is DicomwebTier => tier.settings.kind === 'dicomweb'
const isDimse = (tier: TierRecord): tier is DimseTier => tier.settings.kind === 'pacs'
