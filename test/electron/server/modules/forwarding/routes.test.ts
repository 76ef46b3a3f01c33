import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as studyService from '#server/modules/studies/service.ts'
import { dashboardDestinations, type ForwardedStudy } from '#shared/contract/destinations.ts'
import { ApiError } from '#shared/errors.ts'
import type { ExpressCustomerId } from '#shared/ids.ts'
import { verbatim } from '#shared/messages/message.ts'
import { newKey } from '../../../../support/callers.ts'
import {
  codeOf,
  destination,
  mayManage,
  openTestDashboard,
  type TestDashboard,
  type TestWindow,
} from '../dashboard/dashboard-fixture.ts'

const { destinationId } = destination()
const at = `/dashboard/destinations/${destinationId}`
const NEW = { name: 'PACS', aeTitle: 'PACS', host: '10.0.0.9', port: 104 }
const forwarded = (studyInstanceUid: string): ForwardedStudy => ({
  ...{
    destinationId,
    destinationName: 'PACS',
    studyInstanceUid,
    patientName: 'MEIER^ANNA',
    waiting: 2,
    sent: 1,
    failed: 0,
    dropped: 0,
  },
  ...{ lastError: null, updatedAt: '2026-11-20T08:45:00.000Z' },
})

/** What was asked of the forwarding. */
let asked: unknown[]
let gateway: TestDashboard
let owner: TestWindow
beforeEach(async () => {
  asked = []
  const done =
    (what: string) =>
    (...words: unknown[]) => {
      asked.push([what, ...words])
      return { success: true }
    }
  gateway = await openTestDashboard(
    {},
    {
      forwarding: {
        send: done('send'),
        retry: async (...words) => done('retry')(...words),
        drop: async (...words) => done('drop')(...words),
        remove() {
          throw new ApiError('refused', verbatim('Two images wait for it.'))
        },
        studies({ after, limit, ...filters }) {
          asked.push(['studies', filters])
          const all = ['1.2.1', '1.2.2', '1.2.3'].map(forwarded)
          const from = Number(after ?? 0)
          const items = all.slice(from, from + limit)
          return from + limit < all.length ? { items, next: String(from + limit) } : { items }
        },
      },
    },
  )
  owner = await gateway.signedIn('owner')
})
afterEach(() => gateway[Symbol.asyncDispose]())

describe('destinations', () => {
  it('are listed, added, changed, tested and removed', async () => {
    const listed = dashboardDestinations.list.reply.parse(
      (await owner.call('GET', '/dashboard/destinations')).json,
    )
    expect(listed).toEqual({
      destinations: [destination()],
      native: { isAvailable: true, detail: null },
    })
    const added = await owner.call('POST', '/dashboard/destinations', NEW)
    expect([added.status, dashboardDestinations.add.reply.parse(added.json)]).toEqual([
      201,
      destination({ hasPriors: false }),
    ])
    expect((await owner.call('PATCH', at, { isEnabled: false })).status).toBe(200)
    expect((await owner.call('POST', `${at}/echo`)).json).toEqual({
      success: true,
      message: 'The destination answers.',
      tookMs: 4,
    })
    expect(codeOf(await owner.call('DELETE', at))).toEqual([422, 'refused'])
  })

  it('send, retry and drop by a named person', async () => {
    await owner.call('POST', `${at}/send`, { studyInstanceUid: '1.2.3' })
    await owner.call('POST', `${at}/retry`, {})
    await owner.call('POST', `${at}/drop`, { studyInstanceUid: '1.2.3', reason: 'Sent by disc' })
    const actor = expect.stringMatching(/^user:usr_/)
    expect(asked).toEqual([
      ['send', destinationId, '1.2.3', actor],
      ['retry', destinationId, undefined, actor],
      ['drop', destinationId, { studyInstanceUid: '1.2.3', reason: 'Sent by disc' }, actor],
    ])
  })

  it('show what is on its way in pages, each with its own filters', async () => {
    const path = `/dashboard/forwards?limit=2&destinationId=${destinationId}`
    const first = dashboardDestinations.studies.reply.parse((await owner.call('GET', path)).json)
    expect([first.studies, first.hasMore]).toEqual([[forwarded('1.2.1'), forwarded('1.2.2')], true])
    const rest = dashboardDestinations.studies.reply.parse(
      (await owner.call('GET', `${path}&cursor=${first.cursor}`)).json,
    )
    expect(rest).toEqual({ studies: [forwarded('1.2.3')], hasMore: false })
    expect(asked[0]).toEqual([
      'studies',
      { destinationId, studyInstanceUid: undefined, show: 'all' },
    ])
    expect(
      codeOf(await owner.call('GET', `/dashboard/forwards?limit=2&cursor=${first.cursor}`)),
    ).toEqual([400, 'malformed'])
  })

  it('find priors and have them sent here', async () => {
    const found = await owner.call('POST', `${at}/priors/find`, { patientId: 'P-4711' })
    expect(dashboardDestinations.findPriors.reply.parse(found.json)).toEqual({
      studies: [],
      tookMs: 9,
    })
    expect(codeOf(await owner.call('POST', `${at}/priors/find`, {}))).toEqual([400, 'malformed'])
    const pulled = await owner.call('POST', `${at}/priors/pull`, { studyInstanceUid: '1.2.3' })
    expect(dashboardDestinations.pull.reply.parse(pulled.json)).toMatchObject({
      destinationId,
      studyInstanceUid: '1.2.3',
      state: 'running',
    })
    expect((await owner.call('GET', '/dashboard/pulls')).json).toEqual({ pulls: [] })
  })
})

