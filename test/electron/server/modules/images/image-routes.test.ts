import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as studyService from '#server/modules/studies/service.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import type { ExpressCustomerId } from '#shared/ids.ts'
import { verbatim } from '#shared/messages/message.ts'
import { newKey } from '../../../../support/callers.ts'
import { openEventSource } from '../../../../support/event-source.ts'
import { MISMATCH, quarantine, seedImages } from '../../../../support/images.ts'
import {
  codeOf,
  mayManage,
  openTestDashboard,
  type TestDashboard,
  type TestWindow,
} from '../dashboard/dashboard-fixture.ts'

/** What was asked of the intake. */
let asked: unknown[]
let gateway: TestDashboard
let owner: TestWindow
beforeEach(async () => {
  asked = []
  gateway = await openTestDashboard(
    {},
    {
      images: {
        async retry(uid) {
          asked.push(['enrich', uid])
        },
        async release(...decision) {
          asked.push(['release', ...decision])
          return { success: true, message: verbatim('It took its place.') }
        },
        async discard(...decision) {
          asked.push(['discard', ...decision])
          return { success: true, message: verbatim('It is gone.') }
        },
        async releaseGroup(...decision) {
          asked.push(['release all', ...decision])
          return {
            success: true,
            message: verbatim('2 images are now part of their study.'),
            decided: 2,
            left: 0,
          }
        },
        async discardGroup(...decision) {
          asked.push(['discard all', ...decision])
          return {
            success: false,
            message: verbatim('1 image was deleted.'),
            decided: 1,
            left: 1,
          }
        },
      },
    },
  )
  owner = await gateway.signedIn('owner')
})
afterEach(() => gateway[Symbol.asyncDispose]())

describe('the studies with images', () => {
  it('are listed page by page, as they last received one', async () => {
    for (const number of [1, 2, 3])
      seedImages(gateway.store, { uid: `1.2.${number}`, at: `2026-11-20T08:0${number}:00.000Z` })
    const first = dashboardImages.list.reply.parse(
      (await owner.call('GET', '/dashboard/images?limit=2')).json,
    )
    expect([first.studies.map(({ studyInstanceUid }) => studyInstanceUid), first.hasMore]).toEqual([
      ['1.2.3', '1.2.2'],
      true,
    ])
    const rest = await owner.call('GET', `/dashboard/images?limit=2&cursor=${first.cursor}`)
    expect(dashboardImages.list.reply.parse(rest.json)).toMatchObject({
      studies: [{ studyInstanceUid: '1.2.1' }],
      hasMore: false,
    })
    const other = await owner.call('GET', `/dashboard/images?show=receiving&cursor=${first.cursor}`)
    expect(
      [other, await owner.call('GET', '/dashboard/images?cursor=made-up')].map(codeOf),
    ).toEqual([
      [400, 'malformed'],
      [400, 'malformed'],
    ])
  })

  it('are filtered by what a person looks for', async () => {
    seedImages(gateway.store, { uid: '1.2.1', mismatch: MISMATCH })
    seedImages(gateway.store, { uid: '1.2.2', state: 'receiving' })
    const found = async (query: string) =>
      dashboardImages.list.reply
        .parse((await owner.call('GET', `/dashboard/images?${query}`)).json)
        .studies.map(({ studyInstanceUid }) => studyInstanceUid)
    expect(await found('show=mismatch')).toEqual(['1.2.1'])
    expect(await found('show=receiving')).toEqual(['1.2.2'])
    expect(await found('search=1.2.1')).toEqual(['1.2.1'])
    expect(await found('search=P-4711&show=receiving')).toEqual(['1.2.2'])
  })

  it('are read one by one, whatever a device called them', async () => {
    seedImages(gateway.store, { uid: '1.2.03 x' })
    const read = dashboardImages.read.reply.parse(
      (await owner.call('GET', `/dashboard/images/${encodeURIComponent('1.2.03 x')}`)).json,
    )
    expect(read).toMatchObject({
      studyInstanceUid: '1.2.03 x',
      seriesList: [{ instances: 1 }],
      identityCheck: { state: 'unverified' },
    })
    expect(codeOf(await owner.call('GET', '/dashboard/images/1.2.9'))).toEqual([404, 'not-found'])
  })

  it('are of those customers alone that a member is linked to', async () => {
    const key = newKey(gateway.store)
    for (const uid of ['1.2.1', '1.2.2']) seedImages(gateway.store, { uid })
    const customerId = gateway.customers.createCustomer(key, { expressCustomerName: 'Clinic A' })
      .expressCustomerId as ExpressCustomerId
    studyService.createStudy(gateway.deps.store, key, 'viewer', {
      ...{
        studyInstanceUid: '1.2.2',
        studyDescription: 'CT',
        severity: 'normal',
        expressCustomerId: customerId,
      },
    })
    const linked = await gateway.signedIn('member', (user) => {
      mayManage(gateway)(user)
      gateway.customers.addCustomerUser(key, customerId, user.userId)
    })
    const listed = dashboardImages.list.reply.parse(
      (await linked.call('GET', '/dashboard/images')).json,
    )
    expect(listed.studies.map(({ studyInstanceUid }) => studyInstanceUid)).toEqual(['1.2.2'])
    expect(codeOf(await linked.call('GET', '/dashboard/images/1.2.1'))).toEqual([404, 'not-found'])
    expect(codeOf(await linked.call('POST', '/dashboard/images/1.2.1/enrichment/retry'))).toEqual([
      404,
      'not-found',
    ])
    expect((await linked.call('POST', '/dashboard/images/1.2.2/enrichment/retry')).status).toBe(200)
    const { instanceId: upTo } = quarantine(gateway.store, '1.2.1')
    const decision = { because: 'different-content', upTo, reason: 'Mine' }
    expect(codeOf(await linked.call('GET', '/dashboard/quarantine/studies/1.2.1'))).toEqual([
      404,
      'not-found',
    ])
    expect(
      codeOf(await linked.call('POST', '/dashboard/quarantine/studies/1.2.1/discard', decision)),
    ).toEqual([404, 'not-found'])
    expect(asked).toEqual([['enrich', '1.2.2']])
  })
})

