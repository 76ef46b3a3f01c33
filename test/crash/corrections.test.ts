import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, it, vi } from 'vitest'
import { openContext } from '#server/context.ts'
import { rawQuery } from '#server/database/query.ts'
import { addDevice } from '#server/modules/devices/devices.ts'
import { listInstanceVersions } from '#server/modules/images/instance-queries.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import { dashboardCorrectionNotices } from '#shared/contract/correction-notices.ts'
import { dashboardCorrections } from '#shared/contract/corrections.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardDestinations } from '#shared/contract/destinations.ts'
import { openArchive } from '../electron/server/modules/forwarding/forwarding-fixture.ts'
import { SERIES } from '../electron/server/modules/images/intake-fixture.ts'
import { bundledChild } from '../support/bundled-child.ts'
import { serving } from '../support/command-line.ts'
import { DEVICE } from '../support/device.ts'
import { freePort } from '../support/free-port.ts'
import { callerOf, OWNER, type StartedGateway, sessionHeaders } from '../support/gateway.ts'
import { imageOf, sopUid, UID } from '../support/imaging-clinic.ts'
import { openModality } from '../support/modality.ts'
import { tempFolder } from '../support/temp-store.ts'
import { perTier } from '../support/tier.ts'

const ROUNDS = perTier(8, 150)
const IMAGES = 6

/** Kills the program at a moment within its work on corrections; how many it had acknowledged. */
async function killed(program: string, folder: string): Promise<number> {
  const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  const after = 2 + Math.floor(Math.random() * 4)
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk
    if (printed.split('\n').length > after)
      setTimeout(() => child.kill('SIGKILL'), Math.random() * 60)
  })
  await once(child, 'close')
  return printed.split('\n').length - 2
}

