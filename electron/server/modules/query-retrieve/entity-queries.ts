import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { seriesSealContext } from '#server/modules/images/image-study-list-queries.ts'
import { IS_NO_REJECTION_NOTE } from '#server/modules/images/instance-queries.ts'
import type { FoundInstance, FoundSeries } from './found.ts'

// Reads series and instances of a study for queries. Only current instances count, and no rejection
// notes, so that nothing that is quarantined, superseded or withdrawn is ever returned.

type StoredSeries = Omit<FoundSeries, 'seriesDescription'> & { sealedDescription: Buffer | null }

const inListCondition = (column: string) => `${column} in (select value from json_each(?))`
const SELECT_SERIES = `select seriesInstanceUid, modality, seriesNumber, sealedDescription, instances
  from imageSeries where studyInstanceUid = ? and instances > 0`
const SELECT_INSTANCES = `select instanceId, seriesInstanceUid, sopInstanceUid, sopClassUid,
    transferSyntaxUid, instanceNumber, image
  from instances where state = 'current' and ${IS_NO_REJECTION_NOTE}`

/** The series of a study in the order of their numbers; all of them if `uids` is undefined. */
export const listFoundSeries = (
  database: Database,
  studyInstanceUid: string,
  uids: readonly string[] | undefined,
): FoundSeries[] =>
  database
    .all(
      rawQuery<StoredSeries>(
        `${SELECT_SERIES}${uids ? ` and ${inListCondition('seriesInstanceUid')}` : ''}
          order by cast(seriesNumber as integer), seriesInstanceUid`,
        [studyInstanceUid, ...(uids ? [JSON.stringify(uids)] : [])],
      ),
    )
    .map(({ sealedDescription: sealed, ...series }) => ({
      ...series,
      seriesDescription: sealed
        ? database.seal.open(sealed, seriesSealContext(studyInstanceUid)).toString()
        : '',
    }))

/** At most `limit` instances of a study after an instance id, of all series or of some. */
export function listFoundInstances(
  database: Database,
  studyInstanceUid: string,
  seriesUids: readonly string[] | undefined,
  sopInstanceUids: readonly string[] | undefined,
  after: number,
  limit: number,
): FoundInstance[] {
  // A unary plus keeps a condition from choosing the index: a SOP Instance UID finds one row, a
  // study all of its rows.
  const noIndexOperator = sopInstanceUids ? '+' : ''
  const conditions = [
    `${noIndexOperator}studyInstanceUid = ? and ${noIndexOperator}instanceId > ?`,
    ...(seriesUids ? [inListCondition('seriesInstanceUid')] : []),
    ...(sopInstanceUids ? [inListCondition('sopInstanceUid')] : []),
  ].map((condition) => ` and ${condition}`)
  return database.all(
    rawQuery<FoundInstance>(
      `${SELECT_INSTANCES}${conditions.join('')} order by instanceId limit ?`,
      [
        ...[studyInstanceUid, after],
        ...(seriesUids ? [JSON.stringify(seriesUids)] : []),
        ...(sopInstanceUids ? [JSON.stringify(sopInstanceUids)] : []),
        limit,
      ],
    ),
  )
}

const SELECT_SOP_CLASSES = `select distinct sopClassUid from instances
  where studyInstanceUid = ? and state = 'current' and ${IS_NO_REJECTION_NOTE} order by 1`

export const sopClassesOfStudy = (database: Database, studyInstanceUid: string): string[] =>
  database
    .all(rawQuery<{ sopClassUid: string }>(SELECT_SOP_CLASSES, [studyInstanceUid]))
    .map(({ sopClassUid }) => sopClassUid)

const SELECT_STUDIES_OF_SERIES = `select distinct studyInstanceUid from imageSeries
  where seriesInstanceUid in (select value from json_each(?))`
const SELECT_STUDIES_OF_INSTANCES = `select distinct studyInstanceUid from instances
  where sopInstanceUid in (select value from json_each(?)) and state = 'current'`

const studyUids = (database: Database, text: string, uids: readonly string[]): string[] =>
  database
    .all(rawQuery<{ studyInstanceUid: string }>(text, [JSON.stringify(uids)]))
    .map(({ studyInstanceUid }) => studyInstanceUid)

export const studiesOfSeries = (database: Database, seriesInstanceUids: readonly string[]) =>
  studyUids(database, SELECT_STUDIES_OF_SERIES, seriesInstanceUids)

export const studiesOfInstances = (database: Database, sopInstanceUids: readonly string[]) =>
  studyUids(database, SELECT_STUDIES_OF_INSTANCES, sopInstanceUids)
