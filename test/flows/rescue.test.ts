import { cpSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { KEY_FILE } from '#gateway/store/data-key.ts'
import { DATABASE_FILE } from '#gateway/store/store.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardRescue, dashboardUpkeep } from '#shared/contract/dashboard-upkeep.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { isthmus, type Serving, serving } from '../support/command-line.ts'
import { type Clinic, clinicWithBackup, DAMAGES, type Damage, digestOf, keptAside, OF_THE_KEY } from '../support/damaged-clinic.ts'
import { freePort } from '../support/free-port.ts'
import { callerOf, OWNER, type StartedGateway, signIn } from '../support/gateway.ts'
import { OWN_PAGE } from '../support/http-call.ts'
import { imageOf, UID } from '../support/imaging-clinic.ts'
import { openModality } from '../support/modality.ts'
import { tempFolder } from '../support/temp-store.ts'

// `serve --rescue` as a clinic meets it: a process of its own, on a data folder that something has befallen.
vi.setConfig({ testTimeout: 240_000 })

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 20 })

interface Line {
  readonly http: string
  readonly link?: string
  readonly rescue?: boolean
  readonly dimse?: string
}

/** The line on standard output that says where something serves, of the life with this number. */
async function line(serve: Serving, life: number): Promise<Line> {
  await until(() => expect(serve.stdout.length, serve.stderr.join('\n')).toBeGreaterThanOrEqual(life))
  return JSON.parse(serve.stdout[life - 1] ?? '') as Line
}

function rescueOf({ http, link }: Line): StartedGateway['call'] {
  const token = new URL(link ?? '').hash.replace('#token=', '')
  return callerOf(http, { ...OWN_PAGE, authorization: `Bearer ${token}` })
}

/** The gateway has the back-up: CT1 was in it, CT2 came after it. */
async function expectRestored({ http }: Line, { backup }: Clinic): Promise<StartedGateway['call']> {
  const call = await signIn(http)
  const devices = await call(dashboard.devices, {})
  expect(devices.devices.map(({ aeTitle }) => aeTitle)).toEqual(['CT1'])
  const { entries } = await call(dashboard.audit, { query: {} })
  const entry = entries.find(({ action }) => action === 'database.restore')
  expect(entry).toMatchObject({ actor: 'gateway', target: backup.name })
  const { isIntact } = await call(dashboard.verifyAudit, {})
  expect(isIntact).toBe(true)
  return call
}

it.each(Object.keys(DAMAGES) as Damage[])('brings a clinic back from %s by its newest back-up, and deletes nothing', async (damage) => {
  using temp = tempFolder()
  const clinic = await clinicWithBackup(temp.folder)
  DAMAGES[damage](clinic.folder)
  const damaged = digestOf(join(clinic.folder, DATABASE_FILE))

  const refused = await isthmus(['serve', '--data', clinic.folder])
  expect([refused.exitCode, refused.stdout, refused.stderr.trim().split('\n')]).toEqual([1, '', [expect.stringMatching(/\.$/)]])

  await using serve = await serving(clinic.folder, '--rescue')
  const first = await line(serve, 1)
  expect(first).toMatchObject({ ready: true, rescue: true })
  expect(first.dimse).toBeUndefined()
  const call = rescueOf(first)
  const isOfKey = OF_THE_KEY.includes(damage)
  const from = { folder: clinic.backupFolder, name: clinic.backup.name, ...(isOfKey && { recoveryKey: clinic.recoveryKey }) }
  if (isOfKey) await expect(call(dashboardRescue.restore, { body: { ...from, recoveryKey: '' } })).rejects.toThrow('type the recovery key')
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
  await using again = await serving(clinic.folder, '--rescue')
  expect((await line(again, 1)).rescue).toBeUndefined()
})

