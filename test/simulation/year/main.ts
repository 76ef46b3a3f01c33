import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openContext } from '#server/context.ts'
import { addDevice } from '#server/modules/devices/devices.ts'
import { openPeople } from '#server/modules/users/people.ts'
import { dashboardDestinations, NewDestination } from '#shared/contract/destinations.ts'
import { dashboardLifecycle } from '#shared/contract/lifecycle.ts'
import { say } from '../../interop/storage-fixture.ts'
import { DEVICE } from '../../support/device.ts'
import { freePort } from '../../support/free-port.ts'
import { OWNER } from '../../support/gateway.ts'
import { failingDisk } from '../../support/mount.ts'
import { startOrthanc } from '../../support/orthanc.ts'
import { prepareDataFolder } from '../../support/temp-store.ts'
import { randomOf } from '../random.ts'
import { checkKept } from './check.ts'
import { type Day, moveArchive, startDay, switchOnRule } from './gateway-day.ts'
import { makeStudy, type YearImage } from './studies.ts'

/**
 * npm run simulate -- --year [--days 365 --keep 60 --seed S]: a year of a clinic that sends 200 studies a day
 * to a gateway on a disk of 100 GB, scaled 1:100: two studies a day of about 10 MB each, on a file
 * system of 1 GB in a loop device. The gateway runs once for each simulated day, with its clock on
 * that day. Orthanc is the archive, which commits what it stores; on some days it is not reachable,
 * and on some the gateway is killed. Every image has to be accepted, and one that was removed from
 * the disk has to be in Orthanc with the same pixels. Root only.
 */
const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '365' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'string', default: '60' },
  },
})
const days = Number(values.days)
const random = randomOf(Number(values.seed))

const DISK_MIB = 1024
const STUDIES_A_DAY = 2
const KEEP_DAYS = Number(values.keep)
const CHECK_EVERY_DAYS = 30
const KILLED_DAYS = 0.25
/** First days of the weeks in which the archive cannot be reached, and how long. */
const OUTAGES: readonly number[] = [40, 150, 290]
const OUTAGE_DAYS = 5
/** How long a day waits for what it sends to be confirmed. */
const CONFIRM_MS = 20_000
const FIRST_DAY = Date.parse('2025-01-01T08:00:00Z')
/** A kill comes within this time after the start. */
const LONGEST_LIFE_MS = 8000
/** When a legal hold is placed on a study, which then stays on the disk. */
const HELD_DAY = 10
const DAY_MS = 24 * 60 * 60_000

await using opened = new AsyncDisposableStack()
const disk = opened.use(failingDisk(DISK_MIB))
const scratch = mkdtempSync(join(tmpdir(), 'isthmus-year-'))
opened.defer(() => rmSync(scratch, { recursive: true, force: true }))
const folder = join(disk.path, 'data')
const [dimsePort, archivePort, closedPort] = [await freePort(), await freePort(), await freePort()]
const archive = opened.use(await startOrthanc(dimsePort, {}, archivePort))
await furnish()

const acknowledged = new Map<string, YearImage>()
const counts = { studies: 0, kills: 0, leastFreeMiB: DISK_MIB }
let heldStudy = ''
const began = Date.now()

for (let day = 1; day <= days; day++) {
  const isAway = OUTAGES.some((first) => day >= first && day < first + OUTAGE_DAYS)
  const images = Array.from({ length: STUDIES_A_DAY }, (_, at) =>
    makeStudy(scratch, `2.25.2025.${day}.${at + 1}`, random),
  ).flat()
  await liveDay(day, images, isAway)
  for (const { path } of images) rmSync(path)
  counts.studies += STUDIES_A_DAY
  counts.leastFreeMiB = Math.min(counts.leastFreeMiB, freeMiB())
  if (day % CHECK_EVERY_DAYS === 0 || day === days) await check(day)
}
console.log(`all kept: ${JSON.stringify(counts)}`)

/** A day, with the gateway started again where it was killed. */
async function liveDay(day: number, images: readonly YearImage[], isAway: boolean): Promise<void> {
  const at = new Date(FIRST_DAY + day * DAY_MS).toISOString()
  let killAfterMs = random.chance(KILLED_DAYS) ? random.below(LONGEST_LIFE_MS) : undefined
  for (let isOver = false; !isOver; killAfterMs = undefined) {
    const gateway = await startDay(folder, dimsePort, at)
    const { child } = gateway.serving
    const killer =
      killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
    try {
      await work(gateway, day, images, isAway)
      isOver = true
    } catch (error) {
      if (!child.killed) throw error
    } finally {
      clearTimeout(killer)
      if (child.killed) counts.kills++
      else await gateway.serving.end('SIGTERM')
    }
  }
}

