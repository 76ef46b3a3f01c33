import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readDataSet, tagOf } from '#server/dicom/data-set/data-set.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardToday } from '#shared/contract/dashboard-today.ts'
import { dashboardDestinations, NewDestination } from '#shared/contract/destinations.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { englishText } from '#shared/messages/english.ts'
import { openArchive } from '../electron/server/modules/forwarding/forwarding-fixture.ts'
import { encoded } from '../electron/server/modules/images/intake-fixture.ts'
import { type Acceptor, type Script, startAcceptor } from '../support/acceptor.ts'
import { freePort } from '../support/free-port.ts'
import {
  type ClinicOptions,
  imageOf,
  movableClock,
  openImagingClinic,
  sendImages,
  sopUid,
  UID,
  until,
} from '../support/imaging-clinic.ts'
import { tempFolder } from '../support/temp-store.ts'

// One SOP Instance UID that is sent more than once: cut off, encoded otherwise, or with another
// content.

const sopClass = SOP_CLASS.storageCommitmentPushModel
/** A device that takes results of storage commitment. */
const TAKING: Script = {
  roles: [{ sopClass, scu: false, scp: true }],
  message: (message, peer) => peer.respond(message, 0x0000),
}
const clinicWith = (port: number): ClinicOptions => ({
  devices: [
    { aeTitle: 'CT1', name: 'CT room 1', address: '127.0.0.1', port },
    { aeTitle: 'PACS', name: 'Archive', address: '127.0.0.1' },
  ],
  idleSeconds: 1,
  overrides: { 'commitment.isOn': true },
})

/** Failure reasons of the newest report, by instance; of those that it commits none. */
function failuresIn({ messages }: Acceptor): Record<string, number> {
  const { dataSet } = messages.at(-1) ?? {}
  if (!Buffer.isBuffer(dataSet)) throw new Error('no report')
  const elements = readDataSet(dataSet, TRANSFER_SYNTAX.explicitLittleEndian)
  const failed = elements.find(({ tag }) => tag === tagOf('FailedSOPSequence'))?.value ?? []
  const value = (item: typeof elements, keyword: string) =>
    item.find(({ tag }) => tag === tagOf(keyword))?.value as Buffer
  return Object.fromEntries(
    (failed as readonly (typeof elements)[]).map((item) => [
      value(item, 'ReferencedSOPInstanceUID').toString().replace(/\0$/, ''),
      value(item, 'FailureReason').readUInt16LE(),
    ]),
  )
}

it.concurrent('sets an image aside that was cut off within its pixels, and never commits it, also once a person let it in', async () => {
  await using device = await startAcceptor(TAKING)
  await using clinic = await openImagingClinic(clinicWith(device.port))
  const { call } = clinic.gateway
  const whole = imageOf(1, { Rows: 16, Columns: 16, PixelData: 'p'.repeat(512) })
  await using modality = await clinic.modality()
  expect(await modality.storeBytes(sopUid(1), encoded(whole).subarray(0, -100))).toMatchObject({
    status: '0000',
  })
  expect(await modality.store(imageOf(2))).toMatchObject({ status: '0000' })
  const { instances } = await call(dashboardImages.quarantine, { query: {} })
  expect(instances).toMatchObject([
    { reason: 'incomplete', detail: 'It ends too early, at element (7FE0,0010).' },
  ])
  expect(await clinic.images()).toMatchObject({ instances: 1, quarantined: 1 })
  const ask = async (transaction: string, reports: number) => {
    expect(await modality.askCommitment(transaction, [sopUid(1), sopUid(2)])).toMatchObject({
      status: '0000',
    })
    await until(() => expect(device.messages).toHaveLength(reports))
    return failuresIn(device)
  }
  expect(await ask('1.2.3.800.1', 1)).toEqual({ [sopUid(1)]: 0x0112 })

  const instanceId = instances[0]?.instanceId ?? 0
  await call(dashboardImages.releaseInstance, {
    params: { instanceId },
    body: { reason: 'Better than none' },
  })
  expect(await clinic.images()).toMatchObject({ instances: 2, quarantined: 0 })
  expect(await ask('1.2.3.800.2', 2)).toEqual({ [sopUid(1)]: 0x0112 })
  // The device sends it whole.
  expect(await modality.store(whole)).toMatchObject({ status: '0000' })
  expect(await ask('1.2.3.800.3', 3)).toEqual({})
})

it.concurrent('takes what an archive returns in another encoding for the image that is here, and commits that', async () => {
  await using device = await startAcceptor(TAKING)
  await using clinic = await openImagingClinic(clinicWith(device.port))
  const { call } = clinic.gateway
  await using modality = await clinic.modality()
  for (const number of [1, 2])
    expect(await modality.store(imageOf(number))).toMatchObject({ status: '0000' })
  await using archive = await clinic.modality('PACS')
  expect(await archive.storeImplicit(imageOf(1))).toMatchObject({ status: '0000' })
  expect((await call(dashboardImages.quarantine, { query: {} })).instances).toEqual([])
  // What it changed is set aside, and says nothing of what the device sent.
  expect(
    await archive.storeImplicit(imageOf(2, { StudyDescription: 'Changed by the archive' })),
  ).toMatchObject({ status: '0000' })
  expect((await call(dashboardImages.quarantine, { query: {} })).instances).toMatchObject([
    { reason: 'different-content', callingAeTitle: 'PACS' },
  ])
  expect(await modality.askCommitment('1.2.3.810.1', [sopUid(1), sopUid(2)])).toMatchObject({
    status: '0000',
  })
  await until(() => expect(device.messages).toHaveLength(1))
  expect(failuresIn(device)).toEqual({})
  expect(await clinic.images()).toMatchObject({ instances: 2, versions: [] })
})

