import { IconStar } from '@tabler/icons-react'
import { t } from '../../i18n/t.ts'
import { useViewerContext, useViewerState } from '../desk-context.ts'
import { ToolButton } from '../tool-button.tsx'
import { useKeyImages } from './use-key-images.ts'

/** Opens the key images; absent where the view has none. */
export function KeyImagesButton() {
  const { desk: viewerStore } = useViewerContext()
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
