// npm run pictures: regenerates the pictures of the documents, docs/pictures/*.png, from a day of
// sample data (test/e2e/pictures.spec.ts).
import { join } from 'node:path'
import { build, environment, installPackages, root, runNode } from './setup.mjs'

installPackages({ withTools: true })
build()
const env = { ...environment(), ISTHMUS_PICTURES: 'make' }
process.exit(
  runNode([join(root, 'node_modules/@playwright/test/cli.js'), 'test', 'pictures.spec.ts'], {
    env,
  }),
)