/** Starts the program once more, which cleans up as every start does, and ends. */
async function started(program: string, folder: string): Promise<void> {
  const child = spawn(process.execPath, [program, folder, 'start'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  expect(await once(child, 'close')).toEqual([0, null])
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.dcm'))
    .map((name) => name.replaceAll('\\', '/'))

it('a process that is killed while it corrects images shows each image once, whole, and leaves no other file', {
  timeout: 480_000,
}, async () => {
  using temp = tempFolder()
  const program = await bundledChild('image-corrector.ts')
  let acknowledged = 0
  for (let round = 0; round < ROUNDS; round++) {
    acknowledged += await killed(program, temp.folder)
    await started(program, temp.folder)
    using store = openContext({ folder: temp.folder, clock: Date.now, uuid: randomUUID })
    const { imageFiles, database } = store
    expect(imageFiles.copies.list()).toEqual([])
    expect([...imageFiles.recovery.files()]).toEqual([])
    const rows = database.all(
      rawQuery<{
        instanceId: number
        file: string
        state: string
        crc32: number
        dataSetOffset: number
      }>('select instanceId, file, state, crc32, dataSetOffset from instances', []),
    )
    expect(filesIn(join(temp.folder, 'images')).sort()).toEqual(rows.map(({ file }) => file).sort())
    for (const { file, crc32: expected, dataSetOffset } of rows)
      expect(crc32(readFileSync(imageFiles.pathOf(file)).subarray(dataSetOffset))).toBe(expected)
    // Each image is shown once: as it came, or as one copy. Copies that were complete and not
    // committed are in quarantine.
    const current = rows.filter(({ state }) => state === 'current')
    expect(current).toHaveLength(IMAGES)
    for (let number = 1; number <= IMAGES; number++) {
      const original = listInstanceVersions(database, `${SERIES}.${number}`)[0]
      const copies = database.all(
        rawQuery<{ correctedId: number }>(
          'select correctedId from correctedInstances where originalId = ?',
          [original?.instanceId ?? 0],
        ),
      )
      const shown = [original?.instanceId, ...copies.map(({ correctedId }) => correctedId)]
      expect(current.filter(({ instanceId }) => shown.includes(instanceId))).toHaveLength(1)
    }
    expect(store.audit.verify().isIntact).toBe(true)
  }
  expect(acknowledged).toBeGreaterThan(ROUNDS)
})

type Call = StartedGateway['call']
const SENT = [1, 2, 3]
const ORIGINALS = SENT.map(sopUid)

/** A data folder with an owner and CT1, whose studies settle after a second. */
async function furnish(folder: string): Promise<void> {
  using context = openContext({ folder })
  const settings = { 'intake.stopGigabytes': 0, 'intake.warnGigabytes': 0, 'intake.idleSeconds': 1 }
  context.settings.change(settings, 'command-line')
  addDevice(context, { ...DEVICE, aeTitle: 'CT1' }, 'command-line')
  const people = openAccounts(context, { logN: 10, r: 8, p: 1 })
  const owner = { ...OWNER, firstName: 'Olga', lastName: 'Owner', clinicRole: 'Other' } as const
  await people.createUser({ ...owner, level: 'owner' }, 'command-line')
}

/** Gives all images of the study another patient. */
async function correct(call: Call): Promise<void> {
  const patient = {
    ...{ patientName: 'Canario^Carla', patientId: 'P-77', patientBirthDate: '19620214' },
    ...({ patientSex: 'F', accessionNumber: 'A-77' } as const),
  }
  const params = { studyInstanceUid: UID }
  const body = { kind: 'correct', target: { to: 'patient', patient } } as const
  const { digest } = await call(dashboardCorrections.preview, { params, body })
  const order = { cause: 'patient-safety', reason: 'Wrong patient at the console', digest } as const
  await call(dashboardCorrections.apply, { params, body: { ...body, ...order } })
}

/** What the data folder says must reach the archive: the rejection note, then the copies. */
function expectedOf(folder: string): { readonly notes: string[]; readonly copies: string[] } {
  using store = openContext({ folder, clock: Date.now, uuid: randomUUID })
  const uids = (sql: string) =>
    store.database.all(rawQuery<{ uid: string }>(sql, [])).map(({ uid }) => uid)
  return {
    notes: uids('select sopInstanceUid as uid from rejectionNotes'),
    copies: uids(`select sopInstanceUid as uid from instances
      where instanceId in (select correctedId from correctedInstances) order by instanceId`),
  }
}

it('an archive that was down gets the rejection note before the corrected images, whenever the gateway is killed', {
  timeout: 120_000,
}, async () => {
  using temp = tempFolder()
  const { folder } = temp
  await furnish(folder)
  await using stack = new AsyncDisposableStack()
  const start = async () => stack.use(await serving(folder, '--log-level', 'warn'))
  let gateway = await start()
  const headers = await sessionHeaders(gateway.http, OWNER)
  const owner = () => callerOf(gateway.http, headers)
  const restart = async () => {
    gateway = await start()
  }

  const port = await freePort()
  const before = await openArchive({ port })
  await owner()(dashboardDestinations.add, {
    body: { name: 'PACS', aeTitle: 'PACS', host: '127.0.0.1', port, isAutomatic: true },
  })
  {
    await using modality = await openModality(gateway.dimsePort)
    for (const number of SENT)
      expect(await modality.store(imageOf(number))).toMatchObject({ status: '0000' })
    await modality.release()
  }
  await vi.waitFor(() => expect(before.received).toEqual(ORIGINALS), 15_000)
  await vi.waitFor(async () => {
    const { studies } = await owner()(dashboardDestinations.studies, { query: { limit: 10 } })
    expect(studies).toMatchObject([{ sent: SENT.length, waiting: 0 }])
  }, 15_000)
  await before[Symbol.asyncDispose]()

  // Killed as soon as the correction is acknowledged: the rejection note may not be written yet.
  await correct(owner())
  await gateway.end('SIGKILL')

  // Started while the archive is still down, and killed when it has tried.
  await restart()
  await vi.waitFor(async () => {
    const { notices } = await owner()(dashboardCorrectionNotices.list, { query: { limit: 10 } })
    const [pacs] = notices.filter(({ kind }) => kind === 'destination')
    expect(pacs).toMatchObject({ name: 'PACS', state: 'open' })
    expect(pacs?.sending).toMatchObject({ waiting: 1 + SENT.length, sent: 0, failed: 0 })
    const { destinations } = await owner()(dashboardDestinations.list, {})
    expect(destinations[0]?.lastError).not.toBeNull()
  }, 15_000)
  await gateway.end('SIGKILL')
  const { notes, copies } = expectedOf(folder)
  expect([notes.length, copies.length]).toEqual([1, SENT.length])

  // The archive is back. The gateway is killed when the note has arrived and is not answered yet,
  // and then when the first copy has: what was not answered is sent again, and nothing else.
  const killed: Promise<unknown>[] = []
  const killAfter = [notes[0], copies[0]]
  await using archive = await openArchive({
    port,
    async answer({ sopInstanceUid }) {
      if (sopInstanceUid === killAfter[killed.length]) {
        killed.push(gateway.end('SIGKILL'))
        await killed.at(-1)
      }
      return { status: 0x0000 }
    },
  })
  for (const round of killAfter.keys()) {
    await restart()
    await vi.waitFor(() => expect(killed).toHaveLength(round + 1), 15_000)
    await killed[round]
  }
  await restart()

  const noticeOf = async () => {
    const query = { show: 'all', limit: 10 } as const
    const { notices } = await owner()(dashboardCorrectionNotices.list, { query })
    return notices.filter(({ kind }) => kind === 'destination')
  }
  await vi.waitFor(async () => expect(await noticeOf()).toMatchObject([{ state: 'done' }]), 15_000)
  // What was under way at a kill comes again, unchanged; everything else comes once, in order.
  expect([...new Set(archive.received)]).toEqual([...notes, ...copies])
  for (const copy of copies.slice(1))
    expect(archive.received.filter((uid) => uid === copy)).toHaveLength(1)
  expect(archive.received.slice(-SENT.length)).toEqual(copies)
  const { entries } = await owner()(dashboard.audit, { query: { limit: 100 } })
  const actions = entries.map(({ action }) => action)
  for (const once of ['images.correct', 'correction.send', 'correction.inform'])
    expect(
      actions.filter((action) => action === once),
      once,
    ).toHaveLength(1)
  const { studies } = await owner()(dashboardDestinations.studies, { query: { limit: 10 } })
  expect(studies).toMatchObject([{ sent: 2 * SENT.length + 1, waiting: 0, failed: 0 }])
  expect(gateway.stderr.filter((line) => line.includes('internal error'))).toEqual([])
  expect(await gateway.end('SIGTERM')).toBe(0)
  expect(expectedOf(folder)).toEqual({ notes, copies })
})
