// npm run pixels [-- NAMES]: compares what the viewer draws of every form of pixel data with DCMTK's
// pictures (test/e2e/viewer-pixels.spec.ts, of which `npm test` runs a sample). NAMES is a regular
// expression of the files to compare. Differences that docs/VIEWER-FEATURES.md does not explain fail it.
import { join } from 'node:path'
import { build, environment, installPackages, root, runNode } from './setup.mjs'

installPackages({ withTools: true })
build()
const [names] = process.argv.slice(2)
const env = {
  ...environment(),
  ISTHMUS_PIXELS: 'all',
  ...(names && { ISTHMUS_PIXELS_ONLY: names }),
}
process.exit(
  runNode([join(root, 'node_modules/@playwright/test/cli.js'), 'test', 'viewer-pixels.spec.ts'], {
    env,
  }),
)
