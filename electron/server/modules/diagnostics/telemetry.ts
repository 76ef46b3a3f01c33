import { answersNotedIn, type NoteAnswer } from '#server/http/access-paths.ts'
import { openAccessAudit } from '#server/modules/audit/access-audit.ts'
import type { AuditTrail } from '#server/modules/audit/audit-trail.ts'
import { watchAudit } from '#server/modules/audit/audit-watch.ts'
import { createFeed, type Feed, type NewFeedLine } from '#server/modules/dashboard/feed.ts'
import { type AssociationLog, openAssociationLog } from '#server/modules/devices/association-log.ts'
import { type EventLog, openEventLog } from '#server/modules/events/log.ts'
import { type EventRecorder, recordEvents } from '#server/modules/events/recorder.ts'
import { openPartnerState, type PartnerState } from '#server/modules/partners/state.ts'
import type { Parts } from '#server/parts.ts'
import type { Log } from '#server/platform/log.ts'
import { type WriteFault, writeFaultSentence } from '#server/platform/write-health.ts'

export interface RecordsOptions {
  readonly log: Log
  /** Names of the back-ups that were put back since the last run. */
  readonly restored: readonly string[]
  readonly onError: (error: unknown) => void
}

/** What the gateway notes of its own work, for staff: the feed, and what outlives it. */
export interface Records extends AsyncDisposable {
  readonly feed: Feed
  readonly auditTrail: AuditTrail
  /** Audits who looked at patient data, by what was answered. */
  readonly noteAnswer: NoteAnswer
  readonly partnerState: PartnerState
  readonly eventLog: EventLog
  readonly associationLog: AssociationLog
  readonly recorder: EventRecorder
}

export function openRecords(parts: Parts, { log, restored, onError }: RecordsOptions): Records {
  const { deps, store } = parts
  const { clock } = deps
  const opened = new AsyncDisposableStack()
  const feed = createFeed({ clock })
  for (const name of restored) feed.append(restoredLine(name))
  opened.defer(store.studies.onChange(() => feed.noteStudies()))
  opened.defer(store.database.subscribe('events', () => feed.noteChange('events')))
  opened.defer(store.database.subscribe('audit', () => feed.noteChange('audit')))
  opened.defer(store.writeHealth.onChange((fault) => sayWriteFault(fault, feed, log)))
  const { trail: auditTrail } = opened.use(watchAudit(parts, { feed, log }))
  const accesses = opened.use(openAccessAudit({ ...deps, onError }))
  const partnerState = openPartnerState(store, feed)
  const eventLog = opened.use(openEventLog(store, onError))
  const associationLog = opened.use(openAssociationLog({ ...deps, onError }))
  opened.defer(feed.subscribe((news) => news.kind === 'line' && associationLog.line(news.line)))
  return {
    noteAnswer: answersNotedIn(accesses),
    ...{ feed, auditTrail, partnerState, eventLog, associationLog },
    recorder: recordEvents(eventLog, clock),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}

/** Once for each fault, however many writes fail of it. */
function sayWriteFault(fault: WriteFault | undefined, feed: Feed, log: Log): void {
  const about = { kind: 'disk', associationId: '', aeTitle: '', address: '' } as const
  if (fault) {
    log.error(
      { fault: fault.kind },
      'the database cannot be written to: worklists are served without records',
    )
    feed.append({ ...about, tone: 'danger', text: writeFaultSentence(fault) })
  } else {
    log.warn('the database can be written to again')
    feed.append({ ...about, tone: 'good', text: 'The database can be written to again.' })
  }
  feed.noteStatus()
}

const restoredLine = (name: string): NewFeedLine => ({
  ...{ kind: 'audit', tone: 'warning', associationId: '', aeTitle: '', address: '' },
  text: `The back-up ${name} was put back: what was written after it is not in the database any more, and is kept aside in the data folder.`,
})
