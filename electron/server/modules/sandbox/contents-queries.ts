import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { listWaitingOutboxJobs } from '#server/jobs/outbox-queries.ts'
import { REPORT_DELIVERED } from '#server/webhooks/deliveries.ts'

/** Reports that the gateway stored as objects of their study are not images. */
const COUNT_CONTENTS = `select (select count(*) from studies) as studies,
  (select count(*) from instances where sopInstanceUid not in (select sopInstanceUid from reportObjects)) as images`

/** How much is in the sandbox. */
export const countContents = (database: Database) => ({
  ...(database.get(rawQuery<{ studies: number; images: number }>(COUNT_CONTENTS, [])) ?? {
    studies: 0,
    images: 0,
  }),
  waitingReports: listWaitingOutboxJobs(database, REPORT_DELIVERED).length,
})
