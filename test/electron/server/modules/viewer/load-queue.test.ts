import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { LoadQueue } from '#server/modules/viewer/load-queue.ts'

/** A queue whose files end when the test says so. */
async function queueOf(isWanted = () => true, isFast = true) {
  const begun: number[] = []
  const ends = new Map<number, () => void>()
  const load = (index: number) => {
    begun.push(index)
    return new Promise<void>((resolve) => ends.set(index, resolve))
  }
  const queue = new LoadQueue(load, isWanted, isFast ? 0 : 60_000)
  if (isFast) await pause(5)
  const end = async (index: number) => {
    ends.get(index)?.()
    await new Promise(setImmediate)
  }
  return { queue, begun, end }
}
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('the queue of files', () => {
  it('loads six at once in their order', async () => {
    const { queue, begun, end } = await queueOf()
    for (const index of upTo(10)) queue.add(index)
    expect(begun).toEqual(upTo(6))
    await end(3)
    expect(begun).toEqual(upTo(7))
  })

  it('loads two at once until the first picture is there, and what a person waits for beside them', async () => {
    const { queue, begun } = await queueOf(() => true, false)
    for (const index of upTo(10)) queue.add(index)
    expect(begun).toEqual([0, 1])
    queue.prioritize(7)
    expect(begun).toEqual([0, 1, 7])
    queue.noteFrame()
    await vi.waitFor(() => expect(begun.length).toBeGreaterThan(3))
    expect(begun).toEqual([0, 1, 7, 2, 3, 4])
  })

  it('begins two more where a person waits for them, the last wish first after that', async () => {
    const { queue, begun, end } = await queueOf()
    for (const index of upTo(40)) queue.add(index)
    for (const index of [20, 21, 22, 23]) queue.prioritize(index)
    expect(begun.slice(6)).toEqual([20, 21])
    await end(0)
    expect(begun.slice(8)).toEqual([23])
    await end(1)
    expect(begun.slice(9)).toEqual([22])
  })

  it('forgets a wish that was taken back, unless another has it too', async () => {
    const { queue, begun, end } = await queueOf()
    for (const index of upTo(40)) queue.add(index)
    for (const index of [30, 31]) queue.prioritize(index)
    const [first, second, other] = [
      queue.prioritize(20),
      queue.prioritize(21),
      queue.prioritize(21),
    ]
    first()
    second()
    await end(0)
    expect(begun.at(-1)).toBe(21)
    other()
    await end(1)
    await end(2)
    await end(3)
    expect(begun.slice(9)).toEqual([6])
  })

  it('keeps a wish that came after a loading whose own wish is taken back late', async () => {
    const { queue, begun, end } = await queueOf()
    const early = queue.prioritize(0)
    await end(0)
    for (const index of upTo(8)) queue.prioritize(10 + index)
    queue.prioritize(0)
    early()
    await end(10)
    expect(begun.at(-1)).toBe(0)
  })

  it('loads what is urgent alone while nobody listens, and goes on when somebody does', async () => {
    let isWanted = false
    const { queue, begun } = await queueOf(() => isWanted)
    for (const index of upTo(5)) queue.add(index)
    queue.prioritize(4)
    expect(begun).toEqual([4])
    isWanted = true
    queue.run()
    expect(begun).toEqual([4, 0, 1, 2, 3])
  })

  it('loads a file again that is needed again', async () => {
    const { queue, begun, end } = await queueOf()
    queue.add(0)
    await end(0)
    queue.prioritize(0)
    expect(begun).toEqual([0, 0])
  })
})
