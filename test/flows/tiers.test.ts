import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { openContext } from '#server/context.ts'
import { acquireLock } from '#server/database/lock.ts'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import { runWithLock } from '#server/modules/control/commands.ts'
import { readInstances, SELECT_INSTANCES } from '#server/modules/images/instance-queries.ts'
import { dashboardErasures } from '#shared/contract/erasure.ts'
import { dashboardLifecycle } from '#shared/contract/lifecycle.ts'
import { dashboardTiers, type S3Settings, type Tier } from '#shared/contract/tiers.ts'
import { dashboardViews, View } from '#shared/contract/viewing.ts'
import { englishText } from '#shared/messages/english.ts'
import { viewPaths } from '#shared/view-paths.ts'
import { isthmus } from '../support/command-line.ts'
import { freePort } from '../support/free-port.ts'
import { OWNER, type StartedGateway, sessionHeaders } from '../support/gateway.ts'
import { httpCall, OWN_PAGE } from '../support/http-call.ts'
import { type InstanceFile, writeInstance } from '../support/instance-file.ts'
import { openModality } from '../support/modality.ts'
import type { TestStore } from '../support/object-store.ts'
import {
  eraseStudy,
  openObjectStore,
  openStoredArchive,
  type StoredArchive,
} from '../support/stored-archive.ts'
import { dataSetIn, partsIn } from './dicomweb-fixture.ts'

// An archive whose images are copied to an object store, and fetched from it when they are asked
// for.

const STUDY = '2.25.100'

const madeInstances = (count: number): InstanceFile[] => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-tiers-'))
  return Array.from({ length: count }, (_, at) =>
    writeInstance(folder, {
      sopInstanceUid: `2.25.100.1.${at + 1}`,
      more: { InstanceNumber: String(at + 1) },
    }),
  )
}

const SIDE = 256
const SOP = '2.25.100.1.1'

const oneFrame = (size: number): InstanceFile =>
  writeInstance(mkdtempSync(join(tmpdir(), 'isthmus-tiers-')), { sopInstanceUid: SOP, size })

/** What a store waits for that breaks off within an object. */
function brokenOff(): Promise<never> {
  const broken = Promise.reject(new Error('broken off'))
  broken.catch(() => undefined)
  return broken
}

/** An image of two frames. */
function twoFrames(): InstanceFile {
  const made = writeInstance(mkdtempSync(join(tmpdir(), 'isthmus-tiers-')), {
    ...{ sopInstanceUid: SOP, size: SIDE, more: { NumberOfFrames: '2' } },
  })
  const file = readFileSync(made.path)
  const pixels = file.subarray(file.length - SIDE * SIDE * 2)
  file.writeUInt32LE(pixels.length * 2, file.length - pixels.length - 4)
  writeFileSync(made.path, Buffer.concat([file, pixels]))
  return { ...made, dataSet: Buffer.concat([made.dataSet, pixels]) }
}

/** Copies all images to a tier in the store. */
async function migrated(gateway: StartedGateway, store: TestStore): Promise<string> {
  const { tierId } = await gateway.call(dashboardTiers.add, { body: store.tier() })
  await gateway.call(dashboardTiers.migrate, { params: { tierId } })
  await until(async () => expect((await tierOf(gateway)).migration?.state).toBe('done'))
  return tierId
}

/** An archive with an image that has a copy in each of two stores, and is no longer on the PC. */
async function openTwoCopies(file: InstanceFile) {
  const stores = [await openObjectStore(), await openObjectStore()] as const
  const clinic = await openStoredArchive([file])
  const { call } = clinic.archive.gateway
  for (const [index, store] of stores.entries()) {
    const body = store.tier({ name: `Store ${index + 1}` })
    const { tierId } = await call(dashboardTiers.add, { body })
    await call(dashboardTiers.migrate, { params: { tierId } })
    await until(async () => {
      const { tiers } = await call(dashboardTiers.list, {})
      expect(tiers.find((tier) => tier.tierId === tierId)?.migration?.state).toBe('done')
    })
  }
  await clinic.withoutFiles()
  return { stores, clinic }
}

/** Opens the study in the viewer of a signed-in user. */
async function openView({ archive }: StoredArchive) {
  const { http } = archive.gateway
  const window = await sessionHeaders(http, OWNER)
  const opened = await httpCall(`${http}${dashboardViews.open.path}`, {
    ...{ method: 'POST', headers: window, json: { studyInstanceUid: STUDY } },
  })
  const [cookie = ''] = opened.headers['set-cookie']?.[0]?.split(';') ?? []
  const headers = { ...OWN_PAGE, cookie }
  const { viewId } = View.parse(opened.json)
  return {
    frame: (number: number) => fetch(`${http}${viewPaths.frame(viewId, SOP, number)}`, { headers }),
    list: () => fetch(`${http}${viewPaths.images(viewId)}`, { headers }),
  }
}

