import { z } from 'zod'

export type JsonObject = { [key: string]: unknown }

/**
 * Schemas of the contract as JSON Schema 2020-12, those with an id of their own kept once, in
 * `components`.
 */
export interface SchemaPrinter {
  /** `input` is what is sent to us, `output` what we send. */
  print(schema: z.ZodType, io: 'input' | 'output'): JsonObject
  /** By id. */
  readonly components: ReadonlyMap<string, JsonObject>
}

/** Formats that say it all: the pattern that zod adds would only be noise. */
const PLAIN_FORMATS = ['date-time', 'uuid', 'uri', 'email']

export function schemaPrinter(): SchemaPrinter {
  const components = new Map<string, JsonObject>()
  return {
    components,
    print(schema, io) {
      const {
        $schema: _,
        $defs,
        ...printed
      } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: tidy }) as JsonObject
      for (const [id, definition] of Object.entries(($defs ?? {}) as Record<string, JsonObject>))
        keep(components, id, definition)
      return withComponents(printed)
    },
  }
}

function tidy({ jsonSchema }: { readonly jsonSchema: JsonObject }): void {
  // What we send may gain fields: a client that refuses unknown ones would break.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
  if (PLAIN_FORMATS.includes(String(jsonSchema.format))) delete jsonSchema.pattern
  if (isEmpty(jsonSchema.propertyNames)) delete jsonSchema.propertyNames
}

const isEmpty = (names: unknown) => JSON.stringify(names) === '{"type":"string"}'

function keep(components: Map<string, JsonObject>, id: string, definition: JsonObject): void {
  const name = nameOf(id)
  const { id: _, ...printed } = withComponents(definition)
  const before = components.get(name)
  if (before && JSON.stringify(before) !== JSON.stringify(printed))
    throw new TypeError(`Two schemas are called ${name}, or one reads and writes differently`)
  components.set(name, printed)
}

/** `#/$defs/X` → `#/components/schemas/X`, at any depth. */
function withComponents(value: JsonObject): JsonObject {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      key === '$ref' && typeof inner === 'string'
        ? `#/components/schemas/${nameOf(inner.replace('#/$defs/', ''))}`
        : inner,
    ),
  ) as JsonObject
}

/** The one schema that refers to itself has no id: `z.json()`. */
const nameOf = (id: string): string => (id.startsWith('__schema') ? 'JsonValue' : id)
