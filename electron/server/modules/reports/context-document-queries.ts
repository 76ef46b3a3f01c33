import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'

/** A document of a clinical context that was fetched, or could not be. */
export interface ContextDocumentEntry {
  readonly documentId: number
  readonly studyId: string
  /** Sealed at rest, as what it was fetched from and what it holds. */
  readonly fileName: string
  readonly mediaType: string
  readonly state: 'kept' | 'failed'
  /** One sentence where it failed. */
  readonly detail: string
  readonly bytes: number
  readonly fetchedAt: string
}
export interface NewContextDocument extends Omit<ContextDocumentEntry, 'documentId' | 'bytes'> {
  /** Its address, without a query. */
  readonly source: string | null
  readonly content: Buffer | null
}

export interface ContextDocumentsStore {
  /** In the order of the answer. */
  ofStudy(studyId: string): ContextDocumentEntry[]
  /** Those of an earlier answer give way. */
  replace(studyId: string, documents: readonly NewContextDocument[]): void
  get(documentId: number): ContextDocumentEntry | undefined
  /** Undefined where it is not here. @throws StoreError seal-broken */
  read(documentId: number): Buffer | undefined
}

export function contextDocumentsStore(db: Database, seal: Seal): ContextDocumentsStore {
  const columns = [
    'documentId',
    'studyId',
    'sealedName',
    'mediaType',
    'state',
    'detail',
    'bytes',
    'fetchedAt',
  ] as const
  const entryOf = ({ sealedName, ...row }: StoredEntry): ContextDocumentEntry =>
    ({
      ...row,
      fileName: seal.open(sealedName, contextOf('name', row.studyId)).toString(),
    }) as ContextDocumentEntry
  const sealed = (value: Buffer | string | null, what: What, studyId: string) =>
    value === null ? null : seal.seal(Buffer.from(value), contextOf(what, studyId))

  return {
    ofStudy: (studyId) =>
      db
        .all(
          db.sql
            .selectFrom('contextDocuments')
            .select(columns)
            .where('studyId', '=', studyId)
            .orderBy('documentId'),
        )
        .map(entryOf),
    replace: (studyId, documents) =>
      db.transaction(() => {
        db.run(db.sql.deleteFrom('contextDocuments').where('studyId', '=', studyId))
        for (const { fileName, source, content, ...row } of documents) {
          const sealedName = seal.seal(Buffer.from(fileName), contextOf('name', studyId))
          const [sealedSource, sealedContent] = [
            sealed(source, 'source', studyId),
            sealed(content, 'content', studyId),
          ]
          const bytes = content?.length ?? 0
          db.run(
            db.sql
              .insertInto('contextDocuments')
              .values({ ...row, studyId, sealedName, sealedSource, sealedContent, bytes }),
          )
        }
      }),
    get(documentId) {
      const row = db.get(
        db.sql.selectFrom('contextDocuments').select(columns).where('documentId', '=', documentId),
      )
      return row && entryOf(row)
    },
    read(documentId) {
      const row = db.get(
        db.sql
          .selectFrom('contextDocuments')
          .select(['studyId', 'sealedContent'])
          .where('documentId', '=', documentId),
      )
      return row?.sealedContent
        ? seal.open(row.sealedContent, contextOf('content', row.studyId))
        : undefined
    },
  }
}

type What = 'name' | 'source' | 'content'
type StoredEntry = Omit<{ [K in keyof ContextDocumentEntry]: unknown }, 'fileName'> & {
  studyId: string
  sealedName: Buffer
}
const contextOf = (what: What, studyId: string) => `context document ${what} ${studyId}`
