import { describe, expect, it } from 'vitest'
import {
  activated,
  aloneToggled,
  boardOf,
  counterpart,
  filledBoard,
  type HangingSeries,
  hung,
  withLayout,
  withPaneStepped,
  withPriorBeside,
  withSeriesStepped,
} from '../../../renderer/src/viewer/board.ts'

const series = (
  seriesKey: string,
  description: string,
  more: Partial<HangingSeries> = {},
): HangingSeries => ({
  ...{
    seriesKey,
    studyUid: '1',
    description,
    modality: 'CT',
    isPrior: false,
    images: 10,
    isLocalizer: false,
  },
  ...more,
})
const AXIAL = series('a', 'Axial 5 mm')
const LUNG = series('b', 'Lung 1 mm')
const SCOUT = series('c', 'Scout')
const ALL = [AXIAL, LUNG, SCOUT]
const keys = (board: { panes: readonly { seriesKey: string | null }[] }) =>
  board.panes.map(({ seriesKey }) => seriesKey)

describe('a hanging protocol', () => {
  const protocol = {
    layout: '2x2' as const,
    viewportAssignments: ['Lung 1 mm', null, ' axial 5 MM ', 'Bone'],
  }

  it('hangs series by their description, leaves a pane empty where it says null, and waits for what has not come', () => {
    const board = filledBoard(boardOf(protocol), ALL)
    expect([board.rows, board.columns]).toEqual([2, 2])
    expect(keys(board)).toEqual(['b', null, 'a', null])
    expect(board.panes[3]).toMatchObject({ filling: 'named', name: 'Bone' })
    expect(keys(filledBoard(board, [...ALL, series('d', 'Bone')]))).toEqual(['b', null, 'a', 'd'])
  })

  it('is the same board where nothing changes, so that nothing is drawn anew', () => {
    const board = filledBoard(boardOf(protocol), ALL)
    expect(filledBoard(board, ALL)).toBe(board)
  })

  it('gives two series of one name to two panes of that name', () => {
    const twice = boardOf({ layout: '1x2', viewportAssignments: ['T2', 'T2'] })
    expect(keys(filledBoard(twice, [series('x', 'T2'), series('y', 'T2')]))).toEqual(['x', 'y'])
    expect(keys(filledBoard(twice, [series('x', 'T2')]))).toEqual(['x', null])
  })

  it('leaves panes beyond its list empty, and ignores names beyond its panes', () => {
    expect(
      keys(filledBoard(boardOf({ layout: '1x2', viewportAssignments: ['Scout'] }), ALL)),
    ).toEqual(['c', null])
    expect(
      keys(
        filledBoard(boardOf({ layout: '1x1', viewportAssignments: ['Scout', 'Lung 1 mm'] }), ALL),
      ),
    ).toEqual(['c'])
  })

  it('begins at the first pane that holds something', () => {
    expect(boardOf({ layout: '1x2', viewportAssignments: [null, 'Scout'] }).active).toBe(1)
    expect(boardOf({ layout: '1x2', viewportAssignments: [null, null] }).active).toBe(0)
  })
})

describe('a localizer', () => {
  const scout = series('s', 'Scout', { isLocalizer: true, images: 2 })

  it('is not what a view opens with, where there is anything else', () => {
    expect(keys(filledBoard(boardOf(null), [scout, AXIAL]))).toEqual(['a'])
    expect(keys(filledBoard(boardOf(null), [scout]))).toEqual(['s'])
    expect(keys(filledBoard(withLayout(boardOf(null), 1, 2), [scout, AXIAL]))).toEqual(['a', 's'])
  })

  it('makes room for what comes after it, until somebody is at its pane', () => {
    const board = filledBoard(boardOf(null), [scout])
    expect(keys(filledBoard(board, [scout, AXIAL]))).toEqual(['a'])
    expect(keys(filledBoard(activated(board, 0), [scout, AXIAL]))).toEqual(['s'])
    expect(keys(filledBoard(hung(board, 0, 's'), [scout, AXIAL]))).toEqual(['s'])
  })
})

