import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { express, orgs } from '#shared/contract/express.ts'
import { viewer } from '#shared/contract/viewer.ts'
import { newUid, type StartedInterface, startInterface } from '../../support/interface.ts'

// Express customers, through HTTP and the whole gateway.

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
let stage: StartedInterface

beforeAll(async () => {
  stage = await startInterface()
})
afterAll(() => stage[Symbol.asyncDispose]())

const create = (expressCustomerName: string, more: { metadata?: Record<string, string> } = {}) =>
  stage.keys.partner.call(express.create, { body: { expressCustomerName, ...more } })
const at = ({ expressCustomerId }: { expressCustomerId: string }) => ({
  params: { expressCustomerId },
})
const count = async (customer: { expressCustomerId: string }) =>
  (await stage.keys.partner.call(express.read, at(customer))).userCount

describe('an Express customer', () => {
  it('is created by a key: 201 and the whole record', async () => {
    const json = { expressCustomerName: 'North Imaging', metadata: { region: 'north' } }
    const answer = await stage.keys.partner.send('POST /v1/express', { json })
    expect(answer.status).toBe(201)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    const made = answer.json as Record<string, unknown>
    expect(made).toEqual({
      expressCustomerId: expect.stringMatching(/^cus_[0-9a-f]{32}$/),
      expressCustomerName: 'North Imaging',
      isActive: true,
      createdAt: expect.stringMatching(INSTANT),
      updatedAt: made.createdAt,
      userCount: 0,
      createdByApiKeyId: stage.keyIds.partner,
      createdByUserId: null,
      metadata: { region: 'north' },
    })
    expect(
      await stage.keys.partner.call(express.read, at(made as { expressCustomerId: string })),
    ).toEqual(made)
  })

  it('is created by a user of the window: createdByUserId, and no key', async () => {
    const { user } = (await stage.users.owner.send('GET /dashboard/session')).json as {
      user: { userId: string }
    }
    const made = await stage.users.owner.call(express.create, {
      body: { expressCustomerName: 'Made in the window' },
    })
    expect(made).toMatchObject({ createdByUserId: user.userId, userCount: 0 })
    expect(made).not.toHaveProperty('createdByApiKeyId')
  })

  it('is renamed and its metadata replaced; null clears it, absence leaves it', async () => {
    const made = await create('Old name', { metadata: { a: '1', b: '2' } })
    const update = (body: object) => stage.keys.partner.call(express.update, { ...at(made), body })
    expect(await update({ expressCustomerName: 'New name' })).toMatchObject({
      expressCustomerName: 'New name',
      metadata: { a: '1', b: '2' },
    })
    expect((await update({ metadata: { c: '3' } })).metadata).toEqual({ c: '3' })
    expect(await update({})).toMatchObject({
      expressCustomerName: 'New name',
      metadata: { c: '3' },
    })
    expect((await update({ metadata: null })).metadata ?? {}).toEqual({})
  })

  it('is listed newest first, by pages that have a cursor exactly when more follows', async () => {
    const names = ['page 1', 'page 2', 'page 3', 'page 4', 'page 5']
    for (const name of names) await create(name)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await stage.keys.partner.call(express.list, {
        query: { limit: 2, expressCustomerName: 'PAGE ', ...(cursor && { cursor }) },
      })
      expect(page.hasMore).toBe(page.cursor !== undefined)
      seen.push(...page.expressCustomers.map(({ expressCustomerName }) => expressCustomerName))
      cursor = page.cursor
    } while (cursor !== undefined)
    expect(seen).toEqual(names.toReversed())
  })

  it('is found by a part of its name, in any case, with every character literal', async () => {
    for (const name of ['100% Röntgen_A', '100 Roentgen-B']) await create(name)
    const found = async (expressCustomerName: string) => {
      const page = await stage.keys.partner.call(express.list, { query: { expressCustomerName } })
      return page.expressCustomers.map((customer) => customer.expressCustomerName)
    }
    expect(await found('0% r')).toEqual(['100% Röntgen_A'])
    expect(await found('RÖNTGEN_')).toEqual(['100% Röntgen_A'])
    expect(await found('_')).toEqual(['100% Röntgen_A'])
    expect(await found('nobody has this')).toEqual([])
  })

  it('is deactivated and reactivated; again changes nothing', async () => {
    const made = await create('Comes and goes')
    for (const [operation, isActive] of [
      [express.deactivate, false],
      [express.deactivate, false],
      [express.reactivate, true],
      [express.reactivate, true],
    ] as const) {
      expect(await stage.keys.partner.call(operation, at(made))).toMatchObject({
        expressCustomerId: made.expressCustomerId,
        isActive,
      })
    }
    const answer = await stage.keys.partner.send(
      `POST /v1/express/${made.expressCustomerId}/deactivate`,
    )
    expect({ status: answer.status, json: answer.json }).toMatchObject({
      status: 200,
      json: { isActive: false },
    })
  })

  it('gets users: again is a success and counts once, and removing one who is not there is not', async () => {
    const made = await create('With users')
    const body = { userId: stage.userIds.radiologist }
    const ask = (operation: typeof express.addUser | typeof express.removeUser) =>
      stage.keys.partner.call(operation, { ...at(made), body })
    expect(await ask(express.addUser)).toMatchObject({ success: true })
    expect(await ask(express.addUser)).toMatchObject({ success: true })
    expect(await count(made)).toBe(1)
    expect(await ask(express.removeUser)).toMatchObject({ success: true })
    expect(await ask(express.removeUser)).toMatchObject({
      success: false,
      message: expect.any(String),
    })
    expect(await count(made)).toBe(0)
  })

  it('when deactivated takes no study and no user, and everything else still works', async () => {
    const made = await create('Closed')
    const radiologist = { userId: stage.userIds.radiologist }
    await stage.keys.partner.call(express.addUser, { ...at(made), body: radiologist })
    await stage.keys.partner.call(express.deactivate, at(made))
    const { expressCustomerId } = made
    const study = {
      studyInstanceUid: newUid(),
      studyDescription: 'CT',
      severity: 'normal',
      expressCustomerId,
    } as const
    await expect(stage.keys.partner.call(viewer.create, { body: study })).rejects.toThrow(/^422/)
    const added = await stage.keys.partner.send(`POST /v1/express/${expressCustomerId}/users`, {
      json: { userId: stage.userIds.manager },
    })
    expect({ status: added.status, json: added.json }).toMatchObject({
      status: 200,
      json: { success: false, message: expect.any(String) },
    })
    const renamed = await stage.keys.partner.call(express.update, {
      ...at(made),
      body: { expressCustomerName: 'Closed for good' },
    })
    expect(renamed).toMatchObject({
      expressCustomerName: 'Closed for good',
      isActive: false,
      userCount: 1,
    })
    expect(
      await stage.keys.partner.call(express.removeUser, { ...at(made), body: radiologist }),
    ).toMatchObject({ success: true })
  })
})

