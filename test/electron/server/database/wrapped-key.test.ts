import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readSecret } from '#server/configuration/secret-queries.ts'
import { openContext } from '#server/context.ts'
import { keyNameOf } from '#server/database/encryption.ts'
import { recoverDataKey } from '#server/database/recovery-key.ts'
import { keyLocation, moveKeyToStore, unwrapKey } from '#server/database/wrapped-key.ts'
import { fakeKeyStore } from '../../../support/fake-key-store.ts'
import { folderOf, reception } from '../../../support/sealed-key-folder.ts'

const NOW = Date.parse('2026-03-10T09:00:00.000Z')

it('moves the key into the key store, and the folder opens with what that gives back', () => {
  using temp = folderOf('recovery key')
  const { folder, key, clock, uuid } = temp
  expect(keyLocation(folder)).toBe('plain')
  expect(moveKeyToStore(folder, reception, NOW)).toBe(true)
  expect(existsSync(join(folder, 'data.key'))).toBe(false)
  expect(keyLocation(folder)).toBe('sealed')
  const file = readFileSync(join(folder, 'data.key.sealed'))
  for (const form of [key, key.toString('base64'), key.toString('hex')])
    expect(file.includes(form)).toBe(false)
  if (process.platform !== 'win32')
    expect(statSync(join(folder, 'data.key.sealed')).mode & 0o777).toBe(0o600)
  const dataKey = unwrapKey(folder, reception)
  expect(dataKey).toEqual(key)
  using store = openContext({ folder, clock, uuid, dataKey })
  expect(readSecret(store, 'mail.password')).toBe('seven calm otters')
  expect(moveKeyToStore(folder, reception, NOW)).toBe(true)
})

it('says in the file whose key store it is, when it was moved, and which key it is', () => {
  using temp = folderOf('recovery key')
  moveKeyToStore(temp.folder, reception, NOW)
  const written = JSON.parse(readFileSync(join(temp.folder, 'data.key.sealed'), 'utf8'))
  expect(written).toEqual({
    version: 1,
    account: 'reception on PC-1',
    sealedAt: '2026-03-10T09:00:00.000Z',
    ofKey: keyNameOf(temp.key),
    wrapped: expect.any(String),
  })
  expect(reception.unwrap(Buffer.from(written.wrapped, 'base64'))).toEqual(temp.key)
})

it('removes the plain key after a stop between both, without asking the key store to wrap it again', () => {
  using temp = folderOf('recovery key')
  moveKeyToStore(temp.folder, reception, NOW)
  writeFileSync(join(temp.folder, 'data.key'), temp.key)
  expect([keyLocation(temp.folder), unwrapKey(temp.folder, reception)]).toEqual([
    'plain',
    undefined,
  ])
  const wrap = () => {
    throw new Error('not to be asked')
  }
  expect(moveKeyToStore(temp.folder, { ...reception, wrap }, NOW)).toBe(true)
  expect([existsSync(join(temp.folder, 'data.key')), keyLocation(temp.folder)]).toEqual([
    false,
    'sealed',
  ])
})

it('moves nothing where there is no key, or one of another length', () => {
  using temp = folderOf('recovery key')
  writeFileSync(join(temp.folder, 'data.key'), Buffer.alloc(31))
  expect(moveKeyToStore(temp.folder, reception, NOW)).toBe(false)
  expect(keyLocation(temp.folder)).toBe('plain')
  rmSync(join(temp.folder, 'data.key'))
  expect(moveKeyToStore(temp.folder, reception, NOW)).toBe(false)
  expect([keyLocation(temp.folder), unwrapKey(temp.folder, reception)]).toEqual(['none', undefined])
})

it('leaves the plain key where it is while there is no recovery key, or none of this data key', () => {
  using temp = folderOf('no recovery key')
  using other = folderOf('recovery key')
  expect(moveKeyToStore(temp.folder, reception, NOW)).toBe(false)
  writeFileSync(join(temp.folder, 'recovery.key'), readFileSync(join(other.folder, 'recovery.key')))
  expect(moveKeyToStore(temp.folder, reception, NOW)).toBe(false)
  expect(readFileSync(join(temp.folder, 'data.key'))).toEqual(temp.key)
  expect(existsSync(join(temp.folder, 'data.key.sealed'))).toBe(false)
})

