import { describe, expect, it, vi } from 'vitest'
import type { Context } from '#server/context.ts'
import * as apiKeyService from '#server/modules/api-keys/api-keys.ts'
import { findApiKey, listApiKeys } from '#server/modules/api-keys/queries.ts'
import { bound } from '../../../../support/bound.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const keysOf = (store: Context) => ({
  ...bound(apiKeyService, store),
  ...apiKeyService.openApiKeys(store),
})

const WANTED = { description: 'reading service', isViewerEnabled: true, scope: 'self' } as const

describe('API keys', () => {
  it('are shown once and known by their hash from then on', () => {
    using temp = tempStore()
    const keys = keysOf(temp.store)
    const { key, apiKey } = keys.createApiKey(WANTED, 'command-line')
    expect(key).toMatch(/^sk_live_[0-9a-f]{32}$/)
    expect(apiKey).toMatchObject({
      ...WANTED,
      last4: key.slice(-4),
      createdAt: '2026-03-10T09:00:00.000Z',
      revokedAt: null,
    })
    expect(keys.authenticate(key)).toEqual(apiKey)
    expect(keys.list()).toEqual([{ ...apiKey, lastUsedAt: '2026-03-10T09:00:00.000Z' }])
    expect(keys.authenticate(key.slice(0, -1))).toBeUndefined()
    expect(keys.authenticate(`sk_live_${'0'.repeat(32)}`)).toBeUndefined()
    expect(
      JSON.stringify([
        keys.list(),
        listApiKeys(temp.store.database),
        temp.store.audit.list({ limit: 10 }),
      ]),
    ).not.toContain(key)
  })

  it('open nothing after they were revoked', () => {
    using temp = tempStore()
    const keys = keysOf(temp.store)
    const [old, next] = [
      keys.createApiKey(WANTED, 'command-line'),
      keys.createApiKey(WANTED, 'command-line'),
    ]
    keys.revokeApiKey(old.apiKey.apiKeyId, 'command-line')
    keys.revokeApiKey(old.apiKey.apiKeyId, 'command-line')
    expect(keys.authenticate(old.key)).toBeUndefined()
    expect(keys.authenticate(next.key)?.apiKeyId).toBe(next.apiKey.apiKeyId)
    expect(() => keys.revokeApiKey('none', 'command-line')).toThrow('There is no such key')
    const actions = temp.store.audit
      .list({ limit: 10 })
      .items.map(({ action, target }) => `${action} ${target}`)
    expect(actions).toEqual([
      `api-key.revoke ${old.apiKey.apiKeyId}`,
      `api-key.create ${next.apiKey.apiKeyId}`,
      `api-key.create ${old.apiKey.apiKeyId}`,
    ])
  })

  it('show their last use at once, and keep it with a later commit, at most once a minute', async () => {
    using temp = tempStore()
    const keys = keysOf(temp.store)
    const { key, apiKey } = keys.createApiKey(WANTED, 'command-line')
    const kept = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      return findApiKey(temp.store.database, apiKey.apiKeyId)?.lastUsedAt
    }
    keys.authenticate(key)
    expect(findApiKey(temp.store.database, apiKey.apiKeyId)?.lastUsedAt).toBeNull()
    expect(await kept()).toBe('2026-03-10T09:00:00.000Z')
    temp.clock.pass(59_999)
    keys.authenticate(key)
    expect(await kept()).toBe('2026-03-10T09:00:00.000Z')
    expect(keys.list()[0]?.lastUsedAt).toBe('2026-03-10T09:00:59.999Z')
    temp.clock.pass(1)
    keys.authenticate(key)
    expect(await kept()).toBe('2026-03-10T09:01:00.000Z')
  })

  it('are rotated under the same id; the secret before opens until the overlap ends', () => {
    using temp = tempStore()
    const keys = keysOf(temp.store)
    const first = keys.createApiKey(WANTED, 'command-line')
    temp.clock.pass(60_000)
    const second = keys.rotateApiKey(first.apiKey.apiKeyId, 3_600_000, 'user:usr_1')
    expect(second.apiKey).toMatchObject({
      ...{
        ...WANTED,
        apiKeyId: first.apiKey.apiKeyId,
        last4: second.key.slice(-4),
        rotatedAt: '2026-03-10T09:01:00.000Z',
      },
      ...{ oldLast4: first.key.slice(-4), oldExpiresAt: '2026-03-10T10:01:00.000Z' },
    })
    const opens = () =>
      [first.key, second.key].map(
        (key) => keys.authenticate(key)?.apiKeyId === first.apiKey.apiKeyId,
      )
    expect(opens()).toEqual([true, true])
    temp.clock.pass(3_599_999)
    expect(opens()).toEqual([true, true])
    temp.clock.pass(1)
    expect(opens()).toEqual([false, true])
    expect(temp.store.audit.list({ limit: 1 }).items[0]).toMatchObject({
      actor: 'user:usr_1',
      action: 'api-key.rotate',
    })
  })

  it('have two secrets at most, and without an overlap one at once', () => {
    using temp = tempStore()
    const keys = keysOf(temp.store)
    const { key: first, apiKey } = keys.createApiKey(WANTED, 'command-line')
    const { key: second } = keys.rotateApiKey(apiKey.apiKeyId, 3_600_000, 'command-line')
    const { key: third } = keys.rotateApiKey(apiKey.apiKeyId, 3_600_000, 'command-line')
    expect([first, second, third].map((key) => keys.authenticate(key) !== undefined)).toEqual([
      false,
      true,
      true,
    ])
    const { key: fourth } = keys.rotateApiKey(apiKey.apiKeyId, 0, 'command-line')
    expect([third, fourth].map((key) => keys.authenticate(key) !== undefined)).toEqual([
      false,
      true,
    ])
  })

  it('note their use anew where the clock was set back, and where noting it failed', async () => {
    using temp = tempStore()
    const keys = keysOf(temp.store)
    const { key, apiKey } = keys.createApiKey(WANTED, 'command-line')
    const { database } = temp.store
    const commit = vi.spyOn(database, 'commitSoon')
    const noted = () => findApiKey(database, apiKey.apiKeyId)?.lastUsedAt
    const use = async () => {
      keys.authenticate(key)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await use()
    expect(noted()).toBe('2026-03-10T09:00:00.000Z')
    temp.clock.pass(-1)
    await use()
    expect(noted()).toBe('2026-03-10T08:59:59.999Z')
    temp.clock.pass(60_000)
    commit.mockRejectedValueOnce(new Error('the disk is full'))
    await use()
    await vi.waitFor(() => expect(keys.list()[0]?.lastUsedAt).toBe('2026-03-10T08:59:59.999Z'))
    temp.clock.pass(1)
    await use()
    expect(findApiKey(temp.store.database, apiKey.apiKeyId)?.lastUsedAt).toBe(
      '2026-03-10T09:01:00.000Z',
    )
  })

  it('manage people only where that was said, when they are made or later', () => {
    using temp = tempStore()
    const keys = keysOf(temp.store)
    const latest = () => temp.store.audit.list({ limit: 1 }).items[0]
    const { key, apiKey } = keys.createApiKey(WANTED, 'command-line')
    const { apiKeyId } = apiKey
    expect(apiKey.managesPeople).toBe(false)
    expect(latest()).toMatchObject({
      action: 'api-key.create',
      target: apiKeyId,
      detail: { ...WANTED, managesPeople: false },
    })
    expect(
      keys.createApiKey({ ...WANTED, managesPeople: true }, 'command-line').apiKey.managesPeople,
    ).toBe(true)
    expect(latest()).toMatchObject({ action: 'api-key.create', detail: { managesPeople: true } })

    expect(keys.changeApiKey(apiKeyId, { managesPeople: false }, 'user:usr_1').managesPeople).toBe(
      false,
    )
    expect(latest()?.action).toBe('api-key.create')
    const changed = keys.changeApiKey(apiKeyId, { managesPeople: true }, 'user:usr_1')
    expect(changed).toEqual({ ...apiKey, managesPeople: true })
    expect(latest()).toMatchObject({
      ...{ actor: 'user:usr_1', action: 'api-key.change', target: apiKeyId },
      detail: { managesPeople: { before: false, after: true } },
    })
    expect(keys.authenticate(key)?.managesPeople).toBe(true)
    expect(JSON.stringify(changed)).not.toMatch(/hash/i)
    expect(keys.changeApiKey(apiKeyId, { managesPeople: false }, 'user:usr_1').managesPeople).toBe(
      false,
    )

    keys.revokeApiKey(apiKeyId, 'command-line')
    const refused = expect.objectContaining({
      code: 'refused',
      message: 'The key was revoked: create a new one.',
    })
    expect(() => keys.changeApiKey(apiKeyId, { managesPeople: true }, 'user:usr_1')).toThrow(
      refused,
    )
    expect(() => keys.changeApiKey('none', { managesPeople: true }, 'user:usr_1')).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    )
  })

  it('may use DICOMweb where that was allowed, and only with access to all studies', () => {
    using temp = tempStore()
    const keys = keysOf(temp.store)
    const latest = () => temp.store.audit.list({ limit: 1 }).items[0]
    const all = { ...WANTED, scope: 'all' } as const
    expect(keys.createApiKey(all, 'command-line').apiKey.dicomweb).toBe('none')
    const { apiKey, key } = keys.createApiKey({ ...all, dicomweb: 'read' }, 'command-line')
    expect(latest()).toMatchObject({ action: 'api-key.create', detail: { dicomweb: 'read' } })
    expect(keys.authenticate(key)?.dicomweb).toBe('read')

    const { apiKeyId } = apiKey
    keys.changeApiKey(apiKeyId, { dicomweb: 'read-and-store' }, 'user:usr_1')
    expect(latest()).toMatchObject({
      ...{ actor: 'user:usr_1', action: 'api-key.change', target: apiKeyId },
      detail: { dicomweb: { before: 'read', after: 'read-and-store' } },
    })
    // Another right is changed without this one.
    keys.changeApiKey(apiKeyId, { managesPeople: true }, 'user:usr_1')
    expect(findApiKey(temp.store.database, apiKeyId)).toMatchObject({
      ...{ dicomweb: 'read-and-store', managesPeople: true },
    })

    const limited = expect.objectContaining({ code: 'malformed' })
    const own = keys.createApiKey(WANTED, 'command-line').apiKey
    expect(() => keys.createApiKey({ ...WANTED, dicomweb: 'store' }, 'command-line')).toThrow(
      limited,
    )
    expect(() => keys.changeApiKey(own.apiKeyId, { dicomweb: 'read' }, 'user:usr_1')).toThrow(
      limited,
    )
    expect(findApiKey(temp.store.database, own.apiKeyId)?.dicomweb).toBe('none')
  })

  it('lose both secrets when they are revoked, and are rotated no more', () => {
    using temp = tempStore()
    const keys = keysOf(temp.store)
    const { key: first, apiKey } = keys.createApiKey(WANTED, 'command-line')
    const { key: second } = keys.rotateApiKey(apiKey.apiKeyId, 3_600_000, 'command-line')
    keys.revokeApiKey(apiKey.apiKeyId, 'command-line')
    expect([first, second].map((key) => keys.authenticate(key))).toEqual([undefined, undefined])
    expect(() => keys.rotateApiKey(apiKey.apiKeyId, 0, 'command-line')).toThrow(
      'The key was revoked',
    )
    expect(() => keys.rotateApiKey('none', 0, 'command-line')).toThrow('There is no such key')
  })
})
