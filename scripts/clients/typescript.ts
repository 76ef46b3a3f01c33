import { type Call, type Event, type Group, type Model, pascal } from './model.ts'

const HEAD = '// Generated from docs/openapi.json by npm run clients. Do not edit.\n'

/** `operations.gen.ts`: a class for each group of operations. */
export function typescriptOperations({ groups }: Model): string {
  return [
    HEAD,
    "import { Pages } from '../pages.ts'",
    "import type { CallOptions, Transport } from '../transport.ts'",
    "import type * as Types from './types.gen.ts'",
    ...groups.flatMap((group) => ['', ...classOf(group)]),
    '',
    '/** All operations of the interface, by group. */',
    'export class Operations {',
    ...groups.flatMap(({ name, description }) => [
      `  /** ${description} */`,
      `  readonly ${name}: ${pascal(name)}`,
    ]),
    '',
    '  constructor(transport: Transport) {',
    ...groups.map(({ name }) => `    this.${name} = new ${pascal(name)}(transport)`),
    '  }',
    '}',
    '',
  ].join('\n')
}

const classOf = ({ name, description, calls }: Group): string[] => [
  `/** ${description} */`,
  `export class ${pascal(name)} {`,
  '  readonly #transport: Transport',
  '',
  '  constructor(transport: Transport) {',
  '    this.#transport = transport',
  '  }',
  ...calls.flatMap((call) => ['', ...methodOf(call)]),
  '}',
]

function methodOf(call: Call): string[] {
  const { id, name, method, path, pathParameters, query, body, itemsKey } = call
  const type = `Types.${pascal(id)}`
  const part = query ? 'query' : body ? 'body' : undefined
  const isRequired = query
    ? (query.required as readonly string[]).length > 0
    : body?.isRequired === true
  const parameters = [
    ...pathParameters.map((parameter) => `${parameter.name}: string`),
    ...(part
      ? [
          isRequired
            ? `${part}: ${type}Data['${part}']`
            : `${part}: NonNullable<${type}Data['${part}']> = {}`,
        ]
      : []),
    'options?: CallOptions',
  ]
  const target = path.replace(/\{(\w+)\}/g, (_, key: string) => `\${encodeURIComponent(${key})}`)
  const url = pathParameters.length > 0 ? `\`${target}\`` : `'${target}'`
  const request = ['method', 'path', ...(part ? [part] : []), 'options']
    .map((key) =>
      key === 'method' ? `method: '${method}'` : key === 'path' ? `path: ${url}` : key,
    )
    .join(', ')
  const item = `${type}Response['${itemsKey}'][number]`
  return [
    '  /**',
    `   * ${call.summary}.`,
    '   *',
    `   * ${call.description}`,
    '   *',
    `   * \`${method} ${path}\``,
    '   */',
    `  ${name}(`,
    ...parameters.map((parameter) => `    ${parameter},`),
    ...(itemsKey
      ? [
          `  ): Pages<${type}Response, ${item}> {`,
          `    return new Pages(this.#transport, { ${request} }, '${itemsKey}')`,
        ]
      : [
          `  ): Promise<${type}Response> {`,
          `    return this.#transport.send<${type}Response>({ ${request} })`,
        ]),
    '  }',
  ]
}

/** `events.gen.ts`: the seven events with their data and answers. */
export function typescriptEvents({ events }: Model): string {
  return [
    HEAD,
    "import type * as Types from './types.gen.ts'",
    '',
    '/** Data and answer of each event, by type. */',
    'export interface EventTypes {',
    ...events.flatMap(eventType),
    '}',
    '',
    '/** The types of all events. */',
    'export const EVENT_TYPES = [',
    ...events.map(({ type }) => `  '${type}',`),
    '] as const satisfies readonly (keyof EventTypes)[]',
    '',
  ].join('\n')
}

const eventType = ({ type, name, summary, answer }: Event): string[] => [
  `  /** ${summary}. */`,
  `  '${type}': {`,
  `    data: Types.${name}WebhookPayload['data']`,
  `    answer: Types.${answer}`,
  '  }',
]
