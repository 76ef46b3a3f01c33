// node scripts/integrator-path.mjs: follows docs/PARTNERS.md with every version of Node and Python
// that the page names, and prints how long each took. Nodes are packages of npm, which are kept in
// a folder of this run; --node PATH and --python PATH (both repeatable) take those that are there.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { followPath } from '../test/support/integrator-path.ts'

const NODES = ['20', '22', '24']
const { values } = parseArgs({
  options: {
    node: { type: 'string', multiple: true },
    python: { type: 'string', multiple: true, default: ['/usr/bin/python3'] },
  },
})

const folder = mkdtempSync(join(tmpdir(), 'isthmus-nodes-'))
try {
  const nodes = values.node ?? NODES.map(installedNode)
  const pythons = values.python
  const [python = ''] = pythons
  const runs = [
    ...nodes.map((node) => ({ language: 'JavaScript', node, python })),
    ...pythons.map((one) => ({ language: 'Python', node: nodes.at(-1) ?? '', python: one })),
  ]
  console.log('| language | version | first call | signature verified | first report |')
  console.log('|---|---|---:|---:|---:|')
  for (const run of runs) {
    const times = await followPath(run)
    const version = versionOf(run.language === 'Python' ? run.python : run.node)
    const seconds = ['firstCall', 'signatureVerified', 'firstReport'].map(
      (name) => `${times[name].toFixed(1)} s`,
    )
    console.log(`| ${[run.language, version, ...seconds].join(' | ')} |`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function installedNode(major) {
  const prefix = join(folder, major)
  const options = ['--no-audit', '--no-fund', '--silent']
  const { status, stderr } = spawnSync(
    'npm',
    ['install', ...options, '--prefix', prefix, `node@${major}`],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`Node ${major} could not be installed: ${stderr}`)
  return join(prefix, 'node_modules/node/bin/node')
}

function versionOf(program) {
  const { stdout, stderr } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  return (stdout || stderr).trim()
}
