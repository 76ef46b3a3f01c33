import type { Certificates } from '#server/http/certificates.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type Listening, lanOf, listenersOf } from '#server/http/listener-status.ts'
import { serveApiKeys } from '#server/modules/api-keys/routes.ts'
import { serveDashboardCorrectionNotices } from '#server/modules/corrections/correction-notice-routes.ts'
import { serveDashboardCorrections } from '#server/modules/corrections/correction-routes.ts'
import { serveCustomerUsers } from '#server/modules/customers/routes.ts'
import { serveDashboardActivity } from '#server/modules/devices/activity-routes.ts'
import type { Metrics } from '#server/modules/diagnostics/metrics.ts'
import type { Records } from '#server/modules/diagnostics/telemetry.ts'
import { serveDestinations } from '#server/modules/forwarding/routes.ts'
import { serveDashboardImages } from '#server/modules/images/image-routes.ts'
import type { Images } from '#server/modules/images/images.ts'
import type { Mail } from '#server/modules/mail/mail.ts'
import { testPartner } from '#server/modules/partners/test-request.ts'
import type { Reporting } from '#server/modules/reports/reporting.ts'
import { serveMail } from '#server/modules/settings/mail-routes.ts'
import type { MailServer } from '#server/modules/settings/mail-server.ts'
import { serveDashboardPeople } from '#server/modules/users/people-routes.ts'
import { serveDashboardSecurity } from '#server/modules/users/security-routes.ts'
import { sessionReply } from '#server/modules/users/session-routes.ts'
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
  readonly mailServer: MailServer
  readonly mail: Mail
  /** Base of every URL given out, without a slash at its end. */
  readonly publicBase: () => string
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
  const {
    records,
    requester,
    worklist,
    images,
    mailServer,
    mail,
    reports,
    certificates,
    metrics,
    up,
  } = options
  const { keyStore, isSafe, version, publicBase } = options
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
  const lan: Parameters<typeof serveDashboardSecurity>[3] = {
    state: () => lanOf(up).state(),
    set: (wanted, actor) => lanOf(up).set(wanted, actor),
  }
  return {
    ports,
    exams,
    serve(app) {
      serveDashboardActivity(app, { ...parts, clock, version, associationLog })
      const { store, apiKeys } = parts
      const showSession = sessionReply(store, settings, version)
      serveDashboardPeople(app, store, people, publicBase, showSession)
      serveCustomerUsers(app, store)
      serveApiKeys(app, store, apiKeys)
      serveMail(app, mailServer, mail)
      serveDashboardSecurity(app, store, people, lan, feed, showSession)
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
