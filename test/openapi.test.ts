import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { exampleOf } from '#server/http/example.ts'
import { openApiDocument } from '#server/http/openapi.ts'
import { interfaceOperations } from '#shared/contract/operations.ts'
import { EVENT_TYPES, EVENTS, type EventType } from '#shared/contract/webhooks.ts'
import { breakingChanges } from './support/breaking-changes.ts'

// `docs/openapi.json` is the document partners were given. After a change that only adds:
// UPDATE_OPENAPI=1 npx vitest run test/openapi.test.ts, then npm run format. A change that breaks
// is refused even then; where it is meant, UPDATE_OPENAPI=breaking and a line in CHANGELOG.md.
const SNAPSHOT = join(import.meta.dirname, '..', 'docs', 'openapi.json')
const UPDATE = process.env.UPDATE_OPENAPI

interface OperationObject {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters: readonly {
    readonly name?: string
    readonly in?: string
    readonly example?: unknown
    readonly $ref?: string
  }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<
    Record<string, { readonly content?: Content; readonly $ref?: string }>
  >
}
type Content = Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>
interface Document {
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: OperationObject }>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}
const isDescribed = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'description') === 'string'
const fresh = () =>
  JSON.parse(JSON.stringify(openApiDocument({ version: '1' }))) as Document &
    Readonly<Record<string, unknown>>
