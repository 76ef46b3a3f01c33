import { readFileSync, writeFileSync } from 'node:fs'
import { documentPath } from '../../scripts/docs/documents.ts'
import { hasTest, PROMISE_FILES, readTestFile, testFiles } from './promise-table.ts'

// The work of scripts/promises.mjs.

const writes = process.argv.includes('--write')
const texts = new Map(testFiles().map((file) => [file, readTestFile(file) ?? '']))
let missing = 0

for (const path of [...PROMISE_FILES, ...['THREATS.md', 'HAZARDS.md'].map(documentPath)]) {
  const before = readFileSync(path, 'utf8')
  const after = before.replace(
    /`([^`]+?\.tsx?) › ([^`]+)`/g,
    (whole, file: string, name: string) => {
      if (hasTest(texts.get(file) ?? '', name)) return whole
      const found = [...texts].filter(([, text]) => hasTest(text, name)).map(([other]) => other)
      if (writes && found.length === 1) return `\`${found[0]} › ${name}\``
      missing++
      const place = found.length > 0 ? `is in ${found.join(', ')}` : 'was not found'
      console.log(`${file} › ${name} ${place}`)
      return whole
    },
  )
  if (after !== before) writeFileSync(path, after)
}
console.log(missing === 0 ? 'Every test that is named exists.' : `${missing} names lead nowhere.`)
process.exitCode = missing === 0 ? 0 : 1
