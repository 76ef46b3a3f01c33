import { getRouteApi, Link } from '@tanstack/react-router'
import { useSession } from '../../api/session.ts'
import { useToday } from '../../api/use-today.ts'
import { homesOf, type WorkRole, workRoleOf } from '../../api/work-role.ts'
import { t } from '../../i18n/t.ts'
import { Failed, Page, Waiting } from '../../ui/page.tsx'
import { SectionTabs } from '../../ui/section-tabs.tsx'
import { CriticalPanel } from './critical-panel.tsx'
import { FrontDeskHome } from './front-desk-home.tsx'
import { GatewayHome } from './gateway-home.tsx'
import { RadiologistHome } from './radiologist-home.tsx'
import { useSecondFactorPrompt } from './second-factor-prompt.tsx'
import { TechnologistHome } from './technologist-home.tsx'

const route = getRouteApi('/shell/')

const HOMES = {
  technologist: TechnologistHome,
  'front-desk': FrontDeskHome,
  radiologist: RadiologistHome,
  administrator: GatewayHome,
}

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
  if (!session || !user) return null
  // Rooms and schedule show every patient, which is not for accounts limited to customers.
  const homes = session.isLimited ? (['administrator'] as const) : homesOf(user)
  const role =
    homes.find((one) => one === (home ?? workRoleOf(user))) ?? homes[0] ?? 'administrator'
  const Home = HOMES[role]
  const items = today.data?.items.filter(({ kind }) => kind !== 'second-factor' || !isPrompted)
  return (
    <Page title={t('ui.dashboard.title')} about={t(`ui.dashboard.homes.${role}.about`)}>
      {homes.length > 1 && <HomeTabs homes={homes} role={role} />}
      {today.isError && !today.data && (
        <Failed error={today.error} onRetry={() => void today.refetch()} />
      )}
      {today.isPending && !today.isError && <Waiting rows={5} height={64} />}
      {items?.some(({ kind, mayAct }) => kind === 'criticals-escalated' && mayAct) && (
        <CriticalPanel isEscalated />
      )}
      {today.data && items && <Home today={{ ...today.data, items }} />}
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