const document = fresh()
const calls = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    path,
    operation,
  })),
)
const everyOperation = [
  ...calls.map(({ operation }) => operation),
  ...Object.values(document.webhooks).map(({ post }) => post),
]

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    expect(await new Validator().validate(fresh())).toEqual({ valid: true })
  })

  it('has every operation of the contract and every event, and nothing else', () => {
    const contract = interfaceOperations().map(
      ({ operation }) => `${operation.method} ${operation.path.replace(/:(\w+)/g, '{$1}')}`,
    )
    expect(calls.map(({ name }) => name).sort()).toEqual(contract.sort())
    expect(calls.map(({ name }) => name)).toContain(
      'POST /v1/scribe/reports/{reportId}/cancel-addendum',
    )
    expect(Object.keys(document.webhooks)).toEqual(EVENT_TYPES)
  })

  it('gives each operation a name of its own, a known tag, a summary, an example of what goes in and out, and its refusals', () => {
    const names = everyOperation.map(({ operationId }) => operationId)
    expect(new Set(names).size).toBe(names.length)
    const tags = document.tags.map(({ name }) => name)
    for (const { operationId, summary, tags: own, requestBody, responses } of everyOperation) {
      expect([operationId, own.every((tag) => tags.includes(tag)), summary.length > 5]).toEqual([
        operationId,
        true,
        true,
      ])
      const [success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
      for (const content of [requestBody?.content, responses[success ?? '']?.content])
        if (content)
          expect([operationId, content['application/json']?.example]).not.toEqual([
            operationId,
            undefined,
          ])
    }
    for (const { name, operation } of calls) {
      const wanted = [
        '400',
        '401',
        '403',
        '429',
        '500',
        '503',
        ...(name.startsWith('POST') ? ['409', '422'] : []),
      ]
      expect([name, Object.keys(operation.responses)]).toEqual([
        name,
        expect.arrayContaining(wanted),
      ])
    }
  })

  it('describes every operation, parameter, body, answer and field', () => {
    const missing: string[] = []
    const seek = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [key, inner] of Object.entries(value)) {
        if (key === 'example' || key === 'examples') continue
        if (key === 'properties')
          for (const [name, field] of Object.entries(inner as object))
            if (!isDescribed(field)) missing.push(`${at}.${name}`)
        if (key === 'requestBody' && !isDescribed(inner)) missing.push(`${at} ${key}`)
        if (key === 'parameters' || key === 'responses')
          for (const [name, one] of Object.entries(inner as object))
            if (!isDescribed(one) && !('$ref' in (one as object))) missing.push(`${at} ${name}`)
        seek(inner, `${at}/${key}`)
      }
    }
    seek(document, '')
    for (const { operationId, description } of everyOperation)
      if (!description || description.length < 20) missing.push(operationId)
    expect(missing).toEqual([])
  })

  it('describes fields of an event by their meaning in that event', () => {
    const descriptionOf = (type: string, field: string): unknown => {
      const body = document.webhooks[type]?.post.requestBody
      return JSON.stringify(body).match(
        new RegExp(`"${field}":{[^{}]*"description":"([^"]*)"`),
      )?.[1]
    }
    expect(descriptionOf('report.delivered', 'isCritical')).toMatch(/notify a clinician/)
    expect(descriptionOf('modality_worklist.requested', 'modality')).toMatch(/^Only exams of this/)
    expect(descriptionOf('clinical_context.enrichment_requested', 'studyId')).toMatch(/UUID/)
  })

  it('says of every event how long an answer may take, when it is sent again, and what other answers mean', () => {
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      expect([type, post.description]).toEqual([type, expect.stringMatching(/seconds.*MiB/s)])
      expect([type, post.description]).toEqual([
        type,
        expect.stringMatching(/retry|retries|retried/),
      ])
      expect([type, Object.keys(post.responses)]).toEqual([
        type,
        ['200', '400', '410', '429', '3XX', '5XX'],
      ])
    }
    expect(document.components.schemas?.WorklistItem).toMatchObject({
      properties: {
        AccessionNumber: { maxLength: 16 },
        PatientName: { maxLength: 64 },
        PatientBirthDate: { pattern: expect.stringContaining('3[01]') },
      },
    })
  })

  it('declares every part of a path, and refers only to what is there', () => {
    for (const { name, path, operation } of calls) {
      const declared = operation.parameters
        .filter((parameter) => parameter.in === 'path')
        .map((parameter) => parameter.name)
      expect([name, declared]).toEqual([
        name,
        [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => part),
      ])
    }
    const references = [
      ...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g),
    ]
    expect(references.length).toBeGreaterThan(200)
    for (const [text, section = '', name = ''] of references)
      expect([text, name in (document.components[section] ?? {})]).toEqual([text, true])
    expect(JSON.stringify(document)).not.toContain('#/$defs/')
  })

  it('shows examples that the contract takes, with every field', () => {
    for (const { operationId, operation } of interfaceOperations()) {
      for (const part of ['params', 'query', 'body', 'reply'] as const) {
        const schema = operation[part]
        if (!schema) continue
        const example = exampleOf(schema)
        expect([operationId, part, schema.safeParse(example).error?.issues]).toEqual([
          operationId,
          part,
          undefined,
        ])
        expect([operationId, JSON.stringify(example)]).not.toEqual([
          operationId,
          expect.stringContaining('"text"'),
        ])
      }
    }
    for (const type of EVENT_TYPES) expect([type, fits(type)]).toEqual([type, true])
  })

  it('says what the contract says of limits and of null', () => {
    const list = document.paths['/v1/viewer/studies']?.get?.parameters ?? []
    expect(list.find(({ name }) => name === 'limit')).toMatchObject({
      required: false,
      schema: { default: 20, minimum: 1, maximum: 100 },
    })
    expect(list.find(({ name }) => name === 'assignedTo')).toMatchObject({
      description: expect.stringContaining('Empty or `null`: unassigned studies.'),
    })
    const created = document.paths['/v1/viewer/studies']?.post
    expect(created?.requestBody).toMatchObject({
      required: true,
      content: {
        'application/json': {
          schema: { required: ['studyInstanceUid', 'studyDescription', 'severity'] },
        },
      },
    })
    expect(document.paths['/v1/viewer/studies/cancel']?.post?.requestBody).toMatchObject({
      required: false,
    })
    expect(document.components.schemas?.ViewerStudy).toMatchObject({
      required: expect.arrayContaining(['cancelledAt', 'assignedTo']),
      properties: {
        cancelledAt: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
        metadata: { $ref: '#/components/schemas/Metadata' },
      },
    })
    expect(document.components.schemas?.Metadata).toMatchObject({
      maxProperties: 50,
      additionalProperties: { maxLength: 1000 },
    })
  })
})

