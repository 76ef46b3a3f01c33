import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import type { StudyArea } from '#shared/contract/settings.ts'

/** A study of the interface that the gateway created of images. */
export interface CreatedStudy {
  readonly area: StudyArea
  readonly studyId: string
  /** When it was created. */
  readonly seededAt: string
  /** The values that its creation or enrichment last wrote: JSON, in the form of the component that creates it. */
  readonly values: unknown
  /**
   * Names of the fields that a person or a call of the interface has set since, even to the value
   * that was there.
   */
  readonly touched: readonly string[]
}

const TOUCH = `update seeds set touched = (
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

/** Notes that somebody has set these fields; nothing where the gateway did not create the study. */
export function noteTouchedFields(
  database: Database,
  studyId: string,
  fields: readonly string[],
): void {
  fields.length > 0 && database.run(rawQuery(TOUCH, [JSON.stringify(fields), studyId]))
}

/** A study that is kept again has the time of its creation, and what was touched. */
export function keepCreatedStudy(
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
