import type { Context } from '#server/context.ts'
import type { NoteAnswer } from '#server/http/http-app.ts'
import type { Feed, NewFeedLine } from '#server/live-events/feed.ts'
import { type AccessAudit, openAccessAudit } from '#server/modules/audit/access-audit.ts'
import { accessRecorder } from '#server/modules/audit/access-paths.ts'
import type { AuditTrail } from '#server/modules/audit/audit-trail.ts'
import { watchAudit } from '#server/modules/audit/audit-watch.ts'
import { AssociationLog } from '#server/modules/devices/association-log.ts'
import { EventLog } from '#server/modules/events/log.ts'
import { type EventRecorder, recordEvents } from '#server/modules/events/recorder.ts'
import { openPartnerState, type PartnerState } from '#server/modules/partners/state.ts'
import type { Log } from '#server/platform/log.ts'
import { type WriteFault, writeFaultMessage } from '#server/platform/write-health.ts'
import { message } from '#shared/messages/message.ts'

/** The services that record the activity of the gateway for its staff. */
export interface Telemetry extends AsyncDisposable {
  readonly auditTrail: AuditTrail
  /** Audits access to patient data, based on the responses. */
  readonly noteAnswer: NoteAnswer
  /** Audits what devices and API keys read by Query/Retrieve and DICOMweb. */
  readonly accesses: AccessAudit
  readonly partnerState: PartnerState
  readonly eventLog: EventLog
  readonly associationLog: AssociationLog
  readonly recorder: EventRecorder
}

/** @param restored names of the backups that were restored since the last run */
export function openTelemetry(context: Context, restored: readonly string[]): Telemetry {
  const { clock, feed, log } = context
  const opened = new AsyncDisposableStack()
  for (const name of restored) feed.append(restoredLine(name))
  opened.defer(context.database.subscribe('studies', () => feed.noteStudies()))
  opened.defer(context.database.subscribe('events', () => feed.noteChange('events')))
  opened.defer(context.database.subscribe('audit', () => feed.noteChange('audit')))
  opened.defer(context.writeHealth.onChange((fault) => reportWriteFault(fault, feed, log)))
  const { trail: auditTrail } = opened.use(watchAudit(context))
  const accesses = opened.use(openAccessAudit(context))
  const partnerState = openPartnerState(context, feed)
  const eventLog = opened.use(new EventLog(context))
  const associationLog = opened.use(new AssociationLog(context))
  opened.defer(feed.subscribe((news) => news.kind === 'line' && associationLog.line(news.line)))
  return {
    noteAnswer: accessRecorder(accesses),
    accesses,
    ...{ auditTrail, partnerState, eventLog, associationLog },
    recorder: recordEvents(eventLog, clock),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}

/** Reports a fault once, however many writes fail because of it. */
function reportWriteFault(fault: WriteFault | undefined, feed: Feed, log: Log): void {
  const about = { kind: 'disk', associationId: '', aeTitle: '', address: '' } as const
  if (fault) {
    log.error(
      { fault: fault.kind },
      'the database cannot be written to: worklists are served without records',
    )
    feed.append({ ...about, tone: 'danger', text: writeFaultMessage(fault) })
  } else {
    log.warn('the database can be written to again')
    feed.append({ ...about, tone: 'good', text: message('database.writable-again') })
  }
  feed.noteStatus()
}

const restoredLine = (name: string): NewFeedLine => ({
  ...{ kind: 'audit', tone: 'warning', associationId: '', aeTitle: '', address: '' },
  text: message('backups.restored', { name }),
})
