import { dashboard } from '#shared/contract/dashboard.ts'
import { useSend } from '../gateway.ts'
import { useEnter, useSession } from '../session.ts'
import { unlocked } from './lock.ts'

let isChosen = false

/** Whether the session ended because somebody signed out here; asked once. */
export function wasChosen(): boolean {
  const was = isChosen
  isChosen = false
  return was
}

/** Signs out; the sign-in form takes the place of the screen. */
export function useLeave(): { readonly leave: () => void; readonly isLeaving: boolean } {
  const session = useSession()
  const enter = useEnter()
  const signOut = useSend(dashboard.signOut)
  const leave = () =>
    signOut.mutate(
      {},
      {
        onSettled: (_, error) => {
          if (!session.data || (error && error.code !== 'not-signed-in' && error.code !== 'locked')) return
          isChosen = true
          enter({ ...session.data, user: null, isLocked: false })
          unlocked()
        },
      },
    )
  return { leave, isLeaving: signOut.isPending }
}