it.each([
  ['gives something else back', { ...reception, unwrap: () => Buffer.alloc(32, 1) }],
  ['gives nothing back', { ...reception, unwrap: () => Buffer.alloc(0) }],
  [
    'refuses to give it back',
    {
      ...reception,
      unwrap: () => {
        throw new Error('locked')
      },
    },
  ],
])('leaves the plain key where it is when the key store %s', (_, broken) => {
  using temp = folderOf('recovery key')
  expect(moveKeyToStore(temp.folder, broken, NOW)).toBe(false)
  expect(readFileSync(join(temp.folder, 'data.key'))).toEqual(temp.key)
  // Where it works again, the next start ends it.
  expect(moveKeyToStore(temp.folder, reception, NOW)).toBe(true)
  expect(unwrapKey(temp.folder, reception)).toEqual(temp.key)
})

it('takes no key out of the key store but the one that was moved into it', () => {
  using temp = folderOf('recovery key')
  moveKeyToStore(temp.folder, reception, NOW)
  for (const other of [Buffer.alloc(32, 1), temp.key.subarray(0, 31), Buffer.alloc(0)])
    expect(unwrapKey(temp.folder, { unwrap: () => other })).toBeUndefined()
  expect(unwrapKey(temp.folder, { unwrap: () => temp.key })).toEqual(temp.key)
})

it('says which account has the key, and that the recovery key opens the folder; which it does', () => {
  using temp = folderOf('recovery key')
  const { folder, recoveryKey, key, clock, uuid } = temp
  moveKeyToStore(folder, reception, NOW)
  const admin = fakeKeyStore('admin on PC-2')
  expect(unwrapKey(folder, admin)).toBeUndefined()
  expect(() => openContext({ folder, clock, uuid })).toThrow(
    expect.objectContaining({
      fault: 'key-sealed',
      message: expect.stringMatching(
        /key store of the account reception on PC-1 .*restore the data key with the recovery key: isthmus recover/,
      ),
    }),
  )
  expect(recoverDataKey(folder, 'gateway.sqlite', recoveryKey)).toBe(true)
  expect(readFileSync(join(folder, 'data.key'))).toEqual(key)
  {
    using store = openContext({ folder, clock, uuid })
    expect(readSecret(store, 'mail.password')).toBe('seven calm otters')
  }
  // From now on it is in the key store of the other account.
  expect(moveKeyToStore(folder, admin, NOW)).toBe(true)
  expect([unwrapKey(folder, admin), unwrapKey(folder, reception)]).toEqual([key, undefined])
})

it('says so where the sealed file is damaged, and makes no new key', () => {
  using temp = folderOf('recovery key')
  const { folder, clock, uuid } = temp
  moveKeyToStore(folder, reception, NOW)
  writeFileSync(join(folder, 'data.key.sealed'), '{"version":1,')
  expect(unwrapKey(folder, reception)).toBeUndefined()
  expect(() => openContext({ folder, clock, uuid })).toThrow(/data\.key\.sealed is damaged/)
  rmSync(join(folder, 'gateway.sqlite'))
  expect(() => openContext({ folder, clock, uuid })).toThrow(/data\.key\.sealed is damaged/)
  expect(existsSync(join(folder, 'data.key'))).toBe(false)
})

it('takes the key of a restore before the one that was sealed before it', () => {
  using temp = folderOf('recovery key')
  using restored = folderOf('recovery key')
  moveKeyToStore(temp.folder, reception, NOW)
  for (const name of ['data.key', 'recovery.key'])
    writeFileSync(join(temp.folder, name), readFileSync(join(restored.folder, name)))
  expect(unwrapKey(temp.folder, reception)).toBeUndefined()
  expect(moveKeyToStore(temp.folder, reception, NOW)).toBe(true)
  expect(unwrapKey(temp.folder, reception)).toEqual(restored.key)
})
