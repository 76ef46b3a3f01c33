import { Agent } from 'node:http'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { openContext } from '#server/context.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { setPartner } from '#server/modules/partners/service.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { express } from '#shared/contract/express.ts'
import { ownEndpoints } from '#shared/contract/own-events.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { scribeUsers } from '#shared/contract/users.ts'
import { viewer } from '#shared/contract/viewer.ts'
import { serving } from '../support/command-line.ts'
import { type HttpAnswer, httpCall } from '../support/http-call.ts'
import { keyCall, newUid } from '../support/interface.ts'
import { seedOfRun } from '../support/property-runs.ts'
import { completedReport } from '../support/reports.ts'
import {
  hostileValue,
  type JsonSchema,
  schemaValue,
  type ValueOptions,
} from '../support/schema-values.ts'
import { tempFolder } from '../support/temp-store.ts'
import { isNightly, perTier } from '../support/tier.ts'

// Every operation of the OpenAPI document with values made from its schemas and with values that
// break them. `ISTHMUS_SEED` repeats a run.

const REQUESTS = perTier(1500, 20_000)
/** For each operation that those did not get into. */
const REQUESTS_OF_ONE = 40
const SEED = seedOfRun()
const ANSWER_MS = 20_000
/** What a request may be answered; a 2xx is checked against its schema. */
const REFUSALS = [400, 401, 403, 404, 405, 413, 415, 422, 431]

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly schema: JsonSchema
}
interface Media {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>
}
interface Described {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Media
  readonly responses: Readonly<Record<string, Media>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}
interface Question extends Sent {
  readonly operation: string
}

it(`answers ${REQUESTS} requests of every kind by its document, and lives`, {
  timeout: 60_000 + REQUESTS * 30,
}, async () => {
  using temp = tempFolder()
  const key = furnish(temp.folder)
  await using gateway = await serving(temp.folder)
  const { send, call } = keyCall(gateway.http, key)
  const document = (await send('GET /openapi.json')).json as Document
  const options = {
    definitions: document.components.schemas,
    known: await knownIds(call, temp.folder),
  }
  const operations = operationsOf(document)
  expect(operations.length).toBeGreaterThanOrEqual(50)
  const answered = replyChecks(document, operations)

  using agent = new DisposableAgent({ keepAlive: true, maxSockets: 4 })
  const ask = ({ method, path, headers, body }: Sent) =>
    httpCall(`${gateway.http}${path}`, {
      ...{
        method,
        headers: { authorization: `Bearer ${key}`, ...headers },
        agent,
        withinMs: ANSWER_MS,
      },
      ...(body !== undefined && { body }),
    })
  const seen = new Map<string, Set<number>>()
  const tryEach = (some: readonly NamedOperation[], requests: number) =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(...some.map((operation) => questionOf(operation, options))),
        async (question) => {
          const answer = await ask(question)
          seen.set(
            question.operation,
            (seen.get(question.operation) ?? new Set()).add(answer.status),
          )
          answered(question.operation, answer)
        },
      ),
      { numRuns: requests, seed: SEED, endOnFailure: true },
    )
  // What no request got past the schema of was not tried at all.
  const isTried = (status: number) => status < 300 || status === 422
  const untried = () =>
    operations
      // They take an event or an https address, which no schema makes: `self-service.test.ts` has them.
      .filter(({ name }) => !/ \/v1\/(events\/|endpoints)/.test(name))
      .filter(({ name }) => ![...(seen.get(name) ?? [])].some(isTried))
  await tryEach(operations, REQUESTS)
  // Chance leaves out a few of few requests.
  const left = untried()
  if (left.length > 0) await tryEach(left, left.length * REQUESTS_OF_ONE)
  expect(gateway.child.exitCode ?? gateway.child.signalCode).toBeNull()
  expect((await send('GET /v1/express')).status).toBe(200)
  expect(gateway.stderr.filter((line) => line.includes('a call failed'))).toEqual([])
  // An identifier that a request has deleted is known no more.
  expect(
    untried()
      .map(({ name }) => name)
      .slice(isNightly ? 0 : 3),
  ).toEqual([])
})

