import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardDestinations, NewDestination } from '#shared/contract/destinations.ts'
import { englishText } from '#shared/messages/english.ts'
import { scratchFolder } from '../support/dcmtk.ts'
import { freePort } from '../support/free-port.ts'
import { type StartedGateway, startGateway } from '../support/gateway.ts'
import { CT_IMAGE_STORAGE } from '../support/instance-file.ts'
import { isThere, type Need, needs } from '../support/needs.ts'
import { type Orthanc, startOrthanc } from '../support/orthanc.ts'
import {
  errorsOf,
  notDicom,
  outcomeOf,
  type Sendable,
  samplesByLack,
  sendAsItIs,
  sendable,
  storedIn,
} from './storage-fixture.ts'

const ALL: readonly Need[] = ['orthanc', 'samples', 'dcmtk', 'dicom3tools']
/** No two of one SOP Instance UID, of which Orthanc keeps the first. */
const AS_THEY_ARE = [
  ...[
    'MR_small_implicit.dcm',
    'liver_expb_1frame.dcm',
    'SC_rgb_rle.dcm',
    'J2K_pixelrep_mismatch.dcm',
    'SC_rgb_dcmtk_+eb+cr.dcm',
  ],
  ...['SC_rgb_jpeg_dcmtk.dcm', 'test-SR.dcm', 'rtplan.dcm'],
]
/**
 * Orthanc, which sends by DCMTK, writes these anew: group lengths go, deflated data sets come out
 * otherwise.
 */
const WRITTEN_ANEW = [
  'CT_small.dcm',
  'image_dfl.dcm',
  '693_J2KI.dcm',
  'JPGExtended.dcm',
  'waveform_ecg.dcm',
  'reportsi.dcm',
]

const scratch = scratchFolder()
let chosen: Sendable[]
beforeAll(() => {
  if (!isThere('samples')) return
  const names = [...AS_THEY_ARE, ...WRITTEN_ANEW]
  chosen = sendable(
    (samplesByLack().get('') ?? []).filter(({ name }) => names.includes(name)),
    scratch.path,
  )
})
afterAll(() => scratch[Symbol.dispose]())

const digest = ({ dataSet }: { readonly dataSet: Buffer }) => dataSet.toString('latin1')
const namesIn = (found: ReadonlySet<string>) =>
  chosen
    .filter((sample) => found.has(digest(sample)))
    .map(({ name }) => name)
    .sort()

/** The gateway and an Orthanc that know each other. */
async function both(): Promise<
  { readonly started: StartedGateway; readonly orthanc: Orthanc } & AsyncDisposable
> {
  await using opened = new AsyncDisposableStack()
  const port = await freePort()
  const devices = [{ aeTitle: 'CT1' }, { aeTitle: 'ORTHANC', port }]
  const overrides = { 'commitment.isOn': true, 'intake.idleSeconds': 1 }
  const started = opened.use(await startGateway({ partner: null, devices, overrides }))
  const orthanc = opened.use(await startOrthanc(started.dimsePort, {}, port))
  const kept = opened.move()
  return { started, orthanc, [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose]() }
}

/** Gives the samples to Orthanc; its own ids of them. */
async function uploaded(orthanc: Orthanc): Promise<string[]> {
  const answers: { readonly ID: string; readonly Status: string }[] = []
  for (const { path } of chosen) answers.push(await orthanc.rest('/instances', readFileSync(path)))
  expect(answers.map(({ Status }) => Status)).toEqual(chosen.map(() => 'Success'))
  return answers.map(({ ID }) => ID)
}

interface CommitmentReport {
  readonly Status: 'Pending' | 'Success' | 'Failure'
  readonly RemoteAET: string
  readonly Success: readonly unknown[]
  readonly Failures: readonly { readonly SOPInstanceUID: string; readonly FailureReason: number }[]
}

/** What Orthanc knows of a commitment once it has been told. */
async function reported(orthanc: Orthanc, transactionUid: string): Promise<CommitmentReport> {
  for (;;) {
    const report = await orthanc.rest<CommitmentReport>(`/storage-commitment/${transactionUid}`)
    if (report.Status !== 'Pending') return report
    await sleep(50)
  }
}

const feedOf = async ({ call }: StartedGateway) =>
  (await call(dashboard.feed, { query: { limit: 100 } })).lines.map(({ text }) => englishText(text))

