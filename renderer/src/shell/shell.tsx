import { Tooltip, VisuallyHidden } from '@mantine/core'
import { useIdle, useMediaQuery } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { ReplyOf } from '#shared/operation.ts'
import { closeImagesWindow } from '../beside/images-window.ts'
import { Empty, Failed, Waiting } from '../components/page.tsx'
import { Tag } from '../components/tone.tsx'
import { numberText } from '../display/amounts.ts'
import { useSend } from '../gateway.ts'
import { useLive, useLiveLine } from '../live.ts'
import { mayManage, type Session, useEnter, useSession } from '../session.ts'
import { SignIn } from '../sign-in/sign-in.tsx'
import { useStatus } from '../status.ts'
import { closeViews } from '../views.ts'
import { Welcome } from '../welcome/welcome.tsx'
import { AccountMenu } from './account-menu.tsx'
import { Banner } from './banner.tsx'
import { Mark } from './brand.tsx'
import { useIsRoomWanted } from './room.ts'
import { SchemeSwitch } from './scheme-switch.tsx'
import { SCREENS, type Screen } from './screens.ts'
import css from './shell.module.css'
import { words } from './words.ts'

const IDLE_MS = 30 * 60_000

/** Frame of every screen. Who is not signed in gets the sign-in form in its place, at the same address. */
export function Shell() {
  const session = useSession()
  const [note, setNote] = useState('')
  const isSignedIn = Boolean(session.data?.user)
  useLiveLine(isSignedIn)
  const client = useQueryClient()
  useEffect(() => {
    // Whoever signs in next must not find what the last one read.
    if (isSignedIn) return
    client.removeQueries({ predicate: (query) => query.queryKey[0] !== dashboard.session.path })
    closeImagesWindow()
    closeViews()
  }, [isSignedIn, client])

  if (session.isPending) return <Waiting rows={6} height={48} />
  if (session.isError && !session.data) {
    return (
      <main style={{ padding: 24 }}>
        <Failed error={session.error} onRetry={() => void session.refetch()} />
      </main>
    )
  }
  if (session.data.needsOwner) return <Welcome token={null} />
  if (!session.data.user) return <SignIn note={note} />
  return <Frame session={session.data} onIdle={() => setNote(words.idle)} />
}

function Frame({ session, onIdle }: { session: Session; onIdle: () => void }) {
  const status = useStatus().data
  const isSmall = useMediaQuery('(max-width: 1000px)', undefined, { getInitialValueInEffect: false })
  const isRoomWanted = useIsRoomWanted()
  const isNarrow = isSmall || isRoomWanted
  const screens = SCREENS.filter((screen) => !screen.isForManagers || mayManage(session.user))
  const { pathname } = useLocation()
  const isOpen = mayManage(session.user) || !SCREENS.some(({ to, isForManagers }) => isForManagers && to === pathname)
  useSignOutWhenIdle(onIdle)

  return (
    <div className={css.shell} data-narrow={isNarrow || undefined}>
      <Banner />
      <nav className={css.nav} aria-label={words.navigation}>
        <button type="button" className={css.skip} onClick={() => document.getElementById('main')?.focus()}>
          {words.skip}
        </button>
        <div className={css.brand}>
          <Mark />
          <span>Isthmus</span>
        </div>
        {screens.map(({ to, name, icon: Icon }) => (
          <Tooltip key={to} label={name} position="right" disabled={!isNarrow}>
            <Link to={to} className={css.link} activeOptions={{ exact: to === '/' }}>
              <Icon size={19} stroke={1.7} aria-hidden />
              <span className={css.linkName}>{name}</span>
              {status && <Count to={to} status={status} />}
            </Link>
          </Tooltip>
        ))}
        <div className={css.version}>{words.version(session.version)}</div>
      </nav>
      <section className={css.head} aria-label={words.headLabel}>
        <div className={css.clinic}>{session.clinicName || words.unnamed}</div>
        <div className={css.tools}>
          <LiveSign />
          <SchemeSwitch />
          {session.user && <AccountMenu user={session.user} />}
        </div>
      </section>
      <main className={css.main} id="main" tabIndex={-1}>
        {isOpen ? <Outlet /> : <Empty title={words.notYours}>{words.notYoursText}</Empty>}
      </main>
    </div>
  )
}

type Status = ReplyOf<typeof dashboard.status>

/** What waits for a person behind a screen's name. */
const WAITING: Partial<Record<Screen['to'], { of: (status: Status) => number; meaning: string }>> = {
  '/devices': { of: ({ unknownCallers }) => unknownCallers, meaning: words.callersWait },
  '/images': { of: ({ images }) => images.quarantined + images.mismatches, meaning: words.imagesWait },
  '/destinations': { of: ({ forwards }) => forwards.failed, meaning: words.forwardsWait },
}

function Count({ to, status }: { to: Screen['to']; status: Status }) {
  const waiting = WAITING[to]
  const count = waiting?.of(status) ?? 0
  if (!waiting || count === 0) return null
  return (
    <span className={css.count}>
      {numberText(count)}
      <VisuallyHidden>{waiting.meaning}</VisuallyHidden>
    </span>
  )
}

function LiveSign() {
  const { isOpen } = useLive()
  return isOpen ? (
    <Tag tone="good" meaning={words.liveMeaning}>
      {words.live}
    </Tag>
  ) : (
    <Tag tone="warning" meaning={words.pollingMeaning}>
      {words.polling}
    </Tag>
  )
}

/** The polls of an open window keep the server's session alive, so the window watches for use itself. */
function useSignOutWhenIdle(onIdle: () => void): void {
  const isIdle = useIdle(IDLE_MS, { initialState: false })
  const { mutate: signOut } = useSend(dashboard.signOut)
  const enter = useEnter()
  const { data } = useSession()
  useEffect(() => {
    if (!isIdle || !data?.user) return
    onIdle()
    signOut({}, { onSettled: () => enter({ ...data, user: null }) })
  }, [isIdle, data, onIdle, signOut, enter])
}
