import { randomUUID } from 'node:crypto'
import { readFileSync, writeSync } from 'node:fs'
import { openContext } from '#server/context.ts'
import { acquireLock } from '#server/database/lock.ts'
import { listStudyInstances } from '#server/modules/images/instance-queries.ts'
import { listQuarantined } from '#server/modules/images/quarantine-queries.ts'
import type { SettingKey } from '#shared/contract/settings.ts'
import { SETTINGS } from '#shared/contract/settings.ts'
import {
  image,
  openIntake,
  STUDY,
  storeRequest,
} from '../electron/server/modules/images/intake-fixture.ts'
import { LARGE, largeObject } from './large-object.ts'
import { withSettings } from './temp-store.ts'

/**
 * Run as its own process. With a folder alone: corrects the images of a study and undoes it, again
 * and again, and prints a line for each until it is killed. With `start` as well: starts, which
 * cleans up what an earlier run left, and ends. With a number of MiB as well: corrects one object
 * of that size, prints what came of it as JSON, and ends.
 */
const [folder = '', task] = process.argv.slice(2)
const mebibytes = task === 'start' ? undefined : task
/** Progress as the window would read it. */
const progress: number[] = []
/** Called every 20 ms. */
let look = () => {}
if (!acquireLock(folder)) throw new Error('The folder is locked')
const store = openContext({ folder, clock: Date.now, uuid: randomUUID })
const values: Readonly<Record<string, unknown>> = {
  'intake.stopGigabytes': 0,
  'intake.warnGigabytes': 0,
}
const settingOf = (key: SettingKey) =>
  key === 'clinic.id'
    ? store.settings.get(key)
    : key in values
      ? values[key]
      : SETTINGS[key].initial
const context = withSettings(store, settingOf)
setInterval(() => look(), 20)
const intake = await openIntake(context, mebibytes ? { longMs: 0 } : {})
const { corrections } = intake
await intake.settled()
if (task === 'start') {
  // Copies that were complete and not committed wait for a decision, which is that of a person.
  for (const { instanceId } of listQuarantined(store.database, { limit: 100 }).items)
    await intake.quarantine.discard(instanceId, 'the correction was not made', 'user:usr_1')
  await intake[Symbol.asyncDispose]()
  store[Symbol.dispose]()
  process.exit(0)
}
if (mebibytes) {
  await correctLarge(Number(mebibytes) * 2 ** 20)
  process.exit(0)
}

/** Large enough for several writes. */
const PIXELS = 'pixels__'.repeat(40_000)
for (let number = 1; number <= 6; number++)
  await intake.receiver.store(storeRequest(image(number, { PixelData: PIXELS })))
writeSync(1, 'stored\n')

for (let round = 0; ; round++) {
  const standing = corrections.list(STUDY).find(({ undoObstacle }) => undoObstacle === null)
  if (standing) await corrections.undo(standing.correctionId, 'as it was', 'usr_1')
  else {
    const patient = {
      patientName: `Sample^Sue${round}`,
      patientId: 'P7',
      patientBirthDate: '',
      patientSex: 'F',
      accessionNumber: 'A7',
    } as const
    const request = {
      kind: round % 2 === 0 ? 'correct' : 'reassign',
      target: { to: 'patient', patient },
    } as const
    const { digest } = await corrections.preview(STUDY, request)
    await corrections.apply(
      STUDY,
      { ...request, cause: 'wrong-worklist-entry', reason: 'a test', digest },
      'usr_1',
    )
  }
  writeSync(1, `${round}\n`)
}

/** The most memory that the process has had, MB. */
function mostMemory(): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  return (Number(kilobytes) * 1024) / 1e6
}

async function correctLarge(pixelBytes: number): Promise<void> {
  const before = mostMemory()
  const { studyInstanceUid: uid, sopInstanceUid, sopClassUid } = LARGE
  async function* fragments() {
    for await (const piece of largeObject(pixelBytes)) yield [piece]
  }
  await intake.receiver.store({
    ...storeRequest(image(1)),
    sopInstanceUid,
    sopClassUid,
    dataSet: fragments(),
  })
  const patient = {
    patientName: 'Sample^Sue',
    patientId: 'P7',
    patientBirthDate: '',
    patientSex: 'F',
    accessionNumber: 'A7',
  } as const
  const request = { kind: 'correct', target: { to: 'patient', patient } } as const
  const order = { ...request, cause: 'wrong-worklist-entry', reason: 'a test' } as const
  const { digest } = await corrections.preview(uid, request)
  const [original] = listStudyInstances(store.database, uid)
  const done = Promise.withResolvers<void>()
  look = () => {
    const [first] = corrections.list(uid)
    if (first?.progress === null || !first) done.resolve()
    else progress.push(first.progress)
  }
  const answer = await corrections.apply(uid, { ...order, digest }, 'usr_1')
  const second = await corrections
    .apply(uid, { ...order, digest }, 'usr_1')
    .catch((error: Error) => error.message)
  await done.promise
  const [copy] = listStudyInstances(store.database, uid)
  const pathOf = (file = '') => store.imageFiles.pathOf(file)
  const result = {
    ...{ isAnsweredUnderWay: answer.progress !== null, second, progress },
    files: [pathOf(original?.file), pathOf(copy?.file)],
    patientNames: [original?.patientName, copy?.patientName],
    memory: { before, peak: mostMemory() },
  }
  writeSync(1, `${JSON.stringify(result)}\n`)
}
