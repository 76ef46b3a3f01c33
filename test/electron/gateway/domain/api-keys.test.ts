import { describe, expect, it } from 'vitest'
import { openApiKeys } from '#gateway/domain/api-keys.ts'
import { tempStore } from '../../../support/temp-store.ts'

const WANTED = { description: 'reading service', isViewerEnabled: true, scope: 'self' } as const

describe('API keys', () => {
  it('are shown once and known by their hash from then on', () => {
    using temp = tempStore()
    const keys = openApiKeys(temp)
    const { key, apiKey } = keys.create(WANTED, 'command-line')
    expect(key).toMatch(/^sk_live_[0-9a-f]{32}$/)
    expect(apiKey).toMatchObject({ ...WANTED, last4: key.slice(-4), createdAt: '2026-03-10T09:00:00.000Z', revokedAt: null })
    expect(keys.authenticate(key)).toEqual(apiKey)
    expect(keys.list()).toEqual([{ ...apiKey, lastUsedAt: '2026-03-10T09:00:00.000Z' }])
    expect(keys.authenticate(key.slice(0, -1))).toBeUndefined()
    expect(keys.authenticate(`sk_live_${'0'.repeat(32)}`)).toBeUndefined()
    expect(JSON.stringify([keys.list(), temp.store.apiKeys.list(), temp.store.audit.list({ limit: 10 })])).not.toContain(key)
  })

  it('open nothing after they were revoked', () => {
    using temp = tempStore()
    const keys = openApiKeys(temp)
    const [old, next] = [keys.create(WANTED, 'command-line'), keys.create(WANTED, 'command-line')]
    keys.revoke(old.apiKey.apiKeyId, 'command-line')
    keys.revoke(old.apiKey.apiKeyId, 'command-line')
    expect(keys.authenticate(old.key)).toBeUndefined()
    expect(keys.authenticate(next.key)?.apiKeyId).toBe(next.apiKey.apiKeyId)
    expect(() => keys.revoke('none', 'command-line')).toThrow('There is no such key')
    const actions = temp.store.audit.list({ limit: 10 }).items.map(({ action, target }) => `${action} ${target}`)
    expect(actions).toEqual([
      `api-key.revoke ${old.apiKey.apiKeyId}`,
      `api-key.create ${next.apiKey.apiKeyId}`,
      `api-key.create ${old.apiKey.apiKeyId}`,
    ])
  })

  it('note their use at most once a minute', () => {
    using temp = tempStore()
    const keys = openApiKeys(temp)
    const { key } = keys.create(WANTED, 'command-line')
    keys.authenticate(key)
    temp.clock.pass(59_999)
    keys.authenticate(key)
    expect(keys.list()[0]?.lastUsedAt).toBe('2026-03-10T09:00:00.000Z')
    temp.clock.pass(1)
    keys.authenticate(key)
    expect(keys.list()[0]?.lastUsedAt).toBe('2026-03-10T09:01:00.000Z')
  })
})
