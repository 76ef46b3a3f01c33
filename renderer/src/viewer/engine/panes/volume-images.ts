import type { Types } from '@cornerstonejs/core'
import type { PaneContext } from './pane-context.ts'

/** The decoded middle image of the series that a pane shows as a volume: its window is of it. */
export function middleImageOf({ state, world }: PaneContext): Types.IImage | undefined {
  const { stack } = state().series ?? { stack: [] }
  const id = stack[stack.length >> 1]?.imageId
  return id === undefined ? undefined : world.frames.cached(id)
}
