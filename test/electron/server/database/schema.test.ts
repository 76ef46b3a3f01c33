import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { MIGRATIONS } from '#server/database/migrations.ts'

interface Column {
  readonly type: string
  readonly isNullable: boolean
  readonly isGenerated: boolean
}
type Tables = Record<string, Record<string, Column>>

const FOLDER = join(import.meta.dirname, '../../../../electron/server/database')

/** The text of what is between the bracket at this place and the one that closes it. */
function between(text: string, open: number): string {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === '{') depth++
    if (text[at] === '}' && --depth === 0) return text.slice(open + 1, at)
  }
  throw new Error('A bracket is not closed')
}

/** Members of an object type, by name. */
function membersOf(body: string): [name: string, type: string][] {
  const members: [string, string][] = []
  for (let rest = body.trim(); rest !== ''; rest = rest.replace(/^[\s;]+/, '')) {
    const [head = '', name = ''] = /^(\w+):\s*/.exec(rest) ?? []
    if (name === '') throw new Error(`This is no member: ${rest.slice(0, 40)}`)
    rest = rest.slice(head.length)
    const brace = /^[^\n;]*?\{/.exec(rest)
    const end = brace
      ? brace[0].length + between(rest, brace[0].length - 1).length + 1
      : (/^[^\n;]*/.exec(rest)?.[0].length ?? 0)
    members.push([name, rest.slice(0, end).trim()])
    rest = rest.slice(end)
  }
  return members
}

/** The tables of `Schema`, read from the text of the types (decision 0039). */
function declared(): Tables {
  const files = [
    ...readdirSync(join(FOLDER, 'tables')).map((name) => join('tables', name)),
    'schema.ts',
  ]
  const text = files
    .map((name) => readFileSync(join(FOLDER, name), 'utf8'))
    .join('\n')
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
  const interfaces = new Map(
    [...text.matchAll(/interface (\w+)(?:\s+extends ([\w,\s]+))?\s*\{/g)].map((match) => [
      match[1] ?? '',
      {
        parents: (match[2] ?? '')
          .split(',')
          .map((name) => name.trim())
          .filter(Boolean),
        body: between(text, match.index + match[0].length - 1),
      },
    ]),
  )
  /** Members of a type such as `Person & { … }`, those of the interfaces it names included. */
  function resolved(type: string): [string, string][] {
    const open = type.indexOf('{')
    const own = open < 0 ? [] : membersOf(between(type, open))
    const names = (open < 0 ? type : type.slice(0, open)).split('&').map((name) => name.trim())
    const inherited = names.filter(Boolean).flatMap((name) => {
      const found = interfaces.get(name)
      if (!found) throw new Error(`There is no interface ${name}`)
      return [...found.parents.flatMap(resolved), ...membersOf(found.body)]
    })
    return [...inherited, ...own]
  }

  function columnOf(type: string): Column {
    const inner = /^Generated(?:Always)?<(.*)>$/.exec(type)?.[1] ?? type
    const parts = inner.split('|').map((part) => part.trim())
    const [value = ''] = parts.filter((part) => part !== 'null')
    const kinds: Record<string, string> = { string: 'TEXT', number: 'NUMBER', Buffer: 'BLOB' }
    return {
      type: kinds[value] ?? (/^(Flag|\d+)$/.test(value) ? 'NUMBER' : value),
      isNullable: parts.includes('null'),
      isGenerated: inner !== type,
    }
  }

  return Object.fromEntries(
    resolved('Schema').map(([table, type]) => [
      table,
      Object.fromEntries(resolved(type).map(([name, column]) => [name, columnOf(column)])),
    ]),
  )
}

interface Info {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly dflt_value: string | null
  readonly pk: number
  readonly hidden: number
}

/** The same tables of a migrated database. */
function migrated(tables: readonly string[]): Tables {
  const sqlite = new Sqlite(':memory:')
  for (const text of MIGRATIONS) sqlite.exec(text)
  const columnsOf = (table: string): Record<string, Column> => {
    const info = sqlite.pragma(`table_xinfo("${table}")`) as Info[]
    const keys = info.filter(({ pk }) => pk > 0).length
    return Object.fromEntries(
      info.map(({ name, type, notnull, dflt_value, pk, hidden }) => {
        const isRowid = pk > 0 && keys === 1 && type === 'INTEGER'
        const isNullable = notnull === 0 && pk === 0
        return [
          name,
          {
            type: type === 'INTEGER' || type === 'REAL' ? 'NUMBER' : type,
            isNullable: isNullable && hidden === 0,
            // A column that may be null can be left out, but is named by every insert.
            isGenerated: dflt_value !== null || isRowid || hidden !== 0,
          },
        ]
      }),
    )
  }
  return Object.fromEntries(tables.map((table) => [table, columnsOf(table)]))
}

describe('the types of the tables', () => {
  it('are those of the migrated database', () => {
    const schema = declared()
    const database = migrated(Object.keys(schema))
    expect(Object.keys(schema).length).toBeGreaterThan(50)
    const plain = (tables: Tables) =>
      Object.entries(tables).map(([table, columns]) => [
        table,
        Object.entries(columns)
          .map(([name, { type, isNullable }]) => `${name} ${type}${isNullable ? ' null' : ''}`)
          .sort(),
      ])
    const { sessions } = database
    // The migration filled it for every row, and SQLite cannot add a column that is not null.
    if (sessions?.sessionId) sessions.sessionId = { ...sessions.sessionId, isNullable: false }
    expect(plain(schema)).toEqual(plain(database))
  })

  it('have Generated only where an insert may leave the column out', () => {
    const schema = declared()
    const database = migrated(Object.keys(schema))
    const wrong = Object.entries(schema).flatMap(([table, columns]) =>
      Object.entries(columns)
        .filter(([name, { isGenerated, isNullable }]) => {
          const column = database[table]?.[name]
          return isGenerated && !isNullable && !column?.isGenerated
        })
        .map(([name]) => `${table}.${name}`),
    )
    expect(wrong).toEqual([])
  })
})
