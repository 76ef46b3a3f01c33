import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { expect, it, onTestFailed, vi } from 'vitest'
import { openPartnerSimulator } from '#electron/simulator/partner.ts'
import type { SettingOverrides } from '#server/configuration/settings.ts'
import { openContext } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import { addDevice } from '#server/modules/devices/devices.ts'
import type { NewDevice } from '#shared/contract/devices.ts'
import { encoded, image } from '../electron/server/modules/images/intake-fixture.ts'
import { ask, text } from '../electron/server/modules/worklist/worklist-fixture.ts'
import { startAcceptor } from '../support/acceptor.ts'
import { serving } from '../support/command-line.ts'
import { DEVICE } from '../support/device.ts'
import { webhookSecret } from '../support/gateway.ts'
import { BEGINS, DAY, EXAMS, ended, imageOf, sopUid, UID } from '../support/imaging-clinic.ts'
import { type Answered, type Modality, openModality } from '../support/modality.ts'
import { seedOfRun } from '../support/property-runs.ts'
import { tempFolder } from '../support/temp-store.ts'
import { perTier } from '../support/tier.ts'
import { queryWorklist } from '../support/worklist-client.ts'

// Success comes only after the file, its folder and its row are on the disk (dicom-field §5.3): the
// gateway, a process of its own, is killed in each phase of a transfer. `ISTHMUS_SEED` repeats a
// run.

/**
 * The phases in which a kill can fall, one a round in turn: bytes of an instance are arriving in
 * the spool; its file is in its place and its row is not; the database is being written; a Success
 * was just sent; all is sent and the study is being completed. Four associations send at once, so
 * that each kill finds the other three somewhere else.
 */
const PHASES = ['receiving', 'file-kept', 'database-written', 'answered', 'completing'] as const
type Phase = (typeof PHASES)[number]
const KILLS = perTier(PHASES.length, 200)
const SEED = seedOfRun()
/** On one data folder. */
const MOST_ROUNDS = 20
const INSTANCES = 48
const ASSOCIATIONS = 4
/** Instances that two associations send, at about the same moment. */
const SHARED = 3
/** A kill comes this long after its moment, at the most. */
const MOST_DELAY_MS: Readonly<Record<Phase, number>> = {
  ...{ receiving: 0, 'file-kept': 0, 'database-written': 0 },
  // The next instances are on their way meanwhile.
  answered: 8,
  // A study is complete a second after its association (`intake.idleSeconds`).
  completing: 1500,
}
/** The moment of its phase at which a kill comes is one of so many. */
const MOST_MOMENTS = 30

/** What a modality sends: data sets by SOP Instance UID. */
interface Exam {
  readonly studyInstanceUid: string
  readonly dataSets: ReadonlyMap<string, Buffer>
}

/** From 0 up to, but not, 1; the n-th draw of this run. */
function draw(n: string): number {
  return createHash('sha256').update(`${SEED} ${n}`).digest().readUInt32LE() / 2 ** 32
}

const noise = randomBytes(128 << 10).toString('latin1')

/** CT images of 20 to 60 KB, in two series. */
function examOf(round: number): Exam {
  const studyInstanceUid = `1.2.3.${SEED}.${round}`
  const images = Array.from({ length: INSTANCES }, (_, index) => {
    const length = 2 * Math.floor((20_000 + draw(`size ${round} ${index}`) * 40_000) / 2)
    const SOPInstanceUID = `${studyInstanceUid}.${(index % 2) + 1}.${index + 1}`
    const uids = {
      StudyInstanceUID: studyInstanceUid,
      SeriesInstanceUID: `${studyInstanceUid}.${(index % 2) + 1}`,
      SOPInstanceUID,
    }
    const from = Math.floor(draw(`pixels ${round} ${index}`) * 60_000)
    return [
      SOPInstanceUID,
      encoded(image(index, { ...uids, PixelData: noise.slice(from, from + length) })),
    ] as const
  })
  return { studyInstanceUid, dataSets: new Map(images) }
}

