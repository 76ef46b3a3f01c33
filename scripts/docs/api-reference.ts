// docs/API.md and docs/api: the reference of the partner interface, from the OpenAPI document.
import { readFileSync } from 'node:fs'
import { documentPath } from './documents.ts'
import { table } from './markdown.ts'

type Json = Readonly<Record<string, unknown>>

const HEAD = `# API reference

These pages describe all calls, events and fields of the partner interface, for developers of partner
systems. To get started, read [PARTNERS.md](PARTNERS.md). For calls with their responses, see
[PARTNER-EXAMPLES.md](PARTNER-EXAMPLES.md).

\`npm run docs\` generates these pages from [openapi.json](openapi.json). Each gateway also serves
the reference at \`/docs\` and the OpenAPI document at \`/openapi.json\`.`

/** Pages of types, each with the name that its types sort before. */
const TYPE_PAGES = [
  { file: 'types-a-to-r.md', title: 'Types A to R', before: 'S' },
  { file: 'types-sa-to-sc.md', title: 'Types Sa to Sc', before: 'Sd' },
  { file: 'types-se-to-z.md', title: 'Types Se to Z', before: '~' },
] as const

interface Page {
  /** Its name in `docs/api/`. */
  readonly file: string
  readonly title: string
  readonly description: string
  readonly parts: readonly string[]
}

/** The text of each page, by its path in `docs/`. */
export function apiReference(document = readJson('openapi.json')): Map<string, string> {
  const pages = [...callPages(document), eventPage(document), ...typePages(document)]
  const contents = table(
    ['page', 'contents'],
    pages.map(({ file, title, description }) => [`[${title}](api/${file})`, description]),
  )
  const texts = pages.map(({ file, title, description, parts }) => {
    const optional = 'A `?` marks optional parameters and fields. [All pages](../API.md)'
    return [`api/${file}`, [`# ${title}`, description, optional, ...parts]] as const
  })
  const all = [['API.md', [HEAD, contents]] as const, ...texts]
  return new Map(all.map(([name, parts]) => [name, `${parts.map(wrapped).join('\n\n')}\n`]))
}

function callPages(document: Json): Page[] {
  const calls = Object.entries(document.paths as Json).flatMap(([path, item]) =>
    Object.entries(item as Json).map(([method, operation]) => ({
      title: `${method.toUpperCase()} ${path}`,
      operation: operation as Json,
    })),
  )
  const tags = document.tags as readonly { name: string; description: string }[]
  return tags.flatMap(({ name, description }) => {
    const own = calls.filter(({ operation }) => (operation.tags as string[])[0] === name)
    const parts = own.flatMap(({ title, operation }) => callParts(title, operation, document))
    const file = `${name.toLowerCase().replaceAll(' ', '-')}.md`
    return own.length > 0 ? [{ file, title: name, description, parts }] : []
  })
}

function eventPage(document: Json): Page {
  const tags = document.tags as readonly { name: string; description: string }[]
  const parts = Object.entries(document.webhooks as Json).flatMap(([type, item]) =>
    eventParts(type, (item as Json).post as Json),
  )
  const description = tags.find(({ name }) => name === 'Events')?.description ?? ''
  return { file: 'events.md', title: 'Events', description, parts }
}

const typePageOf = (name: string): string =>
  TYPE_PAGES.find(({ before }) => name < before)?.file ?? ''

function typePages(document: Json): Page[] {
  const schemas = Object.entries(at(document, 'components', 'schemas'))
  return TYPE_PAGES.map(({ file, title }) => ({
    file,
    title,
    description: 'Types that are used by several calls or events.',
    parts: schemas
      .filter(([name]) => typePageOf(name) === file)
      .flatMap(([name, schema]) => schemaParts(name, schema as Json)),
  }))
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
    `## \`${title}\``,
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
    ...responseParts(success, `Errors: ${refusals.join(', ')}.`),
  ]
}

/** The response and the errors, in one paragraph if the response is a type. */
function responseParts(success: readonly [string, unknown] | undefined, errors: string): string[] {
  if (!success) return [errors]
  const parts = contentParts(`Response ${success[0]}`, success[1] as Json)
  return parts.length === 1 ? [`${parts[0]}. ${errors}`] : [...parts, errors]
}

function eventParts(type: string, operation: Json): string[] {
  const data = at(contentOf(operation.requestBody as Json), 'properties', 'data')
  return [
    `## \`${type}\``,
    `**${operation.summary}.** ${operation.description ?? ''}`.trim(),
    ...schemaTable('`data`', data),
    ...contentParts('Response 200', at(operation, 'responses', '200')),
  ]
}

const schemaParts = (name: string, schema: Json): string[] => [
  `## ${name}`,
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
    return `[${name}](${typePageOf(name)}#${name.toLowerCase()})`
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
  if (text.includes('\n\n')) return text.split('\n\n').map(wrapped).join('\n\n')
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
const readJson = (name: string): Json =>
  JSON.parse(readFileSync(documentPath(name), 'utf8')) as Json
