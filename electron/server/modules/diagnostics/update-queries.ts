import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'

const SELECT_WAITING = `select
  (select count(*) from outbox where state = 'waiting') +
  (select count(*) from forwards where state = 'waiting') as waiting`

/** Number of reports, images and other jobs that wait to be sent. */
export const countWaiting = (database: Database): number =>
  database.get(rawQuery<{ waiting: number }>(SELECT_WAITING, []))?.waiting ?? 0