function furnish(folder: string): string {
  using context = openContext({ folder })
  // Nothing is asked of it: it only has to be there.
  setPartner(context, { url: 'http://127.0.0.1:9/', allowPlaintext: true }, 'command-line')
  context.settings.change(
    { 'http.ratePerSecond': 1_000_000, 'http.rateBurst': 1_000_000 },
    'command-line',
  )
  return createApiKey(
    context,
    {
      ...{ description: 'Fuzz', isViewerEnabled: true, scope: 'all', managesPeople: true },
      ...{ eventAccess: 'with-bodies', seesClinicEvents: true, managesEndpoints: true },
    },
    'command-line',
  ).key
}

async function knownIds(
  call: ReturnType<typeof keyCall>['call'],
  folder: string,
): Promise<ValueOptions['known']> {
  const study = () =>
    ({ studyInstanceUid: newUid(), studyDescription: 'CT', severity: 'normal' }) as const
  const many = Array.from({ length: 12 }, (_, n) => n)
  const viewed = await Promise.all(many.map(() => call(viewer.create, { body: study() })))
  const read = await Promise.all(
    many.map(() => call(scribe.create, { body: { ...study(), reportMetadata: {} } })),
  )
  const customers = await Promise.all(
    ['a', 'b'].map((name) => call(express.create, { body: { expressCustomerName: name } })),
  )
  const person = { firstName: 'A', lastName: 'B', level: 'member', clinicRole: 'Other' } as const
  const rights = {
    canManageStudies: true,
    canCreateReports: true,
    hasDashboardAccess: true,
    npiNumber: '1234567893',
  }
  const users = await Promise.all(
    many.map((n) =>
      call(scribeUsers.invite, { body: { ...person, ...rights, email: `p${n}@fuzz.example` } }),
    ),
  )
  const { invitations } = await call(scribeUsers.invitations, { query: {} })
  const urls = ['a', 'b', 'c', 'd'].map((name) => `https://${name}.fuzz.example/`)
  const endpoints = await Promise.all(
    urls.map((url) => call(ownEndpoints.create, { body: { url, events: [] } })),
  )
  using store = openContext({ folder, clock: Date.now, uuid: () => crypto.randomUUID() })
  const userId = users[0]?.userId ?? ''
  const reports = read.slice(0, 4).map(({ studyId }) => completedReport(store, { studyId, userId }))
  return {
    rep_: reports,
    uid: [...viewed, ...read].map(({ studyInstanceUid }) => studyInstanceUid),
    stu_: [...viewed, ...read].map(({ studyId }) => studyId),
    cus_: customers.map(({ expressCustomerId }) => expressCustomerId),
    usr_: users.map(({ userId }) => userId),
    uuid: endpoints.map(({ endpointId }) => endpointId),
    inv_: invitations.map(({ invitationId }) => invitationId),
  }
}

interface NamedOperation extends Described {
  readonly name: string
  readonly method: string
  readonly path: string
}
const METHODS = ['get', 'post', 'patch', 'put', 'delete']
const operationsOf = ({ paths }: Document): NamedOperation[] =>
  Object.entries(paths)
    // The sandbox's calls are those of a test key, which `flows/sandbox.test.ts` makes.
    .filter(([path]) => path.startsWith('/v1/') && !path.startsWith('/v1/sandbox'))
    .flatMap(([path, methods]) =>
      METHODS.filter((method) => methods[method]).map((method) => ({
        ...(methods[method] as Described),
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
      })),
    )

