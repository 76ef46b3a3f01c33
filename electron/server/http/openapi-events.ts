import { z } from 'zod'
import { CALL_LIMITS } from '#server/webhooks/exchange.ts'
import { EVENTS, type EventType } from '#shared/contract/webhooks.ts'
import { WebhookEventId } from '#shared/ids.ts'
import { documentedAnswerSchema } from './documented-answers.ts'
import { exampleOf } from './example.ts'
import { describeFields } from './field-descriptions.ts'
import type { JsonObject, SchemaPrinter } from './json-schema.ts'

const KINDS = {
  synchronous:
    'Synchronous: a user or a device is waiting for the response. If the connection fails, the gateway retries once, immediately; other failures are not retried. After five consecutive failures for a type of event, the gateway sends no events of that type to the address for 15 seconds.',
  soft: 'Soft synchronous: a failure, a timeout or an invalid body counts as an empty response. There is no retry.',
  asynchronous:
    'Asynchronous: the gateway retries until the response is 2xx with `success: true`. The retries follow after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, and then every 24 h. Each interval varies by up to 10%, and `Retry-After` can make it longer. The event may arrive more than once, with the same `id`.',
} as const

const EVENT_TRIGGERS: Readonly<Record<EventType, string>> = {
  'study.access_requested': 'Presigned URLs of a study’s DICOM images are needed',
  'ephemeral.access_requested': 'Presigned URLs are needed for a viewer session without a study',
  'secondary_capture.access_requested': 'Presigned upload URLs for a secondary capture are needed',
  'modality_worklist.requested': 'A device queried the worklist',
  'patient_study.enrichment_requested': 'A study was created from images and needs demographics',
  'clinical_context.enrichment_requested': 'The reporting area needs clinical context',
  'report.delivered': 'A report was completed',
}

const FORMATS_TEXT =
  'Dates have the form `YYYY-MM-DD` in the clinic’s time zone. Worklist items use DICOM’s DA (`YYYYMMDD`) and TM (`HHMMSS`) instead.'
const FIELD_VALIDATION_NOTE =
  'A response without a required field is rejected. An optional field with an invalid value is ignored and recorded as a warning for the clinic; null counts as absent. Unknown fields are ignored.'

/** The operation object of an event. */
export function eventObject(type: EventType, printer: SchemaPrinter): JsonObject {
  const { kind, data } = EVENTS[type]
  const envelope = z.object({ id: WebhookEventId, type: z.literal(type), data })
  const answer = documentedAnswerSchema(type)
  const sent = printer.print(envelope, 'output')
  const expected = printer.print(answer, 'input')
  // The fields of `data` first: some of them have a description for this event only.
  const { data: sentData } = sent.properties as Readonly<Record<string, JsonObject>>
  if (sentData) describeFields(sentData, type)
  describeFields(sent, type)
  describeFields(expected, type)
  return {
    operationId: type.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary: EVENT_TRIGGERS[type],
    description: [
      KINDS[kind],
      limitsOf(type),
      FORMATS_TEXT,
      FIELD_VALIDATION_NOTE,
      SIGNATURE_TEXT,
    ].join('\n\n'),
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
        description: 'The response. Any other 2xx status is treated in the same way.',
        content: { 'application/json': { schema: expected, example: exampleOf(answer) } },
      },
      ...errorResponses(type),
    },
  }
}

const SIGNATURE_TEXT =
  'Requests are signed according to Standard Webhooks. Verify the signature before you parse the body.'

function limitsOf(type: EventType): string {
  const { budgetMs, answerBytes } = CALL_LIMITS[type]
  return `Respond within ${budgetMs / 1000} seconds, unless the clinic has configured another time. The response may be up to ${answerBytes / 1024 / 1024} MiB in size, whether or not it is compressed.`
}

const FAILURE_EFFECTS = {
  synchronous: 'the user or the device gets an error',
  soft: 'the gateway continues without a response',
  asynchronous: 'the event is retried later',
} as const

/** What responses other than 2xx mean. Their bodies are shown to the clinic but not evaluated. */
function errorResponses(type: EventType): JsonObject {
  const { kind } = EVENTS[type]
  const failure = FAILURE_EFFECTS[kind]
  const retryAfterNote =
    kind === 'asynchronous' && '`Retry-After`, as seconds or as a date, delays the next attempt.'
  return {
    '3XX': { description: `Redirects are not followed: ${failure}.` },
    400: {
      description: `The signature or the event is invalid: ${failure}.`,
    },
    410: {
      description:
        kind === 'asynchronous'
          ? 'Reports are no longer sent to this address until the clinic enables it again.'
          : `Treated as any other failure: ${failure}.`,
    },
    429: {
      description: [
        `Too many events: ${failure}.`,
        ...(retryAfterNote ? [retryAfterNote] : []),
      ].join(' '),
      ...(retryAfterNote && {
        headers: { 'retry-after': { $ref: '#/components/headers/WebhookRetryAfter' } },
      }),
    },
    '5XX': { description: `Error at the partner: ${failure}.` },
  }
}
