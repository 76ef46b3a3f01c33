import { describe, expect, it, vi } from 'vitest'
import { createFeed, type FeedNews, type NewFeedLine } from '#server/modules/dashboard/feed.ts'
import { FeedLine } from '#shared/contract/dashboard.ts'
import { ApiError } from '#shared/errors.ts'

const START = Date.parse('2026-11-20T09:00:00.000Z')
const line = (text: string): NewFeedLine => ({
  associationId: 'a1',
  kind: 'echo',
  tone: 'good',
  aeTitle: 'CT1',
  address: '10.0.0.7',
  text,
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
        page.items.map((item) => item.text).join(''),
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
    const news: FeedNews[] = []
    const leave = feed.subscribe((item) => news.push(item))
    const a = feed.append(line('a'))
    leave()
    feed.append(line('b'))
    expect(news).toEqual([{ kind: 'line', line: a }])
  })

  it('tells of many changes of the status once', async () => {
    const feed = createFeed({ clock: () => START, statusMs: 1 })
    const news: FeedNews[] = []
    feed.subscribe((item) => news.push(item))
    for (let change = 0; change < 50; change += 1) feed.noteStatus()
    await vi.waitFor(() => expect(news).toEqual([{ kind: 'status' }]))
    feed.noteStatus()
    await vi.waitFor(() => expect(news).toHaveLength(2))
  })

  it('tells of a burst of images once, whatever is told of the status meanwhile', async () => {
    const feed = createFeed({ clock: () => START, statusMs: 1, imagesMs: 1 })
    const news: FeedNews[] = []
    feed.subscribe((item) => news.push(item))
    for (let image = 0; image < 1000; image += 1) feed.noteImages()
    feed.noteStatus()
    await vi.waitFor(() => expect(news).toEqual([{ kind: 'images' }, { kind: 'status' }]))
    feed.noteImages()
    await vi.waitFor(() => expect(news.at(-1)).toEqual({ kind: 'images' }))
    expect(news).toHaveLength(3)
  })

  it('sends one event for a burst of changed studies', async () => {
    const feed = createFeed({ clock: () => START, studiesMs: 1 })
    const news: FeedNews[] = []
    feed.subscribe((item) => news.push(item))
    for (let study = 0; study < 1000; study += 1) feed.noteStudies()
    await vi.waitFor(() => expect(news).toEqual([{ kind: 'studies' }]))
    feed.noteStudies()
    await vi.waitFor(() => expect(news).toEqual([{ kind: 'studies' }, { kind: 'studies' }]))
  })

  it('sends one event for a burst of changes that only their own screens read', async () => {
    const feed = createFeed({ clock: () => START })
    const news: FeedNews[] = []
    feed.subscribe((item) => news.push(item))
    vi.useFakeTimers()
    try {
      for (let entry = 0; entry < 1000; entry += 1) feed.noteChange('audit')
      feed.noteChange('events')
      vi.advanceTimersByTime(1000)
      expect(news).toEqual([{ kind: 'audit' }, { kind: 'events' }])
      feed.noteChange('access')
      vi.advanceTimersByTime(1000)
      expect(news.at(-1)).toEqual({ kind: 'access' })
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
