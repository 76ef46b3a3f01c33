import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openContext } from '#server/context.ts'
import { acquireLock } from '#server/database/lock.ts'
import { allInstances, SELECT_INSTANCES } from '#server/modules/images/instance-queries.ts'
import { removeLocalFiles } from '#server/modules/images/local-files.ts'
import { dashboardTiers, type Tier } from '#shared/contract/tiers.ts'
import { english } from '#shared/messages/english.ts'
import type { StartedGateway } from '../support/gateway.ts'
import { type InstanceFile, writeInstance } from '../support/instance-file.ts'
import { openObjectStore } from '../support/object-store.ts'
import { tempFolder } from '../support/temp-store.ts'
import { openWebArchive, partsIn, type WebArchive } from './dicomweb-fixture.ts'

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

const until = <T>(check: () => T | Promise<T>) =>
  vi.waitFor(check, { timeout: 20_000, interval: 50 })

const tierOf = async ({ call }: StartedGateway): Promise<Tier> => {
  const { tiers } = await call(dashboardTiers.list, {})
  return tiers[0] as Tier
}

/** Removes the files of all images from the PC while no gateway runs. */
async function removeAll(folder: string): Promise<void> {
  using _lock = acquireLock(folder)
  using context = openContext({ folder })
  const instances = allInstances(context.database, SELECT_INSTANCES)
  await removeLocalFiles(context, instances, (all) => all)
}

/** An archive with images, whose gateway can be stopped and started again. */
async function openArchive(files: readonly InstanceFile[]) {
  const { folder } = keptFolder()
  let archive: WebArchive | undefined = await openWebArchive({ folder })
  onTestFinished(async () => archive?.[Symbol.asyncDispose]())
  if (files.length > 0)
    expect(await archive.store(files.map(({ path }) => readFileSync(path)))).toMatchObject({
      status: 200,
    })
  const { key } = archive
  return {
    folder,
    get archive() {
      return archive as WebArchive
    },
    async restart(whileStopped: () => Promise<void>) {
      await archive?.[Symbol.asyncDispose]()
      archive = undefined
      await whileStopped()
      archive = await openWebArchive({ folder, key })
    },
  }
}

function keptFolder() {
  const temporary = tempFolder()
  onTestFinished(() => temporary[Symbol.dispose]())
  return temporary
}

it('copies an archive to an object store, verifies it, and fetches what is no longer on the PC', async () => {
  const store = await openObjectStore()
  const files = madeInstances(5)
  const clinic = await openArchive(files)
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

  await clinic.restart(() => removeAll(clinic.folder))
  store.intervene({})
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

it('says which tier an image could not be fetched from, and why', async () => {
  const store = await openObjectStore()
  const clinic = await openArchive(madeInstances(1))
  const { gateway } = clinic.archive
  const { tierId } = await gateway.call(dashboardTiers.add, {
    body: store.tier({ isAutomatic: true }),
  })
  await gateway.call(dashboardTiers.migrate, { params: { tierId } })
  await until(async () => expect((await tierOf(gateway)).stored.instances).toBe(1))
  store.deleteObject(store.keys()[0] ?? '')
  await clinic.restart(() => removeAll(clinic.folder))
  const answer = await clinic.archive.get(`/studies/${STUDY}`, {
    accept: 'multipart/related; type="application/dicom"; transfer-syntax=*',
  })
  expect(answer.status).toBe(503)
  expect(answer.bytes.toString()).toContain('Archive store')
})

it.each([
  ['an unknown access key', { accessKeyId: 'NOBODY' }, {}, 'access key is not known'],
  ['a wrong secret', {}, { secret: 'wrong' }, 'does not match the access key'],
  ['a missing bucket', { bucket: 'no-such-bucket' }, {}, 'no bucket with this name'],
  ['a closed port', { endpoint: 'http://127.0.0.1:9' }, {}, 'connection was refused'],
  ['a server without TLS', 'tls', {}, 'no secure connection'],
])('tells %s from other faults', async (_, settings, more, expected) => {
  const store = await openObjectStore()
  const clinic = await openArchive([])
  const { gateway } = clinic.archive
  const changed =
    settings === 'tls' ? { endpoint: store.url.replace('http:', 'https:') } : (settings as object)
  const { tierId } = await gateway.call(dashboardTiers.add, { body: store.tier(more, changed) })
  const { success, message } = await gateway.call(dashboardTiers.test, { params: { tierId } })
  expect(success).toBe(false)
  expect(english(message)).toContain(expected)
})
