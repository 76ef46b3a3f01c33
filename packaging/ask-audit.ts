// Looks at how packages are locked, asks the registry for advisories, and judges the answer. Run by
// scripts/audit.mjs under Node 24. Ends with 0 where all is well, 1 with a fault, 2 where the
// registry could not be asked and nothing else is wrong.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './contents.ts'
import { readLock, readManifest } from './lock.ts'
import { type AuditReport, faultsOfSupply, judge, shippedOf } from './supply.ts'

const manifest = readManifest()
const lock = readLock()
const faults = faultsOfSupply(manifest, lock, readFileSync(join(root, '.npmrc'), 'utf8'))
const shipped = shippedOf(manifest, lock)
console.log(
  `${lock.packages.size} packages are locked, ${shipped.size} of them may be in what we ship.`,
)

const answer = ask()
const { notes, faults: known } =
  'vulnerabilities' in answer
    ? judge(answer, new Set([...shipped].map(({ path }) => path)), today())
    : { faults: [], notes: [] }
for (const note of notes) console.log(`note: ${note}`)
for (const fault of [...faults, ...known]) console.error(`wrong: ${fault}`)
if ('why' in answer)
  console.error(
    `The registry could not be asked for advisories: ${answer.why}. Nothing is known of them.`,
  )
else
  console.log(
    `The registry knows of ${known.length} advisories for what we ship that are not accepted.`,
  )
process.exitCode = faults.length + known.length > 0 ? 1 : 'why' in answer ? 2 : 0

function ask(): AuditReport | { readonly why: string } {
  const isWindows = process.platform === 'win32'
  // npm writes what it found to standard output, and what went wrong too: {"message", "error":
  // {"summary"}}.
  const { stdout, error } = spawnSync(
    isWindows ? 'npm.cmd' : 'npm',
    ['audit', '--json', '--package-lock-only', '--workspaces', '--include-workspace-root'],
    {
      ...{
        cwd: root,
        encoding: 'utf8',
        shell: isWindows,
        timeout: 120_000,
        maxBuffer: 64 * 1024 * 1024,
      },
    },
  )
  if (error) return { why: error.message }
  try {
    const said = JSON.parse(stdout) as Partial<AuditReport> & {
      readonly message?: string
      readonly error?: { readonly summary?: string }
    }
    if (said.vulnerabilities && !said.error) return { vulnerabilities: said.vulnerabilities }
    return { why: firstLine(said.message ?? said.error?.summary) }
  } catch {
    return { why: firstLine(stdout) }
  }
}

function firstLine(text = ''): string {
  return text.trim().split('\n', 1)[0]?.slice(0, 200) || 'npm said nothing'
}
function today(): string {
  return new Date().toISOString().slice(0, 10)
}
