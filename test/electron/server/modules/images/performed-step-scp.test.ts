import { describe, expect, it } from 'vitest'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { countExpected } from '#server/modules/images/announced-instance-queries.ts'
import {
  findCurrentInstance,
  listInstanceVersions,
} from '#server/modules/images/instance-queries.ts'
import { countQuarantined } from '#server/modules/images/quarantine-queries.ts'
import { findPerformedStep } from '#server/modules/procedure-steps/performed-step-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import {
  ASSOCIATION,
  DEVICE,
  encoded,
  HANDED_OUT,
  IMAGE,
  image,
  normalized,
  openStage,
  SERIES,
  STUDY,
  type Stage,
  type Values,
} from './intake-fixture.ts'

const MPPS = '1.2.3.100.500'
const STARTED: Values = {
  PatientID: 'P100',
  PerformedProcedureStepStatus: 'IN PROGRESS',
  Modality: 'CT',
  ScheduledStepAttributesSequence: [
    { StudyInstanceUID: STUDY, ScheduledProcedureStepID: 'S100', AccessionNumber: 'A100' },
  ],
}
const SERIES_OF_ONE: Values = {
  PerformedSeriesSequence: [
    {
      SeriesInstanceUID: SERIES,
      ReferencedImageSequence: [{ ReferencedSOPInstanceUID: `${SERIES}.1` }],
    },
  ],
}
const COMPLETED: Values = { PerformedProcedureStepStatus: 'COMPLETED', ...SERIES_OF_ONE }
const WRONG_ENTRY: Values = {
  PerformedProcedureStepStatus: 'DISCONTINUED',
  PerformedProcedureStepDiscontinuationReasonCodeSequence: [
    {
      CodeValue: '110514',
      CodingSchemeDesignator: 'DCM',
      CodeMeaning: 'Incorrect worklist entry selected',
    },
  ],
}

const create = (
  stage: Stage,
  values: Values = STARTED,
  sopInstanceUid: string | undefined = MPPS,
) => stage.intake.steps.create(normalized(values, { sopInstanceUid }))
const set = (stage: Stage, values: Values, sopInstanceUid = MPPS) =>
  stage.intake.steps.set(normalized(values, { sopInstanceUid }))
const stepState = (stage: Stage) => stage.performedSteps.stateOf(STUDY, 'S100')

describe('a step of another device', () => {
  const as = (callingAeTitle: string, remoteAddress: string) => ({
    association: { associationId: 'a9', callingAeTitle, calledAeTitle: 'ISTHMUS', remoteAddress },
  })
  const end = (stage: Stage, association: ReturnType<typeof as>) =>
    stage.intake.steps.set({ ...normalized(COMPLETED, { sopInstanceUid: MPPS }), ...association })

  it('is neither changed nor ended, and staff see that it was tried', async () => {
    const devices = [{ ...DEVICE, address: ASSOCIATION.remoteAddress }]
    await using stage = await openStage({ devices })
    await create(stage)
    for (const other of [as('CT1', '10.0.3.66'), as('US1', '127.0.0.1')])
      expect(await end(stage, other)).toMatchObject({
        status: 0x0110,
        errorComment: 'Performed Procedure Step of another device',
      })
    expect(findPerformedStep(stage.store.database, MPPS)).toMatchObject({
      status: 'IN PROGRESS',
      endedAt: null,
      instances: 0,
    })
    expect(stepState(stage)).toBe('started')
    expect(stage.news.at(-1)).toMatchObject({
      tone: 'warning',
      text: 'US1 tried to change a performed procedure step of CT room 1; the change was rejected.',
    })
    expect(await set(stage, COMPLETED)).toMatchObject({ status: 0 })
  })

  it.each([
    [
      'at both its addresses',
      { ...DEVICE, address: '127.0.0.1' },
      { ...DEVICE, deviceId: 'second', address: '10.0.3.8' },
      '10.0.3.8',
      0,
    ],
    [
      'at the new one, as its address in the list was changed',
      undefined,
      { ...DEVICE, address: '10.0.3.8' },
      '10.0.3.8',
      0,
    ],
    ['at its own address only', { ...DEVICE, address: '127.0.0.1' }, undefined, '10.0.3.8', 0x0110],
  ])(
    'is its own again for a console that is in the device list %s',
    async (_what, creator, ender, address, status) => {
      const devices = [creator, ender].filter((device) => device !== undefined)
      await using stage = await openStage({ devices })
      await create(stage)
      expect(await end(stage, as('CT1', address))).toMatchObject({ status })
      expect(findPerformedStep(stage.store.database, MPPS)?.status).toBe(
        status === 0 ? 'COMPLETED' : 'IN PROGRESS',
      )
    },
  )

  it('is ended by it where the settings allow that', async () => {
    await using stage = await openStage({ settings: { 'intake.stepsOfOthers': true } })
    await create(stage)
    expect(await end(stage, as('US1', '127.0.0.1'))).toMatchObject({ status: 0 })
    expect(findPerformedStep(stage.store.database, MPPS)?.status).toBe('COMPLETED')
  })
})

