import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KEY_FILE, SEALED_KEY_FILE } from '#server/database/data-key.ts'
import { loadSeal, sealWith } from '#server/database/encryption.ts'
import { StoreError } from '#server/database/store-error.ts'
import { needing } from '../../../support/needs.ts'
import { runs } from '../../../support/property-runs.ts'
import { tempFolder } from '../../../support/temp-store.ts'

const seal = sealWith(Buffer.alloc(32, 7))
const text = Buffer.from('MEYER^ANNA')

describe('the seal', () => {
  it('opens what it sealed, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (bytes, context) => {
        expect(seal.open(seal.seal(Buffer.from(bytes), context), context).equals(bytes)).toBe(true)
      }),
      runs(100),
    )
  })

  it('never seals the same bytes to the same bytes, and shows nothing of them', () => {
    const [one, two] = [seal.seal(text, 'name'), seal.seal(text, 'name')]
    expect(one.equals(two)).toBe(false)
    expect(one.includes(text)).toBe(false)
    expect(one.length).toBe(1 + 12 + text.length + 16)
  })

  it('has a key for each purpose, always the same, that is not the data key', () => {
    const [links, cursors] = [seal.keyFor('links'), seal.keyFor('cursors')]
    expect([links.length, links.equals(seal.keyFor('links')), links.equals(cursors)]).toEqual([
      32,
      true,
      false,
    ])
    expect(links.equals(Buffer.alloc(32, 7))).toBe(false)
    expect(links.equals(sealWith(Buffer.alloc(32, 8)).keyFor('links'))).toBe(false)
  })

  it('opens what the first release sealed, and gives the keys that it gave', () => {
    const sealed = Buffer.from(
      '010404040404040404040404041876718d34b73a4646e3ba374af99e280695637568c39d16774b',
      'hex',
    )
    expect(seal.open(sealed, 'name')).toEqual(text)
    expect(seal.keyFor('links').toString('hex')).toBe(
      '7c3c193fa54a46e79d8fe788e49a2a22675942648eda4dc8c4c01f07c928aab5',
    )
  })

  it('seals nothing at all as well', () => {
    expect(seal.open(seal.seal(Buffer.alloc(0), 'name'), 'name')).toHaveLength(0)
  })

  it('refuses every changed byte', () => {
    const sealed = seal.seal(text, 'name')
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => seal.open(changed, 'name')).toThrow(StoreError)
    }
  })

  it('refuses a cut one, another context and another key', () => {
    const sealed = seal.seal(text, 'name')
    for (let length = 0; length < sealed.length; length++)
      expect(() => seal.open(sealed.subarray(0, length), 'name')).toThrow(StoreError)
    expect(() => seal.open(sealed, 'answer')).toThrow('Encrypted data (answer) cannot be opened')
    expect(() => sealWith(Buffer.alloc(32, 8)).open(sealed, 'name')).toThrow(
      'encrypted with another data key',
    )
  })
})

