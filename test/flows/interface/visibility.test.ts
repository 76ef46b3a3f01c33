import { afterAll, beforeAll, expect, it } from 'vitest'
import { express } from '#shared/contract/express.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { scribeUsers } from '#shared/contract/users.ts'
import {
  type Client,
  newUid,
  type StartedInterface,
  startInterface,
} from '../../support/interface.ts'

// Who sees which studies, through HTTP and the whole gateway.

let stage: StartedInterface

beforeAll(async () => {
  stage = await startInterface()
})
afterAll(() => stage[Symbol.asyncDispose]())

const create = async (client: Client, more: object = {}) => {
  const study = {
    studyInstanceUid: newUid(),
    studyDescription: 'CR Thorax',
    severity: 'normal',
    reportMetadata: {},
    ...more,
  } as const
  return (await client.call(scribe.create, { body: study })).studyId
}
const listOf = async ({ call }: Client) =>
  (await call(scribe.list, { query: { limit: 100 } })).studies.map(({ studyId }) => studyId)

it('lists to a key of scope self the studies it made, and to others all', async () => {
  const { partner, self } = stage.keys
  const mine = [await create(self), await create(self)]
  const others = [await create(partner), await create(stage.users.manager)]
  expect(await listOf(self)).toEqual(mine.toReversed())
  expect(await listOf(partner)).toEqual(expect.arrayContaining([...mine, ...others]))
  expect(await listOf(stage.users.member)).toEqual(expect.arrayContaining([...mine, ...others]))
})

it('shows a member of customers their studies only, and everything again when the last link is gone', async () => {
  const { partner } = stage.keys
  const customers = await Promise.all(
    ['A', 'B', 'C'].map((name) =>
      partner.call(express.create, { body: { expressCustomerName: name } }),
    ),
  )
  const [a, b, c] = await Promise.all(
    customers.map(({ expressCustomerId }) => create(partner, { expressCustomerId })),
  )
  const none = await create(partner)
  const links = customers.slice(0, 2).map(({ expressCustomerId }) => ({
    params: { expressCustomerId },
    body: { userId: stage.userIds.linked as never },
  }))
  for (const link of links) await partner.call(express.addUser, link)
  const { linked } = stage.users
  expect((await listOf(linked)).toSorted()).toEqual([a, b].toSorted())
  const filtered = async (query: string) => {
    const answer = await linked.send(`GET /v1/scribe/studies?${query}`)
    return scribe.list.reply.parse(answer.json).studies.map(({ studyId }) => studyId)
  }
  expect(await filtered(`expressCustomerId=${customers[1]?.expressCustomerId}`)).toEqual([b])
  expect(await filtered(`expressCustomerId=${customers[2]?.expressCustomerId}`)).toEqual([])
  expect(await filtered('expressCustomerId=')).toEqual([])
  const status = async (studyId = '') =>
    (await linked.send(`GET /v1/scribe/studies/${studyId}`)).status
  expect([await status(a), await status(c), await status(none)]).toEqual([200, 404, 404])
  for (const link of links) await partner.call(express.removeUser, link)
  expect(await listOf(linked)).toEqual(expect.arrayContaining([a, b, c, none]))
})

it('lets an invited user be assigned and linked before the invitation is accepted', async () => {
  const { partner } = stage.keys
  const { userId } = await partner.call(scribeUsers.invite, {
    body: {
      email: 'early@partner.example',
      firstName: 'Early',
      lastName: 'Reader',
      level: 'member',
      clinicRole: 'Radiologist',
      canManageStudies: false,
      canCreateReports: true,
      npiNumber: '1234567893',
      hasDashboardAccess: true,
    },
  })
  const { expressCustomerId } = await partner.call(express.create, {
    body: { expressCustomerName: 'Early' },
  })
  expect(
    await partner.call(express.addUser, { params: { expressCustomerId }, body: { userId } }),
  ).toMatchObject({ success: true })
  const studyId = await create(partner, { assignedTo: userId, expressCustomerId })
  expect(await partner.call(scribe.read, { params: { studyId } })).toMatchObject({
    studyReportStatus: 'assigned',
    assignedTo: { userId, email: 'early@partner.example' },
  })
  expect(
    (await partner.call(scribe.rerouteUrl, { body: { studyId, assignedToUserId: userId } })).url,
  ).toMatch(/token=/)
})