/** Sends the exam over several associations, until all is answered or the gateway is gone. */
async function send(
  port: number,
  { dataSets }: Exam,
  onSuccess: (sopInstanceUid: string) => void,
): Promise<void> {
  const all = [...dataSets]
  const share = all.length / ASSOCIATIONS
  const shares = Array.from({ length: ASSOCIATIONS }, (_, index) =>
    all.slice(index * share, (index + 1) * share + SHARED),
  )
  const sendShare = async (images: typeof all) => {
    await using modality: Modality = await openModality(port)
    for (const [sopInstanceUid, dataSet] of images) {
      const { status } = await modality.storeBytes(sopInstanceUid, dataSet)
      expect(status).toBe('0000')
      onSuccess(sopInstanceUid)
    }
    await modality.release()
  }
  await Promise.all(
    shares.map((images) =>
      sendShare(images).catch((error: unknown) => {
        // The connection ends with the gateway; anything else is a wrong answer.
        if (!/instead of|ECONN|EPIPE/.test(String(error))) throw error
      }),
    ),
  )
}

interface Row {
  readonly sopInstanceUid: string
  readonly file: string
  readonly dataSetOffset: number
  readonly bytes: number
  readonly state: string
  readonly seriesInstanceUid: string
}

/** The archive of a data folder as another program finds it. */
function archiveOf(folder: string) {
  const database = new Sqlite(join(folder, DATABASE_FILE), { readonly: true })
  const namesIn = (name: string) =>
    existsSync(join(folder, name))
      ? readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
          .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, name).length + 1))
          .sort()
      : []
  const select = <T>(sql: string, ...values: unknown[]) =>
    database.prepare(sql).all(...values) as T[]
  return {
    select,
    integrity: () => database.pragma('integrity_check', { simple: true }),
    rowsOf: (studyInstanceUid: string) =>
      select<Row>('select * from instances where studyInstanceUid = ?', studyInstanceUid),
    /** Files that are kept, and files of transfers that are under way. */
    files: () => ({ kept: namesIn('images'), unfinished: namesIn('spool') }),
    named: () =>
      select<Row>('select file from instances')
        .map(({ file }) => file)
        .sort(),
    dataSetOf: ({ file, dataSetOffset }: Row) =>
      readFileSync(join(folder, 'images', file)).subarray(dataSetOffset),
    [Symbol.dispose]: () => void database.close(),
  }
}

/** What is there of the exam is whole, is counted, and is all that was acknowledged. */
function expectWhole(
  folder: string,
  { studyInstanceUid, dataSets }: Exam,
  acknowledged: Iterable<string>,
): void {
  using archive = archiveOf(folder)
  const rows = archive.rowsOf(studyInstanceUid)
  const current = new Set(
    rows.filter(({ state }) => state === 'current').map(({ sopInstanceUid }) => sopInstanceUid),
  )
  expect([...acknowledged].filter((sopInstanceUid) => !current.has(sopInstanceUid))).toEqual([])
  expect(rows).toHaveLength(current.size)
  expect(
    rows.filter((row) => !dataSets.get(row.sopInstanceUid)?.equals(archive.dataSetOf(row))),
  ).toEqual([])

  const bytes = (of: readonly Row[]) => of.reduce((sum, row) => sum + row.bytes, 0)
  const bySeries = Map.groupBy(rows, ({ seriesInstanceUid }) => seriesInstanceUid)
  const counters = {
    studyInstanceUid,
    instances: rows.length,
    series: bySeries.size,
    bytes: bytes(rows),
    quarantined: 0,
  }
  expect(
    archive.select(
      'select studyInstanceUid, instances, series, bytes, quarantined from imageStudies where studyInstanceUid = ?',
      studyInstanceUid,
    ),
  ).toEqual(rows.length === 0 ? [] : [counters])
  expect(
    archive.select(
      'select seriesInstanceUid, instances, bytes from imageSeries where studyInstanceUid = ? order by 1',
      studyInstanceUid,
    ),
  ).toEqual(
    [...bySeries.keys()].sort().map((seriesInstanceUid) => {
      const ofSeries = bySeries.get(seriesInstanceUid) ?? []
      return { seriesInstanceUid, instances: ofSeries.length, bytes: bytes(ofSeries) }
    }),
  )
}

/** What came of a transfer that was cut off does not look like a whole exam. */
function expectBrokenOff(
  folder: string,
  { studyInstanceUid }: Exam,
  acknowledged: ReadonlySet<string>,
): void {
  using archive = archiveOf(folder)
  const [transfer] = archive.select<{ transferHow: string }>(
    'select transferHow from imageStudies where studyInstanceUid = ?',
    studyInstanceUid,
  )
  if (transfer && acknowledged.size < INSTANCES) expect(transfer.transferHow).toBe('aborted')
}