describe('docs/openapi.json', () => {
  it('is what partners were given: nothing they rely on is gone', () => {
    if (existsSync(SNAPSHOT) && UPDATE !== 'breaking')
      expect(breakingChanges(JSON.parse(readFileSync(SNAPSHOT, 'utf8')), document)).toEqual([])
    if (UPDATE) writeFileSync(SNAPSHOT, `${JSON.stringify(document, null, 1)}\n`)
    expect(
      JSON.parse(readFileSync(SNAPSHOT, 'utf8')),
      'the interface has grown: UPDATE_OPENAPI=1 npx vitest run test/openapi.test.ts',
    ).toEqual(document)
  })
})

describe('the check for breaking changes', () => {
  const ORGANIZATION = ['components', 'schemas', 'Organization']
  const NEW_ORGANIZATION = [
    'paths',
    '/v1/orgs',
    'post',
    'requestBody',
    'content',
    'application/json',
    'schema',
  ]
  const SEVERITY = [
    'paths',
    '/v1/viewer/studies',
    'post',
    'requestBody',
    'content',
    'application/json',
    'schema',
    'properties',
    'severity',
  ]

  it('finds what is gone', () => {
    expect(breakingChanges(document, fresh())).toEqual([])
    expect(foundWithout('paths', '/v1/orgs')).toEqual(['POST /v1/orgs is gone'])
    expect(foundWithout('webhooks', 'report.delivered')).toEqual(['POST report.delivered is gone'])
    expect(foundWithout(...ORGANIZATION, 'properties', 'orgName')).toEqual([
      'POST /v1/orgs: reply.orgName is gone',
    ])
    expect(foundWithout('paths', '/v1/viewer/studies', 'get', 'parameters', '1')).toEqual([
      'GET /v1/viewer/studies: parameter query limit is gone',
    ])
    expect(foundWithout(...SEVERITY, 'enum', '2')).toEqual([
      'POST /v1/viewer/studies: body.severity: value stat is gone',
    ])
  })

  it('finds what is asked for that was not, and what is no longer promised', () => {
    expect(foundWith('metadata', ...NEW_ORGANIZATION, 'required', '1')).toEqual([
      'POST /v1/orgs: body.metadata became required',
    ])
    expect(foundWith(10, ...NEW_ORGANIZATION, 'properties', 'orgName', 'maxLength')).toEqual([
      'POST /v1/orgs: body.orgName: maxLength became 10',
    ])
    expect(foundWithout(...ORGANIZATION, 'required', '0')).toEqual([
      'POST /v1/orgs: reply.orgId may be absent now',
    ])
    expect(foundWith('string', ...ORGANIZATION, 'properties', 'isActive', 'type')).toEqual([
      'POST /v1/orgs: reply.isActive: type changed',
    ])
    expect(foundWith(true, 'paths', '/v1/express', 'get', 'parameters', '0', 'required')).toEqual([
      'GET /v1/express: parameter query cursor became required',
    ])
  })

  it('lets the interface grow', () => {
    expect(foundWith(document.paths['/v1/express'], 'paths', '/v1/new')).toEqual([])
    expect(foundWith({ type: 'string' }, ...ORGANIZATION, 'properties', 'colour')).toEqual([])
    expect(foundWith({ type: 'string' }, ...NEW_ORGANIZATION, 'properties', 'colour')).toEqual([])
    expect(foundWith('urgent', ...SEVERITY, 'enum', '3')).toEqual([])
  })
})

/** What is found in a copy of the document with this value at the path. */
function foundWith(value: unknown, ...path: string[]): string[] {
  const copy = fresh()
  Reflect.set(holderOf(copy, path), path.at(-1) ?? '', value)
  return breakingChanges(document, copy)
}

/** What is found in a copy of the document without what is at the path. */
function foundWithout(...path: string[]): string[] {
  const copy = fresh()
  const [holder, key] = [holderOf(copy, path), path.at(-1) ?? '']
  if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else Reflect.deleteProperty(holder, key)
  return breakingChanges(document, copy)
}

const holderOf = (copy: object, path: readonly string[]): object =>
  path.slice(0, -1).reduce<object>((inner, key) => Reflect.get(inner, key) as object, copy)

const fits = (type: EventType) =>
  EVENTS[type].data.safeParse(exampleOf(EVENTS[type].data)).success &&
  EVENTS[type].response.safeParse(exampleOf(EVENTS[type].response)).success
