import { describe, expect, it } from 'vitest'
import { createDataSetStream, DataSetCutOff } from '#gateway/dimse/data-set-stream.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('a data set that is arriving', () => {
  it('gives at each turn all that has come, and ends with the data set', async () => {
    const stream = createDataSetStream(() => {})
    const turns: string[][] = []
    const reading = (async () => {
      for await (const fragments of stream.fragments) turns.push(fragments.map((fragment) => fragment.toString()))
    })()
    await settled()
    stream.push(Buffer.from('a'))
    stream.push(Buffer.from('b'))
    await settled()
    stream.push(Buffer.from('c'))
    stream.end()
    await reading
    expect(turns).toEqual([['a', 'b'], ['c']])
  })

  it('counts what waits, and tells when the service has taken it', async () => {
    let eased = 0
    const stream = createDataSetStream(() => eased++)
    stream.push(Buffer.alloc(5))
    expect([stream.waitingBytes, stream.isStarved, eased]).toEqual([5, false, 0])
    const turns = stream.fragments[Symbol.asyncIterator]()
    await turns.next()
    expect([stream.waitingBytes, stream.isStarved, eased]).toEqual([0, false, 1])
    const next = turns.next()
    await settled()
    expect([stream.isStarved, eased]).toEqual([true, 2])
    stream.end()
    expect(await next).toEqual({ done: true, value: undefined })
    expect(stream.isStarved).toBe(false)
  })

  it('throws at a service whose association ends within it, also where something waits', async () => {
    const stream = createDataSetStream(() => {})
    stream.push(Buffer.from('half'))
    stream.cutOff()
    await expect(stream.fragments[Symbol.asyncIterator]().next()).rejects.toThrow(DataSetCutOff)
    const waiting = createDataSetStream(() => {})
    const next = waiting.fragments[Symbol.asyncIterator]().next()
    await settled()
    waiting.cutOff()
    await expect(next).rejects.toThrow(DataSetCutOff)
  })

  it('drops what a service does not want, to its end', async () => {
    const stream = createDataSetStream(() => {})
    stream.push(Buffer.from('one'))
    const over = stream.discard()
    stream.push(Buffer.from('two'))
    expect([stream.waitingBytes, stream.isStarved]).toEqual([0, true])
    stream.end()
    await over
    expect(stream.isStarved).toBe(false)
  })
})
