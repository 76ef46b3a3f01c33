// The operations and events of docs/openapi.json, as the templates of the clients need them.

export type Json = Readonly<Record<string, unknown>>

interface Parameter {
  readonly name: string
  readonly description: string
  readonly schema: Json
}

/** An operation of the interface. */
export interface Call {
  /** Such as `viewerUsersInvite`. */
  readonly id: string
  /** Such as `viewerUsers`. */
  readonly group: string
  /** Such as `invite`. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly pathParameters: readonly Parameter[]
  /** As a schema with the parameters as its properties; undefined without parameters. */
  readonly query: Json | undefined
  readonly body: { readonly schema: Json; readonly isRequired: boolean } | undefined
  readonly reply: Json
  /** The list of the items, if the operation is a list with pages. */
  readonly itemsKey: string | undefined
}

export interface Group {
  readonly name: string
  readonly description: string
  readonly calls: readonly Call[]
}

/** An event that the gateway sends. */
export interface Event {
  /** Such as `study.access_requested`. */
  readonly type: string
  /** Such as `StudyAccessRequested`. */
  readonly name: string
  readonly summary: string
  readonly data: Json
  /** Name of the schema of the answer. */
  readonly answer: string
}

export interface Model {
  readonly groups: readonly Group[]
  readonly events: readonly Event[]
  /** By name. */
  readonly schemas: Readonly<Record<string, Json>>
}

/** The groups of the contract; the longest that begins an operation ID counts. */
const GROUPS = [
  'viewerUsers',
  'scribeUsers',
  'express',
  'orgs',
  'viewer',
  'scribe',
  'events',
  'endpoints',
  'sandbox',
] as const

export function modelOf(document: Json): Model {
  const tags = document.tags as readonly { name: string; description: string }[]
  const parameters = at(document, 'components', 'parameters')
  const calls = Object.entries(document.paths as Json).flatMap(([path, item]) =>
    Object.entries(item as Json).map(([method, operation]) => ({
      tag: String((operation as { tags: string[] }).tags[0]),
      call: callOf(path, method.toUpperCase(), operation as Json, parameters),
    })),
  )
  return {
    groups: GROUPS.map((name) => {
      const own = calls.filter(({ call }) => call.group === name)
      const [first] = own
      return {
        name,
        description: tags.find((tag) => tag.name === first?.tag)?.description ?? '',
        calls: own.map(({ call }) => call),
      }
    }),
    events: Object.entries(document.webhooks as Json).map(([type, item]) =>
      eventOf(type, item as Json),
    ),
    schemas: at(document, 'components', 'schemas') as Readonly<Record<string, Json>>,
  }
}

function callOf(path: string, method: string, operation: Json, shared: Json): Call {
  const id = String(operation.operationId)
  const group = GROUPS.find((one) => id.startsWith(one))
  if (!group) throw new TypeError(`${id} belongs to no group of clients/`)
  const parameters = (operation.parameters as readonly Json[]).map((one) =>
    typeof one.$ref === 'string' ? (shared[one.$ref.split('/').at(-1) ?? ''] as Json) : one,
  )
  const query = parameters.filter((one) => one.in === 'query')
  const body = operation.requestBody as Json | undefined
  const [, success] =
    Object.entries(operation.responses as Json).find(([status]) => status.startsWith('2')) ?? []
  const reply = jsonSchema(success as Json)
  const properties = (reply.properties ?? {}) as Json
  return {
    id,
    group,
    name: id.charAt(group.length).toLowerCase() + id.slice(group.length + 1),
    method,
    path,
    summary: String(operation.summary),
    description: String(operation.description),
    pathParameters: parameters.filter((one) => one.in === 'path') as unknown as Parameter[],
    query:
      query.length === 0
        ? undefined
        : {
            type: 'object',
            required: query.filter((one) => one.required).map((one) => one.name),
            properties: Object.fromEntries(
              query.map((one) => [
                one.name,
                { ...(one.schema as Json), description: one.description },
              ]),
            ),
          },
    body: body && { schema: jsonSchema(body), isRequired: body.required === true },
    reply,
    itemsKey: 'hasMore' in properties ? Object.keys(properties)[0] : undefined,
  }
}

function eventOf(type: string, item: Json): Event {
  const { requestBody, responses, summary } = item.post as Json
  const envelope = jsonSchema(requestBody as Json)
  const answer = jsonSchema((responses as Json)['200'] as Json)
  return {
    type,
    name: pascal(type),
    summary: String(summary),
    data: (envelope.properties as Json).data as Json,
    answer: refName(answer) ?? '',
  }
}

const jsonSchema = (holder: Json): Json => at(holder, 'content', 'application/json', 'schema')

const at = (value: Json, ...path: readonly string[]): Json =>
  path.reduce<Json>((inner, key) => (inner[key] ?? {}) as Json, value)

/** The name of the schema that a reference leads to. */
export const refName = (schema: Json): string | undefined =>
  typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined

/** `study.access_requested` becomes `StudyAccessRequested`. */
export const pascal = (text: string): string =>
  text.replace(/(^|[._])(\w)/g, (_, __, letter: string) => letter.toUpperCase())
