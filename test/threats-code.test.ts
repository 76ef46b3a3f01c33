import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { openLog } from '#server/platform/log.ts'

// What docs/THREATS.md says of the sources as a whole, read off the sources.

const root = join(import.meta.dirname, '..')

const sourcesIn = (folder: string): { readonly file: string; readonly text: string }[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|html)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({
      file: relative(root, path).replaceAll('\\', '/'),
      text: readFileSync(path, 'utf8'),
    }))

/** Ways in which text becomes markup or code. */
const SINKS: readonly RegExp[] = [
  /dangerouslySetInnerHTML/,
  /\.(inner|outer)HTML\s*=(?!=)/,
  /insertAdjacentHTML|createContextualFragment|document\.write/,
  /(?<![\w.])eval\(|new Function\(|setTimeout\(\s*['"`]/,
  /srcDoc\s*=|['"]javascript:/,
  /DOMParser\(\)/,
]
const sinksOf = ({ file, text }: { readonly file: string; readonly text: string }): string[] =>
  SINKS.flatMap((form) => (form.test(text) ? [`${file}: ${form.exec(text)?.[0]}`] : []))

it('lets no page set text as markup, or run text as code', () => {
  const pages = [...sourcesIn('renderer'), ...sourcesIn('electron'), ...sourcesIn('shared')]
  expect(pages.length).toBeGreaterThan(500)
  expect(pages.flatMap(sinksOf)).toEqual([])
  for (const text of [
    '<b dangerouslySetInnerHTML={x} />',
    'a.innerHTML = name',
    'eval(text)',
    '<iframe srcDoc={text} />',
  ])
    expect(sinksOf({ file: 'planted', text })).toHaveLength(1)
})

/** Parts of statements that are no constants by their names, by file, with what each is made of. */
const MADE_OF_CONSTANTS: Readonly<
  Record<string, { readonly parts: readonly string[]; readonly why: string }>
> = {
  'announced-instance-queries.ts': {
    parts: [
      "isReceivedCondition('?')",
      "isReceivedCondition('value')",
      "isCorrectedCondition('?')",
    ],
    why: 'a constant with a column or a place in it',
  },
  'association-queries.ts': {
    parts: ['SCAN_LIMIT - 1', 'from', 'textOf(rest)', 'unused'],
    why: 'conditions written there, values bound beside them',
  },
  'confirmation-queries.ts': { parts: ['where'], why: 'conditions written there' },
  'older-schema.ts': {
    parts: ['table', 'sharedColumns', 'database', 'where'],
    why: 'tables and columns of a schema of our own, one of two databases',
  },
  'pending-migrations.ts': { parts: ['table'], why: 'a table that a migration of ours names' },
  'customers/queries.ts': { parts: ['where'], why: 'a condition written there, or none' },
  'database-contents.ts': {
    parts: ['name', 'table'],
    why: 'a table that is there, of the schema, or one of those that it counts',
  },
  'forward-queries.ts': {
    parts: ["conditions.join(' and ')", 'index'],
    why: 'conditions written there, and the name of an index',
  },
  'image-study-queries.ts': { parts: ['flag'], why: 'one of two columns' },
  'instance-queries.ts': {
    parts: ["columns.join(', ')", "columns.map(() => '?').join(', ')"],
    why: 'columns of the type of the table, places for values',
  },
  'image-study-list-queries.ts': { parts: ['from', 'rest', 'text'], why: 'sources written there' },
  'key-proof.ts': { parts: ['table'], why: 'one of SAMPLES' },
  'needed-addendum-queries.ts': {
    parts: ["tests.map(([test]) => test).join(' and ')", "isOldestFirst ? 'asc' : 'desc'"],
    why: 'conditions written there, one of two words',
  },
  'study-queries.ts': {
    parts: ["items.map(() => '?').join(', ')", 'where'],
    why: 'columns by a table, places for values',
  },
  'study-writing-queries.ts': {
    parts: ['GRAM_TABLES[study.area]'],
    why: 'names of tables of constants',
  },
  'study-list-queries.ts': {
    parts: [
      'columns',
      'index',
      'rangeCondition',
      "tests.join(' and ')",
      "unionOf(branches, '1', reach)",
      'where',
    ],
    why: 'branches written there; the merge of runs of an index',
  },
  'audit-triggers.ts': {
    parts: [`name.replaceAll('"', '""')`],
    why: 'the name of a trigger that is there, quoted',
  },
  'study-search-queries.ts': {
    parts: ["isOldestFirst ? 'asc' : 'desc'", 'words'],
    why: 'one of two words, one of three tables',
  },
  'study-count-queries.ts': { parts: ["tests.join(' and ')"], why: 'conditions written there' },
  'today-count-queries.ts': { parts: ['index', 'text', 'where'], why: 'statements written there' },
}

/**
 * What is put into a statement that is text, but constants (by their names in capitals) and
 * numbers. Bound values are `?` or kysely’s.
 */
function partsOf({ file, text }: { readonly file: string; readonly text: string }): string[] {
  const statements = [...text.matchAll(/(?<!\bsql(?:<[^`]*>)?)`([^`]*)`/g)].map(
    ([, body = '']) => body,
  )
  return statements
    .filter((body) =>
      /^\s*(select|insert|update|delete|with|pragma|create|drop|alter|attach|vacuum)\b/i.test(body),
    )
    .flatMap((body) =>
      [...body.matchAll(/\$\{([^}]*(?:\{[^}]*\}[^}]*)*)\}/g)].map(([, part = '']) => part),
    )
    .filter((part) => !/^[A-Z][A-Z0-9_]*(\[\w+\]|\.(join|map)\(.*)?$|^Number\(/.test(part))
    .map((part) => `${nameOf(file)}: ${part}`)
}
/** `study-queries.ts`, but `customers/queries.ts`. */
const nameOf = (file: string) => /(\w+\/queries|[^/]+)\.ts$/.exec(file)?.[0]
const explained = Object.entries(MADE_OF_CONSTANTS).flatMap(([file, { parts }]) =>
  parts.map((part) => `${file}: ${part}`),
)

it('makes no statement of a value', () => {
  // A migration is written once, and takes nothing.
  const isOfQueries =
    /\/database\/|[/-]queries\.ts$|\/(audit-triggers|backup-check|open-backup|received-steps|search-index)\.ts$/
  const sources = sourcesIn('electron/server').filter(
    ({ file }) => isOfQueries.test(file) && !file.includes('/migrations/'),
  )
  const parts = [...new Set(sources.flatMap(partsOf))]
  expect(parts.filter((part) => !explained.includes(part))).toEqual([])
  expect(explained.filter((part) => !parts.includes(part))).toEqual([])
  // kysely’s own ways around bound values: a reference is a column of a type.
  expect(
    sources.filter(({ text }) => /sql\.(raw|lit|id|table)\(/.test(text)).map(({ file }) => file),
  ).toEqual([])
  expect(
    partsOf({
      file: 'planted.ts',
      text: `db.prepare(\`select * from users where name = '\${name}'\`)`,
    }),
  ).toEqual(['planted.ts: name'])
})

it('writes one line of JSON to the log, whatever a caller calls itself', () => {
  const lines: string[] = []
  const log = openLog('info', { write: (line) => void lines.push(line) })
  const aeTitle = 'CT1\n{"level":"fatal","msg":"all is lost"}\r\n\u2028\u0000\u001b[2J'
  log.warn({ aeTitle, [aeTitle]: 1 }, `rejected ${aeTitle}`)
  expect(lines).toHaveLength(1)
  expect(lines[0]?.trimEnd()).not.toMatch(/\p{Cc}/u)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', aeTitle })
})
