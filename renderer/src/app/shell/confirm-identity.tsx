import { lazy, Suspense, useSyncExternalStore } from 'react'
import { isConfirmationWanted, onConfirmation } from '../../api/identity-confirmation.ts'
import type { Session } from '../../api/session.ts'

const ConfirmDialog = lazy(async () => ({
  default: (await import('./confirm-dialog.tsx')).ConfirmDialog,
}))

/** Asks who is there where the gateway wants it for a call; the call is made again afterwards. */
export function ConfirmIdentity({ session }: { session: Session }) {
  const isWanted = useSyncExternalStore(onConfirmation, isConfirmationWanted)
  return isWanted ? (
    <Suspense>
      <ConfirmDialog session={session} />
    </Suspense>
  ) : null
}
