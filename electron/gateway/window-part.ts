import type { SignedInUser } from '#shared/contract/people.ts'
import type { KeyStoreState } from '#shared/contract/shell.ts'
import type { Certificates } from './certificates.ts'
import { serveDashboard } from './dashboard/dashboard.ts'
import { serveDashboardActivity } from './dashboard/dashboard-activity.ts'
import { serveDashboardCorrectionNotices } from './dashboard/dashboard-correction-notices.ts'
import { serveDashboardCorrections } from './dashboard/dashboard-corrections.ts'
import { serveDashboardDestinations } from './dashboard/dashboard-destinations.ts'
import { serveDashboardImages } from './dashboard/dashboard-images.ts'
import { type LanPort, serveDashboardSecurity } from './dashboard/dashboard-security.ts'
import type { DashboardPorts } from './dashboard/ports.ts'
import { type ExamPart, openExamPart } from './exam-part.ts'
import type { HttpApp } from './http/operations.ts'
import type { Images } from './images.ts'
import type { Inviting } from './inviting.ts'
import { type Listening, lanOf, listenersOf } from './listening.ts'
import type { Metrics } from './metrics.ts'
import type { PartnerInterface } from './partner-interface.ts'
import { testPartner } from './partner-test.ts'
import type { Parts } from './parts.ts'
import type { Records } from './records.ts'
import type { Reporting } from './reporting.ts'
import type { Requester } from './webhooks/request.ts'
import type { Worklist } from './worklist/worklist.ts'

export interface WindowOptions {
  readonly collectorFault: DashboardPorts['collectorFault']
  readonly records: Records
  readonly requester: Requester
  readonly worklist: Worklist
  readonly images: Images
  readonly inviting: Inviting
  readonly partnerInterface: PartnerInterface
  readonly reports: Pick<Reporting, 'undelivered'>
  readonly certificates: Certificates
  readonly metrics: Pick<Metrics, 'watching'>
  readonly up: Listening
  readonly keyStore: () => KeyStoreState | undefined
  readonly isSafe: boolean
  /** Of the product, as the window shows it. */
  readonly version: string
}

/** What the window asks of the gateway, but for reports, the viewer and the setting-up. */
export interface WindowPart {
  readonly ports: DashboardPorts
  readonly exams: ExamPart
  serve(app: HttpApp): void
}

export function openWindow(parts: Parts, options: WindowOptions): WindowPart {
  const { records, requester, worklist, images, inviting, partnerInterface, reports, certificates, metrics, up } = options
  const { keyStore, isSafe, version } = options
  const { feed, auditTrail, partnerState, associationLog } = records
  const { intake, forwarding } = images
  const { customers, customersOf } = partnerInterface
  const { deps, settings, people } = parts
  const { clock } = deps
  const ports: DashboardPorts = {
    feed,
    askWorklist: (ask, device, user) => worklist.ask(ask, device, asking(user)),
    inspection: worklist.inspection,
    lint: (device, user) => worklist.lint(device, asking(user)),
    echoDevice: forwarding.echoDevice,
    isSafe,
    collectorFault: options.collectorFault,
    listenerStatus: () => listenersOf(up),
    partnerStatus: () => partnerState.status(),
    testPartner: () => testPartner({ requester, settings, clock }),
    openAssociations: () => up.dicom?.openAssociations ?? 0,
    recoveredFiles: intake.recovery.count,
    correctionNotices: images.correctionNotices.open,
    storage: intake.storage,
    forwards: forwarding.summary,
    undelivered: reports.undelivered,
    keyStore,
    certificates: certificates.list,
    renewCertificate: certificates.renew,
  }
  const exams = openExamPart(parts, { worklist, partnerState, intake })
  const lan: LanPort = { state: () => lanOf(up).state(), set: (wanted, actor) => lanOf(up).set(wanted, actor) }
  return {
    ports,
    exams,
    serve(app) {
      serveDashboardActivity(app, { ...parts, clock, version, associationLog })
      inviting.serve(app, { version, customers })
      serveDashboardSecurity(app, { ...parts, ...deps, version, lan, feed })
      serveDashboard(app, { ...parts, people: metrics.watching(people), clock, version, auditTrail, ports })
      exams.serve(app, { ports, auditTrail, customersOf, feed })
      const shared = { ...parts, feed, customersOf }
      serveDashboardImages(app, { ...shared, ports: intake })
      serveDashboardCorrections(app, { ...shared, ports: intake.corrections })
      serveDashboardCorrectionNotices(app, { ...shared, correctionNotices: images.correctionNotices })
      serveDashboardDestinations(app, { ...shared, forwarding })
    },
  }
}

/** Who asks, as the inspector of queries names them. */
const asking = ({ userId, firstName, lastName }: Pick<SignedInUser, 'userId' | 'firstName' | 'lastName'>) => ({
  userId,
  name: `${firstName} ${lastName}`,
})
