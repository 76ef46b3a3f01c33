import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  openEventStream,
  type StreamMessage,
} from '../../../renderer/src/api/event-stream-source.ts'

/** The connections that were opened, as a test answers them. */
class FakeSource extends EventTarget {
  static readonly opened: FakeSource[] = []
  isClosed = false
  constructor() {
    super()
    FakeSource.opened.push(this)
  }
  close() {
    this.isClosed = true
  }
  say(event: string, data = '{}') {
    this.dispatchEvent(Object.assign(new Event(event), { data }))
  }
}
const RUTH = 'usr_1'
const open = () => FakeSource.opened.filter(({ isClosed }) => !isClosed)

beforeEach(() => {
  FakeSource.opened.length = 0
  vi.useFakeTimers()
  vi.stubGlobal('EventSource', FakeSource)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function started() {
  const heard: StreamMessage[] = []
  const stream = openEventStream((message) => heard.push(message))
  return { heard, stream, kinds: () => heard.map(({ kind }) => kind) }
}

describe('the stream of events of a browser', () => {
  it('is one, however many windows want it, and says to each of them that it is open', () => {
    const { stream, heard } = started()
    stream.want(RUTH)
    stream.want(RUTH)
    expect(open()).toHaveLength(1)
    open()[0]?.say('open')
    stream.want(RUTH)
    expect(open()).toHaveLength(1)
    const [first, second] = heard
    expect(first).toMatchObject({ kind: 'open' })
    expect(second).toEqual(first)
    open()[0]?.say('line', '{"lineId":1}')
    expect(heard.at(-1)).toEqual({ kind: 'event', event: 'line', data: '{"lineId":1}' })
    stream.close()
    expect(open()).toHaveLength(0)
  })

  it('stays closed when it breaks off, as when the session has ended, until a window wants it again', () => {
    const { stream, heard, kinds } = started()
    stream.want(RUTH)
    open()[0]?.say('open')
    open()[0]?.say('error')
    vi.advanceTimersByTime(600_000)
    expect([open().length, kinds()]).toEqual([0, ['open', 'closed']])
    stream.want(RUTH)
    open()[0]?.say('open')
    // Another stream: what was missed has to be read again.
    const streams = heard.flatMap((message) => (message.kind === 'open' ? [message.stream] : []))
    expect(new Set(streams).size).toBe(2)
    stream.close()
  })

  it('is another one for another person', () => {
    const { stream } = started()
    stream.want(RUTH)
    const [first] = open()
    stream.want('usr_2')
    expect(first?.isClosed).toBe(true)
    expect(open()).toHaveLength(1)
    stream.close()
  })

  it('is closed after a silence, as of a PC that has slept, and not while the gateway is heard', () => {
    const { stream, kinds } = started()
    stream.want(RUTH)
    open()[0]?.say('open')
    for (let beat = 0; beat < 20; beat++) {
      vi.advanceTimersByTime(15_000)
      open()[0]?.say('beat')
    }
    expect(open()).toHaveLength(1)
    vi.advanceTimersByTime(60_000)
    expect([open().length, kinds().at(-1)]).toEqual([0, 'closed'])
    stream.close()
  })
})
