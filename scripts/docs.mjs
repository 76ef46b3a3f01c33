// npm run docs [-- --check]: regenerates the tables in docs/ that are marked `<!-- table: … -->` from
// the code; --check only reports what differs.
import { join } from 'node:path'
import { becomeNode, installPackages, root } from './setup.mjs'

installPackages({ withTools: true })
becomeNode([join(root, 'scripts/docs/main.ts'), ...process.argv.slice(2)])
