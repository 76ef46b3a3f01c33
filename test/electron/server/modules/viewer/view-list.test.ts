import { describe, expect, it } from 'vitest'
import { ChangeLog, ChangeNotifier, ViewList } from '#server/modules/viewer/view-list.ts'
import type { ViewLine } from '#shared/contract/viewed-images.ts'
import { knownInstance } from './known-instance.ts'

describe('the list of a view', () => {
  it('leaves out an image whose frames would be too many, and says so', async () => {
    const list = new ViewList(10)
    const { instance } = knownInstance('1.2')
    list.putInstance({ ...instance, sopInstanceUid: '1.2.1', frames: 6 })
    list.putInstance({ ...instance, sopInstanceUid: '1.2.2', frames: 5 })
    list.putInstance({ ...instance, sopInstanceUid: '1.2.1', frames: 10 })
    expect(list.size).toBe(10)
    const lines: ViewLine[] = []
    for await (const line of list.lines(
      () => ({ state: 'done', read: 2, files: 2 }),
      new AbortController().signal,
    ))
      lines.push(line)
    const listed = lines.flatMap((line) => (line.line === 'instances' ? line.instances : []))
    expect(listed.map(({ sopInstanceUid, frames }) => [sopInstanceUid, frames])).toEqual([
      ['1.2.1', 10],
    ])
    const [fault] = lines.flatMap((line) => (line.line === 'faults' ? line.faults : []))
    expect(fault).toMatchObject({
      sopInstanceUid: '1.2.2',
      sentence:
        'With this image the view would have more than 10 frames, so the image is left out.',
    })
  })
})

describe('a log of changes', () => {
  it('gives each key once as it is now, and then what changed since', () => {
    const log = new ChangeLog<string>(new ChangeNotifier())
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
    const log = new ChangeLog<number>(new ChangeNotifier())
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
