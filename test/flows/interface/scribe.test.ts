import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { express } from '#shared/contract/express.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { openEventSource } from '../../support/event-source.ts'
import { OWNER, sessionHeaders } from '../../support/gateway.ts'
import { newUid, type StartedInterface, startInterface } from '../../support/interface.ts'

// Scribe studies, through HTTP and the whole gateway.

let stage: StartedInterface

beforeAll(async () => {
  stage = await startInterface()
})
afterAll(() => stage[Symbol.asyncDispose]())

const study = (more: object = {}) => ({
  studyInstanceUid: newUid(),
  studyDescription: 'CT Thorax',
  severity: 'normal',
  reportMetadata: {},
  ...more,
})
const create = (more: object = {}) =>
  stage.keys.partner.call(scribe.create, { body: study(more) as never })
const read = (studyId: string) => stage.keys.partner.call(scribe.read, { params: { studyId } })
const update = (studyId: string, body: object) =>
  stage.keys.partner.call(scribe.update, { params: { studyId }, body })

const PATIENT = {
  age: '47 years',
  dateOfBirth: '1978-11-03',
  facilityName: 'North Imaging',
  height: { unit: 'cm', value: 182.5 },
  mrn: 'MRN-00017',
  patientName: 'MÜLLER^ANNA',
  referringPhysicianName: 'Dr. Weber',
  scanDate: '2026-03-09',
  scanTime: '08:05',
  scanType: 'CT',
  sex: 'female',
  weight: { unit: 'kg', value: 71 },
} as const

describe('a scribe study', () => {
  it('is created with all that it may have: 201 and the whole record', async () => {
    const prior = await create()
    const customer = await stage.keys.partner.call(express.create, {
      body: { expressCustomerName: 'Reading group' },
    })
    const given = {
      studyInstanceUid: newUid(),
      studyDescription: 'CT Thorax mit KM',
      severity: 'high',
      reportMetadata: PATIENT,
      metadata: { order: '9' },
      priorReportTexts: ['No change since 2024.', ''],
      priorStudyIds: [prior.studyId],
      externalPatientId: 'ehr-17',
      clinicalIndication: 'Cough',
      technologistNotes: ['moved once'],
      technologistTechnique: '1 mm slices',
      priorReports: [{ reportText: 'Clear.', modality: 'CR', studyDate: '2025-01-02' }],
    }
    const json = {
      ...given,
      assignedTo: stage.userIds.radiologist,
      expressCustomerId: customer.expressCustomerId,
    }
    const answer = await stage.keys.plain.send('POST /v1/scribe/studies', { json })
    expect(answer.status).toBe(201)
    const made = answer.json as Record<string, string>
    expect(made).toMatchObject({
      ...given,
      studyReportStatus: 'assigned',
      isCancelled: false,
      cancelledAt: null,
      createdAt: made.updatedAt,
      assignedTo: { userId: stage.userIds.radiologist, email: 'radiologist@clinic.example' },
      createdByApiKey: {
        apiKeyId: stage.keyIds.plain,
        description: 'Dictation only',
        isViewerEnabled: false,
      },
      expressCustomer: {
        expressCustomerId: customer.expressCustomerId,
        expressCustomerName: 'Reading group',
      },
    })
    expect(made).not.toHaveProperty('studyViewerStatus')
    expect(await read(made.studyId ?? '')).toEqual(made)
    expect(
      await stage.keys.partner.call(scribe.byUid, {
        params: { studyInstanceUid: given.studyInstanceUid },
      }),
    ).toEqual(made)
  })

  it('is created with the least: unassigned, assignedTo null, an empty reportMetadata', async () => {
    const made = await create()
    expect(made).toMatchObject({
      studyReportStatus: 'unassigned',
      assignedTo: null,
      reportMetadata: {},
    })
  })

  it('merges reportMetadata field by field; null clears one', async () => {
    const { studyId } = await create({ reportMetadata: PATIENT })
    const merged = await update(studyId, {
      reportMetadata: { mrn: null, sex: 'other', height: { unit: 'in', value: 71 } },
    })
    const { mrn: _, ...rest } = PATIENT
    expect(merged.reportMetadata).toEqual({
      ...rest,
      sex: 'other',
      height: { unit: 'in', value: 71 },
    })
    expect((await update(studyId, { reportMetadata: {} })).reportMetadata).toEqual(
      merged.reportMetadata,
    )
    const nothing = Object.fromEntries(Object.keys(PATIENT).map((name) => [name, null]))
    expect((await update(studyId, { reportMetadata: nothing })).reportMetadata).toEqual({})
  })

  it('replaces arrays and maps; null clears them, absence leaves them', async () => {
    const prior = await create()
    const { studyId } = await create({
      metadata: { a: '1' },
      priorReportTexts: ['x'],
      priorStudyIds: [prior.studyId],
    })
    expect(await update(studyId, { severity: 'stat' })).toMatchObject({
      severity: 'stat',
      metadata: { a: '1' },
      priorReportTexts: ['x'],
      priorStudyIds: [prior.studyId],
    })
    expect(
      await update(studyId, { priorReportTexts: ['y', 'z'], metadata: { b: '2' } }),
    ).toMatchObject({
      priorReportTexts: ['y', 'z'],
      metadata: { b: '2' },
    })
    const cleared = await update(studyId, {
      metadata: null,
      priorReportTexts: null,
      priorStudyIds: null,
    })
    expect([
      cleared.metadata ?? {},
      cleared.priorReportTexts ?? [],
      cleared.priorStudyIds ?? [],
    ]).toEqual([{}, [], []])
  })

  it('goes to a customer and away from one', async () => {
    const { expressCustomerId } = await stage.keys.partner.call(express.create, {
      body: { expressCustomerName: 'Moves' },
    })
    const { studyId } = await create()
    expect((await update(studyId, { expressCustomerId })).expressCustomer).toEqual({
      expressCustomerId,
      expressCustomerName: 'Moves',
    })
    expect((await update(studyId, {})).expressCustomer).toEqual({
      expressCustomerId,
      expressCustomerName: 'Moves',
    })
    expect((await update(studyId, { expressCustomerId: null })).expressCustomer).toBeNull()
  })

  it('moves between unassigned and assigned with its radiologist', async () => {
    const { studyId } = await create()
    expect(
      (await update(studyId, { assignedTo: stage.userIds.radiologist })).studyReportStatus,
    ).toBe('assigned')
    const back = await update(studyId, { assignedTo: null })
    expect([back.studyReportStatus, back.assignedTo]).toEqual(['unassigned', null])
  })

  it('keeps its status while cancelled', async () => {
    const { studyId } = await create({ assignedTo: stage.userIds.radiologist })
    expect(await stage.keys.partner.call(scribe.cancel, { body: { studyId } })).toMatchObject({
      success: true,
    })
    expect(await read(studyId)).toMatchObject({ isCancelled: true, studyReportStatus: 'assigned' })
    await expect(update(studyId, { assignedTo: null })).rejects.toThrow(/^422/)
    expect((await update(studyId, { severity: 'stat' })).severity).toBe('stat')
    expect(await stage.keys.partner.call(scribe.uncancel, { body: { studyId } })).toMatchObject({
      success: true,
    })
    expect(await read(studyId)).toMatchObject({
      isCancelled: false,
      cancelledAt: null,
      studyReportStatus: 'assigned',
    })
    expect(await stage.keys.partner.call(scribe.uncancel, { body: { studyId } })).toMatchObject({
      success: false,
    })
  })
})

