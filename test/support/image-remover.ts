// First, because it replaces a function that other modules keep.
import './kill-at-step.ts'
import { randomUUID } from 'node:crypto'
import { openContext } from '#server/context.ts'
import { acquireLock } from '#server/database/lock.ts'
import { rawQuery } from '#server/database/query.ts'
import { insertDestination } from '#server/modules/forwarding/destination-queries.ts'
import { recordCopies } from '#server/modules/images/instance-copy-queries.ts'
import { listStudyInstances } from '#server/modules/images/instance-queries.ts'
import { Erasures } from '#server/modules/lifecycle/erasures.ts'
import { Lifecycle } from '#server/modules/lifecycle/lifecycle.ts'
import { addRule, setRuleEnabled } from '#server/modules/lifecycle/rules.ts'
import { SETTINGS, type SettingKey } from '#shared/contract/settings.ts'
import {
  IMAGE,
  openIntake,
  storeRequest,
} from '../electron/server/modules/images/intake-fixture.ts'
import { begin, step } from './kill-at-step.ts'
import { withSettings } from './temp-store.ts'

/**
 * Run as its own process over a data folder. `prepare`: stores two studies whose images are
 * confirmed by a destination, and a rule that removes them. `remove`: runs the rule. `erase`: erases
 * the first study. `start`: starts, which finishes what an earlier run left. `remove` and `erase`
 * end as `kill-at-step.ts` says.
 */
const [folder = '', task] = process.argv.slice(2)
const STUDIES = ['1.2.3.1', '1.2.3.2']
const [FIRST = ''] = STUDIES
if (!acquireLock(folder)) throw new Error('The folder is locked')
const store = openContext({ folder, clock: Date.now, uuid: randomUUID })
const values: Readonly<Record<string, unknown>> = {
  ...{ 'intake.stopGigabytes': 0, 'intake.warnGigabytes': 0, 'intake.idleSeconds': 0 },
}
const context = withSettings(store, (key: SettingKey) =>
  key === 'clinic.id'
    ? store.settings.get(key)
    : key in values
      ? values[key]
      : SETTINGS[key].initial,
)
const intake = await openIntake(context, {})
const disk = {
  storage: () => ({ state: 'ok' as const, freeBytes: 1e12, totalBytes: 2e12 }),
  forecast: () => ({
    ...{ days: [], stopBytes: 0, fullInDays: null, unknownBecause: 'few-days' as const },
  }),
}
const lifecycle = new Lifecycle(context, disk, undefined)
const erasures = new Erasures(context, async () => [], {
  views: { purge: () => 0 },
  dicomweb: { deleteOrphans: async () => undefined },
  pulls: { isRetrieving: () => false, block: () => new DisposableStack() },
})
await intake.settled()
await erasures.settled()

const { database } = store
const { commitSoon } = database
database.commitSoon = async (write) => {
  step()
  const result = await commitSoon.call(database, write)
  step()
  return result as never
}

if (task === 'prepare') await prepare()
if (task === 'remove' || task === 'erase') begin()
if (task === 'remove') await lifecycle.run()
if (task === 'erase') {
  const { confirmWith } = await erasures.preview(FIRST, 'study')
  const request = { studyInstanceUids: [FIRST], scope: 'study', reason: 'Requested' } as const
  await erasures.erase({ ...request, confirmation: confirmWith }, 'usr_1')
}
for (const one of [lifecycle, erasures, intake]) await one[Symbol.asyncDispose]()
store[Symbol.dispose]()
process.exit(0)

async function prepare(): Promise<void> {
  for (const study of STUDIES)
    for (const number of [1, 2])
      await intake.receiver.store(
        storeRequest({
          ...{ ...IMAGE, StudyInstanceUID: study, SeriesInstanceUID: `${study}.1` },
          SOPInstanceUID: `${study}.1.${number}`,
        }),
      )
  // What the study completion does when no further image arrives.
  database.run(
    rawQuery(
      "update imageStudies set state = 'settled', settledAt = createdAt, isMismatched = 0",
      [],
    ),
  )
  const at = new Date().toISOString()
  const destinationId = randomUUID()
  insertDestination(database, {
    ...{ destinationId, name: 'PACS', aeTitle: 'PACS', host: '127.0.0.1', port: 104 },
    ...{ isTls: false, certificate: null, isEnabled: true, isAutomatic: false, modalities: [] },
    ...{ hasPriors: false, confirmsStorage: true, createdAt: at, updatedAt: at },
    ...{ lastSentAt: null, lastError: null },
  })
  for (const study of STUDIES)
    recordCopies(
      database,
      listStudyInstances(database, study).map(({ instanceId }) => instanceId),
      { destinationId, destinationName: 'PACS', kind: 'commitment', confirmedAt: at },
    )
  const { ruleId } = addRule(
    context,
    {
      ...{ name: 'All', since: 'received', days: 0, modalities: [], devices: [] },
      ...{ requiresSignedReport: false, copies: 1, isEarlierWhenLow: false, readsBack: false },
    },
    'user:usr_1',
  )
  const { revision } = await lifecycle.preview(ruleId)
  setRuleEnabled(context, ruleId, { isOn: true, revision }, 'user:usr_1')
}
