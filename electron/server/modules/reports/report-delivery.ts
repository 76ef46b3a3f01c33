import type { OutboxState } from '#server/jobs/outbox-queries.ts'
import type { DomainDeps } from '#server/modules/audit/audit.ts'
import { listEvents } from '#server/modules/events/queries.ts'
import type { Delivery } from '#shared/contract/reports.ts'
import type { EventData } from '#shared/contract/webhooks.ts'
import type { ReportId, StudyId } from '#shared/ids.ts'
import { reportPdfUrl } from './pdf-links.ts'

/**
 * What a `report.delivered` event tells, made anew at each attempt, and whose study it is about.
 */
export interface ReportEvent {
  readonly data: EventData<'report.delivered'>
  /** The key that made the study, whose endpoint takes the event (interface-choices §6 row 50). */
  readonly apiKeyId: string | null
}

/** Signed reports on their way to the partner. */
export interface ReportDelivery {
  /**
   * With a fresh link to the PDF; undefined where the report is not signed: an unsigned text never
   * leaves (row 51).
   */
  deliveryOf(reportId: string): ReportEvent | undefined
  /** How the partner's copy stands. */
  stateOf(reportId: string): Delivery
}

const EVENT = 'report.delivered'
const STATES: Readonly<Record<OutboxState, Delivery['state']>> = {
  waiting: 'waiting',
  sent: 'delivered',
  failed: 'failed',
  dropped: 'dropped',
}
const NOTHING: Delivery = {
  state: 'none',
  attempts: 0,
  nextAt: null,
  lastError: '',
  deliveredAt: null,
  eventId: null,
}

export function openReportDelivery({
  store,
  publicBase,
}: Pick<DomainDeps, 'store'> & { readonly publicBase: () => string }): ReportDelivery {
  return {
    deliveryOf(reportId) {
      const report = store.reports.get(reportId)
      const study = report && store.studies.get(report.studyId)
      if (report?.status !== 'completed' || !study) return undefined
      const { externalPatientId } = study.detail
      return {
        apiKeyId: study.createdByApiKeyId,
        data: {
          isCritical: report.isCritical ?? false,
          presignedUrl: reportPdfUrl(store, publicBase(), reportId),
          reportId: reportId as ReportId,
          studyId: study.studyId as StudyId,
          studyInstanceUid: study.studyInstanceUid,
          ...(externalPatientId && { externalPatientId }),
          ...(report.plainText !== null && { plainText: report.plainText }),
        },
      }
    },

    stateOf(reportId) {
      const row = store.outbox.latest(EVENT, reportId)
      const about = { subject: reportId }
      const [event] = listEvents(store.database, {
        type: EVENT,
        show: 'all',
        about,
        limit: 1,
      }).items
      const eventId = event?.eventId ?? null
      if (!row) return { ...NOTHING, eventId }
      const { state, attempts, notBefore, lastError, updatedAt } = row
      return {
        ...{ state: STATES[state], attempts, eventId, lastError: lastError ?? '' },
        nextAt: state === 'waiting' ? notBefore : null,
        deliveredAt: state === 'sent' ? updatedAt : null,
      }
    },
  }
}
