import type { Context } from '#server/context.ts'
import type { OpenView } from '#server/http/view-authentication.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import { findEndpoint } from '#server/modules/partners/queries.ts'
import type { RefusedHosts } from '#server/modules/partners/refused-hosts.ts'
import { endpointTaking } from '#server/modules/partners/targets.ts'
import type { AnswerOf } from '#server/webhooks/answer.ts'
import type { Manifest } from '#server/webhooks/manifest.ts'
import { acceptAnswer, type EventSubject, type Requester } from '#server/webhooks/request.ts'
import type { EventData } from '#shared/contract/webhooks.ts'

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
  /** That a URL named a host that is not listed (`partners/refused-hosts`). */
  noteRefusedHost(url: string): void
  /** Parts of the answer that were left out: `path: sentence`. */
  readonly notes: readonly string[]
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
export type AskUpload = ReturnType<typeof accessAsking>['askUpload']

type AccessEvent =
  | 'study.access_requested'
  | 'ephemeral.access_requested'
  | 'secondary_capture.access_requested'

interface Asking<E extends AccessEvent> {
  readonly data: EventData<E>
  readonly apiKeyId: string | null
  readonly about: EventSubject
  readonly signal: AbortSignal
}

/**
 * How the viewer asks the partner for images and for where captures go. Both reject with
 * `WebhookError`, or the reason of the signal.
 */
export function accessAsking(
  { database, settings, studies }: Context,
  requester: Requester,
  refusedHosts: RefusedHosts,
  eventLog: Pick<EventLog, 'setEffect'>,
) {
  async function asked<E extends AccessEvent>(
    event: E,
    { data, apiKeyId, about, signal }: Asking<E>,
  ) {
    const notes: string[] = []
    let eventId = ''
    const answer = await requester.request(event, data, {
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
            notes.push(`${path}: ${sentence}`)
            reply.note(path, sentence)
          },
        })
      },
    })
    const endpointId = endpointTaking(database, event, apiKeyId)?.endpointId
    return {
      answer,
      notes,
      hosts: () =>
        endpointId === undefined ? [] : (findEndpoint(database, endpointId)?.fileHosts ?? []),
      noteRefusedHost(url: string) {
        if (endpointId !== undefined) refusedHosts.note(endpointId, url)
      },
      setEffect: (sentence: string) => eventLog.setEffect(eventId, sentence),
    }
  }

  const askImages: AskAccess = async (view, study, signal) => {
    const { answer, setEffect, ...rest } = study
      ? await asked('study.access_requested', {
          data: study as EventData<'study.access_requested'>,
          // Whoever created the study has its images.
          apiKeyId: studies.get(study.studyId)?.createdByApiKeyId ?? null,
          about: { subject: study.studyId, studyInstanceUid: study.studyInstanceUid },
          signal,
        })
      : await asked('ephemeral.access_requested', {
          ...{ data: ephemeralOf(view), apiKeyId: view.createdByApiKeyId, signal },
          about: { subject: view.viewId, studyInstanceUid: null },
        })
    const manifests = manifestsOf(answer)
    const given = { ...rest, urls: answer.urls, manifests, media: answer.mediaUrls ?? [] }
    setEffect(effectOf(given))
    return given
  }

  async function askUpload(
    data: EventData<'secondary_capture.access_requested'>,
    apiKeyId: string | null,
    signal: AbortSignal,
  ) {
    const about = { subject: data.studyId, studyInstanceUid: data.studyInstanceUid }
    const asking = { data, apiKeyId, about, signal }
    const { answer, ...rest } = await asked('secondary_capture.access_requested', asking)
    return { ...rest, uploadUrls: answer.uploadUrls }
  }

  return { askImages, askUpload }
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

function effectOf({ urls, manifests, media }: AccessAnswer): string {
  const parts = [
    counted(urls.length, 'image'),
    ...(manifests.length === 0
      ? []
      : [manifests.length === 1 ? 'a manifest' : `${manifests.length} manifests`]),
    ...(media.length === 0 ? [] : [counted(media.length, 'other file')]),
  ]
  const last = parts.pop() ?? ''
  return `Gave ${parts.length === 0 ? last : `${parts.join(', ')} and ${last}`}.`
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