/** Holds the responses of the store to written objects until `rest` is resolved. */
function holdWritten(store: TestStore) {
  const written = Promise.withResolvers<void>()
  const rest = Promise.withResolvers<void>()
  store.intervene({
    async after(method) {
      if (method !== 'PUT') return
      written.resolve()
      await rest.promise
    },
  })
  return { written, rest }
}

const until = <T>(check: () => T | Promise<T>) =>
  vi.waitFor(check, { timeout: 20_000, interval: 50 })

const tierOf = async ({ call }: StartedGateway): Promise<Tier> => {
  const { tiers } = await call(dashboardTiers.list, {})
  return tiers[0] as Tier
}

it('copies an archive to an object store, verifies it, and fetches what is no longer on the PC', async () => {
  const store = await openObjectStore()
  const files = madeInstances(5)
  const clinic = await openStoredArchive(files)
  const { gateway } = clinic.archive
  const { tierId } = await gateway.call(dashboardTiers.add, { body: store.tier() })
  const tested = await gateway.call(dashboardTiers.test, { params: { tierId } })
  expect(tested).toMatchObject({ success: true, message: { code: 'tiers.test-passed' } })

  await gateway.call(dashboardTiers.migrate, { params: { tierId } })
  await until(async () => {
    const { migration, stored, waiting } = await tierOf(gateway)
    expect(migration).toMatchObject({ state: 'done', totalInstances: 5, doneInstances: 5 })
    expect({ stored: stored.instances, waiting }).toEqual({ stored: 5, waiting: 0 })
  })
  expect(store.keys()).toHaveLength(5)

  const [missing = '', changed = ''] = store.keys()
  store.deleteObject(missing)
  store.changeObject(changed)
  await gateway.call(dashboardTiers.verify, { params: { tierId }, body: {} })
  await until(async () =>
    expect((await tierOf(gateway)).verification).toMatchObject({
      ...{ state: 'done', checked: 5, missing: 1, changed: 1, repaired: 2 },
    }),
  )
  await until(async () => expect((await tierOf(gateway)).stored.instances).toBe(5))
  await gateway.call(dashboardTiers.verify, { params: { tierId }, body: { isQuick: true } })
  await until(async () =>
    expect((await tierOf(gateway)).verification).toMatchObject({
      ...{ state: 'done', isQuick: true, checked: 5, missing: 0, changed: 0 },
    }),
  )

  await clinic.withoutFiles()
  const answer = await clinic.archive.get(`/studies/${STUDY}`, {
    accept: 'multipart/related; type="application/dicom"; transfer-syntax=*',
  })
  expect(answer.status).toBe(200)
  const sent = partsIn(answer).map(({ content }) => content.toString('base64'))
  const made = files.map(({ dataSet }) => dataSet)
  expect(sent).toHaveLength(5)
  for (const dataSet of made)
    expect(sent.some((content) => Buffer.from(content, 'base64').includes(dataSet))).toBe(true)
})

it('shows the first frame while the rest of the file is still on its way from the store', async () => {
  const store = await openObjectStore()
  const clinic = await openStoredArchive([twoFrames()])
  await migrated(clinic.archive.gateway, store)
  await clinic.withoutFiles()
  const rest = Promise.withResolvers<void>()
  const before = store.requests.length
  const frameBytes = SIDE * SIDE * 2
  const whole = twoFrames().dataSet.length
  store.intervene({ hold: () => ({ bytes: whole - frameBytes / 2, until: rest.promise }) })

  const { frame, list } = await openView(clinic)
  const images = list()
  const order: string[] = []
  await until(async () => {
    const first = await frame(1)
    expect(first.status).toBe(200)
    expect((await first.arrayBuffer()).byteLength).toBe(frameBytes)
    order.push('first frame')
  })
  order.push('rest sent')
  rest.resolve()
  expect((await frame(2)).status).toBe(200)
  expect(order).toEqual(['first frame', 'rest sent'])
  await (await images).body?.cancel()
  // Both frames and the list shared one fetch.
  expect(store.requests.slice(before)).toHaveLength(1)
})

