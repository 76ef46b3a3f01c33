import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cursorCodec } from '#server/http/pagination.ts'
import { ApiError } from '#shared/errors.ts'
import { runs } from '../../../support/property-runs.ts'

const codec = cursorCodec(Buffer.alloc(32, 1))
const LIST = 'GET /v1/viewer/studies'
const refusal = expect.objectContaining({
  code: 'malformed',
  errors: [expect.objectContaining({ path: 'query.cursor' })],
})
function tried(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError)
    return error
  }
}

describe('a cursor', () => {
  it('comes back for the same list and filters, in whatever order they are and whatever the limit', () => {
    const cursor = codec.encode('1234', LIST, {
      severity: 'stat',
      assignedTo: null,
      limit: 20,
      cursor: undefined,
    })
    expect(cursor).toMatch(/^(?:[\w+/]{4})+(?:[\w+/]{2}==|[\w+/]{3}=)?$/)
    expect(
      codec.decode(cursor, LIST, {
        assignedTo: null,
        severity: 'stat',
        limit: 100,
        cursor,
        isCancelled: undefined,
      }),
    ).toBe('1234')
  })

  it('is refused with other filters, for another list, or under another key', () => {
    const cursor = codec.encode('1234', LIST, { severity: 'stat' })
    for (const filters of [
      {},
      { severity: 'high' },
      { severity: 'stat', isCancelled: false },
      { severity: null },
    ])
      expect(tried(() => codec.decode(cursor, LIST, filters))).toEqual(refusal)
    expect(
      tried(() => codec.decode(cursor, 'GET /v1/scribe/studies', { severity: 'stat' })),
    ).toEqual(refusal)
    expect(
      tried(() => cursorCodec(Buffer.alloc(32, 2)).decode(cursor, LIST, { severity: 'stat' })),
    ).toEqual(refusal)
  })

  it('survives any position, and not one changed character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.nat(),
        fc.constantFrom(...'ABYZabyz0189+/=-_'),
        (position, where, character) => {
          const cursor = codec.encode(position, LIST, {})
          expect(codec.decode(cursor, LIST, {})).toBe(position)
          expect(codec.decode(cursor.replaceAll('+', ' '), LIST, {})).toBe(position)
          const at = where % cursor.length
          const changed = cursor.slice(0, at) + character + cursor.slice(at + 1)
          if (changed !== cursor)
            expect(tried(() => codec.decode(changed, LIST, {}))).toEqual(refusal)
        },
      ),
      runs(100),
    )
  })

  it('is refused where it is no cursor at all', () => {
    for (const cursor of [
      'a',
      'eyJvZmZzZXQiOjIwfQ==',
      'AAAAAAAAAAAAAAAAAAAAAA',
      ' ',
      '%00',
      'ä',
      'A'.repeat(5000),
    ])
      expect([cursor, tried(() => codec.decode(cursor, LIST, {}))]).toEqual([cursor, refusal])
  })
})
