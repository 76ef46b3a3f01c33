import { mkdirSync, rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { recountInstances } from '#server/modules/images/image-study-writing-queries.ts'
import {
  findCurrentInstance,
  insertInstance,
  listInstanceVersions,
} from '#server/modules/images/instance-queries.ts'
import {
  countQuarantinedIn,
  listQuarantined,
  listQuarantinedGroups,
  listQuarantinedIn,
  type QuarantineGroup,
} from '#server/modules/images/quarantine-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import { englishText } from '#shared/messages/english.ts'
import { IMAGE, image, openStage, SERIES, STUDY, type Stage } from './intake-fixture.ts'

const INSTANCE = IMAGE.SOPInstanceUID as string

/** Two contents of one UID, the second from another device. */
async function withTwo(stage: Stage): Promise<number> {
  await stage.send(IMAGE)
  await stage.send(
    { ...IMAGE, PixelData: 'others__' },
    { association: { callingAeTitle: 'MR1', associationId: 'a2' } },
  )
  return listQuarantined(stage.store.database, { limit: 10 }).items[0]?.instanceId ?? 0
}

describe('an instance that was set aside', () => {
  it('takes its place when a person lets it in, and the one that was there is kept', async () => {
    await using stage = await openStage()
    const instanceId = await withTwo(stage)
    expect(
      await stage.intake.quarantine.release(instanceId, 'the newer one is right', 'user:usr_1'),
    ).toMatchObject({ success: true })
    expect(listInstanceVersions(stage.store.database, INSTANCE).map(({ state }) => state)).toEqual([
      'superseded',
      'current',
    ])
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      instances: 1,
      quarantined: 0,
    })
    expect(stage.kept.map((instance) => instance.instanceId)).toEqual([instanceId - 1, instanceId])
    expect(stage.store.audit.list({ limit: 1 }).items[0]).toMatchObject({
      actor: 'user:usr_1',
      action: 'instance.release',
      target: String(instanceId),
      detail: {
        sopInstanceUid: INSTANCE,
        because: 'different-content',
        reason: 'the newer one is right',
      },
    })
    expect((await stage.intake.quarantine.release(instanceId, 'again', 'user:usr_1')).success).toBe(
      false,
    )
    expect(stage.files().images).toHaveLength(2)
  })

  it('is gone for good when a person discards it', async () => {
    await using stage = await openStage()
    const instanceId = await withTwo(stage)
    expect(await stage.intake.quarantine.discard(instanceId, 'a double', 'user:usr_1')).toEqual({
      success: true,
      message: 'It was deleted.',
    })
    expect(listInstanceVersions(stage.store.database, INSTANCE)).toHaveLength(1)
    expect(stage.files().images).toHaveLength(1)
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      instances: 1,
      quarantined: 0,
    })
    expect(stage.store.audit.list({ limit: 1 }).items[0]).toMatchObject({
      action: 'instance.discard',
    })
  })

  it('makes no study to be read where it is of an earlier exam that was fetched, nor is it sent on', async () => {
    await using stage = await openStage()
    const odd = { ...IMAGE, SeriesInstanceUID: '1..2' }
    await stage.send(odd, { moveOriginatorAeTitle: 'ISTHMUS' })
    const [aside] = listInstanceVersions(stage.store.database, INSTANCE)
    stage.intake.completion.associationClosed('a1', { kind: 'released', detail: null })
    await stage.pass(61_000)
    expect(
      (
        await stage.intake.quarantine.release(
          aside?.instanceId ?? 0,
          'an earlier exam',
          'user:usr_1',
        )
      ).success,
    ).toBe(true)
    await stage.pass(61_000)
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      state: 'settled',
      instances: 1,
      isFetched: true,
    })
    expect(findStudyByUid(stage.store.database, 'scribe', STUDY)).toBeUndefined()
    expect(stage.kept).toEqual([])
  })

  it('is neither where it is in its place: nothing else is deleted here', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    const { instanceId = 0 } = findCurrentInstance(stage.store.database, INSTANCE) ?? {}
    expect(
      (await stage.intake.quarantine.discard(instanceId, 'not wanted', 'user:usr_1')).success,
    ).toBe(false)
    expect(stage.files().images).toHaveLength(1)
    await expect(stage.intake.quarantine.release(99, 'no such', 'user:usr_1')).rejects.toThrow(
      'There is no such instance.',
    )
    await expect(stage.intake.quarantine.discard(99, 'no such', 'user:usr_1')).rejects.toThrow(
      'There is no such instance.',
    )
  })
})

