import { randomBytes } from 'node:crypto'
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { sealWith } from '#server/database/encryption.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { newRecoveryKey } from '#server/database/recovery-key.ts'
import { makeBackup } from '#server/modules/backups/make-backup.ts'
import { type BackupKey, openBackup, previewBackup } from '#server/modules/backups/open-backup.ts'
import { englishText } from '#shared/messages/english.ts'
import type { Message } from '#shared/messages/message.ts'
import { saying } from '../../../../support/saying.ts'
import { tempFolder } from '../../../../support/temp-store.ts'
import { firstVersion, NOW, sha256, stage } from './restore-files-fixture.ts'

describe('opening a backup', () => {
  it('gives the database that was copied, bit by bit, with the own key and with the recovery key', async () => {
    using on = await stage()
    for (const key of [
      on.own,
      { recoveryKey: on.recoveryKey.toLowerCase().replaceAll('-', ' ') },
    ]) {
      using to = tempFolder()
      const phases: string[] = []
      const opened = await openBackup(
        on.from,
        to.folder,
        key,
        ({ phase }) => void phases.push(phase),
      )
      expect(opened.dataKey.equals(on.dataKey)).toBe(true)
      expect(opened.manifest).toMatchObject({
        sha256: on.made.sha256,
        kind: 'scheduled',
        schema: MIGRATIONS.length,
      })
      expect(readdirSync(to.folder)).toEqual([DATABASE_FILE])
      expect(sha256(join(to.folder, DATABASE_FILE))).toBe(on.made.sha256)
      expect([...new Set(phases)]).toEqual(['decrypting', 'checking'])
      if (process.platform !== 'win32')
        expect(statSync(join(to.folder, DATABASE_FILE)).mode & 0o777).toBe(0o600)
    }
  })

  it('works wherever the folder was copied to and however it is called there', async () => {
    using on = await stage()
    using to = tempFolder()
    cpSync(on.from, join(to.folder, 'from the stick'), { recursive: true })
    const opened = await openBackup(
      join(to.folder, 'from the stick'),
      join(to.folder, 'open'),
      on.own,
    )
    expect(opened.manifest.madeAt).toBe('2026-03-10T09:00:00.000Z')
  })

  it('refuses a wrong recovery key, another data key, and a recovery key where there was none', async () => {
    using on = await stage()
    using bare = await stage({ hasRecoveryKey: false })
    using to = tempFolder()
    const refused = async (from: string, key: BackupKey, fault: string, words: RegExp) => {
      const opening = openBackup(from, join(to.folder, 'x'), key)
      await expect(opening).rejects.toMatchObject({ fault, message: expect.stringMatching(words) })
      expect(existsSync(join(to.folder, 'x'))).toBe(false)
    }
    await refused(
      on.from,
      { recoveryKey: newRecoveryKey() },
      'key-wrong',
      /not the recovery key of 2026-03-10/,
    )
    await refused(on.from, { recoveryKey: '' }, 'key-wrong', /not the recovery key/)
    await refused(
      on.from,
      { dataKey: randomBytes(32) },
      'key-wrong',
      /made with another data key: enter the recovery key/,
    )
    await refused(
      bare.from,
      { dataKey: randomBytes(32) },
      'key-wrong',
      /before there was a recovery key/,
    )
    await refused(
      bare.from,
      { recoveryKey: newRecoveryKey() },
      'key-missing',
      /before there was a recovery key/,
    )
  })

  it('refuses a flipped bit in each of its files, anywhere', { timeout: 60_000 }, async () => {
    using on = await stage()
    using to = tempFolder()
    for (const name of readdirSync(on.from)) {
      const whole = readFileSync(join(on.from, name))
      for (let round = 0; round < 25; round++) {
        const bytes = Buffer.from(whole)
        const at = Math.floor((bytes.length * (round + 0.5)) / 25)
        bytes[at] = (bytes[at] ?? 0) ^ (1 << (round % 5))
        writeFileSync(join(on.from, name), bytes)
        const key = name === 'recovery.key' ? { recoveryKey: on.recoveryKey } : on.own
        const said = await openBackup(on.from, join(to.folder, 'x'), key).then(
          ({ dataKey, manifest }) => ({ dataKey, manifest }),
          (error) => error.fault as string,
        )
        // A bit may change what nothing hangs on: the space between two words of JSON, or a digit's
        // place in the time of the sheet.
        if (typeof said === 'string')
          expect(['damaged', 'seal-broken', 'key-wrong', 'key-missing']).toContain(said)
        else {
          expect(name).not.toBe('database.sealed')
          expect(said.dataKey.equals(on.dataKey)).toBe(true)
          expect(said.manifest).toMatchObject({
            sha256: on.made.sha256,
            madeAt: on.made.madeAt,
            rows: on.made.rows,
          })
        }
        rmSync(join(to.folder, 'x'), { recursive: true, force: true })
      }
      writeFileSync(join(on.from, name), whole)
    }
  })

  it('refuses one that is cut short, and leaves nothing of it', async () => {
    using on = await stage()
    using to = tempFolder()
    const file = join(on.from, 'database.sealed')
    truncateSync(file, statSync(file).size - 1)
    await expect(openBackup(on.from, to.folder, on.own)).rejects.toMatchObject({
      fault: 'seal-broken',
    })
    expect(readdirSync(to.folder)).toEqual([])
    rmSync(file)
    await expect(openBackup(on.from, to.folder, on.own)).rejects.toThrow(
      /database\.sealed could not be read: it does not exist/,
    )
    const { fault } = await previewBackup(on.from, on.own)
    expect(englishText(fault as Message)).toMatch(/was not copied completely/)
  })

  it('refuses a folder without a manifest, or with one that was changed', async () => {
    using on = await stage()
    using to = tempFolder()
    const file = join(on.from, 'backup.json')
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    const open = () => openBackup(on.from, join(to.folder, 'x'), on.own)
    for (const [key, value] of Object.entries({
      kind: 'by-hand',
      program: '9',
      schema: 1,
      plainBytes: 1,
      hasRecoveryKey: false,
      rows: { users: 7 },
    })) {
      writeFileSync(file, JSON.stringify({ ...manifest, [key]: value }))
      await expect(open(), key).rejects.toMatchObject({
        fault: 'damaged',
        message: expect.stringMatching(/was changed after/),
      })
    }
    writeFileSync(file, JSON.stringify({ ...manifest, rows: { 'users" union select 1 --': 7 } }))
    await expect(open()).rejects.toThrow(/is not a backup of Isthmus, or its backup\.json/)
    rmSync(file)
    await expect(open()).rejects.toMatchObject({ fault: 'damaged' })
    await expect(previewBackup(on.from, on.own)).rejects.toMatchObject({ fault: 'damaged' })
  })

  it('refuses the database of another backup under the same key', async () => {
    using on = await stage()
    using to = tempFolder()
    {
      using store = on.reopen()
      await makeBackup({ ...store, clock: () => NOW }, on.target, 'scheduled', '1')
    }
    cpSync(
      join(on.target, 'isthmus-2026-03-11-080000Z', 'database.sealed'),
      join(on.from, 'database.sealed'),
    )
    await expect(openBackup(on.from, to.folder, on.own)).rejects.toMatchObject({
      fault: 'seal-broken',
    })
  })

  it('refuses what a newer version made, in the preview too', async () => {
    using on = await stage()
    using to = tempFolder()
    const file = join(on.folder, DATABASE_FILE)
    const sqlite = new Sqlite(file)
    sqlite.pragma(`user_version = ${MIGRATIONS.length + 1}`)
    sqlite.close()
    const first = join(to.folder, 'first')
    firstVersion(on, first)
    const words = new RegExp(
      `newer version of Isthmus \\(schema ${MIGRATIONS.length + 1}; this version supports up to ${MIGRATIONS.length}\\)`,
    )
    await expect(openBackup(first, join(to.folder, 'x'), on.own)).rejects.toThrow(words)
    const { fault } = await previewBackup(first, on.own)
    expect(englishText(fault as Message)).toMatch(words)
  })

  it('does not use a folder that has something in it', async () => {
    using on = await stage()
    using to = tempFolder()
    writeFileSync(join(to.folder, 'letter'), 'mine')
    await expect(openBackup(on.from, to.folder, on.own)).rejects.toMatchObject({
      fault: 'bad-folder',
    })
    expect(readdirSync(to.folder)).toEqual(['letter'])
  })
})