/** A check of each operation's answers by the document's own schemas. */
function replyChecks(
  { components }: Document,
  operations: readonly NamedOperation[],
): (name: string, answer: HttpAnswer) => void {
  const schemaOf = (media: Media | undefined): z.ZodType | undefined => {
    const schema = media?.content?.['application/json']?.schema
    // A document of its own needs its definitions with it.
    return (
      schema &&
      z.fromJSONSchema(
        JSON.parse(
          JSON.stringify({ ...schema, $defs: components.schemas }).replaceAll(
            '#/components/schemas/',
            '#/$defs/',
          ),
        ),
      )
    )
  }
  const good = new Map(
    operations.map(({ name, responses }) => [name, schemaOf(responses['201'] ?? responses['200'])]),
  )
  return (name, { status, text, json, headers }) => {
    const type = String(headers['content-type'])
    if (status === 200 || status === 201) {
      expect({ name, status, type }).toMatchObject({
        type: expect.stringMatching(/^application\/json/),
      })
      const schema = good.get(name)
      expect({
        name,
        text,
        hasSchema: schema !== undefined,
        faults: schema?.safeParse(json).error?.issues,
      }).toMatchObject({
        hasSchema: true,
        faults: undefined,
      })
    } else {
      expect({ name, status, text }).toMatchObject({ status: expect.toBeOneOf(REFUSALS) })
      expect({ name, status, type }).toMatchObject({
        type: expect.stringMatching(/^application\/problem\+json/),
      })
      expect({ name, text, faults: Problem.safeParse(json).error?.issues }).toMatchObject({
        faults: undefined,
      })
    }
  }
}

/** A value by its schema, now and then one that breaks it. */
const mostly = (schema: JsonSchema, options: ValueOptions) =>
  fc.oneof(
    { weight: 9, arbitrary: schemaValue(schema, options) },
    { weight: 1, arbitrary: hostileValue },
  )

function questionOf(
  { name, method, path, parameters = [], requestBody }: NamedOperation,
  options: ValueOptions,
): fc.Arbitrary<Question> {
  const of = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place)
  const given = (place: Parameter['in'], requiredKeys: string[]) =>
    fc.record(
      Object.fromEntries(
        of(place).map((parameter) => [parameter.name, mostly(parameter.schema, options)]),
      ),
      { requiredKeys },
    )
  const names = of('path').map((parameter) => parameter.name)
  return fc
    .record({
      params: given('path', names),
      query: given('query', []),
      sent: bodyOf(requestBody, options),
      hasCursor: fc.nat(9),
    })
    .map(({ params, query: { cursor, ...filters }, sent, hasCursor }) => {
      // A made-up cursor is refused before anything else of a list is tried.
      const query = hasCursor === 0 ? { ...filters, cursor } : filters
      const filled = path.replace(
        /\{(\w+)\}/g,
        (_, param: string) => encodeURIComponent(printed(params[param])) || '%20',
      )
      const search = Object.entries(query).map(
        ([key, value]) => `${key}=${encodeURIComponent(printed(value))}`,
      )
      return {
        operation: name,
        method,
        path: search.length > 0 ? `${filled}?${search.join('&')}` : filled,
        ...sent,
      }
    })
}

const printed = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(printed).join(',')
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()
}

const JSON_TYPE = 'application/json'
/**
 * The body as it goes out: JSON by its schema, with a field too many or too few, JSON of another
 * form, no JSON, nothing.
 */
function bodyOf(
  requestBody: Media | undefined,
  options: ValueOptions,
): fc.Arbitrary<Pick<Sent, 'headers' | 'body'>> {
  const none = fc.constant({ headers: {}, body: undefined })
  const schema = requestBody?.content?.[JSON_TYPE]?.schema
  if (!schema) return none
  const good = schemaValue(schema, options)
  const spoiled = fc
    .tuple(good, fc.string({ maxLength: 12 }), hostileValue, fc.nat())
    .map(([value, added, spoiling, at]) => {
      if (typeof value !== 'object' || value === null) return spoiling
      const names = [...Object.keys(value), added]
      return { ...value, [names[at % names.length] ?? added]: spoiling }
    })
  const json = (value: fc.Arbitrary<unknown>) =>
    value.map((given) => ({
      headers: { 'content-type': JSON_TYPE },
      body: JSON.stringify(given) ?? '',
    }))
  const raw = fc
    .tuple(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.constantFrom(JSON_TYPE, 'text/plain', 'application/json; charset=latin1', '*/*'),
    )
    .map(([body, type]) => ({ headers: { 'content-type': type }, body }))
  return fc.oneof(
    { weight: 12, arbitrary: json(good) },
    { weight: 6, arbitrary: json(spoiled) },
    { weight: 1, arbitrary: json(hostileValue) },
    { weight: 1, arbitrary: raw },
    { weight: 1, arbitrary: none },
  )
}

class DisposableAgent extends Agent implements Disposable {
  [Symbol.dispose](): void {
    this.destroy()
  }
}
