// docs/API.md: the reference of the partner interface, from the OpenAPI document.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { table } from './markdown.ts'

type Json = Readonly<Record<string, unknown>>

export const API_REFERENCE = fileURLToPath(new URL('../../docs/API.md', import.meta.url))
const OPENAPI = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url))

const HEAD = `# Reference of the interface

Every call, every event and every field, generated from [openapi.json](openapi.json) by \`npm run docs\`. A gateway serves
the same at \`/docs\`. Start with [PARTNERS.md](PARTNERS.md); calls with their answers are in
[PARTNER-EXAMPLES.md](PARTNER-EXAMPLES.md). A field that may be left out has \`?\` after its name.
`

/** The text of `docs/API.md`. */
export function apiReference(document = readJson(OPENAPI)): string {
  const tags = document.tags as readonly { name: string; description: string }[]
  const calls = Object.entries(document.paths as Json).flatMap(([path, item]) =>
    Object.entries(item as Json).map(([method, operation]) => ({
      title: `${method.toUpperCase()} ${path}`,
      operation: operation as Json,
    })),
  )
  const parts = tags.flatMap((tag) => {
    const own = calls.filter(({ operation }) => (operation.tags as string[])[0] === tag.name)
    if (own.length === 0) return []
    return [
      `## ${tag.name}`,
      tag.description,
      ...own.flatMap(({ title, operation }) => callParts(title, operation, document)),
    ]
  })
  const events = Object.entries(document.webhooks as Json).flatMap(([type, item]) =>
    eventParts(type, (item as Json).post as Json),
  )
  const schemas = Object.entries(at(document, 'components', 'schemas')).flatMap(([name, schema]) =>
    schemaParts(name, schema as Json),
  )
  const all = [HEAD.trim(), ...parts, '## Events', ...events, '## Types', ...schemas]
  return `${all.map(wrapped).join('\n\n')}\n`
}

function callParts(title: string, operation: Json, document: Json): string[] {
  const shared = at(document, 'components', 'parameters')
  const parameters = (operation.parameters as readonly Json[]).map((one) =>
    typeof one.$ref === 'string' ? (shared[lastOf(one.$ref)] as Json) : one,
  )
  const responses = Object.entries(operation.responses as Json)
  const success = responses.find(([status]) => status.startsWith('2'))
  const refusals = responses
    .filter(([status]) => !status.startsWith('2'))
    .map(([status, response]) => `${status} \`${lastOf(String((response as Json).$ref))}\``)
  return [
    `### \`${title}\``,
    `**${operation.summary}.** ${operation.description}`,
    ...(parameters.length > 0
      ? [
          table(
            ['parameter', 'in', 'type', 'meaning'],
            parameters.map((one) => [
              `\`${one.name}\`${one.required ? '' : '?'}`,
              String(one.in),
              typeOf(one.schema as Json),
              String(one.description),
            ]),
          ),
        ]
      : []),
    ...(operation.requestBody ? contentParts('Body', operation.requestBody as Json) : []),
    ...(success ? contentParts(`Answer ${success[0]}`, success[1] as Json) : []),
    `Refusals: ${refusals.join(', ')}.`,
  ]
}

function eventParts(type: string, operation: Json): string[] {
  const data = at(contentOf(operation.requestBody as Json), 'properties', 'data')
  return [
    `### \`${type}\``,
    `**${operation.summary}.** ${operation.description ?? ''}`.trim(),
    ...schemaTable('`data`', data),
    ...contentParts('Answer 200', at(operation, 'responses', '200')),
  ]
}

const schemaParts = (name: string, schema: Json): string[] => [
  `### ${name}`,
  ...(typeof schema.description === 'string' && !('properties' in schema)
    ? [schema.description]
    : []),
  ...schemaTable('', schema),
]

const contentParts = (what: string, holder: Json): string[] => schemaTable(what, contentOf(holder))
const contentOf = (holder: Json): Json => at(holder, 'content', 'application/json', 'schema')

/** The fields of an object, or one line for any other schema. */
function schemaTable(what: string, schema: Json): string[] {
  const rows = fieldsOf(schema)
  const lead = what === '' ? [] : [`${what}:`]
  if (rows.length > 0) return [...lead, table(['field', 'type', 'meaning'], rows)]
  return what === '' ? [typeOf(schema)] : [`${what}: ${typeOf(schema)}`]
}

/** A row for each field; those of inner objects that have no name of their own follow theirs. */
function fieldsOf(schema: Json, prefix = ''): string[][] {
  const required = (schema.required ?? []) as readonly string[]
  return Object.entries((schema.properties ?? {}) as Json).flatMap(([name, value]) => {
    const field = value as Json
    const path = `${prefix}${name}`
    const inner = innerObject(field)
    return [
      [
        `\`${path}\`${required.includes(name) ? '' : '?'}`,
        typeOf(field),
        String(field.description ?? ''),
      ],
      ...(inner ? fieldsOf(inner, `${path}.`) : []),
    ]
  })
}

function innerObject(field: Json): Json | undefined {
  if (field.type === 'array') return innerObject((field.items ?? {}) as Json)
  const options = (field.anyOf ?? []) as readonly Json[]
  const [only, ...others] = options.filter((one) => one.type !== 'null')
  if (only && others.length === 0) return innerObject(only)
  return 'properties' in field ? field : undefined
}

function typeOf(schema: Json): string {
  if (typeof schema.$ref === 'string') {
    const name = lastOf(schema.$ref)
    return `[${name}](#${name.toLowerCase()})`
  }
  if (Array.isArray(schema.anyOf))
    return [...new Set((schema.anyOf as Json[]).map(typeOf))].join(' or ')
  if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``
  if (Array.isArray(schema.enum))
    return (schema.enum as unknown[]).map((value) => `\`${value}\``).join(', ')
  if (schema.type === 'array') return `list of ${typeOf((schema.items ?? {}) as Json)}`
  const { type } = schema
  const name = Array.isArray(type) ? type.join(' or ') : String(type ?? 'any')
  return [name, typeof schema.format === 'string' ? `(${schema.format})` : ''].join(' ').trim()
}

const WIDTH = 120

/** Prose in lines of at most 120 characters; tables and headings as they are. */
function wrapped(text: string): string {
  if (/^[|#]/.test(text) || text.includes('\n')) return text
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= WIDTH)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}

const at = (value: Json, ...path: readonly string[]): Json =>
  path.reduce<Json>((inner, key) => (inner[key] ?? {}) as Json, value)
const lastOf = (reference: string): string => reference.split('/').at(-1) ?? ''
const readJson = (path: string): Json => JSON.parse(readFileSync(path, 'utf8')) as Json
