// npm run capacity -- measure|validate|simulate|document: the capacity model of docs/SCALING.md.
// Measuring and validating need DCMTK and Linux, whose /proc is read.
import { join } from 'node:path'
import { build, installPackages, root, runNode } from './setup.mjs'

installPackages({ withTools: true })
if (['measure', 'validate'].includes(process.argv[2])) build()
process.exit(runNode([join(root, 'scripts', 'capacity', 'main.mjs'), ...process.argv.slice(2)]))
