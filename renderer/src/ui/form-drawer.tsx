import { Drawer, type DrawerProps } from '@mantine/core'
import { useEffect, useState } from 'react'

/**
 * A drawer with a form: once something was typed it goes by a button, never by Escape or a click
 * beside it.
 */
export function FormDrawer(props: DrawerProps) {
  const [isTouched, setIsTouched] = useState(false)
  useEffect(() => {
    if (!props.opened) setIsTouched(false)
  }, [props.opened])
  return (
    <Drawer
      {...props}
      closeOnEscape={!isTouched}
      closeOnClickOutside={!isTouched}
      onInput={() => setIsTouched(true)}
    />
  )
}