describe('what a person decides', () => {
  it('asks the partner again, for a study that is here', async () => {
    seedImages(gateway.store, { uid: '1.2.3' })
    expect((await owner.call('POST', '/dashboard/images/1.2.3/enrichment/retry')).status).toBe(200)
    expect(codeOf(await owner.call('POST', '/dashboard/images/1.2.9/enrichment/retry'))).toEqual([
      404,
      'not-found',
    ])
    expect(asked).toEqual([['enrich', '1.2.3']])
  })

  it('releases and discards what was set aside, saying why', async () => {
    seedImages(gateway.store, { uid: '1.2.3' })
    const { instanceId } = quarantine(gateway.store, '1.2.3')
    const listed = dashboardImages.quarantine.reply.parse(
      (await owner.call('GET', '/dashboard/quarantine?studyInstanceUid=1.2.3')).json,
    )
    expect(listed.instances.map((instance) => instance.instanceId)).toEqual([instanceId])
    const decide = (what: string, body: object, id = instanceId) =>
      owner.call('POST', `/dashboard/quarantine/${id}/${what}`, body)
    expect(codeOf(await decide('release', {}))).toEqual([400, 'malformed'])
    expect((await decide('release', { reason: 'It is the right one' })).json).toEqual({
      success: true,
      message: verbatim('It took its place.'),
    })
    expect((await decide('discard', { reason: 'It is the wrong one' })).json).toEqual({
      success: true,
      message: verbatim('It is gone.'),
    })
    expect(codeOf(await decide('discard', { reason: 'It is the wrong one' }, 999))).toEqual([
      404,
      'not-found',
    ])
    expect(asked).toEqual([
      ['release', instanceId, 'It is the right one', expect.stringMatching(/^user:usr_/)],
      ['discard', instanceId, 'It is the wrong one', expect.stringMatching(/^user:usr_/)],
    ])
  })

  it('releases and discards all of a group at once, no more of it than was shown', async () => {
    seedImages(gateway.store, { uid: '1.2.3' })
    const ids = [1, 2].map(
      () => quarantine(gateway.store, '1.2.3', { patientName: 'BERG^ARNE' }).instanceId,
    )
    quarantine(gateway.store, '1.2.3', { reason: 'invalid-uid' })
    const path = '/dashboard/quarantine/studies/1.2.3'
    const shown = dashboardImages.quarantineGroups.reply.parse((await owner.call('GET', path)).json)
    const group = { studyInstanceUid: '1.2.3', because: 'different-content', upTo: ids[1] }
    expect(shown.groups).toMatchObject([
      {
        reason: 'different-content',
        instances: 2,
        newestInstanceId: ids[1],
        patientNames: ['BERG^ARNE'],
      },
      { reason: 'invalid-uid', instances: 1, patientNames: ['MEIER^ANNA'] },
    ])
    const { studyInstanceUid: _, ...said } = group
    expect(codeOf(await owner.call('POST', `${path}/release`, said))).toEqual([400, 'malformed'])
    expect(
      codeOf(
        await owner.call('POST', `${path}/release`, {
          because: 'different-content',
          reason: 'Mine',
        }),
      ),
    ).toEqual([400, 'malformed'])
    const released = await owner.call('POST', `${path}/release`, {
      ...said,
      reason: 'They are the right ones',
    })
    expect(dashboardImages.releaseGroup.reply.parse(released.json)).toMatchObject({
      success: true,
      decided: 2,
      left: 0,
    })
    const discarded = await owner.call('POST', `${path}/discard`, {
      ...said,
      reason: 'They are the wrong ones',
    })
    expect(dashboardImages.discardGroup.reply.parse(discarded.json)).toMatchObject({
      success: false,
      decided: 1,
      left: 1,
    })
    expect(asked).toEqual([
      ['release all', group, 'They are the right ones', expect.stringMatching(/^user:usr_/)],
      ['discard all', group, 'They are the wrong ones', expect.stringMatching(/^user:usr_/)],
    ])
    seedImages(gateway.store, { uid: '1.2.4' })
    const none = await owner.call('POST', '/dashboard/quarantine/studies/1.2.4/release', {
      ...said,
      reason: 'Mine',
    })
    expect(codeOf(none)).toEqual([404, 'not-found'])
    expect(codeOf(await owner.call('GET', '/dashboard/quarantine/studies/1.2.9'))).toEqual([
      404,
      'not-found',
    ])
  })

  it('is told to every window', async () => {
    seedImages(gateway.store, { uid: '1.2.3', mismatch: MISMATCH })
    const stream = await openEventSource(`${gateway.server.url}/dashboard/feed/events`, {
      cookie: owner.cookie(),
    })
    for (const event of ['status', 'images', 'studies'])
      expect((await stream.next()).event).toBe(event)
    await owner.call('POST', '/dashboard/images/1.2.3/enrichment/retry')
    const told = [(await stream.next()).event, (await stream.next()).event]
    expect(told.sort()).toEqual(['images', 'status'])
    stream.close()
  })

  it('is for who may manage studies', async () => {
    seedImages(gateway.store, { uid: '1.2.3', mismatch: MISMATCH })
    const { instanceId } = quarantine(gateway.store, '1.2.3')
    const changes: [path: string, body: object][] = [
      ['images/1.2.3/enrichment/retry', {}],
      [`quarantine/${instanceId}/release`, { reason: 'Mine' }],
      [`quarantine/${instanceId}/discard`, { reason: 'Mine' }],
      [
        'quarantine/studies/1.2.3/release',
        { because: 'different-content', upTo: instanceId, reason: 'Mine' },
      ],
      [
        'quarantine/studies/1.2.3/discard',
        { because: 'different-content', upTo: instanceId, reason: 'Mine' },
      ],
    ]
    const reader = await gateway.signedIn('member')
    const manager = await gateway.signedIn('member', mayManage(gateway))
    for (const [path, body] of changes) {
      expect(codeOf(await reader.call('POST', `/dashboard/${path}`, body))).toEqual([
        403,
        'not-permitted',
      ])
      expect((await manager.call('POST', `/dashboard/${path}`, body)).status).toBe(200)
    }
    expect((await reader.call('GET', '/dashboard/images/1.2.3')).status).toBe(200)
  })
})

it('is for nobody without a session, and keeps none awake by what the window asks by itself', async () => {
  seedImages(gateway.store, { uid: '1.2.3' })
  const stranger = gateway.openWindow()
  for (const [name, { method, path }] of Object.entries(dashboardImages)) {
    const filled = path.replace(':studyInstanceUid', '1.2.3').replace(':instanceId', '1')
    expect([
      name,
      ...codeOf(await stranger.call(method, filled, method === 'GET' ? undefined : {})),
    ]).toEqual([name, 401, 'not-signed-in'])
    gateway.uses.length = 0
    await owner.call(method, filled, method === 'GET' ? undefined : {})
    expect([name, ...gateway.uses]).toEqual([name, method === 'GET' ? 'background' : 'person'])
  }
})
