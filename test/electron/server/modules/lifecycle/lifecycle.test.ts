import { describe, expect, it } from 'vitest'
import { rawQuery } from '#server/database/query.ts'
import { removeDestination, updateDestination } from '#server/modules/forwarding/destinations.ts'
import { findMovedAt } from '#server/modules/images/instance-copy-queries.ts'
import { listStudyInstances } from '#server/modules/images/instance-queries.ts'
import { findStudyFacts } from '#server/modules/lifecycle/fact-queries.ts'
import { addRule, changeRule, removeRule, setRuleEnabled } from '#server/modules/lifecycle/rules.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { STUDY } from '../images/intake-fixture.ts'
import { ACTOR, DAY_MS, image, openLifecycleStage, PACS, RULE } from './lifecycle-fixture.ts'

const OTHER = '1.2.3.200'

describe('a lifecycle rule', () => {
  it('removes the files of an old study that is confirmed elsewhere, and writes it down', async () => {
    await using stage = await openLifecycleStage()
    await stage.receive([1, 2])
    stage.confirm()
    await stage.ruleOn()
    expect(await stage.lifecycle.run()).toEqual({ studies: 0, bytes: 0 })
    await stage.pass(91 * DAY_MS)
    const bytes = findImageStudy(stage.store.database, STUDY)?.bytes
    expect(await stage.lifecycle.run()).toEqual({ studies: 1, bytes })
    expect([stage.local(), stage.files().images.length]).toEqual([0, 0])
    // The rows stay.
    expect(findImageStudy(stage.store.database, STUDY)?.instances).toBe(2)
    const [entry] = stage.store.audit.list({ limit: 1 }).items
    expect(entry).toMatchObject({
      ...{ actor: 'gateway', action: 'lifecycle.remove', target: STUDY },
      detail: { instances: 2, bytes, places: [`destination ${PACS}`] },
    })
    expect(await stage.lifecycle.run()).toEqual({ studies: 0, bytes: 0 })
  })

  it('removes nothing of a study while one of its files is being read', async () => {
    await using stage = await openLifecycleStage()
    await stage.receive([1, 2])
    stage.confirm()
    await stage.ruleOn()
    await stage.pass(91 * DAY_MS)
    const [first, second] = listStudyInstances(stage.store.database, STUDY)
    if (!first || !second) throw new Error('The instances have no rows.')
    const ids = [first.instanceId, second.instanceId]
    const { inUse } = stage.store.imageFiles
    const reader = inUse.keep(ids)
    const other = inUse.keep([second.instanceId])
    expect(await stage.lifecycle.run()).toEqual({ studies: 0, bytes: 0 })
    reader[Symbol.dispose]()
    expect(await stage.lifecycle.run()).toEqual({ studies: 0, bytes: 0 })
    expect(stage.store.audit.list({ limit: 1 }).items[0]?.action).not.toBe('lifecycle.remove')
    other[Symbol.dispose]()
    expect((await stage.lifecycle.run()).studies).toBe(1)
  })

  it('removes nothing while one image of the study has no confirmed copy', async () => {
    await using stage = await openLifecycleStage()
    await stage.receive([1])
    stage.confirm()
    await stage.receive([2])
    const { ruleId } = await stage.ruleOn()
    await stage.pass(91 * DAY_MS)
    expect(await stage.lifecycle.run()).toEqual({ studies: 0, bytes: 0 })
    expect(stage.local()).toBe(2)
    expect((await stage.lifecycle.preview(ruleId)).kept).toMatchObject([
      { reason: 'not-confirmed', studies: 1 },
    ])
  })

  it('decides in the forecast whether the disk is full, and when', async () => {
    await using stage = await openLifecycleStage()
    stage.storage.freeBytes = 100
    await stage.receive([1])
    stage.confirm()
    const withRules = async () => (await stage.lifecycle.overview()).disk.withRules
    expect(await withRules()).toMatchObject({ fullInDays: 10, fullOn: '2026-03-20' })
    // The disk is full before the first study is removed.
    await stage.ruleOn({ days: 12 })
    expect(await withRules()).toMatchObject({ fullInDays: 10 })
    await stage.ruleOn({ name: 'Sooner', days: 8 })
    const bytes = findImageStudy(stage.store.database, STUDY)?.bytes
    const found = await withRules()
    expect(found).toMatchObject({ fullInDays: null, fullOn: null })
    expect(found?.weeks).toHaveLength(8)
    expect(found?.weeks.slice(0, 2)).toMatchObject([
      { from: '2026-03-10', receivedBytes: 70, freedBytes: 0, freeBytes: 30 },
      { from: '2026-03-17', receivedBytes: 70, freedBytes: Number(bytes) + 60 },
    ])
  })

  it('is in the forecast that staff see, as soon as it is on and as long as it is on', async () => {
    await using stage = await openLifecycleStage()
    stage.storage.freeBytes = 100
    await stage.receive([1])
    stage.confirm()
    const fullInDays = async () => {
      stage.lifecycle.forecast()
      await stage.lifecycle.settled()
      return stage.lifecycle.forecast().fullInDays
    }
    expect(await fullInDays()).toBe(10)
    const { ruleId } = await stage.ruleOn({ days: 8 })
    // For ten years.
    expect(await fullInDays()).toBe(3651)
    const changed = changeRule(stage.store, ruleId, { ...RULE, days: 12 }, ACTOR)
    expect(await fullInDays()).toBe(10)
    await stage.lifecycle.preview(ruleId)
    setRuleEnabled(stage.store, ruleId, { isOn: true, revision: changed.revision }, ACTOR)
    expect(await fullInDays()).toBe(10)
  })

  it('is shown as it would act, before it is switched on', async () => {
    await using stage = await openLifecycleStage()
    await stage.receive([1, 2])
    await stage.receive([1], OTHER)
    stage.confirm()
    await stage.pass(91 * DAY_MS)
    const rule = addRule(stage.store, RULE, ACTOR)
    const on = { isOn: true, revision: 1 }
    expect(() => setRuleEnabled(stage.store, rule.ruleId, on, ACTOR)).toThrow(ApiError)
    const preview = await stage.lifecycle.preview(rule.ruleId)
    expect(preview).toMatchObject({
      remove: { studies: 1, instances: 2 },
      notDue: { studies: 0, bytes: 0 },
      kept: [{ reason: 'not-confirmed', studies: 1 }],
      examples: [{ studyInstanceUid: STUDY, instances: 2, modalities: ['CT'] }],
    })
    expect(stage.local()).toBe(2)
    expect(setRuleEnabled(stage.store, rule.ruleId, on, ACTOR)).toMatchObject({ isOn: true })
    const changed = changeRule(stage.store, rule.ruleId, { ...RULE, days: 30 }, ACTOR)
    expect(changed).toMatchObject({ isOn: false, isPreviewed: false, revision: 2 })
    expect(() => setRuleEnabled(stage.store, rule.ruleId, on, ACTOR)).toThrow(
      expect.objectContaining({ explanation: message('lifecycle.not-previewed') }),
    )
    removeRule(stage.store, rule.ruleId, ACTOR)
    expect((await stage.lifecycle.overview()).rules).toEqual([])
  })

  it('acts earlier if the disk is nearly full, if it says so', async () => {
    await using stage = await openLifecycleStage()
    await stage.receive([1])
    stage.confirm()
    await stage.ruleOn({ isEarlierWhenLow: true })
    expect((await stage.lifecycle.run()).studies).toBe(0)
    stage.storage.state = 'low'
    expect((await stage.lifecycle.run()).studies).toBe(1)
  })

  it('does not act on what the node behind a changed destination has not confirmed', async () => {
    await using stage = await openLifecycleStage()
    await stage.receive([1])
    stage.confirm()
    await stage.ruleOn({ days: 0 })
    removeDestination(stage.store, PACS, ACTOR)
    expect((await stage.lifecycle.run()).studies).toBe(0)
    expect(findStudyFacts(stage.store.database, STUDY)?.local[0]?.places.size).toBe(0)
  })

  it('does not remove a file that came back on the word of a node that the destination no longer is', async () => {
    await using stage = await openLifecycleStage()
    await stage.receive([1])
    stage.confirm()
    await stage.ruleOn({ days: 0 })
    expect((await stage.lifecycle.run()).studies).toBe(1)
    await stage.pass(1)
    updateDestination(stage.store, PACS, { host: '127.0.0.2' }, ACTOR)
    await stage.receive([1])
    expect(stage.local()).toBe(1)
    expect((await stage.lifecycle.run()).studies).toBe(0)
    stage.confirm()
    expect((await stage.lifecycle.run()).studies).toBe(1)
  })

  it('deletes the record of a former node together with the destination', async () => {
    await using stage = await openLifecycleStage()
    await stage.receive([1])
    stage.confirm()
    await stage.ruleOn({ days: 0 })
    expect((await stage.lifecycle.run()).studies).toBe(1)
    const { database } = stage.store
    updateDestination(stage.store, PACS, { host: '127.0.0.2' }, ACTOR)
    expect(findMovedAt(database, PACS)).toBeDefined()
    await stage.receive([1])
    removeDestination(stage.store, PACS, ACTOR)
    expect(findMovedAt(database, PACS)).toBeUndefined()
  })

  it('prevents that the only place of removed images is deleted', async () => {
    await using stage = await openLifecycleStage()
    await stage.receive([1, 2])
    stage.confirm()
    await stage.ruleOn({ days: 0 })
    expect((await stage.lifecycle.run()).studies).toBe(1)
    expect(() => removeDestination(stage.store, PACS, ACTOR)).toThrow(
      expect.objectContaining({
        explanation: message('destinations.holds-images', { name: 'PACS', count: 2 }),
      }),
    )
  })

  it('applies to a study again when an image of it arrives later', async () => {
    await using stage = await openLifecycleStage()
    await stage.receive([1])
    stage.confirm()
    await stage.ruleOn({ days: 0 })
    await stage.lifecycle.run()
    await stage.receive([2])
    expect((await stage.lifecycle.run()).studies).toBe(0)
    stage.confirm()
    expect((await stage.lifecycle.run()).studies).toBe(1)
    expect(stage.local()).toBe(0)
  })

  it('keeps a file that came back for as long as a new one', async () => {
    await using stage = await openLifecycleStage()
    await stage.receive([1])
    stage.confirm()
    await stage.ruleOn()
    await stage.pass(91 * DAY_MS)
    await stage.lifecycle.run()
    expect(stage.local()).toBe(0)
    await stage.send(image(1))
    await stage.pass(DAY_MS)
    expect([stage.local(), (await stage.lifecycle.run()).studies]).toEqual([1, 0])
  })
})

