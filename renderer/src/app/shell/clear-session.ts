import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { Session } from '../../api/session.ts'
import { closeViews } from '../../api/views.ts'
import { keepOnlyDraftsOf } from '../../api/window-drafts.ts'
import { t } from '../../i18n/t.ts'
import { closeImagesWindow } from '../../ui/image-panel/held-window.ts'
import { showRefusal } from '../../ui/refused.ts'
import { clearUndo } from '../../ui/undo.tsx'
import { clearLock } from './lock.ts'
import { clearRecent } from './recent.ts'

/**
 * Whoever signs in next must not find what the last one read, nor undo what the last one did, also
 * where that happened in another window of this browser. False until it is forgotten: no screen may
 * be there meanwhile.
 * @param session undefined before it is read
 */
export function useClearSession(session: Session | undefined): boolean {
  const userId = session?.user?.userId ?? null
  const isLocked = session?.isLocked ?? false
  const isSignedOut = session !== undefined && userId === null
  const client = useQueryClient()
  const [isOf, setIsOf] = useState(userId)
  useEffect(() => {
    if (userId === isOf) return
    if (isOf !== null) {
      client.removeQueries({ predicate: (query) => query.queryKey[0] !== dashboard.session.path })
      closeImagesWindow()
      closeViews()
      clearRecent()
      clearUndo()
    }
    setIsOf(userId)
  }, [userId, isOf, client])
  useEffect(() => {
    // What somebody wrote outlives the end of their session, but not the beginning of somebody
    // else's.
    if (userId !== null && !isLocked && keepOnlyDraftsOf(userId))
      showRefusal(t('ui.shell.draftDiscarded'))
  }, [userId, isLocked])
  useEffect(() => {
    if (isSignedOut) clearLock()
  }, [isSignedOut])
  return isOf === null || userId === null || userId === isOf
}
