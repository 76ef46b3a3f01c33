// npm run promises [-- --write]: checks that every test that docs/PROMISES.md, docs/THREATS.md and
// docs/HAZARDS.md name exists, and with --write corrects the paths of tests that have moved to one
// other file.
import { join } from 'node:path'
import { becomeNode, installPackages, root } from './setup.mjs'

installPackages({ withTools: true })
becomeNode([join(root, 'test', 'support', 'promise-paths.ts'), ...process.argv.slice(2)])
