import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  keepRecoveryKey,
  keepRecoveryProof,
  newRecoveryKey,
  plainKey,
  recoverDataKey,
  recoveryKeyState,
  wrapDataKey,
} from '#gateway/store/recovery-key.ts'
import { openStore } from '#gateway/store/store.ts'
import { tempFolder, tempStore } from '../../../support/temp-store.ts'

const DATABASE = 'gateway.sqlite'

/** A folder with a secret in its database and a recovery key, its store closed. */
function lostFolder() {
  const temp = tempStore()
  const { store, folder, clock } = temp
  const recoveryKey = newRecoveryKey()
  store.secrets.set('mail.password', 'seven calm otters')
  keepRecoveryProof(store.secrets)
  keepRecoveryKey(folder, wrapDataKey(folder, recoveryKey, clock()))
  store[Symbol.dispose]()
  return { ...temp, recoveryKey }
}

it('makes keys of eight groups of four that nobody misreads, each another', () => {
  const keys = Array.from({ length: 50 }, () => newRecoveryKey())
  for (const key of keys) expect(key).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){7}[0-9A-HJKMNP-TV-Z]{4}$/)
  expect(new Set(keys).size).toBe(50)
})

it('reads a key as it was meant, however it is typed', () => {
  expect(plainKey(' o1il-abcd efgh ')).toBe('0111ABCDEFGH')
})

it('opens everything again once data.key is lost', () => {
  const { folder, recoveryKey, clock, uuid } = lostFolder()
  const before = readFileSync(join(folder, 'data.key'))
  rmSync(join(folder, 'data.key'))
  expect(() => openStore({ folder, clock, uuid })).toThrow(/data\.key is missing/)
  expect(recoverDataKey(folder, DATABASE, `  ${recoveryKey.toLowerCase().replaceAll('-', ' ')}\n`)).toBe(true)
  expect(readFileSync(join(folder, 'data.key'))).toEqual(before)
  if (process.platform !== 'win32') expect(statSync(join(folder, 'data.key')).mode & 0o777).toBe(0o600)
  using store = openStore({ folder, clock, uuid })
  expect(store.secrets.get('mail.password')).toBe('seven calm otters')
})

it('says that a wrong key is wrong, and changes nothing', () => {
  const { folder } = lostFolder()
  rmSync(join(folder, 'data.key'))
  expect(() => recoverDataKey(folder, DATABASE, newRecoveryKey())).toThrow(/not the recovery key of 2026-03-10/)
  expect(() => recoverDataKey(folder, DATABASE, '')).toThrow(/not the recovery key/)
  expect(existsSync(join(folder, 'data.key'))).toBe(false)
})

it('leaves a data.key that is there alone: the right one, and another one', () => {
  const { folder, recoveryKey } = lostFolder()
  expect(recoverDataKey(folder, DATABASE, recoveryKey)).toBe(false)
  writeFileSync(join(folder, 'data.key'), Buffer.alloc(32, 7))
  expect(() => recoverDataKey(folder, DATABASE, recoveryKey)).toThrow(/is another key/)
  expect(readFileSync(join(folder, 'data.key'))).toEqual(Buffer.alloc(32, 7))
})

it('refuses a recovery file of another database', () => {
  const one = lostFolder()
  const other = lostFolder()
  rmSync(join(one.folder, 'data.key'))
  cpSync(join(other.folder, 'recovery.key'), join(one.folder, 'recovery.key'))
  expect(() => recoverDataKey(one.folder, DATABASE, other.recoveryKey)).toThrow(/does not open the database beside it/)
  rmSync(join(one.folder, DATABASE))
  expect(() => recoverDataKey(one.folder, DATABASE, other.recoveryKey)).toThrow(/cannot be opened/)
  expect(existsSync(join(one.folder, 'data.key'))).toBe(false)
})

it('says that there is no recovery file, or a damaged one', () => {
  using temp = tempFolder()
  expect(() => recoverDataKey(temp.folder, DATABASE, newRecoveryKey())).toThrow(/There is no .*recovery\.key/)
  writeFileSync(join(temp.folder, 'recovery.key'), '{"version":1')
  expect(() => recoverDataKey(temp.folder, DATABASE, newRecoveryKey())).toThrow(/not a recovery file/)
})

it('knows whether the recovery key is one of this folder', () => {
  using temp = tempStore()
  const { store, folder, clock } = temp
  expect(recoveryKeyState(folder)).toEqual({ state: 'none', madeAt: null })
  keepRecoveryProof(store.secrets)
  keepRecoveryKey(folder, wrapDataKey(folder, newRecoveryKey(), clock()))
  expect(recoveryKeyState(folder)).toEqual({ state: 'ready', madeAt: '2026-03-10T09:00:00.000Z' })
  writeFileSync(join(folder, 'data.key'), Buffer.alloc(32, 7))
  expect(recoveryKeyState(folder)).toMatchObject({ state: 'foreign' })
  writeFileSync(join(folder, 'recovery.key'), 'paper')
  expect(recoveryKeyState(folder)).toEqual({ state: 'foreign', madeAt: null })
})

it('gives a new key another lock: the one before opens nothing any more', () => {
  const { folder, recoveryKey, clock, uuid } = lostFolder()
  const second = newRecoveryKey()
  {
    using store = openStore({ folder, clock, uuid })
    keepRecoveryProof(store.secrets)
    keepRecoveryKey(folder, wrapDataKey(folder, second, clock()))
  }
  rmSync(join(folder, 'data.key'))
  expect(() => recoverDataKey(folder, DATABASE, recoveryKey)).toThrow(/not the recovery key/)
  expect(recoverDataKey(folder, DATABASE, second)).toBe(true)
})
