import { z } from 'zod'
import { Problem } from '#shared/contract/conventions.ts'
import { interfaceOperations } from '#shared/contract/operations.ts'
import { EVENTS, type EventType, WorklistItem } from '#shared/contract/webhooks.ts'
import { ERRORS, type ErrorCode } from '#shared/errors.ts'
import { WebhookEventId } from '#shared/ids.ts'
import type { Operation, OperationFor, PartnerAccess } from '#shared/operation.ts'
import { exampleOf } from './example.ts'
import { type JsonObject, type SchemaPrinter, schemaPrinter } from './json-schema.ts'

/** Sections of the reference by path prefix; the first match counts. */
const TAGS = {
  '/v1/express': ['Express customers', 'Customers group users and studies.'],
  '/v1/orgs': [
    'Organizations',
    'Legacy: a record of its own, never interchangeable with an Express customer.',
  ],
  '/v1/viewer/users': [
    'Viewer users',
    'Users and their invitations. Users are one table that both areas read.',
  ],
  '/v1/viewer/': [
    'Viewer studies',
    'Studies by DICOM Study Instance UID, and the viewer’s URLs. These calls need a key with the viewer area.',
  ],
  '/v1/scribe/users': ['Scribe users', 'Users who may sign reports, and their invitations.'],
  '/v1/scribe/reports': ['Scribe reports', 'Text, PDF links and addenda of completed reports.'],
  '/v1/scribe/': ['Scribe studies', 'Studies with patient and scan metadata for reporting.'],
} as const

const KINDS = {
  synchronous: 'Synchronous: the answer is needed within the time limit; a failure is an error.',
  soft: 'Soft synchronous: a failure, timeout or invalid body counts as an empty response.',
  asynchronous:
    'Asynchronous: sent again with growing pauses until it is answered with 2xx and `success: true`.',
} as const

const EVENT_WHEN: Readonly<Record<EventType, string>> = {
  'study.access_requested': 'Presigned URLs of a study’s DICOM images are needed',
  'ephemeral.access_requested': 'Presigned URLs are needed for a viewer session without a study',
  'secondary_capture.access_requested': 'Presigned upload URLs for a secondary capture are needed',
  'modality_worklist.requested': 'A modality asked for its worklist',
  'patient_study.enrichment_requested': 'A study was seeded from images and wants demographics',
  'clinical_context.enrichment_requested': 'The reporting area wants clinical context',
  'report.delivered': 'A report was completed',
}

/**
 * The partner interface as an OpenAPI 3.1 document, generated from the contract: operations,
 * webhook events and errors.
 */
