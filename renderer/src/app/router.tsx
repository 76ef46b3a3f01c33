import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  Navigate,
  Outlet,
  useNavigate,
} from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { linkedViewId } from '../api/shared-study.ts'
import { t } from '../i18n/t.ts'
import { EmptyState, LoadingPlaceholder } from '../ui/page.tsx'
import { ErrorScreen } from './shell/error-screen.tsx'
import { lazyScreen } from './shell/lazy-screen.ts'
import { Shell } from './shell/shell.tsx'

const FollowLink = lazy(async () => ({
  default: (await import('./sign-in/follow-link.tsx')).FollowLink,
}))
const CreateOwner = lazy(async () => ({
  default: (await import('./sign-in/create-owner.tsx')).CreateOwner,
}))
const AcceptInvitation = lazy(async () => ({
  default: (await import('./sign-in/accept-invitation.tsx')).AcceptInvitation,
}))
const ProviderReturn = lazy(async () => ({
  default: (await import('./sign-in/provider-return.tsx')).ProviderReturn,
}))
const LinkRequiredNotice = lazy(async () => ({
  default: (await import('./sign-in/accept-invitation.tsx')).LinkRequiredNotice,
}))

const root = createRootRoute({ component: Outlet })

/**
 * The texts of these names that an address has. A study is named by its UID: no patient appears in
 * one.
 */
const texts =
  <const N extends string>(...names: readonly N[]) =>
  (search: Record<string, unknown>): { [K in N]?: string } =>
    Object.fromEntries(
      names
        .map((name) => [name, search[name]] as const)
        .filter(([, text]) => typeof text === 'string' && text !== ''),
    ) as { [K in N]?: string }

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  validateSearch: texts('token'),
  component: WelcomeRoute,
})
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: texts('token'),
  component: SignInRoute,
})

/** Where the identity provider sends the browser back to. */
const oidc = createRoute({
  getParentRoute: () => root,
  path: '/oidc',
  validateSearch: texts('state', 'code', 'iss', 'error', 'ended'),
  component: ProviderRoute,
})

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  validateSearch: texts('token'),
  component: InvitationRoute,
})

/** For who came by a link for dictation: outside the shell, which is for who is signed in. */
const linked = createRoute({
  getParentRoute: () => root,
  path: '/linked/$viewId',
  component:
    linkedViewId === null
      ? NotFound
      : lazyScreen(() => import('./shared-study/shared-study-screen.tsx'), 'LinkedScreen'),
})

