import { expect, it } from 'vitest'
import { openStandby } from '#server/modules/backups/standby.ts'
import { backupStage, DAY_MS, HOUR_MS, MINUTE_MS } from './backups-fixture.ts'

const ACTOR = 'command-line'

it('has the recovery point of the back-up that was copied, and is shown with it', async () => {
  await using stage = backupStage({ 'backup.everyMinutes': 15 })
  const standby = openStandby(stage)
  const { name, madeAt } = await stage.backups.make('by-hand', ACTOR)
  stage.clock.pass(4 * MINUTE_MS)
  await standby.note({ to: 'nas', backup: name }, ACTOR)
  const told = { to: 'nas', recoveryPoint: madeAt, copiedAt: '2026-03-10T09:04:00.000Z' }
  expect((await stage.backups.state()).standby).toEqual(told)
  await stage.restart()
  expect((await stage.backups.state()).standby).toEqual(told)
})

it('is warned of when it is three intervals behind, of the plan there is', async () => {
  await using stage = backupStage({ 'backup.everyMinutes': 15 })
  const standby = openStandby(stage)
  expect(stage.health().standby).toBeUndefined()
  const { name } = await stage.backups.make('by-hand', ACTOR)
  await standby.note({ to: 'nas', backup: name }, ACTOR)
  stage.clock.pass(45 * MINUTE_MS)
  expect(stage.health().standby).toBeUndefined()
  stage.clock.pass(MINUTE_MS)
  expect(stage.health().standby).toEqual({
    ...{ tone: 'warning', since: '2026-03-10T09:00:00.000Z' },
    sentence:
      'The standby at nas has what was written until 2026-03-10 10:00, and is behind the plan.',
  })
  stage.settings.change({ 'backup.everyMinutes': null }, ACTOR)
  expect(stage.health().standby).toBeUndefined()
  stage.clock.pass(3 * DAY_MS)
  expect(stage.health().standby).toBeDefined()
  standby.forget(ACTOR)
  expect(stage.health().standby).toBeUndefined()
  expect(() => standby.forget(ACTOR)).toThrow('No standby was noted.')
})

it('notes no back-up that is not in the folder', async () => {
  await using stage = backupStage()
  const standby = openStandby(stage)
  await expect(
    standby.note({ to: 'nas', backup: 'isthmus-2026-03-10-090000Z' }, ACTOR),
  ).rejects.toThrow('There is no back-up')
  stage.settings.change({ 'backup.folder': null }, ACTOR)
  await expect(
    standby.note({ to: 'nas', backup: 'isthmus-2026-03-10-090000Z' }, ACTOR),
  ).rejects.toThrow('Choose a folder')
})

it('is in the trail once for each place, and not every few minutes', async () => {
  await using stage = backupStage()
  const standby = openStandby(stage)
  const { name } = await stage.backups.make('by-hand', ACTOR)
  for (const to of ['nas', 'nas', 'nas', 'branch']) {
    stage.clock.pass(HOUR_MS)
    await standby.note({ to, backup: name }, ACTOR)
  }
  expect(stage.audited('standby.note').map(({ detail }) => detail)).toMatchObject([
    { to: 'branch' },
    { to: 'nas' },
  ])
})
