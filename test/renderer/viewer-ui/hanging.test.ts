import { describe, expect, it } from 'vitest'
import type { HangingProtocol } from '#shared/contract/hanging-protocols.ts'
import type { View } from '#shared/contract/viewing.ts'
import {
  boardOf,
  filledBoard,
  type HangableView,
  type HangingSeries,
  hung,
  withLayout,
} from '../../../renderer/src/viewer/board.ts'
import {
  applyHangingProtocol,
  builtInHanging,
  chosenProtocol,
  type HangingFacts,
  savedPanes,
} from '../../../renderer/src/viewer/hanging.ts'
import { createViewerStore } from '../../../renderer/src/viewer/viewer-store.ts'

const series = (
  seriesKey: string,
  description: string,
  more: Partial<HangingSeries> = {},
): HangingSeries => ({
  ...{ seriesKey, studyUid: '1', description, modality: 'CT', isPrior: false },
  ...{ images: 10, isLocalizer: false },
  ...more,
})
const view = (laterality: string, viewPosition: string, rowDirection = ''): HangableView => ({
  ...{ index: 0, laterality, viewPosition, rowDirection },
})
const facts = (
  modality: string,
  all: readonly HangingSeries[],
  more: { readonly text?: string; readonly hasPrior?: boolean } = {},
): HangingFacts => ({
  study: { modalities: [modality], text: more.text ?? '', studyDate: '20261120' },
  hasPrior: more.hasPrior ?? false,
  series: all,
})
const protocol = (more: Partial<HangingProtocol> = {}): HangingProtocol => ({
  ...{
    protocolId: '11111111-1111-4111-8111-111111111111',
    name: 'Mine',
    modality: 'CT',
    words: [],
  },
  ...{ prior: 'any', leastSeries: 0, mostSeries: null, rows: 1, columns: 2, panes: [] },
  isPlanes: false,
  ...more,
})
const keys = (hanging: ReturnType<typeof builtInHanging>) =>
  hanging?.board.panes.map(({ seriesKey, start, filling }) =>
    seriesKey === null
      ? filling
      : start === undefined
        ? seriesKey
        : `${seriesKey} ${start.index}${start.isMirrored ? ' mirrored' : ''}`,
  )
const SCOUT = series('s', 'Scout', { isLocalizer: true })
const LUNG = series('l', 'Lung 1 mm')
const SOFT = series('a', 'Soft tissue 5 mm')
const PRIOR = series('p', 'Lung 1.25 mm', { isPrior: true })
const mammogram = (key: string, side: string, position: string, row: string, isPrior = false) =>
  series(key, `${side} ${position}`, {
    ...{ modality: 'MG', images: 1, isPrior },
    views: [view(side, position, row)],
  })

describe('a protocol of a person', () => {
  const chosen = (of: Partial<HangingProtocol>, more: Parameters<typeof facts>[2] = {}) =>
    chosenProtocol([protocol(of)], facts('CT', [SCOUT, LUNG, SOFT], more)) !== undefined

  it('is chosen by modality, by words or body part in any language, and by the number of series', () => {
    expect(chosen({})).toBe(true)
    expect(chosen({ modality: 'MR' })).toBe(false)
    expect(chosen({ modality: '' })).toBe(true)
    expect(chosen({ words: ['chest'] }, { text: 'TC TÓRAX' })).toBe(true)
    expect(chosen({ words: ['chest', 'aorta'] }, { text: 'Aorta CTA' })).toBe(true)
    expect(chosen({ words: ['chest'] }, { text: 'CT abdomen' })).toBe(false)
    // The localizer does not count.
    expect(chosen({ leastSeries: 2, mostSeries: 2 })).toBe(true)
    expect(chosen({ leastSeries: 3 })).toBe(false)
    expect(chosen({ mostSeries: 1 })).toBe(false)
  })

  it('is chosen by whether there is a prior study', () => {
    expect(chosen({ prior: 'with' })).toBe(false)
    expect(chosen({ prior: 'with' }, { hasPrior: true })).toBe(true)
    expect(chosen({ prior: 'without' }, { hasPrior: true })).toBe(false)
  })

  it('hangs the series it was saved with again, and in another study those most like them', () => {
    const board = hung(hung(withLayout(boardOf(null), 1, 2), 0, 'l'), 1, 'p')
    const panes = savedPanes(board, [SCOUT, SOFT, LUNG, PRIOR], () => 0)
    expect(panes).toMatchObject([
      { from: 'current', description: 'Lung 1 mm', position: 1 },
      { from: 'prior', description: 'Lung 1.25 mm', position: 0 },
    ])
    const saved = protocol({ panes: [...panes] })
    expect(keys(applyHangingProtocol(saved, { series: [SCOUT, SOFT, LUNG, PRIOR] }))).toEqual([
      'l',
      'p',
    ])
    const other = [series('x', 'Abdomen 5 mm'), series('y', 'LUNG 2mm')]
    expect(keys(applyHangingProtocol(saved, { series: other }))).toEqual(['y', 'prior'])
    expect(applyHangingProtocol(saved, { series: other }).usesPrior).toBe(true)
    expect(keys(applyHangingProtocol(saved, { series: [series('x', 'Nothing alike')] }))).toEqual([
      'x',
      'prior',
    ])
  })

  it('leaves a pane empty that was saved empty, and never hangs one series twice', () => {
    const pane = {
      ...{ from: 'current' as const, modality: 'CT', description: 'Lung 1 mm' },
      ...{ viewPosition: '', laterality: '', position: 0 },
    }
    const saved = protocol({ columns: 3, panes: [pane, null, pane] })
    expect(keys(applyHangingProtocol(saved, { series: [LUNG] }))).toEqual(['l', 'held', 'held'])
    expect(keys(applyHangingProtocol(saved, { series: [LUNG, SOFT] }))).toEqual(['l', 'held', 'a'])
  })

  it('shows the planes of the first series that is read', () => {
    expect(
      applyHangingProtocol(protocol({ isPlanes: true }), { series: [SCOUT, SOFT] }).planesOf,
    ).toBe('a')
  })
})

