import type {
  Access,
  Method,
  Operation,
  OperationFor,
  PartnerAccess,
  WindowAccess,
} from '../operation.ts'
import { dashboardCorrectionNotices } from './correction-notices.ts'
import { dashboardCorrections } from './corrections.ts'
import { dashboard } from './dashboard.ts'
import { dashboardActivity } from './dashboard-activity.ts'
import { dashboardBackups } from './dashboard-backups.ts'
import { dashboardExams } from './dashboard-exams.ts'
import { dashboardPeople } from './dashboard-people.ts'
import { dashboardSecurity } from './dashboard-security.ts'
import { dashboardSetup } from './dashboard-setup.ts'
import { dashboardStudies } from './dashboard-studies.ts'
import { dashboardToday } from './dashboard-today.ts'
import { dashboardTrends } from './dashboard-trends.ts'
import { dashboardUpdate } from './dashboard-update.ts'
import { dashboardDestinations } from './destinations.ts'
import { dashboardDictation } from './dictation.ts'
import { dashboardErasures } from './erasure.ts'
import { dashboardEvents } from './events.ts'
import { express, orgs } from './express.ts'
import { dashboardIdentityProvider } from './identity-provider.ts'
import { dashboardImages } from './images.ts'
import { dashboardLifecycle } from './lifecycle.ts'
import { dashboardOtlpExport } from './otlp-export.ts'
import { ownEndpoints, ownEvents } from './own-events.ts'
import { dashboardReconciliation } from './reconciliation.ts'
import { dashboardReports } from './reports.ts'
import { dashboardSandbox, sandbox } from './sandbox.ts'
import { scribe } from './scribe.ts'
import { dashboardServiceVisit } from './service-visit.ts'
import { dashboardTiers } from './tiers.ts'
import { scribeUsers, viewerUsers } from './users.ts'
import { viewer } from './viewer.ts'
import { dashboardViews } from './viewing.ts'

type Groups<A extends Access> = Readonly<Record<string, Readonly<Record<string, OperationFor<A>>>>>

/**
 * Every operation that partners call, under `/v1`. The events that they receive are in `EVENTS`.
 */
const INTERFACE = {
  express,
  orgs,
  viewer,
  viewerUsers,
  scribe,
  scribeUsers,
  events: ownEvents,
  endpoints: ownEndpoints,
  sandbox,
} as const satisfies Groups<PartnerAccess>

/** Every operation of the window, under `/dashboard`, except those of the rescue page. */
const WINDOW = {
  window: dashboard,
  security: dashboardSecurity,
  people: dashboardPeople,
  setup: dashboardSetup,
  backups: dashboardBackups,
  update: dashboardUpdate,
  events: dashboardEvents,
  destinations: dashboardDestinations,
  tiers: dashboardTiers,
  lifecycle: dashboardLifecycle,
  erasures: dashboardErasures,
  activity: dashboardActivity,
  serviceVisit: dashboardServiceVisit,
  today: dashboardToday,
  trends: dashboardTrends,
  exams: dashboardExams,
  reconciliation: dashboardReconciliation,
  studies: dashboardStudies,
  images: dashboardImages,
  corrections: dashboardCorrections,
  notices: dashboardCorrectionNotices,
  reports: dashboardReports,
  dictation: dashboardDictation,
  identityProvider: dashboardIdentityProvider,
  otlpExport: dashboardOtlpExport,
  sandbox: dashboardSandbox,
  views: dashboardViews,
} as const satisfies Groups<WindowAccess>

interface InterfaceOperation {
  /** Such as `viewerUsersInvite`. */
  readonly operationId: string
  readonly operation: OperationFor<PartnerAccess>
}

export const interfaceOperations = (): InterfaceOperation[] =>
  operationsOf<PartnerAccess>(INTERFACE).map(({ group, name, operation }) => ({
    operationId: `${group}${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    operation,
  }))

export interface WindowOperation {
  /** Such as `people.createApiKey`. */
  readonly name: string
  readonly operation: OperationFor<WindowAccess>
}

export const windowOperations = (): WindowOperation[] =>
  operationsOf<WindowAccess>(WINDOW).map(({ group, name, operation }) => ({
    name: `${group}.${name}`,
    operation,
  }))

/** The operation of the window or the partner interface with this method and path. */
export const findOperation = (method: Method, path: string): Operation | undefined =>
  [...windowOperations(), ...interfaceOperations()]
    .map(({ operation }): Operation => operation)
    .find((one) => one.method === method && one.path === path)

const operationsOf = <A extends Access>(groups: Groups<A>) =>
  Object.entries(groups).flatMap(([group, operations]) =>
    Object.entries(operations).map(([name, operation]) => ({ group, name, operation })),
  )
