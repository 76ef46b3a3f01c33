import { describe, expect, it } from 'vitest'
import { insertApiKey } from '#server/modules/api-keys/queries.ts'
import { insertCustomer } from '#server/modules/customers/queries.ts'
import {
  listCreatedStudies,
  noteTouchedFields,
} from '#server/modules/studies/created-study-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { findStudyByUid, type StudyRecord } from '#server/modules/studies/study-queries.ts'
import { insertStudy, saveStudy } from '#server/modules/studies/study-writing-queries.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import { ApiError } from '#shared/errors.ts'
import { verbatim } from '#shared/messages/message.ts'
import { textOf } from '../../../../support/saying.ts'
import { IMAGE, image, openStage, STUDY, type Stage } from './intake-fixture.ts'
import { exam, MINUTE, partner, scribeOf, silent } from './study-creation-fixture.ts'

describe('a study that appears by itself', () => {
  it('is normal, unassigned, of nobody, with the values of its images', async () => {
    const { questions, askEnrichment } = partner()
    await using stage = await openStage({ askEnrichment })
    await exam(stage)
    expect(scribeOf(stage)).toMatchObject({
      area: 'scribe',
      studyInstanceUid: STUDY,
      studyDescription: 'CT head',
      severity: 'normal',
      status: 'unassigned',
      assignedTo: null,
      createdByApiKeyId: null,
      createdByUserId: null,
      expressCustomerId: null,
      detail: {
        reportMetadata: {
          patientName: 'Sample^Sam',
          sex: 'male',
          age: '45 years',
          scanTime: '08:45',
        },
      },
    })
    expect(questions).toEqual([
      {
        clinicId: stage.store.settings.get('clinic.id'),
        studyInstanceUid: STUDY,
        accessionNumber: 'A100',
        patientId: 'P100',
      },
    ])
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      state: 'settled',
      enrichment: { state: 'empty', nextAt: null },
    })
    const [entry] = stage.store.audit.list({ limit: 10 }).items
    expect(entry).toMatchObject({
      actor: 'gateway',
      action: 'study.seed',
      target: scribeOf(stage).studyId,
    })
    expect(JSON.stringify(entry)).not.toContain('Sample')
    expect(stage.news.at(-1)?.text).toEqual(
      'A study with 1 object in 1 series was received and can now be opened under Reading.',
    )
  })

  it('has the partner’s values from the start', async () => {
    const { askEnrichment } = partner({
      studyDescription: 'Head, plain',
      severity: 'high',
      mrn: 'M7',
      externalPatientId: 'X1',
    })
    await using stage = await openStage({ askEnrichment })
    await exam(stage)
    expect(scribeOf(stage)).toMatchObject({
      studyDescription: 'Head, plain',
      severity: 'high',
      detail: { externalPatientId: 'X1' },
    })
    expect(scribeOf(stage).detail.reportMetadata).toMatchObject({
      mrn: 'M7',
      patientName: 'Sample^Sam',
    })
    expect(findImageStudy(stage.store.database, STUDY)?.enrichment.state).toBe('done')
  })

  it('appears in both areas after one question', async () => {
    const { questions, askEnrichment } = partner({ severity: 'stat' })
    await using stage = await openStage({
      askEnrichment,
      settings: { 'intake.areas': ['scribe', 'viewer'] },
    })
    await exam(stage)
    expect(questions).toHaveLength(1)
    const viewer = findStudyByUid(stage.store.database, 'viewer', STUDY)
    expect(viewer).toMatchObject({ severity: 'stat', status: 'incomplete', detail: {} })
    expect(viewer?.studyId).not.toBe(scribeOf(stage).studyId)
  })

  it('appears nowhere, and nobody is asked, where no area is set', async () => {
    const { questions, askEnrichment } = partner()
    await using stage = await openStage({ askEnrichment, settings: { 'intake.areas': [] } })
    await exam(stage)
    expect(questions).toEqual([])
    expect(findStudyByUid(stage.store.database, 'scribe', STUDY)).toBeUndefined()
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      state: 'settled',
      enrichment: { state: 'not-asked' },
    })
  })

  it('is left alone where the area has it already: nothing is created, asked or overwritten', async () => {
    const { questions, askEnrichment } = partner({ severity: 'stat' })
    await using stage = await openStage({ askEnrichment })
    const made = insertStudy(stage.store.database, {
      studyId: `stu_${'0'.repeat(32)}`,
      area: 'scribe',
      studyInstanceUid: STUDY,
      studyDescription: 'made by the partner',
      severity: 'normal',
      status: 'unassigned',
      cancelledAt: null,
      createdAt: '2026-03-10T08:00:00.000Z',
      updatedAt: '2026-03-10T08:00:00.000Z',
      assignedTo: null,
      expressCustomerId: null,
      createdByApiKeyId: null,
      createdByUserId: null,
      detail: {},
    })
    await exam(stage)
    expect(questions).toEqual([])
    expect(scribeOf(stage)).toEqual(made)
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      state: 'settled',
      instances: 1,
      enrichment: { state: 'not-asked' },
    })
  })

  it.each([
    ['the archive says for whom it sends', { moveOriginatorAeTitle: 'ISTHMUS' }, {}],
    [
      'it does not, while the study is being fetched from it',
      {},
      { isFetching: (...from: string[]) => from.join() === `CT1,127.0.0.1,${STUDY}` },
    ],
  ])('is not made of earlier exams that the gateway fetched: %s', async (_, options, ports) => {
    const { questions, askEnrichment } = partner()
    await using stage = await openStage({ askEnrichment, ...ports })
    await stage.send(IMAGE, options)
    stage.intake.completion.associationClosed('a1', { kind: 'released', detail: null })
    await stage.pass(61_000)
    expect(questions).toEqual([])
    expect(findStudyByUid(stage.store.database, 'scribe', STUDY)).toBeUndefined()
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      state: 'settled',
      enrichment: { state: 'not-asked' },
    })
    expect(stage.kept).toEqual([])
  })
})

