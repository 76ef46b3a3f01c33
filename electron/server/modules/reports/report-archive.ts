import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { REPORT_SOP_CLASS } from '#server/dicom/objects/report-document.ts'
import { OutboxWorker } from '#server/jobs/outbox-worker.ts'
import { findDestination } from '#server/modules/forwarding/destination-queries.ts'
import { appendForward } from '#server/modules/forwarding/forward-queries.ts'
import {
  findCurrentInstance,
  type InstanceRecord,
} from '#server/modules/images/instance-queries.ts'
import { storeOwnInstances } from '#server/modules/images/own-instances.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { WindowOutcome } from '#shared/contract/conventions.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { insertReportObject, listReportObjects } from './report-document-queries.ts'
import { reportInstances } from './report-instances.ts'
import { type ArchivedReport, readArchivedReport } from './signed-report.ts'

// Signed reports as DICOM objects in the study of their images: an Encapsulated PDF and a Basic
// Text SR for each.

const OBJECTS_PER_REPORT = 2
const NOT_ARCHIVED_YET = message('reports.copies-not-yet')
const ARCHIVING_DISABLED = message('reports.copies-never')

/**
 * Runs the outbox job `report.archive`: creates the objects of a report that do not exist yet. It
 * is idempotent.
 * @throws StorageFault
 */
export async function archiveReport(context: Context, reportId: string): Promise<void> {
  const { database, settings } = context
  const isComplete = listReportObjects(database, reportId).length === OBJECTS_PER_REPORT
  if (!settings.get('reports.archiveCopies') || isComplete) return
  const report = readArchivedReport(context, reportId)
  if (report) await storeObjects(context, report)
}

/**
 * Creates and stores the objects of a signed report.
 * @throws StorageFault
 */
export async function storeObjects(context: Context, report: ArchivedReport): Promise<void> {
  const { database, settings } = context
  const { wanted, header } = reportInstances(
    report,
    findImageStudy(database, report.studyInstanceUid),
    precedingReports(context, report),
    settings.get('clinic.name'),
    settings.get('clinic.timeZone'),
  )
  await storeOwnInstances(context, wanted, header, (stored) =>
    recordObjects(context, report.reportId, stored),
  )
  context.feed.noteImages()
}

/** The archived structured reports of the preceding parts. */
const precedingReports = (
  { database }: Context,
  { parts, reportId }: ArchivedReport,
): InstanceRecord[] =>
  parts
    .filter((part) => part.reportId !== reportId)
    .flatMap((part) => listReportObjects(database, part.reportId))
    .filter(({ kind }) => kind === 'sr')
    .flatMap(({ sopInstanceUid }) => findCurrentInstance(database, sopInstanceUid) ?? [])

/** Records the objects, within the transaction that stores them. */
function recordObjects(
  context: Context,
  reportId: string,
  stored: readonly InstanceRecord[],
): void {
  const { database, clock, settings } = context
  const createdAt = instantOf(clock())
  for (const { sopClassUid, sopInstanceUid } of stored) {
    const kind = sopClassUid === REPORT_SOP_CLASS.pdf ? 'pdf' : 'sr'
    insertReportObject(database, { reportId, kind, sopInstanceUid, createdAt })
  }
  const sopInstanceUids = stored.map(({ sopInstanceUid }) => sopInstanceUid)
  note(context, 'gateway', 'report.archive', reportId, { sopInstanceUids })
  const destinationId = settings.get('reports.destinationId')
  // The destination may have been removed since it was configured.
  if (destinationId !== null && findDestination(database, destinationId))
    queueCopies(context, destinationId, stored)
}

/** Queues the objects and returns how many were not yet sent or queued. */
const queueCopies = (
  { database, clock }: Context,
  destinationId: string,
  objects: readonly InstanceRecord[],
): number =>
  objects.filter(({ instanceId, sopInstanceUid, studyInstanceUid }) => {
    const about = { destinationId, instanceId, sopInstanceUid, studyInstanceUid }
    return appendForward(database, { ...about, at: instantOf(clock()) }) !== undefined
  }).length

/**
 * Queues the objects of a report for a destination.
 * @throws ApiError not-found; refused: there are no objects, or the destination is disabled
 */
export function sendReportCopies(
  context: Context,
  reportId: string,
  destinationId: string,
  actor: Actor,
): WindowOutcome {
  const { database, settings } = context
  const destination = findDestination(database, destinationId)
  if (!destination) throw new ApiError('not-found', message('destinations.none-such'))
  const { name, isEnabled } = destination
  if (!isEnabled) throw new ApiError('refused', message('destinations.is-off', { name }))
  const objects = listReportObjects(database, reportId).flatMap(
    ({ sopInstanceUid }) => findCurrentInstance(database, sopInstanceUid) ?? [],
  )
  if (objects.length === 0)
    throw new ApiError(
      'refused',
      settings.get('reports.archiveCopies') ? NOT_ARCHIVED_YET : ARCHIVING_DISABLED,
    )
  const queued = database.transaction(() => {
    note(context, actor, 'report.send', reportId, { destinationId, objects: objects.length })
    return queueCopies(context, destinationId, objects)
  })
  const code = queued === 0 ? 'reports.copies-sent-already' : 'reports.copies-queued'
  return { success: true, message: message(code, { name }) }
}

/** The worker for the outbox jobs that signing adds. */
export const openReportArchiver = (context: Context) =>
  new OutboxWorker(context, 'report.archive', async ({ subject }) => {
    await archiveReport(context, subject)
    return { outcome: 'sent' }
  })
