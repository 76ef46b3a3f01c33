// npm run sbom [-- --out FILE]: what is in the programs we ship, with licences and hashes, as
// CycloneDX JSON (release/isthmus-VERSION.cdx.json).
import { join } from 'node:path'
import { build, installPackages, root, runNode } from './setup.mjs'

installPackages({ withTools: true })
build()
process.exit(runNode([join(root, 'packaging', 'build-sbom.ts'), ...process.argv.slice(2)]))