it('verifies tiers from the command line, which ends with 1 if something is missing', async () => {
  const store = await openObjectStore()
  const clinic = await openStoredArchive(madeInstances(3))
  await migrated(clinic.archive.gateway, store)
  await clinic.stop()
  const verify = (options: Record<string, string | boolean> = {}) =>
    runWithLock(clinic.folder, { command: 'tiers verify', arguments: [], options, input: '' })
  expect(await verify()).toEqual({
    ok: true,
    output: 'Archive store: 3 checked, 0 missing, 0 changed, 0 queued to be copied again',
  })
  const [missing = ''] = store.keys()
  store.deleteObject(missing)
  const found = await verify({ quick: true })
  expect(found?.ok).toBe(false)
  expect(found?.output).toContain(`Archive store\tmissing\t${missing}`)
  expect(found?.output).toContain('1 missing, 0 changed, 1 queued to be copied again')
})

it('says which tier an image could not be fetched from, and why', async () => {
  const store = await openObjectStore()
  const clinic = await openStoredArchive(madeInstances(1))
  const { gateway } = clinic.archive
  const { tierId } = await gateway.call(dashboardTiers.add, {
    body: store.tier({ isAutomatic: true }),
  })
  await gateway.call(dashboardTiers.migrate, { params: { tierId } })
  await until(async () => expect((await tierOf(gateway)).stored.instances).toBe(1))
  store.deleteObject(store.keys()[0] ?? '')
  await clinic.withoutFiles()
  const answer = await clinic.archive.get(`/studies/${STUDY}`, {
    accept: 'multipart/related; type="application/dicom"; transfer-syntax=*',
  })
  expect(answer.status).toBe(503)
  expect(answer.bytes.toString()).toContain('Archive store')
})

it('copies at once when `apply` corrects the settings of a store that could not be reached', async () => {
  const store = await openObjectStore()
  const clinic = await openStoredArchive(madeInstances(1))
  const { gateway } = clinic.archive
  const unreachable = store.tier({}, { endpoint: `http://127.0.0.1:${await freePort()}` })
  const { tierId } = await gateway.call(dashboardTiers.add, { body: unreachable })
  await gateway.call(dashboardTiers.migrate, { params: { tierId } })
  await until(async () => expect((await tierOf(gateway)).lastError).not.toBeNull())
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-tiers-'))
  const { name, settings, secret } = store.tier()
  const { kind, endpoint } = settings as S3Settings
  writeFileSync(join(folder, 'secret'), String(secret))
  const file = join(folder, 'site.yaml')
  const secrets = { [`tier.${name}`]: { file: 'secret' } }
  writeFileSync(file, JSON.stringify({ tiers: [{ name, kind, endpoint }], secrets }))
  const applied = await isthmus(['apply', file, '--data', clinic.folder])
  expect(applied).toMatchObject({ exitCode: 0, stderr: '' })
  await until(async () =>
    expect(await tierOf(gateway)).toMatchObject({ stored: { instances: 1 }, lastError: null }),
  )
})

it('does not count a copy that the store changed while it was written', async () => {
  const store = await openObjectStore()
  const clinic = await openStoredArchive(madeInstances(1))
  const { gateway } = clinic.archive
  store.intervene({
    after(method) {
      if (method === 'PUT') for (const key of store.keys()) store.changeObject(key)
    },
  })
  const { tierId } = await gateway.call(dashboardTiers.add, { body: store.tier() })
  await gateway.call(dashboardTiers.migrate, { params: { tierId } })
  await until(() =>
    expect(store.requests.filter((request) => request.startsWith('GET'))).not.toEqual([]),
  )
  // Long enough to record what was read back.
  await sleep(1000)
  expect(await tierOf(gateway)).toMatchObject({
    ...{ stored: { instances: 0 }, waiting: 1 },
    migration: { state: 'running', doneInstances: 0 },
  })
})

it('copies the other images where one is nowhere to be fetched from', async () => {
  const clinic = await openStoredArchive(madeInstances(1))
  await clinic.withoutFiles()
  const { archive } = clinic
  const [, second] = madeInstances(2)
  expect((await archive.store([readFileSync(second?.path ?? '')])).status).toBe(200)
  const store = await openObjectStore()
  const { tierId } = await archive.gateway.call(dashboardTiers.add, { body: store.tier() })
  await archive.gateway.call(dashboardTiers.migrate, { params: { tierId } })
  await until(async () =>
    expect(await tierOf(archive.gateway)).toMatchObject({
      ...{ stored: { instances: 1 }, waiting: 1, lastError: null },
    }),
  )
})

