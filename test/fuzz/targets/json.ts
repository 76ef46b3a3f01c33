import fc from 'fast-check'
import type { z } from 'zod'
import { schemaPrinter } from '#server/http/json-schema.ts'
import type { Operation } from '#shared/operation.ts'
import { type JsonSchema, schemaValue, type ValueOptions } from '../../support/schema-values.ts'
import { perTier } from '../../support/tier.ts'
import { jsonBytes, jsonOf, mutateJson, mutateJsonInput } from '../mutate-json.ts'
import { hashOf } from '../random.ts'
import { hold, type Target } from '../target.ts'
import { type Clinic, holdAnswer, openClinic, type Question } from './clinic.ts'
import { NOT_CARRIED_OUT, nameOf, OPERATIONS } from './operations.ts'

/**
 * Of a call: a line of JSON, and the body behind it as it is sent. Ids that exist are named by
 * their place: `$stu_0`.
 */
interface Head {
  readonly operation?: unknown
  readonly params?: unknown
  readonly query?: unknown
  readonly headers?: unknown
}

const PLACES = 8
const KINDS = ['rep_', 'uid', 'stu_', 'cus_', 'usr_', 'inv_', 'deviceId', 'viewId']
const NAMED: ValueOptions['known'] = Object.fromEntries(
  KINDS.map((kind) => [kind, Array.from({ length: PLACES }, (_, n) => `$${kind}${n}`)]),
)

/**
 * Every call of the contract with values by its schemas, changed, against a real gateway: its
 * success, or a refusal of the table, as a problem.
 */
export const json: Target = {
  name: 'json',
  silentSeconds: 40,
  slowSeconds: 4,
  mostMiB: 256,
  mostBytes: 600 << 10,
  testExecutions: perTier(360, 3200),
  async open() {
    const clinic = await openClinic()
    const statuses = await documentedStatuses(clinic)
    return {
      seeds: OPERATIONS.flatMap(seedsOf),
      mutate(input, random, other) {
        const [head, body] = partsOf(input)
        const [, otherBody] = partsOf(other())
        const isHead = random.isOnce(3)
        const changedHead = isHead
          ? jsonBytes(
              mutateJson(jsonOf(head) ?? {}, random, () => jsonOf(partsOf(other())[0]) ?? {}),
            )
          : head
        const changedBody = isHead
          ? body
          : mutateJsonInput(body, random, () => otherBody, json.mostBytes)
        return Buffer.concat([changedHead, Buffer.from('\n'), changedBody])
      },
      async run(input) {
        const { operation, question } = questionOf(input, clinic)
        const answer = await clinic.ask(question)
        const call = nameOf(operation)
        try {
          holdAnswer(call, operation.status ?? 200, answer, statuses.get(call))
        } catch (error) {
          const logged =
            clinic.started.log.filter((line) => line.includes('a call failed')).at(-1) ?? ''
          if (error instanceof Error) error.message += ` ${logged.slice(0, 1000)}`
          throw error
        } finally {
          // A long run would keep every line.
          if (clinic.started.log.length > 5000) (clinic.started.log as string[]).length = 0
        }
        return `${call} ${answer.status}`
      },
      [Symbol.asyncDispose]: () => clinic[Symbol.asyncDispose](),
    }
  },
}

/** What the document of the interface declares of each of its calls, but a fault of ours. */
async function documentedStatuses(
  clinic: Clinic,
): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const { json: document } = await clinic.ask({ method: 'GET', path: '/openapi.json', by: 'key' })
  const { paths } = document as {
    readonly paths: Readonly<
      Record<string, Readonly<Record<string, { readonly responses?: object }>>>
    >
  }
  const statuses = new Map<string, ReadonlySet<number>>()
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { responses = {} }] of Object.entries(methods)) {
      const call = `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`
      // What is wrong with a path, or a head that is too long, is of no call.
      const known = Object.keys(responses).map(Number)
      statuses.set(call, new Set([...known.filter((status) => status !== 500), 404, 431]))
    }
  hold(statuses.size > 40, 'The document has no calls')
  return statuses
}

