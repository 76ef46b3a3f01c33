import type { Database } from '#server/database/database.ts'
import { type SliceQuery, sliceOf } from '#server/database/page.ts'
import { rawQuery } from '#server/database/query.ts'
import type { FORWARD_STATES } from '#shared/contract/destinations.ts'
import { englishText } from '#shared/messages/english.ts'
import { type Message, storedMessage } from '#shared/messages/message.ts'
import { messageOrNull } from '#shared/messages/message-schema.ts'

export type ForwardState = (typeof FORWARD_STATES)[number]

/** An instance that is queued for, or was sent to, a destination. */
export interface ForwardRecord {
  readonly forwardId: number
  readonly destinationId: string
  readonly instanceId: number
  readonly sopInstanceUid: string
  readonly studyInstanceUid: string
  readonly state: ForwardState
  /** Attempts since it was queued. */
  readonly attempts: number
  /**
   * When it was queued, or last retried by a user. The time after which sending stops counts from
   * here.
   */
  readonly queuedAt: string
  /** When the next attempt is due; null unless it is waiting. */
  readonly nextAt: string | null
  /** DIMSE status of the last attempt, four hexadecimal digits; empty if there was none. */
  readonly status: string
  /** Message in its stored format; empty if there is none. */
  readonly lastError: string
  readonly sentAs: string
  readonly createdAt: string
  readonly updatedAt: string
}
export type NewForward = Pick<
  ForwardRecord,
  'destinationId' | 'instanceId' | 'sopInstanceUid' | 'studyInstanceUid'
> & {
  readonly at: string
}

/** Counts of the forwards of a study to a destination, which triggers keep up to date. */
export interface ForwardedStudyRecord {
  readonly destinationId: string
  readonly studyInstanceUid: string
  readonly waiting: number
  readonly sent: number
  readonly failed: number
  readonly dropped: number
  /**
   * The last error of the study in its stored format; empty once everything was sent or dropped.
   */
  readonly lastError: string
  readonly updatedAt: string
}

/** The result of one attempt to send one instance. */
export interface ForwardAttempt {
  readonly at: string
  readonly status: string
  readonly lastError: string
}

const INSERT_FORWARD = `
  insert into forwards (destinationId, instanceId, sopInstanceUid, studyInstanceUid, state, queuedAt, nextAt, status, lastError, sentAs,
    createdAt, updatedAt)
  values (?, ?, ?, ?, 'waiting', ?, ?, '', '', '', ?, ?)
  on conflict (destinationId, instanceId) do update
  set state = 'waiting', attempts = 0, queuedAt = excluded.queuedAt, nextAt = excluded.nextAt, status = '', lastError = '',
    updatedAt = excluded.updatedAt
  where state in ('failed', 'dropped')
  returning forwardId`
const SELECT_DUE = `select * from forwards where state = 'waiting' and destinationId = ? and nextAt <= ? order by nextAt, forwardId limit ?`
const SELECT_NEXT_AT = `select min(nextAt) as nextAt from forwards where state = 'waiting' and destinationId = ?`
const OPEN_CONDITION = `where destinationId = ? and studyInstanceUid = ? and state in ('waiting', 'failed')`
const RETRY_FORWARDS = `update forwards set state = 'waiting', attempts = 0, queuedAt = ?, nextAt = ?, updatedAt = ? ${OPEN_CONDITION}`
const DROP_FORWARDS = `update forwards set state = 'dropped', nextAt = null, updatedAt = ? ${OPEN_CONDITION}`
const SELECT_OPEN_STUDIES = `select studyInstanceUid from forwardedStudies where destinationId = ? and (waiting > 0 or failed > 0)`
// Looks up pairs, because the index begins with the destination. This statement runs for every
// instance that is stored.
const SUPERSEDE_FORWARDS = `
  update forwards set state = 'dropped', nextAt = null, updatedAt = ?, lastError = ?
  where state in ('waiting', 'failed')
    and (destinationId, instanceId) in (
      select d.destinationId, n.instanceId from instances n cross join destinations d
      where n.sopInstanceUid = ? and n.instanceId <> ? and n.state <> 'current')
  returning destinationId`
