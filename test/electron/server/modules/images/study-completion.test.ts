import { describe, expect, it } from 'vitest'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import { verbatim } from '#shared/messages/message.ts'
import {
  IMAGE,
  image,
  normalized,
  openStage,
  SERIES,
  STUDY,
  type Stage,
  type Values,
} from './intake-fixture.ts'

const released = { kind: 'released', detail: null } as const
const stateOf = (stage: Stage) => findImageStudy(stage.store.database, STUDY)?.state

const MPPS = '1.2.3.100.500'
const started: Values = {
  PerformedProcedureStepStatus: 'IN PROGRESS',
  Modality: 'CT',
  ScheduledStepAttributesSequence: [{ StudyInstanceUID: STUDY, ScheduledProcedureStepID: 'S100' }],
}
const completed = (...numbers: number[]): Values => ({
  PerformedProcedureStepStatus: 'COMPLETED',
  PerformedSeriesSequence: [
    {
      SeriesInstanceUID: SERIES,
      ReferencedImageSequence: numbers.map((n) => ({ ReferencedSOPInstanceUID: `${SERIES}.${n}` })),
    },
  ],
})

describe('images of a study that is complete', () => {
  const other: Values = { PatientName: 'Other^Olga', PatientID: 'P200', PatientSex: 'F' }
  const settled = async (stage: Stage) => {
    await stage.pass(11 * 60_000)
    return findImageStudy(stage.store.database, STUDY)
  }

  it('are told of where the device corrected the patient of some of them only', async () => {
    await using stage = await openStage()
    for (const n of [1, 2, 3]) await stage.send(image(n))
    expect((await settled(stage))?.mismatch).toBeNull()
    await stage.send(image(3, other), { association: { associationId: 'a2' } })
    const study = await settled(stage)
    expect(study?.header.patientName).toBe('Other^Olga')
    expect(study?.mismatch?.amongImages).toEqual([
      { field: 'patientName', first: 'Other^Olga', other: 'Sample^Sam' },
    ])
    expect(stage.news.filter(({ tone }) => tone === 'danger')).toHaveLength(1)
  })

  it('are not, where it corrected all of them', async () => {
    await using stage = await openStage()
    for (const n of [1, 2]) await stage.send(image(n))
    await settled(stage)
    for (const n of [1, 2])
      await stage.send(image(n, other), { association: { associationId: 'a2' } })
    expect((await settled(stage))?.mismatch).toBeNull()
  })
})