export function openApiDocument({ version }: { readonly version: string }): JsonObject {
  const printer = schemaPrinter()
  const paths: Record<string, JsonObject> = {}
  for (const { operationId, operation } of interfaceOperations()) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: operationObject(operationId, operation, printer),
    }
  }
  const webhooks = Object.fromEntries(
    (Object.keys(EVENTS) as EventType[]).map((type) => [
      type,
      { post: webhookObject(type, printer) },
    ]),
  )
  printer.print(z.object({ problem: Problem }), 'output')
  return {
    openapi: '3.1.0',
    info: {
      title: 'Isthmus imaging gateway',
      version,
      summary:
        'Customers, studies, users and reports of an on-premises imaging gateway, and the events it sends.',
      description:
        'Every call needs an API key: `Authorization: Bearer sk_live_…`. Lists are newest first, by opaque cursors that belong to their filters. ' +
        'Refusals are `application/problem+json`. Every POST takes an `Idempotency-Key`; `Prefer: handling=strict` refuses unknown body fields.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This gateway' }],
    tags: [
      ...Object.values(TAGS),
      ['Events', 'What the gateway asks of the partner’s webhook, and tells it.'],
    ].map(([name, description]) => ({
      name,
      description,
    })),
    security: [{ apiKey: [] }],
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'sk_live_ and 32 hex digits',
          description: 'Made in the window, shown once.',
        },
      },
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: Object.fromEntries(
        Object.keys(ERRORS).map((code) => [code, problemResponse(code as ErrorCode)]),
      ),
      schemas: Object.fromEntries([...printer.components].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

function operationObject(
  operationId: string,
  operation: OperationFor<PartnerAccess>,
  printer: SchemaPrinter,
): JsonObject {
  const { method, path, summary, params, query, body, reply, status = 200 } = operation
  const tag = Object.entries(TAGS).find(([prefix]) => path.startsWith(prefix))?.[1][0]
  return {
    operationId,
    summary,
    ...descriptionOf(operation),
    tags: [tag],
    parameters: [
      ...parametersOf('path', params, printer),
      ...parametersOf('query', query, printer),
      ...(method === 'POST' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
      ...(body ? [{ $ref: '#/components/parameters/Prefer' }] : []),
    ],
    ...(body && {
      requestBody: {
        required: isRequired(body),
        content: {
          'application/json': { schema: printer.print(body, 'input'), example: exampleOf(body) },
        },
      },
    }),
    responses: {
      [status]: {
        description: status === 201 ? 'Created' : 'Done',
        headers: {
          'x-request-id': { $ref: '#/components/headers/RequestId' },
          'ratelimit-remaining': { $ref: '#/components/headers/RateLimitRemaining' },
        },
        content: {
          'application/json': { schema: printer.print(reply, 'output'), example: exampleOf(reply) },
        },
      },
      ...Object.fromEntries(
        refusalsOf(operation).map((code) => [
          ERRORS[code].status,
          { $ref: `#/components/responses/${code}` },
        ]),
      ),
    },
  }
}

const NEEDS: Readonly<Record<PartnerAccess, string | undefined>> = {
  partner: undefined,
  viewer: 'Needs a key with the viewer area.',
  people: 'Needs a key that may manage people.',
  'viewer-people': 'Needs a key with the viewer area that may manage people.',
}
function descriptionOf({ access }: OperationFor<PartnerAccess>): { readonly description?: string } {
  const description = NEEDS[access]
  return description === undefined ? {} : { description }
}

/** The errors that an operation can return. */
function refusalsOf({ method, params, query, body }: Operation): ErrorCode[] {
  const names = [query, body].flatMap((part) => (part ? Object.keys(shapeOf(part)) : []))
  const namesOne =
    params !== undefined ||
    ['studyId', 'reportId', 'userId'].some(
      (name) => names.includes(name) && !names.includes('limit'),
    )
  return [
    'malformed',
    'bad-key',
    'not-permitted',
    ...(namesOne ? (['not-found'] as const) : []),
    ...(method === 'POST' ? (['in-flight'] as const) : []),
    ...(body ? (['too-large', 'not-json'] as const) : []),
    ...(method === 'GET' ? [] : (['refused'] as const)),
    'too-many',
    'internal',
    'unavailable',
  ]
}

function parametersOf(
  place: 'path' | 'query',
  part: z.ZodType | undefined,
  printer: SchemaPrinter,
): JsonObject[] {
  if (!part) return []
  return Object.entries(shapeOf(part)).map(([name, field]) => {
    const schema = printer.print(field, 'input')
    const isList = schema.type === 'array'
    const takesNull = place === 'query' && field.safeParse('null').data === null
    return {
      name,
      in: place,
      required: place === 'path' || isRequired(field),
      ...(isList && {
        style: 'form',
        explode: false,
        description: 'Joined by commas; repeats are tolerated, empty is no filter.',
      }),
      ...(takesNull && { description: 'Empty or `null` asks for those that have none.' }),
      schema,
      example: exampleOf(field, name),
    }
  })
}

const isRequired = (schema: z.ZodType) => !schema.safeParse(undefined).success

/** The fields of a schema, unwrapping optional and similar types. */
function shapeOf(schema: z.core.$ZodType): Readonly<Record<string, z.ZodType>> {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'object') return def.shape as Readonly<Record<string, z.ZodType>>
  return def.type === 'pipe' ? shapeOf(def.out) : {}
}

function webhookObject(type: EventType, printer: SchemaPrinter): JsonObject {
  const { kind, data, response } = EVENTS[type]
  const envelope = z.object({ id: WebhookEventId, type: z.literal(type), data })
  // The gateway reads rows individually and leniently; the reference documents the correct form.
  const answer: z.ZodType =
    type === 'modality_worklist.requested'
      ? response.extend({ items: z.array(WorklistItem) })
      : response
  return {
    operationId: type.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary: EVENT_WHEN[type],
    description: `${KINDS[kind]} Signed by Standard Webhooks: verify the headers before reading the body.`,
    tags: ['Events'],
    security: [],
    parameters: ['WebhookId', 'WebhookTimestamp', 'WebhookSignature'].map((name) => ({
      $ref: `#/components/parameters/${name}`,
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: printer.print(envelope, 'output'),
          example: exampleOf(envelope),
        },
      },
    },
    responses: {
      200: {
        description: 'The answer',
        content: {
          'application/json': {
            schema: printer.print(answer, 'input'),
            example: exampleOf(answer),
          },
        },
      },
    },
  }
}

function problemResponse(code: ErrorCode): JsonObject {
  const { status, title } = ERRORS[code]
  return {
    description: title,
    headers: {
      'x-request-id': { $ref: '#/components/headers/RequestId' },
      ...(code === 'bad-key' && {
        'www-authenticate': { schema: { type: 'string', const: 'Bearer' } },
      }),
      ...(code === 'too-many' && { 'retry-after': { $ref: '#/components/headers/RetryAfter' } }),
      ...(code === 'in-flight' && {
        'x-should-retry': { schema: { type: 'string', const: 'true' } },
      }),
    },
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        example: {
          type: `urn:isthmus:problem:${code}`,
          title,
          status,
          detail: title,
          instance: '/v1/express',
          message: title,
          code,
          errors: [],
          requestId: '0b8f6f0e-52c1-4f5e-9a53-6f0f4f2f6a11',
        } satisfies Problem,
      },
    },
  }
}

const header = (name: string, description: string, schema: JsonObject, required = false) => ({
  name,
  in: 'header',
  required,
  description,
  schema,
})

const PARAMETERS = {
  IdempotencyKey: header(
    'Idempotency-Key',
    'The same key, caller, path and body within 24 hours gets the first answer again (`idempotency-replayed: true`); another body is refused with 422.',
    { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  ),
  Prefer: header('Prefer', '`handling=strict` refuses body fields that this call does not have.', {
    type: 'string',
    examples: ['handling=strict'],
  }),
  WebhookId: header(
    'webhook-id',
    'The id of the envelope; the same at each attempt.',
    { type: 'string' },
    true,
  ),
  WebhookTimestamp: header(
    'webhook-timestamp',
    'Seconds since 1970 of this attempt.',
    { type: 'string' },
    true,
  ),
  WebhookSignature: header(
    'webhook-signature',
    '`v1,` and base64 HMAC-SHA256 of `id.timestamp.body`; several are parted by spaces.',
    { type: 'string' },
    true,
  ),
}

const HEADERS = {
  RequestId: {
    description: 'Names this request in the gateway’s log.',
    schema: { type: 'string', format: 'uuid' },
  },
  RateLimitRemaining: {
    description: 'Calls this key may still make at once.',
    schema: { type: 'integer' },
  },
  RetryAfter: {
    description: 'Seconds to wait.',
    schema: { type: 'integer', minimum: 1, maximum: 60 },
  },
}
