import { randomUUID } from 'node:crypto'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Context, openContext } from '#server/context.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { listAnswersOfDay, readDocument } from '#server/modules/worklist/queries.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardActivity } from '#shared/contract/dashboard-activity.ts'
import { dashboardBackups } from '#shared/contract/dashboard-backups.ts'
import { dashboardExams } from '#shared/contract/dashboard-exams.ts'
import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import { dashboardSecurity } from '#shared/contract/dashboard-security.ts'
import { dashboardSetup } from '#shared/contract/dashboard-setup.ts'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { dashboardToday } from '#shared/contract/dashboard-today.ts'
import { dashboardDestinations } from '#shared/contract/destinations.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { express } from '#shared/contract/express.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { scribeUsers, viewerUsers } from '#shared/contract/users.ts'
import { viewer } from '#shared/contract/viewer.ts'
import { englishText } from '#shared/messages/english.ts'
import type { Operation } from '#shared/operation.ts'
import { image } from '../electron/server/modules/images/intake-fixture.ts'
import { item, NOW, openPartner } from '../electron/server/modules/worklist/worklist-fixture.ts'
import { findscu } from '../support/dcmtk.ts'
import { OWNER, type StartedGateway, sessionHeaders, startGateway } from '../support/gateway.ts'
import { httpCall } from '../support/http-call.ts'
import { openModality } from '../support/modality.ts'
import { failingDisk, smallDisk } from '../support/mount.ts'
import { needs } from '../support/needs.ts'
import { associated, ECHO_CONTEXT } from '../support/requestor.ts'
import { standingClock } from '../support/temp-store.ts'
import { queryWorklist } from '../support/worklist-client.ts'

// What devices and the window get of a gateway whose disk takes no writes (docs/OPERATION.md, "When
// the disk is full or read-only").

const MINUTE = 60_000
const FULL =
  'The database cannot be written to: its disk is full. Devices get their worklists, but nothing is recorded, and images, reports and changes are refused.'
const SAID_ONCE = 'the database cannot be written to: worklists are served without records'
const STEP = { PerformedProcedureStepStatus: 'IN PROGRESS', Modality: 'CT', PatientID: 'P001' }

/** Writes until nothing more fits; the file's path. */
function fill(folder: string): string {
  const path = join(folder, 'ballast')
  const file = openSync(path, 'w')
  try {
    for (const block of [Buffer.alloc(1 << 20), Buffer.alloc(4096)])
      for (;;) {
        try {
          writeSync(file, block)
        } catch {
          break
        }
      }
  } finally {
    closeSync(file)
  }
  return path
}

/** Text that does not become smaller by compression: answers that need room. */
const noise = (seed: number): string =>
  Array.from({ length: 60 }, (_, at) =>
    String.fromCharCode(97 + ((seed * 7919 + at * at * 31) % 26)),
  ).join('')
const longList = (round: number) =>
  Array.from({ length: 400 }, (_, at) =>
    item(at + 1, {
      StudyDescription: noise(round * 1000 + at),
      RequestedProcedureDescription: noise(round * 777 + at * 3),
    }),
  )

/** Everything that is read without naming one thing. */
const READS = [
  ...[
    dashboard,
    dashboardActivity,
    dashboardDestinations,
    dashboardEvents,
    dashboardExams,
    dashboardImages,
    dashboardPeople,
  ],
  ...[
    dashboardReports,
    dashboardSecurity,
    dashboardSetup,
    dashboardStudies,
    dashboardToday,
    dashboardBackups,
  ],
  ...[express, scribe, scribeUsers, viewer, viewerUsers],
]
  .flatMap((operations): Operation[] => Object.values(operations))
  .flatMap(({ method, path }) => (method === 'GET' && !path.includes(':') ? [path] : []))

async function startClinic(folder: string, prepare?: (context: Context) => void) {
  const clock = standingClock(NOW)
  const partner = await openPartner({ items: longList(0) })
  const overrides = {
    'clinic.timeZone': 'UTC',
    'worklist.freshSeconds': 0,
    'commitment.isOn': true,
  } as const
  const gateway = await startGateway({
    partner: partner.url,
    folder: join(folder, 'data'),
    clock,
    overrides,
    devices: [{ aeTitle: 'CT1' }, { aeTitle: 'MR1' }],
    ...(prepare && { prepare }),
  })
  return {
    ...{ clock, partner, gateway },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await partner[Symbol.asyncDispose]()
    },
  }
}
type Clinic = Awaited<ReturnType<typeof startClinic>>

