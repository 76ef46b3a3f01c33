import { z } from 'zod'
import { Problem } from '#shared/contract/conventions.ts'
import { interfaceOperations } from '#shared/contract/operations.ts'
import { EVENT_TYPES } from '#shared/contract/webhooks.ts'
import { ERRORS, type ErrorCode } from '#shared/errors.ts'
import type { Operation, OperationFor, PartnerAccess } from '#shared/operation.ts'
import { exampleOf } from './example.ts'
import { describedField, describeFields } from './field-descriptions.ts'
import { type JsonObject, type SchemaPrinter, schemaPrinter } from './json-schema.ts'
import { eventObject } from './openapi-events.ts'
import { OPERATION_DESCRIPTIONS } from './operation-descriptions.ts'

/** Sections of the reference by path prefix; the first match counts. */
const TAGS = {
  '/v1/express': ['Express customers', 'Customers group users and studies.'],
  '/v1/orgs': [
    'Organizations',
    'Legacy. An organization is a separate record and cannot be used in place of an Express customer.',
  ],
  '/v1/viewer/users': [
    'Viewer users',
    'Users and their invitations. The viewer and the reporting area have the same users.',
  ],
  '/v1/viewer/': [
    'Viewer studies',
    'Studies for the viewer, and links that open them. These calls require an API key with access to the viewer area.',
  ],
  '/v1/sandbox': [
    'Sandbox',
    'Simulated exams, reports and events for developers, kept apart from live data. All other calls also work in the sandbox, with the same test keys.',
  ],
  '/v1/scribe/users': ['Scribe users', 'Users who may sign reports, and their invitations.'],
  '/v1/scribe/reports': ['Scribe reports', 'Text, PDF links and addenda of completed reports.'],
  '/v1/events': [
    'Sent events',
    'The events of the calling API key, with the requests and responses of each attempt. Events can be sent again.',
  ],
  '/v1/endpoints': ['Endpoints', 'The addresses that receive the events of the calling API key.'],
  '/v1/scribe/': ['Scribe studies', 'Studies with patient and scan metadata for reporting.'],
} as const

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
    EVENT_TYPES.map((type) => [type, { post: eventObject(type, printer) }]),
  )
  printer.print(z.object({ problem: Problem }), 'output')
  for (const [id, schema] of printer.components) describeFields(schema, id)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Isthmus imaging gateway',
      version,
      summary:
        'Customers, studies, users and reports of an on-premises imaging gateway, and the events it sends.',
      description:
        'Every call needs an API key: `Authorization: Bearer sk_live_…`, or `sk_test_…` for the sandbox. Lists are newest first and paged by opaque cursors, which are valid only with the same filters. ' +
        'Errors are `application/problem+json`. Every POST accepts an `Idempotency-Key`. With `Prefer: handling=strict`, unknown fields in the body are refused.',
      contact: { name: 'The Isthmus team' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This gateway' }],
    tags: [
      ...Object.values(TAGS),
      [
        'Events',
        'Events that the gateway sends to the partner’s webhook, and the responses it expects.',
      ],
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
          bearerFormat: 'sk_live_ or sk_test_ and 32 hex digits',
          description: 'Created by an administrator under *API keys* and shown once.',
        },
      },
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: Object.fromEntries(REFUSAL_CODES.map((code) => [code, problemResponse(code)])),
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
    description: descriptionOf(operationId, operation),
    tags: [tag],
    parameters: [
      ...parametersOf('path', params, printer),
      ...parametersOf('query', query, printer),
      ...(method === 'POST' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
      ...(body ? [{ $ref: '#/components/parameters/Prefer' }] : []),
    ],
    ...(body && {
      requestBody: {
        description: isRequired(body)
          ? 'The request body.'
          : 'The request body; it may be absent, empty or null.',
        required: isRequired(body),
        content: {
          'application/json': {
            schema: described(operationId, body, 'input', printer),
            example: exampleOf(body),
          },
        },
      },
    }),
    responses: {
      [status]: {
        description: status === 201 ? 'Created' : 'Success',
        headers: {
          'x-request-id': { $ref: '#/components/headers/RequestId' },
          'ratelimit-remaining': { $ref: '#/components/headers/RateLimitRemaining' },
        },
        content: {
          'application/json': {
            schema: described(operationId, reply, 'output', printer),
            example: exampleOf(reply),
          },
        },
      },
      ...Object.fromEntries(
        refusalCodesOf(operation).map((code) => [
          ERRORS[code].status,
          { $ref: `#/components/responses/${code}` },
        ]),
      ),
    },
  }
}

