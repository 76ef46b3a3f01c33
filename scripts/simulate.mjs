// npm run simulate [-- --seed S --days N --rounds N --trace]: invented clinic days, drawn from a seed: devices, a partner that is away, staff, a disk that
// fails and a gateway that ends suddenly. What docs/ARCHITECTURE.md promises is checked after every step; what is broken names the seed that repeats it.
import { join } from 'node:path'
import { installPackages, root, runNode } from './setup.mjs'

installPackages()
process.exit(runNode([join(root, 'test', 'simulation', 'main.ts'), ...process.argv.slice(2)]))
