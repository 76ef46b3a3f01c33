import { describe, expect, it } from 'vitest'
import * as customerService from '#server/modules/customers/service.ts'
import { customerIdsOfUser, customersOfUser } from '#server/modules/users/queries.ts'
import { bound } from '../../../../support/bound.ts'
import { atTheWindow, newKey, newUser } from '../../../../support/callers.ts'
import { codeOf } from '../../../../support/refusal.ts'
import { tempStore } from '../../../../support/temp-store.ts'

function stage() {
  const temp = tempStore()
  const customers = bound(customerService, temp.store)
  const key = newKey(temp.store)
  return { ...temp, customers, key, [Symbol.dispose]: () => temp[Symbol.dispose]() }
}

describe('an Express customer', () => {
  it('is created by a key or by a user, and says which', () => {
    using on = stage()
    const { customers, key, store } = on
    const made = customers.createCustomer(key, {
      expressCustomerName: 'North Imaging',
      metadata: { region: 'north' },
    })
    expect(made).toEqual({
      seq: 1,
      expressCustomerId: expect.stringMatching(/^cus_[0-9a-f]{32}$/),
      expressCustomerName: 'North Imaging',
      isActive: true,
      userCount: 0,
      createdByApiKeyId: key.apiKeyId,
      createdByUserId: null,
      metadata: { region: 'north' },
      createdAt: '2026-03-10T09:00:00.000Z',
      updatedAt: '2026-03-10T09:00:00.000Z',
    })
    const admin = newUser(store, { level: 'admin' })
    expect(
      customers.createCustomer(atTheWindow(admin), { expressCustomerName: 'South' }),
    ).toMatchObject({
      createdByApiKeyId: null,
      createdByUserId: admin.userId,
      metadata: undefined,
    })
    expect(customers.readCustomer(key, made.expressCustomerId)).toEqual(made)
  })

  it('keeps the metadata that a PATCH does not name, and clears it with null', () => {
    using on = stage()
    const { customers, key, clock } = on
    const { expressCustomerId } = customers.createCustomer(key, {
      expressCustomerName: 'A',
      metadata: { a: '1', b: '2' },
    })
    clock.pass(1000)
    expect(customers.updateCustomer(key, expressCustomerId, {})).toMatchObject({
      updatedAt: '2026-03-10T09:00:00.000Z',
    })
    const renamed = customers.updateCustomer(key, expressCustomerId, { expressCustomerName: 'B' })
    expect(renamed).toMatchObject({
      expressCustomerName: 'B',
      metadata: { a: '1', b: '2' },
      updatedAt: '2026-03-10T09:00:01.000Z',
    })
    expect(
      customers.updateCustomer(key, expressCustomerId, { metadata: { c: '3' } }).metadata,
    ).toEqual({
      c: '3',
    })
    expect(
      customers.updateCustomer(key, expressCustomerId, { metadata: null }).metadata,
    ).toBeUndefined()
    expect(customers.readCustomer(key, expressCustomerId).metadata).toBeUndefined()
  })

  it('is deactivated and reactivated as often as one likes', () => {
    using on = stage()
    const { customers, key, store, clock } = on
    const { expressCustomerId } = customers.createCustomer(key, { expressCustomerName: 'A' })
    const isActive = (of: 'deactivate' | 'reactivate') =>
      customers[`${of}Customer`](key, expressCustomerId).isActive
    expect([isActive('reactivate'), isActive('deactivate')]).toEqual([true, false])
    const { updatedAt } = customers.readCustomer(key, expressCustomerId)
    clock.pass(1000)
    expect(customers.deactivateCustomer(key, expressCustomerId)).toMatchObject({
      isActive: false,
      updatedAt,
    })
    expect([isActive('reactivate'), isActive('reactivate')]).toEqual([true, true])
    expect(store.audit.list({ limit: 10 }).items.map(({ action }) => action)).toEqual([
      'customer.reactivate',
      'customer.deactivate',
      'customer.create',
    ])
  })

  it('counts the users that are linked to it, each once, and takes none while it is deactivated', () => {
    using on = stage()
    const { customers, key, store } = on
    const { expressCustomerId } = customers.createCustomer(key, { expressCustomerName: 'A' })
    const other = customers.createCustomer(key, { expressCustomerName: 'B' }).expressCustomerId
    const { userId } = newUser(store)
    const add = (id = expressCustomerId) => customers.addCustomerUser(key, id, userId).success
    expect([add(), add(), add(other)]).toEqual([true, true, true])
    expect(customers.readCustomer(key, expressCustomerId).userCount).toBe(1)
    expect(customerIdsOfUser(store.database, userId)).toEqual([expressCustomerId, other].sort())
    customers.deactivateCustomer(key, expressCustomerId)
    expect(add()).toBe(false)
    const remove = () => customers.removeCustomerUser(key, expressCustomerId, userId).success
    expect([remove(), remove(), customers.readCustomer(key, expressCustomerId).userCount]).toEqual([
      true,
      false,
      0,
    ])
  })

  it('that is not there, or a user who is not, is not found', () => {
    using on = stage()
    const { customers, key, store } = on
    const { expressCustomerId } = customers.createCustomer(key, { expressCustomerName: 'A' })
    const { userId } = newUser(store)
    const nobody = `usr_${'0'.repeat(32)}`
    const nothing = `cus_${'0'.repeat(32)}`
    expect(
      [
        () => customers.readCustomer(key, nothing),
        () => customers.updateCustomer(key, nothing, {}),
        () => customers.deactivateCustomer(key, nothing),
        () => customers.addCustomerUser(key, nothing, userId),
        () => customers.addCustomerUser(key, expressCustomerId, nobody),
        () => customers.removeCustomerUser(key, expressCustomerId, nobody),
      ].map(codeOf),
    ).toEqual(Array(6).fill('not-found'))
  })

  it('is managed by admins and keys only, and read by everybody', () => {
    using on = stage()
    const { customers, key, store } = on
    const { expressCustomerId } = customers.createCustomer(key, { expressCustomerName: 'A' })
    const member = atTheWindow(newUser(store, { canManageStudies: true }))
    expect(customers.readCustomer(member, expressCustomerId).expressCustomerName).toBe('A')
    expect(codeOf(() => customers.createCustomer(member, { expressCustomerName: 'B' }))).toBe(
      'not-permitted',
    )
    expect(codeOf(() => customers.deactivateCustomer(member, expressCustomerId))).toBe(
      'not-permitted',
    )
    expect(codeOf(() => customers.createOrganization(member, { orgName: 'B' }))).toBe(
      'not-permitted',
    )
  })
})

