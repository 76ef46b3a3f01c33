import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { normalizePath, type Plugin } from 'vite'

// The window needs the method and path of an operation, seldom its schemas: these and zod are a
// seventh of what its first screen would load. A module of the contract becomes its operations and
// its constants as data; its schemas come from the same module with this suffix.
const SCHEMAS = '?schemas'
const CONTRACT = normalizePath(join(import.meta.dirname, '../../shared/contract/'))
const isOperation = (value: object): value is { method: string; path: string } =>
  'method' in value && 'path' in value && 'reply' in value
const isData = (value: unknown): boolean =>
  value === null ||
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every(isData))

/** An export of the contract as source text; undefined where it is more than data. */
function dataOf(value: unknown): string | undefined {
  if (isData(value)) return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return undefined
  const members = Object.entries(value)
  if (members.length === 0 || !members.every(([, one]) => isOperation(Object(one))))
    return undefined
  return JSON.stringify(
    Object.fromEntries(members.map(([name, { method, path }]) => [name, { method, path }])),
  )
}

/** The exports of a module that are data, as source text; read once for all its importers. */
function dataIn(file: string): Promise<Record<string, string>> {
  const known = read.get(file)
  if (known) return known
  const data = readData(file)
  read.set(file, data)
  return data
}
const read = new Map<string, Promise<Record<string, string>>>()

async function readData(file: string): Promise<Record<string, string>> {
  const exported: Record<string, unknown> = await import(pathToFileURL(file).href)
  const data = Object.entries(exported).map(([name, value]) => [name, dataOf(value)] as const)
  return Object.fromEntries(data.filter((one): one is [string, string] => one[1] !== undefined))
}

/**
 * Code that has each operation which it names as a constant of its own, in place of a member of all
 * operations of a module: the first screen needs a tenth of them.
 * @param data of the export of that name, as source text
 */
function withOwnOperations(code: string, name: string, data = ''): string {
  if (!data.startsWith('{')) return code
  const operations: Record<string, object> = JSON.parse(data)
  const named = new Set<string>()
  const changed = code.replace(
    new RegExp(`(?<![\\w$.'"\`/-])${name}\\.(\\w+)\\b`, 'g'),
    (use, member: string) => {
      if (!(member in operations)) return use
      named.add(member)
      return `${name}$${member}`
    },
  )
  const constants = [...named].map(
    (member) => `const ${name}$${member} = ${JSON.stringify(operations[member])};`,
  )
  return constants.join('') + changed
}

export const contractWithoutSchemas = (): Plugin => ({
  name: 'contract-without-schemas',
  enforce: 'pre',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'client',
  // A module with schemas imports others with theirs.
  async resolveId(source, importer, options) {
    const isFromSchemas = importer?.startsWith(CONTRACT) && importer.endsWith(SCHEMAS)
    const from = isFromSchemas ? importer?.slice(0, -SCHEMAS.length) : importer
    const found = await this.resolve(source, from, { ...options, skipSelf: true })
    if (!found?.id.startsWith(CONTRACT)) return found
    const isWhole = isFromSchemas || WHOLE.includes(basename(found.id))
    return isWhole && !found.id.endsWith(SCHEMAS) ? { ...found, id: found.id + SCHEMAS } : found
  },
  async load(id) {
    if (!id.startsWith(CONTRACT)) return null
    const file = id.replace(SCHEMAS, '')
    if (id.endsWith(SCHEMAS))
      return { code: readFileSync(file, 'utf8'), moduleType: 'ts', moduleSideEffects: false }
    const lines = Object.entries(await dataIn(file)).map(
      ([name, data]) => `export const ${name} = ${data}`,
    )
    return { code: lines.join('\n'), moduleType: 'js', moduleSideEffects: false }
  },
  // What is more than data is imported from the module with schemas.
  async transform(code, id) {
    if (id.startsWith(CONTRACT) || !code.includes('#shared/contract/')) return null
    let changed = code
    for (const [statement, list = '', name = ''] of code.matchAll(CONTRACT_IMPORT)) {
      if (WHOLE.includes(name)) continue
      const data = await dataIn(CONTRACT + name)
      const names = list.split(',').map((one) => one.trim())
      const values = names.filter((one) => one !== '' && !one.startsWith('type '))
      const isOfData = (one: string) => (one.split(' as ')[0] ?? one) in data
      const from = (some: string[], path: string) =>
        some.length > 0 ? `import { ${some.join(', ')} } from '${path}';` : ''
      const path = `#shared/contract/${name}`
      const apart =
        from(values.filter(isOfData), path) +
        from(
          values.filter((one) => !isOfData(one)),
          path + SCHEMAS,
        )
      // As many lines as before, so that the source map stays right.
      changed = changed.replace(statement, apart + statement.replace(/[^\n]/g, ''))
      for (const one of values.filter(isOfData))
        changed = withOwnOperations(changed, one, data[one])
    }
    return { code: changed, map: null }
  },
})
const CONTRACT_IMPORT = /^import \{([^}]*)\} from '#shared\/contract\/([\w-]+\.ts)'/gm

/** Modules of the contract that read the schemas of others. */
const WHOLE = ['operations.ts']
