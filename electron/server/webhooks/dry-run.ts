import { type AnswerNote, kindOf, type Verdict } from '#shared/contract/events.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import { type Message, message, sentences } from '#shared/messages/message.ts'
import { admitFileUrl } from './address.ts'
import { type AnswerContext, type AnswerOf, readAnswerWithNotes } from './answer.ts'
import type { Manifest } from './manifest.ts'
import { WebhookError } from './webhook-error.ts'

export interface DryRunContext extends AnswerContext {
  /** The endpoint's `fileHosts`; without it, hosts are not checked. */
  readonly fileHosts?: readonly string[]
}

/**
 * Shows what the gateway would do with a body as the answer to an event, including the URLs that it
 * would not request. Nothing is stored or requested.
 */
export function dryRun<T extends EventType>(
  type: T,
  body: Buffer,
  context: DryRunContext = {},
): Verdict {
  try {
    const { answer, notes } = readAnswerWithNotes(type, body, context)
    return {
      outcome: 'accepted',
      sentence: sentences(
        USE_MESSAGES[type](answer),
        refusedUrls(answer, context),
        deviations(notes),
      ),
      notes: [...notes],
      used: JSON.stringify(answer, null, 2),
    }
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    return {
      outcome: error.fault,
      sentence: sentences(fieldName(error), FAILURE_MESSAGES[kindOf(type)]),
      notes: [],
      used: null,
    }
  }
}

const fieldName = ({ fault, detail }: WebhookError) =>
  fault === 'refused'
    ? message('webhooks.partner-refuses', { reason: detail })
    : message('webhooks.answer-unusable', { why: detail })

/** The consequence of a failure, by event. */
const FAILURE_MESSAGES = {
  synchronous: message('webhooks.failure-synchronous'),
  soft: message('webhooks.failure-soft'),
  asynchronous: message('webhooks.failure-asynchronous'),
} as const

/** Describes what would be used of an answer, in one sentence. */
const USE_MESSAGES: { readonly [T in EventType]: (answer: AnswerOf<T>) => Message } = {
  'study.access_requested': ({ urls, mediaUrls = [], manifest }) =>
    manifest
      ? message('webhooks.would-load-by-manifest', {
          files: urls.length,
          media: mediaUrls.length,
          instances: instancesOf([manifest]),
        })
      : message('webhooks.would-load', { files: urls.length, media: mediaUrls.length }),
  'ephemeral.access_requested': ({ urls, mediaUrls = [], manifests = [] }) =>
    manifests.length > 0
      ? message('webhooks.would-load-by-manifests', {
          files: urls.length,
          media: mediaUrls.length,
          manifests: manifests.length,
          instances: instancesOf(manifests),
        })
      : message('webhooks.would-load', { files: urls.length, media: mediaUrls.length }),
  'secondary_capture.access_requested': ({ uploadUrls }) =>
    message('webhooks.would-upload', { urls: uploadUrls.length }),
  'modality_worklist.requested': ({ items }) =>
    message('webhooks.would-read-exams', { exams: items.length }),
  'patient_study.enrichment_requested': (answer) => fieldsOf(answer),
  'clinical_context.enrichment_requested': (answer) => fieldsOf(answer),
  'report.delivered': () => message('webhooks.would-be-delivered'),
}

const instancesOf = (manifests: readonly Manifest[]) =>
  manifests.flatMap(({ series }) => series).reduce((total, { sops }) => total + sops.length, 0)

function fieldsOf(answer: object): Message {
  const names = Object.keys(answer)
  return names.length === 0
    ? message('webhooks.would-use-nothing')
    : message('webhooks.would-use', { fields: names.join(', ') })
}

/** The URLs of an answer that an event would not request, and why the first of them. */
function refusedUrls(answer: object, { fileHosts, plaintextHosts = [] }: DryRunContext) {
  if (!fileHosts) return undefined
  const { urls = [], uploadUrls = [], mediaUrls = [], documentUrls = [] } = answer as FileUrls
  const named = [...mediaUrls, ...documentUrls].map(({ url }) => url)
  const faults = [...urls, ...uploadUrls, ...named].flatMap((url) => {
    try {
      admitFileUrl(url, fileHosts, plaintextHosts)
      return []
    } catch (error) {
      if (error instanceof WebhookError) return [error.detail]
      throw error
    }
  })
  const [why] = faults
  return why && message('webhooks.would-not-request', { urls: faults.length, why })
}

interface FileUrls {
  readonly urls?: readonly string[]
  readonly uploadUrls?: readonly string[]
  readonly mediaUrls?: readonly { readonly url: string }[]
  readonly documentUrls?: readonly { readonly url: string }[]
}

const deviations = (notes: readonly AnswerNote[]) =>
  notes.length === 0 ? undefined : message('webhooks.parts-not-as-agreed', { parts: notes.length })