it('fetches what was copied, where a device has sent it again in another form since', async () => {
  const [instance] = madeInstances(1)
  const clinic = await openStoredArchive([instance as InstanceFile])
  const store = await openObjectStore()
  await migrated(clinic.archive.gateway, store)
  await clinic.withoutFiles()
  {
    const { dimsePort } = clinic.archive.gateway
    await using modality = await openModality(dimsePort, { callingAeTitle: 'CT1' })
    const dataSet = instance?.dataSet ?? Buffer.alloc(0)
    expect(await modality.storeBytes(SOP, dataSet)).toMatchObject({ status: '0000' })
    await modality.release()
  }
  await clinic.withoutFiles()
  const answer = await clinic.archive.get(`/studies/${STUDY}`, {
    accept: 'multipart/related; type="application/dicom"; transfer-syntax=*',
  })
  expect(answer.status).toBe(200)
  const [part] = partsIn(answer)
  expect(dataSetIn(part?.content ?? Buffer.alloc(0))).toEqual(instance?.dataSet)
  // The archive knows where the data set begins in the file that it has now.
  await clinic.restart(async () => {
    using _lock = acquireLock(clinic.folder)
    using context = openContext({ folder: clinic.folder })
    const [row] = readInstances(context.database, SELECT_INSTANCES)
    const path = context.imageFiles.pathOf(row?.file ?? '')
    expect(row).toMatchObject({
      dataSetOffset: (await readFileMeta(path)).dataSetOffset,
      bytes: readFileSync(path).length,
      localRemovedAt: null,
    })
  })
})

it('counts no copy of a store whose address has changed until it was verified there', async () => {
  const clinic = await openStoredArchive(madeInstances(2))
  const [store, other] = [await openObjectStore(), await openObjectStore()]
  const { call } = clinic.archive.gateway
  const tierId = await migrated(clinic.archive.gateway, store)
  const study = { params: { studyInstanceUid: STUDY } }
  const copies = async () => (await call(dashboardLifecycle.study, study)).copies
  expect(await copies()).toMatchObject([{ kind: 'tier', instances: 2 }])
  await call(dashboardTiers.update, { params: { tierId }, body: other.tier() })
  expect(await tierOf(clinic.archive.gateway)).toMatchObject({ mustBeVerified: true })
  expect(await copies()).toEqual([])
  await call(dashboardTiers.verify, { params: { tierId }, body: { isQuick: false } })
  await until(async () =>
    expect(await tierOf(clinic.archive.gateway)).toMatchObject({
      ...{ mustBeVerified: false, verification: { missing: 2, repaired: 2 }, waiting: 0 },
    }),
  )
  expect(other.keys()).toHaveLength(2)
  expect(await copies()).toMatchObject([{ kind: 'tier', instances: 2 }])
})

it('does not count copies at a former address when another store is removed or a migration starts', async () => {
  const { stores, clinic } = await openTwoCopies(oneFrame(SIDE))
  const empty = await openObjectStore()
  const { call } = clinic.archive.gateway
  const { tiers } = await call(dashboardTiers.list, {})
  const [first, second] = tiers.map(({ tierId }) => ({ tierId }))
  if (!first || !second) throw new Error('Two stores were added.')
  await call(dashboardTiers.update, { params: first, body: empty.tier({ name: 'Store 1' }) })
  await expect(call(dashboardTiers.remove, { params: second })).rejects.toThrow('Store 2')
  await expect(call(dashboardTiers.migrate, { params: first })).rejects.toThrow('Verify all images')
  await call(dashboardTiers.update, { params: first, body: stores[0].tier({ name: 'Store 1' }) })
  await call(dashboardTiers.verify, { params: first, body: { isQuick: false } })
  await until(async () =>
    expect(await tierOf(clinic.archive.gateway)).toMatchObject({ mustBeVerified: false }),
  )
  await call(dashboardTiers.remove, { params: second })
})

it('copies an image again if the address of its store changes while it is written', async () => {
  const clinic = await openStoredArchive(madeInstances(1))
  const [store, other] = [await openObjectStore(), await openObjectStore()]
  const { call } = clinic.archive.gateway
  const { tierId } = await call(dashboardTiers.add, { body: store.tier() })
  const { written, rest } = holdWritten(store)
  await call(dashboardTiers.migrate, { params: { tierId } })
  await written.promise
  await call(dashboardTiers.update, { params: { tierId }, body: other.tier() })
  rest.resolve()
  await until(async () =>
    expect(await tierOf(clinic.archive.gateway)).toMatchObject({
      ...{ stored: { instances: 1 }, migration: { state: 'done', doneInstances: 1 } },
    }),
  )
  expect(other.keys()).toHaveLength(1)
})

