import { Navigate, useLocation } from '@tanstack/react-router'
import { lazy, Suspense, useRef } from 'react'
import { useLiveUpdates } from '../../api/event-stream.ts'
import { mayManage, type Session, useSession } from '../../api/session.ts'
import { hasUnsavedDrafts } from '../../api/window-drafts.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice, LoadingPlaceholder } from '../../ui/page.tsx'
import { useClearSession } from './clear-session.ts'
import { Frame } from './frame.tsx'
import { loadLockScreen } from './load-lock-screen.ts'
import { useIsLockedHere, useLockWhenIdle, useSessionSync } from './lock.ts'
import { wasSignedOutHere } from './sign-out-note.ts'

const Welcome = lazy(async () => ({
  default: (await import('../sign-in/create-owner.tsx')).CreateOwner,
}))
const SignIn = lazy(async () => ({ default: (await import('../sign-in/sign-in.tsx')).SignIn }))
const LockScreen = lazy(async () => ({ default: await loadLockScreen() }))
const WorkstationAccess = lazy(async () => ({
  default: (await import('../sign-in/ask-workstation.tsx')).WorkstationAccess,
}))

const waiting = <LoadingPlaceholder rows={6} height={48} />

/**
 * Frame of every screen. Who is not signed in gets the sign-in form in its place, at the same
 * address; a locked window the lock screen.
 */
export function Shell() {
  const session = useSession()
  const isLockedHere = useIsLockedHere()
  const { user = null, isLocked = false, lockMinutes = 10 } = session.data ?? {}
  const isSignedIn = user !== null
  const isOpen = isSignedIn && !isLocked && !isLockedHere
  useLiveUpdates(isOpen ? user.userId : null)
  useLockWhenIdle(isOpen, lockMinutes)
  useSessionSync()
  const note = useSessionEndNote(isSignedIn)
  const isSamePerson = useClearSession(session.data)

  if (session.isPending || !isSamePerson) return waiting
  if (session.error?.code !== 'workstation-unknown' && session.data && isOpen)
    return <OpenedShell session={session.data} />
  return (
    <Suspense fallback={waiting}>
      <ClosedNotice session={session} note={note} />
    </Suspense>
  )
}

/**
 * What is there in place of the screens: the reason why none is. Each is loaded when it is needed,
 * the lock screen beforehand.
 */
function ClosedNotice({
  session: { data, error, refetch },
  note,
}: {
  session: ReturnType<typeof useSession>
  note: string
}) {
  if (error?.code === 'workstation-unknown') return <WorkstationAccess />
  if (data?.needsOwner) return <Welcome token={null} />
  if (data?.user) return <LockScreen session={data} />
  if (data) return <SignIn note={hasUnsavedDrafts() ? t('ui.shell.endedUnsaved') : note} />
  return (
    <main style={{ padding: 24 }}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
    </main>
  )
}

let wasRedirected = false

/**
 * Opens the set-up of a new gateway for its managers, or the tour of a demo, once for each time the
 * page is loaded. Both can be left.
 */
function OpenedShell({ session }: { session: Session }) {
  const { pathname } = useLocation()
  const isSetup = session.needsSetup && mayManage(session.user)
  if ((isSetup || session.offersTour) && pathname === '/' && !wasRedirected) {
    wasRedirected = true
    return <Navigate to={isSetup ? '/setup' : '/tour'} />
  }
  return <Frame session={session} />
}

/** What the sign-in form says where the session ended by itself. */
function useSessionEndNote(isSignedIn: boolean): string {
  const note = useRef('')
  const was = useRef(isSignedIn)
  if (was.current !== isSignedIn) {
    note.current = was.current && !wasSignedOutHere() ? t('ui.shell.ended') : ''
    was.current = isSignedIn
  }
  return note.current
}
