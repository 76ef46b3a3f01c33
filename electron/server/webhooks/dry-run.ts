import { type AnswerNote, kindOf, type Verdict } from '#shared/contract/events.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import { type AnswerContext, type AnswerOf, readAnswerWithNotes } from './answer.ts'
import type { Manifest } from './manifest.ts'
import { WebhookError } from './webhook-error.ts'

/** What the gateway would make of a body as the answer to an event; nothing is kept. */
export function dryRun<T extends EventType>(
  type: T,
  body: Buffer,
  context: AnswerContext = {},
): Verdict {
  try {
    const { answer, notes } = readAnswerWithNotes(type, body, context)
    return {
      outcome: 'accepted',
      sentence: `${USES[type](answer)}${leftOut(notes)}`,
      notes: [...notes],
      used: JSON.stringify(answer, null, 2),
    }
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    return {
      outcome: error.fault,
      sentence: `${inWords(error)} ${FAILURES[kindOf(type)]}`,
      notes: [],
      used: null,
    }
  }
}

const inWords = ({ fault, detail }: WebhookError) =>
  fault === 'refused' ? `The partner refuses: ${detail}.` : `The answer cannot be used: ${detail}.`

/** what a failure means. */
const FAILURES = {
  synchronous: 'Whoever asked would be told that it failed.',
  soft: 'It would count as an answer without anything in it.',
  asynchronous: 'The report would not count as delivered, and would be sent again.',
} as const

/** One sentence on what would be used. */
const USES: { readonly [T in EventType]: (answer: AnswerOf<T>) => string } = {
  'study.access_requested': ({ urls, mediaUrls, manifest }) =>
    `${counted(urls.length, 'file')} would be loaded${withMedia(mediaUrls)}${manifest ? `, by a manifest of ${instancesOf([manifest])}` : ', without a manifest'}.`,
  'ephemeral.access_requested': ({ urls, mediaUrls, manifests = [] }) =>
    `${counted(urls.length, 'file')} would be loaded${withMedia(mediaUrls)}${manifests.length > 0 ? `, by ${counted(manifests.length, 'manifest')} of ${instancesOf(manifests)}` : ', without a manifest'}.`,
  'secondary_capture.access_requested': ({ uploadUrls }) =>
    uploadUrls.length === 0
      ? 'There is no URL to upload to.'
      : `The capture would be uploaded to ${counted(uploadUrls.length, 'URL')}.`,
  'modality_worklist.requested': ({ items }) =>
    `${counted(items.length, 'exam')} would be read, each for itself.`,
  'patient_study.enrichment_requested': (answer) => fieldsOf(answer),
  'clinical_context.enrichment_requested': (answer) => fieldsOf(answer),
  'report.delivered': () => 'The report would count as delivered.',
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
const withMedia = (media: readonly unknown[] = []) =>
  media.length > 0 ? ` with ${counted(media.length, 'other file')}` : ''
const instancesOf = (manifests: readonly Manifest[]) =>
  counted(
    manifests.flatMap(({ series }) => series).reduce((total, { sops }) => total + sops.length, 0),
    'instance',
  )

function fieldsOf(answer: object): string {
  const names = Object.keys(answer)
  return names.length === 0
    ? 'It is an answer without anything in it.'
    : `It would be used for ${names.join(', ')}.`
}

function leftOut(notes: readonly AnswerNote[]): string {
  if (notes.length === 0) return ''
  return notes.length === 1
    ? ' One part of it is not as agreed.'
    : ` ${notes.length} parts of it are not as agreed.`
}