describe('a study is complete', () => {
  it('when it has been quiet for the time of the setting, and no association that sent to it is open', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    await stage.pass(61_000)
    expect(stateOf(stage)).toBe('receiving')
    stage.intake.completion.associationClosed('a1', released)
    await stage.intake.settled()
    expect(stateOf(stage)).toBe('settled')
  })

  it('not before the time is over', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    stage.intake.completion.associationClosed('a1', released)
    await stage.pass(59_000)
    expect(stateOf(stage)).toBe('receiving')
    await stage.pass(2000)
    expect(stateOf(stage)).toBe('settled')
  })

  it('when it has taken long enough, though the association stays open', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    for (const n of [2, 3]) {
      await stage.pass(4 * 60_000)
      await stage.send(image(n))
    }
    expect(stateOf(stage)).toBe('receiving')
    await stage.pass(3 * 60_000)
    expect(stateOf(stage)).toBe('settled')
    expect(findStudyByUid(stage.store.database, 'scribe', STUDY)).toBeDefined()
    await stage.send(image(4))
    expect(stateOf(stage)).toBe('receiving')
  })

  it('at once when the device says that it is done, and all that it names is here', async () => {
    await using stage = await openStage()
    await stage.intake.steps.create(normalized(started, { sopInstanceUid: MPPS }))
    await stage.send(image(1))
    expect(
      (await stage.intake.steps.set(normalized(completed(1, 2), { sopInstanceUid: MPPS }))).status,
    ).toBe(0)
    await stage.intake.settled()
    expect(stateOf(stage)).toBe('receiving')
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({ expected: 2, missing: 1 })
    await stage.send(image(2))
    await stage.intake.settled()
    expect(stateOf(stage)).toBe('settled')
  })

  it('at once when everything came after the device said that it is done', async () => {
    await using stage = await openStage()
    await stage.intake.steps.create(normalized(started, { sopInstanceUid: MPPS }))
    await stage.intake.steps.set(normalized(completed(1), { sopInstanceUid: MPPS }))
    await stage.send(image(1))
    await stage.intake.settled()
    expect(stateOf(stage)).toBe('settled')
  })

  it('not at once while another step of it goes on', async () => {
    await using stage = await openStage()
    const other = [{ StudyInstanceUID: STUDY, ScheduledProcedureStepID: 'S200' }]
    await stage.intake.steps.create(normalized(started, { sopInstanceUid: MPPS }))
    await stage.intake.steps.create(
      normalized(
        { ...started, ScheduledStepAttributesSequence: other },
        { sopInstanceUid: '1.2.3.5' },
      ),
    )
    await stage.send(image(1))
    await stage.intake.steps.set(normalized(completed(1), { sopInstanceUid: MPPS }))
    await stage.intake.settled()
    expect(stateOf(stage)).toBe('receiving')
  })

  it('after a restart too, by what the database says', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    stage.clock.pass(61_000)
    await stage.reopen()
    await stage.intake.settled()
    expect(stateOf(stage)).toBe('settled')
    expect(findStudyByUid(stage.store.database, 'scribe', STUDY)).toBeDefined()
  })

  it('in time though the clock is set back by hours', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    stage.intake.completion.associationClosed('a1', released)
    await stage.intake.settled()
    await stage.pass(-3 * 60 * 60_000)
    expect(stateOf(stage)).toBe('settled')
  })

  it('a few at a time, where a long stop left many', async () => {
    let asked = 0
    let most = 0
    await using stage = await openStage({
      askEnrichment: async () => {
        asked++
        most = Math.max(most, asked)
        await new Promise((resolve) => setImmediate(resolve))
        asked--
        return {}
      },
    })
    const uids = Array.from({ length: 12 }, (_, n) => `1.2.3.${200 + n}`)
    for (const uid of uids)
      await stage.send({ ...IMAGE, StudyInstanceUID: uid, SOPInstanceUID: `${uid}.1` })
    stage.clock.pass(24 * 60 * 60_000)
    await stage.reopen()
    await stage.intake.settled()
    expect(uids.map((uid) => findImageStudy(stage.store.database, uid)?.state)).toEqual(
      uids.map(() => 'settled'),
    )
    expect(most).toBe(4)
  })

  it('once more a minute after a fault of ours', async () => {
    let isBroken = true
    await using stage = await openStage({
      askEnrichment: async () => ({ severity: 'high' }),
    })
    const append = stage.store.audit.append.bind(stage.store.audit)
    Object.assign(stage.store.audit, {
      append(...entry: Parameters<typeof append>) {
        if (isBroken) throw new Error('broken')
        return append(...entry)
      },
    })
    await stage.send(IMAGE)
    stage.intake.completion.associationClosed('a1', released)
    await stage.pass(61_000)
    expect(stateOf(stage)).toBe('receiving')
    expect(findStudyByUid(stage.store.database, 'scribe', STUDY)).toBeUndefined()
    expect(stage.errors).toHaveLength(1)
    isBroken = false
    await stage.pass(61_000)
    expect(stateOf(stage)).toBe('settled')
    expect(findStudyByUid(stage.store.database, 'scribe', STUDY)?.severity).toBe('high')
  })
})

describe('a transfer', () => {
  it('that breaks off is kept with the study, and said in the feed', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    stage.intake.completion.associationClosed('a1', {
      kind: 'aborted',
      detail: verbatim('the peer closed the connection'),
    })
    await stage.pass(0)
    expect(findImageStudy(stage.store.database, STUDY)?.transfer).toEqual({
      how: 'aborted',
      detail: 'the peer closed the connection',
      at: '2026-03-10T09:00:00.000Z',
    })
    expect(stage.news.at(-1)).toMatchObject({
      tone: 'warning',
      text: 'The device sent 1 object from 1 study. Then the transfer was interrupted: the peer closed the connection.',
    })
  })

  it('that broke off stays so, though others that were open already go on and end well, until the device sends again', async () => {
    await using stage = await openStage()
    const over = (associationId: string) => ({ association: { associationId } })
    const how = () => findImageStudy(stage.store.database, STUDY)?.transfer.how
    await stage.send(image(1), over('a1'))
    await stage.send(image(2), over('a2'))
    await stage.send({ ...image(3), StudyInstanceUID: '1.2.3.200' }, over('a3'))
    stage.clock.pass(1000)
    stage.intake.completion.associationClosed('a1', {
      kind: 'aborted',
      detail: verbatim('the peer closed the connection'),
    })
    await stage.pass(1000)
    await stage.send(image(4), over('a2'))
    await stage.send(image(5), over('a3'))
    expect(how()).toBe('aborted')
    for (const id of ['a2', 'a3']) stage.intake.completion.associationClosed(id, released)
    await stage.pass(61_000)
    expect([stateOf(stage), how()]).toEqual(['settled', 'aborted'])
    await stage.send(image(6), over('a4'))
    expect(how()).toBe('open')
    stage.intake.completion.associationClosed('a4', released)
    await stage.pass(61_000)
    expect(how()).toBe('released')
  })
})
