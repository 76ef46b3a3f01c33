import { z } from 'zod'

export type JsonObject = { [key: string]: unknown }

/**
 * Converts schemas of the contract to JSON Schema 2020-12. Schemas with an id are emitted once, in
 * `components`.
 */
export interface SchemaPrinter {
  /** `input` for what clients send, `output` for what the gateway sends. */
  print(schema: z.ZodType, io: 'input' | 'output'): JsonObject
  /** By id. */
  readonly components: ReadonlyMap<string, JsonObject>
}

/** Formats for which the pattern added by zod would be redundant. */
const FORMATS_WITHOUT_PATTERN = ['date-time', 'uuid', 'uri', 'email']

export function schemaPrinter(): SchemaPrinter {
  const components = new Map<string, JsonObject>()
  return {
    components,
    print(schema, io) {
      const {
        $schema: _,
        $defs,
        ...printed
      } = z.toJSONSchema(schema, {
        io,
        unrepresentable: 'any',
        override: simplifySchema,
      }) as JsonObject
      for (const [id, definition] of Object.entries(($defs ?? {}) as Record<string, JsonObject>))
        keep(components, id, definition)
      return withComponents(printed)
    },
  }
}

function simplifySchema({ jsonSchema }: { readonly jsonSchema: JsonObject }): void {
  // Responses may gain fields later, and a client that rejects unknown fields would break.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
  if (FORMATS_WITHOUT_PATTERN.includes(String(jsonSchema.format))) delete jsonSchema.pattern
  if (isPlainString(jsonSchema.propertyNames)) delete jsonSchema.propertyNames
}

const isPlainString = (names: unknown) => JSON.stringify(names) === '{"type":"string"}'

function keep(components: Map<string, JsonObject>, id: string, definition: JsonObject): void {
  const name = nameOf(id)
  const { id: _, ...printed } = name === ANY_JSON ? ANY_VALUE : withComponents(definition)
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

const ANY_JSON = 'JsonValue'
/** Without its recursion, which generators of TypeScript clients turn into an invalid type. */
const ANY_VALUE: JsonObject = { description: 'Any JSON value.' }

/** The only self-referencing schema, `z.json()`, has no id. */
const nameOf = (id: string): string => (id.startsWith('__schema') ? ANY_JSON : id)