describe('the list of customers', () => {
  it('is newest first, page by page, and finds a part of the name without case and accents', () => {
    using on = stage()
    const { customers, key } = on
    for (const expressCustomerName of ['Čapek', '100 %', 'čapkův dům', '100 x'])
      customers.createCustomer(key, { expressCustomerName })
    const names = (query: Parameters<typeof customers.listCustomers>[1]) =>
      customers
        .listCustomers(key, query)
        .items.map(({ expressCustomerName }) => expressCustomerName)
    expect(names({ limit: 20 })).toEqual(['100 x', 'čapkův dům', '100 %', 'Čapek'])
    expect(names({ limit: 20, expressCustomerName: 'CAP' })).toEqual(['čapkův dům', 'Čapek'])
    expect(names({ limit: 20, expressCustomerName: '0 %' })).toEqual(['100 %'])
    const first = customers.listCustomers(key, { limit: 3 })
    expect(first.items).toHaveLength(3)
    customers.createCustomer(key, { expressCustomerName: 'later' })
    expect(names({ limit: 3, after: first.next })).toEqual(['Čapek'])
    expect(customers.listCustomers(key, { limit: 3, after: first.next }).next).toBeUndefined()
  })
})

describe('the users of a customer', () => {
  it('are listed with the newest link first, page by page, and found by any words of name and e-mail', () => {
    using on = stage()
    const { customers, key, store, clock } = on
    const { expressCustomerId } = customers.createCustomer(key, { expressCustomerName: 'A' })
    const people = ['Čapek', 'Malá', 'Novák', 'Øster'].map((lastName, at) =>
      newUser(store, { lastName, email: `${at}@clinic.example`, clinicRole: 'Other' }),
    )
    for (const { userId } of people) {
      customers.addCustomerUser(key, expressCustomerId, userId)
      clock.pass(1000)
    }
    newUser(store, { lastName: 'Novák' })
    const names = (search: string) =>
      customers
        .listCustomerUsers(key, expressCustomerId, search, { limit: 20 })
        .items.map(({ user }) => user.lastName)
    expect(names('')).toEqual(['Øster', 'Novák', 'Malá', 'Čapek'])
    expect([names('capek UNA'), names('2@clinic'), names('oster'), names('nobody')]).toEqual([
      ['Čapek'],
      ['Novák'],
      ['Øster'],
      [],
    ])
    const first = customers.listCustomerUsers(key, expressCustomerId, '', { limit: 3 })
    expect(first.items.map(({ linkedAt }) => linkedAt)).toEqual(
      ['03', '02', '01'].map((second) => `2026-03-10T09:00:${second}.000Z`),
    )
    const rest = customers.listCustomerUsers(key, expressCustomerId, '', {
      limit: 3,
      after: first.next,
    })
    expect([rest.items.map(({ user }) => user.lastName), rest.next]).toEqual([['Čapek'], undefined])
    expect(
      codeOf(() => customers.listCustomerUsers(key, `cus_${'0'.repeat(32)}`, '', { limit: 3 })),
    ).toBe('not-found')
  })

  it('goes on over people who were linked in the same moment, and ends with the last page', () => {
    using on = stage()
    const { customers, key, store } = on
    const { expressCustomerId } = customers.createCustomer(key, { expressCustomerName: 'A' })
    for (let at = 0; at < 205; at += 1)
      customers.addCustomerUser(
        key,
        expressCustomerId,
        newUser(store, { lastName: `N${at % 2}` }).userId,
      )
    const seen: string[] = []
    let after: Parameters<typeof customers.listCustomerUsers>[3]['after']
    do {
      const part = customers.listCustomerUsers(key, expressCustomerId, 'n1', { limit: 17, after })
      seen.push(...part.items.map(({ user }) => user.userId))
      after = part.next
    } while (after)
    expect([seen.length, new Set(seen).size]).toEqual([102, 102])
  })

  it('each have their customers, by name', () => {
    using on = stage()
    const { customers, key, store } = on
    const { userId } = newUser(store)
    for (const expressCustomerName of ['zulu', 'Ärzte Nord', 'Bravo']) {
      customers.addCustomerUser(
        key,
        customers.createCustomer(key, { expressCustomerName }).expressCustomerId,
        userId,
      )
    }
    expect(
      customersOfUser(store.database, userId).map(({ expressCustomerName }) => expressCustomerName),
    ).toEqual(['Ärzte Nord', 'Bravo', 'zulu'])
  })
})

describe('an organization', () => {
  it('is made with an id of its own kind', () => {
    using on = stage()
    const made = on.customers.createOrganization(on.key, { orgName: 'Old', metadata: { a: '1' } })
    expect(made).toMatchObject({
      orgName: 'Old',
      metadata: { a: '1' },
      createdByApiKeyId: on.key.apiKeyId,
      createdByUserId: null,
    })
    expect(made.orgId).toMatch(/^org_[0-9a-f]{32}$/)
  })
})
