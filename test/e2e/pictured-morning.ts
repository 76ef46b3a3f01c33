import { randomUUID } from 'node:crypto'
import { worklistDay } from '#electron/simulator/worklist-day.ts'
import type { WorklistItem } from '#shared/contract/webhooks.ts'
import type { Archive } from './modality.ts'
import { askList, callAsStranger, DEVICES, perform, sendImages, TODAY } from './pictured-devices.ts'
import type { PicturedPartner } from './pictured-partner.ts'
import type { PicturedGateway } from './pictured-process.ts'
import { type Call, eventually, type Reply } from './pictured-window.ts'

// What happened in the clinic of the pictures until they are taken.

export const DAY = '2026-11-20'
const NEXT_DAY = '20261121'
const ROOT = '1.2.826.0.1.3680043.8.498.9100'
const STUDIES = [
  {
    number: 1,
    patientName: 'Marlowe^Ottilie',
    mrn: 'MRN-40017',
    dateOfBirth: '1971-05-03',
    sex: 'female',
    severity: 'stat',
  },
  {
    number: 2,
    patientName: 'Quillfeather^Ansgar',
    mrn: 'MRN-40018',
    dateOfBirth: '1958-01-01',
    sex: 'male',
    severity: 'high',
  },
  {
    number: 3,
    patientName: 'Vandermolen^Wilhelmina',
    mrn: 'MRN-40020',
    dateOfBirth: '1949-02-28',
    sex: 'female',
    severity: 'normal',
  },
  {
    number: 4,
    patientName: 'Osei^Kwabena',
    mrn: 'MRN-40021',
    dateOfBirth: '1944-10-09',
    sex: 'male',
    severity: 'normal',
  },
] as const
const DESCRIPTIONS = [
  'CT thorax with contrast',
  'CT head',
  'MR knee right',
  'DX chest PA and lateral',
]
const NORMAL = 'Findings:\nThe lungs are clear. No effusion.\n\nImpression:\nNo acute finding.'
const CRITICAL =
  'Findings:\nHyperdense collection along the left convexity, 11 mm.\n\nImpression:\nAcute left subdural haematoma.'
const TEMPLATE =
  'Findings\nA nodule of [size] mm, {right|left} upper lobe. Pleura and mediastinum: normal.\n\nImpression\n[ ]\n'

type Exam = WorklistItem

interface Morning {
  readonly gateway: PicturedGateway
  readonly archive: Archive
  readonly partner: PicturedPartner
  /** Calls of the owner and of the radiologist. */
  readonly call: Call
  readonly read: Call
}

/** What the pictures are of. */
export type PicturedIds = Readonly<
  Record<'toRead' | 'signed' | 'event' | 'association' | 'exam' | 'device' | 'mismatch', string>
>

export async function liveThroughTheMorning(morning: Morning): Promise<PicturedIds> {
  const { gateway, call, read } = morning
  /** Nobody is away for as long as locks a window. */
  const at = async (time: string) => {
    await gateway.putClock(time)
    await Promise.all([call, read].map((one) => one('GET', 'devices')))
  }
  const device = await furnish(morning)
  await at('07:58')
  const exams = worklistDay(TODAY) as [Exam, Exam, Exam, Exam, Exam, Exam, Exam, Exam]
  const [first, knee, abdomen, chest, head, hand, breast, thorax] = exams
  for (const modality of ['CT', 'DX', 'US', 'MG']) await askList(gateway, modality, TODAY)
  await perform(gateway, first, { from: '08:01', to: '08:09', end: 'COMPLETED' })
  await at('08:10')
  const [toRead = '', ofHead = '', ofKnee = '', ofChest = ''] = await addStudies(gateway)
  await perform(gateway, abdomen, { from: '08:24', to: '08:39', end: 'COMPLETED' })
  await at('08:40')
  await sign(read, ofChest, NORMAL)
  await perform(gateway, chest, { from: '08:47', to: '08:52', end: 'COMPLETED' })
  await at('09:05')
  const { StudyInstanceUID, AccessionNumber } = head
  await sendImages(
    gateway,
    {
      StudyInstanceUID,
      AccessionNumber,
      PatientName: 'Wrongham^Peter',
      PatientID: 'MRN-99999',
      PatientSex: 'M',
    },
    3,
  )
  await at('09:12')
  const right = {
    StudyInstanceUID: `${ROOT}1`,
    AccessionNumber: '',
    PatientName: 'Marlowe^Ottilie',
    PatientID: 'MRN-40017',
    PatientSex: 'F',
  }
  await sendImages(gateway, right, 4)
  await at('09:14')
  const { destinations } = await call('GET', 'destinations')
  for (const { destinationId } of destinations) {
    await call('POST', `destinations/${destinationId}/send`, {
      studyInstanceUid: right.StudyInstanceUID,
    })
  }
  await perform(gateway, thorax, { from: '09:27', to: '09:31', end: 'WRONG ENTRY' })
  await perform(gateway, hand, { from: '09:44', to: '09:47', end: 'COMPLETED' })
  await at('09:50')
  await sign(read, ofHead, CRITICAL, 'Acute left subdural haematoma')
  await perform(gateway, breast, { from: '10:02' })
  await at('10:05')
  await askList(gateway, 'MR', NEXT_DAY)
  await callAsStranger(gateway)
  await call('POST', 'worklist/exams/refresh', {})
  await at('10:20')
  const event = await signWhileThePartnerFails(morning, ofKnee)
  await at('10:26')
  await call('POST', 'events/replay', { which: 'these', eventIds: [event] })
  await eventually(async () => (await call('GET', `events/${event}`)).state === 'done')
  await at('10:42')
  for (const { destinationId } of destinations)
    await call('POST', `destinations/${destinationId}/retry`, {})
  // What a PACS takes is on its way while the day goes on.
  await eventually(async () =>
    (await call('GET', 'destinations')).destinations.some(
      ({ queue }: Reply) => queue.sent > 0 && queue.waiting === 0,
    ),
  )
  const { associations } = await call('GET', 'associations?limit=50')
  // The first exam of the CT: the newest stands first.
  const { associationId } = associations.findLast(({ counts }: Reply) => counts.steps > 1)
  return {
    toRead,
    signed: ofChest,
    event,
    association: associationId,
    exam: knee.StudyInstanceUID,
    device,
    mismatch: StudyInstanceUID,
  }
}

