import { describe, expect, it } from 'vitest'
import { type BulkResult, runBulk } from '../../../../renderer/src/features/studies/bulk-run.ts'

const ids = ['1', '2', '3', '4', '5', '6']

describe('a change of many studies', () => {
  it('tells of each what became of it, and one that fails holds up no other', async () => {
    const told: (readonly BulkResult[])[] = []
    const make = (id: string) =>
      id === '3' ? Promise.reject(new Error('The study is signed.')) : Promise.resolve()
    const results = await runBulk(ids, make, {
      signal: new AbortController().signal,
      onResult: (now) => told.push(now),
    })
    expect(results.map(({ state }) => state)).toEqual([
      'done',
      'done',
      'failed',
      'done',
      'done',
      'done',
    ])
    expect(results[2]?.fault).toBe('The study is signed.')
    expect(told).toHaveLength(6)
    expect(told[0]?.filter(({ state }) => state === 'waiting')).toHaveLength(5)
  })

  it('makes a few at once and never more', async () => {
    let now = 0
    let most = 0
    const make = async () => {
      most = Math.max(most, ++now)
      await new Promise((resolve) => setImmediate(resolve))
      now--
    }
    await runBulk(ids, make, {
      signal: new AbortController().signal,
      concurrency: 2,
      onResult: () => undefined,
    })
    expect(most).toBe(2)
  })

  it('leaves what had not begun as it is when it is stopped', async () => {
    const stop = new AbortController()
    const make = async (id: string) => {
      if (id === '2') stop.abort()
    }
    const results = await runBulk(ids, make, {
      signal: stop.signal,
      concurrency: 1,
      onResult: () => undefined,
    })
    expect(results.map(({ state }) => state)).toEqual([
      'done',
      'done',
      'stopped',
      'stopped',
      'stopped',
      'stopped',
    ])
  })
})
