import { Tooltip, VisuallyHidden } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { Link, useLocation } from '@tanstack/react-router'
import type { Status } from '#shared/contract/dashboard.ts'
import { dashboardToday, type Today, type TodayKind } from '#shared/contract/dashboard-today.ts'
import { numberText } from '../display/amounts.ts'
import { useReply } from '../gateway.ts'
import { mayManage, type Session } from '../session.ts'
import { useStatus } from '../status.ts'
import { Mark } from './brand.tsx'
import { GROUPS, SCREENS, type Screen, screenAt } from './screens.ts'
import css from './shell.module.css'
import { words } from './words.ts'

const TODAY_MS = 60_000

/** The screens in their groups, with what waits there. What is not for this person is there too, with a lock. */
export function Navigation({ session, isNarrow }: { session: Session; isNarrow: boolean }) {
  const isManager = mayManage(session.user)
  const here = screenAt(useLocation().pathname)?.to
  return (
    <nav className={css.nav} aria-label={words.navigation}>
      <div className={css.brand}>
        <Mark />
        <span>Isthmus</span>
      </div>
      {GROUPS.map((group) => (
        <section key={group} className={css.group} aria-labelledby={`group-${group}`}>
          <h2 id={`group-${group}`} className={css.groupName}>
            {words.groups[group]}
          </h2>
          {SCREENS.filter((screen) => screen.group === group).map((screen) => (
            <Entry
              key={screen.to}
              screen={screen}
              isHere={screen.to === here}
              isLocked={screen.isForManagers === true && !isManager}
              isNarrow={isNarrow}
            />
          ))}
        </section>
      ))}
      <div className={css.version}>{words.version(session.version)}</div>
    </nav>
  )
}

function Entry(props: { screen: Screen; isHere: boolean; isLocked: boolean; isNarrow: boolean }) {
  const { screen, isHere, isLocked, isNarrow } = props
  const { to, name, icon: Icon } = screen
  return (
    <Tooltip label={name} position="right" disabled={!isNarrow}>
      <Link
        to={to}
        className={css.link}
        activeOptions={{ exact: to === '/', includeSearch: false }}
        data-locked={isLocked || undefined}
        // The router knows those beneath its address by itself.
        {...(isHere && { 'aria-current': 'page' as const })}
      >
        <Icon size={19} stroke={1.7} aria-hidden />
        <span className={css.linkName}>{name}</span>
        {isLocked ? (
          <span className={css.lock}>
            <IconLock size={14} stroke={1.8} aria-hidden />
            <VisuallyHidden>{words.lockedFor}</VisuallyHidden>
          </span>
        ) : (
          <Count to={to} />
        )}
      </Link>
    </Tooltip>
  )
}

const waitingImages = ({ quarantined, mismatches, replaced, recovered }: Status['images']) =>
  quarantined + mismatches + replaced + recovered

type Waiting = (status: Status | undefined, today: Today | undefined) => number
const ofToday = (today: Today | undefined, kind: TodayKind) => today?.items.find((item) => item.kind === kind)?.count ?? 0

/** What waits for a person behind a screen's name. */
const WAITING: Partial<Record<Screen['to'], { of: Waiting; tone: 'warning' | 'danger' }>> = {
  '/devices': { of: (status) => status?.unknownCallers ?? 0, tone: 'warning' },
  '/images': { of: (status) => (status ? waitingImages(status.images) : 0), tone: 'warning' },
  '/destinations': { of: (status) => status?.forwards.failed ?? 0, tone: 'warning' },
  '/reading': { of: (_, today) => ofToday(today, 'criticals'), tone: 'danger' },
  '/events': { of: (_, today) => ofToday(today, 'events-failed'), tone: 'warning' },
}

function Count({ to }: { to: Screen['to'] }) {
  const status = useStatus().data
  const today = useReply(dashboardToday.today, {}, { every: TODAY_MS, staleTime: TODAY_MS / 2 }).data
  const waiting = WAITING[to]
  const count = waiting?.of(status, today) ?? 0
  if (!waiting || count === 0) return null
  return (
    <span className={css.count} data-tone={waiting.tone}>
      {numberText(count)}
      <VisuallyHidden>{words.waiting[to as keyof typeof words.waiting]}</VisuallyHidden>
    </span>
  )
}
