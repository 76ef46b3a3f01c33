import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { API_REFERENCE, apiReference } from './api-reference.ts'
import { DOCUMENTS, documentPath } from './documents.ts'
import { filled } from './markdown.ts'
import { TABLES } from './tables.ts'

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const stale: string[] = []
for (const name of DOCUMENTS) {
  const path = documentPath(name)
  const text = readFileSync(path, 'utf8')
  const made = await filled(text, TABLES)
  if (made === text) continue
  stale.push(name)
  if (!values.check) writeFileSync(path, made)
}
const reference = apiReference()
if (!existsSync(API_REFERENCE) || readFileSync(API_REFERENCE, 'utf8') !== reference) {
  stale.push('API.md')
  if (!values.check) writeFileSync(API_REFERENCE, reference)
}
if (stale.length === 0) console.log('Every table is what the code says.')
else
  console.log(
    values.check
      ? `Tables differ from the code in ${stale.join(', ')}: run npm run docs.`
      : `Made anew: ${stale.join(', ')}.`,
  )
process.exitCode = values.check && stale.length > 0 ? 1 : 0
