import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import type { Row } from '#server/database/schema.ts'

/** A legal hold on a study, which keeps its local files and prevents its erasure. */
export interface HoldRecord {
  readonly holdId: string
  readonly studyInstanceUid: string
  readonly reason: string
  readonly userId: string
  readonly placedAt: string
  readonly liftedBy: string | null
  readonly liftedAt: string | null
}

const contextOf = (holdId: string) => `legal hold ${holdId}`

/** The holds of a study, newest first. */
export const listHolds = (database: Database, studyInstanceUid: string): HoldRecord[] =>
  database
    .all(
      rawQuery<Row<'legalHolds'>>(
        'select * from legalHolds where studyInstanceUid = ? order by placedAt desc, holdId',
        [studyInstanceUid],
      ),
    )
    .map(({ sealedReason, ...row }) => ({
      ...row,
      reason: database.seal.open(sealedReason, contextOf(row.holdId)).toString(),
    }))

export const isHeld = (database: Database, studyInstanceUid: string): boolean =>
  database.get(
    rawQuery('select 1 from legalHolds where studyInstanceUid = ? and liftedAt is null', [
      studyInstanceUid,
    ]),
  ) !== undefined

export const insertHold = (
  database: Database,
  { reason, ...hold }: Omit<HoldRecord, 'liftedBy' | 'liftedAt'>,
) =>
  database.run(
    database.sql.insertInto('legalHolds').values({
      ...hold,
      sealedReason: database.seal.seal(Buffer.from(reason), contextOf(hold.holdId)),
    }),
  )

/** Lifts the hold in force. Returns whether there was one. */
export const liftHold = (
  database: Database,
  studyInstanceUid: string,
  by: { readonly liftedBy: string; readonly liftedAt: string },
): boolean =>
  database.run(
    database.sql
      .updateTable('legalHolds')
      .set(by)
      .where('studyInstanceUid', '=', studyInstanceUid)
      .where('liftedAt', 'is', null),
  ).changes > 0
