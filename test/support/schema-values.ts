import fc from 'fast-check'

/** The part of JSON Schema 2020-12 that the interface's documents use. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly pattern?: string
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

export interface ValueOptions {
  readonly definitions: Readonly<Record<string, JsonSchema>>
  /**
   * Values that exist, by the prefix of an id (`stu_`), and UIDs (`uid`); what matches a pattern is
   * mostly taken from here.
   */
  readonly known: Readonly<Record<string, readonly string[]>>
}

/** Values that break a reader: wrong types, sizes, forms and encodings. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.double(),
  fc.bigInt({ min: 0n, max: 2n ** 70n }).map(Number),
  fc.constantFrom<unknown>(
    ...[
      null,
      true,
      '',
      ' ',
      '\0',
      '\ud800',
      '%',
      "'; drop table studies; --",
      '__proto__',
      'constructor',
      '../..',
      '{}',
      '[]',
      '-0',
      'NaN',
    ],
    ...[
      '9'.repeat(400),
      '𝕏'.repeat(300),
      1e308,
      -1,
      [],
      {},
      [[[[]]]],
      { toString: 1, __proto__: null },
      'null',
      'undefined',
      '\u202e',
      'İ',
    ],
    ...['"', '"*', 'a"b', 'NOT', 'a OR b', 'a*', 'NEAR(a b)', '^a', 'a:b', '--', '\\', '\\%'],
  ),
)

/** Values the schema allows, mostly. A schema within itself ends in any JSON. */
export function schemaValue(schema: JsonSchema, options: ValueOptions): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) {
    const { [schema.$ref.split('/').at(-1) ?? '']: definition, ...definitions } =
      options.definitions
    return definition
      ? schemaValue(definition, { ...options, definitions })
      : fc.jsonValue({ maxDepth: 2 })
  }
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map((choice) => schemaValue(choice, options)))
  if (schema.allOf)
    return fc
      .tuple(...schema.allOf.map((part) => schemaValue(part, options)))
      .map((parts) => Object.assign({}, ...parts))
  const types = [schema.type ?? []].flat()
  if (types.length > 1)
    return fc.oneof(...types.map((type) => schemaValue({ ...schema, type }, options)))
  switch (types[0]) {
    case 'string':
      return textOf(schema, options)
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -5, max: Math.min(schema.maximum ?? 1000, 1e9) })
    case 'number':
      return fc.oneof(
        { weight: 3, arbitrary: schemaValue({ ...schema, type: 'integer' }, options) },
        {
          weight: 1,
          arbitrary: fc.double({
            min: schema.minimum ?? -5,
            max: Math.min(schema.maximum ?? 1e6, 1e9),
            noNaN: true,
          }),
        },
      )
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(schemaValue(schema.items ?? {}, options), { maxLength: 4 })
    case 'object':
      return objectOf(schema, options)
    default:
      return hostileValue
  }
}

function objectOf(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  options: ValueOptions,
): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(
    ([name, field]) => [name, schemaValue(field, options)] as const,
  )
  const record = fc.record(Object.fromEntries(fields), {
    requiredKeys: required.filter((name) => Object.hasOwn(properties, name)),
  })
  if (typeof additionalProperties !== 'object') return record
  const more = fc.dictionary(
    fc.string({ maxLength: 20 }),
    schemaValue(additionalProperties, options),
    { maxKeys: 4 },
  )
  return fc.tuple(record, more).map(([known, others]) => ({ ...others, ...known }))
}

const DAY = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((day) => day.toISOString().slice(0, 10))

function textOf(
  { pattern, format, minLength = 0, maxLength = 200 }: JsonSchema,
  { known }: ValueOptions,
): fc.Arbitrary<string> {
  const prefix = pattern?.startsWith('^(0|[1-9]')
    ? 'uid'
    : /^\^([a-z]{3}_)\[/.exec(pattern ?? '')?.[1]
  const existing = prefix === undefined ? undefined : known[prefix]
  if (pattern !== undefined) {
    const matching = fc.stringMatching(new RegExp(pattern))
    return existing?.length
      ? fc.oneof(
          { weight: 6, arbitrary: fc.constantFrom(...existing) },
          { weight: 1, arbitrary: matching },
        )
      : matching
  }
  if (format === 'uuid')
    return known.uuid?.length
      ? fc.oneof(
          { weight: 6, arbitrary: fc.constantFrom(...known.uuid) },
          { weight: 1, arbitrary: fc.uuid() },
        )
      : fc.uuid()
  if (format === 'date') return DAY
  const text = fc.string({
    unit: 'grapheme',
    minLength,
    maxLength: Math.max(minLength, Math.min(maxLength, 40)),
  })
  return minLength > 10
    ? text
    : fc.oneof(
        text,
        DAY,
        fc
          .constantFrom('08:05', 'CT', 'a@b.example', '1.2.3.4')
          .filter((one) => one.length <= maxLength),
      )
}
