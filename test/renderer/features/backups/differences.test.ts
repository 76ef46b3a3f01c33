import { describe, expect, it } from 'vitest'
import { differencesOf, splitPath } from '../../../../renderer/src/features/backups/differences.ts'

describe('what a restore changes, by the numbers', () => {
  it('parts what would be lost from what would come back', () => {
    expect(
      differencesOf([
        { table: 'studies', inBackup: 40, now: 44 },
        { table: 'reports', inBackup: 12, now: 12 },
        { table: 'users', inBackup: 5, now: 3 },
      ]),
    ).toEqual({ lost: [{ table: 'studies', count: 4 }], gained: [{ table: 'users', count: 2 }] })
  })

  it('says nothing of what cannot be counted now', () => {
    expect(differencesOf([{ table: 'studies', inBackup: 40, now: null }])).toEqual({
      lost: [],
      gained: [],
    })
  })
})

describe('the folder of a backup as it is typed', () => {
  it.each([
    ['E:\\isthmus-2026-11-20-023000Z', 'E:\\', 'isthmus-2026-11-20-023000Z'],
    ['E:\\Backups\\isthmus-2026-11-20-023000Z\\', 'E:\\Backups', 'isthmus-2026-11-20-023000Z'],
    ['"C:/Back ups/isthmus-2026-11-20-023000Z"', 'C:/Back ups', 'isthmus-2026-11-20-023000Z'],
    [
      '\\\\server\\share\\isthmus-2026-11-20-023000Z',
      '\\\\server\\share',
      'isthmus-2026-11-20-023000Z',
    ],
    [' /mnt/disk/isthmus-2026-11-20-023000Z ', '/mnt/disk', 'isthmus-2026-11-20-023000Z'],
    ['/isthmus-2026-11-20-023000Z', '/', 'isthmus-2026-11-20-023000Z'],
  ])('%s', (typed, folder, name) => {
    expect(splitPath(typed)).toEqual({ folder, name })
  })

  it.each(['', '/', 'E:', 'isthmus-2026-11-20-023000Z', '../isthmus-2026-11-20-023000Z', '"'])(
    'refuses “%s”',
    (typed) => {
      expect(splitPath(typed)).toBeUndefined()
    },
  )
})
