import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listBackups, makeBackup } from '#gateway/store/backup.ts'
import { checkCopy } from '#gateway/store/backup-check.ts'
import { keepRecoveryKey, keepRecoveryProof, newRecoveryKey, recoverDataKey, wrapDataKey } from '#gateway/store/recovery-key.ts'
import { openStore } from '#gateway/store/store.ts'
import { tempFolder, tempStore } from '../../../support/temp-store.ts'

const NAME = 'isthmus-2026-03-10-090000Z'

it('copies the database and the recovery key, never data.key, and says what it is', async () => {
  using temp = tempStore()
  using target = tempFolder()
  const { store, folder, clock } = temp
  const seen: string[] = []
  keepRecoveryProof(store.secrets)
  keepRecoveryKey(folder, wrapDataKey(folder, newRecoveryKey(), clock()))
  store.audit.append({ actor: 'gateway', action: 'test', target: 'x', detail: {} })
  const made = await makeBackup(store, { folder: target.folder, now: clock(), onProgress: ({ phase }) => void seen.push(phase) })
  expect(made).toMatchObject({ name: NAME, madeAt: '2026-03-10T09:00:00.000Z', hasRecoveryKey: true, rows: { auditEntries: 1, users: 0 } })
  expect(readdirSync(target.folder)).toEqual([NAME])
  expect(readdirSync(join(target.folder, NAME)).sort()).toEqual(['backup.json', 'gateway.sqlite', 'recovery.key'])
  expect(new Set(seen)).toEqual(new Set(['copying', 'checking']))
  expect(await listBackups(target.folder, 20)).toEqual([made].map(({ ...rest }) => ({ ...rest, version: 1 })))
})

it('makes a back-up that opens in a new folder with the recovery key alone', async () => {
  using temp = tempStore()
  using target = tempFolder()
  using elsewhere = tempFolder()
  const { store, folder, clock, uuid } = temp
  const recoveryKey = newRecoveryKey()
  store.secrets.set('mail.password', 'seven calm otters')
  keepRecoveryProof(store.secrets)
  keepRecoveryKey(folder, wrapDataKey(folder, recoveryKey, clock()))
  await makeBackup(store, { folder: target.folder, now: clock(), onProgress: () => {} })
  cpSync(join(target.folder, NAME), elsewhere.folder, { recursive: true })
  expect(recoverDataKey(elsewhere.folder, 'gateway.sqlite', recoveryKey)).toBe(true)
  using opened = openStore({ folder: elsewhere.folder, clock, uuid })
  expect(opened.secrets.get('mail.password')).toBe('seven calm otters')
  expect(opened.audit.verify()).toMatchObject({ isIntact: true })
})

it('is whole though the gateway writes while it is made', async () => {
  using temp = tempStore()
  using target = tempFolder()
  const { store, clock } = temp
  // Some megabytes, so that the copy takes several turns.
  store.database.transaction(() => {
    for (let at = 0; at < 3000; at++)
      store.audit.append({ actor: 'gateway', action: 'test', target: String(at), detail: { text: 'x'.repeat(2000) } })
  })
  let written = 0
  const made = await makeBackup(store, {
    folder: target.folder,
    now: clock(),
    onProgress({ phase }) {
      if (phase === 'copying') store.audit.append({ actor: 'gateway', action: 'meanwhile', target: String(written++), detail: {} })
    },
  })
  expect(written).toBeGreaterThan(3)
  expect(made.rows.auditEntries).toBe(3000 + written)
})

it('leaves nothing behind, and says why, where it cannot be written', async () => {
  using temp = tempStore()
  using target = tempFolder()
  const file = join(target.folder, 'file')
  writeFileSync(file, 'no folder')
  const options = { now: temp.clock(), onProgress: () => {} }
  await expect(makeBackup(temp.store, { folder: file, ...options })).rejects.toThrow(/could not be written to/)
  expect(readdirSync(target.folder)).toEqual(['file'])
})

it('gives up a copy that is damaged', async () => {
  using target = tempFolder()
  const file = join(target.folder, 'gateway.sqlite')
  writeFileSync(file, 'this is no database at all, whoever says so')
  await expect(checkCopy(file, ['users'])).rejects.toThrow(/not whole/)
})

it('lists what is finished and ours, newest first', async () => {
  using temp = tempStore()
  using target = tempFolder()
  mkdirSync(join(target.folder, 'isthmus-2026-01-01-000000Z.part'))
  mkdirSync(join(target.folder, 'holiday pictures'))
  mkdirSync(join(target.folder, 'isthmus-2026-01-02-000000Z'))
  for (const hour of [1, 2]) {
    await makeBackup(temp.store, { folder: target.folder, now: temp.clock() + hour * 3_600_000, onProgress: () => {} })
  }
  expect((await listBackups(target.folder, 20)).map(({ name }) => name)).toEqual([
    'isthmus-2026-03-10-110000Z',
    'isthmus-2026-03-10-100000Z',
  ])
  expect((await listBackups(target.folder, 1)).length).toBe(1)
  await expect(listBackups(join(target.folder, 'none'), 20)).rejects.toThrow(/cannot be read/)
  expect(readFileSync(join(target.folder, 'isthmus-2026-03-10-100000Z', 'backup.json'), 'utf8')).not.toMatch(/data\.key/)
})

it('removes what an interrupted one left behind a day ago, and nothing that another gateway may be writing', async () => {
  using temp = tempStore()
  using target = tempFolder()
  const [old, young] = ['isthmus-2026-03-08-090000Z.part', 'isthmus-2026-03-10-083000Z.part']
  for (const name of [old, young, 'somebody.part']) mkdirSync(join(target.folder, name))
  writeFileSync(join(target.folder, old, 'gateway.sqlite'), 'half of it')
  await makeBackup(temp.store, { folder: target.folder, now: temp.clock(), onProgress: () => {} })
  expect(readdirSync(target.folder).sort()).toEqual([young, NAME, 'somebody.part'])
})
