import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { readSecret, storeSecret } from '#server/configuration/secret-queries.ts'
import { openContext } from '#server/context.ts'
import { keyNameOf, sealWith } from '#server/database/encryption.ts'
import {
  keepRecoveryKey,
  matchesDataKey,
  newRecoveryKey,
  normalizeKey,
  openRecoveryFile,
  recoverDataKey,
  recoveryKeyState,
  wrapDataKey,
} from '#server/database/recovery-key.ts'
import { storeRecoveryProof } from '#server/modules/backups/recovery-key-setup.ts'
import { tempFolder, tempStore } from '../../../support/temp-store.ts'

const DATABASE = 'gateway.sqlite'
const FIRST_KEY = 'G0LD-EN00-1234-5678-9ABC-DEFG-HJKM-NPQR'
const FIRST_FILE = JSON.stringify({
  ...{
    version: 1,
    madeAt: '2026-03-10T09:00:00.000Z',
    salt: 'AwMDAwMDAwMDAwMDAwMDAw==',
    nonce: 'BAQEBAQEBAQEBAQE',
  },
  ...{
    wrapped: 'MexmjTNhCY4EVHzOXXx4ZEAbwi6iPCJ10rYzf4bmqnk=',
    tag: 'MFXXXxOBSGeFLwp2IrbJsA==',
    ofKey: '8f4deb591b32009c',
  },
})

/** A folder with a secret in its database and a recovery key, its store closed. */
function lostFolder() {
  const temp = tempStore()
  const { store, folder, clock } = temp
  const recoveryKey = newRecoveryKey()
  storeSecret(store, 'mail.password', 'seven calm otters')
  storeRecoveryProof(store)
  keepRecoveryKey(folder, wrapDataKey(store.database.seal, recoveryKey, clock()))
  store[Symbol.dispose]()
  return { ...temp, recoveryKey }
}

it('makes keys of eight groups of four that nobody misreads, each another', () => {
  const keys = Array.from({ length: 50 }, () => newRecoveryKey())
  for (const key of keys) expect(key).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){7}[0-9A-HJKMNP-TV-Z]{4}$/)
  expect(new Set(keys).size).toBe(50)
})

it('makes a key of the bytes that it is given, each character of one', () => {
  expect(
    newRecoveryKey((bytes) => Buffer.from(Array.from({ length: bytes }, (_, n) => 32 + n))),
  ).toBe('0123-4567-89AB-CDEF-GHJK-MNPQ-RSTV-WXYZ')
})

it('reads a key as it was meant, however it is typed', () => {
  expect(normalizeKey(' o1il-abcd efgh ')).toBe('0111ABCDEFGH')
})

it('opens everything again once data.key is lost', () => {
  const { folder, recoveryKey, clock, uuid } = lostFolder()
  const before = readFileSync(join(folder, 'data.key'))
  rmSync(join(folder, 'data.key'))
  expect(() => openContext({ folder, clock, uuid })).toThrow(/data\.key is missing/)
  expect(
    recoverDataKey(folder, DATABASE, `  ${recoveryKey.toLowerCase().replaceAll('-', ' ')}\n`),
  ).toBe(true)
  expect(readFileSync(join(folder, 'data.key'))).toEqual(before)
  if (process.platform !== 'win32')
    expect(statSync(join(folder, 'data.key')).mode & 0o777).toBe(0o600)
  using store = openContext({ folder, clock, uuid })
  expect(readSecret(store, 'mail.password')).toBe('seven calm otters')
})

it('says that a wrong key is wrong, and changes nothing', () => {
  const { folder } = lostFolder()
  rmSync(join(folder, 'data.key'))
  expect(() => recoverDataKey(folder, DATABASE, newRecoveryKey())).toThrow(
    /not the recovery key of 2026-03-10/,
  )
  expect(() => recoverDataKey(folder, DATABASE, '')).toThrow(/not the recovery key/)
  expect(existsSync(join(folder, 'data.key'))).toBe(false)
})

