import { dashboard } from '#shared/contract/dashboard.ts'
import { openProviderWindow } from '../../api/provider-sign-in.ts'
import { useSend } from '../../api/queries.ts'
import { useSession, useStartSession } from '../../api/session.ts'
import { hasUnsavedDrafts, saveDrafts } from '../../api/window-drafts.ts'
import { markUnlocked } from './lock.ts'
import { noteSignOut } from './sign-out-note.ts'

/** What is not saved by then is asked about. */
const SAVE_TIMEOUT_MS = 4000

/**
 * Saves what is being written, as far as it can be saved soon. Resolves with whether nothing is
 * left.
 */
export async function saveBeforeLeaving(): Promise<boolean> {
  await Promise.race([saveDrafts(), new Promise((resolve) => setTimeout(resolve, SAVE_TIMEOUT_MS))])
  return !hasUnsavedDrafts()
}

/**
 * Signs out; the sign-in form takes the place of the screen. What is not saved then stays in memory
 * until somebody else signs in.
 */
export function useSignOut(): { readonly leave: () => void; readonly isLeaving: boolean } {
  const session = useSession()
  const enter = useStartSession()
  const signOut = useSend(dashboard.signOut)
  const leave = () =>
    signOut.mutate(
      {},
      {
        onSettled: (reply, error) => {
          // Else the next person at this PC would be signed in there as this one.
          if (reply?.providerPath) openProviderWindow(reply.providerPath)
          if (!session.data || (error && error.code !== 'not-signed-in' && error.code !== 'locked'))
            return
          noteSignOut()
          enter({ ...session.data, user: null, isLocked: false })
          markUnlocked()
        },
      },
    )
  return { leave, isLeaving: signOut.isPending }
}
