import { readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { needing } from '../support/needs.ts'
import { matches, SECRETS } from '../support/secret-rules.ts'

const root = join(import.meta.dirname, '../..')
// Source maps are in no package (packaging/contents.ts).
const NOT_READ = /\.(png|woff2?|wasm|br|map)$/

it(
  'holds nothing that opens anything, and nothing of the machine that built it',
  needing('dist'),
  () => {
    const found = readdirSync(join(root, 'dist'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !NOT_READ.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => ({ file: relative(root, path), text: readFileSync(path, 'utf8') }))
    expect(found.length).toBeGreaterThan(50)
    // Bundled packages contain long words that look like keys of ours, which are looked for in the
    // sources.
    const { 'a key or token of ours': _, ...secrets } = SECRETS
    expect(matches(secrets, found)).toEqual([])
    for (const folder of [root, homedir()])
      expect(
        found
          .filter(({ text }) => folder.length > 3 && text.includes(`${folder}/`))
          .map(({ file }) => file),
      ).toEqual([])
  },
)
