import type { HangingPane, HangingProtocol } from '#shared/contract/hanging-protocols.ts'
import type { Board, HangableView, HangingSeries, Pane, PaneStart } from './board.ts'
import { counterpart } from './board.ts'
import { regionsOf, wordsOf } from './body-regions.ts'
import type { ComparedStudy } from './prior-relevance.ts'

/** What a hanging protocol is chosen by. */
export interface HangingFacts {
  readonly study: ComparedStudy
  /** A comparable prior study is known, whether its images are here or not. */
  readonly hasPrior: boolean
  readonly series: readonly HangingSeries[]
}

/** How a study is hung when it opens. */
export interface Hanging {
  readonly board: Board
  /** Key of the series to show in three planes; null: the board. */
  readonly planesOf: string | null
  /** Whether panes are kept for the images of a prior study. */
  readonly usesPrior: boolean
}

const HELD_PANE: Pane = { seriesKey: null, filling: 'held', name: '' }
const PRIOR_PANE: Pane = { seriesKey: null, filling: 'prior', name: '' }

const isReadable = ({ isLocalizer, images }: HangingSeries) => !isLocalizer && images > 0
const currentSeriesOf = (series: readonly HangingSeries[]) =>
  series.filter((one) => !one.isPrior && isReadable(one))
const priorOf = (series: readonly HangingSeries[]) =>
  series.filter((one) => one.isPrior && isReadable(one))

/** The first protocol of a person whose conditions the study meets. */
export const chosenProtocol = (
  protocols: readonly HangingProtocol[],
  facts: HangingFacts,
): HangingProtocol | undefined => protocols.find((protocol) => fits(protocol, facts))

function fits(protocol: HangingProtocol, { study, hasPrior, series }: HangingFacts): boolean {
  const count = currentSeriesOf(series).length
  if (protocol.modality !== '' && !study.modalities.includes(protocol.modality)) return false
  if (protocol.prior !== 'any' && (protocol.prior === 'with') !== hasPrior) return false
  if (count < protocol.leastSeries || count > (protocol.mostSeries ?? Number.POSITIVE_INFINITY))
    return false
  return protocol.words.length === 0 || protocol.words.some((word) => isNamed(word, study.text))
}

/** `chest` is named by `TC tórax`: by the region of the body, else by its words. */
function isNamed(word: string, text: string): boolean {
  const regions = regionsOf(text)
  const own = regionsOf(word)
  if (own.size > 0) return [...own].some((region) => regions.has(region))
  const words = wordsOf(text)
  return [...wordsOf(word)].every((one) => words.has(one))
}

/** Hangs the series of a study as a person has saved it. */
export function applyHangingProtocol(
  protocol: HangingProtocol,
  { series }: Pick<HangingFacts, 'series'>,
): Hanging {
  const used = new Set<string>()
  const panes = Array.from({ length: protocol.rows * protocol.columns }, (_, at) =>
    paneFor(protocol.panes[at] ?? null, series, used),
  )
  const first = currentSeriesOf(series)[0]
  return {
    board: boardWith(protocol.rows, protocol.columns, panes),
    planesOf: protocol.isPlanes ? (first?.seriesKey ?? null) : null,
    usesPrior: protocol.panes.some((pane) => pane?.from === 'prior'),
  }
}

function paneFor(wanted: HangingPane, series: readonly HangingSeries[], used: Set<string>): Pane {
  if (!wanted) return HELD_PANE
  const all = (wanted.from === 'prior' ? priorOf(series) : currentSeriesOf(series)).filter(
    ({ modality }) => wanted.modality === '' || modality === wanted.modality,
  )
  const take = (one: HangingSeries, view?: HangableView): Pane => {
    used.add(viewKeyOf(one, view))
    return { ...HELD_PANE, seriesKey: one.seriesKey, ...(view && { start: startOf(one, view) }) }
  }
  if (wanted.viewPosition !== '') {
    for (const one of all) {
      const view = one.views?.find(
        (view) =>
          view.viewPosition === wanted.viewPosition &&
          (wanted.laterality === '' || view.laterality === wanted.laterality) &&
          !used.has(viewKeyOf(one, view)),
      )
      if (view) return take(one, view)
    }
    return wanted.from === 'prior' ? PRIOR_PANE : HELD_PANE
  }
  const left = all.filter((one) => !used.has(viewKeyOf(one)))
  const similar = mostSimilar(wanted.description, left)
  const seriesAtPosition = all[wanted.position]
  const found =
    similar ??
    (seriesAtPosition && !used.has(viewKeyOf(seriesAtPosition)) ? seriesAtPosition : undefined) ??
    left[0]
  return found ? take(found) : wanted.from === 'prior' ? PRIOR_PANE : HELD_PANE
}

const viewKeyOf = ({ seriesKey }: HangingSeries, view?: HangableView) =>
  view ? `${seriesKey} ${view.index}` : seriesKey

