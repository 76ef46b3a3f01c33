import { Tooltip, VisuallyHidden } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { Link, useLocation } from '@tanstack/react-router'
import type { TodayKind } from '#shared/contract/dashboard-today.ts'
import { mayManage, type Session } from '../../api/session.ts'
import { useWaiting } from '../../api/use-today.ts'
import { numberText } from '../../format/amounts.ts'
import { knownText, t } from '../../i18n/t.ts'
import { Mark } from '../../ui/brand.tsx'
import { GROUPS, isOfEveryPatient, SCREENS, type Screen, screenAt } from './screens.ts'
import css from './shell.module.css'

/**
 * The screens in their groups, with what waits there. What is not for this person is there too,
 * with a lock.
 */
export function Navigation({ session, isNarrow }: { session: Session; isNarrow: boolean }) {
  const isManager = mayManage(session.user)
  const here = screenAt(useLocation().pathname)?.to
  return (
    <nav className={css.nav} aria-label={t('ui.shell.navigation')}>
      <div className={css.brand}>
        <Mark />
        <span>Isthmus</span>
      </div>
      {GROUPS.map((group) => (
        <section key={group} className={css.group} aria-labelledby={`group-${group}`}>
          <h2 id={`group-${group}`} className={css.groupName}>
            {t(`ui.shell.groups.${group}`)}
          </h2>
          {SCREENS.filter((screen) => screen.group === group).map((screen) => (
            <Entry
              key={screen.to}
              screen={screen}
              isHere={screen.to === here}
              isLocked={
                (screen.isForManagers === true && !isManager) ||
                (session.isLimited && isOfEveryPatient(screen.to))
              }
              isNarrow={isNarrow}
            />
          ))}
        </section>
      ))}
      <div className={css.version}>{t('ui.shell.version', { version: session.version })}</div>
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
            <VisuallyHidden>
              {isOfEveryPatient(to) ? t('ui.shell.lockedForLimited') : t('ui.shell.lockedFor')}
            </VisuallyHidden>
          </span>
        ) : (
          <Count to={to} />
        )}
      </Link>
    </Tooltip>
  )
}

/** What waits for a person behind a screen's name. */
const WAITING: Partial<
  Record<Screen['to'], { kinds: readonly TodayKind[]; tone: 'warning' | 'danger' }>
> = {
  '/devices': { kinds: ['unknown-callers'], tone: 'warning' },
  '/images': {
    kinds: ['quarantined', 'mismatches', 'images-replaced', 'correction-notices', 'recovered'],
    tone: 'warning',
  },
  '/destinations': { kinds: ['forwards-failed'], tone: 'warning' },
  '/reading': { kinds: ['criticals', 'addenda-needed'], tone: 'danger' },
  '/events': { kinds: ['events-failed'], tone: 'warning' },
}

function Count({ to }: { to: Screen['to'] }) {
  const waiting = WAITING[to]
  const count = useWaiting(waiting?.kinds ?? [])
  const text = knownText(`ui.shell.waiting.${to}`)
  if (!waiting || count === 0) return null
  return (
    <span className={css.count} data-tone={waiting.tone}>
      {numberText(count)}
      {text && <VisuallyHidden>{text}</VisuallyHidden>}
    </span>
  )
}