describe('a step that a device begins', () => {
  it('is in progress, and so is the step of the worklist', async () => {
    await using stage = await openStage()
    expect(await create(stage)).toEqual({ status: 0, sopInstanceUid: MPPS })
    expect(findPerformedStep(stage.store.database, MPPS)).toMatchObject({
      status: 'IN PROGRESS',
      modality: 'CT',
      deviceName: 'CT room 1',
      startedAt: '2026-03-10T09:00:00.000Z',
      endedAt: null,
      items: [{ studyInstanceUid: STUDY, scheduledProcedureStepId: 'S100' }],
    })
    expect(stepState(stage)).toBe('started')
    expect(stage.news).toMatchObject([
      {
        kind: 'performed-step',
        tone: 'plain',
        text: 'CT room 1 reports that an exam has begun.',
        studyInstanceUid: STUDY,
      },
    ])
    expect(JSON.stringify(stage.news)).not.toContain('P100')
  })

  it('is given a UID where the device leaves that to us', async () => {
    await using stage = await openStage()
    const { status, sopInstanceUid } = await stage.intake.steps.create(normalized(STARTED))
    expect(status).toBe(0)
    expect(sopInstanceUid).toMatch(/^2\.25\.[1-9]\d{20,38}$/)
    expect(findPerformedStep(stage.store.database, sopInstanceUid ?? '')?.status).toBe(
      'IN PROGRESS',
    )
  })

  it.each([
    [{ PerformedProcedureStepStatus: 'COMPLETED' }],
    [{ PerformedProcedureStepStatus: '' }],
    [{}],
  ])('as %j is refused with 0106', async (values: Values) => {
    await using stage = await openStage()
    expect(await create(stage, values)).toMatchObject({
      status: 0x0106,
      offendingElements: [0x00400252],
    })
    expect(findPerformedStep(stage.store.database, MPPS)).toBeUndefined()
  })

  it.each(['1'.repeat(65), '1.2.\u0007'])(
    'under %j, which is no UID, is refused with 0117',
    async (uid) => {
      await using stage = await openStage()
      expect(await create(stage, STARTED, uid)).toMatchObject({ status: 0x0117 })
      expect(stepState(stage)).toBeUndefined()
    },
  )

  it('twice is refused with 0111', async () => {
    await using stage = await openStage()
    await create(stage)
    const [again, other] = await Promise.all([create(stage), create(stage, STARTED, '1.2.3.9')])
    expect(again.status).toBe(0x0111)
    expect(other.status).toBe(0)
  })

  it('may leave out what is of type 2', async () => {
    await using stage = await openStage()
    expect((await create(stage, { PerformedProcedureStepStatus: 'IN PROGRESS' })).status).toBe(0)
    expect(findPerformedStep(stage.store.database, MPPS)).toMatchObject({ modality: '', items: [] })
  })

  it.each([
    ['no data set', undefined],
    ['half a data set', encoded(STARTED).subarray(0, 50)],
  ])('with %s is refused with 0110', async (_, dataSet) => {
    await using stage = await openStage()
    expect(
      (await stage.intake.steps.create(normalized(STARTED, { sopInstanceUid: MPPS, dataSet })))
        .status,
    ).toBe(0x0110)
  })

  it('is read in Implicit VR too', async () => {
    await using stage = await openStage()
    const transferSyntax = TRANSFER_SYNTAX.implicitLittleEndian
    const dataSet = encoded(STARTED, transferSyntax)
    await stage.intake.steps.create(
      normalized(STARTED, { sopInstanceUid: MPPS, transferSyntax, dataSet }),
    )
    expect(stepState(stage)).toBe('started')
  })

  it('belongs to the row that was handed out, where the device made a study UID of its own', async () => {
    await using stage = await openStage({
      handedOut: async () => ({ ...HANDED_OUT, studyInstanceUid: '1.2.3.777' }),
    })
    await create(stage)
    expect(stage.performedSteps.stateOf('1.2.3.777', 'S100')).toBe('started')
    expect(stepState(stage)).toBe('started')
  })
})

