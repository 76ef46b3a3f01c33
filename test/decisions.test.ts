import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

// Every decision has the same form, can be read without anything outside the repository, and is
// in the index.

const folder = join(import.meta.dirname, '../docs/decisions')
const files = readdirSync(folder).filter((file) => file !== 'README.md')
const read = (file: string) => readFileSync(join(folder, file), 'utf8')
const TITLE = /^# (\d{4})\. (\S.*)$/
const SUPERSEDED = /^Superseded by \[\d{4}\]\((\d{4}-[\w-]+\.md)\)\.$/
/** References that a reader of the repository cannot follow. */
const OUTSIDE = /\b[Ii]ssue \d+(?! of )|redesign\.md|style\.md|\/work\//

describe.each(files)('%s', (file) => {
  const text = read(file)
  const lines = text.split('\n')
  const code = new Set<number>()
  for (let at = 0, isCode = false; at < lines.length; at++) {
    if (lines[at]?.startsWith('```')) isCode = !isCode
    if (isCode) code.add(at)
  }

  it('has the number of its file in its title', () => {
    expect(lines[0]).toMatch(TITLE)
    expect(TITLE.exec(lines[0] ?? '')?.[1]).toBe(file.slice(0, 4))
  })

  it('has the sections context, decision and consequences, each with text', () => {
    const headings = lines.filter((line, at) => line.startsWith('## ') && !code.has(at))
    expect(headings).toEqual(['## Context', '## Decision', '## Consequences'])
    for (const section of text.split(/^## /m).slice(1))
      expect(section.split('\n').slice(1).join('').trim(), section).not.toBe('')
  })

  it('has only the decision that supersedes it before the first section', () => {
    const status = text.slice(text.indexOf('\n'), text.indexOf('\n## ')).trim()
    if (status === '') return
    expect(status).toMatch(SUPERSEDED)
    expect(files).toContain(SUPERSEDED.exec(status)?.[1])
  })

  it('links to files that exist, and to nothing outside the repository', () => {
    expect(text).not.toMatch(OUTSIDE)
    const targets = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target = '']) => target)
    for (const target of targets)
      expect(readFileSync(join(folder, target), 'utf8'), target).not.toBe('')
  })

  it('has lines of at most 120 characters outside of tables and code', () => {
    const long = lines.filter(
      (line, at) => line.length > 120 && !line.startsWith('|') && !code.has(at),
    )
    expect(long).toEqual([])
    expect(lines.length).toBeLessThanOrEqual(301)
  })
})

describe('the index of decisions', () => {
  it('lists every decision in order, with its title', () => {
    const titles = files.toSorted().map((file) => {
      const [, number, title] = TITLE.exec(read(file).split('\n')[0] ?? '') ?? []
      const isSuperseded = /^Superseded by /m.test(read(file))
      return `- [${number}](${file}) ${title}${isSuperseded ? ' (superseded)' : ''}`
    })
    expect(read('README.md').match(/^- \[.*$/gm)).toEqual(titles)
  })
})
