// Checks that every test named in docs/PROMISES.md exists, and with --write corrects the paths of
// tests that have moved to one other file. Also corrects docs/THREATS.md, which names tests alike.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasTest, PROMISES_FILE, readTestFile, testFiles } from '../test/support/promise-table.ts'

const writes = process.argv.includes('--write')
const files = testFiles()
const texts = new Map(files.map((file) => [file, readTestFile(file) ?? '']))
let missing = 0

for (const path of [PROMISES_FILE, join(import.meta.dirname, '../docs/THREATS.md')]) {
  const before = readFileSync(path, 'utf8')
  const after = before.replace(/`([^`]+?\.tsx?) › ([^`]+)`/g, (whole, file, name) => {
    if (hasTest(texts.get(file) ?? '', name)) return whole
    const found = files.filter((other) => hasTest(texts.get(other), name))
    const [only] = found
    if (found.length === 1 && writes) return `\`${only} › ${name}\``
    missing++
    console.log(`${file} › ${name}: ${found.length > 0 ? `is in ${found.join(', ')}` : 'not found'}`)
    return whole
  })
  if (after !== before) writeFileSync(path, after)
}
console.log(missing === 0 ? 'Every test that is named exists.' : `${missing} tests are not where they are said to be.`)
process.exitCode = missing === 0 ? 0 : 1
