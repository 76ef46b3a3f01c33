// npm run pictures: makes the pictures of the documents anew, docs/pictures/*.png, from an invented
// day (test/e2e/pictures.spec.ts).
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
