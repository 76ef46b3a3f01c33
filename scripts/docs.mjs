// npm run docs [-- --check]: makes the marked tables of the statements anew from the code's own
// tables; --check only says what differs.
import { join } from 'node:path'
import { becomeNode, installPackages, root } from './setup.mjs'

installPackages({ withTools: true })
becomeNode([join(root, 'scripts/docs/main.ts'), ...process.argv.slice(2)])