/** Answers of 400 exams come, each another one, until the disk takes none of them. */
async function queryUntilUnwritten({ partner, gateway }: Clinic): Promise<void> {
  for (let round = 1; round < 100; round++) {
    partner.now({ items: longList(round) })
    expect(await queryWorklist(gateway.dimsePort)).toMatchObject({
      status: '0000',
      rows: { length: 400 },
    })
    if ((await gateway.call(dashboard.status, {})).records.state !== 'ok') return
  }
  throw new Error('The disk takes everything')
}

const errorsIn = ({ log }: StartedGateway): string[] =>
  log.map((line) => JSON.parse(line)).flatMap(({ level, msg }) => (level === 'error' ? [msg] : []))

/** What says that something is kept is refused; what does not is answered. */
async function expectDegraded({ gateway, partner, clock }: Clinic, comment: string): Promise<void> {
  // A device that has not asked yet, and one that has.
  partner.now({ items: [item(1), item(2)] })
  expect(await queryWorklist(gateway.dimsePort, { callingAeTitle: 'MR1' })).toMatchObject({
    status: '0000',
    accessionNumbers: ['A001', 'A002'],
  })
  expect(await queryWorklist(gateway.dimsePort)).toMatchObject({
    status: '0000',
    accessionNumbers: ['A001', 'A002'],
  })
  await using console = await associated(gateway.dimsePort, { contexts: [ECHO_CONTEXT] })
  expect(await console.echo()).toBe(0)

  await using modality = await openModality(gateway.dimsePort)
  expect(await modality.store(image(1))).toMatchObject({ status: 'A700', comment })
  expect(await modality.begin('1.2.3.77', STEP)).toMatchObject({ status: '0213', comment })
  expect(await modality.askCommitment('1.2.3.78', [String(image(1).SOPInstanceUID)])).toMatchObject(
    { status: '0213', comment },
  )

  // The partner goes down: the last good answer is the one that was never written.
  partner.now({ status: 503 })
  clock.pass(2 * MINUTE)
  expect(await queryWorklist(gateway.dimsePort, { callingAeTitle: 'MR1' })).toMatchObject({
    status: '0000',
    accessionNumbers: ['A001', 'A002'],
  })
  partner.now({ items: [item(1), item(2)] })

  // The window goes on for who is signed in, well beyond the minutes after which it would lock
  // itself.
  for (let quarter = 0; quarter < 4; quarter++) {
    clock.pass(4 * MINUTE)
    await gateway.call(dashboard.devices, {})
  }
  const { devices } = await gateway.call(dashboard.devices, {})
  const asked = await gateway.call(dashboard.askWorklist, {
    body: { deviceId: devices.find(({ aeTitle }) => aeTitle === 'CT1')?.deviceId ?? '' } as never,
  })
  expect(
    asked.rows.filter(({ verdict }) => verdict === 'sent').map((row) => row.accessionNumber),
  ).toEqual(['A001', 'A002'])
  expect(
    (await gateway.call(dashboardExams.exams, { query: {} } as never)).exams.length,
  ).toBeGreaterThan(0)
}

