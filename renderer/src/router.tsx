import { Button } from '@mantine/core'
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Link,
  lazyRouteComponent,
  Navigate,
  Outlet,
  useNavigate,
} from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Accept, LinkNeeded } from './accept/accept.tsx'
import { Empty, Waiting } from './components/page.tsx'
import { linkedViewId } from './linked.ts'
import { Shell } from './shell/shell.tsx'
import { FollowLink } from './sign-in/follow-link.tsx'
import { Welcome } from './welcome/welcome.tsx'

const root = createRootRoute({ component: Outlet })

const textOf = (search: Record<string, unknown>, name: string): string | undefined => {
  const value = search[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
const withToken = (search: Record<string, unknown>): { token?: string } => {
  const token = textOf(search, 'token')
  return token === undefined ? {} : { token }
}

/** The texts of these names that the address has: no patient appears in one. */
const texts =
  <const N extends string>(...names: readonly N[]) =>
  (search: Record<string, unknown>): { [K in N]?: string } =>
    Object.fromEntries(names.flatMap((name) => (textOf(search, name) === undefined ? [] : [[name, textOf(search, name)]]))) as {
      [K in N]?: string
    }

/** A study is named by its UID: no patient appears in an address. */
const ofStudy = (search: Record<string, unknown>): { study?: string } => {
  const study = textOf(search, 'study')
  return study === undefined ? {} : { study }
}

const welcome = createRoute({ getParentRoute: () => root, path: '/welcome', validateSearch: withToken, component: WelcomeRoute })
const signIn = createRoute({ getParentRoute: () => root, path: '/sign-in', validateSearch: withToken, component: SignInRoute })

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  validateSearch: withToken,
  component: InvitationRoute,
})

/** For who came by a link for dictation: outside the shell, which is for who is signed in. */
const linked = createRoute({
  getParentRoute: () => root,
  path: '/linked/$viewId',
  component: linkedViewId === null ? NotFound : lazyRouteComponent(() => import('./linked/linked-screen.tsx'), 'LinkedScreen'),
})

