import { join } from 'node:path'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { Database } from '#server/database/database.ts'
import { StoreError } from '#server/database/store-error.ts'
import { tempDataFolder } from '../../../support/temp-store.ts'

export const AT = '2026-03-10T09:00:00.000Z'

export function tempDatabase(): { readonly db: Database; readonly file: string } & Disposable {
  const temp = tempDataFolder()
  const file = join(temp.folder, DATABASE_FILE)
  const db = Database.open(file)
  return {
    db,
    file,
    [Symbol.dispose]() {
      db[Symbol.dispose]()
      temp[Symbol.dispose]()
    },
  }
}

export const put = (db: Database, key: string) =>
  db.run(db.sql.insertInto('settings').values({ key, value: '1', updatedAt: AT }))

export const keys = (db: Database) =>
  db.all(db.sql.selectFrom('settings').select('key').orderBy('key')).map((row) => row.key)

export function faultOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof StoreError) return `${error.fault}: ${error.message}`
    throw error
  }
  return 'none'
}
