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
  /** Where it is put together from a template, what it can be. */
  readonly code: string | RegExp
  /** Names of the arguments; undefined where the source does not list them. */
  readonly given: readonly string[] | undefined
}

/** Functions of the window that take the start of codes. */
const GROUPS = ['textsOf', 'textGroups', 'fieldTexts']

/**
 * The texts that a literal or a template can name: `ui.worklist.states.${state}.name` is every code
 * with something between its fixed parts.
 */
const patternOf = (parts: readonly string[]): RegExp =>
  new RegExp(`^${parts.map((part) => part.replaceAll('.', '\\.')).join('.+')}$`)

/** Calls of `message('code', { … })` and `t('code', { … })`, and every literal of the sources. */
function readSources() {
  const uses: Use[] = []
  /** Places where `verbatim` is given words of ours. */
  const written: string[] = []
  const literals = new Set<string>()
  /** Codes that are put together from a template. */
  const patterns: RegExp[] = []
  /** Starts of codes whose rest is listed elsewhere, as of `textsOf`. */
  const groups = new Set<string>()
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
        // `textsOf('ui.critical-results.columns', 'since')`, or a constant that a template goes on with.
        if (typeof value === 'string' && value.startsWith('ui.')) groups.add(`${value}.`)
      },
      TemplateLiteral({ quasis }) {
        const parts = quasis.map(({ value }) => value.raw)
        if (parts[0]?.startsWith('ui.') && parts.length > 1) patterns.push(patternOf(parts))
      },
      CallExpression({ callee, arguments: [code, params], start }) {
        if (callee.type !== 'Identifier') return
        const isWritten =
          (code?.type === 'Literal' && / /.test(String(code.value))) ||
          (code?.type === 'TemplateLiteral' &&
            code.quasis.some(({ value }) => /[a-z]{2,} [a-z]{2,}/.test(value.raw)))
        if (callee.name === 'verbatim' && isWritten) written.push(at(start))
        if (GROUPS.includes(callee.name) && code?.type === 'TemplateLiteral')
          patterns.push(patternOf([...code.quasis.map(({ value }) => value.raw), '']))
        // `fileFault` adds what the operating system said.
        const added = { message: [], t: [], fileFault: ['fault'] }[callee.name]
        if (added === undefined) return
        const named =
          code?.type === 'Literal'
            ? String(code.value)
            : code?.type === 'TemplateLiteral'
              ? patternOf(code.quasis.map(({ value }) => value.raw))
              : undefined
        if (named === undefined) return
        const properties = params?.type === 'ObjectExpression' ? params.properties : []
        const names = properties.map((one) =>
          one.type === 'Property' && one.key.type === 'Identifier' ? one.key.name : undefined,
        )
        const isListed =
          (params === undefined || params.type === 'ObjectExpression') && !names.includes(undefined)
        const given = isListed
          ? [...names.filter((name) => name !== undefined), ...added].sort()
          : undefined
        uses.push({ at: at(start), code: named, given })
      },
    }).visit(program)
  }
  const isUsed = (code: string): boolean =>
    literals.has(code) ||
    [...groups].some((start) => code.startsWith(start)) ||
    patterns.some((pattern) => pattern.test(code))
  return { uses, isUsed, written }
}

describe('the catalogues of messages', () => {
  const { uses, isUsed, written } = readSources()

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

  it('are in the order of the codes, which are area.meaning, or ui.screen.path of the window', () => {
    const codes = Object.keys(ENGLISH)
    expect(codes).toEqual(codes.toSorted((a, b) => (a < b ? -1 : 1)))
    const isCode = /^(?:ui\.[a-z-]+(?:\.[^.]+)+|[a-z][a-z-]*\.[a-z0-9][a-z0-9-]*)$/
    expect(codes.filter((code) => !isCode.test(code))).toEqual([])
  })

  it('have every message with the arguments that the sources give', () => {
    const wrong = uses.filter(({ code, given }) => {
      if (given === undefined) return true
      if (typeof code === 'string')
        return given.join() !== argumentsOf(ENGLISH[code] ?? '{?}').join()
      const possible = Object.keys(ENGLISH).filter((one) => code.test(one))
      const wanted = possible.map((one) => argumentsOf(ENGLISH[one] ?? ''))
      const all = [...new Set(wanted.flat())].sort()
      return ![...wanted, all].some((names) => names.join() === given.join())
    })
    expect(wrong).toEqual([])
  })

  it('have all that is said at the window: only what the command line alone prints is written in English', () => {
    const others = written.filter((place) => !COMMAND_LINE.test(place))
    expect(others).toEqual([])
  })

  it('have nothing that nobody says', () => {
    expect(Object.keys(ENGLISH).filter((code) => !isUsed(code))).toEqual([])
  })

  it.each(Object.entries(OTHERS))('%s ends a sentence where English does', (_, other) => {
    // “No.” and “n.º” are abbreviations.
    const ending = (text = '') => /(?<!^(?:No|nac))[.?:]\}*$/.exec(text)?.[0] ?? ''
    expect(
      Object.entries(ENGLISH).filter(([code, text]) => ending(text) !== ending(other[code])),
    ).toEqual([])
  })
})
