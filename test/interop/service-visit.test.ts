import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { dashboard, dashboardDevices } from '#shared/contract/dashboard.ts'
import { dashboardServiceVisit } from '#shared/contract/service-visit.ts'
import { englishText } from '#shared/messages/english.ts'
import { echoscu, findscu, scratchFolder } from '../support/dcmtk.ts'
import { type StartedGateway, startGateway } from '../support/gateway.ts'
import { writeInstance } from '../support/instance-file.ts'
import { needs } from '../support/needs.ts'

// What a device's engineer is shown of DCMTK's tools, and that the log to take away has no patient.

const run = promisify(execFile)
/** Planted in a query, in an image and in the partner's list. */
const UID = '1.2.826.0.1.3680043.8.498.77'
const CANARIES = ['CANARIO', 'ELVIRA', 'PATIENT-4711', '19570411', UID]
const scratch = scratchFolder()
let clinic: StartedGateway
let deviceId: string

beforeEach((context) => needs(context, 'dcmtk'))
beforeAll(async () => {
  clinic = await startGateway({ devices: [{ aeTitle: 'CT1', name: 'CT, room 1' }] })
  const { devices } = await clinic.call(dashboardDevices.devices, {})
  deviceId = devices[0]?.deviceId ?? ''
})
afterAll(async () => {
  await clinic[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

const read = async () =>
  (await clinic.call(dashboardServiceVisit.read, { params: { deviceId } })).associations
const newest = async () => (await read())[0]

it('shows an echo with its command fields, presentation contexts and PDU size', async () => {
  expect(await echoscu(clinic.dimsePort)).toBe(true)
  await vi.waitFor(async () => expect((await newest())?.association.how).toBe('released'))
  expect(await newest()).toMatchObject({
    association: { aeTitle: 'CT1', calledAeTitle: 'ISTHMUS', address: '127.0.0.1' },
    isTraced: true,
    rejection: null,
    terms: {
      maximumLength: 16_384,
      contexts: [
        {
          ...{ name: 'Verification', result: 0 },
          transferSyntax: 'Implicit VR Little Endian',
        },
      ],
    },
    messages: [
      {
        ...{ type: 'C-ECHO-RQ', service: 'Verification', status: 0, meaning: 'Success' },
        ...{ transferSyntax: 'Implicit VR Little Endian', dataSet: null, isFailure: false },
        request: [
          { keyword: 'AffectedSOPClassUID', value: 'Verification' },
          { keyword: 'MessageID', value: '1' },
        ],
      },
    ],
  })
})

it('shows a worklist query and a stored image without the patient, and with the patient to whoever asks', async () => {
  await findscu({
    port: clinic.dimsePort,
    args: [
      ...['-k', 'PatientName=CANARIO^ELVIRA', '-k', 'PatientID=PATIENT-4711'],
      ...['-k', 'PatientBirthDate=19570411', '-k', 'ScheduledProcedureStepSequence[0].Modality=CT'],
    ],
  })
  const { path } = writeInstance(scratch.path, {
    patientName: 'CANARIO^ELVIRA',
    ...{ studyInstanceUid: UID, sopInstanceUid: `${UID}.1.1` },
    more: { PatientID: 'PATIENT-4711' },
  })
  await run('storescu', [
    '-aet',
    'CT1',
    '-aec',
    'ISTHMUS',
    '127.0.0.1',
    String(clinic.dimsePort),
    path,
  ])
  await vi.waitFor(async () =>
    expect((await newest())?.messages).toMatchObject([{ type: 'C-STORE-RQ', dataSet: null }]),
  )
  const [stored, asked] = await read()
  expect(stored?.messages[0]?.bytes).toBeGreaterThan(100)
  expect(stored?.messages[0]?.request).toContainEqual({
    keyword: 'AffectedSOPInstanceUID',
    value: null,
  })
  const elements = asked?.messages[0]?.dataSet ?? []
  expect(Object.fromEntries(elements.map(({ keyword, value }) => [keyword, value]))).toMatchObject({
    ...{ PatientName: null, PatientID: null, PatientBirthDate: null, Modality: 'CT' },
  })

  const values = dashboardServiceVisit.values
  const associationId = asked?.association.associationId ?? ''
  const shown = await clinic.call(values, { params: { deviceId, associationId } })
  expect(JSON.stringify(shown)).toContain('CANARIO^ELVIRA')
  const { entries } = await clinic.call(dashboard.audit, {
    query: { action: 'device.read-values' },
  })
  expect(entries).toMatchObject([{ target: deviceId, detail: { messages: 1 } }])
})

it('says why an association was rejected, and what to do', async () => {
  // From the address of the device, but with another AE title than the one in the list.
  expect(await echoscu(clinic.dimsePort, 'CT1')).toBe(true)
  await findscu({ port: clinic.dimsePort, calling: 'CT-ONE', args: ['-k', 'PatientName'] })
  await vi.waitFor(async () => expect((await newest())?.association.how).toBe('rejected'))
  const rejected = await newest()
  expect(rejected?.association.aeTitle).toBe('CT-ONE')
  expect(rejected?.rejection).toBe(
    'rejected-permanent (1), DICOM UL service-user (1), calling-AE-title-not-recognized (3)',
  )
  expect(rejected?.remedy && englishText(rejected.remedy)).toContain('Add the device under Devices')
  const associationId = rejected?.association.associationId ?? ''
  const params = { deviceId, associationId }
  expect(await clinic.call(dashboardServiceVisit.values, { params })).toMatchObject({
    messages: [],
  })
})

it.each(['text', 'json'] as const)(
  'gives a log to take away as %s that names no patient',
  async (format) => {
    const { fileName, text } = await clinic.call(dashboardServiceVisit.log, {
      params: { deviceId },
      query: { format },
    })
    expect(fileName).toBe(format === 'json' ? 'isthmus-CT1.json' : 'isthmus-CT1.txt')
    for (const said of [
      'C-ECHO-RQ',
      'C-FIND-RQ',
      'C-STORE-RQ',
      'CT-ONE',
      'PatientName',
      'MessageID',
    ])
      expect(text).toContain(said)
    for (const canary of CANARIES) expect(text).not.toContain(canary)
  },
)
