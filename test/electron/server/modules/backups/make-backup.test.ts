import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { keepRecoveryKey, newRecoveryKey, wrapDataKey } from '#server/database/recovery-key.ts'
import { checkCopy } from '#server/modules/backups/backup-check.ts'
import { listBackups, makeBackup, removeBackup } from '#server/modules/backups/make-backup.ts'
import { openBackup } from '#server/modules/backups/open-backup.ts'
import { storeRecoveryProof } from '#server/modules/backups/recovery-key-setup.ts'
import { needing } from '../../../../support/needs.ts'
import { tempFolder, tempStore } from '../../../../support/temp-store.ts'

const NAME = 'isthmus-2026-03-10-090000Z'
const FILES = ['backup.json', 'database.sealed']

/** A store, a folder for its backups, and one made at the time of the clock. */
function stage() {
  const temp = tempStore()
  const target = tempFolder()
  const make = (onProgress?: Parameters<typeof makeBackup>[4], folder = target.folder) =>
    makeBackup(temp.store, folder, 'by-hand', '1.2.3', onProgress)
  return {
    ...{ ...temp, target: target.folder, make },
    [Symbol.dispose]() {
      temp[Symbol.dispose]()
      target[Symbol.dispose]()
    },
  }
}

describe('a backup', () => {
  it('is the sealed database and the recovery key, never data.key, and says what it is', async () => {
    using on = stage()
    const { store, folder, clock } = on
    const seen: string[] = []
    storeRecoveryProof(store)
    keepRecoveryKey(folder, wrapDataKey(store.database.seal, newRecoveryKey(), clock()))
    store.audit.append({ actor: 'gateway', action: 'test', target: 'x', detail: {} })
    const made = await on.make(({ phase }) => void seen.push(phase))
    expect(made).toMatchObject({
      ...{
        name: NAME,
        version: 2,
        madeAt: '2026-03-10T09:00:00.000Z',
        kind: 'by-hand',
        program: '1.2.3',
        schema: MIGRATIONS.length,
      },
      ...{ hasRecoveryKey: true, rows: { auditEntries: 1, users: 0 } },
    })
    expect(readdirSync(on.target)).toEqual([NAME])
    expect(readdirSync(join(on.target, NAME)).sort()).toEqual([...FILES, 'recovery.key'])
    expect(made.bytes).toBe(
      readdirSync(join(on.target, NAME)).reduce(
        (sum, file) => sum + statSync(join(on.target, NAME, file)).size,
        0,
      ),
    )
    expect([...new Set(seen)]).toEqual(['copying', 'checking', 'encrypting', 'comparing'])
    expect(await listBackups(on.target)).toEqual([made])
    expect(readdirSync(join(folder, 'spool-backup'))).toEqual([])
  })

  it('has nothing of the database in the clear, and not the data key', async () => {
    using on = stage()
    on.store.settings.set('clinic.name', 'Radiology at the Isthmus')
    await on.make()
    const dataKey = readFileSync(join(on.folder, 'data.key'))
    for (const file of FILES) {
      const bytes = readFileSync(join(on.target, NAME, file))
      for (const word of [
        'Radiology',
        'SQLite format',
        dataKey,
        dataKey.toString('hex'),
        dataKey.toString('base64'),
      ])
        expect(bytes.includes(word)).toBe(false)
      if (process.platform !== 'win32')
        expect(statSync(join(on.target, NAME, file)).mode & 0o777).toBe(0o600)
    }
  })

  it('is whole though the gateway writes while it is made', async () => {
    using on = stage()
    using opened = tempFolder()
    const { store } = on
    // Some megabytes, so that the copy takes several turns.
    store.database.transaction(() => {
      for (let at = 0; at < 3000; at++)
        store.audit.append({
          actor: 'gateway',
          action: 'test',
          target: String(at),
          detail: { text: 'x'.repeat(2000) },
        })
    })
    let written = 0
    const made = await on.make(({ phase }) => {
      if (phase === 'copying')
        store.audit.append({
          actor: 'gateway',
          action: 'meanwhile',
          target: String(written++),
          detail: {},
        })
    })
    expect(written).toBeGreaterThan(3)
    expect(made.rows.auditEntries).toBe(3000 + written)
    const key = { dataKey: store.database.seal.exportKey() }
    await openBackup(join(on.target, NAME), opened.folder, key)
    expect(statSync(join(opened.folder, 'gateway.sqlite')).size).toBe(made.plainBytes)
  })

  it('leaves nothing behind, and says why, where it cannot be written', async () => {
    using on = stage()
    const file = join(on.target, 'file')
    writeFileSync(file, 'no folder')
    await expect(on.make(undefined, file)).rejects.toThrow(
      /The backup could not be written to .*file: /,
    )
    await expect(on.make(undefined, join(on.target, 'none'))).rejects.toThrow(
      /none: it does not exist/,
    )
    expect(readdirSync(on.target)).toEqual(['file'])
    expect(existsSync(join(on.folder, 'spool-backup', NAME))).toBe(false)
  })

  it('leaves nothing behind on a full disk, and says so', needing('posix'), () => {
    using temp = tempFolder()
    const writer = join(import.meta.dirname, '../../../../support/limited-backup.ts')
    const ran = spawnSync(process.execPath, [writer, temp.folder, '--fill'], { encoding: 'utf8' })
    expect(ran.status).toBe(0)
    const limited = spawnSync(
      'sh',
      ['-c', `ulimit -f 1024; exec "${process.execPath}" "${writer}" "${temp.folder}"`],
      { encoding: 'utf8' },
    )
    const { fault, message } = JSON.parse(limited.stdout)
    expect(fault).toBe('bad-folder')
    expect(message).toMatch(/^The database could not be copied to .*: .*(disk|larger)/)
    expect(readdirSync(join(temp.folder, 'backups'))).toEqual([])
    expect(readdirSync(join(temp.folder, 'data', 'spool-backup'))).toEqual([])
  })

  it('is given up where the disk returns other bytes than were written', async () => {
    using on = stage()
    const sealed = join(on.target, `${NAME}.part`, 'database.sealed')
    const making = on.make(({ phase, share }) => {
      if (phase !== 'encrypting' || share < 1) return
      const bytes = readFileSync(sealed)
      bytes[5000] = (bytes[5000] ?? 0) ^ 1
      writeFileSync(sealed, bytes)
    })
    await expect(making).rejects.toThrow(/database\.sealed is damaged/)
    expect(readdirSync(on.target)).toEqual([])
    expect(readdirSync(join(on.folder, 'spool-backup'))).toEqual([])
  })

  it('is not made twice in a second', async () => {
    using on = stage()
    await on.make()
    await expect(on.make()).rejects.toThrow(
      /already contains a backup that was made in this same second/,
    )
    expect((await listBackups(on.target)).map(({ name }) => name)).toEqual([NAME])
  })

  it('is given up where the copy is damaged', async () => {
    using target = tempFolder()
    const file = join(target.folder, 'gateway.sqlite')
    writeFileSync(file, 'this is no database at all, whoever says so')
    await expect(checkCopy(file, ['users'])).rejects.toThrow(/is damaged or incomplete/)
  })
})

