// npm run simulate [-- --seed S --days N --rounds N --trace]: invented clinic days, drawn from a
// seed: devices, a partner that is away, staff, a disk that fails and a gateway that ends suddenly.
// What docs/ARCHITECTURE.md promises is checked after every step; what is broken names the seed
// that repeats it. npm run simulate -- --kills N [--seed S --minutes M]: the built gateway under
// load, killed with SIGKILL N times; what it acknowledged must be there.
import { join } from 'node:path'
import { build, installPackages, root, runNode } from './setup.mjs'

const args = process.argv.slice(2)
const isKills = args.some((arg) => arg === '--kills' || arg.startsWith('--kills='))
installPackages()
if (isKills) build()
process.exit(
  runNode([
    join(root, 'test', 'simulation', ...(isKills ? ['kill-rounds'] : []), 'main.ts'),
    ...args,
  ]),
)
