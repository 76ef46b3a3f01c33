// npm run audit: how packages are pinned and locked, and what the registry knows against them. 0:
// all is well; 1: a fault; 2: the registry could not be asked. What is accepted for a while is
// packaging/accepted-advisories.ts.
import { join } from 'node:path'
import { installPackages, root, runNode } from './setup.mjs'

installPackages({ withTools: true })
process.exit(runNode([join(root, 'packaging', 'ask-audit.ts')]))