it('pauses a migration to a store whose address changes, until its copies are verified', async () => {
  const clinic = await openStoredArchive(madeInstances(2))
  const [store, other] = [await openObjectStore(), await openObjectStore()]
  const { call } = clinic.archive.gateway
  const params = { tierId: (await call(dashboardTiers.add, { body: store.tier() })).tierId }
  const rest = Promise.withResolvers<void>()
  let written = 0
  store.intervene({
    before: (method) => (method === 'PUT' && ++written > 1 ? rest.promise : undefined),
  })
  await call(dashboardTiers.migrate, { params })
  await until(async () =>
    expect(await tierOf(clinic.archive.gateway)).toMatchObject({ stored: { instances: 1 } }),
  )
  await call(dashboardTiers.update, { params, body: other.tier() })
  rest.resolve()
  const resume = () => call(dashboardTiers.changeMigration, { params, body: { action: 'resume' } })
  expect(await tierOf(clinic.archive.gateway)).toMatchObject({ migration: { state: 'paused' } })
  await expect(resume()).rejects.toThrow('Verify all images')
  await call(dashboardTiers.verify, { params, body: { isQuick: false } })
  await until(resume)
  await until(async () =>
    expect(await tierOf(clinic.archive.gateway)).toMatchObject({
      ...{ stored: { instances: 2 }, migration: { state: 'done' } },
    }),
  )
  expect(other.keys()).toHaveLength(2)
})

it('discards a verification if the address of the store changes during it', async () => {
  const clinic = await openStoredArchive(madeInstances(1))
  const [store, other] = [await openObjectStore(), await openObjectStore()]
  const { call } = clinic.archive.gateway
  const params = { tierId: await migrated(clinic.archive.gateway, store) }
  await call(dashboardTiers.update, { params, body: other.tier() })
  const asked = Promise.withResolvers<void>()
  const rest = Promise.withResolvers<void>()
  other.intervene({
    async before() {
      asked.resolve()
      await rest.promise
    },
  })
  await call(dashboardTiers.verify, { params, body: { isQuick: false } })
  await asked.promise
  await call(dashboardTiers.update, { params, body: store.tier() })
  rest.resolve()
  await until(async () =>
    expect(await tierOf(clinic.archive.gateway)).toMatchObject({
      ...{ verification: { state: expect.stringMatching(/stopped|failed/) }, lost: 0 },
      ...{ mustBeVerified: true, stored: { instances: 1 } },
    }),
  )
})

it('counts a copy again that was fetched from the new address of its store', async () => {
  const clinic = await openStoredArchive(madeInstances(1))
  const store = await openObjectStore()
  const params = { tierId: await migrated(clinic.archive.gateway, store) }
  const study = { params: { studyInstanceUid: STUDY } }
  const copies = async () =>
    (await clinic.archive.gateway.call(dashboardLifecycle.study, study)).copies
  // The same server, by its name.
  const endpoint = store.url.replace('127.0.0.1', 'localhost')
  await clinic.archive.gateway.call(dashboardTiers.update, {
    ...{ params, body: store.tier({}, { endpoint }) },
  })
  await clinic.withoutFiles()
  expect(await copies()).toEqual([])
  const answer = await clinic.archive.get(`/studies/${STUDY}`, {
    accept: 'multipart/related; type="application/dicom"; transfer-syntax=*',
  })
  expect(answer.status).toBe(200)
  expect(await copies()).toMatchObject([{ kind: 'tier', instances: 1 }])
  expect(await tierOf(clinic.archive.gateway)).toMatchObject({ mustBeVerified: true })
})

it('keeps a lost copy for the next verification if a migration cannot copy its image', async () => {
  const clinic = await openStoredArchive(madeInstances(1))
  const store = await openObjectStore()
  const params = { tierId: await migrated(clinic.archive.gateway, store) }
  const [key = ''] = store.keys()
  const content = store.contentOf(key)
  store.deleteObject(key)
  await clinic.withoutFiles()
  const { gateway } = clinic.archive
  await gateway.call(dashboardTiers.verify, { params, body: { isQuick: false } })
  await until(async () => expect(await tierOf(gateway)).toMatchObject({ lost: 1 }))
  await gateway.call(dashboardTiers.migrate, { params })
  await until(async () =>
    expect(await tierOf(gateway)).toMatchObject({
      ...{ lost: 1, migration: { state: 'done', doneInstances: 0, failedInstances: 1 } },
    }),
  )
  store.changeObject(key, content)
  await gateway.call(dashboardTiers.verify, { params, body: { isQuick: false } })
  await until(async () =>
    expect(await tierOf(gateway)).toMatchObject({ lost: 0, stored: { instances: 1 } }),
  )
})