/** The words of a description without numbers and units, which many series share. */
const namesIn = (description: string) =>
  new Set([...wordsOf(description)].filter((word) => !/^[\d.]*(?:mm)?$/.test(word)))

/** The series of that description, else the one that shares the most words with it. */
function mostSimilar(
  description: string,
  series: readonly HangingSeries[],
): HangingSeries | undefined {
  const words = namesIn(description)
  const score = (one: HangingSeries) => {
    if (one.description.trim().toLowerCase() === description.trim().toLowerCase()) return 1000
    return [...namesIn(one.description)].filter((word) => words.has(word)).length
  }
  const [best] = series.toSorted((one, other) => score(other) - score(one))
  return best && score(best) > 0 ? best : undefined
}

/**
 * How a study is hung without a protocol of the person: by the habits of its modality. Undefined
 * where one pane is right.
 */
export function builtInHanging({ study, hasPrior, series }: HangingFacts): Hanging | undefined {
  const current = currentSeriesOf(series)
  const prior = priorOf(series)
  const has = (...modalities: string[]) =>
    modalities.some((modality) => study.modalities.includes(modality))
  if (has('MG')) return mammographyHanging(current, prior, hasPrior)
  if (has('CR', 'DX', 'RG')) return projectionHanging(current, prior, hasPrior)
  if (has('US')) return ultrasoundHanging(current)
  if (has('MR')) {
    return hasPrior
      ? sideBySideHanging(sortedBySequence(current)[0], prior)
      : gridOf(sortedBySequence(current).map((one) => ({ ...HELD_PANE, seriesKey: one.seriesKey })))
  }
  return hasPrior ? sideBySideHanging(current[0], prior) : undefined
}

/** Current left, its counterpart of the prior study right. */
function sideBySideHanging(
  current: HangingSeries | undefined,
  prior: readonly HangingSeries[],
): Hanging | undefined {
  if (!current) return undefined
  const other = counterpart(current, prior)
  const panes = [
    { ...HELD_PANE, seriesKey: current.seriesKey },
    other ? { ...HELD_PANE, seriesKey: other.seriesKey } : PRIOR_PANE,
  ]
  return { board: boardWith(1, 2, panes), planesOf: null, usesPrior: true }
}

/** Up to four panes in a square; undefined of one. */
function gridOf(panes: readonly Pane[]): Hanging | undefined {
  if (panes.length < 2) return undefined
  const rows = panes.length > 3 ? 2 : 1
  const columns = panes.length > 3 ? 2 : panes.length
  return { board: boardWith(rows, columns, panes), planesOf: null, usesPrior: false }
}

/** Right on the left, so that the chest walls meet in the middle; CC above MLO. */
const MAMMOGRAMS = [
  ['R', 'CC'],
  ['L', 'CC'],
  ['R', 'MLO'],
  ['L', 'MLO'],
] as const

function mammographyHanging(
  current: readonly HangingSeries[],
  prior: readonly HangingSeries[],
  hasPrior: boolean,
): Hanging | undefined {
  const wanted = MAMMOGRAMS.filter(([side, view]) => viewOf(current, side, view))
  if (wanted.length < 2) return projectionHanging(current, prior, hasPrior)
  const shown = wanted.length === 2 ? wanted : MAMMOGRAMS
  const row = (series: readonly HangingSeries[], empty: Pane) =>
    shown.map(([side, view]) => viewOf(series, side, view) ?? empty)
  if (!hasPrior) {
    const panes = row(current, HELD_PANE)
    return {
      board: boardWith(shown.length / 2, 2, panes),
      planesOf: null,
      usesPrior: false,
    }
  }
  const panes = [
    ...row(current, HELD_PANE),
    ...row(prior, prior.length > 0 ? HELD_PANE : PRIOR_PANE),
  ]
  return { board: boardWith(2, shown.length, panes), planesOf: null, usesPrior: true }
}

function viewOf(
  series: readonly HangingSeries[],
  side: string,
  position: string,
): Pane | undefined {
  for (const one of series) {
    const view = one.views?.find(
      ({ laterality, viewPosition }) => laterality === side && viewPosition === position,
    )
    if (view) return { ...HELD_PANE, seriesKey: one.seriesKey, start: startOf(one, view) }
  }
  return undefined
}

/**
 * A mammogram lies with the chest wall to the middle of the screen: that of the right breast at its
 * right edge, where its rows run to the back of the patient (PS3.3 C.7.6.1.1.1).
 */
function startOf(
  { modality }: HangingSeries,
  { index, laterality, rowDirection }: HangableView,
): PaneStart {
  const wanted = modality === 'MG' ? { R: 'P', L: 'A' }[laterality] : undefined
  const isMirrored =
    wanted !== undefined &&
    (rowDirection.startsWith('A') || rowDirection.startsWith('P')) &&
    !rowDirection.startsWith(wanted)
  return { index, isMirrored }
}

