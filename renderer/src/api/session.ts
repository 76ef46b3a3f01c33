import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { may } from '#shared/lifecycle.ts'
import type { ReplyOf } from '#shared/operation.ts'
import { keyOf, useReply } from './queries.ts'
import { linkedViewId } from './shared-study.ts'

export type Session = ReplyOf<typeof dashboard.session>

/** Who is signed in, whether an owner exists, the clinic's name. */
export const useSession = () => useReply(dashboard.session, {}, { staleTime: 60_000 })

/** Takes a new session into the window: what the last one had read is dropped first. */
export function useStartSession(): (session: Session) => void {
  const client = useQueryClient()
  return useCallback(
    (session) => {
      client.removeQueries({ predicate: (query) => query.queryKey[0] !== dashboard.session.path })
      client.setQueryData(keyOf(dashboard.session, {}), session)
    },
    [client],
  )
}

/** Owners and administrators change devices, partner and settings; members look and ask. */
export const mayManage = (user: SignedInUser | null | undefined): boolean =>
  user?.level === 'owner' || user?.level === 'admin'

/** Whether the account may manage studies: images, quarantine, sending, priors. */
export const useMayManageStudies = (): boolean => {
  const user = useSession().data?.user
  return linkedViewId === null && Boolean(user && may(user, 'manageStudies'))
}

/**
 * Whether the account may write reports. Who came by a link for dictation may, without the window
 * being open to the account.
 */
export const useMayWriteReports = (): boolean => {
  const user = useSession().data?.user
  return Boolean(user && (linkedViewId !== null || may(user, 'writeReports')))
}

export const useMayManage = (): boolean =>
  mayManage(useSession().data?.user) && linkedViewId === null