function partsOf(input: Buffer): readonly [head: Buffer, body: Buffer] {
  const at = input.indexOf('\n')
  return at < 0 ? [input, Buffer.alloc(0)] : [input.subarray(0, at), input.subarray(at + 1)]
}

const HEADERS = ['prefer', 'idempotency-key', 'content-type', 'accept']

function questionOf(
  input: Buffer,
  { known }: Clinic,
): { readonly operation: Operation; readonly question: Question } {
  const [line, body] = partsOf(input)
  const read = jsonOf(line)
  const head: Head = isRecord(read) ? read : {}
  const operation =
    OPERATIONS.find((one) => nameOf(one) === head.operation) ??
    OPERATIONS[hashOf(input) % OPERATIONS.length]
  if (!operation) throw new RangeError('no operation')
  const resolve = (text: string) =>
    text.replace(
      /\$(rep_|uid|stu_|cus_|usr_|inv_|deviceId|viewId)(\d)/g,
      (name, kind: string, n: string) => known[kind]?.[Number(n)] ?? name,
    )
  const [params, query, headers] = [head.params, head.query, head.headers].map((part) =>
    isRecord(part) ? part : {},
  )
  const path = operation.path.replace(
    /:(\w+)/g,
    (_, name: string) => encodeURIComponent(resolve(printed(params?.[name]))) || '%20',
  )
  const search = Object.entries(query ?? {}).map(
    ([name, value]) =>
      `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(resolve(printed(value)))}`,
  )
  const given = HEADERS.flatMap((name) => {
    const value = printed(headers?.[name])
      .replace(/[^\x20-\x7e]/g, '')
      .trim()
    return value === '' ? [] : [[name, value.slice(0, 300)]]
  })
  const bytes =
    body.length === 0 ? undefined : Buffer.from(resolve(body.toString('latin1')), 'latin1')
  return {
    operation,
    question: {
      method: operation.method,
      path: search.length > 0 ? `${path}?${search.join('&')}`.slice(0, 20_000) : path,
      by: NOT_CARRIED_OUT.has(nameOf(operation))
        ? 'nobody'
        : operation.path.startsWith('/v1/')
          ? 'key'
          : 'owner',
      headers: {
        ...(bytes && { 'content-type': 'application/json' }),
        ...Object.fromEntries(given),
      },
      body: bytes,
    },
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function printed(value: unknown): string {
  if (Array.isArray(value)) return value.map(printed).join(',').slice(0, 4000)
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
    .toWellFormed()
    .slice(0, 4000)
}

/** A call of an operation by its schemas, always the same. */
function seedsOf(operation: Operation): Buffer[] {
  const printer = schemaPrinter()
  const print = (part: z.ZodType | undefined) =>
    part && (printer.print(part, 'input') as JsonSchema)
  const [params, query, body] = [operation.params, operation.query, operation.body].map(print)
  const options = {
    definitions: Object.fromEntries(printer.components) as ValueOptions['definitions'],
    known: NAMED,
  }
  const of = (schema: JsonSchema | undefined) =>
    schema ? schemaValue(schema, options) : fc.constant(undefined)
  const heads = fc.sample(fc.tuple(of(params), of(query), of(body)), { numRuns: 1, seed: 7 })
  return heads.map(([given, asked, sent]) => {
    const line = JSON.stringify({
      operation: nameOf(operation),
      params: withKnown(given),
      query: asked,
    })
    return Buffer.from(`${line}\n${sent === undefined ? '' : JSON.stringify(sent)}`)
  })
}

/** Ids that have no pattern to be known by. */
function withKnown(params: unknown): unknown {
  if (!isRecord(params)) return params
  return {
    ...params,
    ...('deviceId' in params && { deviceId: '$deviceId0' }),
    ...('viewId' in params && { viewId: '$viewId0' }),
  }
}
