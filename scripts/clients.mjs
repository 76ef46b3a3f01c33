// npm run clients: generates the clients of clients/ from docs/openapi.json.
import { join } from 'node:path'
import { installPackages, root, runNode } from './setup.mjs'

installPackages({ withTools: true })
process.exitCode = runNode([join(root, 'scripts/clients/generate.ts')])