describe('the data key', () => {
  it('is made once and read again', () => {
    using temp = tempFolder()
    const sealed = loadSeal(temp.folder, { mayCreate: true }).seal(text, 'name')
    expect(readFileSync(join(temp.folder, KEY_FILE))).toHaveLength(32)
    expect(loadSeal(temp.folder, { mayCreate: false }).open(sealed, 'name').toString()).toBe(
      'MEYER^ANNA',
    )
    expect(loadSeal(temp.folder, { mayCreate: true }).open(sealed, 'name').toString()).toBe(
      'MEYER^ANNA',
    )
  })

  it('is not made where something may be sealed under one that is missing', () => {
    using temp = tempFolder()
    expect(() => loadSeal(temp.folder, { mayCreate: false })).toThrow(
      /data\.key is missing\. .*restore the file, or create it again with the recovery key/,
    )
    expect(existsSync(join(temp.folder, KEY_FILE))).toBe(false)
  })

  it('is refused with another length than 32 bytes', () => {
    using temp = tempFolder()
    writeFileSync(join(temp.folder, KEY_FILE), Buffer.alloc(31))
    expect(() => loadSeal(temp.folder, { mayCreate: true })).toThrow(
      expect.objectContaining({
        fault: 'key-wrong',
        message: expect.stringContaining('has 31 bytes instead of 32'),
      }),
    )
  })

  it('says what is wrong with it', () => {
    using temp = tempFolder()
    const file = join(temp.folder, KEY_FILE)
    const faultOf = (fault: string, message: RegExp) =>
      expect.objectContaining({ fault, message: expect.stringMatching(message) })
    const open = (options: Partial<Parameters<typeof loadSeal>[1]> = {}) =>
      loadSeal(temp.folder, { mayCreate: false, ...options })
    expect(() => open()).toThrow(faultOf('key-missing', /data\.key is missing/))
    expect(() => open({ dataKey: Buffer.alloc(33) })).toThrow(
      faultOf('key-wrong', /^The data key that was given has 33 bytes instead of 32\.$/),
    )
    writeFileSync(join(temp.folder, SEALED_KEY_FILE), '{}')
    expect(() => open({ mayCreate: true })).toThrow(
      faultOf(
        'key-sealed',
        /^The data key of this folder is in the key store of an account, and .*data\.key\.sealed is damaged\. Start the app in that account/,
      ),
    )
    expect(existsSync(file)).toBe(false)
    mkdirSync(file)
    expect(() => open()).toThrow(
      faultOf('bad-folder', /^The data key .*data\.key cannot be read: EISDIR/),
    )
    // Where something is in its place, no key is made.
    expect(() => open({ mayCreate: true })).toThrow(faultOf('bad-folder', /cannot be read/))
  })

  it('is made of random bytes, in one file and nothing beside it', () => {
    using temp = tempFolder()
    const made = loadSeal(temp.folder, {
      mayCreate: true,
      random: (bytes) => Buffer.alloc(bytes, 9),
    })
    expect(made.exportKey()).toEqual(Buffer.alloc(32, 9))
    expect(readdirSync(temp.folder)).toEqual([KEY_FILE])
    expect(readFileSync(join(temp.folder, KEY_FILE))).toEqual(Buffer.alloc(32, 9))
  })

  it('says when its folder is not there', () => {
    using temp = tempFolder()
    expect(() => loadSeal(join(temp.folder, 'nowhere'), { mayCreate: true })).toThrow(
      expect.objectContaining({
        fault: 'bad-folder',
        message: expect.stringMatching(/The key file .*data\.key cannot be written/),
      }),
    )
  })

  it('may be handed over, and is then not written; a file that is there counts before it', () => {
    using temp = tempFolder()
    const dataKey = Buffer.alloc(32, 7)
    const sealed = loadSeal(temp.folder, { mayCreate: true, dataKey }).seal(text, 'name')
    expect(readdirSync(temp.folder)).toEqual([])
    expect(sealWith(dataKey).open(sealed, 'name')).toEqual(text)
    expect(() => loadSeal(temp.folder, { mayCreate: true, dataKey: Buffer.alloc(31) })).toThrow(
      'has 31 bytes instead of 32',
    )
    writeFileSync(join(temp.folder, KEY_FILE), Buffer.alloc(32, 8))
    expect(loadSeal(temp.folder, { mayCreate: false, dataKey }).keyName).toBe(
      sealWith(Buffer.alloc(32, 8)).keyName,
    )
  })

  it('is kept by the seal as a copy, named without being said, and given out as a copy', () => {
    const key = Buffer.alloc(32, 7)
    const own = sealWith(key)
    const before = own.seal(text, 'name')
    key.fill(0)
    own.exportKey().fill(0)
    expect(own.open(before, 'name')).toEqual(text)
    expect(own.keyName).toMatch(/^[0-9a-f]{16}$/)
    expect(own.keyName).not.toBe(sealWith(Buffer.alloc(32, 8)).keyName)
    expect(
      sealWith(Buffer.alloc(32, 9)).open(own.wrapUnder(Buffer.alloc(32, 9), 'sheet'), 'sheet'),
    ).toEqual(Buffer.alloc(32, 7))
  })

  it('is readable by its owner only, also when somebody loosened it', needing('posix'), () => {
    using temp = tempFolder()
    const file = join(temp.folder, KEY_FILE)
    loadSeal(temp.folder, { mayCreate: true })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    chmodSync(file, 0o644)
    loadSeal(temp.folder, { mayCreate: false })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    // One that nobody may write, its owner included, stays so.
    chmodSync(file, 0o400)
    loadSeal(temp.folder, { mayCreate: false })
    expect(statSync(file).mode & 0o777).toBe(0o400)
  })
})
