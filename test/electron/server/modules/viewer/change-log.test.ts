import { describe, expect, it } from 'vitest'
import { changeLog } from '#server/modules/viewer/change-log.ts'

describe('a log of changes', () => {
  it('gives each key once as it is now, and then what changed since', () => {
    const log = changeLog<string>()
    log.put('a', 'a1')
    log.put('b', 'b1')
    log.put('a', 'a2')
    const first = log.since(0, 10)
    expect(first.values).toEqual(['b1', 'a2'])
    expect(log.since(first.version, 10).values).toEqual([])
    log.put('b', 'b2')
    log.put('c', 'c1')
    log.remove('c')
    expect(log.since(first.version, 10).values).toEqual(['b2'])
  })

  it('gives no more at once than asked for, and forgets what was replaced', () => {
    const log = changeLog<number>()
    for (let round = 0; round < 50; round++)
      for (let key = 0; key < 100; key++) log.put(String(key), round)
    const seen: number[] = []
    for (let version = 0; ; ) {
      const part = log.since(version, 7)
      if (part.values.length === 0) break
      expect(part.values.length).toBeLessThanOrEqual(7)
      seen.push(...part.values)
      version = part.version
    }
    expect(seen).toEqual(Array(100).fill(49))
  })
})
