import type { Database } from '#server/database/database.ts'

/**
 * A file that was fetched from a partner for the viewer and is kept for a while, below
 * `cache/views` of the data folder.
 */
export interface ViewFileRecord {
  /**
   * SHA-256 in hex of the URL's origin and path: a signature in its query changes with each URL.
   */
  readonly fileKey: string
  readonly studyInstanceUid: string
  /** Path below `cache/views`. */
  readonly file: string
  readonly bytes: number
  /**
   * What the partner is asked with whether it is still the same (RFC 9110 §13.1); both null: it
   * cannot be.
   */
  readonly validator: { readonly etag: string | null; readonly lastModified: string | null }
  readonly usedAt: string
  readonly createdAt: string
}

export interface ViewFilesStore {
  get(fileKey: string): ViewFileRecord | undefined
  /** In the place of the one of that key. */
  put(record: ViewFileRecord): void
  used(fileKey: string, at: string): void
  /** Whether it was there. */
  remove(fileKey: string): boolean
  totalBytes(): number
  /** The one not used for longest first. */
  oldest(limit: number): ViewFileRecord[]
  /** Paths of all. */
  files(): string[]
}

export function viewFilesStore(db: Database): ViewFilesStore {
  const every = db.sql.selectFrom('viewFiles').selectAll()
  return {
    get(fileKey) {
      const row = db.get(every.where('fileKey', '=', fileKey))
      return row && recordOf(row)
    },
    put({ validator, ...record }) {
      const row = { ...record, etag: validator.etag, lastModified: validator.lastModified }
      db.run(
        db.sql
          .insertInto('viewFiles')
          .values(row)
          .onConflict((old) => old.column('fileKey').doUpdateSet(row)),
      )
    },
    used: (fileKey, at) =>
      void db.run(
        db.sql.updateTable('viewFiles').set({ usedAt: at }).where('fileKey', '=', fileKey),
      ),
    remove: (fileKey) =>
      db.run(db.sql.deleteFrom('viewFiles').where('fileKey', '=', fileKey)).changes > 0,
    totalBytes: () =>
      db.get(
        db.sql
          .selectFrom('viewFiles')
          .select((of) => of.fn.sum<number | null>('bytes').as('bytes')),
      )?.bytes ?? 0,
    oldest: (limit) =>
      db.all(every.orderBy('usedAt').orderBy('fileKey').limit(limit)).map(recordOf),
    files: () =>
      db.all(db.sql.selectFrom('viewFiles').select('file').orderBy('file')).map(({ file }) => file),
  }
}

type StoredFile = Omit<ViewFileRecord, 'validator'> & ViewFileRecord['validator']
const recordOf = ({ etag, lastModified, ...row }: StoredFile): ViewFileRecord => ({
  ...row,
  validator: { etag, lastModified },
})