// Joins the destinations for the same reason.
const INSTANCE_CONDITION = `(destinationId, instanceId) in (select destinationId, ? from destinations)`
const DROP_OF_INSTANCE = `
  update forwards set state = 'dropped', nextAt = null, updatedAt = ?, lastError = ?
  where state in ('waiting', 'failed') and ${INSTANCE_CONDITION}
  returning destinationId`
const SELECT_SENT_DESTINATIONS = `select destinationId from forwards where state = 'sent' and ${INSTANCE_CONDITION}`
// Version 0.1 stored the English text.
const SELECT_DROPPED_DESTINATIONS = `select destinationId from forwards where state = 'dropped' and lastError in (?, ?) and ${INSTANCE_CONDITION}`
// Dropped forwards are excluded: a user decided that the destination does not get the instance.
const SELECT_HOLDING_DESTINATIONS = `
  select distinct destinationId from forwards
  where state in ('sent', 'waiting', 'failed')
    and (destinationId, instanceId) in (
      select d.destinationId, i.value from json_each(?) i cross join destinations d)
  order by destinationId`
const SELECT_CORRECTED = `
  select n.instanceId from correctedInstances c join instances n on n.instanceId = c.correctedId
  where c.correctionId = ? and n.state = 'current'
  union all
  select n.instanceId from rejectionNotes r join instances n using (sopInstanceUid)
  where r.correctionId = ? and n.state = 'current'`
// Dropped forwards count as failed, because the destination still has the wrong version. Copies
// that were corrected again belong to the later correction.
const COUNT_OF_CORRECTION = `
  select total(state = 'waiting') as waiting, total(state = 'sent') as sent,
    total(state in ('failed', 'dropped')) as failed,
    ifnull(max(case when state <> 'sent' then lastError end), '') as lastError
  from forwards where (destinationId, instanceId) in (select ?, instanceId from (${SELECT_CORRECTED}))`
const COUNT_QUEUE = `select total(waiting) as waiting, total(sent) as sent, total(failed) as failed from forwardedStudies where destinationId = ?`
const COUNT_ALL_OPEN = `select total(waiting) as waiting, total(failed) as failed from forwardedStudies where waiting > 0 or failed > 0`
const SELECT_WAITING = `
  select total(s.waiting) as count, min((
    select f.queuedAt from forwards f
    where f.destinationId = s.destinationId and f.studyInstanceUid = s.studyInstanceUid and f.state = 'waiting'
    order by f.forwardId limit 1)) as since
  from forwardedStudies s indexed by forwardedStudiesOpen where (s.waiting > 0 or s.failed > 0) and s.waiting > 0`
const FILTERS = { all: 'true', waiting: 'waiting > 0', failed: 'failed > 0' } as const

/**
 * Queues an instance and returns the id of the forward; `undefined` if it is already waiting or was
 * sent. A failed or dropped forward is set to waiting again.
 */
export function appendForward(
  database: Database,
  { destinationId, instanceId, sopInstanceUid, studyInstanceUid, at }: NewForward,
): number | undefined {
  const values = [destinationId, instanceId, sopInstanceUid, studyInstanceUid, at, at, at, at]
  const row = database.get(rawQuery<{ forwardId: number }>(INSERT_FORWARD, values))
  if (row) database.notify('forwards')
  return row?.forwardId
}

export const findForward = (database: Database, forwardId: number) =>
  database.get(rawQuery<ForwardRecord>('select * from forwards where forwardId = ?', [forwardId]))

/** Waiting forwards of the destination that are due, longest waiting first. */
export const dueForwards = (
  database: Database,
  destinationId: string,
  now: string,
  limit: number,
) => database.all(rawQuery<ForwardRecord>(SELECT_DUE, [destinationId, now, limit]))

/** When the next waiting forward of the destination is due. */
export const nextForwardDue = (database: Database, destinationId: string): string | undefined =>
  database.get(rawQuery<{ nextAt: string | null }>(SELECT_NEXT_AT, [destinationId]))?.nextAt ??
  undefined

/**
 * Records the final attempt, or that a user dropped the forward. Returns whether it was waiting.
 */
