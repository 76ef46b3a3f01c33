import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openRowStore, type RowPage } from '../../../../renderer/src/ui/study-list/row-store.ts'
import { runs } from '../../../support/property-runs.ts'

interface Row {
  readonly id: string
  readonly text: string
}
const rowsOf = (...ids: readonly (number | string)[]): Row[] =>
  ids.map((id) => ({ id: String(id), text: `row ${id}` }))
const page = (ids: readonly (number | string)[], cursor?: string): RowPage<Row> => ({
  rows: rowsOf(...ids),
  cursor,
})
const open = () => openRowStore<Row>(({ id }) => id)
const ids = (store: ReturnType<typeof open>) => store.read().rows.map(({ id }) => id)

describe('rows of a long list', () => {
  it('follow one another as pages are read, each row once though it moved while its page was read', () => {
    const store = open()
    store.begin(page([1, 2, 3], 'a'), false)
    store.append(page([3, 4, 5], 'b'))
    store.append(page([6]))
    expect(ids(store)).toEqual(['1', '2', '3', '4', '5', '6'])
    expect(store.read()).toMatchObject({ hasMore: false, unseen: 0, isRead: true })
  })

  it('take what came and drop what went when the beginning is read again, and go on where they had ended', () => {
    const store = open()
    store.begin(page([1, 2, 3], 'a'), false)
    store.append(page([4, 5, 6], 'b'))
    store.begin(page(['new', 1, 3], 'x'), false)
    expect(ids(store)).toEqual(['new', '1', '3', '4', '5', '6'])
    expect(store.next()).toBe('b')
  })

  it('begin anew where so much came that nobody knows what lies between', () => {
    const store = open()
    store.begin(page([1, 2, 3], 'a'), false)
    store.append(page([4, 5, 6], 'b'))
    store.begin(page(['n1', 'n2', 'n3'], 'x'), false)
    expect(ids(store)).toEqual(['n1', 'n2', 'n3'])
    expect(store.next()).toBe('x')
  })

  it('go on after the beginning where nothing else is left', () => {
    const store = open()
    store.begin(page([1, 2, 3], 'a'), false)
    store.begin(page([2, 3, 4], 'b'), false)
    expect(ids(store)).toEqual(['2', '3', '4'])
    expect(store.next()).toBe('b')
    store.begin(page([2]), false)
    expect(ids(store)).toEqual(['2'])
    expect(store.read().hasMore).toBe(false)
    store.begin(page([]), false)
    expect(store.read()).toMatchObject({ rows: [], isRead: true })
  })

  it('stay where they are for who has scrolled down; they take their new state, and say how many wait at the top', () => {
    const store = open()
    store.begin(page([1, 2, 3], 'a'), false)
    store.append(page([4, 5]))
    store.begin(
      {
        rows: [{ id: 'new', text: 'new' }, { id: '1', text: 'changed' }, ...rowsOf(2)],
        cursor: 'x',
      },
      true,
    )
    expect(ids(store)).toEqual(['1', '2', '3', '4', '5'])
    expect(store.read()).toMatchObject({ unseen: 1 })
    expect(store.read().rows[0]?.text).toBe('changed')
    store.showNew()
    expect(ids(store)).toEqual(['new', '1', '2', '3', '4', '5'])
    expect(store.read().unseen).toBe(0)
  })

  it('are read again where somebody looks: what came, went or changed there does so here, and the rest stays', () => {
    const store = open()
    store.begin(page([1, 2, 3], 'a'), false)
    store.append(page([4, 5, 6], 'b'))
    store.append(page([7, 8], 'c'))
    expect([0, 2, 3, 5, 6, 7].map((at) => store.partWith(at))).toEqual([
      undefined,
      undefined,
      'a',
      'a',
      'b',
      'b',
    ])

    store.renewPart('a', {
      rows: [{ id: '4', text: 'changed' }, ...rowsOf('new', 6)],
      cursor: 'b2',
    })
    expect(ids(store)).toEqual(['1', '2', '3', '4', 'new', '6', '7', '8'])
    expect(store.read().rows[3]?.text).toBe('changed')
    expect(store.partWith(6)).toBe('b2')
    expect(store.next()).toBe('c')
    // Its end reaches into the next part.
    store.renewPart('a', page([4, 6, 7], 'x'))
    expect(ids(store)).toEqual(['1', '2', '3', '4', '6', '7', '8'])
    // The last part, and nothing after it any more.
    store.renewPart('a', page([4]))
    expect(ids(store)).toEqual(['1', '2', '3', '4'])
    expect(store.read().hasMore).toBe(false)
  })

  it('bring back one that moved further down when the place it moved to is read again', () => {
    const store = open()
    store.begin(page([1, 2, 3], 'a'), false)
    store.append(page([4, 5, 6], 'b'))
    store.begin(page([1, 3, 4], 'x'), false)
    expect(ids(store)).toEqual(['1', '3', '4', '5', '6'])
    store.append(page([7, 2, 8]))
    expect(ids(store)).toEqual(['1', '3', '4', '5', '6', '7', '2', '8'])
  })

  it('take only the new state where nobody knows any more what stands before the place that was read', () => {
    const store = open()
    store.begin(page([1, 2], 'a'), false)
    store.append(page([3, 4], 'b'))
    store.append(page([5, 6]))
    store.begin(page([3, 1], 'x'), false)
    expect(ids(store)).toEqual(['3', '1', '2', '4', '5', '6'])
    store.renewPart('unknown', { rows: [{ id: '4', text: 'changed' }, ...rowsOf(5)], cursor: 'y' })
    expect(ids(store)).toEqual(['3', '1', '2', '4', '5', '6'])
    expect(store.read().rows[3]?.text).toBe('changed')
  })

  it('give another array and tell whenever something changed, and renew only rows that are there', () => {
    const store = open()
    let told = 0
    const stop = store.subscribe(() => told++)
    store.begin(page([1, 2]), false)
    const before = store.read().rows
    store.renew([{ id: '2', text: 'other' }, ...rowsOf(9)])
    expect(store.read().rows).not.toBe(before)
    expect(store.read().rows.map(({ text }) => text)).toEqual(['row 1', 'other'])
    stop()
    store.renew(rowsOf(1))
    expect(told).toBe(2)
  })

  it('are those of the list, none doubled and none dropped, however pages and news come', () => {
    const size = 5
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('more', 'news', 'came', 'came', 'went'), { maxLength: 60 }),
        (steps) => {
          // Rows by a falling key, as a list newest first has them; a cursor is the key of the last
          // row.
          let listed = Array.from({ length: 23 }, (_, at) => 23 - at)
          let newest = 23
          const read = (cursor?: string): RowPage<Row> => {
            const rest = listed.filter((key) => cursor === undefined || key < Number(cursor))
            return page(
              rest.slice(0, size),
              rest.length > size ? String(rest[size - 1]) : undefined,
            )
          }
          const store = open()
          store.begin(read(), false)
          for (const step of steps) {
            const next = store.next()
            if (step === 'more' && next !== undefined) store.append(read(next))
            if (step === 'news') store.begin(read(), false)
            if (step === 'came') listed = [++newest, ...listed]
            if (step === 'went') listed = listed.filter((_, at) => at !== 2)
          }
          store.begin(read(), false)
          for (let next = store.next(); next !== undefined; next = store.next())
            store.append(read(next))
          const shown = ids(store).map(Number)
          expect(new Set(shown).size).toBe(shown.length)
          expect(shown).toEqual([...shown].sort((a, b) => b - a))
          expect(shown).toEqual(expect.arrayContaining(listed))
        },
      ),
      runs(100),
    )
  })
})
