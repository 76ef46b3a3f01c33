import { describe, expect, it } from 'vitest'
import { DataSetInterruptedError, DataSetStream } from '#server/dicom/data-set/data-set-stream.ts'
import { SlicePool } from '#server/dicom/upper-layer/slice-pool.ts'

/** In slices of four bytes. */
const open = (eased = () => {}) => new DataSetStream(new SlicePool(4), 4, eased)

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('a data set that is arriving', () => {
  it('gives at each turn the slices that have come, and ends with the rest of the data set', async () => {
    const stream = open()
    const turns: string[][] = []
    const reading = (async () => {
      for await (const fragments of stream.fragments)
        turns.push(fragments.map((fragment) => fragment.toString()))
    })()
    await settled()
    const network = Buffer.from('abcdefghij')
    stream.push(network.subarray(0, 3))
    await settled()
    stream.push(network.subarray(3))
    // The network fills its buffer again.
    network.fill('x')
    await settled()
    stream.push(Buffer.from('kl'))
    stream.push(Buffer.from('m'))
    stream.end()
    await reading
    expect(turns).toEqual([
      ['abcd', 'efgh'],
      ['ijkl', 'm'],
    ])
  })

  it('counts what waits, and tells when the service has taken it', async () => {
    let eased = 0
    const stream = open(() => eased++)
    stream.push(Buffer.alloc(9))
    expect([stream.waitingBytes, stream.isStarved, eased]).toEqual([8, false, 0])
    const turns = stream.fragments[Symbol.asyncIterator]()
    await turns.next()
    expect([stream.waitingBytes, stream.isStarved, eased]).toEqual([0, false, 1])
    const next = turns.next()
    await settled()
    expect([stream.isStarved, eased]).toEqual([true, 2])
    stream.end()
    expect((await next).value).toEqual([Buffer.alloc(1)])
    expect(await turns.next()).toEqual({ done: true, value: undefined })
    expect(stream.isStarved).toBe(false)
  })

  it('throws at a service whose association ends within it, also where something waits', async () => {
    const stream = open()
    stream.push(Buffer.from('half'))
    stream.cutOff()
    await expect(stream.fragments[Symbol.asyncIterator]().next()).rejects.toThrow(
      DataSetInterruptedError,
    )
    const waiting = open()
    const next = waiting.fragments[Symbol.asyncIterator]().next()
    await settled()
    waiting.cutOff()
    await expect(next).rejects.toThrow(DataSetInterruptedError)
  })

  it('drops what a service does not want, to its end', async () => {
    const stream = open()
    stream.push(Buffer.from('one'))
    const over = stream.discard()
    stream.push(Buffer.from('two'))
    expect([stream.waitingBytes, stream.isStarved]).toEqual([0, true])
    stream.end()
    await over
    expect(stream.isStarved).toBe(false)
  })

  it('counts every byte that came, dropped ones too', async () => {
    const stream = open()
    stream.push(Buffer.from('seven..'))
    expect(stream.receivedBytes).toBe(7)
    const over = stream.discard()
    stream.push(Buffer.from('six...'))
    expect([stream.receivedBytes, stream.waitingBytes]).toEqual([13, 0])
    stream.cutOff()
    await over
  })

  it('wakes the service with whole slices only, and once', async () => {
    let eased = 0
    const stream = open(() => eased++)
    const next = stream.fragments[Symbol.asyncIterator]().next()
    await settled()
    stream.push(Buffer.from('ab'))
    await settled()
    expect([stream.isStarved, eased]).toEqual([true, 1])
    stream.push(Buffer.from('cd'))
    expect((await next).value).toEqual([Buffer.from('abcd')])
    expect([stream.isStarved, eased]).toEqual([false, 2])
  })

  it('ends as it ended first', async () => {
    const [ended, cut] = [open(), open()]
    ended.push(Buffer.from('abc'))
    ended.end()
    ended.cutOff()
    const turns = ended.fragments[Symbol.asyncIterator]()
    expect((await turns.next()).value).toEqual([Buffer.from('abc')])
    expect(await turns.next()).toEqual({ done: true, value: undefined })
    cut.push(Buffer.from('abc'))
    cut.cutOff()
    cut.end()
    await expect(cut.fragments[Symbol.asyncIterator]().next()).rejects.toThrow(
      new DataSetInterruptedError('the association ended within the data set'),
    )
    expect(new DataSetInterruptedError().name).toBe('DataSetInterrupted')
  })

  it('without a byte has no fragment, and is not starved once it has ended', async () => {
    const stream = open()
    stream.end()
    expect(stream.isStarved).toBe(false)
    expect(await stream.fragments[Symbol.asyncIterator]().next()).toEqual({
      done: true,
      value: undefined,
    })
  })

  it('that is dropped gives its slices back, and says that there is room', async () => {
    let eased = 0
    const given: Buffer[] = []
    const slices = new SlicePool(4)
    slices.give = (slice) => void given.push(slice)
    const stream = new DataSetStream(slices, 4, () => eased++)
    stream.push(Buffer.from('abcdefghij'))
    void stream.discard()
    expect([given.map(String), eased]).toEqual([['abcd', 'efgh'], 1])
    stream.end()
    expect(await stream.fragments[Symbol.asyncIterator]().next()).toEqual({
      done: true,
      value: undefined,
    })
  })
})
