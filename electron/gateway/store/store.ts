import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type AnnotationsStore, annotationsStore } from './annotations.ts'
import { type AnswersStore, answersStore } from './answers.ts'
import { type ApiKeysStore, apiKeysStore } from './api-keys.ts'
import { type AssociationsStore, associationsStore } from './associations.ts'
import { type AuditStore, auditStore } from './audit.ts'
import { openAnchor } from './audit-anchor.ts'
import { type AuditSendingStore, auditSendingStore } from './audit-sending.ts'
import { type CallersStore, callersStore } from './callers.ts'
import { type CapturesStore, capturesStore } from './captures.ts'
import { type ClinicalContextsStore, clinicalContextsStore } from './clinical-contexts.ts'
import type { Clock } from './clock.ts'
import { type ClosedStepsStore, closedStepsStore } from './closed-steps.ts'
import { type CommitmentsStore, commitmentsStore } from './commitments.ts'
import { type ContextDocumentsStore, contextDocumentsStore } from './context-documents.ts'
import { type CorrectionNoticesStore, correctionNoticesStore } from './correction-notices.ts'
import { type CorrectionsStore, correctionsStore } from './corrections.ts'
import { type CriticalResultsStore, criticalResultsStore } from './critical-results.ts'
import { type CustomersStore, customersStore } from './customers.ts'
import { Database } from './database.ts'
import { type DestinationsStore, destinationsStore } from './destinations.ts'
import { type DevicesStore, devicesStore } from './devices.ts'
import { diskFaultKind } from './disk-fault.ts'
import { type DocumentsStore, documentsStore } from './documents.ts'
import { type DowntimeStore, downtimeStore } from './downtime.ts'
import { type EndpointsStore, endpointsStore } from './endpoints.ts'
import { type EventsStore, eventsStore } from './events.ts'
import { type ExamFactsStore, examFactsStore } from './exam-facts.ts'
import { DATABASE_FILE, makeFolder, RESCUE_HINT_FILE } from './folder.ts'
import { type ForwardsStore, forwardsStore } from './forwards.ts'
import { type IdempotencyStore, idempotencyStore } from './idempotency.ts'
import { hasImages, type ImageFiles, imageFiles } from './image-files.ts'
import { type ImageStudiesStore, imageStudiesStore } from './image-studies.ts'
import { type InspectionsStore, inspectionsStore } from './inspections.ts'
import { type InstancesStore, instancesStore } from './instances.ts'
import { type InvitationsStore, invitationsStore } from './invitations.ts'
import { fitsKey } from './key-proof.ts'
import { type LinksStore, linksStore } from './links.ts'
import { type NeededAddendaStore, neededAddendaStore } from './needed-addenda.ts'
import { type OrganizationsStore, organizationsStore } from './organizations.ts'
import { type OutboxStore, outboxStore } from './outbox.ts'
import { type PerformedStepsStore, performedStepsStore } from './performed-steps.ts'
import { rawQuery } from './raw-query.ts'
import { type ReconciliationsStore, reconciliationsStore } from './reconciliations.ts'
import { type ReferencesStore, referencesStore } from './references.ts'
import { type ReportObjectsStore, reportObjectsStore } from './report-objects.ts'
import { type ReportPdfsStore, reportPdfsStore } from './report-pdfs.ts'
import { type ReportRevisionsStore, reportRevisionsStore } from './report-revisions.ts'
import { type ReportTemplatesStore, reportTemplatesStore } from './report-templates.ts'
import { type ReportsStore, reportsStore } from './reports.ts'
import { type SavedViewsStore, savedViewsStore } from './saved-views.ts'
import { openSeal, type Seal } from './seal.ts'
import { type SearchFillStore, searchFillStore } from './search-fill.ts'
import { searchIndex } from './search-index.ts'
import { type SecondFactorsStore, secondFactorsStore } from './second-factors.ts'
import { type SecretsStore, secretsStore } from './secrets.ts'
import { type SessionsStore, sessionsStore } from './sessions.ts'
import { type SettingsStore, settingsStore } from './settings.ts'
import { type SignInAttemptsStore, signInAttemptsStore } from './sign-in-attempts.ts'
import { type SignInLinksStore, signInLinksStore } from './sign-in-links.ts'
import { StoreError } from './store-error.ts'
import { type StudiesStore, studiesStore } from './studies.ts'
import { type TodayCountsStore, todayCountsStore } from './today-counts.ts'
import { unnotedRestores } from './untold-restores.ts'
import { type UsersStore, usersStore } from './users.ts'
import { type ViewFilesStore, viewFilesStore } from './view-files.ts'
import { type ViewsStore, viewsStore } from './views.ts'
import { type WorkstationsStore, workstationsStore } from './workstations.ts'
import { openWriteHealth, type WriteHealth } from './write-health.ts'

