import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { openContext } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { KEY_FILE } from '#server/database/data-key.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardBackups, dashboardRescue } from '#shared/contract/dashboard-backups.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { serving } from '../support/command-line.ts'
import {
  clinicWithBackup,
  DAMAGES,
  type Damage,
  digestOf,
  keptAside,
  OF_THE_KEY,
} from '../support/damaged-clinic.ts'
import { freePort } from '../support/free-port.ts'
import { OWNER, signIn } from '../support/gateway.ts'
import { imageOf, UID } from '../support/imaging-clinic.ts'
import { openModality } from '../support/modality.ts'
import { expectRestored, line, rescueOf, until } from '../support/rescue.ts'
import { removeDatabase, tempFolder } from '../support/temp-store.ts'

// `serve --rescue` as a clinic meets it: a process of its own, on a data folder that something has
// befallen.
vi.setConfig({ testTimeout: 240_000 })

it.each(Object.keys(DAMAGES) as Damage[])(
  'brings a clinic back from %s by its newest backup, and deletes nothing',
  async (damage) => {
    using temp = tempFolder()
    const clinic = await clinicWithBackup(temp.folder)
    DAMAGES[damage](clinic.folder)
    const damaged = digestOf(join(clinic.folder, DATABASE_FILE))

    // What `serve` refuses with, in one sentence.
    expect(() => openContext({ folder: clinic.folder })).toThrow(/^[^\n]+\.$/)

    await using serve = await serving(clinic.folder, '--rescue')
    const first = await line(serve, 1)
    expect(first).toMatchObject({ ready: true, rescue: true })
    expect(first.dimse).toBeUndefined()
    const call = rescueOf(first)
    const isOfKey = OF_THE_KEY.includes(damage)
    const from = {
      folder: clinic.backupFolder,
      name: clinic.backup.name,
      ...(isOfKey && { recoveryKey: clinic.recoveryKey }),
    }
    if (isOfKey)
      await expect(
        call(dashboardRescue.restore, { body: { ...from, recoveryKey: '' } }),
      ).rejects.toThrow('enter the recovery key')
    await call(dashboardRescue.restore, { body: from })

    const second = await line(serve, 2)
    expect(second.rescue).toBeUndefined()
    await expectRestored(second, clinic)
    const [aside, ...more] = keptAside(clinic.folder)
    expect(more).toEqual([])
    expect(digestOf(join(clinic.folder, aside ?? '', DATABASE_FILE))).toBe(damaged)
    expect(await serve.end('SIGTERM')).toBe(0)
    expect(serve.stderr.join('')).not.toContain(new URL(first.link ?? '').hash.slice(7))

    // As any other folder from now on.
    using context = openContext({ folder: clinic.folder })
    expect(listDevices(context.database)).toHaveLength(1)
  },
)

it('puts a lost data key back and loses nothing', async () => {
  using temp = tempFolder()
  const clinic = await clinicWithBackup(temp.folder)
  DAMAGES['no data key'](clinic.folder)
  await using serve = await serving(clinic.folder, '--rescue')
  await rescueOf(await line(serve, 1))(dashboardRescue.recoverKey, {
    body: { recoveryKey: clinic.recoveryKey },
  })
  const call = await signIn((await line(serve, 2)).http)
  expect((await call(dashboard.devices, {})).devices.map(({ aeTitle }) => aeTitle)).toEqual([
    'CT1',
    'CT2',
  ])
  expect(keptAside(clinic.folder)).toEqual([])
})

it('does not begin anew where the database is gone: its newest backup brings the clinic back', async () => {
  using temp = tempFolder()
  const clinic = await clinicWithBackup(temp.folder)
  removeDatabase(clinic.folder)
  await using serve = await serving(clinic.folder, '--rescue')
  const first = await line(serve, 1)
  expect(first).toMatchObject({ ready: true, rescue: true })
  const body = { folder: clinic.backupFolder, name: clinic.backup.name }
  await rescueOf(first)(dashboardRescue.restore, { body })
  await expectRestored(await line(serve, 2), clinic)
})

it('stops while it waits for a person, and refuses devices the connection', async () => {
  using temp = tempFolder()
  const clinic = await clinicWithBackup(temp.folder)
  DAMAGES['a file cut off'](clinic.folder)
  const port = await freePort()
  await using serve = await serving(clinic.folder, '--rescue', '--dimse', `127.0.0.1:${port}`)
  await line(serve, 1)
  await expect(connected(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  expect(await serve.end('SIGTERM')).toBe(0)
})

it('puts a backup back from the window of a running gateway, which starts again in the same process', async () => {
  using temp = tempFolder()
  const clinic = await clinicWithBackup(temp.folder)
  await using serve = await serving(clinic.folder)
  const call = await signIn((await line(serve, 1)).http)
  const { name } = clinic.backup
  const preview = await call(dashboardBackups.previewRestore, { body: { name } })
  expect(preview.rows).toContainEqual({ table: 'devices', inBackup: 1, now: 2 })
  await expect(
    call(dashboardBackups.restore, { body: { name, password: 'not this one' } }),
  ).rejects.toThrow('not your password')
  await call(dashboardBackups.restore, { body: { name, password: OWNER.password } })
  const second = await line(serve, 2)
  const restored = await expectRestored(second, clinic)
  expect((await restored(dashboardBackups.restoreState, {})).phase).toBe('none')
  expect(serve.child.exitCode).toBeNull()
  expect(await serve.end('SIGTERM')).toBe(0)
})

it('takes images in again that came after the backup', async () => {
  using temp = tempFolder()
  const clinic = await clinicWithBackup(temp.folder)
  await using serve = await serving(clinic.folder)
  const call = await signIn((await line(serve, 1)).http)
  await using modality = await openModality(serve.dimsePort, { callingAeTitle: 'CT1' })
  for (const number of [1, 2])
    expect(await modality.store(imageOf(number))).toMatchObject({ status: '0000' })
  await modality.release()
  const before = await call(dashboardImages.read, { params: { studyInstanceUid: UID } })
  const { name } = clinic.backup
  await call(dashboardBackups.restore, { body: { name, password: OWNER.password } })
  const restored = await expectRestored(await line(serve, 2), clinic)
  await until(async () => {
    const { instances, seriesList } = await restored(dashboardImages.read, {
      params: { studyInstanceUid: UID },
    })
    // They came a second time.
    const same = before.seriesList.map(({ lastInstanceAt: _, ...series }) =>
      expect.objectContaining(series),
    )
    expect([instances, seriesList]).toEqual([2, same])
  })
})

it('moves a clinic to a new PC: its backups and its recovery key are all that is needed', async () => {
  using temp = tempFolder()
  using other = tempFolder()
  const old = await clinicWithBackup(temp.folder)
  const fresh = await clinicWithBackup(other.folder)
  const keyBefore = digestOf(join(fresh.folder, KEY_FILE))
  await using serve = await serving(fresh.folder)
  const call = await signIn((await line(serve, 1)).http)
  const body = {
    folder: old.backupFolder,
    name: old.backup.name,
    recoveryKey: old.recoveryKey,
    password: OWNER.password,
  }
  await call(dashboardBackups.restore, { body })
  await expectRestored(await line(serve, 2), old)
  expect(digestOf(join(fresh.folder, KEY_FILE))).not.toBe(keyBefore)
  expect(digestOf(join(fresh.folder, keptAside(fresh.folder)[0] ?? '', KEY_FILE))).toBe(keyBefore)
})

function connected(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.destroy()
      resolve()
    })
  })
}