export const settleForward = (
  database: Database,
  forwardId: number,
  state: Exclude<ForwardState, 'waiting'>,
  { at, status, lastError, sentAs = '' }: ForwardAttempt & { readonly sentAs?: string },
): boolean =>
  database.run(
    database.sql
      .updateTable('forwards')
      .set((of) => ({
        state,
        status,
        lastError,
        sentAs,
        nextAt: null,
        updatedAt: at,
        attempts: of('attempts', '+', state === 'dropped' ? 0 : 1),
      }))
      .where('forwardId', '=', forwardId)
      .where('state', '=', 'waiting'),
  ).changes > 0

/** Records a failed attempt; the next one is due at `nextAt`. */
export const postponeForward = (
  database: Database,
  forwardId: number,
  { at, status, lastError, nextAt }: ForwardAttempt & { readonly nextAt: string },
) =>
  database.run(
    database.sql
      .updateTable('forwards')
      .set((of) => ({
        status,
        lastError,
        nextAt,
        updatedAt: at,
        attempts: of('attempts', '+', 1),
      }))
      .where('forwardId', '=', forwardId)
      .where('state', '=', 'waiting'),
  )

/** Studies with waiting or failed forwards to the destination. */
export const openStudies = (database: Database, destinationId: string): string[] =>
  database
    .all(rawQuery<{ studyInstanceUid: string }>(SELECT_OPEN_STUDIES, [destinationId]))
    .map(({ studyInstanceUid }) => studyInstanceUid)

/**
 * Makes waiting and failed forwards of the study due now, and resets their attempts and `queuedAt`.
 * Returns their number.
 */
export function retryForwards(
  database: Database,
  destinationId: string,
  studyInstanceUid: string,
  at: string,
): number {
  const count = database.run(
    rawQuery(RETRY_FORWARDS, [at, at, at, destinationId, studyInstanceUid]),
  ).changes
  if (count > 0) database.notify('forwards')
  return count
}

/** Drops waiting and failed forwards of the study; returns their number. */
export const dropForwards = (
  database: Database,
  destinationId: string,
  studyInstanceUid: string,
  at: string,
): number => database.run(rawQuery(DROP_FORWARDS, [at, destinationId, studyInstanceUid])).changes

/**
 * Drops waiting and failed forwards of older versions of the instance. Returns their destinations.
 */
export const supersedeForwards = (
  database: Database,
  { sopInstanceUid, instanceId }: Pick<ForwardRecord, 'sopInstanceUid' | 'instanceId'>,
  { at, lastError }: Omit<ForwardAttempt, 'status'>,
) => readDestinationIds(database, SUPERSEDE_FORWARDS, [at, lastError, sopInstanceUid, instanceId])

/**
 * Drops waiting and failed forwards of an instance that was quarantined. Returns their
 * destinations.
 */
export const dropForwardsOfInstance = (
  database: Database,
  instanceId: number,
  { at, lastError }: Omit<ForwardAttempt, 'status'>,
) => readDestinationIds(database, DROP_OF_INSTANCE, [at, lastError, instanceId])

/** Destinations to which the instance was sent. */
export const destinationsSentTo = (database: Database, instanceId: number) =>
  readDestinationIds(database, SELECT_SENT_DESTINATIONS, [instanceId])

/**
 * Destinations for which `dropForwardsOfInstance` dropped the instance with this message, and for
 * which it has not been queued since.
 */
export const destinationsDroppedFor = (
  database: Database,
  instanceId: number,
  lastError: Message,
) =>
  readDestinationIds(database, SELECT_DROPPED_DESTINATIONS, [
    storedMessage(lastError),
    englishText(lastError),
    instanceId,
  ])

/**
 * Destinations that have or may have an instance: it was sent, is waiting, or an attempt failed.
 */
export const destinationsHolding = (database: Database, instanceIds: readonly number[]) =>
  readDestinationIds(database, SELECT_HOLDING_DESTINATIONS, [JSON.stringify(instanceIds)])

const readDestinationIds = (database: Database, text: string, parameters: readonly unknown[]) =>
  database
    .all(rawQuery<{ destinationId: string }>(text, parameters))
    .map(({ destinationId }) => destinationId)

/**
 * Counts of the forwards of a correction's rejection note and corrected copies to the destination.
 */
