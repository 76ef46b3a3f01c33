import './disk.ts'
import Sqlite from 'better-sqlite3'
import { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { cache, commitFault, disk } from './disk.ts'

// SQLite writes past `fs`: a commit that fails is one that it rolled back, and a run may end before
// a commit and after it. A commit with `synchronous=FULL` syncs the log, and all that came before;
// one of a group leaves that to `fdatasync`.
const { run, transaction } = Database.prototype
const NORMAL = 1
const isRelaxed = (database: Database): boolean =>
  (database.get(rawQuery('pragma synchronous', [])) as { synchronous: number } | undefined)
    ?.synchronous === NORMAL
const fileOf = (database: Database): string =>
  (
    database.get(rawQuery("select file from pragma_database_list where name = 'main'", [])) as {
      file: string
    }
  ).file

Database.prototype.run = function (this: Database, query) {
  const result = run.call(this, query)
  if (disk.moment && !this.inTransaction) cache.logSynced()
  return result
}
Database.prototype.transaction = function <T>(this: Database, work: () => T): T {
  const { moment } = disk
  if (!moment || this.inTransaction) return transaction.call(this, work) as T
  moment('before a commit')
  const leavesSync = isRelaxed(this)
  if (leavesSync) cache.beforeRelaxedCommit(fileOf(this))
  const result = transaction.call(this, () => {
    const made = work()
    const code = commitFault()
    if (code) throw new Sqlite.SqliteError('simulated: the disk did not take the commit', code)
    return made
  }) as T
  if (!leavesSync) cache.logSynced()
  disk.moment?.('after a commit')
  return result
}