describe('without a protocol of the person', () => {
  it('a CT has one pane, and its prior study beside', () => {
    expect(builtInHanging(facts('CT', [SCOUT, LUNG]))).toBeUndefined()
    expect(keys(builtInHanging(facts('CT', [SCOUT, LUNG], { hasPrior: true })))).toEqual([
      'l',
      'prior',
    ])
    expect(keys(builtInHanging(facts('CT', [SCOUT, LUNG, PRIOR], { hasPrior: true })))).toEqual([
      'l',
      'p',
    ])
  })

  it('two radiographs hang beside each other, frontal first, each above its prior', () => {
    const lateral = series('b', 'Chest', { modality: 'DX', images: 1, views: [view('', 'LL')] })
    const frontal = series('a', 'Chest', { modality: 'DX', images: 1, views: [view('', 'PA')] })
    expect(keys(builtInHanging(facts('DX', [lateral, frontal])))).toEqual(['a 0', 'b 0'])
    const old = series('o', 'Chest', {
      ...{ modality: 'CR', images: 1, isPrior: true, views: [view('', 'AP')] },
    })
    const hanging = builtInHanging(facts('DX', [frontal, old], { hasPrior: true }))
    expect([hanging?.board.rows, keys(hanging)]).toEqual([1, ['a 0', 'o 0']])
    const both = builtInHanging(facts('DX', [lateral, frontal, old], { hasPrior: true }))
    expect([both?.board.rows, keys(both)]).toEqual([2, ['a 0', 'b 0', 'o 0', 'held']])
    expect(builtInHanging(facts('DX', [frontal]))).toBeUndefined()
  })

  it('a mammography hangs CC above MLO, the right breast left, chest walls to the middle', () => {
    const views = [
      mammogram('lm', 'L', 'MLO', 'A'),
      mammogram('rc', 'R', 'CC', 'P'),
      mammogram('lc', 'L', 'CC', 'P'),
      mammogram('rm', 'R', 'MLO', 'A'),
    ]
    const hanging = builtInHanging(facts('MG', views))
    expect(keys(hanging)).toEqual(['rc 0', 'lc 0 mirrored', 'rm 0 mirrored', 'lm 0'])
    expect([hanging?.board.rows, hanging?.board.columns]).toEqual([2, 2])
    const prior = builtInHanging(
      facts('MG', [...views, mammogram('op', 'R', 'CC', 'P', true)], { hasPrior: true }),
    )
    expect([prior?.board.rows, prior?.board.columns]).toEqual([2, 4])
    expect(keys(prior)?.slice(4)).toEqual(['op 0', 'held', 'held', 'held'])
  })

  it('an MR hangs its sequences in the order in which they are read', () => {
    const mr = (key: string, description: string) => series(key, description, { modality: 'MR' })
    const all = [
      mr('f', 'FLAIR ax'),
      mr('d', 'DWI b1000'),
      mr('c', 'T1 post Gd'),
      mr('t1', 'T1 ax'),
      mr('t2', 'T2 ax'),
    ]
    expect(keys(builtInHanging(facts('MR', all)))).toEqual(['t1', 't2', 'f', 'd'])
    expect(keys(builtInHanging(facts('MR', all.slice(0, 2))))).toEqual(['f', 'd'])
    expect(builtInHanging(facts('MR', all.slice(0, 1)))).toBeUndefined()
  })

  it('an ultrasound shows its loops and its first images in a grid', () => {
    const stills = series('i', '', { modality: 'US', images: 9 })
    const loop = series('c', '', { modality: 'US', images: 60, isLoop: true })
    expect(keys(builtInHanging(facts('US', [loop, stills])))).toEqual(['c', 'i 0', 'i 1', 'i 2'])
  })
})

describe('the desk', () => {
  const desk = () =>
    createViewerStore({ hangingProtocol: null } as View, {
      isNarrow: false,
      preferences: { get: () => null, set: () => undefined },
    })
  const hanging = applyHangingProtocol(protocol({ columns: 2, panes: [] }), { series: [] })

  it('hangs what a protocol says as it opens, and takes it back', () => {
    const one = desk()
    one.set({ board: filledBoard(one.state().board, [LUNG]) })
    const before = one.state().board
    one.hangOpening(hanging, { name: 'Mine', isOwn: true })
    expect(one.state()).toMatchObject({ board: { columns: 2 }, hungBy: { name: 'Mine' } })
    one.undoLayout()
    expect(one.state()).toMatchObject({ board: before, hungBy: null, isArranged: true })
    // What a person has taken back is not hung again.
    one.hangOpening(hanging, { name: 'Mine', isOwn: true })
    expect(one.state().board).toBe(before)
  })

  it('hangs nothing over what a person has arranged', () => {
    const one = desk()
    one.hang((board) => hung(board, 0, 'a'))
    one.hangOpening(hanging, { name: 'Mine', isOwn: true })
    expect(one.state().board.columns).toBe(1)
    one.undoLayout()
    expect(one.state().board.panes[0]?.seriesKey).toBeNull()
    one.undoLayout()
    expect(one.state().layoutHistory).toEqual([])
  })
})
