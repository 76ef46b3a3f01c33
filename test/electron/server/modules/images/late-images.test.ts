import { describe, expect, it } from 'vitest'
import { findCurrentInstance } from '#server/modules/images/instance-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { englishText } from '#shared/messages/english.ts'
import { message } from '#shared/messages/message.ts'
import { HANDED_OUT, IMAGE, image, openStage, STUDY, type Stage } from './intake-fixture.ts'
import { exam, partner, scribeOf } from './study-creation-fixture.ts'

describe('late images', () => {
  it('count, and neither seed nor ask again', async () => {
    const { questions, askEnrichment } = partner()
    await using stage = await openStage({ askEnrichment })
    await exam(stage)
    await stage.send(image(2), { association: { associationId: 'a2' } })
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      state: 'receiving',
      instances: 2,
    })
    stage.intake.completion.associationClosed('a2', { kind: 'released', detail: null })
    await stage.pass(61_000)
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      state: 'settled',
      instances: 2,
      series: 1,
    })
    expect(questions).toHaveLength(1)
  })

  it('that name another patient are told of once, and change nothing of the study', async () => {
    const { questions, askEnrichment } = partner()
    await using stage = await openStage({ askEnrichment })
    await exam(stage)
    const association = { associationId: 'a2' }
    for (const n of [2, 3])
      await stage.send(image(n, { PatientName: 'Other^Olga', PatientID: 'P200' }), { association })
    stage.intake.completion.associationClosed('a2', { kind: 'released', detail: null })
    await stage.pass(61_000)
    expect(questions).toHaveLength(1)
    expect(
      stage.news.filter(({ text }) =>
        englishText(text).startsWith('The images of one study name different'),
      ),
    ).toHaveLength(1)
    expect(scribeOf(stage).detail.reportMetadata).toMatchObject({
      patientName: 'Sample^Sam',
      mrn: 'P100',
    })
    const study = findImageStudy(stage.store.database, STUDY)
    expect(study?.header.patientId).toBe('P100')
    expect(study?.mismatch).toMatchObject({
      fields: [],
      amongImages: [
        { field: 'patientName', first: 'Sample^Sam', other: 'Other^Olga' },
        { field: 'patientId', first: 'P100', other: 'P200' },
      ],
    })
  })

  it('that write the name otherwise, or leave out what not every object carries, are no news', async () => {
    await using stage = await openStage()
    await exam(stage)
    await stage.send(image(2, { PatientName: 'SAMPLE^SAM', PatientSex: '' }), {
      association: { associationId: 'a2' },
    })
    await stage.intake.settled()
    expect(findImageStudy(stage.store.database, STUDY)?.mismatch).toBeNull()
    expect(stage.news.filter(({ tone }) => tone === 'danger')).toEqual([])
  })

  it('that name another patient keep what differs from the row beside it', async () => {
    await using stage = await openStage({
      handedOut: async () => ({ ...HANDED_OUT, patientId: 'P999' }),
    })
    await stage.send(IMAGE)
    await stage.send(image(2, { PatientID: 'P200' }))
    stage.intake.completion.associationClosed('a1', { kind: 'released', detail: null })
    await stage.pass(61_000)
    expect(findImageStudy(stage.store.database, STUDY)?.mismatch).toMatchObject({
      fields: [{ field: 'patientId', handedOut: 'P999', received: 'P100' }],
      amongImages: [{ field: 'patientId', first: 'P100', other: 'P200' }],
    })
  })

  it('that correct the patient while the partner is asked leave its answer unused, and it is asked about that one', async () => {
    const corrected = { ...IMAGE, PatientName: 'Other^Olga', PatientID: 'P200', PatientSex: 'F' }
    const questions: { readonly patientId?: string | undefined }[] = []
    await using stage: Stage = await openStage({
      askEnrichment: async (question) => {
        questions.push(question)
        if (questions.length === 1)
          await stage.send(corrected, { association: { associationId: 'a2' } })
        return { dateOfBirth: question.patientId === 'P100' ? '1980-05-11' : '1990-01-02' }
      },
    })
    await exam(stage)
    expect(scribeOf(stage)).toBeUndefined()
    stage.intake.completion.associationClosed('a2', { kind: 'released', detail: null })
    await stage.pass(61_000)
    expect(questions.map(({ patientId }) => patientId)).toEqual(['P100', 'P200'])
    expect(scribeOf(stage).detail.reportMetadata).toMatchObject({
      mrn: 'P200',
      patientName: 'Other^Olga',
      dateOfBirth: '1990-01-02',
    })
  })

  it('that correct the patient correct the study too, and the partner is asked about that one', async () => {
    const { questions, askEnrichment } = partner({ facilityName: 'North' }, {})
    await using stage = await openStage({ askEnrichment })
    await exam(stage)
    await stage.send(
      { ...IMAGE, PatientName: 'Sample^Samantha', PatientID: 'P200' },
      { association: { associationId: 'a2' } },
    )
    stage.intake.completion.associationClosed('a2', { kind: 'released', detail: null })
    await stage.pass(61_000)
    expect(questions.map(({ patientId }) => patientId)).toEqual(['P100', 'P200'])
    expect(scribeOf(stage).detail.reportMetadata).toMatchObject({
      patientName: 'Sample^Samantha',
      mrn: 'P200',
      // What the partner said of the other patient is gone.
      facilityName: 'Clinic of the Isthmus',
    })
    expect(stage.news).toContainEqual(
      expect.objectContaining({
        tone: 'warning',
        text: message('images.identity-corrected'),
      }),
    )
  })
})

