import { type AnswerNote, kindOf, type Verdict } from '#shared/contract/events.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import { type Message, message, sentences } from '#shared/messages/message.ts'
import { type AnswerContext, type AnswerOf, readAnswerWithNotes } from './answer.ts'
import type { Manifest } from './manifest.ts'
import { WebhookError } from './webhook-error.ts'

/** Shows how the gateway would interpret a body as the answer to an event. Nothing is stored. */
export function dryRun<T extends EventType>(
  type: T,
  body: Buffer,
  context: AnswerContext = {},
): Verdict {
  try {
    const { answer, notes } = readAnswerWithNotes(type, body, context)
    return {
      outcome: 'accepted',
      sentence: sentences(USES[type](answer), notAsAgreed(notes)),
      notes: [...notes],
      used: JSON.stringify(answer, null, 2),
    }
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    return {
      outcome: error.fault,
      sentence: sentences(fieldName(error), FAILURES[kindOf(type)]),
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
const FAILURES = {
  synchronous: message('webhooks.failure-synchronous'),
  soft: message('webhooks.failure-soft'),
  asynchronous: message('webhooks.failure-asynchronous'),
} as const

/** Describes what would be used of an answer, in one sentence. */
const USES: { readonly [T in EventType]: (answer: AnswerOf<T>) => Message } = {
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

const notAsAgreed = (notes: readonly AnswerNote[]) =>
  notes.length === 0 ? undefined : message('webhooks.parts-not-as-agreed', { parts: notes.length })
