import { spawnSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSecret } from '#server/configuration/secret-queries.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import {
  keepRecoveryKey,
  newRecoveryKey,
  recoverDataKey,
  wrapDataKey,
} from '#server/database/recovery-key.ts'
import { openBackup } from '#server/modules/backups/open-backup.ts'
import { storeRecoveryProof } from '#server/modules/backups/recovery-key-setup.ts'
import {
  applyStagedRestore,
  moveDatabaseAside,
  refuseHalfRestored,
  stageRestore,
} from '#server/modules/backups/restore-files.ts'
import { needing } from '../../../../support/needs.ts'
import { tempFolder } from '../../../../support/temp-store.ts'
import {
  ASIDE,
  actions,
  firstVersion,
  NOW,
  note,
  restoreInto,
  sha256,
  stage,
} from './restore-files-fixture.ts'

describe('a restore', () => {
  it('puts the database of the backup in its place, keeps aside what was there, and is done once', async () => {
    using on = await stage()
    const before = sha256(join(on.folder, DATABASE_FILE))
    const keyBefore = readFileSync(join(on.folder, 'data.key'))
    const restored = await restoreInto(on.folder, on.from, on.own)
    expect(restored).toEqual({
      name: on.made.name,
      madeAt: on.made.madeAt,
      actor: 'user:usr_1',
      keptAside: ASIDE,
    })
    expect(sha256(join(on.folder, ASIDE, DATABASE_FILE))).toBe(before)
    expect(existsSync(join(on.folder, 'restore'))).toBe(false)
    expect(readFileSync(join(on.folder, 'data.key')).equals(keyBefore)).toBe(true)
    expect(applyStagedRestore(on.folder, NOW + 1)).toBeUndefined()
    using store = on.reopen()
    expect(actions(store)).toEqual(['before'])
    expect(store.audit.verify()).toEqual({ isIntact: true, entries: 1 })
    expect(readSecret(store, 'mail.password')).toBe('seven calm otters')
  })

  it('does not touch the database before it is applied, nor where it fails', async () => {
    using on = await stage()
    const before = sha256(join(on.folder, DATABASE_FILE))
    await stageRestore(on.folder, on.from, on.own, 'x', NOW)
    expect(sha256(join(on.folder, DATABASE_FILE))).toBe(before)
    truncateSync(join(on.from, 'database.sealed'), 1000)
    await expect(stageRestore(on.folder, on.from, on.own, 'x', NOW)).rejects.toThrow()
    // What was ready before is given up with it.
    expect(applyStagedRestore(on.folder, NOW)).toBeUndefined()
    expect(sha256(join(on.folder, DATABASE_FILE))).toBe(before)
  })

  it('does not touch the database on a full disk, and says so', needing('posix'), async () => {
    using on = await stage()
    const before = sha256(join(on.folder, DATABASE_FILE))
    const restorer = join(import.meta.dirname, '../../../../support/store-restorer.ts')
    const words = [process.execPath, restorer, on.folder, 'stage', on.from, on.recoveryKey]
      .map((word) => `"${word}"`)
      .join(' ')
    // Blocks of 512 or 1024 bytes, as the shell has it: less than the database either way.
    const ran = spawnSync('sh', ['-c', `ulimit -f 64; exec ${words}`], { encoding: 'utf8' })
    expect(ran.status).toBe(1)
    expect(ran.stderr).toMatch(
      /gateway\.sqlite could not be written: the file is larger than the disk/,
    )
    expect(applyStagedRestore(on.folder, NOW)).toBeUndefined()
    expect(sha256(join(on.folder, DATABASE_FILE))).toBe(before)
    expect(existsSync(join(on.folder, 'restore', DATABASE_FILE))).toBe(false)
  })

  it('takes a log of the old database along, which must never be beside the new one', async () => {
    using on = await stage()
    for (const end of ['-wal', '-shm', '-journal'])
      writeFileSync(join(on.folder, `${DATABASE_FILE}${end}`), `old${end}`)
    await restoreInto(on.folder, on.from, on.own)
    expect(readdirSync(join(on.folder, ASIDE)).sort()).toEqual(
      [
        DATABASE_FILE,
        `${DATABASE_FILE}-journal`,
        `${DATABASE_FILE}-shm`,
        `${DATABASE_FILE}-wal`,
        'restore.json',
      ].sort(),
    )
    expect(readdirSync(on.folder).filter((name) => name.startsWith(`${DATABASE_FILE}-`))).toEqual(
      [],
    )
  })

  it('makes another PC the same with the recovery key alone, and nothing is kept aside there', async () => {
    using on = await stage()
    using other = tempFolder()
    const data = join(other.folder, 'data', 'of the clinic')
    expect(await restoreInto(data, on.from, { recoveryKey: on.recoveryKey })).toMatchObject({
      keptAside: '',
    })
    expect(readFileSync(join(data, 'data.key')).equals(on.dataKey)).toBe(true)
    if (process.platform !== 'win32')
      for (const file of [DATABASE_FILE, 'data.key', 'recovery.key'])
        expect(statSync(join(data, file)).mode & 0o777).toBe(0o600)
    using store = on.reopen(data)
    expect(readSecret(store, 'mail.password')).toBe('seven calm otters')
    expect(store.audit.verify()).toMatchObject({ isIntact: true })
    // The sheet in the drawer opens this one too.
    rmSync(join(data, 'data.key'))
    expect(recoverDataKey(data, DATABASE_FILE, on.recoveryKey)).toBe(true)
  })

  it('puts the keys of a PC that had another clinic aside, also one in a key store', async () => {
    using on = await stage()
    using other = await stage()
    writeFileSync(join(other.folder, 'data.key.sealed'), 'of the key store')
    const [keyBefore, recoveryBefore] = ['data.key', 'recovery.key'].map((file) =>
      readFileSync(join(other.folder, file)),
    )
    await restoreInto(other.folder, on.from, { recoveryKey: on.recoveryKey })
    expect(readFileSync(join(other.folder, ASIDE, 'data.key'))).toEqual(keyBefore)
    expect(readFileSync(join(other.folder, ASIDE, 'recovery.key'))).toEqual(recoveryBefore)
    expect(readFileSync(join(other.folder, ASIDE, 'data.key.sealed'), 'utf8')).toBe(
      'of the key store',
    )
    expect(existsSync(join(other.folder, 'data.key.sealed'))).toBe(false)
    using store = on.reopen(other.folder)
    expect(readSecret(store, 'mail.password')).toBe('seven calm otters')
  })

  it('puts the data key back where it was lost', async () => {
    using on = await stage()
    rmSync(join(on.folder, 'data.key'))
    await restoreInto(on.folder, on.from, { recoveryKey: on.recoveryKey })
    using store = on.reopen()
    expect(readSecret(store, 'mail.password')).toBe('seven calm otters')
  })

  it('leaves a newer recovery key in force, though the backup knows nothing of it', async () => {
    using on = await stage({ hasRecoveryKey: false })
    const newer = newRecoveryKey()
    {
      using store = on.reopen()
      storeRecoveryProof(store)
      keepRecoveryKey(on.folder, wrapDataKey(store.database.seal, newer, NOW))
    }
    await restoreInto(on.folder, on.from, on.own)
    rmSync(join(on.folder, 'data.key'))
    expect(recoverDataKey(on.folder, DATABASE_FILE, newer)).toBe(true)
  })

  it('takes a backup of the first version', async () => {
    using on = await stage()
    using to = tempFolder()
    const first = join(to.folder, 'first')
    firstVersion(on, first)
    {
      using store = on.reopen()
      note(store, 'later still')
    }
    await restoreInto(on.folder, first, on.own)
    {
      using store = on.reopen()
      expect(actions(store)).toEqual(['after', 'before'])
    }
    await restoreInto(join(to.folder, 'new'), first, { recoveryKey: on.recoveryKey })
    using store = on.reopen(join(to.folder, 'new'))
    expect(readSecret(store, 'mail.password')).toBe('seven calm otters')
    await expect(
      openBackup(first, join(to.folder, 'x'), { dataKey: randomBytes(32) }),
    ).rejects.toMatchObject({
      fault: 'key-wrong',
    })
  })

  it('changes nothing where what was made ready is not whole any more, and says so once', async () => {
    using on = await stage()
    await stageRestore(on.folder, on.from, on.own, 'x', NOW)
    truncateSync(join(on.folder, 'restore', DATABASE_FILE), 100)
    const before = sha256(join(on.folder, DATABASE_FILE))
    expect(() => applyStagedRestore(on.folder, NOW)).toThrow(
      /The database was not changed; start the restore again/,
    )
    expect(applyStagedRestore(on.folder, NOW)).toBeUndefined()
    expect(sha256(join(on.folder, DATABASE_FILE))).toBe(before)
    expect((await restoreInto(on.folder, on.from, on.own))?.keptAside).toBe(ASIDE)
  })

  it('keeps aside each time under a name of its own', async () => {
    using on = await stage()
    const names: (string | undefined)[] = []
    for (let round = 0; round < 3; round++)
      names.push((await restoreInto(on.folder, on.from, on.own))?.keptAside)
    expect(names).toEqual([ASIDE, `${ASIDE}-2`, `${ASIDE}-3`])
    for (const name of names)
      expect(existsSync(join(on.folder, name ?? '', DATABASE_FILE))).toBe(true)
  })

  it('spares the images that came after the backup, which the database does not know any more', async () => {
    using on = await stage()
    const study = join(on.folder, 'images', 'ab', 'ab'.repeat(16))
    mkdirSync(study, { recursive: true })
    const [kept, cutOff] = [`${randomUUID()}.dcm`, `${randomUUID()}.dcm`]
    writeFileSync(join(study, kept), 'acknowledged')
    await restoreInto(on.folder, on.from, on.own)
    using store = on.reopen()
    // So that the second is younger by any clock of a file system.
    await new Promise((resolve) => setTimeout(resolve, 50))
    writeFileSync(join(study, cutOff), 'of a transfer that a later stop cut off')
    const orphans: string[] = []
    for await (const file of store.imageFiles.orphans(() => false, 0)) orphans.push(file)
    expect(orphans.map((file) => file.split('/').at(-1))).toEqual([cutOff])
  })

  it('stops others from opening the folder between two files that it moves', async () => {
    using on = await stage()
    await stageRestore(on.folder, on.from, on.own, 'x', NOW)
    expect(() => refuseHalfRestored(on.folder)).not.toThrow()
    const order = join(on.folder, 'restore', 'restore.json')
    writeFileSync(
      order,
      JSON.stringify({ ...JSON.parse(readFileSync(order, 'utf8')), keptAside: ASIDE }),
    )
    // As after a crash when the old database was moved.
    mkdirSync(join(on.folder, `${ASIDE}.part`))
    renameSync(join(on.folder, DATABASE_FILE), join(on.folder, `${ASIDE}.part`, DATABASE_FILE))
    expect(() => refuseHalfRestored(on.folder)).toThrow(
      /The restore of a backup in .* has not finished/,
    )
    await expect(stageRestore(on.folder, on.from, on.own, 'x', NOW)).rejects.toThrow(
      /The restore of a backup in .* has not finished/,
    )
    expect(applyStagedRestore(on.folder, NOW + 5000)).toMatchObject({ keptAside: ASIDE })
    expect(() => refuseHalfRestored(on.folder)).not.toThrow()
    using store = on.reopen()
    expect(actions(store)).toEqual(['before'])
  })

  it('names its order where that cannot be read', async () => {
    using on = await stage()
    const order = join(on.folder, 'restore', 'restore.json')
    mkdirSync(order, { recursive: true })
    expect(() => applyStagedRestore(on.folder, NOW)).toThrow(`${order} cannot be read: `)
  })

  it('never moves a file that its order must not name', async () => {
    using on = await stage()
    await stageRestore(on.folder, on.from, on.own, 'x', NOW)
    const order = join(on.folder, 'restore', 'restore.json')
    const written = JSON.parse(readFileSync(order, 'utf8'))
    for (const change of [
      { keptAside: '../elsewhere' },
      { replaces: ['../../etc/passwd'] },
      { brings: [{ file: '../x', bytes: 1 }] },
    ]) {
      writeFileSync(order, JSON.stringify({ ...written, ...change }))
      expect(() => applyStagedRestore(on.folder, NOW)).toThrow(/restore\.json is damaged/)
    }
  })
})

