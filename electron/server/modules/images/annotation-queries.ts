import type { Database } from '#server/database/database.ts'
import type { Schema } from '#server/database/schema.ts'

// SQL of the table annotations.

const annotationContext = (studyInstanceUid: string, owner: string) =>
  `annotations ${studyInstanceUid} ${owner}`

/**
 * The owner's annotations of the study. They are encrypted, because their text may identify the
 * patient.
 */
export function findAnnotations(database: Database, studyInstanceUid: string, owner: string) {
  const row = database.get(
    annotationsOf(database, studyInstanceUid, owner).select(['revision', 'sealedAnnotations']),
  )
  if (!row) return undefined
  const context = annotationContext(studyInstanceUid, owner)
  const annotations: unknown[] = JSON.parse(
    database.seal.open(row.sealedAnnotations, context).toString(),
  )
  return { revision: row.revision, annotations }
}

/** Revision of the last save; 0 if there is none. Does not decrypt the annotations. */
export const annotationRevision = (database: Database, studyInstanceUid: string, owner: string) =>
  database.get(annotationsOf(database, studyInstanceUid, owner).select('revision'))?.revision ?? 0

const annotationsOf = ({ sql }: Database, studyInstanceUid: string, owner: string) =>
  sql
    .selectFrom('annotations')
    .where('studyInstanceUid', '=', studyInstanceUid)
    .where('owner', '=', owner)

/** Replaces the owner's annotations of the study. */
export function putAnnotations(
  database: Database,
  {
    annotations,
    ...row
  }: Omit<Schema['annotations'], 'sealedAnnotations'> & {
    readonly annotations: readonly unknown[]
  },
) {
  const { studyInstanceUid, owner, revision, updatedAt } = row
  const sealedAnnotations = database.seal.seal(
    Buffer.from(JSON.stringify(annotations)),
    annotationContext(studyInstanceUid, owner),
  )
  const changed = { revision, sealedAnnotations, updatedAt }
  database.run(
    database.sql
      .insertInto('annotations')
      .values({ ...row, sealedAnnotations })
      .onConflict((old) => old.columns(['studyInstanceUid', 'owner']).doUpdateSet(changed)),
  )
}

/** Deletes the owner's annotations of all studies. */
export const deleteAnnotationsOf = (database: Database, owner: string) =>
  database.run(database.sql.deleteFrom('annotations').where('owner', '=', owner))
