import { expect, it } from 'vitest'
import { recordStandby, removeStandby } from '#server/modules/backups/standby.ts'
import { backupStage, DAY_MS, HOUR_MS, MINUTE_MS } from './backups-fixture.ts'

const ACTOR = 'command-line'

it('has the recovery point of the backup that was copied, and is shown with it', async () => {
  await using stage = backupStage({ 'backup.everyMinutes': 15 })
  const { name, madeAt } = await stage.backups.make('by-hand', ACTOR)
  stage.clock.pass(4 * MINUTE_MS)
  await recordStandby(stage.store, 'nas', name, ACTOR)
  const told = { to: 'nas', recoveryPoint: madeAt, copiedAt: '2026-03-10T09:04:00.000Z' }
  expect((await stage.backups.state()).standby).toEqual(told)
  await stage.restart()
  expect((await stage.backups.state()).standby).toEqual(told)
})

it('is warned of when it is three intervals behind, of the plan there is', async () => {
  await using stage = backupStage({ 'backup.everyMinutes': 15 })
  expect(stage.health().standby).toBeUndefined()
  const { name } = await stage.backups.make('by-hand', ACTOR)
  await recordStandby(stage.store, 'nas', name, ACTOR)
  stage.clock.pass(45 * MINUTE_MS)
  expect(stage.health().standby).toBeUndefined()
  stage.clock.pass(MINUTE_MS)
  expect(stage.health().standby).toEqual({
    ...{ tone: 'warning', since: '2026-03-10T09:00:00.000Z' },
    sentence: 'The standby at nas only has data up to 2026-03-10 10:00 and is behind schedule.',
  })
  stage.store.settings.change({ 'backup.everyMinutes': null }, ACTOR)
  expect(stage.health().standby).toBeUndefined()
  stage.clock.pass(3 * DAY_MS)
  expect(stage.health().standby).toBeDefined()
  removeStandby(stage.store, ACTOR)
  expect(stage.health().standby).toBeUndefined()
  expect(() => removeStandby(stage.store, ACTOR)).toThrow('No standby is registered.')
})

it('notes no backup that is not in the folder', async () => {
  await using stage = backupStage()
  await expect(
    recordStandby(stage.store, 'nas', 'isthmus-2026-03-10-090000Z', ACTOR),
  ).rejects.toThrow('There is no backup')
  stage.store.settings.change({ 'backup.folder': null }, ACTOR)
  await expect(
    recordStandby(stage.store, 'nas', 'isthmus-2026-03-10-090000Z', ACTOR),
  ).rejects.toThrow('Choose a folder')
})

it('is in the trail once for each place, and not every few minutes', async () => {
  await using stage = backupStage()
  const { name } = await stage.backups.make('by-hand', ACTOR)
  for (const to of ['nas', 'nas', 'nas', 'branch']) {
    stage.clock.pass(HOUR_MS)
    await recordStandby(stage.store, to, name, ACTOR)
  }
  expect(stage.audited('standby.note').map(({ detail }) => detail)).toMatchObject([
    { to: 'branch' },
    { to: 'nas' },
  ])
})