describe('the list', () => {
  it('has what is finished and ours, newest first', async () => {
    using on = stage()
    mkdirSync(join(on.target, 'isthmus-2026-01-01-000000Z.part'))
    mkdirSync(join(on.target, 'holiday pictures'))
    mkdirSync(join(on.target, 'isthmus-2026-01-02-000000Z'))
    for (const hour of [1, 2])
      await makeBackup(
        { ...on.store, clock: () => on.clock() + hour * 3_600_000 },
        on.target,
        'scheduled',
        '1.2.3',
      )
    expect((await listBackups(on.target)).map(({ name }) => name)).toEqual([
      'isthmus-2026-03-10-110000Z',
      'isthmus-2026-03-10-100000Z',
    ])
    await expect(listBackups(join(on.target, 'none'))).rejects.toThrow(/cannot be read/)
    expect(
      readFileSync(join(on.target, 'isthmus-2026-03-10-100000Z', 'backup.json'), 'utf8'),
    ).not.toMatch(/data\.key/)
  })

  it('has those of the first version, whose database is not sealed', async () => {
    using on = stage()
    const folder = join(on.target, NAME)
    mkdirSync(folder)
    await on.store.database.backup(join(folder, 'gateway.sqlite'), () => {})
    const madeAt = '2026-03-10T09:00:00.000Z'
    writeFileSync(
      join(folder, 'backup.json'),
      JSON.stringify({
        version: 1,
        madeAt,
        bytes: 4711,
        hasRecoveryKey: false,
        rows: { users: 0 },
      }),
    )
    const [made] = await listBackups(on.target)
    expect(made).toMatchObject({
      version: 1,
      name: NAME,
      kind: 'by-hand',
      schema: MIGRATIONS.length,
      plainBytes: 4711,
      program: '',
      sha256: '',
    })
  })
})

describe('removing', () => {
  it('removes one by its name, and nothing else', async () => {
    using on = stage()
    await on.make()
    mkdirSync(join(on.target, 'holiday pictures'))
    expect(await removeBackup(on.target, 'isthmus-2026-03-10-090001Z')).toBe(false)
    for (const name of ['holiday pictures', '../x', '.', ''])
      expect(await removeBackup(on.target, name)).toBe(false)
    expect(await removeBackup(on.target, NAME)).toBe(true)
    expect(readdirSync(on.target)).toEqual(['holiday pictures'])
  })

  it('removes what an interrupted one left behind a day ago, and nothing that another gateway may be writing', async () => {
    using on = stage()
    const [old, young] = ['isthmus-2026-03-08-090000Z.part', 'isthmus-2026-03-10-083000Z.part']
    for (const name of [old, young, 'somebody.part']) mkdirSync(join(on.target, name))
    writeFileSync(join(on.target, old, 'database.sealed'), 'half of it')
    await on.make()
    expect(readdirSync(on.target).sort()).toEqual([young, NAME, 'somebody.part'])
  })
})
