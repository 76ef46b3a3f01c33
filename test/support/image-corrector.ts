import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { openPerformedSteps } from '#gateway/domain/performed-steps.ts'
import { openIntake } from '#gateway/intake/intake.ts'
import { takeLock } from '#gateway/store/lock.ts'
import { openStore } from '#gateway/store/store.ts'
import { SETTINGS } from '#shared/contract/settings.ts'
import { image, STUDY, storeRequest } from '../electron/gateway/intake/intake-fixture.ts'

/**
 * Corrects the images of a study and undoes it, again and again, and prints a line for each; run as
 * its own process, ended by SIGKILL.
 */
const [folder = ''] = process.argv.slice(2)
if (!takeLock(folder)) throw new Error('The folder is locked')
const store = openStore({ folder, clock: Date.now, uuid: randomUUID })
const values: Readonly<Record<string, unknown>> = { 'intake.stopGigabytes': 0, 'intake.warnGigabytes': 0 }
const intake = await openIntake({
  store,
  clock: Date.now,
  uuid: randomUUID,
  setting: (key) => (key === 'clinic.id' ? store.settings.get(key) : key in values ? values[key] : SETTINGS[key].initial) as never,
  recogniseDevice: () => undefined,
  performedSteps: openPerformedSteps({ store, clock: Date.now }),
  handedOut: async () => undefined,
  askEnrichment: async () => ({}),
  isFetching: () => false,
  onKept: () => undefined,
  onReleased: () => undefined,
  onTakenBack: () => undefined,
  onMoved: () => undefined,
  orders: { onDays: async () => [], get: async () => undefined },
  transcode: async () => {
    throw new Error('no module')
  },
  onSetAside: () => undefined,
  sendEventReport: async () => undefined,
  onNews: () => undefined,
  onChanged: () => undefined,
  onError: (_reference, error) => {
    throw error
  },
})
await intake.settled()

/** Large enough for several writes. */
const PIXELS = 'pixels__'.repeat(40_000)
for (let number = 1; number <= 6; number++) await intake.cStoreScp.store(storeRequest(image(number, { PixelData: PIXELS })))
writeSync(1, 'stored\n')

const { corrections } = intake
for (let round = 0; ; round++) {
  const standing = corrections.list(STUDY).find(({ undoObstacle }) => undoObstacle === '')
  if (standing) await corrections.undo(standing.correctionId, 'as it was', 'usr_1')
  else {
    const patient = {
      patientName: `Sample^Sue${round}`,
      patientId: 'P7',
      patientBirthDate: '',
      patientSex: 'F',
      accessionNumber: 'A7',
    } as const
    const request = { kind: round % 2 === 0 ? 'correct' : 'reassign', target: { to: 'patient', patient } } as const
    const { digest } = await corrections.preview(STUDY, request)
    await corrections.apply(STUDY, { ...request, cause: 'wrong-worklist-entry', reason: 'a test', digest }, 'usr_1')
  }
  writeSync(1, `${round}\n`)
}
