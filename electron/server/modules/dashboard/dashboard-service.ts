import type { Certificates } from '#server/http/certificates.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type Listening, lanOf, listenersOf } from '#server/http/listener-status.ts'
import { serveDashboardCorrectionNotices } from '#server/modules/corrections/correction-notice-routes.ts'
import { serveDashboardCorrections } from '#server/modules/corrections/correction-routes.ts'
import { serveDashboardActivity } from '#server/modules/devices/activity-routes.ts'
import type { Metrics } from '#server/modules/diagnostics/metrics.ts'
import type { Records } from '#server/modules/diagnostics/telemetry.ts'
import { serveDestinations } from '#server/modules/forwarding/routes.ts'
import { serveDashboardImages } from '#server/modules/images/image-routes.ts'
import type { Images } from '#server/modules/images/images.ts'
import { testPartner } from '#server/modules/partners/test-request.ts'
import type { Reporting } from '#server/modules/reports/reporting.ts'
import { type LanPort, serveDashboardSecurity } from '#server/modules/settings/security-routes.ts'
import type { Inviting } from '#server/modules/users/inviting.ts'
import { type ExamPart, openExamPart } from '#server/modules/worklist/exam-part.ts'
import type { Worklist } from '#server/modules/worklist/worklist.ts'
import type { Parts } from '#server/parts.ts'
import type { Requester } from '#server/webhooks/request.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import type { KeyStoreState } from '#shared/contract/shell.ts'
import { serveDashboard } from './dashboard.ts'
import type { DashboardPorts } from './ports.ts'

export interface WindowOptions {
  readonly collectorFault: DashboardPorts['collectorFault']
  readonly records: Records
  readonly requester: Requester
  readonly worklist: Worklist
  readonly images: Images
  readonly inviting: Inviting
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
  const { records, requester, worklist, images, inviting, reports, certificates, metrics, up } =
    options
  const { keyStore, isSafe, version } = options
  const { feed, auditTrail, partnerState, associationLog } = records
  const { intake, forwarding } = images
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
    testPartner: () => testPartner(parts.store, settings, requester),
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
  const lan: LanPort = {
    state: () => lanOf(up).state(),
    set: (wanted, actor) => lanOf(up).set(wanted, actor),
  }
  return {
    ports,
    exams,
    serve(app) {
      serveDashboardActivity(app, { ...parts, clock, version, associationLog })
      inviting.serve(app, { version })
      serveDashboardSecurity(app, { ...parts, ...deps, version, lan, feed })
      serveDashboard(app, {
        ...parts,
        people: metrics.watching(people),
        clock,
        version,
        auditTrail,
        ports,
      })
      exams.serve(app, { ports, auditTrail, feed })
      const shared = { ...parts, feed }
      serveDashboardImages(app, { ...shared, ports: intake })
      serveDashboardCorrections(app, { ...shared, ports: intake.corrections })
      serveDashboardCorrectionNotices(app, {
        ...shared,
        correctionNotices: images.correctionNotices,
      })
      serveDestinations(app, parts.store, parts.imageStudies, feed, forwarding)
    },
  }
}

/** Who asks, as the inspector of queries names them. */
const asking = ({
  userId,
  firstName,
  lastName,
}: Pick<SignedInUser, 'userId' | 'firstName' | 'lastName'>) => ({
  userId,
  name: `${firstName} ${lastName}`,
})