describe('a disk without any room', () => {
  it('takes no device its worklist: it is served and not recorded, said once, and written again when there is room', {
    timeout: 120_000,
  }, async (context) => {
    needs(context, 'mounts')
    using disk = smallDisk(64)
    await using clinic = await startClinic(disk.path)
    const { gateway, clock } = clinic
    expect((await queryWorklist(gateway.dimsePort)).status).toBe('0000')
    const ballast = fill(disk.path)
    await queryUntilUnwritten(clinic)
    await expectDegraded(clinic, 'Too little disk space')

    const { records, banner } = await gateway.call(dashboard.status, {})
    expect([records.state, records.detail, banner]).toEqual([
      'full',
      FULL,
      { tone: 'danger', text: FULL },
    ])
    const { items } = await gateway.call(dashboardToday.today, {})
    expect(items).toContainEqual(
      expect.objectContaining({ kind: 'disk', tone: 'danger', detail: FULL, since: records.since }),
    )
    const lines = (await gateway.call(dashboard.feed, { query: { limit: 100 } })).lines.map(
      ({ text }) => englishText(text),
    )
    expect(lines.filter((text) => text === FULL)).toHaveLength(1)
    expect(errorsIn(gateway)).toEqual([SAID_ONCE])
    const rename = async () => {
      await gateway.call(dashboardSecurity.confirm, { body: { password: OWNER.password } })
      await gateway.call(dashboard.changeSettings, {
        body: { settings: { 'clinic.name': 'X'.repeat(60) } },
      })
    }
    await expect(rename()).rejects.toThrow('503')

    rmSync(ballast)
    clock.pass(MINUTE)
    expect((await queryWorklist(gateway.dimsePort)).status).toBe('0000')
    expect((await gateway.call(dashboard.status, {})).records).toEqual({
      state: 'ok',
      since: null,
      detail: null,
    })
    const { inspections } = await gateway.call(dashboard.inspections, { query: { limit: 1 } })
    expect(inspections[0]).toMatchObject({ status: '0000', sent: 2 })
    // What was held in memory for the other device is on the disk.
    await clinic[Symbol.asyncDispose]()
    using store = openContext({ folder: join(disk.path, 'data'), clock, uuid: randomUUID })
    const { documentHash = '' } =
      listAnswersOfDay(store.database, '2026-11-20').find(({ callingAe }) => callingAe === 'MR1') ??
      {}
    expect(JSON.parse(readDocument(store, documentHash)?.toString() ?? '')).toMatchObject({
      items: [{ PatientID: 'P001' }, { PatientID: 'P002' }],
    })
  })

  it('answers every call of the window and of partners that only reads', {
    timeout: 120_000,
  }, async (context) => {
    needs(context, 'mounts')
    using disk = smallDisk(64)
    let key = ''
    await using clinic = await startClinic(disk.path, (context) => {
      key = createApiKey(
        context,
        { description: 'Cloud RIS', isViewerEnabled: true, scope: 'all' },
        'command-line',
      ).key
    })
    const { gateway, clock } = clinic
    expect((await queryWorklist(gateway.dimsePort)).status).toBe('0000')
    const window = await sessionHeaders(gateway.http, OWNER)
    const statuses = async () => {
      const answers: string[] = []
      for (const path of READS) {
        const headers = path.startsWith('/v1') ? { authorization: `Bearer ${key}` } : window
        answers.push(`${path} ${(await httpCall(`${gateway.http}${path}`, { headers })).status}`)
      }
      return answers
    }
    const before = await statuses()
    expect(before.filter((answer) => answer.endsWith(' 200')).length).toBeGreaterThan(40)
    fill(disk.path)
    await queryUntilUnwritten(clinic)
    clock.pass(2 * MINUTE)
    expect(await statuses()).toEqual(before)
  })

  it('answers a console that is not ours', async (context) => {
    needs(context, 'mounts', 'dcmtk')
    using disk = smallDisk(64)
    await using clinic = await startClinic(disk.path)
    fill(disk.path)
    await queryUntilUnwritten(clinic)
    const args = ['-k', 'PatientName', '-k', 'ScheduledProcedureStepSequence[0].Modality']
    expect(await findscu({ port: clinic.gateway.dimsePort, args })).toMatchObject({
      pending: 400,
      final: 'Success',
    })
  })
})

describe('a disk that can only be read all at once', () => {
  it('takes no device its worklist, and ends without a fault', {
    timeout: 120_000,
  }, async (context) => {
    needs(context, 'loops')
    using disk = failingDisk(96)
    const clinic = await startClinic(disk.path)
    const { gateway } = clinic
    try {
      expect((await queryWorklist(gateway.dimsePort)).status).toBe('0000')
      disk.fail()
      await queryUntilUnwritten(clinic)
      await expectDegraded(clinic, 'Disk cannot be written to')
      const { records, banner } = await gateway.call(dashboard.status, {})
      expect(records).toMatchObject({
        state: 'read-only',
        since: expect.any(String),
        detail: expect.stringContaining('its disk is read-only'),
      })
      expect(banner).toEqual({ tone: 'danger', text: records.detail })
      expect(errorsIn(gateway)).toEqual([SAID_ONCE])
    } finally {
      await clinic[Symbol.asyncDispose]()
    }
  })
})
