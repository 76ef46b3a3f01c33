import { existsSync, readdirSync, rmSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { dashboardCorrections } from '#shared/contract/corrections.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardToday } from '#shared/contract/dashboard-today.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import {
  EXAM,
  type ImagingClinic,
  imageOf,
  openImagingClinic,
  sendImages,
  UID,
  until,
} from '../support/imaging-clinic.ts'
import { tempFolder } from '../support/temp-store.ts'

// Images that were acknowledged and that the database does not know: an older copy of it was put
// back by hand.

const filesIn = (folder: string) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.dcm'),
      )
    : []

/**
 * The images were all acknowledged; then the gateway ended, and the database from before them was
 * put back.
 */
async function olderDatabase(folder: string): Promise<void> {
  const database = join(folder, 'gateway.sqlite')
  {
    await using _ = await openImagingClinic({ folder })
  }
  await copyFile(database, `${database}.older`)
  {
    await using clinic = await openImagingClinic({ folder })
    await sendImages(
      clinic,
      [1, 2, 3].map((number) => imageOf(number)),
    )
    expect((await clinic.images()).instances).toBe(3)
  }
  for (const suffix of ['-wal', '-shm']) rmSync(`${database}${suffix}`, { force: true })
  await copyFile(`${database}.older`, database)
}

const OF_NOBODY = {
  PatientName: 'Sample^Sam',
  PatientID: 'P9',
  PatientBirthDate: '19800511',
  PatientSex: 'M',
}

const recoveredIn = async ({ gateway }: ImagingClinic) =>
  (await gateway.call(dashboardImages.recoveredFiles, { query: {} })).files

it.concurrent('keeps acknowledged images of which an older database knows nothing, says so, and imports them again', async () => {
  using temp = tempFolder()
  const { folder } = temp
  await olderDatabase(folder)
  await using clinic = await openImagingClinic({ folder })
  const { call, log } = clinic.gateway
  await until(async () => expect(await recoveredIn(clinic)).toHaveLength(3))
  expect(filesIn(join(folder, 'recovery'))).toHaveLength(3)
  expect(filesIn(join(folder, 'images'))).toEqual([])
  // It is said once all of them were moved.
  const said =
    /3 files in the image folder had no record in the database and were moved to the recovery folder/
  await until(() => expect(log.join('\n')).toMatch(said))
  expect((await call(dashboard.status, {})).images).toMatchObject({ recovered: 3 })
  const items = (await call(dashboardToday.today, {})).items
  expect(items.find(({ kind }) => kind === 'recovered')).toMatchObject({
    tone: 'danger',
    count: 3,
    mayAct: true,
  })

  const [first, ...rest] = await recoveredIn(clinic)
  expect(first).toMatchObject({
    isReadable: true,
    studyInstanceUid: UID,
    modality: 'CT',
    callingAeTitle: 'CT1',
  })
  const one = await call(dashboardImages.importRecovered, { body: { file: first?.file ?? '' } })
  expect(one).toEqual({ imported: 1, failed: 0, problem: null, next: null })
  await until(async () => expect((await clinic.images()).instances).toBe(1))
  expect(await call(dashboardImages.importRecovered, { body: {} })).toMatchObject({
    imported: 2,
    failed: 0,
  })
  await until(async () => expect((await clinic.images()).instances).toBe(3))
  expect(await recoveredIn(clinic)).toEqual([])
  expect(filesIn(join(folder, 'images'))).toHaveLength(3)
  const { entries } = await call(dashboard.audit, { query: {} })
  const imports = entries.filter(({ action }) => action === 'recovery.import')
  expect(imports.map(({ target }) => target).sort()).toEqual(
    [first, ...rest].map((each) => each?.file).sort(),
  )
  expect(imports.every(({ actor }) => actor.startsWith('user:'))).toBe(true)
  // The device sends one of them again: it is here.
  await sendImages(clinic, [imageOf(2)])
  expect((await clinic.images()).instances).toBe(3)
})