describe('an earlier exam that the gateway fetched', () => {
  const fetched = {
    moveOriginatorAeTitle: 'ISTHMUS',
    association: { callingAeTitle: 'PACS', associationId: 'p1' },
  }
  const released = { kind: 'released', detail: null } as const

  async function fetchedStage(settings = {}) {
    const stage = await openStage({ settings })
    await stage.send(IMAGE, fetched)
    stage.intake.completion.associationClosed('p1', released)
    await stage.pass(61_000)
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      state: 'settled',
      isFetched: true,
      callingAeTitle: 'PACS',
    })
    return stage
  }

  it.each([
    ['another image of it', image(2), 2],
    ['the same image', IMAGE, 1],
  ])('is one to be read once a device itself sends %s', async (_, values, instances) => {
    await using stage = await fetchedStage()
    await exam(stage, values)
    expect(scribeOf(stage)).toMatchObject({ studyInstanceUid: STUDY, createdByUserId: null })
    const study = findImageStudy(stage.store.database, STUDY)
    expect(study).toMatchObject({
      state: 'settled',
      isFetched: false,
      instances,
      callingAeTitle: 'CT1',
      deviceName: 'CT room 1',
    })
    expect(study?.enrichment).toMatchObject({ state: 'empty', detail: null })
  })

  it('stays one where more of it is fetched', async () => {
    await using stage = await fetchedStage()
    for (const n of [1, 2])
      await stage.send(image(n), {
        ...fetched,
        association: { ...fetched.association, associationId: 'p2' },
      })
    stage.intake.completion.associationClosed('p2', released)
    await stage.pass(61_000)
    expect(scribeOf(stage)).toBeUndefined()
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      state: 'settled',
      isFetched: true,
      instances: 2,
    })
  })
})