const ACCESS_REQUIREMENTS: Readonly<Record<PartnerAccess, string | undefined>> = {
  partner: undefined,
  viewer: 'Requires an API key with access to the viewer area.',
  people: 'Requires an API key that may manage users.',
  'viewer-people': 'Requires an API key that may manage users, with access to the viewer area.',
  events: 'Requires an API key that may see its own events.',
  endpoints: 'Requires an API key that may manage its own endpoints.',
  sandbox: 'Requires a test key, which begins with `sk_test_`.',
}
function descriptionOf(operationId: string, { access }: OperationFor<PartnerAccess>): string {
  const description = OPERATION_DESCRIPTIONS[operationId]
  if (description === undefined) throw new TypeError(`${operationId} has no description`)
  return [description, ...(ACCESS_REQUIREMENTS[access] ? [ACCESS_REQUIREMENTS[access]] : [])].join(
    ' ',
  )
}

/** A schema of the contract, with a description for each field. */
function described(
  owner: string,
  schema: z.ZodType,
  io: 'input' | 'output',
  printer: SchemaPrinter,
): JsonObject {
  const printed = printer.print(schema, io)
  describeFields(printed, owner)
  return printed
}

/** Every error that `refusalCodesOf` can return. */
const REFUSAL_CODES = [
  'malformed',
  'bad-key',
  'not-permitted',
  'not-found',
  'in-flight',
  'too-large',
  'not-json',
  'refused',
  'too-many',
  'internal',
  'unavailable',
] as const satisfies readonly ErrorCode[]

/** The errors that an operation can return. */
function refusalCodesOf({
  method,
  params,
  query,
  body,
}: Operation): (typeof REFUSAL_CODES)[number][] {
  const names = [query, body].flatMap((part) => (part ? Object.keys(shapeOf(part)) : []))
  const namesOneResource =
    params !== undefined ||
    ['studyId', 'reportId', 'userId'].some(
      (name) => names.includes(name) && !names.includes('limit'),
    )
  return [
    'malformed',
    'bad-key',
    'not-permitted',
    ...(namesOneResource ? (['not-found'] as const) : []),
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
    const printed = printer.print(field, 'input')
    const isFlag = JSON.stringify(printed.enum) === '["true","false"]'
    const schema = isFlag ? { type: 'boolean' } : printed
    return {
      name,
      in: place,
      required: place === 'path' || isRequired(field),
      description: describedField(place, name),
      ...(schema.type === 'array' && { style: 'form', explode: false }),
      schema,
      example: isFlag ? exampleOf(field, name) === 'true' : exampleOf(field, name),
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

function problemResponse(code: ErrorCode): JsonObject {
  const { status, title } = ERRORS[code]
  return {
    description: title,
    headers: {
      'x-request-id': { $ref: '#/components/headers/RequestId' },
      ...(code === 'bad-key' && {
        'www-authenticate': { $ref: '#/components/headers/Authenticate' },
      }),
      ...(code === 'too-many' && { 'retry-after': { $ref: '#/components/headers/RetryAfter' } }),
      ...(code === 'in-flight' && {
        'x-should-retry': { $ref: '#/components/headers/ShouldRetry' },
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
    'A repeated call with the same key, caller, path and body within 24 hours gets the first response again (`idempotency-replayed: true`). The same key with a different body is refused with 422.',
    { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  ),
  Prefer: header('Prefer', 'With `handling=strict`, unknown fields in the body are refused.', {
    type: 'string',
    examples: ['handling=strict'],
  }),
  WebhookId: header(
    'webhook-id',
    'The `id` of the event; the same in each attempt.',
    { type: 'string' },
    true,
  ),
  WebhookTimestamp: header(
    'webhook-timestamp',
    'Time of this attempt, in seconds since 1970.',
    { type: 'string' },
    true,
  ),
  WebhookSignature: header(
    'webhook-signature',
    '`v1,` followed by the base64 HMAC-SHA256 of `id.timestamp.body`; several signatures are separated by spaces.',
    { type: 'string' },
    true,
  ),
}

const HEADERS = {
  RequestId: {
    description: 'Identifies this request in the gateway’s log.',
    schema: { type: 'string', format: 'uuid' },
  },
  RateLimitRemaining: {
    description: 'Number of calls that this API key can still make immediately.',
    schema: { type: 'integer' },
  },
  Authenticate: {
    description:
      '`Bearer`, with `error="invalid_token"` if the request had an invalid key (RFC 6750 §3).',
    schema: { type: 'string' },
  },
  ShouldRetry: {
    description: 'The request can be repeated with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
  WebhookRetryAfter: {
    description: 'Seconds to wait, or a date. The gateway waits at most one day.',
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Seconds to wait.',
    schema: { type: 'integer', minimum: 1, maximum: 60 },
  },
}
