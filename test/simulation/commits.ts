import './disk.ts'
import Sqlite from 'better-sqlite3'
import { Database } from '#gateway/store/database.ts'
import { commitFault, disk } from './disk.ts'

// SQLite writes past `fs`: a commit that fails is one that it rolled back, and a run may end before a commit and after it.
const { transaction } = Database.prototype
Database.prototype.transaction = function <T>(this: Database, work: () => T): T {
  const { moment } = disk
  if (!moment || this.inTransaction) return transaction.call(this, work) as T
  moment('before a commit')
  const result = transaction.call(this, () => {
    const made = work()
    const code = commitFault()
    if (code) throw new Sqlite.SqliteError('simulated: the disk did not take the commit', code)
    return made
  }) as T
  disk.moment?.('after a commit')
  return result
}
