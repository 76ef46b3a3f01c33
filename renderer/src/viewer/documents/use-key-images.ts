import { useSyncExternalStore } from 'react'
import { t } from '../../i18n/t.ts'
import { useShortcuts } from '../../ui/shortcuts.ts'
import { useActivePaneId, useBench, useDesk, useImages, usePaneState } from '../desk-context.ts'
import { showInstance } from '../show-instance.ts'
import { type KeyImagesState, keyAfter, keyStackOf } from './key-images.ts'

export function useKeyImages(): KeyImagesState {
  const { keyImages } = useBench()
  return useSyncExternalStore(keyImages.subscribe, keyImages.state)
}

/** Shows the next or the previous key image of the chosen selection. */
export function useKeySteps(): (step: number) => void {
  const bench = useBench()
  const images = useImages()
  const keys = useKeyImages()
  const of = useDesk((state) => state.keySelection)
  const shown = usePaneState(useActivePaneId(), ({ image }) => image?.imageId)
  return (step) => {
    const next = keyAfter(keyStackOf(images, keys, of), shown, step)
    if (next) showInstance(bench, next.sopInstanceUid, next.frame)
  }
}

/** Registers the keys that go through the key images. */
export function useKeyImageKeys(): void {
  const step = useKeySteps()
  useShortcuts(t('ui.viewer.sheet.groups.images'), [
    { keys: 'j', name: t('ui.viewer.keyImages.next'), run: () => step(1) },
    { keys: 'shift+j', name: t('ui.viewer.keyImages.previous'), run: () => step(-1) },
  ])
}
