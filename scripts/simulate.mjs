// npm run simulate [-- --seed S --days N --rounds N --trace]: invented clinic days, drawn from a
// seed: devices, a partner that is away, staff, a disk that fails and a gateway that ends suddenly.
// What docs/ARCHITECTURE.md promises is checked after every step; what is broken names the seed
// that repeats it. npm run simulate -- --kills N [--seed S --minutes M]: the built gateway under
// load, killed with SIGKILL N times; what it acknowledged must be there.
// npm run simulate -- --year [--days N --keep N --seed S]: a year of a clinic on a small disk.
import { join } from 'node:path'
import { build, installPackages, root, runNode } from './setup.mjs'

const args = process.argv.slice(2)
const isKills = args.some((arg) => arg === '--kills' || arg.startsWith('--kills='))
const isYear = args.includes('--year')
const folder = isKills ? ['kill-rounds'] : isYear ? ['year'] : []
installPackages({ withTools: true })
if (isKills || isYear) build()
process.exit(
  runNode([
    join(root, 'test', 'simulation', ...folder, 'main.ts'),
    ...args.filter((arg) => arg !== '--year'),
  ]),
)
