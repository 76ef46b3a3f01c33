import { describe, expect, it, vi } from 'vitest'
import { createFeed, type FeedEvent, type NewFeedLine } from '#server/live-events/feed.ts'
import { FeedLine } from '#shared/contract/dashboard.ts'
import { ApiError } from '#shared/errors.ts'
import { englishText } from '#shared/messages/english.ts'
import { verbatim } from '#shared/messages/message.ts'

const START = Date.parse('2026-11-20T09:00:00.000Z')
const line = (text: string): NewFeedLine => ({
  associationId: 'a1',
  kind: 'echo',
  tone: 'good',
  aeTitle: 'CT1',
  address: '10.0.0.7',
  text: verbatim(text),
})

describe('the feed', () => {
  it('numbers and dates each line, rising over a restart', () => {
    let now = START
    const first = createFeed({ clock: () => now })
    const a = first.append(line('a'))
    const b = first.append(line('b'))
    expect(FeedLine.parse(a)).toEqual({
      ...line('a'),
      inspectionId: null,
      studyInstanceUid: null,
      lineId: a.lineId,
      at: '2026-11-20T09:00:00.000Z',
    })
    expect(b.lineId).toBe(a.lineId + 1)
    now += 1000
    expect(createFeed({ clock: () => now }).append(line('c')).lineId).toBeGreaterThan(b.lineId)
  })

  it('keeps the last lines only', () => {
    const feed = createFeed({ clock: () => START, lines: 3 })
    for (const text of ['a', 'b', 'c', 'd', 'e']) feed.append(line(text))
    expect(feed.latest({ limit: 10 })).toMatchObject({
      items: [{ text: 'e' }, { text: 'd' }, { text: 'c' }],
      hasMore: false,
    })
  })

  it('is read newest first in pages that miss and repeat nothing, also while lines are added', () => {
    const feed = createFeed({ clock: () => START })
    for (const text of ['a', 'b', 'c', 'd', 'e']) feed.append(line(text))
    const one = feed.latest({ limit: 2 })
    feed.append(line('f'))
    const two = feed.latest({ limit: 2, cursor: one.cursor })
    const three = feed.latest({ limit: 2, cursor: two.cursor })
    expect(
      [one, two, three].map((page) => [
        page.items.map((item) => englishText(item.text)).join(''),
        page.hasMore,
        typeof page.cursor,
      ]),
    ).toEqual([
      ['ed', true, 'string'],
      ['cb', true, 'string'],
      ['a', false, 'undefined'],
    ])
  })

  it('refuses a cursor that is not its own', () => {
    const feed = createFeed({ clock: () => START })
    expect(() => feed.latest({ limit: 2, cursor: 'nonsense' })).toThrow(ApiError)
  })

  it('gives a returning window the lines it has missed, oldest first', () => {
    const feed = createFeed({ clock: () => START })
    const a = feed.append(line('a'))
    feed.append(line('b'))
    feed.append(line('c'))
    expect(feed.after(a.lineId).map((item) => item.text)).toEqual(['b', 'c'])
    expect(feed.after(0)).toHaveLength(3)
  })

  it('tells its subscribers each line at once, and nothing after they left', () => {
    const feed = createFeed({ clock: () => START })
    const news: FeedEvent[] = []
    const leave = feed.subscribe((item) => news.push(item))
    const a = feed.append(line('a'))
    leave()
    feed.append(line('b'))
    expect(news).toEqual([{ kind: 'line', line: a }])
  })

  it('sends one event for many changes of one kind within a second', () => {
    vi.useFakeTimers()
    try {
      const feed = createFeed({ clock: () => START })
      const events: FeedEvent[] = []
      feed.subscribe((event) => events.push(event))
      for (let change = 0; change < 1000; change += 1) {
        feed.noteImages()
        feed.noteStatus()
        feed.noteStudies()
        feed.noteChange('audit')
      }
      vi.advanceTimersByTime(1000)
      const kinds = ['images', 'status', 'studies', 'audit']
      expect(events).toEqual(kinds.map((kind) => ({ kind })))
      feed.noteImages()
      vi.advanceTimersByTime(1000)
      expect(events.slice(kinds.length)).toEqual([{ kind: 'images' }])
    } finally {
      vi.useRealTimers()
    }
  })

  it('keeps the query or the study that a line is about', () => {
    const feed = createFeed({ clock: () => START })
    const about = { inspectionId: 7, studyInstanceUid: '1.2.3' }
    expect(feed.append({ ...line('a'), ...about })).toMatchObject(about)
  })
})
