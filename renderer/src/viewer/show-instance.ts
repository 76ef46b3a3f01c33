import { hung } from './board.ts'
import type { CommandContext } from './commands.ts'
import type { ListState, SeriesState } from './engine/stack.ts'
import { paneIdOf } from './viewer-store.ts'

/**
 * Where an image is, among all that are known; undefined where it is in none of the series. `index`
 * is from 0.
 */
export function foundImage(
  { studies }: Pick<ListState, 'studies'>,
  sopInstanceUid: string,
  frame?: number,
): { readonly series: SeriesState; readonly index: number } | undefined {
  for (const { series: all } of studies) {
    for (const series of all) {
      const index = series.stack.findIndex(
        (image) =>
          image.sopInstanceUid === sopInstanceUid && (frame === undefined || image.frame === frame),
      )
      if (index !== -1) return { series, index }
    }
  }
  return undefined
}

/**
 * Shows an image: in the pane that has its series, else in the active one. @returns false where it
 * is not here
 */
export function showInstance(
  { viewerStore, engine, list }: CommandContext,
  sopInstanceUid: string,
  frame?: number,
): boolean {
  const found = foundImage(list.state(), sopInstanceUid, frame)
  if (!found) return false
  const { series, index } = found
  viewerStore.set({ planesOf: null })
  viewerStore.hang((board) => {
    const at = board.panes.findIndex(({ seriesKey }) => seriesKey === series.key)
    if (at === -1)
      return {
        ...hung(board, board.active, series.key),
        alone: board.alone === null ? null : board.active,
      }
    return { ...board, active: at, alone: board.alone === null ? null : at }
  })
  engine.pane(paneIdOf(viewerStore.state().board.active)).show(series, index)
  return true
}
