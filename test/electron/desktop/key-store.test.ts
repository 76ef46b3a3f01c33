import { existsSync, readFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openContext } from '#server/context.ts'
import { keepRecoveryKey, newRecoveryKey, wrapDataKey } from '#server/database/recovery-key.ts'
import { storeRecoveryProof } from '#server/modules/backups/recovery-key-setup.ts'
import { openKeyStore } from '../../../electron/desktop/key-store.ts'
import * as fake from '../../support/electron.ts'
import { tempStore } from '../../support/temp-store.ts'

const ELECTRONS = { isThere: true, backend: 'gnome_libsecret', account: 'reception' } as const
beforeEach(() => Object.assign(fake.keyStore, ELECTRONS))
afterEach(() => {
  vi.restoreAllMocks()
  fake.forgetAll()
})

/** A data folder as a gateway left it. */
function folderOf(has: 'recovery key' | 'no recovery key') {
  const temp = tempStore()
  const { store, folder, clock } = temp
  store.audit.append({ actor: 'gateway', action: 'test', target: 't', detail: {} })
  if (has === 'recovery key') {
    storeRecoveryProof(store)
    keepRecoveryKey(folder, wrapDataKey(store.database.seal, newRecoveryKey(), clock()))
  }
  store[Symbol.dispose]()
  return temp
}
const open = (folder: string) => openKeyStore(folder, undefined, 'linux')

it('has nothing to hand over before the first start, nor while the key is in its plain file', () => {
  using temp = folderOf('no recovery key')
  const keys = open(join(temp.folder, 'new'))
  expect([keys.state(), keys.read(), keys.seal()]).toEqual(['file', undefined, false])
  const plain = open(temp.folder)
  expect([plain.state(), plain.read(), plain.seal()]).toEqual(['file', undefined, false])
  expect(existsSync(join(temp.folder, 'data.key'))).toBe(true)
})

it('moves the key into the account’s key store, and hands it over from then on', () => {
  using temp = folderOf('recovery key')
  const { folder, clock, uuid } = temp
  const key = readFileSync(join(folder, 'data.key'))
  const keys = open(folder)
  expect(keys.seal()).toBe(true)
  expect(keys.state()).toBe('platform')
  expect(existsSync(join(folder, 'data.key'))).toBe(false)
  expect(keys.read()).toEqual(key)
  const { account } = JSON.parse(readFileSync(join(folder, 'data.key.sealed'), 'utf8'))
  expect(account).toBe(`${userInfo().username} on ${hostname()}`)
  using store = openContext({ folder, clock, uuid, dataKey: open(folder).read() })
  expect(store.audit.verify()).toEqual({ isIntact: true, entries: 1 })
})

it('hands nothing over in another account, so that the gateway says whose it is', () => {
  using temp = folderOf('recovery key')
  open(temp.folder).seal()
  fake.keyStore.account = 'admin'
  expect(open(temp.folder).read()).toBeUndefined()
  expect(() => openContext({ folder: temp.folder, clock: Date.now, uuid: temp.uuid })).toThrow(
    /key store of the account .*recovery key/,
  )
})

it.each([
  ['basic', { backend: 'basic_text' }],
  ['none', { backend: 'unknown' }],
  ['none', { isThere: false }],
] as const)('leaves the key in its file and says “%s” with %j', (state, lacks) => {
  using temp = folderOf('recovery key')
  Object.assign(fake.keyStore, lacks)
  const keys = open(temp.folder)
  expect([keys.state(), keys.read(), keys.seal()]).toEqual([state, undefined, false])
  expect(existsSync(join(temp.folder, 'data.key'))).toBe(true)
})

it('does not ask for the backend of Linux elsewhere', () => {
  using temp = folderOf('recovery key')
  fake.keyStore.backend = 'basic_text'
  expect(openKeyStore(temp.folder, undefined, 'win32').seal()).toBe(true)
})

it('keeps the plain file where the key store fails, and tells what it said', () => {
  using temp = folderOf('recovery key')
  const said: unknown[] = []
  const keys = openKeyStore(temp.folder, (error) => said.push(error), 'linux')
  const failing = vi.spyOn(fake.safeStorage, 'encryptString').mockImplementation(() => {
    throw new Error('The key ring is locked')
  })
  expect(keys.seal()).toBe(false)
  expect(said).toEqual([new Error('The key ring is locked')])
  expect([keys.state(), existsSync(join(temp.folder, 'data.key'))]).toEqual(['file', true])
  failing.mockRestore()
  expect(keys.seal()).toBe(true)
})
