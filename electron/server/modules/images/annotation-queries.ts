import type { Database } from '#server/database/database.ts'
import type { Schema } from '#server/database/schema.ts'

// The table annotations.

const annotationContext = (studyInstanceUid: string, owner: string) =>
  `annotations ${studyInstanceUid} ${owner}`

/**
 * What the owner has drawn on the study. It is encrypted: a text that somebody writes into an image
 * may name the patient.
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

/** Of the last save, without decrypting it; 0 where there is none. */
export const annotationRevision = (database: Database, studyInstanceUid: string, owner: string) =>
  database.get(annotationsOf(database, studyInstanceUid, owner).select('revision'))?.revision ?? 0

const annotationsOf = ({ sql }: Database, studyInstanceUid: string, owner: string) =>
  sql
    .selectFrom('annotations')
    .where('studyInstanceUid', '=', studyInstanceUid)
    .where('owner', '=', owner)

/** Replaces what this owner had. */
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

/** Deletes what this owner has drawn on any study. */
export const deleteAnnotationsOf = (database: Database, owner: string) =>
  database.run(database.sql.deleteFrom('annotations').where('owner', '=', owner))
