// npm run soak [-- --associations 10000 --calls 100000 --events 1000 --minutes N]: a gateway under
// devices, partners and radiologists at once; its memory and its open files have to stay as they
// are after the first fifth. Linux only: /proc is read.
import { join } from 'node:path'
import { build, installPackages, root, runNode } from './setup.mjs'

installPackages({ withTools: true })
build()
process.exit(runNode([join(root, 'scripts', 'soak', 'main.mjs'), ...process.argv.slice(2)]))
