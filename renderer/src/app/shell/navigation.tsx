import { UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { Link, useLocation } from '@tanstack/react-router'
import type { TodayKind } from '#shared/contract/dashboard-today.ts'
import type { Session } from '../../api/session.ts'
import { useWaitingCount } from '../../api/use-today.ts'
import { numberText } from '../../format/amounts.ts'
import { knownText, t } from '../../i18n/t.ts'
import { Mark } from '../../ui/brand.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'
import { GROUPS, type Screen, screenAt, screensOf } from './screens.ts'
import css from './shell.module.css'

/**
 * The screens of a person's work in their groups, with what waits there. Other screens that the
 * person may open are shown on request, and in the command palette.
 */
export function Navigation({ session, isNarrow }: { session: Session; isNarrow: boolean }) {
  const { all, own } = screensOf(session)
  const [isAll, setAll] = useLocalStorage({
    key: `isthmus-all-screens ${session.user?.userId}`,
    defaultValue: false,
  })
  const { pathname, search } = useLocation()
  const here = screenAt(pathname, search.study)?.to
  const shown = isAll ? all : all.filter((screen) => own.includes(screen) || screen.to === here)
  return (
    <nav className={css.nav} aria-label={t('ui.shell.navigation')}>
      <div className={css.brand}>
        <Mark />
        <span>Isthmus</span>
      </div>
      {GROUPS.map((group) => {
        const screens = shown.filter((screen) => screen.group === group)
        if (screens.length === 0) return null
        return (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
          <div key={group} role="group" className={css.group} aria-labelledby={`group-${group}`}>
            <h2 id={`group-${group}`} className={css.groupName}>
              {t(`ui.shell.groups.${group}`)}
            </h2>
            {screens.map((screen) => (
              <Entry
                key={screen.to}
                screen={screen}
                isHere={screen.to === here}
                isNarrow={isNarrow}
              />
            ))}
          </div>
        )
      })}
      {own.length < all.length && (
        <AllScreensToggle isAll={isAll} isNarrow={isNarrow} onChange={setAll} />
      )}
      <div className={css.version}>{t('ui.shell.version', { version: session.version })}</div>
    </nav>
  )
}

function AllScreensToggle(props: {
  isAll: boolean
  isNarrow: boolean
  onChange: (isAll: boolean) => void
}) {
  const { isAll, isNarrow, onChange } = props
  const name = isAll ? t('ui.shell.ownScreens') : t('ui.shell.allScreens')
  const Icon = isAll ? IconChevronUp : IconChevronDown
  return (
    <Tooltip label={name} position="right" disabled={!isNarrow}>
      <UnstyledButton
        className={css.link}
        aria-expanded={isAll}
        aria-label={name}
        onClick={() => onChange(!isAll)}
      >
        <Icon size={19} stroke={1.7} aria-hidden />
        <span className={css.linkName}>{name}</span>
      </UnstyledButton>
    </Tooltip>
  )
}

function Entry(props: { screen: Screen; isHere: boolean; isNarrow: boolean }) {
  const { screen, isHere, isNarrow } = props
  const { to, name, icon: Icon } = screen
  return (
    <Tooltip label={name} position="right" disabled={!isNarrow}>
      <Link
        to={to}
        className={css.link}
        // Which screen an address beneath another belongs to is said by `screenAt`.
        activeOptions={{ exact: true, includeSearch: false }}
        {...(isHere && { 'aria-current': 'page' as const })}
      >
        <Icon size={19} stroke={1.7} aria-hidden />
        <span className={css.linkName}>{name}</span>
        <WaitingCount to={to} />
      </Link>
    </Tooltip>
  )
}

/** What waits for a person behind a screen's name. */
const WAITING_KINDS: Partial<
  Record<Screen['to'], { kinds: readonly TodayKind[]; tone: 'warning' | 'danger' }>
> = {
  '/devices': { kinds: ['unknown-callers'], tone: 'warning' },
  '/images': {
    kinds: ['quarantined', 'mismatches', 'images-replaced', 'correction-notices', 'recovered'],
    tone: 'warning',
  },
  '/destinations': { kinds: ['forwards-failed'], tone: 'warning' },
  '/reading': { kinds: ['criticals-escalated', 'criticals', 'addenda-needed'], tone: 'danger' },
  '/events': { kinds: ['events-failed'], tone: 'warning' },
}

function WaitingCount({ to }: { to: Screen['to'] }) {
  const waiting = WAITING_KINDS[to]
  const count = useWaitingCount(waiting?.kinds ?? [])
  const text = knownText(`ui.shell.waiting.${to}`)
  if (!waiting || count === 0) return null
  return (
    <span className={css.count} data-tone={waiting.tone}>
      {numberText(count)}
      {text && <VisuallyHidden>{text}</VisuallyHidden>}
    </span>
  )
}