describe('quarantine', () => {
  it('moves a damaged database with its logs aside, and nothing else', async () => {
    using on = await stage()
    writeFileSync(join(on.folder, DATABASE_FILE), 'damaged')
    writeFileSync(join(on.folder, `${DATABASE_FILE}-wal`), 'its log')
    const name = moveDatabaseAside(on.folder, NOW)
    expect(name).toBe('damaged-2026-03-11-080000Z')
    expect(readFileSync(join(on.folder, name, DATABASE_FILE), 'utf8')).toBe('damaged')
    expect(readFileSync(join(on.folder, name, `${DATABASE_FILE}-wal`), 'utf8')).toBe('its log')
    expect(existsSync(join(on.folder, DATABASE_FILE))).toBe(false)
    expect(existsSync(join(on.folder, 'data.key'))).toBe(true)
    expect(moveDatabaseAside(on.folder, NOW)).toBe(`${name}-2`)
  })

  it('is finished by the next start where a crash interrupted it', async () => {
    using on = await stage()
    mkdirSync(join(on.folder, 'damaged-2026-03-11-080000Z.part'))
    expect(() => refuseHalfRestored(on.folder)).toThrow(
      /The restore of a backup in .* has not finished/,
    )
    expect(applyStagedRestore(on.folder, NOW)).toBeUndefined()
    expect(existsSync(join(on.folder, 'damaged-2026-03-11-080000Z', DATABASE_FILE))).toBe(true)
    expect(existsSync(join(on.folder, DATABASE_FILE))).toBe(false)
  })

  it('leaves a restore that is ready alone', async () => {
    using on = await stage()
    await stageRestore(on.folder, on.from, on.own, 'x', NOW)
    moveDatabaseAside(on.folder, NOW)
    expect(applyStagedRestore(on.folder, NOW)).toMatchObject({ name: on.made.name, keptAside: '' })
    using store = on.reopen()
    expect(actions(store)).toEqual(['before'])
  })
})
