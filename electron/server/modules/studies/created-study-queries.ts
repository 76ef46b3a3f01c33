import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import type { StudyArea } from '#shared/contract/settings.ts'

/** A study of the interface that the gateway created from received images. */
export interface CreatedStudy {
  readonly area: StudyArea
  readonly studyId: string
  /** When it was created. */
  readonly seededAt: string
  /**
   * The values last written by its creation or enrichment, as JSON in the form of the component
   * that creates it.
   */
  readonly values: unknown
  /** Names of the fields that a user or an interface call has set since, even to the same value. */
  readonly touched: readonly string[]
}

const UPDATE_TOUCHED_FIELDS = `update seeds set touched = (
    select json_group_array(value) from (select value from json_each(touched) union select value from json_each(?)))
  where studyId = ?`

export const listCreatedStudies = (database: Database, studyInstanceUid: string): CreatedStudy[] =>
  database
    .all(
      database.sql
        .selectFrom('seeds')
        .selectAll()
        .where('studyInstanceUid', '=', studyInstanceUid)
        .orderBy('area'),
    )
    .map(({ area, studyId, seededAt, sealedSeed, touched }) => ({
      area: area as StudyArea,
      studyId,
      seededAt,
      values: JSON.parse(
        database.seal.open(sealedSeed, contextOf(studyInstanceUid, area)).toString(),
      ),
      touched: JSON.parse(touched),
    }))

/**
 * Records that these fields were set by a user or an interface call. Does nothing if the gateway
 * did not create the study.
 */
export function noteTouchedFields(
  database: Database,
  studyId: string,
  fields: readonly string[],
): void {
  fields.length > 0 &&
    database.run(rawQuery(UPDATE_TOUCHED_FIELDS, [JSON.stringify(fields), studyId]))
}

/**
 * Records a study that the gateway created. If it is recorded already, the time of its creation and
 * the touched fields are kept.
 */
export function saveCreatedStudy(
  database: Database,
  studyInstanceUid: string,
  area: StudyArea,
  studyId: string,
  at: string,
  values: unknown,
): void {
  const sealedSeed = database.seal.seal(
    Buffer.from(JSON.stringify(values)),
    contextOf(studyInstanceUid, area),
  )
  database.run(
    database.sql
      .insertInto('seeds')
      .values({ studyInstanceUid, area, studyId, seededAt: at, sealedSeed })
      .onConflict((old) =>
        old.columns(['studyInstanceUid', 'area']).doUpdateSet({ studyId, sealedSeed }),
      ),
  )
}

const contextOf = (studyInstanceUid: string, area: string) => `seed ${area} ${studyInstanceUid}`
