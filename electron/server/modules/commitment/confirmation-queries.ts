import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { BY_PRESENT_NODE_CONDITION } from '#server/modules/images/instance-copy-queries.ts'
import { type Message, storedOrEmpty } from '#shared/messages/message.ts'
import { messageOrNull } from '#shared/messages/message-schema.ts'

/**
 * waiting: to be asked at `nextAt`; asked: the result is expected until `nextAt`; answered: nothing
 * more to ask; given-up: no more attempts until further images are sent or a user asks.
 */
export type ConfirmationState = 'waiting' | 'asked' | 'answered' | 'given-up'

/** The storage commitment of a study by a destination. */
export interface ConfirmationRecord {
  readonly destinationId: string
  readonly studyInstanceUid: string
  readonly transactionUid: string | null
  readonly state: ConfirmationState
  readonly attempts: number
  readonly nextAt: string | null
  readonly lastError: Message | null
  readonly updatedAt: string
}
export type ConfirmationKey = Pick<ConfirmationRecord, 'destinationId' | 'studyInstanceUid'>

/** An instance whose storage a destination was asked to confirm. */
export interface ConfirmationItem {
  readonly instanceId: number
  readonly sopClassUid: string
  readonly sopInstanceUid: string
}

type Row = Omit<ConfirmationRecord, 'lastError'> & { readonly lastError: string }

const KEY_CONDITION = 'destinationId = ? and studyInstanceUid = ?'
// Instances that were sent, are current and are not confirmed. Where two versions with the same UID
// were sent, a confirmation could mean either, so neither is asked for.
const SELECT_TO_CONFIRM = `
  with sentOnes as (
    select sopInstanceUid, count(*) as versions from forwards
    where ${KEY_CONDITION} and state = 'sent' group by sopInstanceUid)
  select n.instanceId, n.sopClassUid, n.sopInstanceUid from sentOnes s
  join instances n on n.sopInstanceUid = s.sopInstanceUid and n.state = 'current'
  join forwards w on w.destinationId = ? and w.instanceId = n.instanceId and w.state = 'sent'
  where s.versions = 1 and n.localRemovedAt is null and not exists (
    select 1 from instanceCopies c where c.instanceId = n.instanceId
      and c.destinationId = w.destinationId and c.kind = 'commitment'
      and ${BY_PRESENT_NODE_CONDITION})
  order by n.instanceId`

export const listDueConfirmations = (
  database: Database,
  now: string,
  limit: number,
): ConfirmationRecord[] => all(database, 'where nextAt <= ? order by nextAt limit ?', now, limit)

export const nextConfirmationDue = (database: Database): string | undefined =>
  database.get(
    rawQuery<{ nextAt: string | null }>('select min(nextAt) as nextAt from confirmations', []),
  )?.nextAt ?? undefined

export const findConfirmationOf = (
  database: Database,
  transactionUid: string,
): ConfirmationRecord | undefined => all(database, 'where transactionUid = ?', transactionUid)[0]

export const listConfirmationsOf = (
  database: Database,
  studyInstanceUid: string,
): ConfirmationRecord[] => all(database, 'where studyInstanceUid = ?', studyInstanceUid)

export const listInstancesToConfirm = (
  database: Database,
  { destinationId, studyInstanceUid }: ConfirmationKey,
): ConfirmationItem[] =>
  database.all(
    rawQuery<ConfirmationItem>(SELECT_TO_CONFIRM, [destinationId, studyInstanceUid, destinationId]),
  )

/** Whether images of the study are still being sent to the destination, or still arriving. */
export const hasImagesInTransit = (
  database: Database,
  { destinationId, studyInstanceUid }: ConfirmationKey,
): boolean =>
  database.get(
    rawQuery(
      `select 1 from forwardedStudies where ${KEY_CONDITION} and waiting > 0
        union all select 1 from imageStudies where studyInstanceUid = ? and state = 'receiving'`,
      [destinationId, studyInstanceUid, studyInstanceUid],
    ),
  ) !== undefined

/** Records the request that is about to be sent, so that a result that arrives at once is known. */
export function recordRequest(
  database: Database,
  { destinationId, studyInstanceUid }: ConfirmationKey,
  {
    transactionUid,
    items,
    at,
    nextAt,
  }: {
    readonly transactionUid: string
    readonly items: readonly ConfirmationItem[]
    readonly at: string
    readonly nextAt: string
  },
): void {
  const key = [destinationId, studyInstanceUid]
  database.run(rawQuery(`delete from confirmationItems where ${KEY_CONDITION}`, key))
  database.run(
    rawQuery(
      `update confirmations set state = 'asked', transactionUid = ?, nextAt = ?, updatedAt = ? where ${KEY_CONDITION}`,
      [transactionUid, nextAt, at, ...key],
    ),
  )
  for (const { instanceId, sopClassUid, sopInstanceUid } of items)
    database.run(
      rawQuery('insert into confirmationItems values (?, ?, ?, ?, ?, null)', [
        ...key,
        instanceId,
        sopClassUid,
        sopInstanceUid,
      ]),
    )
}

export const listAskedItems = (
  database: Database,
  { destinationId, studyInstanceUid }: ConfirmationKey,
): ConfirmationItem[] =>
  database.all(
    rawQuery<ConfirmationItem>(
      `select instanceId, sopClassUid, sopInstanceUid from confirmationItems where ${KEY_CONDITION} order by instanceId`,
      [destinationId, studyInstanceUid],
    ),
  )

export function setItemFailure(
  database: Database,
  { destinationId, studyInstanceUid }: ConfirmationKey,
  instanceId: number,
  failureReason: number,
): void {
  database.run(
    rawQuery(
      `update confirmationItems set failureReason = ? where ${KEY_CONDITION} and instanceId = ?`,
      [failureReason, destinationId, studyInstanceUid, instanceId],
    ),
  )
}

export function updateConfirmation(
  database: Database,
  { destinationId, studyInstanceUid }: ConfirmationKey,
  {
    state,
    attempts,
    nextAt,
    lastError,
    updatedAt,
  }: Pick<ConfirmationRecord, 'state' | 'attempts' | 'nextAt' | 'lastError' | 'updatedAt'>,
): void {
  database.run(
    rawQuery(
      `update confirmations set state = ?, attempts = ?, nextAt = ?, lastError = ?, updatedAt = ? where ${KEY_CONDITION}`,
      [
        state,
        attempts,
        nextAt,
        storedOrEmpty(lastError),
        updatedAt,
        destinationId,
        studyInstanceUid,
      ],
    ),
  )
}

const all = (
  database: Database,
  where: string,
  ...parameters: (string | number)[]
): ConfirmationRecord[] =>
  database
    .all(rawQuery<Row>(`select * from confirmations ${where}`, parameters))
    .map((row) => ({ ...row, lastError: messageOrNull(row.lastError) }))