/** Frontal views before lateral ones; the current study above or left of the prior one. */
function projectionHanging(
  current: readonly HangingSeries[],
  prior: readonly HangingSeries[],
  hasPrior: boolean,
): Hanging | undefined {
  const panes = projectionPanes(current)
  if (!hasPrior) return gridOf(panes)
  if (panes.length === 0) return undefined
  const own = panes.slice(0, 2)
  const others = projectionPanes(prior).slice(0, own.length)
  const beside = own.map((_, at) => others[at] ?? (others.length === 0 ? PRIOR_PANE : HELD_PANE))
  const board =
    own.length === 1 ? boardWith(1, 2, [...own, ...beside]) : boardWith(2, 2, [...own, ...beside])
  return { board, planesOf: null, usesPrior: true }
}

const LATERAL_VIEW = /^(?:LL|RL|LAT|LATERAL|LLD|RLD)$/
const projectionPanes = (series: readonly HangingSeries[]): readonly Pane[] =>
  series
    .flatMap((one) => (one.views ?? []).map((view) => ({ one, view })))
    .sort(
      (a, b) =>
        Number(LATERAL_VIEW.test(a.view.viewPosition)) -
        Number(LATERAL_VIEW.test(b.view.viewPosition)),
    )
    .map(({ one, view }) => ({ ...HELD_PANE, seriesKey: one.seriesKey, start: startOf(one, view) }))

/** Loops have a pane each, and so has each of the first single images. */
function ultrasoundHanging(current: readonly HangingSeries[]): Hanging | undefined {
  const panes = current.flatMap((one): Pane[] =>
    one.isLoop
      ? [{ ...HELD_PANE, seriesKey: one.seriesKey }]
      : Array.from({ length: Math.min(one.images, 4) }, (_, index) => ({
          ...{ ...HELD_PANE, seriesKey: one.seriesKey },
          start: { index, isMirrored: false },
        })),
  )
  return gridOf(panes.slice(0, 4))
}

/** Kinds of MR sequences in the order in which they are read. */
const SEQUENCES: readonly RegExp[] = [
  /\bt1\b(?!.*(?:\bgd\b|\bgad|post|\+ ?c|\bc\+|\bkm\b|contrast))/i,
  /\bt2\b(?!.*(?:flair|stir|\*))/i,
  /flair|stir|tirm|\bpd\b/i,
  /dwi|diff|\badc\b|trace/i,
  /\bgd\b|\bgad|post|\+ ?c|\bc\+|\bkm\b|contrast/i,
]

/** One series of each sequence first, then the others, each in the order of the list. */
function sortedBySequence(current: readonly HangingSeries[]): readonly HangingSeries[] {
  const first = SEQUENCES.flatMap(
    (sequence) => current.find(({ description }) => sequence.test(description)) ?? [],
  )
  return [...new Set([...first, ...current])]
}

function boardWith(rows: number, columns: number, panes: readonly Pane[]): Board {
  const all = Array.from({ length: rows * columns }, (_, at) => panes[at] ?? HELD_PANE)
  const active = all.findIndex(({ seriesKey }) => seriesKey !== null)
  return { rows, columns, panes: all, active: Math.max(0, active), alone: null }
}

/**
 * The panes of a board as a protocol keeps them: by what sets their series apart, not by UIDs.
 * @param indexOf the image that a pane shows, from 0
 */
export const savedPanes = (
  { panes }: Board,
  series: readonly HangingSeries[],
  indexOf: (at: number) => number,
): readonly HangingPane[] =>
  panes.map(({ seriesKey, filling }, at): HangingPane => {
    const one = series.find((one) => one.seriesKey === seriesKey)
    if (!one) return filling === 'prior' ? { ...ANY_PRIOR } : null
    const of = one.isPrior ? priorOf(series) : currentSeriesOf(series)
    const view = one.views?.find(({ index }) => index === indexOf(at))
    return {
      from: one.isPrior ? 'prior' : 'current',
      modality: one.modality.slice(0, 16),
      description: one.description.slice(0, 64),
      viewPosition: view?.viewPosition.slice(0, 16) ?? '',
      laterality: view?.laterality.slice(0, 1) ?? '',
      position: Math.max(
        0,
        of.findIndex((other) => other.seriesKey === seriesKey),
      ),
    }
  })

const ANY_PRIOR: NonNullable<HangingPane> = {
  ...{ from: 'prior', modality: '', description: '' },
  ...{ viewPosition: '', laterality: '', position: 0 },
}

/** Whether two boards have the same series at the same places. */
export const isSameHanging = (one: Board, other: Board): boolean =>
  one.rows === other.rows &&
  one.columns === other.columns &&
  one.panes.every(({ seriesKey, start }, at) => {
    const pane = other.panes[at]
    return pane?.seriesKey === seriesKey && pane.start?.index === start?.index
  })
