// npm run prose [-- FILE …]: checks the wording of the documents and of the English messages.
import { join } from 'node:path'
import { becomeNode, installPackages, root } from './setup.mjs'

installPackages({ withTools: true })
becomeNode([join(root, 'scripts/prose/main.ts'), ...process.argv.slice(2)])
