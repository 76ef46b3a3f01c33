import { createContext, useContext, useSyncExternalStore } from 'react'
import type { KeyImages } from './documents/key-images.ts'
import type { DrawingsKeeper } from './drawings-keeper.ts'
import type { Engine } from './engine/engine.ts'
import type { ImageList } from './engine/images.ts'
import type { Pane, PaneState } from './engine/pane.ts'
import type { ListState } from './engine/stack.ts'
import type { ReferencingStore } from './referencing/referencing-store.ts'
import type { SegmentFrameStore } from './referencing/segment-values.ts'
import type { SegmentVolumeStore } from './referencing/segment-volumes.ts'
import type { ViewerState, ViewerStore } from './viewer-store.ts'
import { activePaneId } from './viewer-store.ts'
import type { Windows } from './windows.ts'

/** What every part of the viewer stands on. */
export interface ViewerContext {
  readonly viewerStore: ViewerStore
  readonly list: ImageList
  readonly engine: Engine
  readonly drawings: DrawingsKeeper
  readonly keyImages: KeyImages
  /** The other windows of this view. */
  readonly windows: Windows
  /** Objects that refer to images, and which of them are shown. */
  readonly referencing: ReferencingStore
  readonly segmentFrames: SegmentFrameStore
  readonly segmentVolumes: SegmentVolumeStore
  /** What drawings measure, by their id. */
  readonly measured: () => ReadonlyMap<string, readonly string[]>
}
export const ViewerReactContext = createContext<ViewerContext | null>(null)

export function useViewerContext(): ViewerContext {
  const viewerContext = useContext(ViewerReactContext)
  if (!viewerContext) throw new Error('This part stands outside of the viewer.')
  return viewerContext
}

/** A part of how the screen stands. */
export function useViewerState<T>(part: (state: ViewerState) => T): T {
  const { viewerStore } = useViewerContext()
  return useSyncExternalStore(viewerStore.subscribe, () => part(viewerStore.state()))
}

/** All that is known of the images. */
export function useImages(): ListState {
  const { list } = useViewerContext()
  return useSyncExternalStore(list.subscribe, list.state)
}

export const usePane = (paneId: string): Pane => useViewerContext().engine.pane(paneId)

/**
 * A part of what a pane shows; it must be the same value, or an object of the pane, while nothing
 * changes.
 */
export function usePaneState<T>(paneId: string, part: (state: PaneState) => T): T {
  const pane = usePane(paneId)
  return useSyncExternalStore(pane.subscribe, () => part(pane.state()))
}

export const useActivePaneId = (): string => useViewerState(activePaneId)