it.concurrent('shows versions with other pixels, asks for a look at them, and shows an earlier one again', async () => {
  await using clinic = await openImagingClinic()
  const { call } = clinic.gateway
  await sendImages(clinic, [imageOf(1), imageOf(2), imageOf(3)])
  const replaced = async () =>
    (await call(dashboardToday.today, {})).items.find(({ kind }) => kind === 'images-replaced')
  // The same content, and a description that was corrected: nothing to look at.
  await sendImages(clinic, [imageOf(1), imageOf(2, { SeriesDescription: 'Corrected' })])
  expect(await replaced()).toBeUndefined()
  await sendImages(clinic, [imageOf(3, { PixelData: 'other pixels' })])

  expect(await replaced()).toMatchObject({ tone: 'danger', count: 1, mayAct: true })
  expect((await call(dashboardImages.list, { query: { show: 'replaced' } })).studies).toMatchObject(
    [{ studyInstanceUid: UID }],
  )
  const study = await clinic.images()
  expect(study).toMatchObject({ instances: 3, unreviewedVersions: 1 })
  expect(
    study.versions.map(({ sopInstanceUid, state, change }) => [sopInstanceUid, state, change]),
  ).toEqual([
    [sopUid(2), 'superseded', null],
    [sopUid(2), 'current', 'attributes'],
    [sopUid(3), 'superseded', null],
    [sopUid(3), 'current', 'pixels'],
  ])
  const { lines } = await call(dashboard.feed, { query: {} })
  expect(lines.map(({ text }) => englishText(text)).join('\n')).toMatch(
    /The device resent an existing image with different pixel data/,
  )

  const params = { studyInstanceUid: UID }
  expect(
    await call(dashboardImages.reviewVersions, { params, body: { note: 'Another kernel' } }),
  ).toMatchObject({ unreviewedVersions: 0 })
  expect(await replaced()).toBeUndefined()
  const earlier = study.versions.find(
    ({ sopInstanceUid, state }) => sopInstanceUid === sopUid(3) && state === 'superseded',
  )
  const restored = await call(dashboardImages.restoreVersion, {
    params: { instanceId: earlier?.instanceId ?? 0 },
    body: { reason: 'The later one is of another patient' },
  })
  expect(restored).toMatchObject({ success: true })
  const { versions, instances } = await clinic.images()
  expect(instances).toBe(3)
  expect(
    versions.filter(({ sopInstanceUid }) => sopInstanceUid === sopUid(3)).map(({ state }) => state),
  ).toEqual(['current', 'superseded'])
  const { entries } = await call(dashboard.audit, { query: {} })
  const actions = entries.map(({ action }) => action)
  expect(actions).toEqual(
    expect.arrayContaining(['images.review-versions', 'instance.restore-version']),
  )
})

it.concurrent('fails no forward of an image whose row a power failure took back, and sends the version that is shown again', async () => {
  using temp = tempFolder()
  const { folder } = temp
  const port = await freePort()
  const queues = async ({ gateway }: Awaited<ReturnType<typeof openImagingClinic>>) =>
    (await gateway.call(dashboardDestinations.list, {})).destinations.map(({ queue }) => queue)
  {
    await using clinic = await openImagingClinic({ folder })
    const destination = NewDestination.parse({
      name: 'PACS',
      aeTitle: 'PACS',
      host: '127.0.0.1',
      port,
      isAutomatic: true,
    })
    await clinic.gateway.call(dashboardDestinations.add, { body: destination })
    await sendImages(
      clinic,
      [1, 2, 3].map((number) => imageOf(number)),
    )
    // It takes the place of the first version, and is the one that waits.
    await sendImages(clinic, [imageOf(3, { PixelData: 'other pixels' })])
    expect(await queues(clinic)).toEqual([{ waiting: 3, sent: 0, failed: 0 }])
  }
  const images = join(folder, 'images')
  const files = readdirSync(images, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.dcm'),
  )
  expect(files).toHaveLength(4)
  const writtenAt = (name: string) => statSync(join(images, name)).mtimeMs
  const [newest] = files.sort((a, b) => writtenAt(b) - writtenAt(a))
  rmSync(join(images, newest ?? ''))
  writeFileSync(join(folder, 'images', '.open'), '')
  const clock = movableClock()
  clock.ahead = 10 * 60_000
  await using archive = await openArchive({ port })
  await using clinic = await openImagingClinic({ folder, clock })
  await until(async () =>
    expect(await queues(clinic)).toEqual([{ waiting: 0, sent: 3, failed: 0 }]),
  )
  expect((await clinic.images()).versions).toEqual([])
  // One that was under way when the gateway closed an association is sent again.
  expect([...new Set(archive.received)].toSorted()).toEqual([sopUid(1), sopUid(2), sopUid(3)])
  await sendImages(clinic, [imageOf(3, { PixelData: 'other pixels' })])
  await until(async () =>
    expect(await queues(clinic)).toEqual([{ waiting: 0, sent: 4, failed: 0 }]),
  )
})
