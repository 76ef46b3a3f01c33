import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { AMBIGUOUS, rejectedWords } from '../scripts/prose/glossary.ts'
import { proseFaults } from '../scripts/prose/lint.ts'
import { tempFolder } from './support/temp-store.ts'

// The check of the documents' wording finds what was planted, and nothing in what is correct.

const root = join(import.meta.dirname, '..')
const messagesOf = async (text: string, name = 'docs/notes.md') =>
  (await proseFaults(name, text)).map(({ message }) => message)
const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`).join(' ')

describe('the check of prose', () => {
  it.each([
    ['a phrase', 'Somebody opens it.\n', /^“Somebody”: use the role/],
    [
      'a phrase over two lines',
      'It works by\nthemselves.\n',
      /^“by themselves”: use “automatically”/,
    ],
    ['a word of the glossary', 'Make a back-up.\n', /^“back-up”: use “backup/],
    ['a phrase in a table', '| a |\n|---|\n| made anew |\n', /^“anew”: use “again”/],
    ['a phrase in a heading', '# Told of it\n', /^“Told of”: use “notified of”/],
    ['a phrase in the text of a link', 'See [what it lacks](a.md).\n', /^“what it lacks”: use/],
    ['a double word', 'It is is so.\n', /^“is” twice in a row$/],
    [
      'a long sentence',
      `First. ${words(21)}\n${words(20)}. Last.\n`,
      /^sentence of 41 words; the limit is 40$/,
    ],
    ['a long line', `${words(40)}\n`, /^line of \d+ characters; the limit is 120$/],
    ['a long document', 'One line.\n\n'.repeat(151), /^301 lines; the limit is 300$/],
  ])('finds %s', async (_, text, message) => {
    expect(await messagesOf(text)).toEqual([expect.stringMatching(message)])
  })

  it('gives the place of what it finds', async () => {
    const text = '# Title\n\nA `somebody` in code, then\nit is nobody else.\n'
    expect(await proseFaults('docs/notes.md', text)).toEqual([
      { line: 4, column: 7, message: expect.stringMatching(/^“nobody”/) },
    ])
  })

  it.each([
    ['code', `\`somebody\` and\n\n\`\`\`sh\nsomebody ${words(60)}\n\`\`\`\n`],
    ['the target of a link', `See [it](https://somebody.example/${'x'.repeat(120)}).\n`],
    ['a wide table', `| a |\n|---|\n| ${words(60)} |\n`],
    ['40 words', `${words(20)}\n${words(20)}.\n`],
    ['a comment', '<!-- somebody -->\n'],
  ])('finds nothing in %s', async (_, text) => {
    expect(await messagesOf(text)).toEqual([])
  })

  it('limits the README to 120 lines, and the changelog not at all', async () => {
    const text = 'One line.\n\n'.repeat(200)
    expect(await messagesOf(text, 'README.md')).toEqual(['399 lines; the limit is 120'])
    expect(await messagesOf(text, 'CHANGELOG.md')).toEqual([])
  })

  it('takes its terms from the glossary, and names no ambiguous word that is not in it', () => {
    const rejected = rejectedWords()
    expect(rejected.get('set aside')).toBe('quarantine')
    expect([...AMBIGUOUS].filter((word) => !rejected.has(word))).toEqual([])
  })

  it('is a stage of npm test that fails with what it found', () => {
    expect(readFileSync(join(root, 'scripts/test.mjs'), 'utf8')).toContain('scripts/prose/main.ts')
    using temp = tempFolder()
    const file = join(temp.folder, 'notes.md')
    const run = (text: string) => {
      writeFileSync(file, text)
      const main = join(root, 'scripts/prose/main.ts')
      return spawnSync(process.execPath, [main, file], { encoding: 'utf8' })
    }
    const planted = run('Reports wait for somebody.\n')
    expect(planted.status).toBe(1)
    expect(planted.stdout).toMatch(/notes\.md:1:18: “somebody”: use the role/)
    expect(planted.stdout).toContain('Documents: 1. Faults of wording: 1.')
    expect(run('Reports wait for a radiologist.\n').status).toBe(0)
  })
})
