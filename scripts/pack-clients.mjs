// npm run -s clients:pack: the TypeScript client as a package in clients/dist, for integrators who
// have a clone. It is compiled by the project's own TypeScript, so that nothing is installed.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { root, runNode, stop } from './setup.mjs'

const client = join(root, 'clients/typescript')
const folder = join(root, 'clients/dist')
const compiler = join(root, 'node_modules/typescript/bin/tsc')

// Installing here would replace the packages of a gateway that runs in this clone.
if (!existsSync(compiler))
  stop(
    'TypeScript is not installed yet: run npm ci --workspaces --include-workspace-root once, while no gateway runs in this clone.',
  )
mkdirSync(folder, { recursive: true })
if (runNode([compiler, '-p', client]) !== 0) stop('The client does not compile.')
const isWindows = process.platform === 'win32'
const { status, stdout, stderr } = spawnSync(
  isWindows ? 'npm.cmd' : 'npm',
  ['pack', '--silent', '--pack-destination', folder],
  { cwd: client, encoding: 'utf8', shell: isWindows },
)
if (status !== 0) stop(`npm pack failed: ${stderr}`)
console.log(`clients/dist/${stdout.trim()}`)
