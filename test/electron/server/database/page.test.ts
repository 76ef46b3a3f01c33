import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pageOf, readNumericCursor } from '#server/database/page.ts'
import { ApiError } from '#shared/errors.ts'
import { runs } from '../../../support/property-runs.ts'

/** A list read as a noun reads it: newest first, one row more than asked for. */
function read(ids: readonly number[], limit: number, cursor?: string) {
  const before = readNumericCursor(cursor)
  const rows = ids.filter((id) => before === undefined || id < before).slice(0, limit + 1)
  return pageOf(rows, limit, (id) => id)
}

describe('pages', () => {
  it('give every row once, in order, and a cursor exactly when there is more', () => {
    const lists = fc
      .uniqueArray(fc.maxSafeInteger(), { maxLength: 60 })
      .map((ids) => ids.sort((a, b) => b - a))
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 20 }), (ids, limit) => {
        const all: number[] = []
        let cursor: string | undefined
        for (let pages = 0; pages <= ids.length; pages++) {
          const page = read(ids, limit, cursor)
          expect(page.items.length).toBeLessThanOrEqual(limit)
          expect('cursor' in page).toBe(page.hasMore)
          all.push(...page.items)
          cursor = page.cursor
          if (!page.hasMore) break
          expect(page.items.length).toBe(limit)
        }
        expect(all).toEqual(ids)
      }),
      runs(100),
    )
  })

  it('have no cursor when exactly as many rows are there as asked for', () => {
    expect(read([3, 2, 1], 3)).toEqual({ items: [3, 2, 1], hasMore: false })
    expect(read([], 3)).toEqual({ items: [], hasMore: false })
    expect(read([3, 2, 1], 2)).toEqual({ items: [3, 2], hasMore: true, cursor: 'Mg' })
  })

  it('refuse what was never a cursor of theirs, naming it', () => {
    const bad = [
      '',
      '%',
      'x',
      'Mg==',
      ' Mg',
      btoa('"2"'),
      btoa('1.5').replaceAll('=', ''),
      btoa('{}'),
      btoa('1e99'),
      'M'.repeat(400),
    ]
    for (const cursor of bad) {
      let thrown: unknown
      try {
        readNumericCursor(cursor)
      } catch (error) {
        thrown = error
      }
      expect(thrown, cursor).toBeInstanceOf(ApiError)
      expect(thrown).toMatchObject({ code: 'malformed', errors: [{ path: 'query.cursor' }] })
    }
  })

  it('read any text without another error than that', () => {
    fc.assert(
      fc.property(fc.string(), (cursor) => {
        try {
          expect(Number.isSafeInteger(readNumericCursor(cursor))).toBe(true)
        } catch (error) {
          expect(error).toMatchObject({ code: 'malformed' })
        }
      }),
      runs(100),
    )
  })
})