it('deletes the object of a migration that was cancelled while it was written', async () => {
  const clinic = await openStoredArchive(madeInstances(1))
  const store = await openObjectStore()
  const { call } = clinic.archive.gateway
  const { tierId } = await call(dashboardTiers.add, { body: store.tier() })
  const params = { tierId }
  const { written, rest } = holdWritten(store)
  await call(dashboardTiers.migrate, { params })
  await written.promise
  await call(dashboardTiers.changeMigration, { params, body: { action: 'cancel' } })
  expect(store.keys()).toHaveLength(1)
  rest.resolve()
  await until(() => expect(store.keys()).toEqual([]))
  expect(await tierOf(clinic.archive.gateway)).toMatchObject({
    ...{ stored: { instances: 0 }, waiting: 0, migration: { state: 'cancelled' } },
  })
})

it('keeps no file of an image that is erased while it is fetched', async () => {
  const clinic = await openStoredArchive(madeInstances(1))
  const store = await openObjectStore()
  await migrated(clinic.archive.gateway, store)
  await clinic.withoutFiles()
  const asked = Promise.withResolvers<void>()
  const rest = Promise.withResolvers<void>()
  store.intervene({
    hold() {
      asked.resolve()
      return { bytes: 500, until: rest.promise }
    },
  })
  const answer = clinic.archive.get(`/studies/${STUDY}`, {
    accept: 'multipart/related; type="application/dicom"; transfer-syntax=*',
  })
  await asked.promise
  const erased = eraseStudy(clinic, STUDY)
  // The erasure may wait for the fetch.
  await Promise.race([erased, sleep(1000)])
  rest.resolve()
  await erased
  expect((await answer).status).not.toBe(200)
  await until(() => {
    const files = readdirSync(join(clinic.folder, 'images'), { recursive: true })
    expect(files.filter((name) => String(name).endsWith('.dcm'))).toEqual([])
    expect(readdirSync(join(clinic.folder, 'spool'))).toEqual([])
    expect(store.keys()).toEqual([])
  })
})

it('names a store that is switched off, or was removed, as one that may hold erased images', async () => {
  const clinic = await openStoredArchive(madeInstances(1))
  const { call } = clinic.archive.gateway
  const store = await openObjectStore()
  const tierId = await migrated(clinic.archive.gateway, store)
  const params = { tierId }
  const of = { studyInstanceUid: STUDY, scope: 'study' } as const
  const holders = async () => (await call(dashboardErasures.preview, { body: of })).elsewhere
  expect(await holders()).toMatchObject([{ kind: 'tier', name: 'Archive store', count: 1 }])
  await call(dashboardTiers.update, { params, body: store.tier({ isEnabled: false }) })
  expect(await holders()).toMatchObject([{ kind: 'tier-off', name: 'Archive store', count: 1 }])
  const endpoint = store.url.replace('127.0.0.1', 'localhost')
  const body = store.tier({ isEnabled: false }, { endpoint })
  await call(dashboardTiers.update, { params, body })
  expect((await holders()).map(({ kind }) => kind).sort()).toEqual(['former-tier', 'tier-off'])
  await call(dashboardTiers.remove, { params })
  expect(await holders()).toMatchObject([{ kind: 'former-tier', name: 'Archive store' }])
})

it('keeps a store for as long as it has to delete erased images from it', async () => {
  const clinic = await openStoredArchive(madeInstances(1))
  const { call } = clinic.archive.gateway
  const store = await openObjectStore()
  const tierId = await migrated(clinic.archive.gateway, store)
  const params = { tierId }
  store.intervene({ refuse: 'SlowDown' })
  await eraseStudy(clinic, STUDY)
  await expect(call(dashboardTiers.remove, { params })).rejects.toThrow('still to be deleted')
  const endpoint = store.url.replace('127.0.0.1', 'localhost')
  const moved = (isEnabled: boolean) =>
    call(dashboardTiers.update, { params, body: store.tier({ isEnabled }, { endpoint }) })
  await expect(moved(true)).rejects.toThrow('still to be deleted')
  await call(dashboardTiers.update, { params, body: store.tier({ isEnabled: false }) })
  await moved(true)
  store.intervene({})
  await call(dashboardTiers.test, { params })
  await until(() => expect(store.keys()).toEqual([]))
  await until(() => call(dashboardTiers.remove, { params }))
})

