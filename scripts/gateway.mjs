// npm run -s gateway -- <command>: the command line, by the build where it is up to date, else from
// the sources.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { becomeNode, isBuilt, root, stop } from './setup.mjs'

if (!existsSync(join(root, 'node_modules', '.bin')))
  stop('Packages are not installed yet: run npm ci (or npm run demo, npm start, npm test) once.')
becomeNode([
  join(root, isBuilt() ? 'dist/electron/headless.js' : 'electron/headless.ts'),
  ...process.argv.slice(2),
])