export function forwardsOfCorrection(
  database: Database,
  destinationId: string,
  correctionId: string,
) {
  const found = database.get(
    rawQuery<{ waiting: number; sent: number; failed: number; lastError: string }>(
      COUNT_OF_CORRECTION,
      [destinationId, correctionId, correctionId],
    ),
  )
  const { lastError = '', ...counts } = found ?? { waiting: 0, sent: 0, failed: 0 }
  return { ...counts, lastError: messageOrNull(lastError) }
}

/** Counts the forwards to one destination by state. */
export const countForwardsTo = (database: Database, destinationId: string) =>
  database.get(
    rawQuery<{ waiting: number; sent: number; failed: number }>(COUNT_QUEUE, [destinationId]),
  ) ?? { waiting: 0, sent: 0, failed: 0 }

/** Counts the waiting and failed forwards to all destinations. */
export const countForwards = (database: Database) =>
  database.get(rawQuery<{ waiting: number; failed: number }>(COUNT_ALL_OPEN, [])) ?? {
    waiting: 0,
    failed: 0,
  }

/**
 * Number of waiting instances of all destinations, and since when the oldest has been waiting. Only
 * one instance of each study is read for this, since the instances of a study are queued together.
 */
export const waitingForwards = (database: Database) =>
  database.get(rawQuery<{ count: number; since: string | null }>(SELECT_WAITING, [])) ?? {
    count: 0,
    since: null,
  }

/**
 * Lists studies with forwards, optionally of one destination or one study, most recently changed
 * first.
 */
export function listForwardedStudies(
  database: Database,
  {
    after,
    limit,
    destinationId,
    studyInstanceUid,
    show,
  }: SliceQuery & {
    readonly destinationId?: string | undefined
    readonly studyInstanceUid?: string | undefined
    readonly show: 'all' | 'waiting' | 'failed'
  },
) {
  const conditions = [
    FILTERS[show],
    ...(destinationId === undefined ? [] : ['destinationId = ?']),
    ...(studyInstanceUid === undefined
      ? []
      : ['studyInstanceUid = ? and destinationId in (select destinationId from destinations)']),
    ...(after === undefined ? [] : ['(updatedAt, destinationId, studyInstanceUid) < (?, ?, ?)']),
  ]
  const filters = [destinationId, studyInstanceUid].filter((value) => value !== undefined)
  const parameters = [...filters, ...(after === undefined ? [] : splitPosition(after))]
  // Without `indexed by`, SQLite scans all studies, because they are already in the order of the
  // list.
  const index =
    show === 'all' || studyInstanceUid !== undefined ? '' : ' indexed by forwardedStudiesOpen'
  const text = `select * from forwardedStudies${index} where ${conditions.join(' and ')}
    order by updatedAt desc, destinationId desc, studyInstanceUid desc limit ?`
  const rows = database.all(rawQuery<ForwardedStudyRecord>(text, [...parameters, limit + 1]))
  return sliceOf(
    rows,
    limit,
    (row) => `${row.updatedAt} ${row.destinationId} ${row.studyInstanceUid}`,
  )
}

/** Unsent forwards first, otherwise in the order in which they were queued. */
export function listForwards(
  database: Database,
  {
    after,
    limit,
    destinationId,
    studyInstanceUid,
  }: SliceQuery & { readonly destinationId: string; readonly studyInstanceUid: string },
) {
  const [isSent = 0, forwardId = 0] = (after ?? '').split(' ').map(Number)
  const text = `select * from forwards where destinationId = ? and studyInstanceUid = ? and (state = 'sent', forwardId) > (?, ?)
    order by state = 'sent', forwardId limit ?`
  const rows = database.all(
    rawQuery<ForwardRecord>(text, [destinationId, studyInstanceUid, isSent, forwardId, limit + 1]),
  )
  return sliceOf(rows, limit, (row) => `${Number(row.state === 'sent')} ${row.forwardId}`)
}

/** Splits a position into time, destination and study. A UID from a device may contain a space. */
function splitPosition(position: string): string[] {
  const [updatedAt = '', destinationId = '', ...uid] = position.split(' ')
  return [updatedAt, destinationId, uid.join(' ')]
}
