import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Found in every Electron binary, before its fuses (@electron/fuses, constants). */
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
const [OFF, ON] = [0x30, 0x31]
/** As Electron is released, in the order of `FUSES`. */
const RELEASED = [ON, OFF, ON, ON, OFF, OFF, OFF, ON, ON]
const SAYS =
  '#!/bin/sh\necho "This is a stand-in: it was packaged where the Electron binary could not be had, and does not start." >&2\nexit 1\n'

/**
 * A distribution of Electron for `electronDist` where the real one cannot be had: everything
 * electron-builder touches, so that all of the app but Electron itself is built and can be examined.
 * Linux only, where any file can stand in for a program.
 */
export function makeStandIn(folder: string, version: string): void {
  mkdirSync(join(folder, 'locales'), { recursive: true })
  mkdirSync(join(folder, 'resources'))
  const wire = Buffer.from([1, RELEASED.length, ...RELEASED])
  writeFileSync(
    join(folder, 'electron'),
    Buffer.concat([Buffer.from(`${SAYS}: '`), Buffer.from(SENTINEL), wire, Buffer.from(`'\n`)]),
    {
      mode: 0o755,
    },
  )
  for (const locale of ['de', 'en-US', 'es', 'es-419'])
    writeFileSync(join(folder, 'locales', `${locale}.pak`), '')
  writeFileSync(join(folder, 'version'), version)
  for (const license of ['LICENSE', 'LICENSES.chromium.html'])
    writeFileSync(join(folder, license), 'stand-in\n')
}