describe('instances of one study that were set aside for one reason', () => {
  /**
   * The study has `count` of another source than those that are here, and one of another reason.
   */
  async function stageWith(count: number): Promise<Stage & { group: () => QuarantineGroup }> {
    const stage = await openStage()
    for (let number = 1; number <= count; number++) {
      await stage.send(image(number))
      await stage.send(image(number, { PixelData: 'others__' }), {
        association: { callingAeTitle: 'MR1', associationId: 'a2' },
      })
    }
    await stage.send({ ...image(99), SeriesInstanceUID: '1..2' })
    const group = () => {
      const [first] = listQuarantinedGroups(stage.store.database, STUDY)
      if (first?.because !== 'different-content') throw new Error('no such group')
      return { studyInstanceUid: STUDY, because: first.because, upTo: first.upTo }
    }
    return Object.assign(stage, { group })
  }
  const rowsOf = ({ store }: Stage) =>
    store.audit
      .list({ limit: 5 })
      .items.map(({ action, target, detail }) => ({ action, target, detail }))

  it('take their places together when a person lets them in, with one reason and their number in the audit trail', async () => {
    await using stage = await stageWith(3)
    expect(
      await stage.intake.quarantine.releaseGroup(
        stage.group(),
        'the newer ones are right',
        'user:usr_1',
      ),
    ).toEqual({
      success: true,
      message:
        '3 images are now part of their study; 3 of them replaced other images, which are kept.',
      ...{ decided: 3, left: 0 },
    })
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      instances: 3,
      quarantined: 1,
      state: 'receiving',
    })
    expect(
      [1, 2, 3].map(
        (number) =>
          findCurrentInstance(stage.store.database, `${SERIES}.${number}`)?.callingAeTitle,
      ),
    ).toEqual(['MR1', 'MR1', 'MR1'])
    expect(stage.kept).toHaveLength(6)
    expect(rowsOf(stage)[0]).toEqual({
      action: 'instances.release',
      target: STUDY,
      detail: { because: 'different-content', reason: 'the newer ones are right', instances: 3 },
    })
    expect(stage.files().images).toHaveLength(7)
  })

  it('are gone for good when a person discards them, rows first and then their files', async () => {
    await using stage = await stageWith(3)
    const group = stage.group()
    expect(await stage.intake.quarantine.discardGroup(group, 'doubles', 'user:usr_1')).toEqual({
      success: true,
      message: '3 images were deleted.',
      ...{ decided: 3, left: 0 },
    })
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      instances: 3,
      quarantined: 1,
    })
    expect(stage.files().images).toHaveLength(4)
    expect(rowsOf(stage)[0]).toMatchObject({
      action: 'instances.discard',
      detail: { instances: 3, reason: 'doubles' },
    })
    expect(await stage.intake.quarantine.discardGroup(group, 'again', 'user:usr_1')).toEqual({
      success: false,
      message: 'None of these images is in quarantine any more.',
      ...{ decided: 0, left: 0 },
    })
  })

  it('are not those that were set aside after the person looked', async () => {
    await using stage = await stageWith(2)
    const group = stage.group()
    await stage.send(image(1, { PixelData: 'another_' }), {
      association: { callingAeTitle: 'MR1', associationId: 'a2' },
    })
    expect(
      await stage.intake.quarantine.discardGroup(group, 'doubles', 'user:usr_1'),
    ).toMatchObject({
      decided: 2,
      left: 0,
    })
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({ quarantined: 2 })
  })

  it('are decided on in portions: what was decided before a fault stays, and it says how many', async () => {
    const stage = await openStage({
      onChange(_change, [instance]) {
        if (instance?.sopInstanceUid === `${SERIES}.260`) throw new Error('no room')
      },
    })
    await using _ = stage
    await stage.send(image(1, { SeriesInstanceUID: '1..2' }))
    const [first] = listQuarantined(stage.store.database, { limit: 1 }).items
    if (!first) throw new Error('nothing was set aside')
    stage.store.database.transaction(() => {
      for (let number = 2; number <= 300; number++) {
        const { instanceId: __, ...row } = first
        const uuid = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
        insertInstance(stage.store.database, {
          ...row,
          sopInstanceUid: `${SERIES}.${number}`,
          file: first.file.replace(/[^/]*$/, `${uuid}.dcm`),
        })
      }
      recountInstances(stage.store.database, STUDY)
    })
    const group = {
      studyInstanceUid: STUDY,
      because: 'invalid-uid',
      upTo: first.instanceId + 299,
    } as const
    const outcome = await stage.intake.quarantine.releaseGroup(
      group,
      'they are needed',
      'user:usr_1',
    )
    expect(outcome).toMatchObject({ success: false, decided: 250, left: 50 })
    expect(englishText(outcome.message)).toMatch(
      /^250 images are now part of their study\. Then the gateway could not continue \(reference [0-9a-f]{8}\): 50 images are still in quarantine\. Try again\.$/,
    )
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      instances: 250,
      quarantined: 50,
    })
    expect(stage.errors).toHaveLength(1)
    // Where nothing was decided, the fault itself is told.
    await expect(
      stage.intake.quarantine.releaseGroup(group, 'they are needed', 'user:usr_1'),
    ).rejects.toThrow('no room')
    expect(
      await stage.intake.quarantine.discardGroup(group, 'they are not', 'user:usr_1'),
    ).toMatchObject({
      success: true,
      decided: 50,
      left: 0,
    })
    expect(
      rowsOf(stage)
        .filter(({ action }) => action.startsWith('instances.'))
        .map(({ detail }) => (detail as { instances: number }).instances),
    ).toEqual([50, 250])
  })

  it('say so where a file cannot be deleted', async () => {
    await using stage = await stageWith(2)
    const group = stage.group()
    const [blocked] = listQuarantinedIn(stage.store.database, group, { after: 0, limit: 1 })
    if (!blocked) throw new Error('nothing was set aside')
    // A folder in the place of the file cannot be unlinked.
    const path = stage.store.imageFiles.pathOf(blocked.file)
    rmSync(path)
    mkdirSync(path)
    const outcome = await stage.intake.quarantine.discardGroup(group, 'doubles', 'user:usr_1')
    expect(outcome).toMatchObject({ success: false, decided: 2, left: 0 })
    expect(outcome.message).toEqual(
      '2 images were deleted. The file of 1 of them could not be deleted now: the next start moves it to the recovery folder.',
    )
    expect(countQuarantinedIn(stage.store.database, group)).toBe(0)
  })
})
