import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

// docs/OPERATION.md lists all code that deletes or replaces files of images.

const SERVER = join(import.meta.dirname, '../electron/server')
const TEXT = readFileSync(join(import.meta.dirname, '../docs/OPERATION.md'), 'utf8')

/** Modules that delete or rename files, which are never files of images. */
const OTHERS: Readonly<Record<string, string>> = {
  'modules/control/control': 'the control socket',
  'modules/setup/simulated-exam':
    'invented images of the simulated device, in the temporary folder',
  'modules/backups/restore-test': 'the restored backup of a restore test',
  'modules/backups/backup-folder': 'a probe in the folder of backups',
  'http/certificate': 'certificates',
  'modules/control/rescue-routes': 'the database that a new one takes the place of',
  'audit-log/audit-anchor': 'the anchor of the audit trail',
  'modules/backups/make-backup': 'backups',
  'modules/backups/open-backup': 'an opened backup',
  'database/data-key': 'the data key',
  'database/database-file': 'copies of the database before an update',
  'modules/backups/restore-files': 'files of the database that a backup replaces',
  'database/encrypted-file': 'the file that it was writing',
  'audit-log/pending-restore-audit': 'orders of restores',
  'database/wrapped-key': 'the wrapped data key',
  'platform/write-health': 'a probe in the data folder',
  'modules/diagnostics/update-preflight': 'a probe in the data folder',
  'modules/backups/log-segment': 'the copied log of the database',
  'modules/backups/log-shipping': 'the copied log of the database',
  'modules/backups/log-state': 'the note of how much of the log was copied',
  'modules/backups/replica': 'the database of a standby',
  'modules/backups/takeover-note': 'a note that the database was checked',
  'modules/backups/way-back': 'the database that one of an older version takes the place of',
  'database/older-schema': 'the database that it was writing',
  'database/integrity-check': 'the note that the database is damaged',
  'platform/log-file': 'old files of the log',
}

const OF_FILE = /(?<![.\w])(?:fs\.)?(?:rm|rmdir|unlink|rename|truncate)(?:Sync)?\(/
const OF_IMAGES =
  /\bimageFiles\.(?:remove|sweep|recovery\.(?:remove|move|putBack)|copies\.forget)\(|\bpart\S*\.discard\(/

/** `function f(`, a method `f(…) {`, `f: (…) =>` or `const f = (…) =>`. */
const NAMED = [
  /^(?:export )?(?:async )?function\*? (\w+)/,
  /^(?:async )?\*?#?(\w+)\((?!.*=>).*\{$/,
  /^(\w+): (?:async )?\(.*=>/,
  /^(?:export )?const (\w+) = (?:async )?\(.*=>/,
]
const KEYWORDS = new Set(['if', 'for', 'while', 'switch', 'catch'])

/** The function around a line: the nearest one above that is indented less, or the line itself. */
function functionAt(lines: readonly string[], at: number): string {
  let indent = Number.POSITIVE_INFINITY
  for (let above = at; above >= 0; above--) {
    const line = lines[above] ?? ''
    const own = line.search(/\S/)
    if (own < 0 || own >= indent) continue
    const text = line.trim()
    // The end of a list of parameters: what they are of is indented as much.
    indent = text.startsWith(')') ? own + 1 : own
    const name = NAMED.map((form) => form.exec(text)?.[1]).find((found) => found !== undefined)
    if (name !== undefined && !KEYWORDS.has(name)) return name
  }
  return ''
}

/** `module function` of each call that deletes or renames a file. */
const calls = globSync('**/*.ts', { cwd: SERVER }).flatMap((file) => {
  const module = file.replace(/\.ts$/, '')
  const lines = readFileSync(join(SERVER, file), 'utf8').split('\n')
  return lines.flatMap((line, at) => {
    const isCall = OF_FILE.test(line) || OF_IMAGES.test(line)
    return isCall ? [{ module, name: functionAt(lines, at) }] : []
  })
})

/** First column of the table: a module, and its functions; without one, all of it. */
const isSection = (text: string) => text.startsWith('What the gateway deletes\n')
const section = TEXT.split('\n## ').find(isSection) ?? ''
const listed = [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => {
  const found: { module: string; names: string[] }[] = []
  for (const [, token = ''] of cell.matchAll(/`([^`]+)`/g))
    if (token.includes('/')) found.push({ module: token, names: [] })
    else found.at(-1)?.names.push(token)
  return found
})
const isListed = ({ module, name }: (typeof calls)[number]) =>
  listed.some(
    // Without a function the row is about the module.
    (one) => one.module === module && (one.names.length === 0 || one.names.includes(name)),
  )

describe('the table of what the gateway deletes', () => {
  it('has every function that deletes or renames files of images', () => {
    const unlisted = calls.filter((call) => !(call.module in OTHERS) && !isListed(call))
    expect(unlisted.map(({ module, name }) => `${module} ${name}`)).toEqual([])
    expect(
      calls.filter(({ module }) => module.startsWith('modules/images/')).length,
    ).toBeGreaterThan(10)
  })

  it('has no function that is gone', () => {
    const gone = listed.flatMap(({ module, names }) =>
      (names.length === 0 ? [''] : names)
        .filter(
          (name) =>
            !calls.some((call) => call.module === module && (name === '' || call.name === name)),
        )
        .map((name) => `${module} ${name}`.trim()),
    )
    expect(gone).toEqual([])
    const calling = new Set(calls.map(({ module }) => module))
    expect(Object.keys(OTHERS).filter((module) => !calling.has(module))).toEqual([])
  })
})
