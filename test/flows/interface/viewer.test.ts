import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { express } from '#shared/contract/express.ts'
import { viewer } from '#shared/contract/viewer.ts'
import { newUid, type StartedInterface, startInterface } from '../../support/interface.ts'

// Viewer studies, through HTTP and the whole gateway.

let stage: StartedInterface

beforeAll(async () => {
  stage = await startInterface()
})
afterAll(() => stage[Symbol.asyncDispose]())

type NewStudy = Parameters<typeof viewer.create.body.parse>[0] & object
const study = (more: object = {}): NewStudy => ({
  studyInstanceUid: newUid(),
  studyDescription: 'MR Knie links',
  severity: 'normal',
  ...more,
})
const create = (more: object = {}) =>
  stage.keys.partner.call(viewer.create, { body: study(more) as never })
const list = async (query: string) => {
  const answer = await stage.keys.partner.send(`GET /v1/viewer/studies?${query}`)
  if (answer.status !== 200) throw new Error(answer.text)
  return viewer.list.reply.parse(answer.json)
}
const idsOf = async (query: string) => (await list(query)).studies.map(({ studyId }) => studyId)
const radiologist = () => ({
  userId: stage.userIds.radiologist,
  email: 'radiologist@clinic.example',
  firstName: 'Una',
  lastName: 'radiologist',
})