describe('a board', () => {
  const one = filledBoard(boardOf(null), ALL)

  it('without a protocol shows the first series with images, of this study', () => {
    expect(keys(one)).toEqual(['a'])
    expect(
      keys(
        filledBoard(boardOf(null), [
          series('p', 'Old', { isPrior: true }),
          series('n', 'None', { images: 0 }),
          LUNG,
        ]),
      ),
    ).toEqual(['b'])
  })

  it('keeps what hangs in a larger layout and fills the rest; in a smaller one it keeps the active pane', () => {
    const four = filledBoard(withLayout(one, 2, 2), ALL)
    expect(keys(four)).toEqual(['a', 'b', 'c', null])
    const active = { ...four, active: 2 }
    expect(keys(withLayout(active, 1, 2))).toEqual(['a', 'c'])
    expect(withLayout(active, 1, 2).active).toBe(1)
  })

  it('follows a series whose key changed because its files corrected the manifest', () => {
    const stated = series('1.2/512 × 70000', 'Axial')
    const [most, rest] = [
      series('1.2/512 × 512', 'Axial'),
      series('1.2/256 × 256', 'Axial', { images: 2 }),
    ]
    for (const pane of [
      { filling: 'free' },
      { filling: 'named', name: 'Axial' },
      { filling: 'held' },
    ] as const) {
      const board = { ...one, panes: [{ name: '', ...pane, seriesKey: stated.seriesKey }] }
      expect(filledBoard(board, [stated])).toBe(board)
      expect(keys(filledBoard(board, [LUNG, rest, most]))).toEqual([most.seriesKey])
    }
    const gone = {
      ...one,
      panes: [{ name: '', filling: 'free' as const, seriesKey: '1.3/512 × 512' }],
    }
    expect(keys(filledBoard(gone, [LUNG]))).toEqual(['b'])
    // What a person chose stays empty rather than showing another series.
    const held = hung(one, 0, '1.3/512 × 512')
    expect(filledBoard(held, [LUNG])).toBe(held)
  })

  it('never overwrites what a person hung, nor a pane that was emptied', () => {
    const chosen = hung(withLayout(one, 1, 2), 1, 'c')
    expect(keys(filledBoard(chosen, ALL))).toEqual(['a', 'c'])
    expect(keys(filledBoard(hung(chosen, 1, null), ALL))).toEqual(['a', null])
    expect(hung(chosen, 9, 'b')).toBe(chosen)
  })

  it('goes from series to series and stops at the ends', () => {
    expect(keys(withSeriesStepped(one, ALL, 1))).toEqual(['b'])
    expect(withSeriesStepped(one, ALL, -1)).toBe(one)
    expect(keys(withSeriesStepped(boardOf(null), ALL, 1))).toEqual(['a'])
  })

  it('goes from pane to pane around, also where one is shown alone', () => {
    const two = withLayout(one, 1, 2)
    expect(withPaneStepped(two, -1).active).toBe(1)
    expect(withPaneStepped(aloneToggled(two), 1)).toMatchObject({ active: 1, alone: 1 })
    expect(aloneToggled(one).alone).toBeNull()
    expect(aloneToggled(aloneToggled(two, 1)).alone).toBeNull()
  })

  it('puts an earlier study at the right of one pane, in a free pane, else after the active one', () => {
    expect(keys(withPriorBeside(one, 'p'))).toEqual(['a', 'p'])
    expect(withPriorBeside(one, 'p').active).toBe(0)
    expect(keys(withPriorBeside(filledBoard(withLayout(one, 2, 2), ALL), 'p'))).toEqual([
      'a',
      'b',
      'c',
      'p',
    ])
    expect(keys(withPriorBeside(filledBoard(withLayout(one, 1, 3), ALL), 'p'))).toEqual([
      'a',
      'p',
      'c',
    ])
  })

  it('finds the series of an earlier study that is most alike', () => {
    const old = (key: string, description: string, more: Partial<HangingSeries> = {}) =>
      series(key, description, { isPrior: true, ...more })
    const priors = [
      old('1', 'Scout'),
      old('2', 'Axial 3 mm'),
      old('3', 'Axial 5 mm', { modality: 'MR' }),
      old('4', 'None', { images: 0 }),
    ]
    expect(counterpart(AXIAL, priors)?.seriesKey).toBe('2')
    expect(counterpart(undefined, priors)).toBeDefined()
    expect(counterpart(AXIAL, [])).toBeUndefined()
  })
})