/** No transfer under way, no file without a row, no row without a file. */
async function expectNothingHalfWritten(folder: string): Promise<void> {
  using archive = archiveOf(folder)
  expect(archive.files().unfinished).toEqual([])
  // Files that the kill left without a row are looked for beside the work.
  await vi.waitFor(() => expect(archive.files().kept).toEqual(archive.named()), {
    timeout: 10_000,
    interval: 20,
  })
}

/** Kills the gateway once, in the phase of this round. The folder's gateway must have started. */
function killOf(round: number, folder: string, kill: () => Promise<unknown>) {
  const phase = PHASES[round % PHASES.length] as Phase
  const killed = Promise.withResolvers<unknown>()
  let left = phase === 'completing' ? 1 : 1 + Math.floor(draw(`kill ${round}`) * MOST_MOMENTS)
  const note = (moment: Phase) => {
    if (moment !== phase || --left !== 0) return
    const delayMs = draw(`delay ${round}`) * MOST_DELAY_MS[phase]
    if (delayMs === 0) killed.resolve(kill())
    else void wait(delayMs).then(() => killed.resolve(kill()))
  }
  const spool = join(folder, 'spool')
  const ofSpool = watch(spool, (event, name) => {
    if (event === 'rename' && name) note(existsSync(join(spool, name)) ? 'receiving' : 'file-kept')
  })
  const ofDatabase = watch(folder, (_, name) => {
    if (name === `${DATABASE_FILE}-wal`) note('database-written')
  })
  return {
    killed: killed.promise,
    note,
    /**
     * Where there were fewer moments than were drawn, the kill comes at the end of the transfer.
     */
    async atTheEnd() {
      note('completing')
      if (phase !== 'completing' && left > 0) {
        left = 0
        killed.resolve(kill())
      }
      await killed.promise
    },
    [Symbol.dispose]() {
      ofSpool.close()
      ofDatabase.close()
    },
  }
}

function furnish(
  folder: string,
  settings: SettingOverrides = {},
  devices: readonly NewDevice[] = [],
): void {
  using context = openContext({ folder })
  const given = {
    'intake.stopGigabytes': 0,
    'intake.warnGigabytes': 0,
    'intake.idleSeconds': 1,
    ...settings,
  }
  context.settings.change(given, 'command-line')
  for (const device of devices) addDevice(context, device, 'command-line')
}

const groups = Array.from({ length: Math.ceil(KILLS / MOST_ROUNDS) }, (_, group) => {
  const first = group * MOST_ROUNDS + 1
  return { first, last: Math.min(KILLS, first + MOST_ROUNDS - 1) }
})

it.each(groups)(
  'has every instance it acknowledged, whole, and nothing half-written, after SIGKILL in each phase of a transfer: rounds $first to $last',
  { timeout: 30_000 + MOST_ROUNDS * 15_000 },
  async ({ first, last }) => {
    let round = first
    onTestFailed(() => console.error(`round ${round}; ISTHMUS_SEED=${SEED} repeats it`))
    using temp = tempFolder()
    const { folder } = temp
    furnish(folder)
    const secret = webhookSecret()
    await using partner = await openPartnerSimulator({ port: 0, secret, clock: Date.now })
    const start = () =>
      serving(
        folder,
        '--allow-unknown-devices',
        '--partner-url',
        partner.url,
        '--partner-secret',
        secret,
        '--log-level',
        'warn',
      )
    await using stack = new AsyncDisposableStack()
    let gateway = stack.use(await start())
    const exams: Exam[] = []
    let cut = 0

    for (; round <= last; round++) {
      const exam = examOf(round)
      exams.push(exam)
      const acknowledged = new Set<string>()
      {
        using kill = killOf(round, folder, () => gateway.end('SIGKILL'))
        await send(gateway.dimsePort, exam, (sopInstanceUid) => {
          acknowledged.add(sopInstanceUid)
          kill.note('answered')
        })
        await kill.atTheEnd()
      }
      expect(gateway.child.signalCode).toBe('SIGKILL')
      if (acknowledged.size < INSTANCES) cut++
      {
        using archive = archiveOf(folder)
        expect(archive.integrity()).toBe('ok')
      }

      gateway = stack.use(await start())
      await expectNothingHalfWritten(folder)
      expectWhole(folder, exam, acknowledged)
      expectBrokenOff(folder, exam, acknowledged)

      // The sender knows of a failed job and sends all of it again.
      const again = new Set<string>()
      await send(gateway.dimsePort, exam, (sopInstanceUid) => again.add(sopInstanceUid))
      expect(again.size).toBe(INSTANCES)
      expectWhole(folder, exam, again)
      await expectNothingHalfWritten(folder)
    }

    // A kill may come after the last Success, but not each time.
    expect(cut).toBeGreaterThanOrEqual(Math.floor(exams.length / 2))
    // Whatever was under way when it was killed, each exam came up for reading, once.
    using archive = archiveOf(folder)
    await vi.waitFor(
      () =>
        expect(archive.select("select 1 from imageStudies where state <> 'settled'")).toEqual([]),
      {
        timeout: 20_000,
        interval: 50,
      },
    )
    const uids = exams
      .map(({ studyInstanceUid }) => ({ studyInstanceUid }))
      .toSorted((a, b) => (a.studyInstanceUid < b.studyInstanceUid ? -1 : 1))
    for (const table of ['studies', 'seeds', 'imageStudies'])
      expect(archive.select(`select studyInstanceUid from ${table} order by 1`)).toEqual(uids)
    for (const exam of exams) expectWhole(folder, exam, exam.dataSets.keys())
    expect(gateway.stderr.filter((line) => line.includes('internal error'))).toEqual([])
  },
)

