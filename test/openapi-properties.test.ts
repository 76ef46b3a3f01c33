import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openApiDocument } from '#server/http/openapi.ts'
import { readAnswerWithNotes } from '#server/webhooks/answer.ts'
import { dryRun } from '#server/webhooks/dry-run.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import { interfaceOperations } from '#shared/contract/operations.ts'
import { EVENT_TYPES, EVENTS, type EventType } from '#shared/contract/webhooks.ts'
import { runs } from './support/property-runs.ts'
import { hostileValue, type JsonSchema, schemaValue } from './support/schema-values.ts'

// The OpenAPI document, what reads requests and answers, the dry run and the documents say the same
// of any value.

interface Content {
  readonly content: { readonly 'application/json': { readonly schema: JsonSchema } }
}
interface Operation {
  readonly operationId: string
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}
const document = JSON.parse(JSON.stringify(openApiDocument({ version: '1' }))) as {
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: { schemas: Record<string, JsonSchema> }
}
const { schemas } = document.components

const ajv = new Ajv2020({ strict: false, allErrors: false })
// A package in CommonJS.
const addFormats = formats as unknown as typeof formats.default
addFormats(ajv)
ajv.addSchema({ $id: 'openapi', components: { schemas } })

/** Whether the document allows the value. */
const allows = (schema: JsonSchema): ValidateFunction =>
  ajv.compile(
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/')),
  )

const UID = '1.2.826.0.1.3680043.10.999.1'
const values = (schema: JsonSchema) =>
  schemaValue(schema, { definitions: schemas, known: { uid: [UID] } })

/** A value of the schema, in which now and then a field is replaced by something else. */
const almost = (schema: JsonSchema): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 2, arbitrary: values(schema) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(values(schema), fc.nat(), hostileValue, fc.boolean())
        .map(([value, where, other, isGone]) => {
          if (typeof value !== 'object' || value === null) return other
          const names = Object.keys(value)
          const name = names[where % names.length]
          if (name === undefined) return value
          const { [name]: _, ...rest } = value as Record<string, unknown>
          return isGone ? rest : { ...rest, [name]: other }
        }),
    },
  )
const asJson = (value: unknown): unknown => {
  const text = JSON.stringify(value)
  return text === undefined ? undefined : (JSON.parse(text) as unknown)
}

describe('a body of a request', () => {
  const bodies = interfaceOperations().flatMap(({ operationId, operation }) =>
    operation.body ? [[operationId, operation.body] as const] : [],
  )
  const schemaOf = (operationId: string): JsonSchema => {
    const operation = Object.values(document.paths)
      .flatMap((item) => Object.values(item))
      .find((one) => one.operationId === operationId)
    return operation?.requestBody?.content['application/json'].schema ?? {}
  }

  it.each(bodies)('of %s is read exactly if the document allows it', (operationId, body) => {
    const schema = schemaOf(operationId)
    const isAllowed = allows(schema)
    fc.assert(
      fc.property(almost(schema).map(asJson), (value) => {
        // Null instead of a body is described in words; what only spaces or a size in bytes refuse,
        // JSON Schema cannot say.
        if (typeof value !== 'object' || value === null || Array.isArray(value)) return
        const read = body.safeParse(value)
        if (isAllowed(value)) {
          const others = read.error?.issues.filter(
            (issue) => !BEYOND_JSON_SCHEMA.test(issue.message),
          )
          expect(others ?? []).toEqual([])
        } else expect(read.success).toBe(isTrimmed(value, isAllowed))
      }),
      runs(150),
    )
  })
})

/** Rules of the reader that JSON Schema cannot express; the descriptions say them in words. */
const BEYOND_JSON_SCHEMA =
  /^(values\.empty|values\.email|studies\.alias-differs|studies\.options-too-long)$|^Too small.*>=1 characters/

/** Whether the document allows the value once the spaces at the ends of its texts are gone. */
function isTrimmed(value: object, isAllowed: ValidateFunction): boolean {
  const trimmed = Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      typeof field === 'string' ? field.trim() : field,
    ]),
  )
  return isAllowed(trimmed)
}

/** Null counts as absent where a field is optional, which the document says in words. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      inner === null ? [] : [[name, withoutNulls(inner)]],
    ),
  )
}

describe('an answer to an event', () => {
  const answerOf = (type: EventType): JsonSchema =>
    document.webhooks[type]?.post.responses['200']?.content['application/json'].schema ?? {}
  const tried = (type: EventType, body: Buffer) => {
    try {
      return { outcome: 'accepted', ...readAnswerWithNotes(type, body) }
    } catch (error) {
      if (error instanceof WebhookError) return { outcome: error.fault, notes: [], answer: null }
      throw error
    }
  }

  it.each(EVENT_TYPES)('to %s that the document allows is used without a remark', (type) => {
    const schema = answerOf(type)
    const isAllowed = allows(schema)
    fc.assert(
      fc.property(values(schema).map(asJson), (value) => {
        if (!isAllowed(value)) return
        const { authorized = true, success = true, error = '' } = value as Record<string, unknown>
        const { outcome, notes } = tried(type, Buffer.from(JSON.stringify(value)))
        const isRefusal = authorized === false || success === false || String(error).trim() !== ''
        if (isRefusal) expect(outcome).toBe('refused')
        // A pattern cannot say how many days a month has.
        else
          expect([
            outcome,
            notes.filter(({ sentence }) => sentence.code !== 'webhooks.note-not-da'),
          ]).toEqual(['accepted', []])
      }),
      runs(150),
    )
  })

  it.each(EVENT_TYPES)(
    'to %s that the document does not allow has a remark, and the dry run says what the gateway does',
    (type) => {
      const schema = answerOf(type)
      const isAllowed = allows(schema)
      fc.assert(
        fc.property(almost(schema).map(asJson), (value) => {
          if (value === undefined) return
          const body = Buffer.from(JSON.stringify(value))
          const { outcome, notes, answer } = tried(type, body)
          const verdict = dryRun(type, body)
          expect([verdict.outcome, verdict.notes]).toEqual([outcome, notes])
          expect(verdict.used === null ? null : JSON.parse(verdict.used)).toEqual(asJson(answer))
          if (outcome === 'accepted' && notes.length === 0)
            expect([value, isAllowed(withoutNulls(value))]).toEqual([value, true])
        }),
        runs(150),
      )
    },
  )

  it('of the page for partners is what the document and the contract allow', () => {
    const page = readFileSync(join(import.meta.dirname, '../docs/events/payloads.md'), 'utf8')
    const blocks = [...page.matchAll(/```json (event|answer) ([\w.]+)\n([\s\S]*?)```/g)]
    expect(blocks).toHaveLength(14)
    for (const [, kind, type, text = ''] of blocks) {
      const event = type as EventType
      const sent = document.webhooks[event]?.post.requestBody?.content['application/json'].schema
      const schema = kind === 'answer' ? answerOf(event) : (sent ?? {})
      const value = JSON.parse(text.replaceAll('…', 'x')) as { data: unknown }
      const isAllowed = allows(schema)
      expect([kind, type, isAllowed(value), isAllowed.errors]).toEqual([kind, type, true, null])
      const contract = kind === 'answer' ? EVENTS[event].response : EVENTS[event].data
      expect(contract.safeParse(kind === 'answer' ? value : value.data).success).toBe(true)
    }
  })
})
