import { useSyncExternalStore } from 'react'
import { t } from '../../i18n/t.ts'
import { useShortcuts } from '../../ui/shortcuts.ts'
import { showInstance } from '../show-instance.ts'
import { useImages, useViewerContext, useViewerState } from '../viewer-context.ts'
import { activePaneId } from '../viewer-store.ts'
import { type KeyImagesState, keyAfter, keyStackOf } from './key-images.ts'

export function useKeyImages(): KeyImagesState {
  const { keyImages } = useViewerContext()
  return useSyncExternalStore(keyImages.subscribe, keyImages.state)
}

/** Shows the next or the previous key image of the chosen selection. */
export function useKeySteps(): (step: number) => void {
  const viewerContext = useViewerContext()
  const images = useImages()
  const keys = useKeyImages()
  const of = useViewerState((state) => state.keySelection)
  return (step) => {
    // Read here, since the whole screen uses this: it must not be rendered for each image.
    const { image } = viewerContext.engine
      .pane(activePaneId(viewerContext.viewerStore.state()))
      .state()
    const next = keyAfter(keyStackOf(images, keys, of), image?.imageId, step)
    if (next) showInstance(viewerContext, next.sopInstanceUid, next.frame)
  }
}

/** Registers the keys that go through the key images. */
export function useKeyImageKeys(): void {
  const step = useKeySteps()
  useShortcuts(t('ui.viewer.sheet.groups.images'), [
    { keys: '.', name: t('ui.viewer.keyObjects.next'), run: () => step(1) },
    { keys: ',', name: t('ui.viewer.keyObjects.previous'), run: () => step(-1) },
  ])
}
