import { useQueryClient } from '@tanstack/react-query'
import { Navigate, useLocation } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { closeImagesWindow } from '../beside/images-window.ts'
import { Failed, Waiting } from '../components/page.tsx'
import { useLiveLine } from '../live.ts'
import { mayManage, type Session, useSession } from '../session.ts'
import { SignIn } from '../sign-in/sign-in.tsx'
import { closeViews } from '../views.ts'
import { Frame } from './frame.tsx'
import { wasChosen } from './leave.ts'
import { forgetLock, useIsLockedHere, useLockWhenIdle, useOtherWindows } from './lock.ts'
import { LockScreen } from './lock-screen.tsx'
import { forgetRecent } from './recent.ts'
import { words } from './words.ts'

const Welcome = lazy(async () => ({ default: (await import('../welcome/welcome.tsx')).Welcome }))
const AskWorkstation = lazy(async () => ({ default: (await import('../sign-in/ask-workstation.tsx')).AskWorkstation }))

const waiting = <Waiting rows={6} height={48} />

/** Frame of every screen. Who is not signed in gets the sign-in form in its place, at the same address; a locked window the lock screen. */
export function Shell() {
  const session = useSession()
  const isLockedHere = useIsLockedHere()
  const { user = null, isLocked = false, lockMinutes = 10 } = session.data ?? {}
  const isSignedIn = user !== null
  const isOpen = isSignedIn && !isLocked && !isLockedHere
  const hasAnswer = session.data !== undefined
  useLiveLine(isOpen)
  useLockWhenIdle(isOpen, lockMinutes)
  useOtherWindows()
  const note = useEndNote(isSignedIn)
  const client = useQueryClient()
  useEffect(() => {
    // Whoever signs in next must not find what the last one read.
    if (isSignedIn) return
    client.removeQueries({ predicate: (query) => query.queryKey[0] !== dashboard.session.path })
    closeImagesWindow()
    closeViews()
    forgetRecent()
    if (hasAnswer) forgetLock()
  }, [isSignedIn, hasAnswer, client])

  if (session.isPending) return waiting
  if (session.error?.code === 'workstation-unknown') return <Suspense fallback={waiting}>{<AskWorkstation />}</Suspense>
  if (!session.data) {
    return (
      <main style={{ padding: 24 }}>
        <Failed error={session.error} onRetry={() => void session.refetch()} />
      </main>
    )
  }
  if (session.data.needsOwner) return <Suspense fallback={waiting}>{<Welcome token={null} />}</Suspense>
  if (!isSignedIn) return <SignIn note={note} />
  if (!isOpen) return <LockScreen session={session.data} />
  return <Opened session={session.data} />
}

let wasLedToSetup = false

/** Who manages a new gateway is led to its set-up once for each time the page is loaded; it can be left. */
function Opened({ session }: { session: Session }) {
  const { pathname } = useLocation()
  if (session.needsSetup && mayManage(session.user) && pathname === '/' && !wasLedToSetup) {
    wasLedToSetup = true
    return <Navigate to="/setup" />
  }
  return <Frame session={session} />
}

/** What the sign-in form says where the session ended by itself. */
function useEndNote(isSignedIn: boolean): string {
  const note = useRef('')
  const was = useRef(isSignedIn)
  if (was.current !== isSignedIn) {
    note.current = was.current && !wasChosen() ? words.ended : ''
    was.current = isSignedIn
  }
  return note.current
}
