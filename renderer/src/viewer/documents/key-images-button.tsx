import { IconStar } from '@tabler/icons-react'
import { t } from '../../i18n/t.ts'
import { useBench, useDesk } from '../desk-context.ts'
import { ToolButton } from '../tool-button.tsx'
import { useKeyImages } from './use-key-images.ts'

/** Opens the key images; absent where the view has none. */
export function KeyImagesButton() {
  const { desk } = useBench()
  const { selections } = useKeyImages()
  const isOn = useDesk((state) => state.drawer === 'keyImages')
  if (selections.length === 0) return null
  return (
    <ToolButton
      icon={IconStar}
      label={t('ui.viewer.keyImages.title')}
      isOn={isOn}
      onClick={() => desk.set({ drawer: isOn ? null : 'keyImages', keySelection: null })}
    />
  )
}
