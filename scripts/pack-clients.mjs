// npm run -s clients:pack: the TypeScript client as a package in clients/dist, for integrators who
// have a clone. It is compiled by the project's own TypeScript, so that nothing is installed.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { root, runNode, stop } from './setup.mjs'

const client = join(root, 'clients/typescript')
const folder = join(root, 'clients/dist')

mkdirSync(folder, { recursive: true })
if (runNode([join(root, 'node_modules/typescript/bin/tsc'), '-p', client]) !== 0)
  stop('The client does not compile.')
const isWindows = process.platform === 'win32'
const { status, stdout, stderr } = spawnSync(
  isWindows ? 'npm.cmd' : 'npm',
  ['pack', '--silent', '--pack-destination', folder],
  { cwd: client, encoding: 'utf8', shell: isWindows },
)
if (status !== 0) stop(`npm pack failed: ${stderr}`)
console.log(`clients/dist/${stdout.trim()}`)
