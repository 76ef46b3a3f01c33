import { expect, it } from 'vitest'
import type { ApiKeyCaller, UserCaller } from '#server/http/callers.ts'
import { ReplyCache } from '#server/http/reply-cache.ts'
import { express } from '#shared/contract/express.ts'
import type { ExpressCustomerId } from '#shared/ids.ts'
import { person } from './http-fixture.ts'

const key: ApiKeyCaller = { kind: 'api-key', apiKeyId: 'k1', scope: 'all', isViewerEnabled: true }
const URL_ONE = '/v1/express?limit=1'
const REPLY = Buffer.from('{"first":true}')

function opened(bytes?: number) {
  const at = { changeCount: 1 }
  const cache = new ReplyCache({ database: at }, [express.list, express.create], bytes)
  return { at, cache }
}

it('tells a caller what it was told for the same URL', () => {
  const { cache } = opened()
  expect(cache.find(key, URL_ONE)).toBeUndefined()
  cache.keep(key, URL_ONE, REPLY, 1)
  expect(cache.find({ ...key }, URL_ONE)).toBe(REPLY)
  expect(cache.find(key, '/v1/express?limit=2')).toBeUndefined()
})

it('covers the reading calls it was opened for, no others', () => {
  const { cache } = opened()
  expect(
    [express.list, express.create, express.read].map((operation) => cache.covers(operation)),
  ).toEqual([true, false, false])
})

it('tells nobody else: not another key, nor the same key with other rights', () => {
  const { cache } = opened()
  cache.keep(key, URL_ONE, REPLY, 1)
  const others: ApiKeyCaller[] = [
    { ...key, apiKeyId: 'k2' },
    { ...key, scope: 'self' },
    { ...key, isViewerEnabled: false },
  ]
  for (const other of others) expect(cache.find(other, URL_ONE)).toBeUndefined()
})

it('tells a person nothing from before their rights or customers were changed', () => {
  const { cache } = opened()
  const user: UserCaller = { kind: 'user', user: { ...person(), customerIds: [] } }
  cache.keep(user, URL_ONE, REPLY, 1)
  expect(cache.find(structuredClone(user), URL_ONE)).toBe(REPLY)
  const customerIds = ['cus_1' as ExpressCustomerId]
  for (const changed of [{ customerIds }, { level: 'admin' as const }, { userId: person().userId }])
    expect(
      cache.find({ kind: 'user', user: { ...user.user, ...changed } }, URL_ONE),
    ).toBeUndefined()
})

it('forgets everything after a change', () => {
  const { at, cache } = opened()
  cache.keep(key, URL_ONE, REPLY, 1)
  at.changeCount = 2
  expect(cache.find(key, URL_ONE)).toBeUndefined()
  at.changeCount = 1
  expect(cache.find(key, URL_ONE)).toBeUndefined()
})

it('does not keep what was read before a change', () => {
  const { at, cache } = opened()
  const readAt = cache.version()
  at.changeCount = 2
  cache.keep(key, URL_ONE, REPLY, readAt)
  expect(cache.find(key, URL_ONE)).toBeUndefined()
})

it('keeps no more bytes than it may, and drops what was unused longest', () => {
  const { cache } = opened(30_000)
  const large = Buffer.alloc(9000)
  for (const url of ['/1', '/2', '/3']) cache.keep(key, url, large, 1)
  expect(cache.find(key, '/1')).toBe(large)
  cache.keep(key, '/4', large, 1)
  expect(['/1', '/2', '/3', '/4'].map((url) => cache.find(key, url) !== undefined)).toEqual([
    true,
    false,
    true,
    true,
  ])
  cache.keep(key, '/huge', Buffer.alloc(30_000), 1)
  expect(cache.find(key, '/huge')).toBeUndefined()
  expect(cache.find(key, '/1')).toBe(large)
})

it('counts long URLs as what they take', () => {
  const { cache } = opened(30_000)
  const long = (name: string) => `/${name.repeat(6000)}`
  for (const name of ['a', 'b', 'c']) cache.keep(key, long(name), REPLY, 1)
  expect(['a', 'b', 'c'].map((name) => cache.find(key, long(name)) !== undefined)).toEqual([
    false,
    true,
    true,
  ])
})
