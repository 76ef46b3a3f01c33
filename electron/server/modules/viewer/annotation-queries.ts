import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'

/** What one person, or one view that nobody is named for, has drawn on a study. */
export interface KeptAnnotations {
  /** From 1; grows by one at each save. */
  readonly revision: number
  readonly annotations: unknown[]
}

/** Sealed at rest: a text that somebody writes into an image may name the patient. */
export interface AnnotationsStore {
  get(studyInstanceUid: string, owner: string): KeptAnnotations | undefined
  /** Of the last save, without opening what is sealed; 0 where there is none. */
  revisionOf(studyInstanceUid: string, owner: string): number
  /** In the place of what this owner had. */
  put(
    studyInstanceUid: string,
    owner: string,
    revision: number,
    annotations: readonly unknown[],
    at: string,
  ): void
  /** Forgets what this owner has drawn on any study; on how many. */
  removeOf(owner: string): number
}

export function annotationsStore(db: Database, seal: Seal): AnnotationsStore {
  const of = (studyInstanceUid: string, owner: string) =>
    db.sql
      .selectFrom('annotations')
      .where('studyInstanceUid', '=', studyInstanceUid)
      .where('owner', '=', owner)
  return {
    get(studyInstanceUid, owner) {
      const row = db.get(of(studyInstanceUid, owner).select(['revision', 'sealedAnnotations']))
      if (!row) return undefined
      const text = seal.open(row.sealedAnnotations, contextOf(studyInstanceUid, owner)).toString()
      return { revision: row.revision, annotations: JSON.parse(text) as unknown[] }
    },
    revisionOf: (studyInstanceUid, owner) =>
      db.get(of(studyInstanceUid, owner).select('revision'))?.revision ?? 0,
    put(studyInstanceUid, owner, revision, annotations, at) {
      const sealedAnnotations = seal.seal(
        Buffer.from(JSON.stringify(annotations)),
        contextOf(studyInstanceUid, owner),
      )
      const changed = { revision, sealedAnnotations, updatedAt: at }
      db.run(
        db.sql
          .insertInto('annotations')
          .values({ studyInstanceUid, owner, ...changed })
          .onConflict((old) => old.columns(['studyInstanceUid', 'owner']).doUpdateSet(changed)),
      )
    },
    removeOf: (owner) =>
      db.run(db.sql.deleteFrom('annotations').where('owner', '=', owner)).changes,
  }
}

const contextOf = (studyInstanceUid: string, owner: string) =>
  `annotations ${studyInstanceUid} ${owner}`