describe('what keeps a study', () => {
  const sql = (text: string) => rawQuery(text, [])
  it.for([
    ['mismatch', 'update imageStudies set isMismatched = 1'],
    ['mismatch', 'update imageStudies set isMismatched = null'],
    ['quarantine', 'update imageStudies set quarantined = 1'],
    ['arriving', "update imageStudies set state = 'receiving'"],
    [
      'legal-hold',
      `insert into legalHolds (holdId, studyInstanceUid, sealedReason, userId, placedAt)
        values ('h', '${STUDY}', x'00', 'u', '2026-11-20T10:00:00.000Z')`,
    ],
    [
      'forwarding',
      `insert into forwardedStudies (destinationId, studyInstanceUid, failed, lastError, updatedAt)
        values ('${PACS}', '${STUDY}', 1, '', '2026-11-20T10:00:00.000Z')`,
    ],
  ] as const)('is %s', async ([reason, change]) => {
    await using stage = await openLifecycleStage()
    await stage.receive([1])
    stage.confirm()
    const { ruleId } = await stage.ruleOn({ days: 0 })
    expect((await stage.lifecycle.preview(ruleId)).remove.studies).toBe(1)
    stage.store.database.run(sql(change))
    expect(await stage.lifecycle.preview(ruleId)).toMatchObject({
      remove: { studies: 0 },
      kept: [{ reason, studies: 1 }],
    })
    expect((await stage.lifecycle.run()).studies).toBe(0)
    expect(stage.local()).toBe(1)
  })

  it('is a report that is missing, where the rule wants one', async () => {
    await using stage = await openLifecycleStage()
    await stage.receive([1])
    stage.confirm()
    const { ruleId } = await stage.ruleOn({ since: 'signed', days: 0 })
    expect((await stage.lifecycle.preview(ruleId)).kept).toMatchObject([
      { reason: 'not-signed', studies: 1 },
    ])
    expect((await stage.lifecycle.run()).studies).toBe(0)
  })
})