describe('Orthanc', () => {
  it('sends a study in every transfer syntax, and is told that all of it is kept', async (context) => {
    needs(context, ...ALL)
    await using pair = await both()
    const { started, orthanc } = pair
    const ids = await uploaded(orthanc)
    const sent = await orthanc.rest<{
      FailedInstancesCount: number
      StorageCommitmentTransactionUID: string
    }>('/modalities/isthmus/store', {
      Resources: ids,
      StorageCommitment: true,
    })
    expect(sent.FailedInstancesCount).toBe(0)
    const stored = storedIn(join(started.folder, 'images'))
    expect(stored).toHaveLength(chosen.length)
    expect(await notDicom(stored.map(({ path }) => path))).toEqual([])
    expect(namesIn(new Set(stored.map(digest)))).toEqual(AS_THEY_ARE.toSorted())
    const known = new Set((await Promise.all(chosen.map(({ path }) => errorsOf(path)))).flat())
    const found = (await Promise.all(stored.map(({ path }) => errorsOf(path)))).flat()
    expect(found.filter((error) => !known.has(error))).toEqual([])

    const report = await reported(orthanc, sent.StorageCommitmentTransactionUID)
    expect(report).toMatchObject({ Status: 'Success', RemoteAET: 'ISTHMUS' })
    expect([report.Success.length, report.Failures]).toEqual([chosen.length, []])
    await expect
      .poll(() => feedOf(started))
      .toContain(`ORTHANC was notified that ${chosen.length} objects are stored.`)
  })

  it('is told which instance of a commitment is not here', async (context) => {
    needs(context, ...ALL)
    await using pair = await both()
    const { started, orthanc } = pair
    const [first] = chosen
    if (!first) throw new Error('no sample')
    expect((await sendAsItIs(started.dimsePort, [first])).map(outcomeOf)).toEqual(['sent 0000'])
    const named = [first, { sopClassUid: CT_IMAGE_STORAGE, sopInstanceUid: '2.25.999' }]
    const { ID } = await orthanc.rest<{ ID: string }>('/modalities/isthmus/storage-commitment', {
      DicomInstances: named.map(({ sopClassUid, sopInstanceUid }) => ({
        SOPClassUID: sopClassUid,
        SOPInstanceUID: sopInstanceUid,
      })),
    })
    const report = await reported(orthanc, ID)
    expect(report.Status).toBe('Failure')
    expect(report.Success).toMatchObject([{ SOPInstanceUID: first.sopInstanceUid }])
    // PS3.3 C.14.1.1: no such object instance.
    expect(report.Failures).toMatchObject([{ SOPInstanceUID: '2.25.999', FailureReason: 0x0112 }])
    await expect
      .poll(() => feedOf(started))
      .toContain('ORTHANC was notified that 1 of 2 objects is not stored here.')
  })

  it('is sent what the gateway receives, and writes it as it came', async (context) => {
    needs(context, ...ALL)
    await using pair = await both()
    const { started, orthanc } = pair
    const body = {
      name: 'PACS',
      aeTitle: 'ORTHANC',
      host: '127.0.0.1',
      port: orthanc.port,
      isAutomatic: true,
    }
    const { destinationId } = await started.call(dashboardDestinations.add, {
      body: NewDestination.parse(body),
    })
    expect((await sendAsItIs(started.dimsePort, chosen)).map(outcomeOf)).toEqual(
      chosen.map(() => 'sent 0000'),
    )
    for (;;) {
      const { destinations } = await started.call(dashboardDestinations.list, {})
      const queue = destinations.find(
        (destination) => destination.destinationId === destinationId,
      )?.queue
      if (queue?.waiting === 0) {
        expect(queue).toEqual({ waiting: 0, sent: chosen.length, failed: 0 })
        break
      }
      await sleep(50)
    }
    const ids = await orthanc.rest<string[]>('/instances')
    expect(ids).toHaveLength(chosen.length)
    const files = await Promise.all(ids.map((id) => orthanc.download(`/instances/${id}/file`)))
    const dataSets = files.map((file) =>
      file.subarray(144 + file.readUInt32LE(140)).toString('latin1'),
    )
    // What has group lengths it writes anew when it receives, too.
    expect(namesIn(new Set(dataSets))).toEqual(expect.arrayContaining(AS_THEY_ARE))
  })
})