it('knows every step and commitment request it acknowledged after SIGKILL', {
  timeout: 60_000,
}, async () => {
  using temp = tempFolder()
  const { folder } = temp
  const secret = webhookSecret()
  await using partner = await openPartnerSimulator({
    port: 0,
    secret,
    clock: Date.now,
    worklist: EXAMS,
  })
  await using device = await startAcceptor({
    roles: [{ sopClass: SOP_CLASS.storageCommitmentPushModel, scu: false, scp: true }],
    message: (message, peer) => peer.respond(message, 0x0000),
  })
  furnish(
    folder,
    { 'commitment.isOn': true, 'intake.idleSeconds': 3600, 'clinic.timeZone': 'UTC' },
    [{ ...DEVICE, aeTitle: 'CT1', address: '127.0.0.1', port: device.port }],
  )
  const step = '1.2.3.900.1'
  const start = () =>
    serving(folder, '--partner-url', partner.url, '--partner-secret', secret, '--log-level', 'warn')
  /** One run of the gateway, killed at the moment the last answer is there. */
  const killedAfter = async (work: (modality: Modality, port: number) => Promise<Answered>) => {
    await using gateway = await start()
    await using modality = await openModality(gateway.dimsePort)
    const { status } = await work(modality, gateway.dimsePort)
    await gateway.end('SIGKILL')
    expect(status).toBe('0000')
  }
  const keys = ask({}, { ScheduledProcedureStepStartDate: DAY, ScheduledProcedureStepStatus: '' })
  const statusOfRow = async (port: number) => {
    const { rows } = await queryWorklist(port, { keys })
    expect(rows.length).toBeGreaterThan(1)
    return text(
      rows.find((row) => text(row, 'StudyInstanceUID') === UID),
      'ScheduledProcedureStepStatus',
    )
  }

  await killedAfter(async (modality) => {
    for (const number of [1, 2])
      expect(await modality.store(imageOf(number))).toMatchObject({ status: '0000' })
    return modality.begin(step, BEGINS)
  })
  await killedAfter(async (modality, port) => {
    expect(await statusOfRow(port)).toBe('STARTED')
    return modality.set(step, ended('COMPLETED', [1, 2]))
  })
  await killedAfter(async (modality, port) => {
    expect(await statusOfRow(port)).toBeUndefined()
    return modality.askCommitment('1.2.3.700.1', [sopUid(1), sopUid(2)])
  })
  await using gateway = await start()
  await vi.waitFor(() => expect(device.messages.length).toBeGreaterThan(0), {
    timeout: 10_000,
    interval: 20,
  })
  expect(device.messages.at(-1)?.command.eventTypeId).toBe(1)
  using archive = archiveOf(folder)
  const rows = (table: string) => archive.select(`select studyInstanceUid from ${table}`)
  await vi.waitFor(() => expect(rows('seeds')).toHaveLength(1), { timeout: 10_000, interval: 20 })
  for (const table of ['studies', 'seeds', 'imageStudies'])
    expect(rows(table)).toEqual([{ studyInstanceUid: UID }])
  expect(gateway.stderr.filter((line) => line.includes('internal error'))).toEqual([])
})
