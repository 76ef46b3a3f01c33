import { expect, it } from 'vitest'
import { rawQuery } from '#server/database/query.ts'
import { STUDY } from '../images/intake-fixture.ts'
import { ACTOR, DAY_MS, openLifecycleStage, PACS } from './lifecycle-fixture.ts'

const HOUR_MS = 60 * 60_000
const STUDIES = [STUDY, '1.2.3.200', '1.2.3.300', '1.2.3.400']

/** Studies that were sent to a destination without storage commitment, at the age of a rule. */
async function openSent(perHour: number) {
  const stage = await openLifecycleStage()
  const { database, settings } = stage.store
  settings.change({ 'lifecycle.readBackPerHour': perHour }, 'command-line')
  database.run(rawQuery('update destinations set confirmsStorage = 0, hasPriors = 1', []))
  for (const [at, study] of STUDIES.entries()) {
    await stage.receive([at + 1], study)
    database.run(
      rawQuery(
        `insert into forwardedStudies (destinationId, studyInstanceUid, waiting, sent, failed, dropped, lastError, updatedAt)
          values (?, ?, 0, 1, 0, 0, '', '2026-11-20T10:00:00.000Z')`,
        [PACS, study],
      ),
    )
    stage.keeps.add(study)
  }
  await stage.pass(91 * DAY_MS)
  return {
    ...stage,
    /** The next hourly run, and what it starts. */
    async hour() {
      await stage.pass(HOUR_MS)
      await stage.lifecycle.run()
      await stage.lifecycle.settled()
    },
  }
}

it('a rule has studies read back at a bounded rate, and removes those that came back the same', async () => {
  await using stage = await openSent(2)
  await stage.ruleOn({ readsBack: true })
  await stage.hour()
  expect(stage.readBack).toEqual(STUDIES.slice(0, 2))
  // Run by hand within the hour: the rate is the same.
  expect((await stage.lifecycle.runNow(ACTOR)).studies).toBe(2)
  await stage.lifecycle.settled()
  expect(stage.readBack).toEqual(STUDIES.slice(0, 2))
  await stage.hour()
  expect(stage.readBack).toEqual(STUDIES)
  await stage.hour()
  expect(STUDIES.map((study) => stage.local(study))).toEqual([0, 0, 0, 0])
})

it('asks again after a day for what did not come back', async () => {
  await using stage = await openSent(10)
  const [first = '', ...others] = STUDIES
  stage.keeps.delete(first)
  await stage.ruleOn({ readsBack: true })
  for (let hour = 0; hour < 24; hour++) await stage.hour()
  expect(stage.readBack).toEqual(STUDIES)
  expect([first, ...others].map((study) => stage.local(study))).toEqual([1, 0, 0, 0])
  await stage.hour()
  expect(stage.readBack).toEqual([...STUDIES, first])
})

it('leaves alone what no rule wants, what is too young, and destinations that confirm by themselves', async () => {
  await using stage = await openSent(10)
  const rule = await stage.ruleOn({ readsBack: false })
  await stage.hour()
  expect(stage.readBack).toEqual([])
  await stage.ruleOn({ name: 'Later', days: 365, readsBack: true })
  await stage.hour()
  expect(stage.readBack).toEqual([])
  stage.store.database.run(rawQuery('update destinations set confirmsStorage = 1', []))
  await stage.ruleOn({ name: 'Now', readsBack: true })
  await stage.hour()
  expect(stage.readBack).toEqual([])
  expect(rule.readsBack).toBe(false)
})
