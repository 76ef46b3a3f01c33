import { Drawer, type DrawerProps } from '@mantine/core'
import { useEffect, useState } from 'react'
import { DiscardDialog, LeaveGuard, useGuardedForms } from './form-guard.tsx'

/**
 * A drawer with a form that reports its changes with `useFormGuard`. Closing it by its cross, or
 * leaving the screen, asks first where something was changed; Escape and a click beside it then do
 * nothing.
 */
export function FormDrawer({ children, onClose, ...props }: DrawerProps) {
  const { isDirty, guarded } = useGuardedForms()
  const [asks, setAsks] = useState(false)
  // Typing is known at once; the form reports its changes when it was drawn again.
  const [isTouched, setTouched] = useState(false)
  useEffect(() => {
    if (!props.opened) setTouched(false)
  }, [props.opened])
  const isHeld = isDirty || isTouched
  return (
    <>
      <Drawer
        {...props}
        onClose={() => (isDirty ? setAsks(true) : onClose())}
        closeOnEscape={!isHeld}
        closeOnClickOutside={!isHeld}
        onInput={() => setTouched(true)}
        // What has the focus is not below the title, nor below the buttons at the end of the form.
        styles={{ content: { scrollPaddingBlock: '68px 76px' } }}
      >
        {guarded(children)}
      </Drawer>
      <LeaveGuard isDirty={isDirty && props.opened} />
      <DiscardDialog
        isOpen={asks}
        onKeep={() => setAsks(false)}
        onDiscard={() => {
          setAsks(false)
          onClose()
        }}
      />
    </>
  )
}
