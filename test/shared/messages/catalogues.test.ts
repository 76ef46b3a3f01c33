import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser'
import { parseSync, Visitor } from 'vite'
import { describe, expect, it } from 'vitest'
import en from '#shared/messages/en.json' with { type: 'json' }
import es from '#shared/messages/es.json' with { type: 'json' }

const ENGLISH: Readonly<Record<string, string>> = en
const OTHERS: Readonly<Record<string, Readonly<Record<string, string>>>> = { es }
const ROOT = join(import.meta.dirname, '../../..')

/** Names of the arguments of an ICU message, in the order of the alphabet. */
function argumentsOf(text: string): readonly string[] {
  const names = new Set<string>()
  const read = (elements: readonly MessageFormatElement[]) => {
    for (const element of elements) {
      if (element.type === TYPE.literal || element.type === TYPE.pound) continue
      names.add(element.value)
      if (element.type === TYPE.plural || element.type === TYPE.select)
        for (const option of Object.values(element.options)) read(option.value)
    }
  }
  read(parse(text, { ignoreTag: true }))
  return [...names].sort()
}

/** Files that print texts on the command line alone. */
const COMMAND_LINE =
  /^electron\/(cli\/|server\/modules\/(backups|control|diagnostics\/doctor|partners\/service)\b)/

interface Use {
  readonly at: string
  readonly code: string
  /** Names of the arguments; undefined where the source does not list them. */
  readonly given: readonly string[] | undefined
}

/** Calls of `message('code', { … })`, and every literal of the sources. */
function readSources() {
  const uses: Use[] = []
  /** Places where `verbatim` is given words of ours. */
  const written: string[] = []
  const literals = new Set<string>()
  const files = ['electron', 'shared', 'renderer/src'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  for (const file of files) {
    const source = readFileSync(file, 'utf8')
    const { program } = parseSync(file, source)
    const at = (start: number) =>
      `${relative(ROOT, file)}:${source.slice(0, start).split('\n').length}`
    new Visitor({
      Literal({ value }) {
        if (typeof value === 'string') literals.add(value)
      },
      CallExpression({ callee, arguments: [code, params], start }) {
        if (callee.type !== 'Identifier') return
        const isWritten =
          (code?.type === 'Literal' && / /.test(String(code.value))) ||
          (code?.type === 'TemplateLiteral' &&
            code.quasis.some(({ value }) => /[a-z]{2,} [a-z]{2,}/.test(value.raw)))
        if (callee.name === 'verbatim' && isWritten) written.push(at(start))
        if (callee.name !== 'message') return
        if (code?.type !== 'Literal' || typeof code.value !== 'string') return
        const properties = params?.type === 'ObjectExpression' ? params.properties : []
        const names = properties.map((one) =>
          one.type === 'Property' && one.key.type === 'Identifier' ? one.key.name : undefined,
        )
        const isListed =
          (params === undefined || params.type === 'ObjectExpression') && !names.includes(undefined)
        const given = isListed ? names.filter((name) => name !== undefined).sort() : undefined
        uses.push({ at: at(start), code: code.value, given })
      },
    }).visit(program)
  }
  return { uses, literals, written }
}

describe('the catalogues of messages', () => {
  const { uses, literals, written } = readSources()

  it.each(Object.entries(OTHERS))(
    '%s has the messages of English, with the same arguments',
    (_, other) => {
      expect(Object.keys(other)).toEqual(Object.keys(ENGLISH))
      const differing = Object.entries(ENGLISH).filter(
        ([code, text]) => argumentsOf(text).join() !== argumentsOf(other[code] ?? '').join(),
      )
      expect(differing).toEqual([])
    },
  )

  it('are in the order of the codes, which are area.meaning', () => {
    const codes = Object.keys(ENGLISH)
    expect(codes).toEqual(codes.toSorted((a, b) => (a < b ? -1 : 1)))
    expect(codes.filter((code) => !/^[a-z][a-z-]*\.[a-z0-9][a-z0-9-]*$/.test(code))).toEqual([])
  })

  it('have every message with the arguments that the sources give', () => {
    const wrong = uses.filter(
      ({ code, given }) =>
        given === undefined || given.join() !== argumentsOf(ENGLISH[code] ?? '{?}').join(),
    )
    expect(wrong).toEqual([])
  })

  it('have all that is said at the window: only what the command line alone prints is written in English', () => {
    const others = written.filter((place) => !COMMAND_LINE.test(place))
    expect(others).toEqual([])
  })

  it('have nothing that nobody says', () => {
    expect(Object.keys(ENGLISH).filter((code) => !literals.has(code))).toEqual([])
  })

  it.each(Object.entries(OTHERS))('%s ends a sentence where English does', (_, other) => {
    const ending = (text = '') => /[.?:]$/.exec(text)?.[0] ?? ''
    expect(
      Object.entries(ENGLISH).filter(([code, text]) => ending(text) !== ending(other[code])),
    ).toEqual([])
  })
})
