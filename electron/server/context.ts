import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type IdempotencyStore, idempotencyStore } from '#server/http/idempotency-queries.ts'
import { type OutboxStore, outboxStore } from '#server/jobs/outbox-queries.ts'
import { openAnchor } from '#server/modules/audit/audit-anchor.ts'
import { type AuditStore, auditStore } from '#server/modules/audit/audit-queries.ts'
import {
  type AuditSendingStore,
  auditSendingStore,
} from '#server/modules/audit/audit-sending-queries.ts'
import { unnotedRestores } from '#server/modules/audit/pending-restore-audit.ts'
import {
  type CommitmentsStore,
  commitmentsStore,
} from '#server/modules/commitment/commitment-queries.ts'
import {
  type CorrectionNoticesStore,
  correctionNoticesStore,
} from '#server/modules/corrections/correction-notice-queries.ts'
import {
  type CorrectionsStore,
  correctionsStore,
} from '#server/modules/corrections/correction-queries.ts'
import {
  type TodayCountsStore,
  todayCountsStore,
} from '#server/modules/dashboard/today-count-queries.ts'
import {
  type AssociationsStore,
  associationsStore,
} from '#server/modules/devices/association-queries.ts'
import { type DevicesStore, devicesStore } from '#server/modules/devices/device-queries.ts'
import { type CallersStore, callersStore } from '#server/modules/devices/unknown-caller-queries.ts'
import { hasImages, type ImageFiles, imageFiles } from '#server/modules/images/image-files.ts'
import {
  type ImageStudiesStore,
  imageStudiesStore,
} from '#server/modules/images/image-study-queries.ts'
import { type InstancesStore, instancesStore } from '#server/modules/images/instance-queries.ts'
import {
  type ClosedStepsStore,
  closedStepsStore,
} from '#server/modules/procedure-steps/closed-step-queries.ts'
import {
  type PerformedStepsStore,
  performedStepsStore,
} from '#server/modules/procedure-steps/performed-step-queries.ts'
import {
  type ReconciliationsStore,
  reconciliationsStore,
} from '#server/modules/reconciliation/reconciliation-queries.ts'
import {
  type ClinicalContextsStore,
  clinicalContextsStore,
} from '#server/modules/reports/clinical-context-queries.ts'
import {
  type ContextDocumentsStore,
  contextDocumentsStore,
} from '#server/modules/reports/context-document-queries.ts'
import {
  type CriticalResultsStore,
  criticalResultsStore,
} from '#server/modules/reports/critical-result-queries.ts'
import { type DocumentsStore, documentsStore } from '#server/modules/reports/document-queries.ts'
import {
  type ReportObjectsStore,
  reportObjectsStore,
} from '#server/modules/reports/report-object-queries.ts'
import {
  type ReportPdfsStore,
  reportPdfsStore,
} from '#server/modules/reports/report-pdf-queries.ts'
import { type ReportsStore, reportsStore } from '#server/modules/reports/report-queries.ts'
import {
  type ReportRevisionsStore,
  reportRevisionsStore,
} from '#server/modules/reports/report-revision-queries.ts'
import { type SecretsStore, secretsStore } from '#server/modules/settings/secret-queries.ts'
import { type SettingsStore, settingsStore } from '#server/modules/settings/setting-queries.ts'
import {
  type SearchFillStore,
  searchFillStore,
} from '#server/modules/studies/search-fill-queries.ts'
import { searchIndex } from '#server/modules/studies/search-index.ts'
import { type StudiesStore, studiesStore } from '#server/modules/studies/study-queries.ts'
import { openSessionState } from '#server/modules/users/session-state.ts'
import { type AnswersStore, answersStore } from '#server/modules/worklist/cached-answer-queries.ts'
import { type DowntimeStore, downtimeStore } from '#server/modules/worklist/downtime-queries.ts'
import { type ExamFactsStore, examFactsStore } from '#server/modules/worklist/exam-fact-queries.ts'
import {
  type InspectionsStore,
  inspectionsStore,
} from '#server/modules/worklist/inspection-queries.ts'
import type { Clock } from '#server/platform/clock.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import { openWriteHealth, type WriteHealth } from '#server/platform/write-health.ts'
import { DATABASE_FILE, makeFolder, RESCUE_HINT_FILE } from './database/data-directory.ts'
import { Database } from './database/database.ts'
import { openSeal, type Seal } from './database/encryption.ts'
import { fitsKey } from './database/key-proof.ts'
import { rawQuery } from './database/raw-query.ts'
import { StoreError } from './database/store-error.ts'

/**
 * What routes, services and workers are given. Rules and queries take values, or the database
 * alone.
 */