describe('a customer that the partner names', () => {
  const CUSTOMER = `cus_${'1'.repeat(32)}`

  function addCustomer({ store }: Stage, isActive: boolean): void {
    const apiKeyId = '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d'
    const at = '2026-03-01T00:00:00.000Z'
    const secret = {
      keyHash: 'a'.repeat(64),
      last4: '1234',
      rotatedAt: null,
      oldKeyHash: null,
      oldLast4: null,
      oldExpiresAt: null,
    }
    const key = {
      apiKeyId,
      description: 'RIS',
      isViewerEnabled: true,
      scope: 'all',
      managesPeople: false,
      dicomweb: 'none',
      eventAccess: 'none',
      seesClinicEvents: false,
      managesEndpoints: false,
      createdAt: at,
      lastUsedAt: null,
      revokedAt: null,
    } as const
    insertApiKey(store.database, { ...key, ...secret })
    const made = {
      createdByApiKeyId: apiKeyId,
      createdByUserId: null,
      metadata: undefined,
      createdAt: at,
      updatedAt: at,
    }
    insertCustomer(store.database, {
      expressCustomerId: CUSTOMER,
      expressCustomerName: 'North practice',
      isActive,
      ...made,
    })
  }

  it('is the customer of the study', async () => {
    const { askEnrichment } = partner({ expressCustomerId: CUSTOMER })
    await using stage = await openStage({ askEnrichment })
    addCustomer(stage, true)
    await exam(stage)
    expect(scribeOf(stage).expressCustomerId).toBe(CUSTOMER)
  })

  it.each([
    ['is deactivated', true],
    ['is none', false],
  ])('and that %s is left out with a warning, and the rest is used', async (_, isThere) => {
    const { askEnrichment } = partner({ expressCustomerId: CUSTOMER, severity: 'high' })
    await using stage = await openStage({ askEnrichment })
    if (isThere) addCustomer(stage, false)
    await exam(stage)
    expect(scribeOf(stage)).toMatchObject({ expressCustomerId: null, severity: 'high' })
    const warning = findImageStudy(stage.store.database, STUDY)?.enrichment.warnings[0]
    expect(textOf(warning)).toMatch(/was left out\.$/)
    expect(stage.news).toContainEqual(
      expect.objectContaining({ kind: 'enrichment', tone: 'warning', text: warning }),
    )
  })
})

