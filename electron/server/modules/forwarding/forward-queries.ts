import type { Database } from '#server/database/database.ts'
import { type SliceQuery, sliceOf } from '#server/database/page.ts'
import { rawQuery } from '#server/database/query.ts'
import type { FORWARD_STATES } from '#shared/contract/destinations.ts'
import { english } from '#shared/messages/english.ts'
import { type Message, storedMessage } from '#shared/messages/message.ts'
import { messageOrNull } from '#shared/messages/message-schema.ts'

export type ForwardState = (typeof FORWARD_STATES)[number]

/** One instance on its way to one destination. */
export interface ForwardRecord {
  readonly forwardId: number
  readonly destinationId: string
  readonly instanceId: number
  readonly sopInstanceUid: string
  readonly studyInstanceUid: string
  readonly state: ForwardState
  /** Since it was queued. */
  readonly attempts: number
  /**
   * When it was appended, or last let wait anew: the time after which it is given up counts from
   * it.
   */
  readonly queuedAt: string
  /** When it is tried next; null where it is not waiting. */
  readonly nextAt: string | null
  /** DIMSE status of the last attempt, four hex digits; empty where there was none. */
  readonly status: string
  /** As it is stored; empty where there is none. */
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

/** What is on its way of a study; counted as it changes. */
export interface ForwardedStudyRecord {
  readonly destinationId: string
  readonly studyInstanceUid: string
  readonly waiting: number
  readonly sent: number
  readonly failed: number
  readonly dropped: number
  /**
   * Of the last attempt that failed, as it is stored; empty when everything of it was sent or
   * dropped.
   */
  readonly lastError: string
  readonly updatedAt: string
}

/** One try of one instance. */
export interface ForwardAttempt {
  readonly at: string
  readonly status: string
  readonly lastError: string
}

const APPEND = `
  insert into forwards (destinationId, instanceId, sopInstanceUid, studyInstanceUid, state, queuedAt, nextAt, status, lastError, sentAs,
    createdAt, updatedAt)
  values (?, ?, ?, ?, 'waiting', ?, ?, '', '', '', ?, ?)
  on conflict (destinationId, instanceId) do update
  set state = 'waiting', attempts = 0, queuedAt = excluded.queuedAt, nextAt = excluded.nextAt, status = '', lastError = '',
    updatedAt = excluded.updatedAt
  where state in ('failed', 'dropped')
  returning forwardId`
const DUE = `select * from forwards where state = 'waiting' and destinationId = ? and nextAt <= ? order by nextAt, forwardId limit ?`
const NEXT = `select min(nextAt) as nextAt from forwards where state = 'waiting' and destinationId = ?`
const OPEN = `where destinationId = ? and studyInstanceUid = ? and state in ('waiting', 'failed')`
const RETRY = `update forwards set state = 'waiting', attempts = 0, queuedAt = ?, nextAt = ?, updatedAt = ? ${OPEN}`
const DROP = `update forwards set state = 'dropped', nextAt = null, updatedAt = ? ${OPEN}`
const OPEN_STUDIES = `select studyInstanceUid from forwardedStudies where destinationId = ? and (waiting > 0 or failed > 0)`
// For every instance that is kept: by pairs, because the index of them begins with the destination.
const SUPERSEDE = `
  update forwards set state = 'dropped', nextAt = null, updatedAt = ?, lastError = ?
  where state in ('waiting', 'failed')
    and (destinationId, instanceId) in (
      select d.destinationId, n.instanceId from instances n cross join destinations d
      where n.sopInstanceUid = ? and n.instanceId <> ? and n.state <> 'current')
  returning destinationId`
// Through the destinations for the same index.
const OF_INSTANCE = `(destinationId, instanceId) in (select destinationId, ? from destinations)`
const SET_ASIDE = `
  update forwards set state = 'dropped', nextAt = null, updatedAt = ?, lastError = ?
  where state in ('waiting', 'failed') and ${OF_INSTANCE}
  returning destinationId`
const SENT_TO = `select destinationId from forwards where state = 'sent' and ${OF_INSTANCE}`
// Version 0.1 stored the English text.
const KEPT_FROM = `select destinationId from forwards where state = 'dropped' and lastError in (?, ?) and ${OF_INSTANCE}`
// A person who dropped an instance had decided that the destination does not get it.
const HOLDERS = `
  select distinct destinationId from forwards
  where state in ('sent', 'waiting', 'failed')
    and (destinationId, instanceId) in (
      select d.destinationId, i.value from json_each(?) i cross join destinations d)
  order by destinationId`
const CORRECTED = `
  select n.instanceId from correctedInstances c join instances n on n.instanceId = c.correctedId
  where c.correctionId = ? and n.state = 'current'
  union all
  select n.instanceId from rejectionNotes r join instances n using (sopInstanceUid)
  where r.correctionId = ? and n.state = 'current'`
// What was dropped counts as failed: the destination has the wrong version still. Copies that were
// corrected again are of that correction.
const OF_CORRECTION = `
  select total(state = 'waiting') as waiting, total(state = 'sent') as sent,
    total(state in ('failed', 'dropped')) as failed,
    ifnull(max(case when state <> 'sent' then lastError end), '') as lastError
  from forwards where (destinationId, instanceId) in (select ?, instanceId from (${CORRECTED}))`
const QUEUE = `select total(waiting) as waiting, total(sent) as sent, total(failed) as failed from forwardedStudies where destinationId = ?`
const SUMMARY = `select total(waiting) as waiting, total(failed) as failed from forwardedStudies where waiting > 0 or failed > 0`
const WAITING = `
  select total(s.waiting) as count, min((
    select f.queuedAt from forwards f
    where f.destinationId = s.destinationId and f.studyInstanceUid = s.studyInstanceUid and f.state = 'waiting'
    order by f.forwardId limit 1)) as since
  from forwardedStudies s indexed by forwardedStudiesOpen where (s.waiting > 0 or s.failed > 0) and s.waiting > 0`
const SHOWN = { all: 'true', waiting: 'waiting > 0', failed: 'failed > 0' } as const

/**
 * Its id; undefined where the instance is on its way there, or was sent, already. One that failed
 * or was dropped waits again.
 */
export function appendForward(
  database: Database,
  { destinationId, instanceId, sopInstanceUid, studyInstanceUid, at }: NewForward,
): number | undefined {
  const values = [destinationId, instanceId, sopInstanceUid, studyInstanceUid, at, at, at, at]
  const row = database.get(rawQuery<{ forwardId: number }>(APPEND, values))
  if (row) database.notify('forwards')
  return row?.forwardId
}

export const findForward = (database: Database, forwardId: number) =>
  database.get(rawQuery<ForwardRecord>('select * from forwards where forwardId = ?', [forwardId]))

/** Waiting ones of the destination that are due, those that waited longest first. */
export const dueForwards = (
  database: Database,
  destinationId: string,
  now: string,
  limit: number,
) => database.all(rawQuery<ForwardRecord>(DUE, [destinationId, now, limit]))

/** When the next waiting one of the destination is due. */
export const nextForwardDue = (database: Database, destinationId: string): string | undefined =>
  database.get(rawQuery<{ nextAt: string | null }>(NEXT, [destinationId]))?.nextAt ?? undefined

/** The one attempt that ended it, or a person who dropped it. Whether it was still waiting. */
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

/** Counts a failed attempt; it waits until `nextAt`. */
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

/** Studies of the destination that something waits or failed of. */
export const openStudies = (database: Database, destinationId: string): string[] =>
  database
    .all(rawQuery<{ studyInstanceUid: string }>(OPEN_STUDIES, [destinationId]))
    .map(({ studyInstanceUid }) => studyInstanceUid)

/**
 * Lets what waits or failed of the study be due now; attempts and `queuedAt` begin anew. How many.
 */
export function retryForwards(
  database: Database,
  destinationId: string,
  studyInstanceUid: string,
  at: string,
): number {
  const count = database.run(rawQuery(RETRY, [at, at, at, destinationId, studyInstanceUid])).changes
  if (count > 0) database.notify('forwards')
  return count
}

/** Drops what waits or failed of the study. How many. */
export const dropForwards = (
  database: Database,
  destinationId: string,
  studyInstanceUid: string,
  at: string,
): number => database.run(rawQuery(DROP, [at, destinationId, studyInstanceUid])).changes

/**
 * Drops what waits or failed of other versions of the instance: it took their place. The
 * destinations they were for.
 */
export const supersedeForwards = (
  database: Database,
  { sopInstanceUid, instanceId }: Pick<ForwardRecord, 'sopInstanceUid' | 'instanceId'>,
  { at, lastError }: Omit<ForwardAttempt, 'status'>,
) => destinationsIn(database, SUPERSEDE, [at, lastError, sopInstanceUid, instanceId])

/** Drops what waits or failed of the instance, which was set aside. The destinations it was for. */
export const setForwardsAside = (
  database: Database,
  instanceId: number,
  { at, lastError }: Omit<ForwardAttempt, 'status'>,
) => destinationsIn(database, SET_ASIDE, [at, lastError, instanceId])

/** Destinations that the instance was sent to. */
export const destinationsSentTo = (database: Database, instanceId: number) =>
  destinationsIn(database, SENT_TO, [instanceId])

/**
 * Destinations that `setForwardsAside` dropped the instance for, in the same words, and that it was
 * not appended to since.
 */
export const destinationsKeptFrom = (database: Database, instanceId: number, lastError: Message) =>
  destinationsIn(database, KEPT_FROM, [storedMessage(lastError), english(lastError), instanceId])

/**
 * Destinations that an instance was sent to or waits for, or that may have it although the attempts
 * failed.
 */
export const destinationsHolding = (database: Database, instanceIds: readonly number[]) =>
  destinationsIn(database, HOLDERS, [JSON.stringify(instanceIds)])

const destinationsIn = (database: Database, text: string, parameters: readonly unknown[]) =>
  database
    .all(rawQuery<{ destinationId: string }>(text, parameters))
    .map(({ destinationId }) => destinationId)

/** How the rejection note and the corrected copies of a correction stand at the destination. */
export function forwardsOfCorrection(
  database: Database,
  destinationId: string,
  correctionId: string,
) {
  const found = database.get(
    rawQuery<{ waiting: number; sent: number; failed: number; lastError: string }>(OF_CORRECTION, [
      destinationId,
      correctionId,
      correctionId,
    ]),
  )
  const { lastError = '', ...counts } = found ?? { waiting: 0, sent: 0, failed: 0 }
  return { ...counts, lastError: messageOrNull(lastError) }
}

/** Counts of one destination. */
export const countForwardsTo = (database: Database, destinationId: string) =>
  database.get(
    rawQuery<{ waiting: number; sent: number; failed: number }>(QUEUE, [destinationId]),
  ) ?? { waiting: 0, sent: 0, failed: 0 }

/** Counts of all destinations. */
export const countForwards = (database: Database) =>
  database.get(rawQuery<{ waiting: number; failed: number }>(SUMMARY, [])) ?? {
    waiting: 0,
    failed: 0,
  }

/**
 * Instances that wait, of all destinations, and since when the one that waited longest of them. One
 * instance of each study is looked at: those of a study are queued together.
 */
export const waitingForwards = (database: Database) =>
  database.get(rawQuery<{ count: number; since: string | null }>(WAITING, [])) ?? {
    count: 0,
    since: null,
  }

/** The study that last changed first, of one destination or of all, of one study or of all. */
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
    SHOWN[show],
    ...(destinationId === undefined ? [] : ['destinationId = ?']),
    ...(studyInstanceUid === undefined
      ? []
      : ['studyInstanceUid = ? and destinationId in (select destinationId from destinations)']),
    ...(after === undefined ? [] : ['(updatedAt, destinationId, studyInstanceUid) < (?, ?, ?)']),
  ]
  const wanted = [destinationId, studyInstanceUid].filter((value) => value !== undefined)
  const parameters = [...wanted, ...(after === undefined ? [] : partsOf(after))]
  // Without being told, SQLite looks through all there ever were because they are in the order
  // of the list.
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

/** What is not sent first, else in the order in which they were appended. */
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

/** Instant, destination and study of a position; a device may have put a space into its UID. */
function partsOf(position: string): string[] {
  const [updatedAt = '', destinationId = '', ...uid] = position.split(' ')
  return [updatedAt, destinationId, uid.join(' ')]
}