export interface Context extends Disposable {
  /** The data folder. */
  readonly folder: string
  readonly clock: Clock
  /** A new UUID v4. */
  readonly uuid: () => string
  /** Safe mode: no worker takes up what waits; what a person asks for is done. */
  readonly isSafe: boolean
  readonly database: Database
  readonly writeHealth: WriteHealth
  readonly seal: Seal
  readonly settings: SettingsStore
  readonly audit: AuditStore
  readonly auditSending: AuditSendingStore
  readonly devices: DevicesStore
  readonly callers: CallersStore
  readonly todayCounts: TodayCountsStore
  readonly sessionState: ReturnType<typeof openSessionState>
  readonly documents: DocumentsStore
  readonly answers: AnswersStore
  readonly inspections: InspectionsStore
  readonly closedSteps: ClosedStepsStore
  readonly studies: StudiesStore
  readonly reports: ReportsStore
  readonly reportRevisions: ReportRevisionsStore
  readonly reportPdfs: ReportPdfsStore
  readonly reportObjects: ReportObjectsStore
  readonly criticalResults: CriticalResultsStore
  readonly correctionNotices: CorrectionNoticesStore
  readonly clinicalContexts: ClinicalContextsStore
  readonly contextDocuments: ContextDocumentsStore
  readonly idempotency: IdempotencyStore
  readonly downtime: DowntimeStore
  readonly outbox: OutboxStore
  readonly secrets: SecretsStore
  readonly searchFill: SearchFillStore
  readonly imageFiles: ImageFiles
  readonly instances: InstancesStore
  readonly imageStudies: ImageStudiesStore
  readonly performedSteps: PerformedStepsStore
  readonly commitments: CommitmentsStore
  readonly corrections: CorrectionsStore
  readonly examFacts: ExamFactsStore
  readonly reconciliations: ReconciliationsStore
  readonly associations: AssociationsStore
}

export interface ContextOptions {
  /** The data folder; made when it is not there. Whoever opens it holds its lock (`takeLock`). */
  readonly folder: string
  readonly clock: Clock
  /** A new UUID v4. */
  readonly uuid: () => string
  /** False where it is not given. */
  readonly isSafe?: boolean | undefined
  /** The data key of 32 bytes, where something else than `data.key` keeps it. */
  readonly dataKey?: Buffer | undefined
  /**
   * The pages of the database were followed a moment ago, such as of a back-up that was opened: not
   * again.
   */
  readonly isChecked?: boolean
  /**
   * A copy of a database in a folder of its own, such as of a backup that is tested: its audit
   * trail has no anchor.
   */
  readonly isCopy?: boolean
}

/**
 * A new database would take the images that are here for unknown ones, and know no device, study or
 * report.
 */
const missing = (file: string) =>
  new StoreError(
    'database-missing',
    `${file} is missing, though this data folder was in use: put the file back, or restore a backup. To begin anew without the former data, choose another folder.`,
  )

/**
 * Where the disk takes no writes, or the folder no anchor, the gateway serves all the same, and
 * each verification tries again.
 */
function inspectAudit(audit: AuditStore): void {
  try {
    audit.inspect()
  } catch (error) {
    const isAnchor = error instanceof StoreError && error.fault === 'bad-folder'
    if (!isAnchor && diskFaultKind(error) === undefined) throw error
  }
}

/**
 * Opens the data folder: key, database, and `clinic.id` at the first start. @throws StoreError one
 * sentence for a person
 */
export function openContext({
  folder,
  clock,
  uuid,
  isSafe = false,
  dataKey,
  isChecked = false,
  isCopy = false,
}: ContextOptions): Context {
  makeFolder(folder)
  const file = join(folder, DATABASE_FILE)
  // The key is made before the database: a crash between the two leaves nothing that it cannot
  // open.
  const isNew = !existsSync(file) || statSync(file).size === 0
  if (isNew && (hasImages(folder) || existsSync(join(folder, RESCUE_HINT_FILE))))
    throw missing(file)
  const seal = openSeal(folder, { mayCreate: isNew, dataKey })
  const database = Database.open(file, { isChecked, seal })
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
    if (settings.get('clinic.id') === null && !settings.unreadable().includes('clinic.id'))
      settings.set('clinic.id', uuid())
    const index = searchIndex(database, seal)
    const studies = studiesStore(database, seal, index, (uid) => imageStudies.compareAnew(uid))
    const imageStudies = imageStudiesStore(database, seal, index, studies)
    return {
      folder,
      clock,
      uuid,
      isSafe,
      database,
      writeHealth,
      seal,
      settings,
      audit,
      auditSending: auditSendingStore(database),
      devices: devicesStore(database),
      callers: callersStore(database),
      todayCounts: todayCountsStore(database),
      sessionState: openSessionState(database),
      documents: documentsStore(database, seal, clock),
      answers: answersStore(database),
      inspections: inspectionsStore(database, seal),
      closedSteps: closedStepsStore(database, seal),
      studies,
      reports: reportsStore(database, seal),
      reportRevisions: reportRevisionsStore(database, seal),
      reportPdfs: reportPdfsStore(database, seal),
      reportObjects: reportObjectsStore(database),
      criticalResults: criticalResultsStore(database, seal),
      correctionNotices: correctionNoticesStore(database, seal),
      clinicalContexts: clinicalContextsStore(database, seal),
      contextDocuments: contextDocumentsStore(database, seal),
      idempotency: idempotencyStore(database, seal, clock),
      downtime: downtimeStore(database, seal),
      outbox: outboxStore(database, seal),
      secrets: secretsStore(database, seal, clock),
      searchFill: searchFillStore(database, index, studies),
      imageFiles: imageFiles(folder, uuid),
      instances: instancesStore(database, seal),
      imageStudies,
      performedSteps: performedStepsStore(database, seal),
      commitments: commitmentsStore(database),
      corrections: correctionsStore(database, seal),
      examFacts: examFactsStore(database),
      reconciliations: reconciliationsStore(database, seal),
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
