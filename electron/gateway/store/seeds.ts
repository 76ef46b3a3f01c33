import type { StudyArea } from '#shared/contract/settings.ts'
import type { Database } from './database.ts'
import type { Seal } from './seal.ts'

/** The values that seeding or enrichment last wrote: JSON, in the form of whoever seeds. A field that still has that value was set by nobody else. */
export type SeedValues = Readonly<Record<string, unknown>>

export interface Seed {
  readonly area: StudyArea
  readonly studyId: string
  /** When it was first seeded. */
  readonly seededAt: string
  readonly seed: SeedValues
}

/** Studies of the interface that appeared by themselves. */
export interface Seeds {
  seeds(studyInstanceUid: string): Seed[]
  /** Seeding again keeps the time of the first. */
  keepSeed(studyInstanceUid: string, area: StudyArea, studyId: string, at: string, seed: SeedValues): void
}

export function seeds(db: Database, seal: Seal): Seeds {
  return {
    seeds: (studyInstanceUid) =>
      db
        .all(db.sql.selectFrom('seeds').selectAll().where('studyInstanceUid', '=', studyInstanceUid).orderBy('area'))
        .map(({ area, studyId, seededAt, sealedSeed }) => ({
          area: area as StudyArea,
          studyId,
          seededAt,
          seed: JSON.parse(seal.open(sealedSeed, contextOf(studyInstanceUid, area)).toString()),
        })),
    keepSeed(studyInstanceUid, area, studyId, at, seed) {
      const sealedSeed = seal.seal(Buffer.from(JSON.stringify(seed)), contextOf(studyInstanceUid, area))
      db.run(
        db.sql
          .insertInto('seeds')
          .values({ studyInstanceUid, area, studyId, seededAt: at, sealedSeed })
          .onConflict((old) => old.columns(['studyInstanceUid', 'area']).doUpdateSet({ studyId, sealedSeed })),
      )
    },
  }
}

const contextOf = (studyInstanceUid: string, area: string) => `seed ${area} ${studyInstanceUid}`
