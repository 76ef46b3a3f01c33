import type { Selectable } from 'kysely'
import { z } from 'zod'
import type { Database } from '#server/database/database.ts'
import type { ReportTables } from '#server/database/tables/reports.ts'
import type { PriorReport } from '#server/modules/studies/study-queries.ts'
import type { Message } from '#shared/messages/message.ts'
import { MessageInJson } from '#shared/messages/message-schema.ts'

// The tables clinicalContexts and contextDocuments: the partner's clinical context of a study, and
// the documents that it refers to. Both are encrypted.

export interface ClinicalContextRecord {
  readonly studyId: string
  readonly state: 'answered' | 'empty' | 'failed'
  readonly askedAt: string
  /** Why there is no context, or what was left out of it. */
  readonly notes: readonly Message[]
  readonly clinicalIndication: string
  readonly technologistTechnique: string
  readonly technologistNotes: readonly string[]
  /**
   * Documents whose text was part of the response. Downloaded documents are in `contextDocuments`.
   */
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
/** A document that was downloaded. If the download failed, `detail` is a stored message. */
export type ContextDocument = Omit<Pick<StoredDocument, (typeof COLUMNS)[number]>, 'sealedName'> & {
  readonly fileName: string
}
export type NewContextDocument = Omit<ContextDocument, 'documentId' | 'bytes'> & {
  /** Its URL without the query. */
  readonly source: string | null
  readonly content: Buffer | null
}

/** The documents of a study, in the order of the response. */
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

/** Replaces the documents of a study. */
export const replaceContextDocuments = (
  database: Database,
  studyId: string,
  documents: readonly NewContextDocument[],
): void =>
  database.transaction(() => {
    const encrypt = (value: Buffer | string, what: Sealed) =>
      database.seal.seal(Buffer.from(value), contextOf(what, studyId))
    database.run(database.sql.deleteFrom('contextDocuments').where('studyId', '=', studyId))
    for (const { fileName, source, content, ...row } of documents)
      database.run(
        database.sql.insertInto('contextDocuments').values({
          ...row,
          sealedName: encrypt(fileName, 'name'),
          sealedSource: source === null ? null : encrypt(source, 'source'),
          sealedContent: content && encrypt(content, 'content'),
          bytes: content?.length ?? 0,
        }),
      )
  })

/**
 * Returns a document of the study with its content; undefined if it does not exist or the download
 * failed.
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
  const decrypt = (sealed: Buffer, what: Sealed) =>
    database.seal.open(sealed, contextOf(what, studyId))
  return {
    fileName: decrypt(row.sealedName, 'name').toString(),
    mediaType: row.mediaType,
    content: decrypt(row.sealedContent, 'content'),
  }
}

type Sealed = 'name' | 'source' | 'content'
const contextOf = (what: Sealed, studyId: string) => `context document ${what} ${studyId}`
