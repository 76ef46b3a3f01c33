import {
  type Call,
  type Event,
  type Group,
  type Json,
  type Model,
  pascal,
  refName,
} from './model.ts'

const HEAD = '# Generated from docs/openapi.json by npm run clients. Do not edit.'
const FUTURE = 'from __future__ import annotations'
const WIDTH = 100

/** `models.py`: a `TypedDict` for each object that is sent or answered. */
export function pythonModels({ groups, schemas }: Model): string {
  const printer = typePrinter()
  for (const [name, schema] of Object.entries(schemas)) printer.declare(name, schema)
  for (const { calls } of groups)
    for (const call of calls) {
      const { id, query, body, reply } = call
      if (query) printer.declare(`${pascal(id)}Query`, query)
      if (body) printer.declare(`${pascal(id)}Body`, body.schema)
      if (!refName(reply)) printer.declare(`${pascal(id)}Reply`, reply)
    }
  return [
    HEAD,
    '"""Objects of the interface. Names are those of the interface."""',
    '',
    FUTURE,
    '',
    'from typing import Any, Literal, NotRequired, TypedDict',
    ...printer.lines(),
    '',
  ].join('\n')
}

/** `events.py`: the seven events with their data and answers. */
export function pythonEvents({ events }: Model): string {
  const printer = typePrinter('models.')
  for (const { name, data, type, summary } of events) {
    printer.declare(`${name}Data`, data)
    printer.add(
      [
        `class ${name}(TypedDict):`,
        `    """${summary}."""`,
        '',
        '    id: str',
        `    type: Literal["${type}"]`,
        `    data: ${name}Data`,
      ],
      [],
    )
  }
  return [
    HEAD,
    '"""Events that the gateway sends, and the handlers that answer them."""',
    '',
    FUTURE,
    '',
    'from collections.abc import Callable',
    'from typing import Any, Literal, NotRequired, TypedDict, Union',
    '',
    'from . import models',
    ...printer.lines(),
    '',
    '',
    'Event = Union[',
    ...events.map(({ name }) => `    ${name},`),
    ']',
    '',
    'EVENT_TYPES = (',
    ...events.map(({ type }) => `    "${type}",`),
    ')',
    '',
    'EventHandlers = TypedDict(',
    '    "EventHandlers",',
    '    {',
    ...events.flatMap(handlerLines),
    '    },',
    '    total=False,',
    ')',
    '',
  ].join('\n')
}

const handlerLines = ({ type, name, answer }: Event): string[] => [
  `        "${type}": Callable[`,
  `            [${name}Data, ${name}],`,
  `            models.${answer},`,
  '        ],',
]

/** `operations.py`: a class for each group of operations. */
export function pythonOperations({ groups }: Model): string {
  return [
    HEAD,
    '"""All operations of the interface, by group."""',
    '',
    FUTURE,
    '',
    'from urllib.parse import quote',
    '',
    'from . import models',
    'from .pages import Pages',
    'from .transport import CallOptions, Transport',
    ...groups.flatMap(classLines),
    '',
    '',
    'class Operations:',
    '    """All operations of the interface, by group."""',
    '',
    '    def __init__(self, transport: Transport) -> None:',
    ...groups.map(({ name }) => `        self.${snake(name)} = ${pascal(name)}(transport)`),
    '',
  ].join('\n')
}

const classLines = ({ name, description, calls }: Group): string[] => [
  '',
  '',
  `class ${pascal(name)}:`,
  ...docstring(description, 4),
  '',
  '    def __init__(self, transport: Transport) -> None:',
  '        self._transport = transport',
  ...calls.flatMap((call) => ['', ...methodLines(call)]),
]

function methodLines(call: Call): string[] {
  const { id, name, method, path, pathParameters, query, body, reply, itemsKey } = call
  const replyType = `models.${refName(reply) ?? `${pascal(id)}Reply`}`
  const [part, isRequired] = query
    ? ['query', (query.required as readonly string[]).length > 0]
    : ['body', body?.isRequired === true]
  const partType = `models.${pascal(id)}${part === 'query' ? 'Query' : 'Body'}`
  const target = path.replace(/\{(\w+)\}/g, (_, key: string) => `{quote(${snake(key)}, safe='')}`)
  const parameters = [
    ...pathParameters.map((parameter) => `${snake(parameter.name)}: str`),
    ...(query || body
      ? [isRequired ? `${part}: ${partType}` : `${part}: ${partType} | None = None`]
      : []),
    'options: CallOptions | None = None',
  ]
  const given = [
    `"${method}"`,
    pathParameters.length > 0 ? `f"${target}"` : `"${target}"`,
    ...(query ? ['query=query'] : body ? [`body=${isRequired ? 'body' : 'body or {}'}`] : []),
    'options=options',
  ].join(', ')
  const item = `models.${itemsKey === undefined ? '' : itemOf(call, itemsKey)}`
  const answer = itemsKey ? `Pages[${replyType}, ${item}]` : replyType
  return [
    `    def ${snake(name)}(`,
    '        self,',
    ...parameters.map((parameter) => `        ${parameter},`),
    `    ) -> ${answer}:`,
    ...docstring(`${call.summary}.\n\n${call.description}\n\n\`\`${method} ${path}\`\``, 8),
    ...(itemsKey
      ? [
          `        return Pages(self._transport, ${given.replace(/^"GET", /, '').replace('query=', '')}, "${itemsKey}")`.replace(
            ', options=options, ',
            ', options, ',
          ),
        ]
      : [
          `        reply: ${replyType} = self._transport.send(`,
          `            ${given}`,
          '        )',
          '        return reply',
        ]),
  ]
}

