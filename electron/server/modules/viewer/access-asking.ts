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

/** The study that is asked for; of an ephemeral session there is none. */
export interface AskedStudy {
  readonly studyId: string
  readonly studyInstanceUid: string
}

export interface AccessMedium {
  readonly url: string
  readonly mimeType: string
  readonly fileName?: string | undefined
}

/** What a partner answered to `study.access_requested` or `ephemeral.access_requested`. */
export interface AccessAnswer {
  readonly urls: readonly string[]
  /** None or one of a study; any number of an ephemeral session. */
  readonly manifests: readonly Manifest[]
  readonly media: readonly AccessMedium[]
  /** The endpoint's `fileHosts` as they are now. */
  hosts(): readonly string[]
  /** That a URL named a host that is not listed (`RefusedHosts`). */
  noteRefusedHost(url: string): void
  /** Parts of the answer that were left out. */
  readonly notes: readonly AnswerNote[]
}

/**
 * Asks the partner whose images they are. `study` is null for an ephemeral session (then
 * `view.ephemeral` says what is asked). @throws WebhookError, of
 * `no-endpoint` where no endpoint takes the event; the reason of `signal`
 */
export type AskAccess = (
  view: OpenView,
  study: AskedStudy | null,
  signal: AbortSignal,
) => Promise<AccessAnswer>

/** Asks the partner where a capture goes. @throws WebhookError; the reason of `signal` */
export type AskUpload = PartnerAccess['askUpload']

type AccessEvent =
  | 'study.access_requested'
  | 'ephemeral.access_requested'
  | 'secondary_capture.access_requested'

/** How the viewer asks the partner for images and for where captures go. */
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
          // Whoever created the study has its images.
          findStudy(this.#context.database, study.studyId)?.createdByApiKeyId ?? null,
          { subject: study.studyId, studyInstanceUid: study.studyInstanceUid },
          signal,
        )
      : await this.#ask(
          'ephemeral.access_requested',
          ephemeralOf(view),
          view.createdByApiKeyId,
          { subject: view.viewId, studyInstanceUid: null },
          signal,
        )
    const manifests = manifestsOf(answer)
    const given = { ...rest, urls: answer.urls, manifests, media: answer.mediaUrls ?? [] }
    setEffect(effectOf(given))
    return given
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

function ephemeralOf({ ephemeral }: OpenView): EventData<'ephemeral.access_requested'> {
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