const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell })
const today = createRoute({
  getParentRoute: () => shell,
  path: '/',
  validateSearch: texts('home'),
  component: lazyScreen(() => import('../features/dashboard/dashboard.tsx'), 'Today', 'first'),
})
const exams = createRoute({
  getParentRoute: () => shell,
  path: '/worklist',
  validateSearch: texts('day', 'device', 'show'),
  component: lazyScreen(() => import('../features/worklist/worklist.tsx'), 'WorklistScreen'),
})
const why = createRoute({
  getParentRoute: () => shell,
  path: '/worklist/why',
  validateSearch: texts('study', 'step', 'device', 'day'),
  component: lazyScreen(() => import('../features/worklist/why.tsx'), 'ExamExplainer'),
})
const reconcile = createRoute({
  getParentRoute: () => shell,
  path: '/worklist/reconcile',
  validateSearch: texts('from', 'to'),
  component: lazyScreen(
    () => import('../features/reconciliation/reconciliation.tsx'),
    'ReconciliationScreen',
  ),
})
const STUDY_SEARCH = [
  'area',
  'view',
  'severity',
  'status',
  'assignedTo',
  'customer',
  'cancelled',
  'addendum',
  'from',
  'to',
  'order',
  'study',
  'show',
] as const
const studies = createRoute({
  getParentRoute: () => shell,
  path: '/studies',
  validateSearch: texts(...STUDY_SEARCH),
  component: lazyScreen(() => import('../features/studies/studies.tsx'), 'Studies'),
})
const study = createRoute({
  getParentRoute: () => shell,
  path: '/studies/$studyId',
  component: lazyScreen(() => import('../features/studies/study.tsx'), 'StudyScreen'),
})
const customers = createRoute({
  getParentRoute: () => shell,
  path: '/customers',
  component: lazyScreen(() => import('../features/customers/customers.tsx'), 'Customers'),
})
const customer = createRoute({
  getParentRoute: () => shell,
  path: '/customers/$expressCustomerId',
  component: lazyScreen(() => import('../features/customers/customer.tsx'), 'Customer'),
})
const activity = createRoute({
  getParentRoute: () => shell,
  path: '/activity',
  validateSearch: texts('device', 'kind'),
  component: lazyScreen(() => import('../features/activity/live-feed.tsx'), 'LiveFeed'),
})
const associations = createRoute({
  getParentRoute: () => shell,
  path: '/activity/associations',
  validateSearch: texts('aeTitle', 'show', 'address', 'search'),
  component: lazyScreen(() => import('../features/activity/associations.tsx'), 'Associations'),
})
const association = createRoute({
  getParentRoute: () => shell,
  path: '/activity/associations/$associationId',
  component: lazyScreen(() => import('../features/activity/association.tsx'), 'AssociationScreen'),
})
const account = createRoute({
  getParentRoute: () => shell,
  path: '/account',
  component: lazyScreen(() => import('../features/account/account.tsx'), 'AccountScreen'),
})
const access = createRoute({
  getParentRoute: () => shell,
  path: '/settings/access',
  component: lazyScreen(() => import('../features/settings/access.tsx'), 'Access'),
})
const backups = createRoute({
  getParentRoute: () => shell,
  path: '/settings/backups',
  component: lazyScreen(() => import('../features/backups/backups.tsx'), 'Backups'),
})
const lifecycle = createRoute({
  getParentRoute: () => shell,
  path: '/settings/lifecycle',
  component: lazyScreen(() => import('../features/lifecycle/lifecycle.tsx'), 'LifecycleScreen'),
})
const readiness = createRoute({
  getParentRoute: () => shell,
  path: '/settings/readiness',
  component: lazyScreen(() => import('./setup/readiness.tsx'), 'Readiness'),
})
const tour = createRoute({
  getParentRoute: () => shell,
  path: '/tour',
  component: lazyScreen(() => import('./tour/tour.tsx'), 'Tour'),
})
const tiers = createRoute({
  getParentRoute: () => shell,
  path: '/settings/tiers',
  component: lazyScreen(() => import('../features/tiers/tiers.tsx'), 'Tiers'),
})
/** Outside the shell: a new gateway has nothing to navigate to. */
const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  validateSearch: texts('step'),
  component: lazyScreen(() => import('./setup/setup.tsx'), 'Setup'),
})
const worklist = createRoute({
  getParentRoute: () => shell,
  path: '/worklist/ask',
  validateSearch: texts('device'),
  component: lazyScreen(
    () => import('../features/worklist-tester/worklist-tester.tsx'),
    'Worklist',
  ),
})
const queries = createRoute({
  getParentRoute: () => shell,
  path: '/queries',
  validateSearch: texts('aeTitle', 'outcome'),
  component: lazyScreen(() => import('../features/activity/queries.tsx'), 'Queries'),
})
const query = createRoute({
  getParentRoute: () => shell,
  path: '/queries/$inspectionId',
  component: lazyScreen(() => import('../features/activity/query.tsx'), 'Query'),
})
const devices = createRoute({
  getParentRoute: () => shell,
  path: '/devices',
  component: lazyScreen(() => import('../features/devices/devices.tsx'), 'Devices'),
})
const serviceVisit = createRoute({
  getParentRoute: () => shell,
  path: '/devices/$deviceId',
  component: lazyScreen(() => import('../features/devices/service-visit.tsx'), 'ServiceVisit'),
})
const images = createRoute({
  getParentRoute: () => shell,
  path: '/images',
  validateSearch: texts('show'),
  component: lazyScreen(() => import('../features/images/images.tsx'), 'Images'),
})
const reading = createRoute({
  getParentRoute: () => shell,
  path: '/reading',
  validateSearch: texts(...STUDY_SEARCH),
  component: lazyScreen(() => import('../features/reports/reading-list.tsx'), 'ReadingList'),
})
const criticals = createRoute({
  getParentRoute: () => shell,
  path: '/reading/criticals',
  component: lazyScreen(
    () => import('../features/reports/critical-results.tsx'),
    'CriticalResultList',
  ),
})
const templates = createRoute({
  getParentRoute: () => shell,
  path: '/reading/templates',
  component: lazyScreen(() => import('../features/templates/templates.tsx'), 'Templates'),
})
const readingStudy = createRoute({
  getParentRoute: () => shell,
  path: '/reading/$studyId',
  component: lazyScreen(() => import('../features/reports/report-screen.tsx'), 'ReadingScreen'),
})
const quarantine = createRoute({
  getParentRoute: () => shell,
  path: '/images/quarantine',
  validateSearch: texts('study'),
  component: lazyScreen(() => import('../features/quarantine/quarantine.tsx'), 'Quarantine'),
})
const recoveredFiles = createRoute({
  getParentRoute: () => shell,
  path: '/images/recovered',
  component: lazyScreen(
    () => import('../features/recovered-files/recovered-files.tsx'),
    'Recovery',
  ),
})
const correctionNotices = createRoute({
  getParentRoute: () => shell,
  path: '/images/inform',
  component: lazyScreen(
    () => import('../features/correction-notices/correction-notices.tsx'),
    'PendingCorrectionNotices',
  ),
})
const imageStudy = createRoute({
  getParentRoute: () => shell,
  path: '/images/$studyInstanceUid',
  validateSearch: texts('undo'),
  component: lazyScreen(() => import('../features/images/study.tsx'), 'Study'),
})
const resolve = createRoute({
  getParentRoute: () => shell,
  path: '/images/$studyInstanceUid/resolve',
  validateSearch: texts('kind', 'order'),
  component: lazyScreen(() => import('../features/images/resolve.tsx'), 'Resolve'),
})
const destinations = createRoute({
  getParentRoute: () => shell,
  path: '/destinations',
  component: lazyScreen(() => import('../features/destinations/destinations.tsx'), 'Destinations'),
})
const priors = createRoute({
  getParentRoute: () => shell,
  path: '/destinations/priors',
  validateSearch: texts('study', 'destination'),
  component: lazyScreen(
    () => import('../features/prior-studies/prior-studies.tsx'),
    'PriorStudies',
  ),
})
const queue = createRoute({
  getParentRoute: () => shell,
  path: '/destinations/$destinationId',
  component: lazyScreen(() => import('../features/destinations/queue.tsx'), 'Queue'),
})
const partner = createRoute({
  getParentRoute: () => shell,
  path: '/partner',
  component: lazyScreen(() => import('../features/partner/partner.tsx'), 'Partner'),
})
const events = createRoute({
  getParentRoute: () => shell,
  path: '/events',
  validateSearch: texts('show', 'type', 'endpoint', 'about'),
  component: lazyScreen(() => import('../features/events/events.tsx'), 'Events'),
})
const eventMeter = createRoute({
  getParentRoute: () => shell,
  path: '/events/meter',
  component: lazyScreen(() => import('../features/events/performance.tsx'), 'Meter'),
})
const eventDryRun = createRoute({
  getParentRoute: () => shell,
  path: '/events/dry-run',
  component: lazyScreen(() => import('../features/events/dry-run.tsx'), 'DryRun'),
})
const event = createRoute({
  getParentRoute: () => shell,
  path: '/events/$eventId',
  component: lazyScreen(() => import('../features/events/event.tsx'), 'Event'),
})
const people = createRoute({
  getParentRoute: () => shell,
  path: '/people',
  component: lazyScreen(() => import('../features/users/users.tsx'), 'People'),
})
const keys = createRoute({
  getParentRoute: () => shell,
  path: '/keys',
  component: lazyScreen(() => import('../features/api-keys/api-keys.tsx'), 'ApiKeys'),
})
const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  component: lazyScreen(() => import('../features/settings/settings.tsx'), 'Settings'),
})
const audit = createRoute({
  getParentRoute: () => shell,
  path: '/audit',
  validateSearch: texts('actor', 'action', 'from', 'to'),
  component: lazyScreen(() => import('../features/audit/audit.tsx'), 'Audit'),
})

