import { Button, type ButtonProps } from '@mantine/core'
import { IconPhoto } from '@tabler/icons-react'
import { useState } from 'react'
import { viewPaths } from '#shared/view-paths.ts'
import { closeView, openView, type StudySelector } from '../api/views.ts'
import { t } from '../i18n/t.ts'
import { watchChild } from './image-panel/child-windows.ts'
import { showRefusal } from './refused.ts'

/**
 * Opens images in a tab or window of their own, and says where that fails. Called while a click is
 * handled: the window is opened at once, since a browser opens none once the gateway has answered.
 */
export async function openImages(of: StudySelector): Promise<void> {
  const child = window.open('/viewer', '_blank')
  if (!child) return void showRefusal(t('ui.image-panel.blockedTab'))
  try {
    const { viewId } = await openView(of)
    if (child.closed) return closeView(viewId)
    child.location.replace(viewPaths.page(viewId))
    watchChild(child)
  } catch (error) {
    child.close()
    showRefusal(error instanceof Error ? error.message : String(error), t('ui.image-panel.failed'))
  }
}

/** The button for it. */
export function OpenImagesButton({
  of,
  ...rest
}: { of: StudySelector } & Pick<ButtonProps, 'size' | 'variant'>) {
  const [isOpening, setIsOpening] = useState(false)
  const open = () => {
    setIsOpening(true)
    void openImages(of).finally(() => setIsOpening(false))
  }
  return (
    <Button {...rest} leftSection={<IconPhoto size={16} />} loading={isOpening} onClick={open}>
      {t('ui.image-panel.open')}
    </Button>
  )
}