it('says what is wrong by a fault of its own', () => {
  const { folder, recoveryKey } = lostFolder()
  const faultOf = (fault: string, message: RegExp) =>
    expect.objectContaining({ fault, message: expect.stringMatching(message) })
  const recover = (typed = recoveryKey) => recoverDataKey(folder, DATABASE, typed)
  writeFileSync(join(folder, 'data.key'), Buffer.alloc(32, 7))
  expect(() => recover()).toThrow(
    faultOf('key-wrong', /data\.key already exists and is a different key/),
  )
  rmSync(join(folder, 'data.key'))
  expect(() => recover(newRecoveryKey())).toThrow(
    faultOf(
      'key-wrong',
      /^This is not the recovery key of 2026-03-10 that .*recovery\.key: compare it/,
    ),
  )
  writeFileSync(join(folder, DATABASE), 'no database')
  expect(() => recover()).toThrow(
    faultOf('not-a-database', /gateway\.sqlite cannot be opened: file is not a database\.$/),
  )
  writeFileSync(join(folder, 'recovery.key'), '{}')
  expect(() => recover()).toThrow(
    faultOf('key-wrong', /recovery\.key is not a recovery file of Isthmus, or is damaged/),
  )
  rmSync(join(folder, 'recovery.key'))
  expect(() => recover()).toThrow(
    faultOf('key-missing', /^.*recovery\.key does not exist: copy it there from a backup/),
  )
  mkdirSync(join(folder, 'recovery.key'))
  expect(() => recover()).toThrow(faultOf('bad-folder', /recovery\.key cannot be read: EISDIR/))
  expect(existsSync(join(folder, 'data.key'))).toBe(false)
})

/** As a database was before the audit trail had to have a head. */
function withNothingSealed(file: string): void {
  const sqlite = new Sqlite(file)
  sqlite.exec('drop trigger auditHeadStays; delete from auditHead')
  sqlite.close()
}

it('puts no key beside a database that nothing proves', () => {
  using temp = tempStore()
  const { store, folder, clock } = temp
  const recoveryKey = newRecoveryKey()
  keepRecoveryKey(folder, wrapDataKey(store.database.seal, recoveryKey, clock()))
  store[Symbol.dispose]()
  withNothingSealed(join(folder, DATABASE))
  rmSync(join(folder, 'data.key'))
  expect(() => recoverDataKey(folder, DATABASE, recoveryKey)).toThrow(
    expect.objectContaining({
      fault: 'key-wrong',
      message: expect.stringContaining('does not open the database beside it'),
    }),
  )
  expect(existsSync(join(folder, 'data.key'))).toBe(false)
})

it('refuses a recovery file that holds another length than a data key has', () => {
  using temp = tempFolder()
  const file = join(temp.folder, 'recovery.key')
  const [recoveryKey, short] = [newRecoveryKey(), Buffer.alloc(31, 7)]
  const seal = {
    keyName: keyNameOf(short),
    wrapUnder: (key: Buffer, context: string) => sealWith(key).seal(short, context),
  }
  writeFileSync(file, wrapDataKey(seal, recoveryKey, Date.parse('2026-03-10T09:00:00.000Z')))
  expect(() => openRecoveryFile(file, recoveryKey)).toThrow(
    expect.objectContaining({
      fault: 'key-wrong',
      message: expect.stringContaining('does not contain the data key that it names'),
    }),
  )
})

it('leaves a data.key that is there alone: the right one, and another one', () => {
  const { folder, recoveryKey } = lostFolder()
  expect(recoverDataKey(folder, DATABASE, recoveryKey)).toBe(false)
  writeFileSync(join(folder, 'data.key'), Buffer.alloc(32, 7))
  expect(() => recoverDataKey(folder, DATABASE, recoveryKey)).toThrow(/is a different key/)
  expect(readFileSync(join(folder, 'data.key'))).toEqual(Buffer.alloc(32, 7))
})

it('refuses a recovery file of another database', () => {
  const one = lostFolder()
  const other = lostFolder()
  rmSync(join(one.folder, 'data.key'))
  cpSync(join(other.folder, 'recovery.key'), join(one.folder, 'recovery.key'))
  expect(() => recoverDataKey(one.folder, DATABASE, other.recoveryKey)).toThrow(
    /does not open the database beside it/,
  )
  rmSync(join(one.folder, DATABASE))
  expect(() => recoverDataKey(one.folder, DATABASE, other.recoveryKey)).toThrow(/cannot be opened/)
  expect(existsSync(join(one.folder, 'data.key'))).toBe(false)
})

