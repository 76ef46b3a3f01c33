import { Menu, type MenuProps } from '@mantine/core'
import { useState } from 'react'

/**
 * A menu of the tool bar. Opened by key, it gives the focus back to its button; by mouse, the keys
 * stay with the images.
 */
export function BarMenu(props: Pick<MenuProps, 'children' | 'position'>) {
  const [isByKey, setIsByKey] = useState(false)
  return (
    <Menu
      position="bottom-start"
      withInitialFocusPlaceholder={false}
      returnFocus={isByKey}
      onOpen={() => setIsByKey(document.activeElement?.closest('[role="toolbar"]') != null)}
      {...props}
    />
  )
}
