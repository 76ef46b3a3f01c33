import { describe, expect, it } from 'vitest'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardDestinations, NewDestination } from '#shared/contract/destinations.ts'
import { dashboardLifecycle } from '#shared/contract/lifecycle.ts'
import { englishText } from '#shared/messages/english.ts'
import { freePort } from '../support/free-port.ts'
import {
  type ImagingClinic,
  imageOf,
  openImagingClinic,
  sendImages,
  UID,
} from '../support/imaging-clinic.ts'
import { needs } from '../support/needs.ts'
import { type Orthanc, startOrthanc } from '../support/orthanc.ts'

// Storage commitment as SCU (PS3.4 Annex J): the gateway asks an Orthanc that is a destination and
// no device, and Orthanc reports over an association of its own.

async function both(): Promise<
  { readonly clinic: ImagingClinic; readonly orthanc: Orthanc } & AsyncDisposable
> {
  await using opened = new AsyncDisposableStack()
  const clinic = opened.use(await openImagingClinic({ partner: null }))
  const orthanc = opened.use(await startOrthanc(clinic.gateway.dimsePort, {}, await freePort()))
  const kept = opened.move()
  return { clinic, orthanc, [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose]() }
}

const feedOf = async ({ gateway: { call } }: ImagingClinic) =>
  (await call(dashboard.feed, { query: { limit: 100 } })).lines.map(({ text }) => englishText(text))
const archiveAt = (port: number) =>
  NewDestination.parse({
    ...{ name: 'PACS', aeTitle: 'ORTHANC', host: '127.0.0.1', port },
    ...{ isAutomatic: true, confirmsStorage: true },
  })

describe('Orthanc as a destination', () => {
  it('confirms the study that was forwarded to it', async (context) => {
    needs(context, 'orthanc')
    await using pair = await both()
    const { clinic, orthanc } = pair
    await clinic.gateway.call(dashboardDestinations.add, { body: archiveAt(orthanc.port) })
    await sendImages(
      clinic,
      [1, 2, 3].map((number) => imageOf(number)),
    )
    await expect
      .poll(() => feedOf(clinic), { timeout: 30_000 })
      .toContain('PACS has confirmed that it keeps 3 objects.')
    expect(await orthanc.instances()).toBe(3)
  })

  it('does not confirm an image that it no longer has', async (context) => {
    needs(context, 'orthanc')
    await using pair = await both()
    const { clinic, orthanc } = pair
    const { call } = clinic.gateway
    const { destinationId } = await call(dashboardDestinations.add, {
      body: { ...archiveAt(orthanc.port), confirmsStorage: false },
    })
    await sendImages(
      clinic,
      [1, 2].map((number) => imageOf(number)),
    )
    await expect.poll(() => orthanc.instances(), { timeout: 30_000 }).toBe(2)
    const [first] = await orthanc.rest<string[]>('/instances')
    await fetch(`${orthanc.url}/instances/${first}`, { method: 'DELETE' })
    await call(dashboardDestinations.update, {
      params: { destinationId },
      body: { confirmsStorage: true },
    })
    await expect
      .poll(() => feedOf(clinic), { timeout: 30_000 })
      .toContain('PACS has not confirmed that it keeps 1 object. It will be asked again.')
  })

  it('has a confirmed copy of what it returns unchanged, and none of what it has changed', async (context) => {
    needs(context, 'orthanc')
    await using pair = await both()
    const { clinic, orthanc } = pair
    const { call } = clinic.gateway
    const { destinationId } = await call(dashboardDestinations.add, {
      body: { ...archiveAt(orthanc.port), confirmsStorage: false, hasPriors: true },
    })
    await sendImages(
      clinic,
      [1, 2].map((number) => imageOf(number)),
    )
    await expect.poll(() => orthanc.instances(), { timeout: 30_000 }).toBe(2)
    const [first] = await orthanc.rest<string[]>('/instances')
    const kept = ['SOPInstanceUID', 'SeriesInstanceUID', 'StudyInstanceUID']
    const changing = { Replace: { PatientComments: 'changed' }, Keep: kept, Force: true }
    const changed = await fetch(`${orthanc.url}/instances/${first}/modify`, {
      method: 'POST',
      body: JSON.stringify(changing),
    })
    const bytes = Buffer.from(await changed.arrayBuffer())
    await fetch(`${orthanc.url}/instances/${first}`, { method: 'DELETE' })
    await orthanc.rest('/instances', bytes)
    const study = { studyInstanceUid: UID }
    await call(dashboardDestinations.pull, { params: { destinationId }, body: study })
    await expect
      .poll(async () => (await call(dashboardDestinations.pulls, {})).pulls[0]?.state, {
        timeout: 30_000,
      })
      .toBe('done')
    expect((await call(dashboardLifecycle.study, { params: study })).copies).toMatchObject([
      { name: 'PACS', kind: 'read-back', instances: 1 },
    ])
  })

  it('is asked by a rule for what it cannot confirm, and the files go when it has returned them', async (context) => {
    needs(context, 'orthanc')
    await using pair = await both()
    const { clinic, orthanc } = pair
    const { call } = clinic.gateway
    await call(dashboardDestinations.add, {
      body: { ...archiveAt(orthanc.port), confirmsStorage: false, hasPriors: true },
    })
    await sendImages(
      clinic,
      [1, 2].map((number) => imageOf(number)),
    )
    await expect.poll(() => orthanc.instances(), { timeout: 30_000 }).toBe(2)
    const { ruleId, revision } = await call(dashboardLifecycle.add, {
      body: {
        ...{ name: 'Read back', since: 'received', days: 0, modalities: [], devices: [] },
        ...{ requiresSignedReport: false, copies: 1, isEarlierWhenLow: false, readsBack: true },
      },
    })
    const params = { ruleId }
    await expect
      .poll(async () => (await call(dashboardLifecycle.preview, { params })).kept, {
        timeout: 30_000,
      })
      .toMatchObject([{ reason: 'not-confirmed', studies: 1 }])
    await call(dashboardLifecycle.switch, { params, body: { isOn: true, revision } })
    await call(dashboardLifecycle.run, {})
    const study = { studyInstanceUid: UID }
    await expect
      .poll(async () => (await call(dashboardLifecycle.study, { params: study })).copies, {
        timeout: 30_000,
      })
      .toMatchObject([{ name: 'PACS', kind: 'read-back', instances: 2 }])
    await expect
      .poll(
        async () => {
          await call(dashboardLifecycle.run, {})
          return (await call(dashboardLifecycle.study, { params: study })).removed
        },
        { timeout: 30_000 },
      )
      .toBe(2)
  })
})