/** What happens while the gateway runs. */
async function work(
  gateway: Day,
  day: number,
  images: readonly YearImage[],
  isAway: boolean,
): Promise<void> {
  if (day === 1 && acknowledged.size === 0) await setUp(gateway)
  await moveArchive(gateway, isAway ? closedPort : archivePort)
  await send(images)
  if (day === HELD_DAY && heldStudy === '') heldStudy = await placeHold(gateway, images)
  if (!isAway) await confirmed(gateway, images)
  await gateway.call(dashboardLifecycle.run, {})
}

async function setUp(gateway: Day): Promise<void> {
  const body = NewDestination.parse({
    ...{ name: 'Archive', aeTitle: 'ORTHANC', host: '127.0.0.1', port: archivePort },
    ...{ isAutomatic: true, confirmsStorage: true },
  })
  await gateway.call(dashboardDestinations.add, { body })
  await switchOnRule(gateway, KEEP_DAYS)
}

/** Sends images as a device does; what is acknowledged is noted, what is refused ends the year. */
async function send(images: readonly YearImage[]): Promise<void> {
  const to = ['-aet', 'CT1', '-aec', 'ISTHMUS', '127.0.0.1', String(dimsePort)]
  const { output } = await say('storescu', ['-v', ...to, ...images.map(({ path }) => path)])
  let last = ''
  for (const line of output.split('\n')) {
    last = /Sending file: (.*)/.exec(line)?.[1] ?? last
    const response = /Received Store Response \((.*)\)/.exec(line)?.[1]
    const image = images.find(({ path }) => path === last)
    if (!response || !image) continue
    if (response !== 'Success') throw new Error(`${last} was refused: ${response}`)
    acknowledged.set(image.sopInstanceUid, image)
  }
  const missing = images.filter(({ sopInstanceUid }) => !acknowledged.has(sopInstanceUid))
  if (missing.length > 0) throw new Error(`${missing.length} images were not taken: ${output}`)
}

async function placeHold({ call }: Day, [image]: readonly YearImage[]): Promise<string> {
  const { studyInstanceUid } = image as YearImage
  const params = { studyInstanceUid }
  await call(dashboardLifecycle.placeHold, { params, body: { reason: 'A claim of the patient' } })
  return studyInstanceUid
}

/** Waits until the archive has confirmed the images, though not for ever. */
async function confirmed({ call }: Day, images: readonly YearImage[]): Promise<void> {
  const until = Date.now() + CONFIRM_MS
  for (const studyInstanceUid of new Set(images.map((image) => image.studyInstanceUid)))
    while (Date.now() < until) {
      const { instances, copies } = await call(dashboardLifecycle.study, {
        params: { studyInstanceUid },
      })
      if (copies.some((copy) => copy.instances === instances)) break
      await wait(200)
    }
}

async function check(day: number): Promise<void> {
  const { breaches, local, removed, heldHere } = await checkKept(
    ...([folder, acknowledged, archive, heldStudy] as const),
  )
  const seconds = Math.round((Date.now() - began) / 1000)
  console.log(
    `day ${day}: ${acknowledged.size} images, ${local} on the disk, ${removed} in the archive alone, ` +
      `${freeMiB()} MiB free, ${counts.kills} kills, ${seconds} s`,
  )
  const wrong = heldHere ? breaches : [...breaches, `the held study ${heldStudy} was removed`]
  if (wrong.length === 0) return
  console.error(['NOT KEPT:', ...wrong.slice(0, 20)].join('\n'))
  process.exitCode = 1
  throw new Error(`${wrong.length} breaches on day ${day}, seed ${values.seed}`)
}

function freeMiB(): number {
  const { bavail, bsize } = statfsSync(disk.path)
  return Math.floor((bavail * bsize) / 2 ** 20)
}

async function furnish(): Promise<void> {
  prepareDataFolder(folder)
  using context = openContext({ folder, clock: () => FIRST_DAY })
  context.settings.change(
    {
      // The defaults of a large disk, scaled.
      ...{ 'intake.warnGigabytes': 0.25, 'intake.stopGigabytes': 0.05, 'intake.idleSeconds': 1 },
      'viewer.cacheGigabytes': 1,
    },
    'command-line',
  )
  addDevice(context, { ...DEVICE, aeTitle: 'CT1' }, 'command-line')
  addDevice(context, { ...DEVICE, aeTitle: 'ORTHANC', port: archivePort }, 'command-line')
  const people = openPeople(context, { logN: 10, r: 8, p: 1 })
  await people.createUser(
    { ...OWNER, firstName: 'Olga', lastName: 'Owner', level: 'owner', clinicRole: 'Other' },
    'command-line',
  )
}
