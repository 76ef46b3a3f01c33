import { spawnSync } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import {
  cpSync,
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
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { makeBackup } from '#gateway/store/backup.ts'
import { MIGRATIONS } from '#gateway/store/migrations.ts'
import { keepRecoveryKey, keepRecoveryProof, newRecoveryKey, recoverDataKey, wrapDataKey } from '#gateway/store/recovery-key.ts'
import {
  applyStagedRestore,
  type BackupKey,
  openBackup,
  previewBackup,
  quarantine,
  refuseHalfRestored,
  stageRestore,
} from '#gateway/store/restore.ts'
import { sealWith } from '#gateway/store/seal.ts'
import { DATABASE_FILE, openStore, type Store } from '#gateway/store/store.ts'
import { tempFolder, tempStore } from '../../../support/temp-store.ts'

const NOW = Date.parse('2026-03-11T08:00:00.000Z')
const ASIDE = 'replaced-2026-03-11-080000Z'
const quiet = { onProgress: () => {} }

/** A data folder with a recovery key and a back-up of it; `later` was written after the back-up. The store is closed. */
async function stage({ hasRecoveryKey = true, later = true } = {}) {
  const temp = tempStore()
  const target = tempFolder()
  const { store, folder, clock, uuid } = temp
  const recoveryKey = newRecoveryKey()
  if (hasRecoveryKey) {
    keepRecoveryProof(store.secrets)
    keepRecoveryKey(folder, wrapDataKey(store.seal, recoveryKey, clock()))
  }
  store.secrets.set('mail.password', 'seven calm otters')
  note(store, 'before')
  const made = await makeBackup(store, { folder: target.folder, kind: 'scheduled', version: '1.2.3', now: clock(), ...quiet })
  if (later) note(store, 'after')
  const dataKey = store.seal.exportKey()
  store[Symbol.dispose]()
  return {
    ...{ folder, clock, uuid, recoveryKey, dataKey, target: target.folder, from: join(target.folder, made.name), made },
    own: { dataKey } satisfies BackupKey,
    reopen: (data = folder) => openStore({ folder: data, clock, uuid }),
    [Symbol.dispose]() {
      temp[Symbol.dispose]()
      target[Symbol.dispose]()
    },
  }
}

const note = (store: Store, action: string) =>
  store.audit.append({ actor: 'gateway', action, target: 'x', detail: { text: 'x'.repeat(9000) } })
const actions = (store: Store) => store.audit.list({ limit: 10 }).items.map(({ action }) => action)
const sha256 = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
const restoreInto = async (data: string, from: string, key: BackupKey) => {
  await stageRestore({ data, from, key, actor: 'user:usr_1', now: NOW, ...quiet })
  return applyStagedRestore(data, NOW)
}

describe('opening a back-up', () => {
  it('gives the database that was copied, bit by bit, with the own key and with the recovery key', async () => {
    using on = await stage()
    for (const key of [on.own, { recoveryKey: on.recoveryKey.toLowerCase().replaceAll('-', ' ') }]) {
      using to = tempFolder()
      const phases: string[] = []
      const opened = await openBackup({ from: on.from, to: to.folder, key, onProgress: ({ phase }) => void phases.push(phase) })
      expect(opened.dataKey.equals(on.dataKey)).toBe(true)
      expect(opened.manifest).toMatchObject({ sha256: on.made.sha256, kind: 'scheduled', schema: MIGRATIONS.length })
      expect(readdirSync(to.folder)).toEqual([DATABASE_FILE])
      expect(sha256(join(to.folder, DATABASE_FILE))).toBe(on.made.sha256)
      expect([...new Set(phases)]).toEqual(['decrypting', 'checking'])
      if (process.platform !== 'win32') expect(statSync(join(to.folder, DATABASE_FILE)).mode & 0o777).toBe(0o600)
    }
  })

  it('works wherever the folder was copied to and however it is called there', async () => {
    using on = await stage()
    using to = tempFolder()
    cpSync(on.from, join(to.folder, 'from the stick'), { recursive: true })
    const opened = await openBackup({ from: join(to.folder, 'from the stick'), to: join(to.folder, 'open'), key: on.own, ...quiet })
    expect(opened.manifest.madeAt).toBe('2026-03-10T09:00:00.000Z')
  })

  it('refuses a wrong recovery key, another data key, and a recovery key where there was none', async () => {
    using on = await stage()
    using bare = await stage({ hasRecoveryKey: false })
    using to = tempFolder()
    const refused = async (from: string, key: BackupKey, fault: string, words: RegExp) => {
      const opening = openBackup({ from, to: join(to.folder, 'x'), key, ...quiet })
      await expect(opening).rejects.toMatchObject({ fault, message: expect.stringMatching(words) })
      expect(existsSync(join(to.folder, 'x'))).toBe(false)
    }
    await refused(on.from, { recoveryKey: newRecoveryKey() }, 'key-wrong', /not the recovery key of 2026-03-10/)
    await refused(on.from, { recoveryKey: '' }, 'key-wrong', /not the recovery key/)
    await refused(on.from, { dataKey: randomBytes(32) }, 'key-wrong', /another data key than this one: give the recovery key/)
    await refused(bare.from, { dataKey: randomBytes(32) }, 'key-wrong', /no recovery key then/)
    await refused(bare.from, { recoveryKey: newRecoveryKey() }, 'key-missing', /before there was a recovery key/)
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
        const said = await openBackup({ from: on.from, to: join(to.folder, 'x'), key, ...quiet }).then(
          ({ dataKey, manifest }) => ({ dataKey, manifest }),
          (error) => error.fault as string,
        )
        // A bit may change what nothing hangs on: the space between two words of JSON, or a digit's place in the time of the sheet.
        if (typeof said === 'string') expect(['damaged', 'seal-broken', 'key-wrong', 'key-missing']).toContain(said)
        else {
          expect(name).not.toBe('database.sealed')
          expect(said.dataKey.equals(on.dataKey)).toBe(true)
          expect(said.manifest).toMatchObject({ sha256: on.made.sha256, madeAt: on.made.madeAt, rows: on.made.rows })
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
    await expect(openBackup({ from: on.from, to: to.folder, key: on.own, ...quiet })).rejects.toMatchObject({ fault: 'seal-broken' })
    expect(readdirSync(to.folder)).toEqual([])
    rmSync(file)
    await expect(openBackup({ from: on.from, to: to.folder, key: on.own, ...quiet })).rejects.toThrow(
      /database\.sealed could not be read: it is not there/,
    )
    expect((await previewBackup(on.from, on.own)).fault).toMatch(/was not copied whole/)
  })

  it('refuses a folder without a manifest, or with one that was changed', async () => {
    using on = await stage()
    using to = tempFolder()
    const file = join(on.from, 'backup.json')
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    const open = () => openBackup({ from: on.from, to: join(to.folder, 'x'), key: on.own, ...quiet })
    for (const [key, value] of Object.entries({
      kind: 'by-hand',
      program: '9',
      schema: 1,
      plainBytes: 1,
      hasRecoveryKey: false,
      rows: { users: 7 },
    })) {
      writeFileSync(file, JSON.stringify({ ...manifest, [key]: value }))
      await expect(open(), key).rejects.toMatchObject({ fault: 'damaged', message: expect.stringMatching(/was changed after/) })
    }
    writeFileSync(file, JSON.stringify({ ...manifest, rows: { 'users" union select 1 --': 7 } }))
    await expect(open()).rejects.toThrow(/is not a back-up of Isthmus, or its backup\.json/)
    rmSync(file)
    await expect(open()).rejects.toMatchObject({ fault: 'damaged' })
    await expect(previewBackup(on.from, on.own)).rejects.toMatchObject({ fault: 'damaged' })
  })

  it('refuses the database of another back-up under the same key', async () => {
    using on = await stage()
    using to = tempFolder()
    {
      using store = on.reopen()
      await makeBackup(store, { folder: on.target, kind: 'scheduled', version: '1', now: NOW, ...quiet })
    }
    cpSync(join(on.target, 'isthmus-2026-03-11-080000Z', 'database.sealed'), join(on.from, 'database.sealed'))
    await expect(openBackup({ from: on.from, to: to.folder, key: on.own, ...quiet })).rejects.toMatchObject({ fault: 'seal-broken' })
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
    const words = new RegExp(`newer version of Isthmus \\(schema ${MIGRATIONS.length + 1}, this one knows ${MIGRATIONS.length}\\)`)
    await expect(openBackup({ from: first, to: join(to.folder, 'x'), key: on.own, ...quiet })).rejects.toThrow(words)
    expect((await previewBackup(first, on.own)).fault).toMatch(words)
  })

  it('does not use a folder that has something in it', async () => {
    using on = await stage()
    using to = tempFolder()
    writeFileSync(join(to.folder, 'letter'), 'mine')
    await expect(openBackup({ from: on.from, to: to.folder, key: on.own, ...quiet })).rejects.toMatchObject({ fault: 'bad-folder' })
    expect(readdirSync(to.folder)).toEqual(['letter'])
  })
})

/** A back-up as the first version made them, of a closed data folder. */
function firstVersion({ folder, clock }: { readonly folder: string; readonly clock: () => number }, to: string): void {
  mkdirSync(to)
  for (const name of [DATABASE_FILE, 'recovery.key']) cpSync(join(folder, name), join(to, name))
  const sqlite = new Sqlite(join(to, DATABASE_FILE))
  sqlite.pragma('journal_mode = delete')
  const entries = sqlite.prepare('select count(*) from auditEntries').pluck().get()
  sqlite.close()
  const bytes = statSync(join(to, DATABASE_FILE)).size
  const manifest = { version: 1, madeAt: new Date(clock()).toISOString(), bytes, hasRecoveryKey: true, rows: { auditEntries: entries } }
  writeFileSync(join(to, 'backup.json'), JSON.stringify(manifest))
}

describe('the preview', () => {
  it('tells what opens it', async () => {
    using on = await stage()
    using bare = await stage({ hasRecoveryKey: false })
    const other = { dataKey: randomBytes(32) }
    expect(await previewBackup(on.from, on.own)).toMatchObject({ opensWith: 'own', fault: '', manifest: { rows: { auditEntries: 1 } } })
    expect(await previewBackup(on.from, other)).toMatchObject({ opensWith: 'recovery-key', fault: '' })
    expect(await previewBackup(on.from, { recoveryKey: on.recoveryKey })).toMatchObject({ opensWith: 'recovery-key', fault: '' })
    expect(await previewBackup(on.from, { recoveryKey: newRecoveryKey() })).toMatchObject({
      opensWith: 'recovery-key',
      fault: expect.stringMatching(/not the recovery key/),
    })
    expect(await previewBackup(bare.from, other)).toMatchObject({ opensWith: 'no', fault: expect.stringMatching(/no recovery key then/) })
    expect(await previewBackup(bare.from, { recoveryKey: newRecoveryKey() })).toMatchObject({ opensWith: 'no' })
  })

  it('tells the same of one of the first version, and changes nothing in it', async () => {
    using on = await stage()
    using to = tempFolder()
    const first = join(to.folder, 'first')
    firstVersion(on, first)
    const before = sha256(join(first, DATABASE_FILE))
    expect(await previewBackup(first, on.own)).toMatchObject({ opensWith: 'own', fault: '', manifest: { version: 1 } })
    expect(await previewBackup(first, { dataKey: randomBytes(32) })).toMatchObject({ opensWith: 'recovery-key', fault: '' })
    expect(readdirSync(first).sort()).toEqual(['backup.json', DATABASE_FILE, 'recovery.key'])
    expect(sha256(join(first, DATABASE_FILE))).toBe(before)
  })
})

describe('a restore', () => {
  it('puts the database of the back-up in its place, keeps aside what was there, and is done once', async () => {
    using on = await stage()
    const before = sha256(join(on.folder, DATABASE_FILE))
    const keyBefore = readFileSync(join(on.folder, 'data.key'))
    const restored = await restoreInto(on.folder, on.from, on.own)
    expect(restored).toEqual({ name: on.made.name, madeAt: on.made.madeAt, actor: 'user:usr_1', keptAside: ASIDE })
    expect(sha256(join(on.folder, ASIDE, DATABASE_FILE))).toBe(before)
    expect(existsSync(join(on.folder, 'restore'))).toBe(false)
    expect(readFileSync(join(on.folder, 'data.key')).equals(keyBefore)).toBe(true)
    expect(applyStagedRestore(on.folder, NOW + 1)).toBeUndefined()
    using store = on.reopen()
    expect(actions(store)).toEqual(['before'])
    expect(store.audit.verify()).toEqual({ isIntact: true, entries: 1 })
    expect(store.secrets.get('mail.password')).toBe('seven calm otters')
  })

  it('does not touch the database before it is applied, nor where it fails', async () => {
    using on = await stage()
    const before = sha256(join(on.folder, DATABASE_FILE))
    await stageRestore({ data: on.folder, from: on.from, key: on.own, actor: 'x', now: NOW, ...quiet })
    expect(sha256(join(on.folder, DATABASE_FILE))).toBe(before)
    truncateSync(join(on.from, 'database.sealed'), 1000)
    await expect(stageRestore({ data: on.folder, from: on.from, key: on.own, actor: 'x', now: NOW, ...quiet })).rejects.toThrow()
    // What was ready before is given up with it.
    expect(applyStagedRestore(on.folder, NOW)).toBeUndefined()
    expect(sha256(join(on.folder, DATABASE_FILE))).toBe(before)
  })

  it.skipIf(process.platform === 'win32')('does not touch the database on a full disk, and says so', async () => {
    using on = await stage()
    const before = sha256(join(on.folder, DATABASE_FILE))
    const restorer = join(import.meta.dirname, '../../../support/store-restorer.ts')
    const words = [process.execPath, restorer, on.folder, 'stage', on.from, on.recoveryKey].map((word) => `"${word}"`).join(' ')
    // Blocks of 512 or 1024 bytes, as the shell has it: less than the database either way.
    const ran = spawnSync('sh', ['-c', `ulimit -f 64; exec ${words}`], { encoding: 'utf8' })
    expect(ran.status).toBe(1)
    expect(ran.stderr).toMatch(/gateway\.sqlite could not be written: the file is larger than the disk/)
    expect(applyStagedRestore(on.folder, NOW)).toBeUndefined()
    expect(sha256(join(on.folder, DATABASE_FILE))).toBe(before)
    expect(existsSync(join(on.folder, 'restore', DATABASE_FILE))).toBe(false)
  })

  it('takes a log of the old database along, which must never be beside the new one', async () => {
    using on = await stage()
    for (const end of ['-wal', '-shm', '-journal']) writeFileSync(join(on.folder, `${DATABASE_FILE}${end}`), `old${end}`)
    await restoreInto(on.folder, on.from, on.own)
    expect(readdirSync(join(on.folder, ASIDE)).sort()).toEqual(
      [DATABASE_FILE, `${DATABASE_FILE}-journal`, `${DATABASE_FILE}-shm`, `${DATABASE_FILE}-wal`, 'restore.json'].sort(),
    )
    expect(readdirSync(on.folder).filter((name) => name.startsWith(`${DATABASE_FILE}-`))).toEqual([])
  })

  it('makes another PC the same with the recovery key alone, and nothing is kept aside there', async () => {
    using on = await stage()
    using other = tempFolder()
    const data = join(other.folder, 'data', 'of the clinic')
    expect(await restoreInto(data, on.from, { recoveryKey: on.recoveryKey })).toMatchObject({ keptAside: '' })
    expect(readFileSync(join(data, 'data.key')).equals(on.dataKey)).toBe(true)
    if (process.platform !== 'win32')
      for (const file of [DATABASE_FILE, 'data.key', 'recovery.key']) expect(statSync(join(data, file)).mode & 0o777).toBe(0o600)
    using store = on.reopen(data)
    expect(store.secrets.get('mail.password')).toBe('seven calm otters')
    expect(store.audit.verify()).toMatchObject({ isIntact: true })
    // The sheet in the drawer opens this one too.
    rmSync(join(data, 'data.key'))
    expect(recoverDataKey(data, DATABASE_FILE, on.recoveryKey)).toBe(true)
  })

  it('puts the keys of a PC that had another clinic aside, also one in a key store', async () => {
    using on = await stage()
    using other = await stage()
    writeFileSync(join(other.folder, 'data.key.sealed'), 'of the key store')
    const [keyBefore, recoveryBefore] = ['data.key', 'recovery.key'].map((file) => readFileSync(join(other.folder, file)))
    await restoreInto(other.folder, on.from, { recoveryKey: on.recoveryKey })
    expect(readFileSync(join(other.folder, ASIDE, 'data.key'))).toEqual(keyBefore)
    expect(readFileSync(join(other.folder, ASIDE, 'recovery.key'))).toEqual(recoveryBefore)
    expect(readFileSync(join(other.folder, ASIDE, 'data.key.sealed'), 'utf8')).toBe('of the key store')
    expect(existsSync(join(other.folder, 'data.key.sealed'))).toBe(false)
    using store = on.reopen(other.folder)
    expect(store.secrets.get('mail.password')).toBe('seven calm otters')
  })

  it('puts the data key back where it was lost', async () => {
    using on = await stage()
    rmSync(join(on.folder, 'data.key'))
    await restoreInto(on.folder, on.from, { recoveryKey: on.recoveryKey })
    using store = on.reopen()
    expect(store.secrets.get('mail.password')).toBe('seven calm otters')
  })

  it('leaves a newer recovery key in force, though the back-up knows nothing of it', async () => {
    using on = await stage({ hasRecoveryKey: false })
    const newer = newRecoveryKey()
    {
      using store = on.reopen()
      keepRecoveryProof(store.secrets)
      keepRecoveryKey(on.folder, wrapDataKey(store.seal, newer, NOW))
    }
    await restoreInto(on.folder, on.from, on.own)
    rmSync(join(on.folder, 'data.key'))
    expect(recoverDataKey(on.folder, DATABASE_FILE, newer)).toBe(true)
  })

  it('takes a back-up of the first version', async () => {
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
    expect(store.secrets.get('mail.password')).toBe('seven calm otters')
    await expect(openBackup({ from: first, to: join(to.folder, 'x'), key: { dataKey: randomBytes(32) }, ...quiet })).rejects.toMatchObject({
      fault: 'key-wrong',
    })
  })

  it('changes nothing where what was made ready is not whole any more, and says so once', async () => {
    using on = await stage()
    await stageRestore({ data: on.folder, from: on.from, key: on.own, actor: 'x', now: NOW, ...quiet })
    truncateSync(join(on.folder, 'restore', DATABASE_FILE), 100)
    const before = sha256(join(on.folder, DATABASE_FILE))
    expect(() => applyStagedRestore(on.folder, NOW)).toThrow(/nothing was changed; make the restore again/)
    expect(applyStagedRestore(on.folder, NOW)).toBeUndefined()
    expect(sha256(join(on.folder, DATABASE_FILE))).toBe(before)
    expect((await restoreInto(on.folder, on.from, on.own))?.keptAside).toBe(ASIDE)
  })

  it('keeps aside each time under a name of its own', async () => {
    using on = await stage()
    const names: (string | undefined)[] = []
    for (let round = 0; round < 3; round++) names.push((await restoreInto(on.folder, on.from, on.own))?.keptAside)
    expect(names).toEqual([ASIDE, `${ASIDE}-2`, `${ASIDE}-3`])
    for (const name of names) expect(existsSync(join(on.folder, name ?? '', DATABASE_FILE))).toBe(true)
  })

  it('spares the images that came after the back-up, which the database does not know any more', async () => {
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
    for await (const file of store.imageFiles.orphans(() => false)) orphans.push(file)
    expect(orphans.map((file) => file.split('/').at(-1))).toEqual([cutOff])
  })

  it('stops others from opening the folder between two files that it moves', async () => {
    using on = await stage()
    await stageRestore({ data: on.folder, from: on.from, key: on.own, actor: 'x', now: NOW, ...quiet })
    expect(() => refuseHalfRestored(on.folder)).not.toThrow()
    const order = join(on.folder, 'restore', 'restore.json')
    writeFileSync(order, JSON.stringify({ ...JSON.parse(readFileSync(order, 'utf8')), keptAside: ASIDE }))
    // As after a crash when the old database was moved.
    mkdirSync(join(on.folder, `${ASIDE}.part`))
    renameSync(join(on.folder, DATABASE_FILE), join(on.folder, `${ASIDE}.part`, DATABASE_FILE))
    expect(() => refuseHalfRestored(on.folder)).toThrow(/half put back/)
    await expect(stageRestore({ data: on.folder, from: on.from, key: on.own, actor: 'x', now: NOW, ...quiet })).rejects.toThrow(
      /half put back/,
    )
    expect(applyStagedRestore(on.folder, NOW + 5000)).toMatchObject({ keptAside: ASIDE })
    expect(() => refuseHalfRestored(on.folder)).not.toThrow()
    using store = on.reopen()
    expect(actions(store)).toEqual(['before'])
  })

  it('never moves a file that its order must not name', async () => {
    using on = await stage()
    await stageRestore({ data: on.folder, from: on.from, key: on.own, actor: 'x', now: NOW, ...quiet })
    const order = join(on.folder, 'restore', 'restore.json')
    const written = JSON.parse(readFileSync(order, 'utf8'))
    for (const change of [{ keptAside: '../elsewhere' }, { replaces: ['../../etc/passwd'] }, { brings: [{ file: '../x', bytes: 1 }] }]) {
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
    const name = quarantine(on.folder, NOW)
    expect(name).toBe('damaged-2026-03-11-080000Z')
    expect(readFileSync(join(on.folder, name, DATABASE_FILE), 'utf8')).toBe('damaged')
    expect(readFileSync(join(on.folder, name, `${DATABASE_FILE}-wal`), 'utf8')).toBe('its log')
    expect(existsSync(join(on.folder, DATABASE_FILE))).toBe(false)
    expect(existsSync(join(on.folder, 'data.key'))).toBe(true)
    expect(quarantine(on.folder, NOW)).toBe(`${name}-2`)
  })

  it('is finished by the next start where a crash interrupted it', async () => {
    using on = await stage()
    mkdirSync(join(on.folder, 'damaged-2026-03-11-080000Z.part'))
    expect(() => refuseHalfRestored(on.folder)).toThrow(/half put back/)
    expect(applyStagedRestore(on.folder, NOW)).toBeUndefined()
    expect(existsSync(join(on.folder, 'damaged-2026-03-11-080000Z', DATABASE_FILE))).toBe(true)
    expect(existsSync(join(on.folder, DATABASE_FILE))).toBe(false)
  })

  it('leaves a restore that is ready alone', async () => {
    using on = await stage()
    await stageRestore({ data: on.folder, from: on.from, key: on.own, actor: 'x', now: NOW, ...quiet })
    quarantine(on.folder, NOW)
    expect(applyStagedRestore(on.folder, NOW)).toMatchObject({ name: on.made.name, keptAside: '' })
    using store = on.reopen()
    expect(actions(store)).toEqual(['before'])
  })
})

it('keeps the key of a sealed back-up to itself: it is of the name and of the data key', async () => {
  using on = await stage()
  const key = sealWith(on.dataKey).keyFor(`backup ${on.made.name}`)
  expect(key).toHaveLength(32)
  for (const file of readdirSync(on.from)) expect(readFileSync(join(on.from, file)).includes(key)).toBe(false)
})
