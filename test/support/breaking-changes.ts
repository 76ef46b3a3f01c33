type Json = unknown
type JsonObject = Readonly<Record<string, Json>>

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const at = (value: Json, ...path: readonly string[]): Json =>
  path.reduce<Json>((inner, key) => (isObject(inner) ? inner[key] : undefined), value)
const objectAt = (value: Json, ...path: readonly string[]): JsonObject => {
  const found = at(value, ...path)
  return isObject(found) ? found : {}
}
const texts = (value: Json): string[] => (Array.isArray(value) ? value.map(String) : [])

/**
 * What a client of `before` could trip over in `after`, two OpenAPI documents: operations, fields
 * and values that are gone, inputs that became required or narrower, replies that became optional
 * or of another type.
 */
export function breakingChanges(before: JsonObject, after: JsonObject): string[] {
  const found: string[] = []
  for (const section of ['paths', 'webhooks'] as const)
    for (const [path, item] of Object.entries(objectAt(before, section)))
      for (const [method, operation] of Object.entries(isObject(item) ? item : {})) {
        const now = at(after, section, path, method)
        const name = `${method.toUpperCase()} ${path}`
        if (now === undefined) found.push(`${name} is gone`)
        // What a webhook sends is our output and its answer our input.
        else
          found.push(
            ...operationChanges(name, operation, now, {
              before,
              after,
              isCalledByUs: section === 'webhooks',
            }),
          )
      }
  return found
}

interface Documents {
  readonly before: JsonObject
  readonly after: JsonObject
  readonly isCalledByUs: boolean
}

function operationChanges(name: string, before: Json, after: Json, documents: Documents): string[] {
  const parametersOf = (operation: Json, document: JsonObject) => {
    const list = at(operation, 'parameters')
    const all = (Array.isArray(list) ? list : []).map((parameter) => resolve(parameter, document))
    return new Map(
      all.map((parameter) => [`${at(parameter, 'in')} ${at(parameter, 'name')}`, parameter]),
    )
  }
  const [old, now] = [parametersOf(before, documents.before), parametersOf(after, documents.after)]
  const requestSide = documents.isCalledByUs ? 'output' : 'input'
  const success = (operation: Json) =>
    Object.keys(objectAt(operation, 'responses')).find((status) => status.startsWith('2')) ?? ''
  return [
    ...[...old].flatMap(([key, parameter]) => {
      const same = now.get(key)
      if (!same) return [`${name}: parameter ${key} is gone`]
      return schemaChanges(
        `${name}: parameter ${key}`,
        at(parameter, 'schema'),
        at(same, 'schema'),
        'input',
        documents,
      )
    }),
    ...[...now].flatMap(([key, parameter]) =>
      at(parameter, 'required') === true && at(old.get(key), 'required') !== true
        ? [`${name}: parameter ${key} became required`]
        : [],
    ),
    ...(at(after, 'requestBody', 'required') === true &&
    at(before, 'requestBody', 'required') !== true
      ? [`${name}: a body became required`]
      : []),
    ...schemaChanges(
      `${name}: body`,
      bodyOf(at(before, 'requestBody')),
      bodyOf(at(after, 'requestBody')),
      requestSide,
      documents,
    ),
    ...(success(before) === success(after)
      ? []
      : [`${name}: status ${success(before)} became ${success(after)}`]),
    ...schemaChanges(
      `${name}: reply`,
      bodyOf(at(before, 'responses', success(before))),
      bodyOf(at(after, 'responses', success(after))),
      documents.isCalledByUs ? 'input' : 'output',
      documents,
    ),
  ]
}

const bodyOf = (holder: Json): Json => at(holder, 'content', 'application/json', 'schema')

function resolve(value: Json, document: JsonObject): Json {
  const reference = at(value, '$ref')
  return typeof reference === 'string'
    ? resolve(at(document, ...reference.replace('#/', '').split('/')), document)
    : value
}

