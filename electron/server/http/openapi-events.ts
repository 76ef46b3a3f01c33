import { z } from 'zod'
import { CALL_LIMITS } from '#server/webhooks/exchange.ts'
import { EVENTS, type EventType } from '#shared/contract/webhooks.ts'
import { WebhookEventId } from '#shared/ids.ts'
import { documentedAnswer } from './documented-answers.ts'
import { exampleOf } from './example.ts'
import { describeFields } from './field-descriptions.ts'
import type { JsonObject, SchemaPrinter } from './json-schema.ts'

const KINDS = {
  synchronous:
    'Synchronous: somebody is waiting. If no connection can be made, it is tried once more at once; otherwise there is no retry. After five failures in a row the gateway pauses for 15 seconds.',
  soft: 'Soft synchronous: a failure, a timeout or an invalid body counts as an empty answer. There is no retry.',
  asynchronous:
    'Asynchronous: sent until it is answered with 2xx and `success: true`; again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h, and then every 24 h, each 10 % more or less, later where `Retry-After` asks for it. It may arrive more than once, with the same `id`.',
} as const

const EVENT_WHEN: Readonly<Record<EventType, string>> = {
  'study.access_requested': 'Presigned URLs of a study’s DICOM images are needed',
  'ephemeral.access_requested': 'Presigned URLs are needed for a viewer session without a study',
  'secondary_capture.access_requested': 'Presigned upload URLs for a secondary capture are needed',
  'modality_worklist.requested': 'A modality asked for its worklist',
  'patient_study.enrichment_requested': 'A study was created from images and needs demographics',
  'clinical_context.enrichment_requested': 'The reporting area needs clinical context',
  'report.delivered': 'A report was completed',
}

const FORMS =
  'Days are `YYYY-MM-DD` in the clinic’s time zone, except in worklist items, which have DICOM’s DA (`YYYYMMDD`) and TM (`HHMMSS`).'
const PARTS =
  'Required fields of the answer are required. Each optional field is judged on its own: one that cannot be used is left out with a remark that the clinic sees, and null counts as absent. Unknown fields are ignored.'

/** The operation object of an event. */
export function eventObject(type: EventType, printer: SchemaPrinter): JsonObject {
  const { kind, data } = EVENTS[type]
  const envelope = z.object({ id: WebhookEventId, type: z.literal(type), data })
  const answer = documentedAnswer(type)
  const sent = printer.print(envelope, 'output')
  const expected = printer.print(answer, 'input')
  describeFields(sent, type)
  describeFields(expected, type)
  return {
    operationId: type.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary: EVENT_WHEN[type],
    description: [KINDS[kind], limitsOf(type), FORMS, PARTS, SIGNED].join('\n\n'),
    tags: ['Events'],
    security: [],
    parameters: ['WebhookId', 'WebhookTimestamp', 'WebhookSignature'].map((name) => ({
      $ref: `#/components/parameters/${name}`,
    })),
    requestBody: {
      description: 'The event. The signature covers exactly these bytes.',
      required: true,
      content: { 'application/json': { schema: sent, example: exampleOf(envelope) } },
    },
    responses: {
      200: {
        description: 'The answer. Any other 2xx is read in the same way.',
        content: { 'application/json': { schema: expected, example: exampleOf(answer) } },
      },
      ...otherAnswers(type),
    },
  }
}

const SIGNED = 'Signed by Standard Webhooks: verify the headers before you read the body.'

function limitsOf(type: EventType): string {
  const { budgetMs, answerBytes } = CALL_LIMITS[type]
  return `Answer within ${budgetMs / 1000} seconds, unless the clinic chose another time. The answer may have ${answerBytes / 1024 / 1024} MiB, compressed or not.`
}

const FAILURES = {
  synchronous: 'the person who is waiting sees an error',
  soft: 'the gateway goes on without an answer',
  asynchronous: 'it is sent again later',
} as const

/** What answers that are not 2xx mean; their bodies are shown to the clinic and not read. */
function otherAnswers(type: EventType): JsonObject {
  const { kind } = EVENTS[type]
  const failure = FAILURES[kind]
  const wait =
    kind === 'asynchronous' && '`Retry-After`, in seconds or as a date, delays the next attempt.'
  return {
    '3XX': { description: `A redirect is not followed: ${failure}.` },
    400: {
      description: `The signature is not valid, or the event cannot be read: ${failure}.`,
    },
    410: {
      description:
        kind === 'asynchronous'
          ? 'Switches the address off for reports, until somebody in the clinic switches it on.'
          : `A failure like any other: ${failure}.`,
    },
    429: {
      description: [`Too many events: ${failure}.`, ...(wait ? [wait] : [])].join(' '),
      ...(wait && {
        headers: { 'retry-after': { $ref: '#/components/headers/WebhookRetryAfter' } },
      }),
    },
    '5XX': { description: `An error at the partner: ${failure}.` },
  }
}