function itemOf({ reply }: Call, key: string): string {
  const list = ((reply.properties ?? {}) as Json)[key] as Json
  return refName(list.items as Json) ?? 'Any'
}

/** Prints schemas as Python types; inner objects become classes of their own. */
function typePrinter(prefix = '') {
  const classes: string[][] = []
  const aliases: string[] = []

  const declare = (name: string, given: Json): void => {
    // A body that may be null is a parameter that may be None, so its class is the object alone.
    const options = (given.anyOf ?? []) as readonly Json[]
    const [only, ...others] = options.filter((one) => one.type !== 'null')
    const schema = only?.properties && others.length === 0 ? only : given
    if (schema.type === 'object' && schema.properties) declareClass(name, schema)
    else aliases.push('', `${name} = ${typeOf(schema, name)}`)
  }

  const declareClass = (name: string, schema: Json): void => {
    const required = (schema.required ?? []) as readonly string[]
    const lines = [`class ${name}(TypedDict):`]
    if (typeof schema.description === 'string') lines.push(...docstring(schema.description, 4), '')
    for (const [field, value] of Object.entries(schema.properties as Record<string, Json>)) {
      const type = typeOf(value, name + pascal(field))
      const isRequired = required.includes(field)
      if (typeof value.description === 'string')
        lines.push(...wrapped(value.description, WIDTH - 7).map((line) => `    #: ${line}`))
      lines.push(`    ${field}: ${isRequired ? type : `NotRequired[${type}]`}`)
    }
    if (Object.keys(schema.properties as object).length === 0) lines.push('    pass')
    classes.push(lines)
  }

  const typeOf = (schema: Json, name: string): string => {
    const reference = refName(schema)
    if (reference) return prefix + reference
    if (Array.isArray(schema.enum)) return literal(schema.enum)
    if (schema.const !== undefined) return literal([schema.const])
    const options = (schema.anyOf ?? schema.oneOf) as readonly Json[] | undefined
    if (options) {
      const inner = options.filter((one) => one.type !== 'null')
      const types = inner.map((one, index) =>
        typeOf(one, index === 0 ? name : `${name}${index + 1}`),
      )
      const isNullable = inner.length < options.length
      return [...new Set(types), ...(isNullable ? ['None'] : [])].join(' | ')
    }
    if (Array.isArray(schema.type)) {
      const types = schema.type.map((type) => typeOf({ ...schema, type }, name))
      return types.join(' | ')
    }
    switch (schema.type) {
      case 'null':
        return 'None'
      case 'string':
        return 'str'
      case 'boolean':
        return 'bool'
      case 'integer':
        return 'int'
      case 'number':
        return 'float'
      case 'array':
        return `list[${typeOf(schema.items as Json, name)}]`
      case 'object':
        if (!schema.properties)
          return `dict[str, ${typeOf((schema.additionalProperties ?? {}) as Json, name)}]`
        declareClass(name, schema)
        return name
      default:
        return 'Any'
    }
  }

  return {
    declare,
    add: (lines: string[], more: string[]) => {
      classes.push(lines)
      aliases.push(...more)
    },
    lines: () => [
      ...classes.flatMap((lines) => ['', '', ...lines]),
      ...(aliases.length > 0 ? ['', ...aliases] : []),
    ],
  }
}

const PYTHON_WORDS: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [true, 'True'],
  [false, 'False'],
  [null, 'None'],
])
const literal = (values: readonly unknown[]) =>
  `Literal[${values.map((value) => PYTHON_WORDS.get(value) ?? JSON.stringify(value)).join(', ')}]`

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function docstring(text: string, indent: number): string[] {
  const space = ' '.repeat(indent)
  const lines = text
    .split('\n')
    .flatMap((line) => (line === '' ? [''] : wrapped(line, WIDTH - indent - 6)))
  const [first = '', ...others] = lines
  if (others.length === 0) return [`${space}"""${first}"""`]
  return [
    `${space}"""${first}`,
    ...others.map((line) => (line === '' ? '' : space + line)),
    `${space}"""`,
  ]
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