it('says that there is no recovery file, or a damaged one', () => {
  using temp = tempFolder()
  expect(() => recoverDataKey(temp.folder, DATABASE, newRecoveryKey())).toThrow(
    /recovery\.key does not exist/,
  )
  writeFileSync(join(temp.folder, 'recovery.key'), '{"version":1')
  expect(() => recoverDataKey(temp.folder, DATABASE, newRecoveryKey())).toThrow(
    /not a recovery file/,
  )
})

it('knows whether the recovery key is one of this folder', () => {
  using temp = tempStore()
  const { store, folder, clock } = temp
  expect(recoveryKeyState(folder, store.database.seal)).toEqual({ state: 'none', madeAt: null })
  storeRecoveryProof(store)
  keepRecoveryKey(folder, wrapDataKey(store.database.seal, newRecoveryKey(), clock()))
  expect(recoveryKeyState(folder, store.database.seal)).toEqual({
    state: 'ready',
    madeAt: '2026-03-10T09:00:00.000Z',
  })
  expect(recoveryKeyState(folder, sealWith(Buffer.alloc(32, 7)))).toMatchObject({
    state: 'foreign',
  })
  writeFileSync(join(folder, 'recovery.key'), 'paper')
  expect(recoveryKeyState(folder, store.database.seal)).toEqual({ state: 'foreign', madeAt: null })
})

it('gives a new key another lock: the one before opens nothing any more', () => {
  const { folder, recoveryKey, clock, uuid } = lostFolder()
  const second = newRecoveryKey()
  {
    using store = openContext({ folder, clock, uuid })
    storeRecoveryProof(store)
    keepRecoveryKey(folder, wrapDataKey(store.database.seal, second, clock()))
  }
  rmSync(join(folder, 'data.key'))
  expect(() => recoverDataKey(folder, DATABASE, recoveryKey)).toThrow(/not the recovery key/)
  expect(recoverDataKey(folder, DATABASE, second)).toBe(true)
})

it('gives the data key out of a recovery file anywhere, as of a backup', () => {
  const { folder, recoveryKey } = lostFolder()
  const file = join(folder, 'recovery.key')
  expect(openRecoveryFile(file, recoveryKey)).toEqual({
    dataKey: readFileSync(join(folder, 'data.key')),
    madeAt: '2026-03-10T09:00:00.000Z',
  })
  const { ofKey: _, ...rest } = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...rest, ofKey: '0'.repeat(16) }))
  expect(() => openRecoveryFile(file, recoveryKey)).toThrow(
    /does not contain the data key that it names/,
  )
})

it('reads a recovery file of the first release that had one', () => {
  using temp = tempFolder()
  const file = join(temp.folder, 'recovery.key')
  // As it was written by that release, of the data key 07 07 … 07.
  writeFileSync(file, FIRST_FILE)
  expect(openRecoveryFile(file, FIRST_KEY).dataKey).toEqual(Buffer.alloc(32, 7))
})

it('knows the data key of a database that never had a recovery key by what is sealed in it', () => {
  using temp = tempStore()
  const { store, folder } = temp
  const [file, key] = [join(folder, DATABASE), store.database.seal.exportKey()]
  expect(matchesDataKey(file, key)).toBe(true)
  expect(matchesDataKey(file, Buffer.alloc(32, 7))).toBe(false)
  withNothingSealed(file)
  expect(matchesDataKey(file, key)).toBeUndefined()
})

it('refuses to open a database with another data key, and says so', () => {
  const { folder, clock, uuid } = lostFolder()
  writeFileSync(join(folder, 'data.key'), Buffer.alloc(32, 7))
  expect(() => openContext({ folder, clock, uuid })).toThrow(
    /not the one that .*gateway\.sqlite was encrypted with\. Restore the data\.key/,
  )
})
