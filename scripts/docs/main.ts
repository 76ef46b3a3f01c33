import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { apiReference } from './api-reference.ts'
import { DOCUMENTS, documentPath } from './documents.ts'
import { filled } from './markdown.ts'
import { TABLES } from './tables.ts'

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const stale: string[] = []

function put(name: string, text: string): void {
  const path = documentPath(name)
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  stale.push(name)
  if (values.check) return
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

for (const name of DOCUMENTS)
  put(name, await filled(readFileSync(documentPath(name), 'utf8'), TABLES))
for (const [name, text] of apiReference()) put(name, text)

if (stale.length === 0) console.log('All generated tables and pages are up to date.')
else
  console.log(
    values.check
      ? `Out of date: ${stale.join(', ')}. Run npm run docs.`
      : `Generated: ${stale.join(', ')}.`,
  )
process.exitCode = values.check && stale.length > 0 ? 1 : 0
