import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'

// A clone of the repository is complete: nothing refers to a document that is not in it.

const root = join(import.meta.dirname, '..')
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
const names = new Set(tracked.map((file) => basename(file)))
const NAMED = /[\w./-]*[\w-]\.md\b/g
/** Documents of others, and files that a test or a release makes. */
const ELSEWHERE = new Set(['LICENSE.md', 'notes.md', 'a.md', 'security.md'])
/** Rows, sections and numbers of documents and lists that are kept outside the repository. */
const OUTSIDE = /§6 rows?\b|\(rows? \d+\)|\bmust-show\b|(?<!\w)issue \d+, point|interface-choices/

it('names no document and no list that a clone cannot open', () => {
  const found = tracked
    .filter((file) => /\.(tsx?|m?js|mts|md|ya?ml|html|css)$/.test(file))
    .filter((file) => file !== 'test/references.test.ts')
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, at) => {
          const documents = [...line.matchAll(NAMED)].map(([name]) => basename(name))
          const isMissing = documents.some((name) => !names.has(name) && !ELSEWHERE.has(name))
          return isMissing || OUTSIDE.test(line) ? [`${file}:${at + 1}: ${line.trim()}`] : []
        }),
    )
  expect(found).toEqual([])
})