it('leaves what an automatic tier still has to copy where a migration is cancelled', async () => {
  const clinic = await openStoredArchive(madeInstances(2))
  const { call } = clinic.archive.gateway
  const store = await openObjectStore()
  store.intervene({ refuse: 'SlowDown' })
  const body = store.tier({ isAutomatic: true })
  const { tierId } = await call(dashboardTiers.add, { body })
  await call(dashboardTiers.migrate, { params: { tierId } })
  await until(async () => expect((await tierOf(clinic.archive.gateway)).waiting).toBe(2))
  const params = { tierId }
  await call(dashboardTiers.changeMigration, { params, body: { action: 'cancel' } })
  store.intervene({})
  await call(dashboardTiers.test, { params })
  await until(async () =>
    expect(await tierOf(clinic.archive.gateway)).toMatchObject({ stored: { instances: 2 } }),
  )
})

it('refuses an image whose object was changed in the store', async () => {
  const store = await openObjectStore()
  const clinic = await openStoredArchive(madeInstances(1))
  await migrated(clinic.archive.gateway, store)
  store.changeObject(store.keys()[0] ?? '')
  await clinic.withoutFiles()
  const answer = await clinic.archive.get(`/studies/${STUDY}`, {
    accept: 'multipart/related; type="application/dicom"; transfer-syntax=*',
  })
  expect(answer.status).toBe(503)
  expect(answer.bytes.toString()).toContain('Archive store')
})

it('shows nothing of a copy that was changed, and the image of the next store', async () => {
  const file = oneFrame(SIDE)
  const { stores, clinic } = await openTwoCopies(file)
  // The copy that was verified last is the first to be fetched.
  const [, changed] = stores
  const [key = ''] = changed.keys()
  const content = changed.contentOf(key)
  content.write('Nobody', content.indexOf('M\xfcller', 0, 'latin1'))
  content.subarray(-SIDE).fill(0xee)
  changed.changeObject(key, content)
  const before = changed.requests.length

  const { frame, list } = await openView(clinic)
  const images = (await list()).text()
  const shown = await frame(1)
  expect(shown.status).toBe(200)
  expect(Buffer.from(await shown.arrayBuffer())).toEqual(file.dataSet.subarray(-SIDE * SIDE * 2))
  expect(changed.requests.slice(before)).toHaveLength(1)
  expect(await images).toContain('Müller^Jörg')
  expect(await images).not.toContain('Nobody')
  expect(await images).not.toContain('"level":"danger"')
})

/** The frame of such an image is sent in pieces. */
const LARGE_SIDE = 1600

it('sends a large frame while it arrives, and its last byte after its checksum', async () => {
  const store = await openObjectStore()
  const file = oneFrame(LARGE_SIDE)
  const clinic = await openStoredArchive([file])
  await migrated(clinic.archive.gateway, store)
  await clinic.withoutFiles()
  const rest = Promise.withResolvers<void>()
  store.intervene({ hold: () => ({ bytes: file.dataSet.length / 2, until: rest.promise }) })

  const { frame, list } = await openView(clinic)
  const images = (await list()).text()
  const response = await frame(1)
  expect(response.status).toBe(200)
  const pixels = file.dataSet.subarray(-LARGE_SIDE * LARGE_SIDE * 2)
  expect(response.headers.get('content-length')).toBe(String(pixels.length))
  const received: Uint8Array[] = []
  for await (const chunk of response.body ?? []) {
    if (received.length === 0) rest.resolve()
    received.push(chunk)
  }
  expect(Buffer.concat(received).equals(pixels)).toBe(true)
  await images
  // From the disk.
  expect(Buffer.from(await (await frame(1)).arrayBuffer()).equals(pixels)).toBe(true)
})

it('does not finish a large frame of a changed copy, and has the next store send it', async () => {
  const file = oneFrame(LARGE_SIDE)
  const { stores, clinic } = await openTwoCopies(file)
  const [, changed] = stores
  const [key = ''] = changed.keys()
  const content = changed.contentOf(key)
  content.subarray(-LARGE_SIDE).fill(0xee)
  changed.changeObject(key, content)

  const { frame, list } = await openView(clinic)
  const images = (await list()).text()
  const response = await frame(1)
  await expect(response.arrayBuffer()).rejects.toThrow('terminated')
  const pixels = file.dataSet.subarray(-LARGE_SIDE * LARGE_SIDE * 2)
  expect(Buffer.from(await (await frame(1)).arrayBuffer()).equals(pixels)).toBe(true)
  await images
})