describe('a viewer study', () => {
  it('is created with all that it may have: 201 and the whole record', async () => {
    const customer = await stage.keys.partner.call(express.create, {
      body: { expressCustomerName: 'West Imaging' },
    })
    const studyInstanceUid = newUid()
    const { expressCustomerId } = customer
    const json = study({
      studyInstanceUid,
      severity: 'stat',
      assignedTo: radiologist().userId,
      expressCustomerId,
      metadata: { bay: '4' },
    })
    const answer = await stage.keys.partner.send('POST /v1/viewer/studies', { json })
    expect(answer.status).toBe(201)
    const made = answer.json as Record<string, string>
    expect(made).toEqual({
      studyId: expect.stringMatching(/^stu_[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$/),
      studyInstanceUid,
      studyDescription: 'MR Knie links',
      severity: 'stat',
      studyViewerStatus: 'incomplete',
      isCancelled: false,
      cancelledAt: null,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: made.createdAt,
      assignedTo: radiologist(),
      createdByApiKey: {
        apiKeyId: stage.keyIds.partner,
        description: 'Cloud RIS',
        isViewerEnabled: true,
      },
      createdByUser: null,
      expressCustomer: { expressCustomerId, expressCustomerName: 'West Imaging' },
      metadata: { bay: '4' },
    })
    expect(
      await stage.keys.partner.call(viewer.read, { params: { studyId: made.studyId ?? '' } }),
    ).toEqual(made)
    expect(await stage.keys.partner.call(viewer.byUid, { params: { studyInstanceUid } })).toEqual(
      made,
    )
  })

  it('is created with the least: nulls are there, and the window’s user is named', async () => {
    const made = await stage.users.manager.call(viewer.create, { body: study() as never })
    expect(made).toMatchObject({
      assignedTo: null,
      createdByApiKey: null,
      createdByUser: { userId: stage.userIds.manager, lastName: 'manager' },
      expressCustomer: null,
      cancelledAt: null,
    })
  })

  it('is updated field by field; metadata replaces, null clears and unassigns', async () => {
    const made = await create({ metadata: { a: '1' } })
    const update = (body: object) =>
      stage.keys.partner.call(viewer.update, { params: { studyId: made.studyId }, body })
    expect(await update({ studyViewerStatus: 'complete' })).toMatchObject({
      studyViewerStatus: 'complete',
      metadata: { a: '1' },
    })
    expect(
      await update({ severity: 'high', studyDescription: 'MR Knie rechts', metadata: { b: '2' } }),
    ).toMatchObject({
      severity: 'high',
      studyDescription: 'MR Knie rechts',
      studyViewerStatus: 'complete',
      metadata: { b: '2' },
    })
    expect((await update({ assignedTo: stage.userIds.radiologist })).assignedTo).toEqual(
      radiologist(),
    )
    expect((await update({})).assignedTo).toEqual(radiologist())
    const cleared = await update({ assignedTo: null, metadata: null })
    expect(cleared.assignedTo).toBeNull()
    expect(cleared.metadata ?? {}).toEqual({})
    expect((await update({ studyViewerStatus: 'incomplete' })).studyViewerStatus).toBe('incomplete')
  })

  it.each(['null', '', '{}'])(
    'takes a PATCH whose body is %j as one that changes nothing',
    async (body) => {
      const made = await create()
      const headers: Record<string, string> =
        body === '' ? {} : { 'content-type': 'application/json' }
      const answer = await stage.keys.partner.send(`PATCH /v1/viewer/studies/${made.studyId}`, {
        body,
        headers,
      })
      expect({ status: answer.status, json: answer.json }).toMatchObject({
        status: 200,
        json: { studyDescription: made.studyDescription },
      })
    },
  )

  it('is cancelled and uncancelled by either identifier or both; cancelling again is a success', async () => {
    const { studyId, studyInstanceUid } = await create()
    const read = () => stage.keys.partner.call(viewer.read, { params: { studyId } })
    expect(
      await stage.keys.partner.call(viewer.cancel, { body: { studyInstanceUid } }),
    ).toMatchObject({ success: true })
    const cancelled = await read()
    expect(cancelled).toMatchObject({ isCancelled: true, cancelledAt: expect.stringMatching(/Z$/) })
    expect(
      await stage.keys.partner.call(viewer.cancel, { body: { studyId, studyInstanceUid } }),
    ).toMatchObject({ success: true })
    expect((await read()).cancelledAt).toBe(cancelled.cancelledAt)
    expect(await stage.keys.partner.call(viewer.uncancel, { body: { studyId } })).toMatchObject({
      success: true,
    })
    expect(await read()).toMatchObject({ isCancelled: false, cancelledAt: null })
    expect(await stage.keys.partner.call(viewer.uncancel, { body: { studyId } })).toEqual({
      success: false,
      message: expect.any(String),
    })
  })

  it('may have the UID of a scribe study and is another study', async () => {
    const { studyInstanceUid, studyId } = await create()
    const json = { studyInstanceUid, studyDescription: 'CT', severity: 'high', reportMetadata: {} }
    const twin = (await stage.keys.partner.send('POST /v1/scribe/studies', { json })).json as {
      studyId: string
    }
    expect(twin.studyId).not.toBe(studyId)
    expect((await stage.keys.partner.send(`GET /v1/viewer/studies/${twin.studyId}`)).status).toBe(
      404,
    )
    expect((await stage.keys.partner.send(`GET /v1/scribe/studies/${studyId}`)).status).toBe(404)
    await stage.keys.partner.call(viewer.cancel, { body: { studyId } })
    const read = (await stage.keys.partner.send(`GET /v1/scribe/studies/${twin.studyId}`)).json
    expect(read).toMatchObject({ isCancelled: false, severity: 'high' })
  })

  it('has a URL that opens it, signed by a token and never the same', async () => {
    const { studyId, studyInstanceUid } = await create()
    const urls = await Promise.all(
      [{ studyId }, { studyInstanceUid }, { studyId, studyInstanceUid }].map((body) =>
        stage.keys.partner.call(viewer.rerouteUrl, { body }),
      ),
    )
    expect(new Set(urls.map(({ url }) => url)).size).toBe(3)
    for (const { url } of urls) {
      expect(url.startsWith(`${stage.http}/`)).toBe(true)
      expect(url).toMatch(/[A-Za-z0-9_-]{40,}/)
    }
  })
})

describe('the list of viewer studies', () => {
  it('has 20 a page, newest first, complete and without repeats while studies come in', async () => {
    const metadata = { batch: 'pages' }
    const made: string[] = []
    for (let n = 0; n < 45; n++)
      made.push((await create({ studyDescription: 'Lumbar pages', metadata })).studyId)
    const seen: string[] = []
    let query = 'studyDescription=lumbar%20pages'
    const sizes: number[] = []
    for (;;) {
      const page = await list(query)
      sizes.push(page.studies.length)
      seen.push(...page.studies.map(({ studyId }) => studyId))
      await create({ studyDescription: 'Lumbar pages' })
      if (!page.hasMore) break
      query = `studyDescription=lumbar%20pages&cursor=${encodeURIComponent(page.cursor ?? '')}`
    }
    expect(sizes).toEqual([20, 20, 5])
    expect(seen).toEqual(made.toReversed())
  })

  it('takes a limit printed as a double', async () => {
    await Promise.all([create(), create(), create()])
    expect((await list('limit=2.0')).studies).toHaveLength(2)
    expect((await list('limit=20.0')).studies.length).toBeGreaterThan(2)
  })

  it('filters by each field, and by several at once', async () => {
    const customer = await stage.keys.partner.call(express.create, {
      body: { expressCustomerName: 'Filters' },
    })
    const { expressCustomerId } = customer
    const mine = await create({
      studyDescription: 'Filter A',
      severity: 'stat',
      assignedTo: stage.userIds.manager,
      expressCustomerId,
    })
    const other = await create({ studyDescription: 'Filter B', severity: 'high' })
    await stage.keys.partner.call(viewer.cancel, { body: { studyId: other.studyId } })
    await stage.keys.partner.call(viewer.update, {
      params: { studyId: other.studyId },
      body: { studyViewerStatus: 'complete' },
    })
    const base = 'studyDescription=filter%20'
    const cases: [string, string[]][] = [
      [`assignedTo=${stage.userIds.manager}`, [mine.studyId]],
      ['assignedTo=', [other.studyId]],
      ['assignedTo=null', [other.studyId]],
      [`expressCustomerId=${expressCustomerId}`, [mine.studyId]],
      ['expressCustomerId=', [other.studyId]],
      ['expressCustomerId=null', [other.studyId]],
      ['isCancelled=true', [other.studyId]],
      ['isCancelled=false', [mine.studyId]],
      ['isCancelled=', [other.studyId, mine.studyId]],
      ['severity=stat', [mine.studyId]],
      ['severity=', [other.studyId, mine.studyId]],
      ['studyViewerStatus=complete', [other.studyId]],
      ['studyViewerStatus=incomplete', [mine.studyId]],
      [
        `severity=stat&assignedTo=${stage.userIds.manager}&isCancelled=false&expressCustomerId=${expressCustomerId}`,
        [mine.studyId],
      ],
      ['severity=stat&assignedTo=null', []],
    ]
    for (const [query, expected] of cases)
      expect([query, await idsOf(`${base}&${query}`)]).toEqual([query, expected])
  })

  it('finds a part of the description in any case and with or without accents; % _ and \\ are characters like others', async () => {
    const texts = ['Žluční 50% _x', 'ZLUCNI 50 ax', 'Голова\\шея', 'q%']
    const ids = await Promise.all(
      texts.map(async (studyDescription) => (await create({ studyDescription })).studyId),
    )
    const found = async (text: string) =>
      (await idsOf(`limit=100&studyDescription=${encodeURIComponent(text)}`))
        .map((id) => texts[ids.indexOf(id)])
        .sort()
    expect(await found('žluční')).toEqual([texts[1], texts[0]].sort())
    expect(await found('ZLUCNI 5')).toEqual([texts[1], texts[0]].sort())
    expect(await found('50%')).toEqual([texts[0]])
    expect(await found(' _')).toEqual([texts[0]])
    expect(await found('\\ш')).toEqual([texts[2]])
    expect(await found('ГОЛОВА')).toEqual([texts[2]])
    expect(await found('q%')).toEqual([texts[3]])
    expect(await found('no such words')).toEqual([])
  })
})

describe('an ephemeral session', () => {
  it('has a landing URL while a partner takes ephemeral.access_requested', async () => {
    await using own = await startInterface({ partner: {} })
    const body = {
      retrievalId: 'handle-7',
      options: { any: ['thing', 1, null] },
      hangingProtocol: { layout: '1x2', viewportAssignments: ['Axial', null] },
    } as const
    const answer = await own.keys.partner.send('POST /v1/viewer/ephemeral-sessions', { json: body })
    expect(answer.status).toBe(201)
    expect((answer.json as { url: string }).url).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/.*[A-Za-z0-9_-]{40,}/,
    )
    expect(
      (await own.keys.plain.send('POST /v1/scribe/ephemeral-sessions', { json: body })).status,
    ).toBe(201)
  })

  it('is refused where nobody would answer for its images', async () => {
    const answer = await stage.keys.partner.send('POST /v1/viewer/ephemeral-sessions', {
      json: { retrievalId: 'handle-8' },
    })
    expect({ status: answer.status, json: answer.json }).toMatchObject({
      status: 422,
      json: { code: 'refused' },
    })
  })
})
