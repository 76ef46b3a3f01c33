import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openContext } from '#server/context.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { addDevice } from '#server/modules/devices/devices.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import { DEVICE } from '../../support/device.ts'
import { freePort } from '../../support/free-port.ts'
import { OWNER } from '../../support/gateway.ts'
import { failingDisk } from '../../support/mount.ts'
import { startObjectStore } from '../../support/object-store.ts'
import { startOrthanc } from '../../support/orthanc.ts'
import { prepareDataFolder } from '../../support/temp-store.ts'
import { randomOf } from '../random.ts'
import { YearChecks } from './check.ts'
import { ClinicYear, FIRST_DAY } from './clinic-year.ts'
import { openRelay } from './relay.ts'
import { scheduleOf } from './schedule.ts'
import { MIGRATION_STEPS } from './steps.ts'
import { LOST } from './studies.ts'

/**
 * npm run simulate -- --year [--days 365 --keep 60 --disk 1024 --check 30 --seed S]: a year of a
 * clinic that sends 200 studies a day to a gateway on a disk of 100 GB, scaled 1:100: two studies a
 * day of about 10 MB each, on a file system of 1 GB in a loop device. The gateway runs once for each
 * simulated day, with its clock on that day. Orthanc is the archive, which commits what it stores;
 * what it loses it does not commit. After a quarter of the year all images are copied to an object
 * store, and later from there to a second one, and the first one is removed; the gateway is killed
 * at every step of both migrations, and on other days at any time. On some days the archive or the
 * stores are not reachable. Every image has to be accepted; what was removed from the disk has to be
 * where the gateway says that it is, with the same data set; and each image can be read from the
 * gateway at the end. Root only.
 */
const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '365' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'string', default: '60' },
    /** MiB. */
    disk: { type: 'string', default: '1024' },
    /** Days between two checks. */
    check: { type: 'string', default: '30' },
  },
})
const days = Number(values.days)
const random = randomOf(Number(values.seed))

const diskMiB = Number(values.disk)
const checkEveryDays = Number(values.check)

await using opened = new AsyncDisposableStack()
const disk = opened.use(failingDisk(diskMiB))
const scratch = mkdtempSync(join(tmpdir(), 'isthmus-year-'))
opened.defer(() => rmSync(scratch, { recursive: true, force: true }))
const folder = join(disk.path, 'data')
const [dimsePort, archivePort, closedPort] = [await freePort(), await freePort(), await freePort()]
const fromArchive = opened.use(await openRelay(dimsePort))
const archive = opened.use(
  await startOrthanc(fromArchive.port, { LuaScripts: [losingScript()] }, archivePort),
)
const stores = [
  { name: 'First store', store: opened.use(await startObjectStore({ isOwnProcess: true })) },
  { name: 'Second store', store: opened.use(await startObjectStore({ isOwnProcess: true })) },
] as const
const schedule = scheduleOf(days)
const key = await furnish()
const clinic = new ClinicYear({
  ...{ folder, scratch, keepDays: Number(values.keep), random, schedule, dimsePort, fromArchive },
  ...{ ports: { archive: archivePort, closed: closedPort }, stores, key },
})
const checks = new YearChecks(folder, clinic.acknowledged, {
  archive,
  stores: new Map(stores.map(({ name, store }) => [name, store])),
})
const began = Date.now()

for (let day = 1; day <= days; day++) {
  await clinic.live(day)
  if (day % checkEveryDays === 0 || day === days) await check(day, day === days)
}
await clinic.readAll(days + 1)
const left = await check(days + 1, true)
report(left)

async function check(day: number, isWhole: boolean) {
  const kept = await checks.check(clinic.heldStudy, isWhole)
  const { local, removed, proofs, isHeldHere } = kept
  const kills = [...clinic.kills.values()].reduce((sum, count) => sum + count, 0)
  console.log(
    `day ${day}: ${clinic.acknowledged.size} images, ${local} on the disk, ${removed} removed from it, ` +
      `${proofs.archive} copies confirmed by the archive, ${proofs.stores} in stores, ` +
      `${clinic.freeMiB()} MiB free, ${kills} kills, ${seconds()} s`,
  )
  const breaches = [...clinic.breaches, ...kept.breaches]
  if (!isHeldHere) breaches.push(`the held study ${clinic.heldStudy} was removed`)
  if (breaches.length > 0) fail(breaches, day)
  return kept
}

function report({ local, removed, proofs }: Awaited<ReturnType<typeof check>>): void {
  const { counts, kills, acknowledged } = clinic
  const table = [
    ['days', days],
    ['studies', counts.studies],
    ['images received', acknowledged.size],
    ['images refused', counts.refused],
    ['images on the disk at the end', local],
    ['images removed from it, each with proof', removed],
    ['copies confirmed by the archive, and compared', proofs.archive],
    ['copies in the store, and compared', proofs.stores],
    ['studies read from the gateway', counts.readStudies],
    ['images fetched from the archive or a store for that', counts.restored],
    ['least free space, MiB', counts.leastFreeMiB],
    ['seconds', seconds()],
    ...[...kills].map(([name, count]) => [`killed: ${name}`, count] as const),
  ] as const
  console.log(table.map(([name, value]) => `| ${name} | ${value} |`).join('\n'))
  const missing = MIGRATION_STEPS.flat().filter(({ name }) => !kills.has(name))
  const breaches = missing.map(({ name }) => `the gateway was never killed: ${name}`)
  if (counts.refused > 0) breaches.push(`${counts.refused} images were refused`)
  if (breaches.length > 0) fail(breaches, days)
  console.log('all kept')
}

function fail(breaches: readonly string[], day: number): never {
  console.error(['NOT KEPT:', ...breaches.slice(0, 20)].join('\n'))
  process.exitCode = 1
  throw new Error(`${breaches.length} breaches on day ${day}, seed ${values.seed}`)
}

function seconds(): number {
  return Math.round((Date.now() - began) / 1000)
}

/** The archive answers Success to studies that it does not keep. */
function losingScript(): string {
  const path = join(scratch, 'losing.lua')
  const body = `function ReceivedInstanceFilter(dicom, origin, info)
  return dicom.StudyID ~= '${LOST}'
end
`
  writeFileSync(path, body)
  return path
}

/** What the clinic has set up before. Returns the key of a caller that may read all studies. */
async function furnish(): Promise<string> {
  prepareDataFolder(folder)
  using context = openContext({ folder, clock: () => FIRST_DAY })
  context.settings.change(
    {
      // The defaults of a large disk, scaled; below 64 MiB no image is ever accepted.
      ...{ 'intake.warnGigabytes': Math.max(0.25, diskMiB / 4096), 'intake.stopGigabytes': 0.05 },
      'intake.idleSeconds': 1,
      ...{ 'viewer.cacheGigabytes': 1, 'tiers.cacheGigabytes': 1, 'dicomweb.isOn': true },
    },
    'command-line',
  )
  addDevice(context, { ...DEVICE, aeTitle: 'CT1' }, 'command-line')
  addDevice(context, { ...DEVICE, aeTitle: 'ORTHANC', port: archivePort }, 'command-line')
  const people = openAccounts(context, { logN: 10, r: 8, p: 1 })
  await people.createUser(
    { ...OWNER, firstName: 'Olga', lastName: 'Owner', level: 'owner', clinicRole: 'Other' },
    'command-line',
  )
  const rights = { description: 'Workstation', isViewerEnabled: false, scope: 'all' } as const
  return createApiKey(context, { ...rights, dicomweb: 'read' }, 'command-line').key
}
