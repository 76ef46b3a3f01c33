import { beforeAll, expect, it } from 'vitest'
import type { DesktopBridge } from '../../renderer/src/api/desktop.ts'
import * as fake from '../support/electron.ts'

let bridge: Record<keyof DesktopBridge, (...given: unknown[]) => Promise<unknown>>
beforeAll(async () => {
  await import('../../electron/preload.ts')
  bridge = fake.exposed.get('gateway') as typeof bridge
})

it('gives the page one frozen object of seven functions, and nothing of Electron’s', () => {
  expect([...fake.exposed.keys()]).toEqual(['gateway'])
  expect(Object.isFrozen(bridge)).toBe(true)
  expect(Object.keys(bridge)).toEqual([
    ...['version', 'openDataFolder', 'restartGateway', 'desktop'],
    ...['setAutostart', 'checkForUpdate', 'installUpdate'],
  ])
  for (const member of Object.values(bridge)) expect(typeof member).toBe('function')
})

it('sends a message of a fixed name each, and passes on nothing but a choice', async () => {
  for (const [name, member] of Object.entries(bridge))
    await member(name === 'setAutostart' ? true : 'ignored', 'ignored')
  expect(fake.invoked).toEqual([
    ...[['version'], ['open-data-folder'], ['restart-gateway'], ['desktop']],
    ...[['set-autostart', true], ['check-for-update'], ['install-update']],
  ])
})
