import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { doubleWordFindings, termFindings } from './checks.ts'
import { proseFaults } from './lint.ts'

// Without arguments: all documents of the repository and the English messages. Otherwise the files
// that the arguments name.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MESSAGES = 'shared/messages/en.json'

function documents(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md']
  const files = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n')
  return files.filter((file) => file !== '' && existsSync(join(ROOT, file)))
}

function messageFaults(): string[] {
  const messages = JSON.parse(readFileSync(join(ROOT, MESSAGES), 'utf8')) as Record<string, string>
  return Object.entries(messages).flatMap(([code, text]) =>
    [...termFindings(text), ...doubleWordFindings(text)].map(
      ({ message }) => `${MESSAGES} ${code}: ${message}`,
    ),
  )
}

const named = process.argv.slice(2).map((file) => relative(ROOT, resolve(file)))
const files = named.length > 0 ? named : documents()
const faults = named.length > 0 ? [] : messageFaults()
for (const file of files) {
  const found = await proseFaults(file, readFileSync(join(ROOT, file), 'utf8'))
  faults.push(...found.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`))
}
for (const fault of faults) console.log(fault)
console.log(`Documents: ${files.length}. Faults of wording: ${faults.length}.`)
process.exitCode = faults.length > 0 ? 1 : 0