export { DATABASE_FILE, makeFolder } from './folder.ts'

/** Everything the gateway keeps, in one folder. */
export interface Store extends Disposable {
  readonly folder: string
  readonly database: Database
  readonly writeHealth: WriteHealth
  readonly seal: Seal
  readonly settings: SettingsStore
  readonly audit: AuditStore
  readonly auditSending: AuditSendingStore
  readonly devices: DevicesStore
  readonly callers: CallersStore
  readonly todayCounts: TodayCountsStore
  readonly users: UsersStore
  readonly sessions: SessionsStore
  readonly secondFactors: SecondFactorsStore
  readonly workstations: WorkstationsStore
  readonly signInLinks: SignInLinksStore
  readonly signInAttempts: SignInAttemptsStore
  readonly apiKeys: ApiKeysStore
  readonly endpoints: EndpointsStore
  readonly documents: DocumentsStore
  readonly answers: AnswersStore
  readonly inspections: InspectionsStore
  readonly closedSteps: ClosedStepsStore
  readonly customers: CustomersStore
  readonly organizations: OrganizationsStore
  readonly studies: StudiesStore
  readonly savedViews: SavedViewsStore
  readonly reports: ReportsStore
  readonly reportRevisions: ReportRevisionsStore
  readonly reportPdfs: ReportPdfsStore
  readonly reportObjects: ReportObjectsStore
  readonly criticalResults: CriticalResultsStore
  readonly correctionNotices: CorrectionNoticesStore
  readonly neededAddenda: NeededAddendaStore
  readonly reportTemplates: ReportTemplatesStore
  readonly clinicalContexts: ClinicalContextsStore
  readonly contextDocuments: ContextDocumentsStore
  readonly links: LinksStore
  readonly views: ViewsStore
  readonly viewFiles: ViewFilesStore
  readonly annotations: AnnotationsStore
  readonly captures: CapturesStore
  readonly references: ReferencesStore
  readonly idempotency: IdempotencyStore
  readonly downtime: DowntimeStore
  readonly invitations: InvitationsStore
  readonly outbox: OutboxStore
  readonly events: EventsStore
  readonly secrets: SecretsStore
  readonly searchFill: SearchFillStore
  readonly imageFiles: ImageFiles
  readonly instances: InstancesStore
  readonly imageStudies: ImageStudiesStore
  readonly performedSteps: PerformedStepsStore
  readonly commitments: CommitmentsStore
  readonly corrections: CorrectionsStore
  readonly destinations: DestinationsStore
  readonly examFacts: ExamFactsStore
  readonly reconciliations: ReconciliationsStore
  readonly forwards: ForwardsStore
  readonly associations: AssociationsStore
}

export interface StoreConfig {
  /** The data folder; made when it is not there. Whoever opens it holds its lock (`takeLock`). */
  readonly folder: string
  readonly clock: Clock
  /** A new UUID v4. */
  readonly uuid: () => string
  /** The data key of 32 bytes, where something else than `data.key` keeps it. */
  readonly dataKey?: Buffer | undefined
  /** The pages of the database were followed a moment ago, such as of a back-up that was opened: not again. */
  readonly isChecked?: boolean
  /** A copy of a database in a folder of its own, such as of a backup that is tested: its audit trail has no anchor. */
  readonly isCopy?: boolean
}

/** A new database would take the images that are here for unknown ones, and know no device, study or report. */
const missing = (file: string) =>
  new StoreError(
    'database-missing',
    `${file} is missing, though this data folder was in use: put the file back, or restore a backup. To begin anew without the former data, choose another folder.`,
  )

/**
 * Where the disk takes no writes, or the folder no anchor, the gateway serves all the same, and each
 * verification tries again.
 */
function inspectAudit(audit: AuditStore): void {
  try {
    audit.inspect()
  } catch (error) {
    const isAnchor = error instanceof StoreError && error.fault === 'bad-folder'
    if (!isAnchor && diskFaultKind(error) === undefined) throw error
  }
}

