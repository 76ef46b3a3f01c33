import { lazy, Suspense, useState } from 'react'
import type { ConfirmProps } from './confirm-modal.tsx'

// Loaded when the page has nothing else to do, or when it is first needed: no screen begins with a
// question.
export const loadConfirm = async () => ({
  default: (await import('./confirm-modal.tsx')).ConfirmModal,
})
const ConfirmModal = lazy(loadConfirm)

/** Asks before something that is not easily undone. The button says what will happen. */
export function ConfirmAction(props: ConfirmProps) {
  const [wasOpened, setWasOpened] = useState(props.isOpen)
  if (props.isOpen && !wasOpened) setWasOpened(true)
  return (
    wasOpened && (
      <Suspense fallback={null}>
        <ConfirmModal {...props} />
      </Suspense>
    )
  )
}
