import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { useSession } from '../../api/session.ts'
import { useToday } from '../../api/use-today.ts'
import { homesOf, type WorkRole, workRoleOf } from '../../api/work-role.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice, LoadingPlaceholder, Page } from '../../ui/page.tsx'
import { SectionTabs } from '../../ui/section-tabs.tsx'
import { useSecondFactorPrompt } from './second-factor-prompt.tsx'

const route = getRouteApi('/shell/')

// Nearly always there is nothing in it.
const CriticalPanel = lazy(async () => ({
  default: (await import('./critical-panel.tsx')).CriticalResultsPanel,
}))
// Most people see one of them only.
const LOAD = {
  technologist: async () => ({
    default: (await import('./technologist-home.tsx')).TechnologistHome,
  }),
  'front-desk': async () => ({ default: (await import('./front-desk-home.tsx')).FrontDeskHome }),
  radiologist: async () => ({ default: (await import('./radiologist-home.tsx')).RadiologistHome }),
  administrator: async () => ({ default: (await import('./gateway-home.tsx')).GatewayHome }),
}
const HOMES = {
  technologist: lazy(LOAD.technologist),
  'front-desk': lazy(LOAD['front-desk']),
  radiologist: lazy(LOAD.radiologist),
  administrator: lazy(LOAD.administrator),
}
const waiting = <LoadingPlaceholder rows={5} height={64} />

/**
 * Home page: what a person's work needs now, by their role in the clinic. Managers can switch to
 * the homes of the other roles.
 */
export function Today() {
  const today = useToday()
  const session = useSession().data
  const { home } = route.useSearch()
  const user = session?.user
  // What the prompt above says is not said twice.
  const { isShown: isPrompted } = useSecondFactorPrompt(session)
  // Rooms and schedule show every patient, which is not for accounts limited to customers.
  const homes = user && !session.isLimited ? homesOf(user) : (['administrator'] as const)
  const role =
    homes.find((one) => one === (home ?? (user && workRoleOf(user)))) ?? homes[0] ?? 'administrator'
  const isKnown = user !== undefined && user !== null
  // The home is loaded while the numbers of the day are on their way. It reports a failure itself.
  useEffect(() => {
    if (isKnown) LOAD[role]().catch(() => undefined)
  }, [isKnown, role])
  if (!isKnown) return null
  const Home = HOMES[role]
  const items = today.data?.items.filter(({ kind }) => kind !== 'second-factor' || !isPrompted)
  return (
    <Page title={t('ui.dashboard.title')} about={t(`ui.dashboard.homes.${role}.about`)}>
      {homes.length > 1 && <HomeTabs homes={homes} role={role} />}
      {today.isError && !today.data && (
        <ErrorNotice error={today.error} onRetry={() => void today.refetch()} />
      )}
      {today.isPending && !today.isError && waiting}
      {items?.some(({ kind, mayAct }) => kind === 'criticals-escalated' && mayAct) && (
        <Suspense>
          <CriticalPanel isEscalated />
        </Suspense>
      )}
      {today.data && items && (
        <Suspense fallback={waiting}>
          <Home today={{ ...today.data, items }} />
        </Suspense>
      )}
    </Page>
  )
}

const HomeTabs = ({ homes, role }: { homes: readonly WorkRole[]; role: WorkRole }) => (
  <SectionTabs label={t('ui.dashboard.homes.label')}>
    {homes.map((home) => (
      <Link
        key={home}
        to="/"
        search={{ home }}
        activeOptions={{ exact: true }}
        {...(home === role && { 'data-status': 'active', 'aria-current': 'page' as const })}
      >
        {t(`ui.dashboard.homes.${home}.name`)}
      </Link>
    ))}
  </SectionTabs>
)