describe('an organization', () => {
  it('is made with the shape of a customer and an id of its own', async () => {
    const answer = await stage.keys.partner.send('POST /v1/orgs', {
      json: { orgName: 'Harbour Clinic', metadata: { tier: 'gold' } },
    })
    expect(answer.status).toBe(201)
    const made = answer.json as Record<string, string>
    expect(made).toEqual({
      orgId: expect.stringMatching(/^org_[0-9a-f]{32}$/),
      orgName: 'Harbour Clinic',
      isActive: true,
      createdAt: expect.stringMatching(INSTANT),
      updatedAt: made.createdAt,
      userCount: 0,
      createdByApiKeyId: stage.keyIds.partner,
      createdByUserId: null,
      metadata: { tier: 'gold' },
    })
    const asCustomer = made.orgId?.replace('org_', 'cus_')
    expect((await stage.keys.partner.send(`GET /v1/express/${asCustomer}`)).status).toBe(404)
    expect(
      await stage.users.owner.call(orgs.create, { body: { orgName: 'In the window' } }),
    ).toMatchObject({ isActive: true })
  })

  it('has no other operation', async () => {
    const answer = await stage.keys.partner.send('GET /v1/orgs')
    expect({ status: answer.status, allow: answer.headers.allow }).toEqual({
      status: 405,
      allow: 'POST',
    })
    expect(
      (await stage.keys.partner.send('GET /v1/orgs/org_00000000000000000000000000000001')).status,
    ).toBe(404)
  })
})