describe('the preview', () => {
  it('tells what opens it', async () => {
    using on = await stage()
    using bare = await stage({ hasRecoveryKey: false })
    const other = { dataKey: randomBytes(32) }
    expect(await previewBackup(on.from, on.own)).toMatchObject({
      opensWith: 'own',
      fault: null,
      manifest: { rows: { auditEntries: 1 } },
    })
    expect(await previewBackup(on.from, other)).toMatchObject({
      opensWith: 'recovery-key',
      fault: null,
    })
    expect(await previewBackup(on.from, { recoveryKey: on.recoveryKey })).toMatchObject({
      opensWith: 'recovery-key',
      fault: null,
    })
    expect(await previewBackup(on.from, { recoveryKey: newRecoveryKey() })).toMatchObject({
      opensWith: 'recovery-key',
      fault: saying(/not the recovery key/),
    })
    expect(await previewBackup(bare.from, other)).toMatchObject({
      opensWith: 'no',
      fault: saying(/before there was a recovery key/),
    })
    expect(await previewBackup(bare.from, { recoveryKey: newRecoveryKey() })).toMatchObject({
      opensWith: 'no',
    })
  })

  it('tells the same of one of the first version, and changes nothing in it', async () => {
    using on = await stage()
    using to = tempFolder()
    const first = join(to.folder, 'first')
    firstVersion(on, first)
    const before = sha256(join(first, DATABASE_FILE))
    expect(await previewBackup(first, on.own)).toMatchObject({
      opensWith: 'own',
      fault: null,
      manifest: { version: 1 },
    })
    expect(await previewBackup(first, { dataKey: randomBytes(32) })).toMatchObject({
      opensWith: 'recovery-key',
      fault: null,
    })
    expect(readdirSync(first).sort()).toEqual(['backup.json', DATABASE_FILE, 'recovery.key'])
    expect(sha256(join(first, DATABASE_FILE))).toBe(before)
  })
})

it('keeps the key of a sealed backup to itself: it is of the name and of the data key', async () => {
  using on = await stage()
  const key = sealWith(on.dataKey).keyFor(`backup ${on.made.name}`)
  expect(key).toHaveLength(32)
  for (const file of readdirSync(on.from))
    expect(readFileSync(join(on.from, file)).includes(key)).toBe(false)
})
