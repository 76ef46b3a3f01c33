import { describe, expect, it } from 'vitest'
import { IMAGE, openStage, STUDY, type Stage } from './intake-fixture.ts'

const INSTANCE = IMAGE.SOPInstanceUID as string

/** Two contents of one UID, the second from another device. */
async function withTwo(stage: Stage): Promise<number> {
  await stage.send(IMAGE)
  await stage.send({ ...IMAGE, PixelData: 'others__' }, { association: { callingAeTitle: 'MR1', associationId: 'a2' } })
  return stage.store.instances.quarantined({ limit: 10 }).items[0]?.instanceId ?? 0
}

describe('an instance that was set aside', () => {
  it('takes its place when a person lets it in, and the one that was there is kept', async () => {
    await using stage = await openStage()
    const instanceId = await withTwo(stage)
    expect(stage.intake.releaseInstance(instanceId, 'the newer one is right', 'user:usr_1')).toMatchObject({ success: true })
    expect(stage.store.instances.versions(INSTANCE).map(({ state }) => state)).toEqual(['superseded', 'current'])
    expect(stage.store.imageStudies.get(STUDY)).toMatchObject({ instances: 1, quarantined: 0 })
    expect(stage.kept.map((instance) => instance.instanceId)).toEqual([instanceId - 1, instanceId])
    expect(stage.store.audit.list({ limit: 1 }).items[0]).toMatchObject({
      actor: 'user:usr_1',
      action: 'instance.release',
      target: String(instanceId),
      detail: { sopInstanceUid: INSTANCE, because: 'different-content', reason: 'the newer one is right' },
    })
    expect(stage.intake.releaseInstance(instanceId, 'again', 'user:usr_1').success).toBe(false)
    expect(stage.files().images).toHaveLength(2)
  })

  it('is gone for good when a person discards it', async () => {
    await using stage = await openStage()
    const instanceId = await withTwo(stage)
    expect(await stage.intake.discardInstance(instanceId, 'a double', 'user:usr_1')).toEqual({ success: true, message: 'It was deleted.' })
    expect(stage.store.instances.versions(INSTANCE)).toHaveLength(1)
    expect(stage.files().images).toHaveLength(1)
    expect(stage.store.imageStudies.get(STUDY)).toMatchObject({ instances: 1, quarantined: 0 })
    expect(stage.store.audit.list({ limit: 1 }).items[0]).toMatchObject({ action: 'instance.discard' })
  })

  it('makes no study to be read where it is of an earlier exam that was fetched, nor is it sent on', async () => {
    await using stage = await openStage()
    const odd = { ...IMAGE, SeriesInstanceUID: '1..2' }
    await stage.send(odd, { moveOriginatorAeTitle: 'ISTHMUS' })
    const [aside] = stage.store.instances.versions(INSTANCE)
    stage.intake.associationClosed('a1', { kind: 'released', detail: '' })
    await stage.pass(61_000)
    expect(stage.intake.releaseInstance(aside?.instanceId ?? 0, 'an earlier exam', 'user:usr_1').success).toBe(true)
    await stage.pass(61_000)
    expect(stage.store.imageStudies.get(STUDY)).toMatchObject({ state: 'settled', instances: 1, isFetched: true })
    expect(stage.store.studies.byUid('scribe', STUDY)).toBeUndefined()
    expect(stage.kept).toEqual([])
  })

  it('is neither where it is in its place: nothing else is deleted here', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    const { instanceId = 0 } = stage.store.instances.current(INSTANCE) ?? {}
    expect((await stage.intake.discardInstance(instanceId, 'not wanted', 'user:usr_1')).success).toBe(false)
    expect(stage.files().images).toHaveLength(1)
    expect(() => stage.intake.releaseInstance(99, 'no such', 'user:usr_1')).toThrow('There is no such instance.')
    await expect(stage.intake.discardInstance(99, 'no such', 'user:usr_1')).rejects.toThrow('There is no such instance.')
  })
})
