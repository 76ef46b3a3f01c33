import { join } from 'node:path'
import { flipFuses } from '@electron/fuses'
import type { AfterPackContext } from 'electron-builder'
import { executableIn } from './app-folder.ts'
import { fuseConfig } from './fuses.ts'

/** electron-builder calls it when the folder of the app is there, before it is signed. */
export default async function afterPack({
  appOutDir,
  electronPlatformName,
}: AfterPackContext): Promise<void> {
  await flipFuses(
    join(appOutDir, executableIn(electronPlatformName)),
    fuseConfig(electronPlatformName === 'darwin'),
  )
}
