import { describe, expect, it } from 'vitest'
import type { ViewFileRecord } from '#server/modules/viewer/view-file-queries.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const AT = '2026-11-20T09:00:00.000Z'
const file = (letter: string, differs: Partial<ViewFileRecord> = {}): ViewFileRecord => ({
  ...{
    fileKey: letter.repeat(64),
    studyInstanceUid: '1.2.3',
    file: `${letter}/${letter}.dcm`,
    bytes: 526_000,
  },
  ...{ validator: { etag: '"v1"', lastModified: null }, usedAt: AT, createdAt: AT, ...differs },
})

describe('files fetched for the viewer', () => {
  it('are found by their key, and give way to a newer one of it', () => {
    using temp = tempStore()
    const { viewFiles } = temp.store
    viewFiles.put(file('a'))
    expect(viewFiles.get('a'.repeat(64))).toEqual(file('a'))
    const newer = file('a', {
      file: 'a/other.dcm',
      bytes: 1,
      validator: { etag: null, lastModified: 'Fri, 20 Nov 2026 09:00:00 GMT' },
    })
    viewFiles.put(newer)
    expect(viewFiles.get('a'.repeat(64))).toEqual(newer)
    expect(viewFiles.files()).toEqual(['a/other.dcm'])
    expect([
      viewFiles.remove('a'.repeat(64)),
      viewFiles.remove('a'.repeat(64)),
      viewFiles.get('a'.repeat(64)),
    ]).toEqual([true, false, undefined])
  })

  it('have a size together, and make room in the order they were used', () => {
    using temp = tempStore()
    const { viewFiles } = temp.store
    expect([viewFiles.totalBytes(), viewFiles.oldest(2), viewFiles.files()]).toEqual([0, [], []])
    for (const letter of ['a', 'b', 'c']) viewFiles.put(file(letter))
    viewFiles.used('a'.repeat(64), '2026-11-20T10:00:00.000Z')
    expect(viewFiles.totalBytes()).toBe(3 * 526_000)
    expect(viewFiles.oldest(2)).toEqual([file('b'), file('c')])
    expect(viewFiles.oldest(9).at(-1)).toEqual(file('a', { usedAt: '2026-11-20T10:00:00.000Z' }))
  })

  it('are each at a place of their own', () => {
    using temp = tempStore()
    temp.store.viewFiles.put(file('a'))
    expect(() => temp.store.viewFiles.put(file('b', { file: 'a/a.dcm' }))).toThrow(
      'UNIQUE constraint failed',
    )
  })
})
