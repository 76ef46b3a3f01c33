// Writes the bill of materials of what was built. Run by scripts/sbom.mjs under Node 24.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './contents.ts'
import { bomOf, unexplainedFiles } from './sbom.ts'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string
}
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'release', `isthmus-${version}.cdx.json`) },
  },
})
const dist = join(root, 'dist')

const unknown = unexplainedFiles(dist)
for (const file of unknown)
  console.error(`wrong: dist/${file} is of no package that is known (ASSETS in packaging/sbom.ts).`)
if (unknown.length > 0) process.exit(1)

const bom = bomOf({ dist, at: new Date().toISOString() })
const out = resolve(values.out)
mkdirSync(dirname(out), { recursive: true })
writeFileSync(out, `${JSON.stringify(bom, null, 2)}\n`)
console.log(`${relative(process.cwd(), out)} lists ${bom.components.length} components.`)
