import { REPORT_SOP_CLASS } from '#server/dicom/objects/report-document.ts'
import { note } from '#server/modules/audit/audit.ts'
import { findDestination } from '#server/modules/forwarding/destination-queries.ts'
import { appendForward } from '#server/modules/forwarding/forward-queries.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import { type OwnInstancesDeps, openOwnInstances } from '#server/modules/images/own-instances.ts'
import type { Actor, IntakeDeps } from '#server/modules/images/ports.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import type { StudyReportMetadata } from '#shared/contract/scribe.ts'
import { ApiError } from '#shared/errors.ts'
import { reportInstances } from './report-instances.ts'
import type { ReportObjectRecord } from './report-object-queries.ts'
import type { ReportPart } from './report-pdf.ts'

/** A signed report as it is kept in the archive. */
export interface ArchivedReport {
  readonly reportId: string
  readonly studyInstanceUid: string
  readonly studyDescription: string
  readonly accessionNumber: string
  readonly metadata: StudyReportMetadata
  /** The report first, then the addenda that were signed before this one, then itself. */
  readonly parts: readonly (ReportPart & { readonly reportId: string })[]
  readonly pdf: Buffer
}

export interface ReportObjectsDeps extends OwnInstancesDeps, Pick<IntakeDeps, 'onChanged'> {
  /** Undefined: there is no such signed report. */
  readonly reportOf: (reportId: string) => ArchivedReport | undefined
}

/**
 * Signed reports as DICOM objects beside the images of their study: an Encapsulated PDF and a Basic
 * Text SR each.
 */
export interface ReportObjects {
  /**
   * Works off the outbox row `report.archive` of a report: makes what is not there yet; again it
   * changes nothing. @throws StorageFault
   */
  archive(reportId: string): Promise<void>
  /**
   * Queues the objects for a destination. @throws ApiError not-found; refused: there are none, or
   * the destination is switched off
   */
  send(reportId: string, destinationId: string, actor: Actor): Outcome
}

export function openReportObjects(deps: ReportObjectsDeps): ReportObjects {
  const { store, clock, setting, reportOf, onChanged } = deps
  const { database, instances, imageStudies, reportObjects } = store
  const own = openOwnInstances(deps)
  const now = () => instantOf(clock())

  /** How many were not there, or on their way, already. */
  function queue(destinationId: string, objects: readonly InstanceRecord[]): number {
    return objects.filter(
      ({ instanceId, sopInstanceUid, studyInstanceUid }) =>
        appendForward(store.database, {
          destinationId,
          instanceId,
          sopInstanceUid,
          studyInstanceUid,
          at: now(),
        }) !== undefined,
    ).length
  }

  /** Structured reports of the earlier parts that are in the archive. */
  const earlierOf = ({ parts, reportId }: ArchivedReport): InstanceRecord[] =>
    parts
      .filter((part) => part.reportId !== reportId)
      .flatMap((part) => reportObjects.ofReport(part.reportId).filter(({ kind }) => kind === 'sr'))
      .flatMap(({ sopInstanceUid }) => instances.current(sopInstanceUid) ?? [])

  /** In the transaction that keeps them. */
  function noteKept(reportId: string, kept: readonly InstanceRecord[]): void {
    for (const { sopClassUid, sopInstanceUid } of kept) {
      const kind: ReportObjectRecord['kind'] = sopClassUid === REPORT_SOP_CLASS.pdf ? 'pdf' : 'sr'
      reportObjects.insert({ reportId, kind, sopInstanceUid, createdAt: now() })
    }
    note(deps.store, 'gateway', 'report.archive', reportId, {
      sopInstanceUids: kept.map(({ sopInstanceUid }) => sopInstanceUid),
    })
    const destinationId = setting('reports.destinationId')
    // One that was removed since it was set has nothing sent to it.
    if (destinationId !== null && findDestination(database, destinationId))
      queue(destinationId, kept)
  }

  return {
    async archive(reportId) {
      if (!setting('reports.archiveCopies') || reportObjects.ofReport(reportId).length === KINDS)
        return
      const report = reportOf(reportId)
      if (!report) return
      const { wanted, header } = reportInstances(report, {
        images: imageStudies.get(report.studyInstanceUid),
        earlier: earlierOf(report),
        clinicName: setting('clinic.name'),
        timeZone: setting('clinic.timeZone'),
      })
      await own.keep(wanted, header, (kept) => noteKept(reportId, kept))
      onChanged()
    },

    send(reportId, destinationId, actor) {
      const destination = findDestination(database, destinationId)
      if (!destination) throw new ApiError('not-found', 'There is no such destination.')
      if (!destination.isEnabled)
        throw new ApiError('refused', `${destination.name} is switched off: switch it on first.`)
      const objects = reportObjects
        .ofReport(reportId)
        .flatMap(({ sopInstanceUid }) => instances.current(sopInstanceUid) ?? [])
      if (objects.length === 0)
        throw new ApiError('refused', setting('reports.archiveCopies') ? NOT_YET : NEVER)
      const queued = database.transaction(() => {
        note(deps.store, actor, 'report.send', reportId, { destinationId, objects: objects.length })
        return queue(destinationId, objects)
      })
      const message =
        queued === 0
          ? `The report is at ${destination.name}, or on its way there.`
          : `The report is queued for ${destination.name}.`
      return { success: true, message }
    },
  }
}

/** An Encapsulated PDF and a Basic Text SR. */
const KINDS = 2
const NOT_YET = 'The report is not in the archive as DICOM objects yet: try again in a moment.'
const NEVER =
  'Reports are not kept as DICOM objects here: switch on reports.archiveCopies, and sign.'
