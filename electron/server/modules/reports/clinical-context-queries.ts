import type { Selectable } from 'kysely'
import { z } from 'zod'
import type { Database } from '#server/database/database.ts'
import type { ReportTables } from '#server/database/tables/reports.ts'
import type { PriorReport } from '#server/modules/studies/study-queries.ts'
import type { Message } from '#shared/messages/message.ts'
import { MessageInJson } from '#shared/messages/message-schema.ts'

// The tables clinicalContexts and contextDocuments: what the partner answered about the patient of
// a study, and the documents that the answer named. Both are encrypted.

export interface ClinicalContextRecord {
  readonly studyId: string
  readonly state: 'answered' | 'empty' | 'failed'
  readonly askedAt: string
  /** Why there is none, or what was left out. */
  readonly notes: readonly Message[]
  readonly clinicalIndication: string
  readonly technologistTechnique: string
  readonly technologistNotes: readonly string[]
  /** Documents whose text came with the answer; those that were fetched are `contextDocuments`. */
  readonly documents: readonly { readonly fileName: string; readonly content: readonly string[] }[]
  readonly priorReports: readonly PriorReport[]
}

export function findClinicalContext(
  database: Database,
  studyId: string,
): ClinicalContextRecord | undefined {
  const row = database.get(
    database.sql.selectFrom('clinicalContexts').selectAll().where('studyId', '=', studyId),
  )
  if (!row) return undefined
  const { sealedContext, ...rest } = row
  const { notes, ...context } = JSON.parse(
    database.seal.open(sealedContext, `clinical context ${studyId}`).toString(),
  )
  return {
    ...(rest as Pick<ClinicalContextRecord, 'studyId' | 'state' | 'askedAt'>),
    ...context,
    notes: z.array(MessageInJson).parse(notes),
  }
}

export function putClinicalContext(
  database: Database,
  { studyId, state, askedAt, ...context }: ClinicalContextRecord,
): void {
  const bytes = Buffer.from(JSON.stringify(context))
  const sealedContext = database.seal.seal(bytes, `clinical context ${studyId}`)
  const row = { studyId, state, askedAt, sealedContext }
  database.run(
    database.sql
      .insertInto('clinicalContexts')
      .values(row)
      .onConflict((old) => old.column('studyId').doUpdateSet(row)),
  )
}

type StoredDocument = Selectable<ReportTables['contextDocuments']>
const COLUMNS = [
  ...(['documentId', 'studyId', 'sealedName', 'mediaType'] as const),
  ...(['state', 'detail', 'bytes', 'fetchedAt'] as const),
] as const
/** A document that was fetched, or could not be: then `detail` is a stored message. */
export type ContextDocument = Omit<Pick<StoredDocument, (typeof COLUMNS)[number]>, 'sealedName'> & {
  readonly fileName: string
}
export type NewContextDocument = Omit<ContextDocument, 'documentId' | 'bytes'> & {
  /** Its address, without a query. */
  readonly source: string | null
  readonly content: Buffer | null
}

/** In the order of the answer. */
export const listContextDocuments = (database: Database, studyId: string): ContextDocument[] =>
  database
    .all(
      database.sql
        .selectFrom('contextDocuments')
        .select(COLUMNS)
        .where('studyId', '=', studyId)
        .orderBy('documentId'),
    )
    .map(({ sealedName, ...row }) => ({
      ...row,
      fileName: database.seal.open(sealedName, contextOf('name', studyId)).toString(),
    }))

/** Those of an earlier answer are deleted. */
export const replaceContextDocuments = (
  database: Database,
  studyId: string,
  documents: readonly NewContextDocument[],
): void =>
  database.transaction(() => {
    const sealed = (value: Buffer | string, what: Sealed) =>
      database.seal.seal(Buffer.from(value), contextOf(what, studyId))
    database.run(database.sql.deleteFrom('contextDocuments').where('studyId', '=', studyId))
    for (const { fileName, source, content, ...row } of documents)
      database.run(
        database.sql.insertInto('contextDocuments').values({
          ...row,
          sealedName: sealed(fileName, 'name'),
          sealedSource: source === null ? null : sealed(source, 'source'),
          sealedContent: content && sealed(content, 'content'),
          bytes: content?.length ?? 0,
        }),
      )
  })

/**
 * A document of the study with its bytes; undefined where it is not there, or could not be fetched.
 * @throws StoreError seal-broken
 */
export function readContextDocument(database: Database, studyId: string, documentId: number) {
  const row = database.get(
    database.sql
      .selectFrom('contextDocuments')
      .select(['sealedName', 'mediaType', 'sealedContent'])
      .where('documentId', '=', documentId)
      .where('studyId', '=', studyId),
  )
  if (!row?.sealedContent) return undefined
  const opened = (sealed: Buffer, what: Sealed) =>
    database.seal.open(sealed, contextOf(what, studyId))
  return {
    fileName: opened(row.sealedName, 'name').toString(),
    mediaType: row.mediaType,
    content: opened(row.sealedContent, 'content'),
  }
}

type Sealed = 'name' | 'source' | 'content'
const contextOf = (what: Sealed, studyId: string) => `context document ${what} ${studyId}`
