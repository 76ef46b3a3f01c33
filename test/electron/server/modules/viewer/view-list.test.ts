import { describe, expect, it } from 'vitest'
import { viewList } from '#server/modules/viewer/view-list.ts'
import type { ViewLine } from '#shared/contract/viewing.ts'
import { knownInstance } from './known-instance.ts'

describe('the list of a view', () => {
  it('leaves out an image whose frames would be too many, and says so', async () => {
    const list = viewList(10)
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
      sentence: 'It would make more than 10 frames in one view, and is left out.',
    })
  })
})
