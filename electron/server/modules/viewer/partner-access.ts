import type { Context } from '#server/context.ts'
import type { OpenView } from '#server/http/callers.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import { findEndpoint } from '#server/modules/partners/queries.ts'
import type { RefusedHosts } from '#server/modules/partners/refused-hosts.ts'
import { endpointFor } from '#server/modules/partners/targets.ts'
import { findStudy } from '#server/modules/studies/study-queries.ts'
import type { AnswerOf } from '#server/webhooks/answer.ts'
import type { Manifest } from '#server/webhooks/manifest.ts'
import { acceptAnswer, type EventSubject, type Requester } from '#server/webhooks/request.ts'
import type { AnswerNote } from '#shared/contract/events.ts'
import type { EventData } from '#shared/contract/webhooks.ts'
import { type Message, message } from '#shared/messages/message.ts'

/** The study whose images are requested; an ephemeral session has none. */
export interface RequestedStudy {
  readonly studyId: string
  readonly studyInstanceUid: string
}

export interface AccessMedium {
  readonly url: string
  readonly mimeType: string
  readonly fileName?: string | undefined
}

/** A partner's response to `study.access_requested` or `ephemeral.access_requested`. */
export interface AccessAnswer {
  readonly urls: readonly string[]
  /** At most one for a study; any number for an ephemeral session. */
  readonly manifests: readonly Manifest[]
  readonly media: readonly AccessMedium[]
  /** The current `fileHosts` of the endpoint. */
  hosts(): readonly string[]
  /** Records a URL whose host is not in `fileHosts` (`RefusedHosts`). */
  noteRefusedHost(url: string): void
  /** Notes on parts of the response that were left out. */
  readonly notes: readonly AnswerNote[]
}

/**
 * Requests images from the partner that has them. `study` is null for an ephemeral session, which
 * `view.ephemeral` specifies.
 * @throws WebhookError, with the fault `no-endpoint` if no endpoint receives the event; the abort
 *   reason of `signal`
 */
export type AskAccess = (
  view: OpenView,
  study: RequestedStudy | null,
  signal: AbortSignal,
) => Promise<AccessAnswer>

/**
 * Requests the upload URLs of a capture from the partner.
 * @throws WebhookError; the abort reason of `signal`
 */
export type AskUpload = PartnerAccess['askUpload']

type AccessEvent =
  | 'study.access_requested'
  | 'ephemeral.access_requested'
  | 'secondary_capture.access_requested'

/** Requests images and upload URLs for captures from the partner. */
export class PartnerAccess {
  readonly #context: Context
  readonly #requester: Requester
  readonly #refusedHosts: RefusedHosts
  readonly #eventLog: Pick<EventLog, 'setEffect'>

  constructor(
    context: Context,
    requester: Requester,
    refusedHosts: RefusedHosts,
    eventLog: Pick<EventLog, 'setEffect'>,
  ) {
    this.#context = context
    this.#requester = requester
    this.#refusedHosts = refusedHosts
    this.#eventLog = eventLog
  }

  askImages: AskAccess = async (view, study, signal) => {
    const { answer, setEffect, ...rest } = study
      ? await this.#ask(
          'study.access_requested',
          study as EventData<'study.access_requested'>,
          // The partner that created the study has its images.
          findStudy(this.#context.database, study.studyId)?.createdByApiKeyId ?? null,
          { subject: study.studyId, studyInstanceUid: study.studyInstanceUid },
          signal,
        )
      : await this.#ask(
          'ephemeral.access_requested',
          ephemeralRequest(view),
          view.createdByApiKeyId,
          { subject: view.viewId, studyInstanceUid: null },
          signal,
        )
    const manifests = manifestsOf(answer)
    const access = { ...rest, urls: answer.urls, manifests, media: answer.mediaUrls ?? [] }
    setEffect(effectOf(access))
    return access
  }

  askUpload = async (
    data: EventData<'secondary_capture.access_requested'>,
    apiKeyId: string | null,
    signal: AbortSignal,
  ) => {
    const { studyId: subject, studyInstanceUid } = data
    const about = { subject, studyInstanceUid }
    const event = 'secondary_capture.access_requested'
    const { answer, ...rest } = await this.#ask(event, data, apiKeyId, about, signal)
    return { ...rest, uploadUrls: answer.uploadUrls }
  }

  async #ask<E extends AccessEvent>(
    event: E,
    data: EventData<E>,
    apiKeyId: string | null,
    about: EventSubject,
    signal: AbortSignal,
  ) {
    const { database, settings } = this.#context
    const notes: AnswerNote[] = []
    let eventId = ''
    const answer = await this.#requester.request(event, data, {
      ...{ about, signal, apiKeyId },
      accept(reply) {
        eventId = reply.webhookId
        const accept = acceptAnswer(event, {
          plaintextHosts: settings.get('partner.plaintextHosts'),
          ...(about.studyInstanceUid !== null && { studyInstanceUid: about.studyInstanceUid }),
        })
        return accept({
          ...reply,
          note(path, sentence) {
            notes.push({ path, sentence })
            reply.note(path, sentence)
          },
        })
      },
    })
    const endpointId = endpointFor(database, event, apiKeyId)?.endpointId
    return {
      answer,
      notes,
      hosts: () =>
        endpointId === undefined ? [] : (findEndpoint(database, endpointId)?.fileHosts ?? []),
      noteRefusedHost: (url: string): void => {
        if (endpointId !== undefined) this.#refusedHosts.note(endpointId, url)
      },
      setEffect: (effect: Message) => this.#eventLog.setEffect(eventId, effect),
    }
  }
}

function ephemeralRequest({ ephemeral }: OpenView): EventData<'ephemeral.access_requested'> {
  const { retrievalId = '', options } = ephemeral ?? {}
  return { retrievalId, ...(options && { options }) }
}

type ImageAnswer = AnswerOf<'study.access_requested'> | AnswerOf<'ephemeral.access_requested'>
const manifestsOf = (answer: ImageAnswer) =>
  'manifests' in answer
    ? (answer.manifests ?? [])
    : 'manifest' in answer && answer.manifest
      ? [answer.manifest]
      : []

function effectOf({ urls, manifests, media }: AccessAnswer): Message {
  const what = [
    message('viewer.given-images', { count: urls.length }),
    ...(manifests.length > 0
      ? [message('viewer.given-manifests', { count: manifests.length })]
      : []),
    ...(media.length > 0 ? [message('viewer.given-files', { count: media.length })] : []),
  ]
  return message('viewer.partner-gave', { what })
}
