import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, it } from 'vitest'

// The parts of electron-builder that read a configuration belong to packages beneath it.
const require = createRequire(createRequire(import.meta.url).resolve('electron-builder'))

it('has a packaging configuration that electron-builder takes, with the fuses set', async () => {
  const { getConfig, validateConfiguration } = require('app-builder-lib/out/util/config/config')
  const { DebugLogger } = require('builder-util')
  const configuration = await getConfig(join(import.meta.dirname, '..'), 'electron-builder.yml', null)
  await expect(validateConfiguration(configuration, new DebugLogger(false))).resolves.toBeUndefined()
  expect(configuration.electronFuses).toMatchObject({ runAsNode: false, onlyLoadAppFromAsar: true, enableNodeCliInspectArguments: false })
  await expect(validateConfiguration({ ...configuration, wrongKey: true }, new DebugLogger(false))).rejects.toThrow(/wrongKey/)
})
