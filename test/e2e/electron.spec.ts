import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { _electron, expect, test } from '@playwright/test'
import { missingElectronBinary } from '../../scripts/setup.mjs'

test('opens the window on a gateway of its own, and both end together', async () => {
  const missing = missingElectronBinary()
  test.skip(missing !== undefined, `the Electron binary is not here: ${missing}`)
  const data = mkdtempSync(join(tmpdir(), 'isthmus-electron-'))
  const app = await _electron.launch({
    args: ['--no-sandbox', '.', '--data', data, '--http', '127.0.0.1:0', '--dimse', '127.0.0.1:0', '--dimse-tls', 'off'],
    cwd: join(import.meta.dirname, '../..'),
  })
  const window = await app.firstWindow()
  await expect(window.getByRole('button', { name: 'Make the account and sign in' })).toBeVisible()
  expect(await window.evaluate('typeof require + typeof process')).toBe('undefinedundefined')
  await app.close()
  rmSync(data, { recursive: true, force: true })
})
