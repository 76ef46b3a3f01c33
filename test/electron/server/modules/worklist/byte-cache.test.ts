import { expect, it } from 'vitest'
import { byteCache } from '#server/modules/worklist/byte-cache.ts'
import { standingClock } from '../../../../support/temp-store.ts'

it('lets the least recently used go when it holds too many bytes', () => {
  const cache = byteCache<string>(100, standingClock())
  cache.set('a', 'A', 40)
  cache.set('b', 'B', 40)
  cache.get('a')
  cache.set('c', 'C', 40)
  expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.bytes]).toEqual([
    'A',
    undefined,
    'C',
    80,
  ])
})

it('knows which one was used last where the newest one is used again, or was forgotten', () => {
  const cache = byteCache<string>(100, standingClock())
  for (const key of ['a', 'b', 'c']) cache.set(key, key.toUpperCase(), 30)
  for (const key of ['a', 'c', 'c', 'b', 'b']) cache.get(key)
  cache.set('d', 'D', 30)
  expect(['a', 'b', 'c', 'd'].map(cache.get)).toEqual([undefined, 'B', 'C', 'D'])
  cache.forget((key) => key === 'd')
  cache.set('d', 'D', 30)
  for (const key of ['d', 'b', 'd']) cache.get(key)
  cache.set('e', 'E', 30)
  expect(['b', 'c', 'd', 'e'].map(cache.get)).toEqual(['B', undefined, 'D', 'E'])
})

it('takes the place of an older value of the same key, and keeps nothing that is over half its size', () => {
  const cache = byteCache<string>(100, standingClock())
  cache.set('a', 'A', 40)
  cache.set('a', 'B', 10)
  expect([cache.get('a'), cache.bytes]).toEqual(['B', 10])
  cache.set('a', 'C', 51)
  expect([cache.get('a'), cache.bytes]).toEqual([undefined, 0])
})

it('forgets a value when its time is over, and those it is told to', () => {
  const clock = standingClock()
  const cache = byteCache<string>(100, clock)
  cache.set('a', 'A', 10, clock() + 5)
  cache.set('b1', 'B', 10)
  cache.set('c', 'C', 10)
  clock.pass(5)
  cache.forget((key) => key.startsWith('b'))
  expect([cache.get('a'), cache.get('b1'), cache.get('c'), cache.bytes]).toEqual([
    undefined,
    undefined,
    'C',
    10,
  ])
})