describe('a step that a device ends', () => {
  it('is completed, and announces its images', async () => {
    await using stage = await openStage()
    await create(stage)
    stage.clock.pass(60_000)
    expect(await set(stage, COMPLETED)).toEqual({ status: 0 })
    expect(findPerformedStep(stage.store.database, MPPS)).toMatchObject({
      status: 'COMPLETED',
      endedAt: '2026-03-10T09:01:00.000Z',
      instances: 1,
    })
    expect(stepState(stage)).toBe('completed')
    expect(countExpected(stage.store.database, STUDY)).toEqual({ expected: 1, missing: 1 })
    expect(stage.news.at(-1)?.text).toEqual(
      'CT room 1 reports that an exam is complete, with 1 object.',
    )
  })

  it('keeps what it said before', async () => {
    await using stage = await openStage()
    await create(stage)
    await set(stage, SERIES_OF_ONE)
    expect(findPerformedStep(stage.store.database, MPPS)).toMatchObject({
      status: 'IN PROGRESS',
      instances: 1,
    })
    expect((await set(stage, { PerformedProcedureStepStatus: 'COMPLETED' })).status).toBe(0)
    expect(findPerformedStep(stage.store.database, MPPS)).toMatchObject({
      status: 'COMPLETED',
      instances: 1,
      modality: 'CT',
    })
  })

  it('completed needs series', async () => {
    await using stage = await openStage()
    await create(stage)
    expect(
      await set(stage, { PerformedProcedureStepStatus: 'COMPLETED', PerformedSeriesSequence: [] }),
    ).toMatchObject({
      status: 0x0121,
      offendingElements: [0x00400340],
    })
    expect(stepState(stage)).toBe('started')
  })

  it('with another status than the standard’s is refused with 0106', async () => {
    await using stage = await openStage()
    await create(stage)
    expect(await set(stage, { PerformedProcedureStepStatus: 'PAUSED' })).toMatchObject({
      status: 0x0106,
    })
  })

  it('is not changed any more: 0110 with A710', async () => {
    await using stage = await openStage()
    await create(stage)
    await set(stage, COMPLETED)
    expect(await set(stage, WRONG_ENTRY)).toMatchObject({ status: 0x0110, errorId: 0xa710 })
    expect(stepState(stage)).toBe('completed')
  })

  it('that nobody began is 0112', async () => {
    await using stage = await openStage()
    expect((await set(stage, COMPLETED, '1.2.9')).status).toBe(0x0112)
  })

  it('is on the worklist again where it was discontinued', async () => {
    await using stage = await openStage()
    await create(stage)
    expect((await set(stage, { PerformedProcedureStepStatus: 'DISCONTINUED' })).status).toBe(0)
    expect(stepState(stage)).toBeUndefined()
    expect(countQuarantined(stage.store.database)).toBe(0)
  })
})