describe('a partner that gives no answer', () => {
  it.each([
    ['does not answer', silent()],
    [
      'answers something else',
      new WebhookError('invalid', verbatim('the response is not JSON in UTF-8')),
    ],
  ])('and %s blocks nothing, and is asked again', async (_, first) => {
    const { questions, askEnrichment } = partner(first, { studyDescription: 'Head', mrn: 'M7' })
    await using stage = await openStage({ askEnrichment })
    await exam(stage)
    expect(scribeOf(stage).studyDescription).toBe('CT head')
    const { enrichment } = findImageStudy(stage.store.database, STUDY) ?? {}
    expect(enrichment).toMatchObject({
      state: 'waiting',
      detail: { code: 'images.no-answer-because' },
    })
    await stage.pass(30_000)
    expect(questions).toHaveLength(1)
    await stage.pass(MINUTE)
    expect(questions).toHaveLength(2)
    expect(scribeOf(stage)).toMatchObject({
      studyDescription: 'Head',
      detail: { reportMetadata: { mrn: 'M7', sex: 'male' } },
    })
    expect(findImageStudy(stage.store.database, STUDY)?.enrichment).toMatchObject({
      state: 'done',
      nextAt: null,
    })
  })

  it('that can be used in one field is not asked again, and is said to be of no use', async () => {
    const questions: unknown[] = []
    await using stage = await openStage({
      async askEnrichment(question, { note }) {
        questions.push(question)
        note('severity')
        return {}
      },
    })
    await exam(stage)
    await stage.pass(10 * MINUTE)
    expect(questions).toHaveLength(1)
    expect(findImageStudy(stage.store.database, STUDY)?.enrichment).toMatchObject({
      ...{ state: 'empty', nextAt: null },
      warnings: ['The partner’s severity cannot be used and was left out.'],
    })
  })

  it('because there is none is no news', async () => {
    const { askEnrichment } = partner(
      new WebhookError('no-endpoint', verbatim('no partner is configured for this event')),
    )
    await using stage = await openStage({ askEnrichment })
    await exam(stage)
    expect(findImageStudy(stage.store.database, STUDY)?.enrichment.detail).toEqual(
      'No partner is configured that can be queried about studies.',
    )
    expect(stage.news.filter(({ kind }) => kind === 'enrichment')).toEqual([])
  })

  it('is given up after two days, and asked again when a person wants it', async () => {
    const { questions, askEnrichment } = partner(silent())
    await using stage = await openStage({ askEnrichment })
    await exam(stage)
    for (const minutes of [1, 5, 30, 120, 360, 720, 1440]) await stage.pass(minutes * MINUTE)
    expect(questions).toHaveLength(8)
    expect(findImageStudy(stage.store.database, STUDY)?.enrichment).toMatchObject({
      state: 'given-up',
      nextAt: null,
    })
    await stage.pass(100 * 1440 * MINUTE)
    expect(questions).toHaveLength(8)
    await stage.intake.creation.retry(STUDY)
    expect(questions).toHaveLength(9)
  })

  it('is asked again after a restart', async () => {
    const { questions, askEnrichment } = partner(silent(), { mrn: 'M7' })
    await using stage = await openStage({ askEnrichment })
    await exam(stage)
    await stage.reopen()
    await stage.pass(2 * MINUTE)
    expect(questions).toHaveLength(2)
    expect(scribeOf(stage).detail.reportMetadata?.mrn).toBe('M7')
  })

  it('changes later only what no person and no call has set', async () => {
    const late = {
      studyDescription: 'Late',
      severity: 'stat',
      mrn: 'M7',
      patientName: 'Late^Lou',
      facilityName: 'Late clinic',
    } as const
    const { askEnrichment } = partner(silent(), late)
    await using stage = await openStage({ askEnrichment })
    await exam(stage)
    const before = scribeOf(stage)
    const { facilityName: _, ...rest } = before.detail.reportMetadata ?? {}
    const reportMetadata = { ...rest, patientName: 'Sample^Samuel' }
    saveStudy(
      stage.store.database,
      { ...before, severity: 'high', detail: { ...before.detail, reportMetadata } } as StudyRecord,
      before,
    )
    // To the value that was there.
    noteTouchedFields(stage.store.database, before.studyId, ['mrn'])
    await stage.pass(2 * MINUTE)
    const after = scribeOf(stage)
    expect(after).toMatchObject({ studyDescription: 'Late', severity: 'high' })
    expect(after.detail.reportMetadata).toMatchObject({ mrn: 'P100', patientName: 'Sample^Samuel' })
    expect(after.detail.reportMetadata).not.toHaveProperty('facilityName')
    const [entry] = stage.store.audit.list({ limit: 1 }).items
    expect(entry).toMatchObject({
      actor: 'gateway',
      action: 'study.enrich',
      detail: { fields: ['studyDescription'] },
    })
  })
})

describe('asking by hand', () => {
  it('is over before the gateway ends', async () => {
    const asked = Promise.withResolvers<void>()
    let isOver = false
    const { askEnrichment } = partner(silent())
    await using stage = await openStage({
      askEnrichment: async (question, { signal }) => {
        if (!isOver && listCreatedStudies(stage.store.database, STUDY).length > 0) {
          asked.resolve()
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          await new Promise((resolve) => setImmediate(resolve))
          isOver = true
        }
        return askEnrichment(question)
      },
    })
    await exam(stage)
    const retrying = stage.intake.creation.retry(STUDY).catch(() => 'given up')
    await asked.promise
    await stage.reopen()
    expect(isOver).toBe(true)
    expect(await retrying).toBe('given up')
  })

  it('is refused for images that the gateway made no study of', async () => {
    await using stage = await openStage({ settings: { 'intake.areas': [] } })
    await exam(stage)
    await expect(stage.intake.creation.retry(STUDY)).rejects.toThrow(ApiError)
    await expect(stage.intake.creation.retry('1.2.9')).rejects.toThrow('There are no images')
  })
})