/** The addresses of the window. Search values stay text: a token of digits is not a number. */
export const router = createRouter({
  history: createHashHistory(),
  routeTree: root.addChildren([
    welcome,
    signIn,
    oidc,
    invitation,
    linked,
    setup,
    shell.addChildren([
      ...[
        today,
        exams,
        why,
        reconcile,
        worklist,
        studies,
        study,
        customers,
        customer,
        activity,
        associations,
        association,
      ],
      ...[
        account,
        access,
        backups,
        lifecycle,
        readiness,
        tiers,
        tour,
        images,
        quarantine,
        recoveredFiles,
        correctionNotices,
        imageStudy,
        resolve,
      ],
      ...[reading, criticals, templates, readingStudy],
      ...[queries, query, devices, serviceVisit, destinations, priors, queue],
      ...[partner, events, eventMeter, eventDryRun, event, people, keys, settings, audit],
    ]),
  ]),
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
    return text === '' ? '' : `?${text}`
  },
  defaultPendingComponent: LoadingPlaceholder,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: ErrorScreen,
  // A screen is loaded when somebody points at its link.
  defaultPreload: 'intent',
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

/**
 * The token leaves the address at once, so the route remembers it; another link in the same tab
 * replaces it.
 */
function useHeldToken(token: string | undefined): string | null {
  const [held, setHeld] = useState(token ?? null)
  if (token !== undefined && token !== held) setHeld(token)
  const navigate = useNavigate()
  useEffect(() => {
    if (token !== undefined) void navigate({ to: '.', search: {}, replace: true })
  }, [token, navigate])
  return held
}

function WelcomeRoute() {
  const held = useHeldToken(welcome.useSearch().token)
  return (
    <Suspense fallback={<LoadingPlaceholder />}>
      <CreateOwner key={held} token={held} />
    </Suspense>
  )
}

function SignInRoute() {
  const held = useHeldToken(signIn.useSearch().token)
  return (
    <Suspense fallback={<LoadingPlaceholder />}>
      {held === null ? <Navigate to="/" replace /> : <FollowLink key={held} token={held} />}
    </Suspense>
  )
}

function InvitationRoute() {
  const held = useHeldToken(invitation.useSearch().token)
  return (
    <Suspense fallback={<LoadingPlaceholder />}>
      {held === null ? <LinkRequiredNotice /> : <AcceptInvitation key={held} token={held} />}
    </Suspense>
  )
}

/** What the provider answered leaves the address at once; the route remembers it. */
function ProviderRoute() {
  const search = oidc.useSearch()
  const [answer] = useState(() => search)
  const navigate = useNavigate()
  useEffect(() => void navigate({ to: '.', search: {}, replace: true }), [navigate])
  return (
    <Suspense fallback={<LoadingPlaceholder />}>
      <ProviderReturn answer={answer} />
    </Suspense>
  )
}

function NotFound() {
  return (
    <main style={{ minHeight: '80dvh', display: 'grid', alignContent: 'center' }}>
      <EmptyState
        order={1}
        title={t('ui.shell.nothingHere')}
        action={<Link to="/">{t('ui.shell.toToday')}</Link>}
        error={null}
      >
        {t('ui.shell.nothingHereText')}
      </EmptyState>
    </main>
  )
}