const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell })
const today = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: lazyRouteComponent(() => import('./today/today.tsx'), 'Today'),
})
const exams = createRoute({
  getParentRoute: () => shell,
  path: '/worklist',
  validateSearch: texts('day', 'device', 'show'),
  component: lazyRouteComponent(() => import('./exams/exams.tsx'), 'Exams'),
})
const why = createRoute({
  getParentRoute: () => shell,
  path: '/worklist/why',
  validateSearch: texts('study', 'step', 'device', 'day'),
  component: lazyRouteComponent(() => import('./exams/why.tsx'), 'Why'),
})
const STUDY_SEARCH = [
  'area',
  'view',
  'severity',
  'status',
  'assignedTo',
  'customer',
  'cancelled',
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
  component: lazyRouteComponent(() => import('./studies/studies.tsx'), 'Studies'),
})
const study = createRoute({
  getParentRoute: () => shell,
  path: '/studies/$studyId',
  component: lazyRouteComponent(() => import('./studies/study.tsx'), 'StudyScreen'),
})
const customers = createRoute({
  getParentRoute: () => shell,
  path: '/customers',
  component: lazyRouteComponent(() => import('./customers/customers.tsx'), 'Customers'),
})
const customer = createRoute({
  getParentRoute: () => shell,
  path: '/customers/$expressCustomerId',
  component: lazyRouteComponent(() => import('./customers/customer.tsx'), 'Customer'),
})
const activity = createRoute({
  getParentRoute: () => shell,
  path: '/activity',
  component: lazyRouteComponent(() => import('./activity/live-feed.tsx'), 'LiveFeed'),
})
const associations = createRoute({
  getParentRoute: () => shell,
  path: '/activity/associations',
  validateSearch: texts('aeTitle', 'show', 'address'),
  component: lazyRouteComponent(() => import('./activity/associations.tsx'), 'Associations'),
})
const association = createRoute({
  getParentRoute: () => shell,
  path: '/activity/associations/$associationId',
  component: lazyRouteComponent(() => import('./activity/association.tsx'), 'AssociationScreen'),
})
const account = createRoute({
  getParentRoute: () => shell,
  path: '/account',
  component: lazyRouteComponent(() => import('./account/account.tsx'), 'AccountScreen'),
})
const access = createRoute({
  getParentRoute: () => shell,
  path: '/settings/access',
  component: lazyRouteComponent(() => import('./settings/access.tsx'), 'Access'),
})
const readiness = createRoute({
  getParentRoute: () => shell,
  path: '/settings/readiness',
  component: lazyRouteComponent(() => import('./setup/readiness.tsx'), 'Readiness'),
})
/** Outside the shell: a new gateway has nothing to navigate to. */
const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  validateSearch: texts('step'),
  component: lazyRouteComponent(() => import('./setup/setup.tsx'), 'Setup'),
})
const worklist = createRoute({
  getParentRoute: () => shell,
  path: '/worklist/ask',
  validateSearch: (search: Record<string, unknown>): { device?: string } => {
    const device = textOf(search, 'device')
    return device === undefined ? {} : { device }
  },
  component: lazyRouteComponent(() => import('./worklist/worklist.tsx'), 'Worklist'),
})
const queries = createRoute({
  getParentRoute: () => shell,
  path: '/queries',
  validateSearch: (search: Record<string, unknown>): { aeTitle?: string; outcome?: string } => {
    const aeTitle = textOf(search, 'aeTitle')
    const outcome = textOf(search, 'outcome')
    return { ...(aeTitle !== undefined && { aeTitle }), ...(outcome !== undefined && { outcome }) }
  },
  component: lazyRouteComponent(() => import('./queries/queries.tsx'), 'Queries'),
})
const query = createRoute({
  getParentRoute: () => shell,
  path: '/queries/$inspectionId',
  component: lazyRouteComponent(() => import('./queries/query.tsx'), 'Query'),
})
const devices = createRoute({
  getParentRoute: () => shell,
  path: '/devices',
  component: lazyRouteComponent(() => import('./devices/devices.tsx'), 'Devices'),
})
const images = createRoute({
  getParentRoute: () => shell,
  path: '/images',
  validateSearch: (search: Record<string, unknown>): { show?: string } => {
    const show = textOf(search, 'show')
    return show === undefined ? {} : { show }
  },
  component: lazyRouteComponent(() => import('./images/images.tsx'), 'Images'),
})
const reading = createRoute({
  getParentRoute: () => shell,
  path: '/reading',
  validateSearch: texts(...STUDY_SEARCH),
  component: lazyRouteComponent(() => import('./reading/reading-list.tsx'), 'ReadingList'),
})
const criticals = createRoute({
  getParentRoute: () => shell,
  path: '/reading/criticals',
  component: lazyRouteComponent(() => import('./criticals/criticals.tsx'), 'Criticals'),
})
const templates = createRoute({
  getParentRoute: () => shell,
  path: '/reading/templates',
  component: lazyRouteComponent(() => import('./templates/templates.tsx'), 'Templates'),
})
const readingStudy = createRoute({
  getParentRoute: () => shell,
  path: '/reading/$studyId',
  component: lazyRouteComponent(() => import('./reading/reading-screen.tsx'), 'ReadingScreen'),
})
const quarantine = createRoute({
  getParentRoute: () => shell,
  path: '/images/quarantine',
  validateSearch: ofStudy,
  component: lazyRouteComponent(() => import('./quarantine/quarantine.tsx'), 'Quarantine'),
})
const imageStudy = createRoute({
  getParentRoute: () => shell,
  path: '/images/$studyInstanceUid',
  component: lazyRouteComponent(() => import('./images/study.tsx'), 'Study'),
})
const destinations = createRoute({
  getParentRoute: () => shell,
  path: '/destinations',
  component: lazyRouteComponent(() => import('./destinations/destinations.tsx'), 'Destinations'),
})
const priors = createRoute({
  getParentRoute: () => shell,
  path: '/destinations/priors',
  validateSearch: (search: Record<string, unknown>): { study?: string; destination?: string } => {
    const destination = textOf(search, 'destination')
    return { ...ofStudy(search), ...(destination !== undefined && { destination }) }
  },
  component: lazyRouteComponent(() => import('./priors/priors.tsx'), 'Priors'),
})
const queue = createRoute({
  getParentRoute: () => shell,
  path: '/destinations/$destinationId',
  component: lazyRouteComponent(() => import('./destinations/queue.tsx'), 'Queue'),
})
const partner = createRoute({
  getParentRoute: () => shell,
  path: '/partner',
  component: lazyRouteComponent(() => import('./partner/partner.tsx'), 'Partner'),
})
const events = createRoute({
  getParentRoute: () => shell,
  path: '/events',
  validateSearch: (search: Record<string, unknown>): { show?: string; type?: string; endpoint?: string; about?: string } =>
    Object.fromEntries(
      ['show', 'type', 'endpoint', 'about'].flatMap((name) => {
        const given = textOf(search, name)
        return given === undefined ? [] : [[name, given]]
      }),
    ),
  component: lazyRouteComponent(() => import('./events/events.tsx'), 'Events'),
})
const eventMeter = createRoute({
  getParentRoute: () => shell,
  path: '/events/meter',
  component: lazyRouteComponent(() => import('./events/meter.tsx'), 'Meter'),
})
const eventDryRun = createRoute({
  getParentRoute: () => shell,
  path: '/events/dry-run',
  component: lazyRouteComponent(() => import('./events/dry-run.tsx'), 'DryRun'),
})
const event = createRoute({
  getParentRoute: () => shell,
  path: '/events/$eventId',
  component: lazyRouteComponent(() => import('./events/event.tsx'), 'Event'),
})
const people = createRoute({
  getParentRoute: () => shell,
  path: '/people',
  component: lazyRouteComponent(() => import('./people/people.tsx'), 'People'),
})
const keys = createRoute({
  getParentRoute: () => shell,
  path: '/keys',
  component: lazyRouteComponent(() => import('./keys/keys.tsx'), 'Keys'),
})
const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings/settings.tsx'), 'Settings'),
})
const audit = createRoute({
  getParentRoute: () => shell,
  path: '/audit',
  component: lazyRouteComponent(() => import('./audit/audit.tsx'), 'Audit'),
})