describe('the list of scribe studies', () => {
  it('filters by several statuses however they are written', async () => {
    const free = await create({ studyDescription: 'Status list' })
    const taken = await create({
      studyDescription: 'Status list',
      assignedTo: stage.userIds.radiologist,
    })
    const base = 'GET /v1/scribe/studies?studyDescription=status%20list&'
    const idsOf = async (query: string) => {
      const answer = await stage.keys.partner.send(`${base}${query}`)
      return scribe.list.reply.parse(answer.json).studies.map(({ studyId }) => studyId)
    }
    const both = [taken.studyId, free.studyId]
    for (const [query, expected] of [
      ['studyReportStatus=assigned%2Ccompleted', [taken.studyId]],
      ['studyReportStatus=assigned%2Cunassigned', both],
      ['studyReportStatus=unassigned,assigned', both],
      ['studyReportStatus=unassigned&studyReportStatus=assigned', both],
      ['studyReportStatus[]=unassigned&studyReportStatus[]=assigned', both],
      ['studyReportStatus%5B%5D=unassigned', [free.studyId]],
      ['studyReportStatus=', both],
      ['studyReportStatus=in_progress', []],
      ['assignedTo=', [free.studyId]],
      [
        `assignedTo=${stage.userIds.radiologist}&studyReportStatus=assigned&severity=normal`,
        [taken.studyId],
      ],
    ] as const)
      expect([query, await idsOf(query)]).toEqual([query, expected])
  })
})

describe('the URLs of a scribe study', () => {
  it('are minted for a radiologist, and minting assigns', async () => {
    const { studyId, studyInstanceUid } = await create()
    const body = { assignedToUserId: stage.userIds.radiologist, studyInstanceUid }
    const { url } = await stage.keys.plain.call(scribe.rerouteUrl, { body })
    expect(url.startsWith(`${stage.http}/`)).toBe(true)
    expect(url).toMatch(/[A-Za-z0-9_-]{40,}/)
    expect(await read(studyId)).toMatchObject({
      studyReportStatus: 'assigned',
      assignedTo: { userId: stage.userIds.radiologist },
    })
  })

  it('open the viewer alone without touching the study', async () => {
    const made = await create()
    for (const body of [
      { studyId: made.studyId },
      { studyInstanceUid: made.studyInstanceUid, userId: stage.userIds.member },
    ]) {
      const { url } = await stage.keys.partner.call(scribe.viewerOnlyRerouteUrl, { body })
      expect(url).toMatch(/[A-Za-z0-9_-]{40,}/)
    }
    expect(await read(made.studyId)).toEqual(made)
  })
})

describe('a study that a partner changes', () => {
  it('makes an event for every window', { timeout: 20_000 }, async () => {
    const headers = await sessionHeaders(stage.http, OWNER)
    const events = await openEventSource(`${stage.http}/dashboard/feed/events`, headers)
    const heard = async () => {
      for (;;) if ((await events.next()).event === 'studies') return
    }
    // The one that every stream begins with.
    await heard()
    const { studyId } = await create({ severity: 'stat' })
    await heard()
    await update(studyId, { severity: 'high' })
    await heard()
    await stage.keys.partner.call(scribe.cancel, { body: { studyId } })
    await heard()
    events.close()
  })
})