describe('the wrong worklist entry', () => {
  const ofStep = (n: number) =>
    image(n, {
      RequestAttributesSequence: [{ StudyInstanceUID: STUDY, ScheduledProcedureStepID: 'S100' }],
    })

  const OTHER = '1.2.3.100.502'
  const other: Values = {
    ...STARTED,
    ScheduledStepAttributesSequence: [
      { StudyInstanceUID: STUDY, ScheduledProcedureStepID: 'S200' },
    ],
  }
  const reasons = (stage: Stage, ...numbers: number[]) =>
    numbers.map(
      (n) => listInstanceVersions(stage.store.database, `${SERIES}.${n}`)[0]?.reason ?? 'current',
    )

  it('sets aside the images that are here, by their step and by name, and those that still come', async () => {
    await using stage = await openStage()
    await create(stage)
    await create(stage, other, OTHER)
    await stage.send(ofStep(1))
    await stage.send(image(2))
    await stage.send(image(3))
    const named = [
      {
        SeriesInstanceUID: SERIES,
        ReferencedImageSequence: [{ ReferencedSOPInstanceUID: `${SERIES}.2` }],
      },
    ]
    expect((await set(stage, { ...WRONG_ENTRY, PerformedSeriesSequence: named })).status).toBe(0)
    await stage.send(ofStep(4))
    await stage.send(
      image(5, { ReferencedPerformedProcedureStepSequence: [{ ReferencedSOPInstanceUID: MPPS }] }),
    )
    await stage.send(image(6))
    const aside = 'wrong-step'
    // Those that name no step may be of the other one.
    expect(reasons(stage, 1, 2, 3, 4, 5, 6)).toEqual([
      aside,
      aside,
      'current',
      aside,
      aside,
      'current',
    ])
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      instances: 2,
      quarantined: 4,
    })
    // Those that were on their way to destinations, each told of once; those that came later were
    // never queued.
    const idOf = (n: number) =>
      listInstanceVersions(stage.store.database, `${SERIES}.${n}`)[0]?.instanceId
    expect(stage.setAside).toEqual([idOf(1), idOf(2)])
    expect(stage.kept.map(({ instanceId }) => instanceId)).toEqual([1, 2, 3, 6].map(idOf))
    expect(stepState(stage)).toBeUndefined()
    expect(
      stage.news.find(({ kind, tone }) => kind === 'performed-step' && tone === 'danger')?.text,
    ).toMatchObject({ code: 'images.wrong-entry-set-aside' })
  })

  it('sets aside what names no step at all where the study has no other, what is here and what still comes', async () => {
    await using stage = await openStage()
    await create(stage)
    await create(stage, other, OTHER)
    await stage.send(image(1))
    await set(stage, WRONG_ENTRY)
    expect(reasons(stage, 1)).toEqual(['current'])
    await set(stage, WRONG_ENTRY, OTHER)
    await stage.send(image(2))
    expect(reasons(stage, 1, 2)).toEqual(['wrong-step', 'wrong-step'])
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      instances: 0,
      quarantined: 2,
    })
    await create(stage, STARTED, '1.2.3.100.503')
    await stage.send(image(3))
    expect(reasons(stage, 3)).toEqual(['current'])
  })

  it('sets aside what was made in the step, though it carries neither the step nor is named', async () => {
    await using stage = await openStage()
    await create(stage)
    await stage.send(
      image(1, { ReferencedPerformedProcedureStepSequence: [{ ReferencedSOPInstanceUID: MPPS }] }),
    )
    expect(findCurrentInstance(stage.store.database, `${SERIES}.1`)?.scheduledProcedureStepId).toBe(
      'S100',
    )
    await set(stage, WRONG_ENTRY)
    expect(listInstanceVersions(stage.store.database, `${SERIES}.1`)[0]?.reason).toBe('wrong-step')
  })

  it('says nothing of the step once it is begun again', async () => {
    await using stage = await openStage()
    await create(stage)
    await set(stage, WRONG_ENTRY)
    await create(stage, STARTED, '1.2.3.100.501')
    await stage.send(ofStep(1))
    expect(findCurrentInstance(stage.store.database, `${SERIES}.1`)?.state).toBe('current')
  })

  it('leaves nothing to be seeded where it was all there is, until a person lets an image in', async () => {
    await using stage = await openStage()
    await create(stage)
    await set(stage, WRONG_ENTRY)
    await stage.send({
      ...IMAGE,
      RequestAttributesSequence: [{ ScheduledProcedureStepID: 'S100' }],
    })
    stage.intake.completion.associationClosed('a1', { kind: 'released', detail: null })
    await stage.pass(61_000)
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      state: 'settled',
      instances: 0,
    })
    expect(findStudyByUid(stage.store.database, 'scribe', STUDY)).toBeUndefined()
    const [instance] = listInstanceVersions(stage.store.database, IMAGE.SOPInstanceUID as string)
    await stage.intake.quarantine.release(
      instance?.instanceId ?? 0,
      'it is the right one',
      'user:usr_1',
    )
    await stage.pass(0)
    expect(findStudyByUid(stage.store.database, 'scribe', STUDY)).toBeDefined()
  })
})
