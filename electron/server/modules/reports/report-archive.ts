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
import { type ArchivedReport, archivedReport } from './signed-report.ts'

// Signed reports as DICOM objects beside the images of their study: an Encapsulated PDF and a Basic
// Text SR each.

const KINDS = 2
const NOT_YET = message('reports.copies-not-yet')
const NEVER = message('reports.copies-never')

/**
 * Does the outbox job `report.archive` of a report: makes the objects that are not there yet; again
 * it changes nothing. @throws StorageFault
 */
export async function archiveReport(context: Context, reportId: string): Promise<void> {
  const { database, settings } = context
  const isComplete = listReportObjects(database, reportId).length === KINDS
  if (!settings.get('reports.archiveCopies') || isComplete) return
  const report = archivedReport(context, reportId)
  if (report) await keepObjects(context, report)
}

/** Makes and keeps the objects of a signed report. @throws StorageFault */
export async function keepObjects(context: Context, report: ArchivedReport): Promise<void> {
  const { database, settings } = context
  const { wanted, header } = reportInstances(
    report,
    findImageStudy(database, report.studyInstanceUid),
    earlierCopies(context, report),
    settings.get('clinic.name'),
    settings.get('clinic.timeZone'),
  )
  await storeOwnInstances(context, wanted, header, (kept) =>
    noteKept(context, report.reportId, kept),
  )
  context.feed.noteImages()
}

/** Structured reports of the earlier parts that are in the archive. */
const earlierCopies = (
  { database }: Context,
  { parts, reportId }: ArchivedReport,
): InstanceRecord[] =>
  parts
    .filter((part) => part.reportId !== reportId)
    .flatMap((part) => listReportObjects(database, part.reportId))
    .filter(({ kind }) => kind === 'sr')
    .flatMap(({ sopInstanceUid }) => findCurrentInstance(database, sopInstanceUid) ?? [])

/** In the transaction that keeps them. */
function noteKept(context: Context, reportId: string, kept: readonly InstanceRecord[]): void {
  const { database, clock, settings } = context
  const createdAt = instantOf(clock())
  for (const { sopClassUid, sopInstanceUid } of kept) {
    const kind = sopClassUid === REPORT_SOP_CLASS.pdf ? 'pdf' : 'sr'
    insertReportObject(database, { reportId, kind, sopInstanceUid, createdAt })
  }
  const sopInstanceUids = kept.map(({ sopInstanceUid }) => sopInstanceUid)
  note(context, 'gateway', 'report.archive', reportId, { sopInstanceUids })
  const destinationId = settings.get('reports.destinationId')
  // Nothing is sent to a destination that was removed since it was set.
  if (destinationId !== null && findDestination(database, destinationId))
    queueCopies(context, destinationId, kept)
}

/** How many were not there, or on their way, already. */
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
 * Queues the objects for a destination. @throws ApiError not-found; refused: there are none, or the
 * destination is switched off
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
    throw new ApiError('refused', settings.get('reports.archiveCopies') ? NOT_YET : NEVER)
  const queued = database.transaction(() => {
    note(context, actor, 'report.send', reportId, { destinationId, objects: objects.length })
    return queueCopies(context, destinationId, objects)
  })
  const code = queued === 0 ? 'reports.copies-sent-already' : 'reports.copies-queued'
  return { success: true, message: message(code, { name }) }
}

/** Works off the outbox jobs that signing leaves. */
export const openReportArchiver = (context: Context) =>
  new OutboxWorker(context, 'report.archive', async ({ subject }) => {
    await archiveReport(context, subject)
    return { outcome: 'sent' }
  })