/** Opens the data folder: key, database, and `clinic.id` at the first start. @throws StoreError one sentence for a person */
export function openStore({ folder, clock, uuid, dataKey, isChecked = false, isCopy = false }: StoreConfig): Store {
  makeFolder(folder)
  const file = join(folder, DATABASE_FILE)
  // The key is made before the database: a crash between the two leaves nothing that it cannot open.
  const isNew = !existsSync(file) || statSync(file).size === 0
  if (isNew && (hasImages(folder) || existsSync(join(folder, RESCUE_HINT_FILE)))) throw missing(file)
  const seal = openSeal(folder, { mayCreate: isNew, dataKey })
  const database = Database.open(file, undefined, isChecked)
  const writeHealth = openWriteHealth(folder, clock)
  database.onWrite(writeHealth.note)
  try {
    if (fitsKey((sql) => database.get(rawQuery(sql, [])), seal) === false)
      throw new StoreError(
        'key-wrong',
        `The data key is not the one that ${file} was sealed under. Put back the data.key that belongs to it, or let the recovery key make it again (isthmus recover --data DIR --recovery-key-stdin).`,
      )
    const restores = unnotedRestores(folder, seal)
    const anchor = isCopy ? undefined : openAnchor({ folder, seal, database, restores })
    const audit = auditStore(database, seal, clock, anchor)
    inspectAudit(audit)
    const settings = settingsStore(database, clock)
    if (settings.get('clinic.id') === null && !settings.unreadable().includes('clinic.id')) settings.set('clinic.id', uuid())
    const index = searchIndex(database, seal)
    const studies = studiesStore(database, seal, index, (uid) => imageStudies.compareAnew(uid))
    const imageStudies = imageStudiesStore(database, seal, index, studies)
    return {
      folder,
      database,
      writeHealth,
      seal,
      settings,
      audit,
      auditSending: auditSendingStore(database),
      devices: devicesStore(database),
      callers: callersStore(database),
      todayCounts: todayCountsStore(database),
      users: usersStore(database),
      sessions: sessionsStore(database),
      secondFactors: secondFactorsStore(database, seal),
      workstations: workstationsStore(database),
      signInLinks: signInLinksStore(database),
      signInAttempts: signInAttemptsStore(database),
      apiKeys: apiKeysStore(database),
      endpoints: endpointsStore(database, seal),
      documents: documentsStore(database, seal, clock),
      answers: answersStore(database),
      inspections: inspectionsStore(database, seal),
      closedSteps: closedStepsStore(database, seal),
      customers: customersStore(database, seal),
      organizations: organizationsStore(database, seal),
      studies,
      savedViews: savedViewsStore(database, seal),
      reports: reportsStore(database, seal),
      reportRevisions: reportRevisionsStore(database, seal),
      reportPdfs: reportPdfsStore(database, seal),
      reportObjects: reportObjectsStore(database),
      criticalResults: criticalResultsStore(database, seal),
      correctionNotices: correctionNoticesStore(database, seal),
      neededAddenda: neededAddendaStore(database),
      reportTemplates: reportTemplatesStore(database),
      clinicalContexts: clinicalContextsStore(database, seal),
      contextDocuments: contextDocumentsStore(database, seal),
      links: linksStore(database, seal),
      views: viewsStore(database, seal),
      viewFiles: viewFilesStore(database),
      annotations: annotationsStore(database, seal),
      captures: capturesStore(database),
      references: referencesStore(database),
      idempotency: idempotencyStore(database, seal, clock),
      downtime: downtimeStore(database, seal),
      invitations: invitationsStore(database),
      outbox: outboxStore(database, seal),
      events: eventsStore(database, seal),
      secrets: secretsStore(database, seal, clock),
      searchFill: searchFillStore(database, index, studies),
      imageFiles: imageFiles(folder, uuid),
      instances: instancesStore(database, seal),
      imageStudies,
      performedSteps: performedStepsStore(database, seal),
      commitments: commitmentsStore(database),
      corrections: correctionsStore(database, seal, annotationsStore(database, seal)),
      destinations: destinationsStore(database),
      examFacts: examFactsStore(database),
      reconciliations: reconciliationsStore(database, seal),
      forwards: forwardsStore(database),
      associations: associationsStore(database),
      [Symbol.dispose]() {
        anchor?.finish()
        database[Symbol.dispose]()
      },
    }
  } catch (error) {
    database[Symbol.dispose]()
    throw error
  }
}
