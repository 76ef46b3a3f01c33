import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import type { StudyArea } from '#shared/contract/settings.ts'

/** The values that seeding or enrichment last wrote: JSON, in the form of whoever seeds. */
export type SeedValues = Readonly<Record<string, unknown>>

export interface Seed {
  readonly area: StudyArea
  readonly studyId: string
  /** When it was first seeded. */
  readonly seededAt: string
  readonly seed: SeedValues
  /**
   * Names of the fields that a person or a call of the interface has set since, even to the value
   * that was there.
   */
  readonly touched: readonly string[]
}

/** Studies of the interface that appeared by themselves. */
export interface Seeds {
  seeds(studyInstanceUid: string): Seed[]
  /** Notes that somebody has set these fields; nothing where the study was not seeded. */
  touchSeed(studyId: string, fields: readonly string[]): void
  /** Seeding again keeps the time of the first, and what was touched. */
  keepSeed(
    studyInstanceUid: string,
    area: StudyArea,
    studyId: string,
    at: string,
    seed: SeedValues,
  ): void
}

const TOUCH = `update seeds set touched = (
    select json_group_array(value) from (select value from json_each(touched) union select value from json_each(?)))
  where studyId = ?`

export function seeds(db: Database, seal: Seal): Seeds {
  return {
    seeds: (studyInstanceUid) =>
      db
        .all(
          db.sql
            .selectFrom('seeds')
            .selectAll()
            .where('studyInstanceUid', '=', studyInstanceUid)
            .orderBy('area'),
        )
        .map(({ area, studyId, seededAt, sealedSeed, touched }) => ({
          area: area as StudyArea,
          studyId,
          seededAt,
          seed: JSON.parse(seal.open(sealedSeed, contextOf(studyInstanceUid, area)).toString()),
          touched: JSON.parse(touched),
        })),
    touchSeed: (studyId, fields) =>
      void (fields.length > 0 && db.run(rawQuery(TOUCH, [JSON.stringify(fields), studyId]))),
    keepSeed(studyInstanceUid, area, studyId, at, seed) {
      const sealedSeed = seal.seal(
        Buffer.from(JSON.stringify(seed)),
        contextOf(studyInstanceUid, area),
      )
      db.run(
        db.sql
          .insertInto('seeds')
          .values({ studyInstanceUid, area, studyId, seededAt: at, sealedSeed })
          .onConflict((old) =>
            old.columns(['studyInstanceUid', 'area']).doUpdateSet({ studyId, sealedSeed }),
          ),
      )
    },
  }
}

const contextOf = (studyInstanceUid: string, area: string) => `seed ${area} ${studyInstanceUid}`