/** The addresses of the window. Search values stay text: a token of digits is not a number. */
export const router = createRouter({
  history: createHashHistory(),
  routeTree: root.addChildren([
    welcome,
    signIn,
    invitation,
    linked,
    setup,
    shell.addChildren([
      ...[today, exams, why, worklist, studies, study, customers, customer, activity, associations, association],
      ...[account, access, readiness, images, quarantine, imageStudy, reading, criticals, templates, readingStudy],
      ...[queries, query, devices, destinations, priors, queue],
      ...[partner, events, eventMeter, eventDryRun, event, people, keys, settings, audit],
    ]),
  ]),
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
    return text === '' ? '' : `?${text}`
  },
  defaultPendingComponent: Waiting,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: Broken,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

/** The token leaves the address at once, so the route remembers it; another link in the same tab replaces it. */
function useHeld(token: string | undefined): string | null {
  const [held, setHeld] = useState(token ?? null)
  if (token !== undefined && token !== held) setHeld(token)
  const navigate = useNavigate()
  useEffect(() => {
    if (token !== undefined) void navigate({ to: '.', search: {}, replace: true })
  }, [token, navigate])
  return held
}

function WelcomeRoute() {
  const held = useHeld(welcome.useSearch().token)
  return <Welcome key={held} token={held} />
}

function SignInRoute() {
  const held = useHeld(signIn.useSearch().token)
  return held === null ? <Navigate to="/" replace /> : <FollowLink key={held} token={held} />
}

function InvitationRoute() {
  const held = useHeld(invitation.useSearch().token)
  return held === null ? <LinkNeeded /> : <Accept key={held} token={held} />
}

function NotFound() {
  return (
    <Empty title="There is nothing at this address" action={<Link to="/">Go to the overview</Link>}>
      The link may be old, or a query may have been removed after the time it is kept.
    </Empty>
  )
}

function Broken({ error }: ErrorComponentProps) {
  return (
    <Empty title="This screen could not be shown" action={<Button onClick={() => window.location.reload()}>Reload the window</Button>}>
      Devices are not affected: the gateway goes on without the window. {error instanceof Error ? error.message : ''}
    </Empty>
  )
}
