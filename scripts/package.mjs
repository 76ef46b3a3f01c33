// npm run package: what a clinic installs. Without an option the installers of this system; --dir
// only the folder they are made of, which is made as far as it goes where the Electron binary
// cannot be had; --service the archive without a window. --out DIR says where.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  build,
  installPackages,
  missingElectronBinary,
  placeNative,
  root,
  runNode,
} from './setup.mjs'

const { values } = parseArgs({
  options: { dir: { type: 'boolean' }, service: { type: 'boolean' }, out: { type: 'string' } },
})
const out = values.out ? ['--out', values.out] : []

installPackages()
placeNative()
build()
if (values.dir || !values.service) {
  const why = missingElectronBinary()
  const args = [
    ...(values.dir ? ['--dir'] : []),
    ...(why ? ['--without-electron', why] : []),
    ...out,
  ]
  const status = runNode([join(root, 'packaging/build-app.ts'), ...args])
  if (status !== 0) process.exit(status)
}
if (values.service) process.exit(runNode([join(root, 'packaging/build-service.ts'), ...out]))