describe('rights', () => {
  const CALLS: Record<keyof typeof dashboardDestinations, unknown> = {
    list: undefined,
    add: NEW,
    update: {},
    remove: undefined,
    echo: {},
    studies: undefined,
    instances: undefined,
    send: { studyInstanceUid: '1.2.3' },
    retry: {},
    drop: { reason: 'Sent by disc' },
    findPriors: { patientId: 'P-4711' },
    pull: { studyInstanceUid: '1.2.3' },
    pulls: undefined,
  }
  const names = Object.keys(CALLS) as (keyof typeof CALLS)[]
  const ask = (window: TestWindow, name: keyof typeof CALLS) => {
    const { method, path } = dashboardDestinations[name]
    return window.call(
      method,
      path.replace(':destinationId', destinationId).replace(':studyInstanceUid', '1.2.3'),
      CALLS[name],
    )
  }
  /** The calls this window is refused. */
  const refused = async (window: TestWindow) => {
    const answers = await Promise.all(
      names.map(async (name) => ({ name, status: (await ask(window, name)).status })),
    )
    return answers.filter(({ status }) => status === 401 || status === 403).map(({ name }) => name)
  }

  it('are by level and by the flag to manage studies', async () => {
    const managed = ['add', 'update', 'remove', 'echo']
    expect(await refused(gateway.openWindow())).toEqual(names)
    expect(await refused(await gateway.signedIn('member'))).toEqual([
      ...managed,
      'send',
      'retry',
      'drop',
      'findPriors',
      'pull',
    ])
    expect(await refused(await gateway.signedIn('member', mayManage(gateway)))).toEqual(managed)
    expect(await refused(await gateway.signedIn('admin'))).toEqual([])
    expect(names.filter((name) => dashboardDestinations[name].access.startsWith('manage'))).toEqual(
      managed,
    )
  })

  it('of a member who is linked to customers end at their studies', async () => {
    const key = newKey(gateway.store)
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
    const listed = dashboardDestinations.studies.reply.parse(
      (await linked.call('GET', '/dashboard/forwards')).json,
    )
    expect(listed.studies.map(({ studyInstanceUid }) => studyInstanceUid)).toEqual(['1.2.2'])
    expect((await linked.call('GET', `${at}/studies/1.2.2/forwards`)).status).toBe(200)
    expect(codeOf(await linked.call('GET', `${at}/studies/1.2.1/forwards`))).toEqual([
      404,
      'not-found',
    ])
    expect((await linked.call('POST', `${at}/send`, { studyInstanceUid: '1.2.2' })).status).toBe(
      200,
    )
    expect(codeOf(await linked.call('POST', `${at}/send`, { studyInstanceUid: '1.2.1' }))).toEqual([
      404,
      'not-found',
    ])
    expect(codeOf(await linked.call('POST', `${at}/retry`, {}))).toEqual([403, 'not-permitted'])
    expect(codeOf(await linked.call('POST', `${at}/priors/find`, { patientId: 'P-4711' }))).toEqual(
      [403, 'not-permitted'],
    )
  })

  it('of a session are not kept awake by what the window asks by itself', async () => {
    for (const name of names) {
      gateway.uses.length = 0
      await ask(owner, name)
      const isRepeated = ['list', 'studies', 'instances', 'pulls'].includes(name)
      expect([name, ...gateway.uses]).toEqual([name, isRepeated ? 'background' : 'person'])
    }
  })
})
