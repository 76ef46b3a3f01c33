import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openContext } from '#server/context.ts'
import { rawQuery } from '#server/database/query.ts'
import { dashboardDestinations, NewDestination } from '#shared/contract/destinations.ts'
import { dashboardLifecycle } from '#shared/contract/lifecycle.ts'
import { dashboardTiers } from '#shared/contract/tiers.ts'
import { partsIn } from '../flows/dicomweb-fixture.ts'
import { writeInstance } from '../support/instance-file.ts'
import { needs } from '../support/needs.ts'
import { DICOMWEB_PLUGIN, type Orthanc, startOrthanc } from '../support/orthanc.ts'
import { openStoredArchive, type StoredArchive } from '../support/stored-archive.ts'
import { tempFolder } from '../support/temp-store.ts'

// An Orthanc behind the gateway: images whose files were removed from the PC are retrieved from it
// when somebody asks for them.

const STUDY = '2.25.100'
const PARTS = 'multipart/related; type="application/dicom"; transfer-syntax=*'

async function openBoth(options: object = {}) {
  const temporary = tempFolder()
  const files = [1, 2, 3].map((number) =>
    writeInstance(temporary.folder, {
      sopInstanceUid: `2.25.100.1.${number}`,
      more: { InstanceNumber: String(number) },
    }),
  )
  const clinic = await openStoredArchive(files)
  const orthanc = await startOrthanc(clinic.archive.gateway.dimsePort, options)
  onTestFinished(async () => {
    await orthanc[Symbol.asyncDispose]()
    temporary[Symbol.dispose]()
  })
  for (const { path } of files) await orthanc.rest('/instances', readFileSync(path))
  return { clinic, orthanc, files }
}

/** Removes the files of the study from the PC, and tells Orthanc the port of the gateway. */
async function withdrawn({ clinic, orthanc }: { clinic: StoredArchive; orthanc: Orthanc }) {
  await clinic.withoutFiles()
  const port = clinic.archive.gateway.dimsePort
  await fetch(`${orthanc.url}/modalities/isthmus`, {
    method: 'PUT',
    body: JSON.stringify({ AET: 'ISTHMUS', Host: '127.0.0.1', Port: port }),
  })
}

/** Asks for the study after its files were removed from the PC. */
async function withdrawnStudy(both: { clinic: StoredArchive; orthanc: Orthanc }) {
  await withdrawn(both)
  return await both.clinic.archive.get(`/studies/${STUDY}`, { accept: PARTS })
}

const dataSetsOf = (files: readonly { readonly dataSet: Buffer }[]) =>
  files.map(({ dataSet }) => dataSet.subarray(-512).toString('hex')).sort()

/** Adds Orthanc as a tier from which studies are retrieved by C-MOVE. */
async function addMoveTier({ clinic, orthanc }: { clinic: StoredArchive; orthanc: Orthanc }) {
  const { call } = clinic.archive.gateway
  const { destinationId } = await call(dashboardDestinations.add, {
    body: NewDestination.parse({
      ...{ name: 'Orthanc', aeTitle: 'ORTHANC', host: '127.0.0.1', port: orthanc.port },
      hasPriors: true,
    }),
  })
  return await call(dashboardTiers.add, {
    body: {
      ...{ name: 'PACS', isEnabled: true, isAutomatic: false },
      settings: { kind: 'pacs', destinationId },
    },
  })
}

it('retrieves from Orthanc by C-MOVE what is no longer on the PC', async (context) => {
  needs(context, 'orthanc')
  const both = await openBoth()
  const { call } = both.clinic.archive.gateway
  const { tierId } = await addMoveTier(both)
  const tested = await call(dashboardTiers.test, { params: { tierId } })
  expect(tested).toMatchObject({ success: true, message: { code: 'tiers.test-passed-pacs' } })
  const answer = await withdrawnStudy(both)
  expect(answer.status).toBe(200)
  const parts = partsIn(answer).map(({ content }) => content.subarray(-512).toString('hex'))
  expect(parts.sort()).toEqual(dataSetsOf(both.files))
})

it('counts all images of a study that Orthanc sends as fetched, not only the one that was asked for', async (context) => {
  needs(context, 'orthanc')
  const both = await openBoth()
  await addMoveTier(both)
  const image = `/studies/${STUDY}/series/${STUDY}.1/instances/${STUDY}.1.1`
  await withdrawn(both)
  const answer = await both.clinic.archive.get(image, { accept: PARTS })
  expect(answer.status).toBe(200)
  await vi.waitFor(
    async () => {
      const { call } = both.clinic.archive.gateway
      const params = { studyInstanceUid: STUDY }
      expect(await call(dashboardLifecycle.study, { params })).toMatchObject({ removed: 0 })
    },
    { timeout: 20_000, interval: 100 },
  )
  await both.clinic.stop()
  using stopped = openContext({ folder: both.clinic.folder })
  const fetched = rawQuery<{ count: number }>('select count(*) as count from tierRecalls', [])
  expect(stopped.database.get(fetched)).toEqual({ count: both.files.length })
})

it('retrieves from Orthanc by WADO-RS what is no longer on the PC', async (context) => {
  needs(context, 'orthanc-dicomweb')
  const both = await openBoth({
    Plugins: [DICOMWEB_PLUGIN],
    DicomWeb: { Enable: true, Root: '/dicom-web/' },
  })
  const { call } = both.clinic.archive.gateway
  const settings = { kind: 'dicomweb', user: '', certificate: null } as const
  const { tierId } = await call(dashboardTiers.add, {
    body: {
      ...{ name: 'PACS', isEnabled: true, isAutomatic: false },
      settings: { ...settings, url: `${both.orthanc.url}/dicom-web` },
    },
  })
  const tested = await call(dashboardTiers.test, { params: { tierId } })
  expect(tested).toMatchObject({ success: true, message: { code: 'tiers.test-passed-pacs' } })
  const answer = await withdrawnStudy(both)
  expect(answer.status).toBe(200)
  const parts = partsIn(answer).map(({ content }) => content.subarray(-512).toString('hex'))
  expect(parts.sort()).toEqual(dataSetsOf(both.files))
})

it('says that a PACS does not have the image', async (context) => {
  needs(context, 'orthanc-dicomweb')
  const both = await openBoth({
    Plugins: [DICOMWEB_PLUGIN],
    DicomWeb: { Enable: true, Root: '/dicom-web/' },
  })
  const { call } = both.clinic.archive.gateway
  await call(dashboardTiers.add, {
    body: {
      ...{ name: 'Second PACS', isEnabled: true, isAutomatic: false },
      settings: {
        ...{ kind: 'dicomweb', user: '', certificate: null },
        url: `${both.orthanc.url}/dicom-web`,
      },
    },
  })
  for (const id of await both.orthanc.rest<string[]>('/studies'))
    await fetch(`${both.orthanc.url}/studies/${id}`, { method: 'DELETE' })
  const answer = await withdrawnStudy(both)
  expect(answer.bytes.toString()).toContain('Second PACS')
  expect(answer.status).toBe(503)
})
