import { expect, it } from 'vitest'
import type { Context } from '#server/context.ts'
import { ApiKeyCache, type ValidKey } from '#server/http/api-key-cache.ts'
import { standingClock } from '../../../support/temp-store.ts'

const KEY = `sk_live_${'a'.repeat(32)}`
const OTHER = `sk_live_${'b'.repeat(32)}`

function opened(found: Partial<ValidKey> = {}) {
  const clock = standingClock()
  const live = new Map<string, ValidKey>([
    [KEY, { apiKeyId: 'k1', scope: 'self', isViewerEnabled: false, oldExpiresAt: null, ...found }],
  ])
  const asked: string[] = []
  const authenticate = (key: string) => {
    asked.push(key)
    return live.get(key)
  }
  const database = { changeCount: 1 }
  const keys = new ApiKeyCache({ clock, database } as unknown as Context, authenticate)
  return {
    clock,
    at: database,
    live,
    asked,
    callerOf: (key: string) => keys.callerOf(key),
  }
}

it('looks a busy key up once a second', () => {
  const { clock, asked, callerOf } = opened()
  for (let call = 0; call < 5; call++)
    expect(callerOf(KEY)).toEqual({
      kind: 'api-key',
      apiKeyId: 'k1',
      scope: 'self',
      isViewerEnabled: false,
    })
  expect(asked).toEqual([KEY])
  clock.pass(999)
  callerOf(KEY)
  expect(asked).toEqual([KEY])
  clock.pass(1)
  callerOf(KEY)
  expect(asked).toEqual([KEY, KEY])
})

it('looks it up again when the clock was set back', () => {
  const { clock, asked, callerOf } = opened()
  callerOf(KEY)
  clock.pass(-1)
  callerOf(KEY)
  expect(asked.length).toBe(2)
})

it('refuses a key from the moment it is revoked', () => {
  const { at, live, callerOf } = opened()
  expect(callerOf(KEY)).toBeDefined()
  live.delete(KEY)
  at.changeCount++
  expect(callerOf(KEY)).toBeUndefined()
})

it('remembers no refusal', () => {
  const { live, callerOf } = opened()
  expect(callerOf(OTHER)).toBeUndefined()
  live.set(OTHER, { apiKeyId: 'k2', scope: 'all', isViewerEnabled: true, oldExpiresAt: null })
  expect(callerOf(OTHER)?.apiKeyId).toBe('k2')
  expect(callerOf(KEY)?.apiKeyId).toBe('k1')
})

it('looks up at each call while the secret before a rotation opens too: the clock alone ends it', () => {
  const { clock, live, asked, callerOf } = opened({ oldExpiresAt: '2026-03-10T09:00:00.500Z' })
  callerOf(KEY)
  callerOf(KEY)
  expect(asked.length).toBe(2)
  clock.pass(500)
  live.delete(KEY)
  expect(callerOf(KEY)).toBeUndefined()
})
