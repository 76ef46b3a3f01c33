// npm run faults [-- --only ID[,ID] --area AREA --shard N/M --jobs 1|2 --no-baseline --list]:
// plants the faults of test/faults one at a time in a copy of the sources, and checks that the
// named tests fail.
import { join } from 'node:path'
import { becomeNode, installPackages, root } from './setup.mjs'

installPackages({ withTools: true })
becomeNode([join(root, 'test', 'faults', 'main.ts'), ...process.argv.slice(2)])