it.concurrent('moves the files back once the database that knows them is there again', async () => {
  using temp = tempFolder()
  const { folder } = temp
  const database = join(folder, 'gateway.sqlite')
  {
    await using _ = await openImagingClinic({ folder })
  }
  await copyFile(database, `${database}.older`)
  {
    await using clinic = await openImagingClinic({ folder })
    await sendImages(clinic, [imageOf(1)])
  }
  await copyFile(database, `${database}.right`)
  for (const suffix of ['-wal', '-shm']) rmSync(`${database}${suffix}`, { force: true })
  await copyFile(`${database}.older`, database)
  {
    await using clinic = await openImagingClinic({ folder })
    await until(async () => expect(await recoveredIn(clinic)).toHaveLength(1))
  }
  for (const suffix of ['-wal', '-shm']) rmSync(`${database}${suffix}`, { force: true })
  await copyFile(`${database}.right`, database)
  await using clinic = await openImagingClinic({ folder })
  await until(async () => expect(await recoveredIn(clinic)).toEqual([]))
  expect(filesIn(join(folder, 'images'))).toHaveLength(1)
  expect((await clinic.images()).instances).toBe(1)
})

it.concurrent('deletes such a file only when a person discards it, with a reason that is kept', async () => {
  using temp = tempFolder()
  const { folder } = temp
  await olderDatabase(folder)
  await using clinic = await openImagingClinic({ folder })
  const { call } = clinic.gateway
  await until(async () => expect(await recoveredIn(clinic)).toHaveLength(3))
  const [first] = await recoveredIn(clinic)
  const file = first?.file ?? ''
  const reason = 'The device has sent it again'
  expect(await call(dashboardImages.discardRecovered, { body: { file, reason } })).toMatchObject({
    success: true,
  })
  expect(filesIn(join(folder, 'recovery'))).toHaveLength(2)
  const { entries } = await call(dashboard.audit, { query: {} })
  expect(entries.find(({ action }) => action === 'recovery.discard')).toMatchObject({
    target: file,
    detail: { reason },
  })
})

it.concurrent('asks a person about corrected copies that an older database does not know, and restores the correction', async () => {
  using temp = tempFolder()
  const { folder } = temp
  const database = join(folder, 'gateway.sqlite')
  {
    await using clinic = await openImagingClinic({ folder })
    await clinic.worklist()
    await sendImages(clinic, [imageOf(1, OF_NOBODY), imageOf(2, OF_NOBODY)])
    await clinic.seeded()
    await until(async () =>
      expect(await clinic.images()).toMatchObject({
        instances: 2,
        state: 'complete',
        identity: 'mismatch',
      }),
    )
  }
  await copyFile(database, `${database}.older`)
  const patient = {
    ...{
      patientName: String(EXAM.PatientName),
      patientId: String(EXAM.PatientID),
      patientBirthDate: String(EXAM.PatientBirthDate),
    },
    ...{ patientSex: 'F' as const, accessionNumber: String(EXAM.AccessionNumber) },
  }
  const request = { kind: 'correct', target: { to: 'patient', patient } } as const
  const params = { studyInstanceUid: UID }
  {
    await using clinic = await openImagingClinic({ folder })
    const { call } = clinic.gateway
    const { digest } = await call(dashboardCorrections.preview, { params, body: request })
    const because = { cause: 'patient-safety', reason: 'Registered under another name' } as const
    await call(dashboardCorrections.apply, { params, body: { ...request, ...because, digest } })
  }
  for (const suffix of ['-wal', '-shm']) rmSync(`${database}${suffix}`, { force: true })
  await copyFile(`${database}.older`, database)

  await using clinic = await openImagingClinic({ folder })
  const { call } = clinic.gateway
  await until(async () =>
    expect(await clinic.images()).toMatchObject({
      instances: 2,
      quarantined: 2,
      identity: 'mismatch',
    }),
  )
  expect(filesIn(join(folder, 'images'))).toHaveLength(4)
  expect(await recoveredIn(clinic)).toEqual([])
  const found = await clinic.images()
  expect(found.identityCheck.differences).toContainEqual(
    expect.objectContaining({
      from: 'version',
      field: 'patientName',
      expected: patient.patientName,
      received: 'Sample^Sam',
    }),
  )
  const kinds = (await call(dashboardToday.today, {})).items.map(({ kind }) => kind)
  expect(kinds).toEqual(expect.arrayContaining(['mismatches', 'quarantined']))
  const { groups } = await call(dashboardImages.quarantineGroups, { params })
  const [group] = groups
  const { newestInstanceId: upTo = 0, reason: because = 'different-content' } = group ?? {}
  const outcome = await call(dashboardImages.releaseGroup, {
    params,
    body: { because, upTo, reason: 'The correction was right' },
  })
  expect(outcome).toMatchObject({ success: true, decided: 2 })
  expect(await clinic.images()).toMatchObject({
    instances: 2,
    quarantined: 0,
    identity: 'resolved',
    patientName: patient.patientName,
  })
  expect(filesIn(join(folder, 'images'))).toHaveLength(4)
})
