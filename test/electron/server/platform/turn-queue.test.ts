import { describe, expect, it } from 'vitest'
import { TurnQueue } from '#server/platform/turn-queue.ts'

const never = new AbortController().signal

describe('TurnQueue', () => {
  it('lets as many work as it may, the others in the order in which they came', async () => {
    const queue = new TurnQueue(2)
    const order: number[] = []
    const turns = [1, 2, 3, 4].map(async (number) => {
      const turn = await queue.take(never)
      order.push(number)
      return turn
    })
    const [first, second] = await Promise.all(turns.slice(0, 2))
    expect(order).toEqual([1, 2])
    second?.[Symbol.dispose]()
    const third = await turns[2]
    expect(order).toEqual([1, 2, 3])
    first?.[Symbol.dispose]()
    third?.[Symbol.dispose]()
    const fourth = await turns[3]
    fourth?.[Symbol.dispose]()
    expect(order).toEqual([1, 2, 3, 4])
    expect(await queue.take(never)).toBeDefined()
  })

  it('no longer keeps a place for a caller that was aborted', async () => {
    const queue = new TurnQueue(1)
    const turn = await queue.take(never)
    const gone = new AbortController()
    const waiting = queue.take(gone.signal)
    const next = queue.take(never)
    gone.abort()
    expect(await waiting).toBeUndefined()
    turn?.[Symbol.dispose]()
    expect(await next).toBeDefined()
    expect(await queue.take(AbortSignal.abort())).toBeUndefined()
  })
})