it('ends when the page that a large frame is sent to has gone', async () => {
  const store = await openObjectStore()
  const file = oneFrame(LARGE_SIDE)
  const clinic = await openStoredArchive([file])
  await migrated(clinic.archive.gateway, store)
  await clinic.withoutFiles()
  const rest = Promise.withResolvers<void>()
  store.intervene({ hold: () => ({ bytes: file.dataSet.length / 2, until: rest.promise }) })
  const { frame, list } = await openView(clinic)
  const images = (await list()).text()
  const { body } = await frame(1)
  await body?.cancel()
  rest.resolve()
  await images
  const pixels = file.dataSet.subarray(-LARGE_SIDE * LARGE_SIDE * 2)
  expect(Buffer.from(await (await frame(1)).arrayBuffer()).equals(pixels)).toBe(true)
})

it('says why where the store breaks off within a large frame again and again', async () => {
  const store = await openObjectStore()
  const file = oneFrame(LARGE_SIDE)
  const clinic = await openStoredArchive([file])
  await migrated(clinic.archive.gateway, store)
  await clinic.withoutFiles()
  store.intervene({ hold: () => ({ bytes: file.dataSet.length / 2, until: brokenOff() }) })
  const { frame, list } = await openView(clinic)
  const images = (await list()).text()
  await expect((await frame(1)).arrayBuffer()).rejects.toThrow('terminated')
  const refused = await frame(1)
  expect(refused.status).toBe(503)
  expect(await refused.json()).toMatchObject({ detail: expect.stringContaining('Archive store') })
  await images

  store.intervene({})
  const pixels = file.dataSet.subarray(-LARGE_SIDE * LARGE_SIDE * 2)
  expect(Buffer.from(await (await frame(1)).arrayBuffer()).equals(pixels)).toBe(true)
})

it('refuses a frame of which there is only a changed copy', async () => {
  const store = await openObjectStore()
  const clinic = await openStoredArchive([oneFrame(SIDE)])
  await migrated(clinic.archive.gateway, store)
  await clinic.withoutFiles()
  const [key = ''] = store.keys()
  const content = store.contentOf(key)
  content.subarray(-SIDE).fill(0xee)
  store.changeObject(key, content)
  const { frame, list } = await openView(clinic)
  const images = (await list()).text()
  expect((await frame(1)).status).toBe(503)
  expect(await images).toContain('Archive store')
})

it('fetches an image from another store where one breaks off within it, and keeps no part', async () => {
  const file = twoFrames()
  const { stores, clinic } = await openTwoCopies(file)
  const broken: number[] = []
  for (const [index, store] of stores.entries())
    store.intervene({
      hold() {
        if (broken.length > 0) return undefined
        broken.push(index)
        return { bytes: file.dataSet.length / 2, until: brokenOff() }
      },
    })
  const answer = await clinic.archive.get(`/studies/${STUDY}`, {
    accept: 'multipart/related; type="application/dicom"; transfer-syntax=*',
  })
  expect(answer.status).toBe(200)
  const dataSet = readFileSync(file.path).subarray(-file.dataSet.length)
  const [part] = partsIn(answer)
  expect(part?.content.subarray(-dataSet.length)).toEqual(dataSet)
  expect(broken).toHaveLength(1)
  const parts = readdirSync(join(clinic.folder, 'spool')).filter((name) => name.endsWith('.part'))
  expect(parts).toEqual([])
})

it.each([
  ['an unknown access key', { accessKeyId: 'NOBODY' }, 'access key is not known'],
  ['a wrong secret', 'SignatureDoesNotMatch', 'does not match the access key'],
  ['a wrong clock', 'RequestTimeTooSkewed', 'clocks of this PC and of the store'],
  ['missing rights', 'AccessDenied', 'no right to do this'],
  ['another region', 'AuthorizationHeaderMalformed', 'another region'],
  ['a missing bucket', { bucket: 'no-such-bucket' }, 'no bucket with this name'],
  ['a closed port', { endpoint: 'http://127.0.0.1:9' }, 'connection was refused'],
  ['a server without TLS', 'tls', 'no secure connection'],
])('tells %s from other faults', async (_, given, expected) => {
  const store = await openObjectStore()
  const clinic = await openStoredArchive([])
  const { gateway } = clinic.archive
  const isCode = typeof given === 'string' && given !== 'tls'
  if (isCode) store.intervene({ refuse: given })
  const tls = { endpoint: store.url.replace('http:', 'https:') }
  const settings = given === 'tls' ? tls : typeof given === 'string' ? {} : given
  const { tierId } = await gateway.call(dashboardTiers.add, { body: store.tier({}, settings) })
  const { success, message } = await gateway.call(dashboardTiers.test, { params: { tierId } })
  expect(success).toBe(false)
  expect(englishText(message)).toContain(expected)
})