/** Devices, destinations, people and a template. Gives the device of MR. */
async function furnish({ call, archive }: Morning): Promise<string> {
  const devices = await Promise.all(DEVICES.map((device) => call('POST', 'devices', device)))
  await addDestinations(call, archive)
  await call('POST', 'people', {
    ...{
      firstName: 'Edda',
      lastName: 'Quist',
      email: 'edda@clinic.example',
      level: 'member',
      clinicRole: 'Radiologist',
    },
    ...{
      canManageStudies: false,
      hasDashboardAccess: true,
      canCreateReports: true,
      npiNumber: '1234567893',
    },
  })
  const { people } = await call('GET', 'people')
  await call(
    'POST',
    `people/${people.find(({ firstName }: Reply) => firstName === 'Hana').userId}/revoke-access`,
  )
  await call('POST', 'templates', {
    kind: 'template',
    name: 'CT thorax',
    text: TEMPLATE,
    modalities: [],
    for: 'everybody',
  })
  return devices[DEVICES.findIndex(({ aeTitle }) => aeTitle === 'MR1')].deviceId
}

async function addDestinations(call: Call, archive: Archive): Promise<void> {
  const add = (more: object) => call('POST', 'destinations', { host: '127.0.0.1', ...more })
  await add({
    name: 'Hospital PACS',
    aeTitle: 'PACS',
    port: archive.port,
    hasPriors: true,
    isAutomatic: true,
  })
  // Nobody listens there.
  await add({ name: 'Old archive', aeTitle: 'OLDARCHIVE', port: 9 })
}

async function addStudies({ http, keys }: PicturedGateway): Promise<string[]> {
  const made: string[] = []
  for (const { number, severity, ...patient } of STUDIES) {
    const studyDescription = DESCRIPTIONS[number - 1] ?? ''
    const answer = await fetch(`${http}/v1/scribe/studies`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ studyInstanceUid: `${ROOT}${number}`, studyDescription, severity },
        reportMetadata: {
          ...{
            ...patient,
            scanDate: DAY,
            scanTime: `0${7 + (number % 2)}:${10 + number * 9}`,
            scanType: studyDescription.slice(0, 2),
          },
          ...{ facilityName: 'North Clinic', referringPhysicianName: 'Dr. Adeyemi' },
        },
        clinicalIndication: 'Cough for three weeks, weight loss.',
        priorReports: [
          {
            reportText: NORMAL,
            modality: 'CT',
            studyDate: '2025-03-12',
            studyDescription: 'CT thorax',
          },
        ],
      }),
    })
    made.push(((await answer.json()) as { studyId: string }).studyId)
  }
  return made
}

async function sign(call: Call, studyId: string, text: string, finding?: string): Promise<void> {
  const at = `reading/${studyId}/draft`
  const windowId = randomUUID()
  const { draft } = await call('POST', at, { windowId })
  const { revision } = await call('PUT', at, { windowId, revision: draft.revision, text })
  const critical = { isCritical: finding !== undefined, ...(finding && { finding }) }
  const send = (acknowledged: string[]) =>
    call('POST', `${at}/sign`, { windowId, revision, ...critical, acknowledged })
  const first = await send([])
  if (first.outcome === 'checks') await send(first.findings.map(({ check }: Reply) => check))
}

/** Gives the event of the report, which was tried once. */
async function signWhileThePartnerFails(
  { call, read, partner }: Morning,
  studyId: string,
): Promise<string> {
  // The one before is there first, so that it is this one that fails.
  await eventually(
    async () =>
      (await call('GET', 'events?type=report.delivered&show=waiting')).events.length === 0,
  )
  partner.failNextReport()
  await sign(read, studyId, NORMAL)
  const { eventId } = await eventually(async () => {
    const { events } = await call('GET', 'events?type=report.delivered')
    return events.find(
      ({ attempts, createdAt }: Reply) => attempts > 0 && createdAt.startsWith(`${DAY}T10:20`),
    )
  })
  return eventId
}
