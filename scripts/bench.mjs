// npm run bench [-- peers|worklist|interface|storage|viewer|ohif|window|restore|query|standby|tiers|start …]: the
// benchmarks, each against peers in the same run; all of them take more than two hours. --write puts
// the tables of those that can into docs/BENCHMARKS.md.
import { join } from 'node:path'
import { build, installPackages, root, runNode } from './setup.mjs'

const BENCHES = [
  ...[
    'peers',
    'worklist',
    'interface',
    'storage',
    'viewer',
    'ohif',
    'window',
    'restore',
    'query',
    'standby',
    'tiers',
    'start',
  ],
]
const WRITING = ['peers', 'worklist', 'interface', 'start']
const [first, ...rest] = process.argv.slice(2)
const chosen = BENCHES.includes(first) ? [first] : BENCHES
const options = BENCHES.includes(first) ? rest : process.argv.slice(2)
installPackages({ withTools: true })
build()
const statuses = chosen.map((name) => {
  const own = options.filter((option) => option !== '--write' || WRITING.includes(name))
  return runNode([join(root, 'scripts', `bench-${name}.mjs`), ...own])
})
process.exit(statuses.some((status) => status !== 0) ? 1 : 0)