it('puts a lost data key back and loses nothing', async () => {
  using temp = tempFolder()
  const clinic = await clinicWithBackup(temp.folder)
  DAMAGES['no data key'](clinic.folder)
  await using serve = await serving(clinic.folder, '--rescue')
  await rescueOf(await line(serve, 1))(dashboardRescue.recoverKey, { body: { recoveryKey: clinic.recoveryKey } })
  const call = await signIn((await line(serve, 2)).http)
  expect((await call(dashboard.devices, {})).devices.map(({ aeTitle }) => aeTitle)).toEqual(['CT1', 'CT2'])
  expect(keptAside(clinic.folder)).toEqual([])
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

// While it is made ready, and while it takes the place of the database.
const MOMENTS = [
  { after: 'asked', waitMs: 0 },
  { after: 'asked', waitMs: 30 },
  { after: 'asked', waitMs: 150 },
  { after: 'starting again', waitMs: 0 },
  { after: 'starting again', waitMs: 15 },
] as const

it('comes back from a SIGKILL at any moment of a restore, with the damaged database or the restored one', {
  timeout: 400_000,
}, async () => {
  using temp = tempFolder()
  const made = await clinicWithBackup(temp.folder)
  DAMAGES['pages overwritten in the middle'](made.folder)
  const damaged = digestOf(join(made.folder, DATABASE_FILE))
  const body = { folder: made.backupFolder, name: made.backup.name }
  for (const [index, { after, waitMs }] of MOMENTS.entries()) {
    const clinic = { ...made, folder: join(temp.folder, `data-${index}`) }
    cpSync(made.folder, clinic.folder, { recursive: true })
    {
      await using serve = await serving(clinic.folder, '--rescue')
      await rescueOf(await line(serve, 1))(dashboardRescue.restore, { body })
      if (after !== 'asked') await until(() => expect(serve.stderr.some((text) => text.includes(`"${after}"`))).toBe(true))
      await wait(waitMs)
      await serve.end('SIGKILL')
    }
    await using serve = await serving(clinic.folder, '--rescue')
    const first = await line(serve, 1)
    if (first.rescue) {
      expect(digestOf(join(clinic.folder, DATABASE_FILE))).toBe(damaged)
      await rescueOf(first)(dashboardRescue.restore, { body })
    }
    await expectRestored(await line(serve, first.rescue ? 2 : 1), clinic)
    expect(keptAside(clinic.folder).map((aside) => digestOf(join(clinic.folder, aside, DATABASE_FILE)))).toEqual([damaged])
  }
})

it('puts a back-up back from the window of a running gateway, which starts again in the same process', async () => {
  using temp = tempFolder()
  const clinic = await clinicWithBackup(temp.folder)
  await using serve = await serving(clinic.folder)
  const call = await signIn((await line(serve, 1)).http)
  const { name } = clinic.backup
  const preview = await call(dashboardUpkeep.previewRestore, { body: { name } })
  expect(preview.rows).toContainEqual({ table: 'devices', inBackup: 1, now: 2 })
  await expect(call(dashboardUpkeep.restore, { body: { name, password: 'not this one' } })).rejects.toThrow('not your password')
  await call(dashboardUpkeep.restore, { body: { name, password: OWNER.password } })
  const second = await line(serve, 2)
  const restored = await expectRestored(second, clinic)
  expect((await restored(dashboardUpkeep.restoreState, {})).phase).toBe('none')
  expect(serve.child.exitCode).toBeNull()
  expect(await serve.end('SIGTERM')).toBe(0)
})

it('takes images in again that came after the back-up', async () => {
  using temp = tempFolder()
  const clinic = await clinicWithBackup(temp.folder)
  await using serve = await serving(clinic.folder)
  const call = await signIn((await line(serve, 1)).http)
  await using modality = await openModality(serve.dimsePort, { callingAeTitle: 'CT1' })
  for (const number of [1, 2]) expect(await modality.store(imageOf(number))).toMatchObject({ status: '0000' })
  await modality.release()
  const before = await call(dashboardImages.read, { params: { studyInstanceUid: UID } })
  const { name } = clinic.backup
  await call(dashboardUpkeep.restore, { body: { name, password: OWNER.password } })
  const restored = await expectRestored(await line(serve, 2), clinic)
  await until(async () => {
    const { instances, seriesList } = await restored(dashboardImages.read, { params: { studyInstanceUid: UID } })
    // They came a second time.
    const same = before.seriesList.map(({ lastInstanceAt: _, ...series }) => expect.objectContaining(series))
    expect([instances, seriesList]).toEqual([2, same])
  })
})

it('moves a clinic to a new PC: its back-ups and its recovery key are all that is needed', async () => {
  using temp = tempFolder()
  using other = tempFolder()
  const old = await clinicWithBackup(temp.folder)
  const fresh = await clinicWithBackup(other.folder)
  const keyBefore = digestOf(join(fresh.folder, KEY_FILE))
  await using serve = await serving(fresh.folder)
  const call = await signIn((await line(serve, 1)).http)
  const body = { folder: old.backupFolder, name: old.backup.name, recoveryKey: old.recoveryKey, password: OWNER.password }
  await call(dashboardUpkeep.restore, { body })
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
