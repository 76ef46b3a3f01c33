import { IconStar } from '@tabler/icons-react'
import { t } from '../../i18n/t.ts'
import { ToolButton } from '../tool-button.tsx'
import { useViewerContext, useViewerState } from '../viewer-context.ts'
import { useKeyImages } from './use-key-images.ts'

/** Opens the key images; absent where the view has none. */
export function KeyImagesButton() {
  const { viewerStore } = useViewerContext()
  const { selections } = useKeyImages()
  const isOn = useViewerState((state) => state.drawer === 'keyImages')
  if (selections.length === 0) return null
  return (
    <ToolButton
      icon={IconStar}
      label={t('ui.viewer.keyObjects.title')}
      isOn={isOn}
      onClick={() => viewerStore.set({ drawer: isOn ? null : 'keyImages', keySelection: null })}
    />
  )
}
