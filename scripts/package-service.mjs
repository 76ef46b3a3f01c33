// The archive of the gateway without a window: npm run package -- --service.
import { join } from 'node:path'
import { build, installPackages, placeNative, root, runNode } from './setup.mjs'

installPackages()
placeNative()
build()
process.exit(runNode([join(root, 'packaging/build-service.ts'), ...process.argv.slice(2)]))