const acceptsNull = (schema: Json): boolean =>
  [at(schema, 'type')].flat().includes('null') ||
  (isObject(schema) && Array.isArray(schema.anyOf) && schema.anyOf.some(acceptsNull))

/** The one alternative besides null, if there is null and one alternative. */
function withoutNull(schema: Json): Json {
  if (!isObject(schema) || !Array.isArray(schema.anyOf)) return schema
  const { anyOf, ...rest } = schema
  const others = anyOf.filter((one) => at(one, 'type') !== 'null')
  return others.length === 1 && others.length < anyOf.length && isObject(others[0])
    ? { ...rest, ...others[0] }
    : schema
}

function schemaChanges(
  name: string,
  oldSchema: Json,
  newSchema: Json,
  side: 'input' | 'output',
  documents: Documents,
  seen: ReadonlySet<string> = new Set(),
): string[] {
  const reference = at(oldSchema, '$ref')
  if (typeof reference === 'string' && seen.has(reference)) return []
  const inner = typeof reference === 'string' ? new Set([...seen, reference]) : seen
  const old = resolve(oldSchema, documents.before)
  const given = resolve(newSchema, documents.after)
  // That null is accepted as well breaks nothing.
  const now =
    side === 'input' && !acceptsNull(old) ? resolve(withoutNull(given), documents.after) : given
  if (old === undefined) return []
  if (now === undefined) return [`${name} is gone`]
  const go = (part: string, a: Json, b: Json) =>
    schemaChanges(`${name}${part}`, a, b, side, documents, inner)
  const [oldFields, newFields] = [objectAt(old, 'properties'), objectAt(now, 'properties')]
  const [oldRequired, newRequired] = [texts(at(old, 'required')), texts(at(now, 'required'))]
  return [
    ...(JSON.stringify(at(old, 'type')) === JSON.stringify(at(now, 'type'))
      ? []
      : [`${name}: type changed`]),
    ...(at(old, 'pattern') === at(now, 'pattern') && at(old, 'format') === at(now, 'format')
      ? []
      : [`${name}: form changed`]),
    // Clients were told to expect new values of what we send; what we take may only grow.
    ...texts(at(old, 'enum'))
      .filter((value) => !texts(at(now, 'enum')).includes(value) && at(now, 'enum') !== undefined)
      .map((value) => `${name}: value ${value} is gone`),
    ...(at(old, 'enum') === undefined && at(now, 'enum') !== undefined
      ? [`${name}: only some values are left`]
      : []),
    ...Object.entries(oldFields).flatMap(([field, schema]) =>
      go(`.${field}`, schema, newFields[field]),
    ),
    ...(side === 'input'
      ? newRequired
          .filter((field) => !oldRequired.includes(field))
          .map((field) => `${name}.${field} became required`)
      : oldRequired
          .filter((field) => !newRequired.includes(field))
          .map((field) => `${name}.${field} may be absent now`)),
    ...(side === 'input' ? boundChanges(name, old, now) : []),
    ...(at(old, 'items') === undefined ? [] : go('[]', at(old, 'items'), at(now, 'items'))),
    ...['anyOf', 'oneOf'].flatMap((union) => {
      const [before, after] = [at(old, union), at(now, union)]
      if (!Array.isArray(before)) return []
      return before.flatMap((option, index) =>
        go(`(${index})`, option, Array.isArray(after) ? after[index] : undefined),
      )
    }),
  ]
}

const BOUNDS = {
  maxLength: 1,
  maxItems: 1,
  maximum: 1,
  maxProperties: 1,
  minLength: -1,
  minItems: -1,
  minimum: -1,
} as const

function boundChanges(name: string, old: Json, now: Json): string[] {
  return Object.entries(BOUNDS).flatMap(([bound, direction]) => {
    const [before, after] = [at(old, bound), at(now, bound)]
    if (typeof after !== 'number') return []
    const isNarrower = typeof before !== 'number' || (after - before) * direction < 0
    return isNarrower && after !== before ? [`${name}: ${bound} became ${after}`] : []
  })
}