describe('images of a worklist row', () => {
  it('that name another patient are flagged side by side, and the study is made of what they say', async () => {
    await using stage = await openStage({
      handedOut: async () => ({ ...HANDED_OUT, patientId: 'P999' }),
    })
    await stage.send(IMAGE)
    await stage.intake.settled()
    const study = findImageStudy(stage.store.database, STUDY)
    expect(study?.mismatch?.fields).toEqual([
      { field: 'patientId', handedOut: 'P999', received: 'P100' },
    ])
    expect(study?.handedOut?.scheduledProcedureStepId).toBe('S100')
    const [line] = stage.news.filter(({ tone }) => tone === 'danger')
    expect(line).toMatchObject({ kind: 'images', studyInstanceUid: STUDY })
    expect(JSON.stringify(line)).not.toMatch(/P999|P100/)
    stage.intake.completion.associationClosed('a1', { kind: 'released', detail: null })
    await stage.pass(61_000)
    expect(scribeOf(stage).detail.reportMetadata?.mrn).toBe('P100')
    expect(stage.news.filter(({ tone }) => tone === 'danger')).toHaveLength(1)
  })

  it('that keep the row’s UID in RequestAttributesSequence find it by that', async () => {
    const asked: string[] = []
    await using stage = await openStage({
      handedOut: async ({ studyInstanceUid }) => {
        asked.push(studyInstanceUid)
        return studyInstanceUid === '1.2.3.777' ? { ...HANDED_OUT, studyInstanceUid } : undefined
      },
    })
    await stage.send({
      ...IMAGE,
      RequestAttributesSequence: [
        { StudyInstanceUID: '1.2.3.777', ScheduledProcedureStepID: 'S100' },
      ],
    })
    await stage.intake.settled()
    expect(asked).toEqual([STUDY, '1.2.3.777'])
    expect(findImageStudy(stage.store.database, STUDY)?.mismatch?.fields).toEqual([
      { field: 'studyInstanceUid', handedOut: '1.2.3.777', received: STUDY },
    ])
    expect(
      findCurrentInstance(stage.store.database, IMAGE.SOPInstanceUID as string)
        ?.scheduledProcedureStepId,
    ).toBe('S100')
  })
})
