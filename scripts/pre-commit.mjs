// The checks of .githooks/pre-commit on what is staged in the repository of the working directory:
// Biome, credentials, machine paths and patients who are not invented, and files of more than 1
// MiB. The types are not checked: after a change to a shared file the compiler takes longer than a
// commit may.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { node24, root, runNode, stop } from './setup.mjs'

const LARGEST = 1024 * 1024
/**
 * A backup is encrypted, so it does not compress, and the tables of its database alone take more
 * than 1 MiB.
 */
const LARGER = { 'test/fixtures/data-folder/data-folder-0018-backup.tar.gz': 2 * LARGEST }

// The rules are TypeScript, which the system's Node may not read.
if (Number(process.versions.node.split('.')[0]) < 24)
  process.exit(spawnSync(node24(), process.argv.slice(1), { stdio: 'inherit' }).status ?? 1)

const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
if (!existsSync(biome))
  stop('The tools of the checks are not installed yet: run npm run test:quick once.')

const { MACHINE, matches, SECRETS, unknownFamilies } = await import(
  '../test/support/secret-rules.ts'
)

const git = (args, input) => {
  const { status, stdout, stderr } = spawnSync('git', args, {
    encoding: 'utf8',
    input,
    maxBuffer: 1 << 28,
  })
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${stderr}`)
  return stdout
}

// What is staged may differ from what is in the working tree, so it is written to a folder of its
// own.
const staged = mkdtempSync(join(tmpdir(), 'isthmus-staged-'))
let faults = []
try {
  const list = git([
    'diff',
    '--cached',
    '--name-only',
    '--diff-filter=ACMR',
    '--ignore-submodules',
    '-z',
  ])
  git(['checkout-index', '--stdin', '-z', `--prefix=${staged}/`], list)
  const files = list
    .split('\0')
    .filter((file) => statSync(join(staged, file), { throwIfNoEntry: false })?.isFile())
  faults = files.flatMap(faultsOf)
  if (files.length > 0 && checkWithBiome() !== 0)
    faults.push('Biome found the faults above: npm run format repairs most of them.')
} finally {
  rmSync(staged, { recursive: true, force: true })
}
for (const fault of faults) console.error(fault)
process.exit(faults.length > 0 ? 1 : 0)

function faultsOf(file) {
  const bytes = readFileSync(join(staged, file))
  const mebibytes = (bytes.length / LARGEST).toFixed(1)
  const limit = LARGER[file] ?? LARGEST
  if (bytes.length > limit)
    return [`${file} has ${mebibytes} MiB: it may have at most ${limit / LARGEST} MiB.`]
  if (bytes.subarray(0, 8000).includes(0)) return []
  // This test has samples of all that the rules find.
  if (file === 'test/secrets.test.ts') return []
  const found = { file, text: bytes.toString('utf8') }
  return [
    // Hashes in the lock are those of public packages.
    ...(file === 'package-lock.json' ? [] : matches(SECRETS, [found])),
    ...matches(MACHINE, [found]),
    // Fuzzing keeps what it mutated of names.
    ...(file.startsWith('test/fuzz/corpus/') ? [] : unknownFamilies(found)),
  ]
}

/** Without the rules that read the whole project, which take seconds: `npm test lint` has them. */
function checkWithBiome() {
  const options = [
    '--no-errors-on-unmatched',
    '--files-ignore-unknown=true',
    '--error-on-warnings',
    '--log-level=error',
  ]
  const config = join(root, '.githooks', 'biome-staged.json')
  return runNode([biome, 'check', ...options, `--config-path=${config}`, '.'], {
    cwd: staged,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
