import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import { purgeStoredAnswers } from '#server/http/idempotency-queries.ts'
import { purgeOutbox } from '#server/jobs/outbox-queries.ts'
import { purgeAssociations } from '#server/modules/devices/association-queries.ts'
import { deleteEventBodies, purgeEvents } from '#server/modules/events/retention-queries.ts'
import { purgeAnnouncedInstances } from '#server/modules/images/announced-instance-queries.ts'
import { purgeCommitments } from '#server/modules/images/commitment-queries.ts'
import { purgeClosedSteps } from '#server/modules/procedure-steps/closed-step-queries.ts'
import { purgePerformedSteps } from '#server/modules/procedure-steps/performed-step-queries.ts'
import { purgeSessions } from '#server/modules/users/session-queries.ts'
import { purgeSignInAttempts, purgeSignInLinks } from '#server/modules/users/sign-in-queries.ts'
import { FAILURES_KEPT_MS } from '#server/modules/users/sign-in-throttle.ts'
import { purgeWorkstations } from '#server/modules/users/workstation-queries.ts'
import { APPROVAL_LIFETIME_MS, REQUEST_LIFETIME_MS } from '#server/modules/users/workstations.ts'
import { purgeLinks } from '#server/modules/viewer/queries.ts'
import { deleteEndedViews, type ViewSessions } from '#server/modules/viewer/sessions.ts'
import { purgeInspections } from '#server/modules/worklist/inspection-queries.ts'
import { purgeAnswers, purgeUnreferencedDocuments } from '#server/modules/worklist/queries.ts'
import { instantOf } from '#server/platform/clock.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
/**
 * Stored responses that are a day old are not used, whatever the settings. Closed steps are kept
 * longer than any response that may contain them.
 */
const RESPONSE_RETENTION_MS = 24 * HOUR_MS
/**
 * Expired links are kept for this time, so that a user who opens one is told that it has expired.
 */
const LINK_RETENTION_MS = 7 * DAY_MS
const CLOSED_STEP_RETENTION_MS = 7 * 24 * HOUR_MS
/** The delivery state of an invitation's mail is kept for as long as the invitation is valid. */
const OUTBOX_RETENTION_MS = 31 * 24 * HOUR_MS
/**
 * Performed steps, commitment requests and announcements are shown with their images, which have no
 * retention period, so they are kept longer.
 */
const PERFORMED_RETENTION_MS = 365 * 24 * HOUR_MS
const BATCH_SIZE = 500
const BODIES_BATCH_SIZE = 50
/** Maximum number of associations, regardless of age. */
const MAX_ASSOCIATIONS = 500_000

/** Numbers of deleted rows. */
export interface PurgeResult {
  readonly inspections: number
  readonly answers: number
  readonly documents: number
}

/**
 * Deletes data after its retention period: queries after `inspector.retentionHours`; stored
 * responses after a day, and bodies that are no longer referenced; expired sessions, links, sign-in
 * attempts, views of studies and stored responses for an Idempotency-Key; performed steps,
 * commitment requests and announcements after a year; associations after `activity.retentionDays`;
 * events after `events.retentionDays`, except waiting ones; and bodies of accepted worklist events
 * together with their queries. Images are never deleted. Uses small transactions between which the
 * event loop can run. `views` discards expired views from its cache, too.
 */
export async function purgeExpired(
  context: Context,
  views?: Pick<ViewSessions, 'purge'>,
): Promise<PurgeResult> {
  const before = (ms: number) => instantOf(context.clock() - ms)
  const retentionMs = context.settings.get('inspector.retentionHours') * HOUR_MS
  const inspections = await inBatches(() =>
    purgeInspections(context.database, before(retentionMs), BATCH_SIZE),
  )
  const answers = purgeAnswers(context.database, before(RESPONSE_RETENTION_MS))
  const documents = await inBatches(() => purgeUnreferencedDocuments(context, BATCH_SIZE))
  await inBatches(
    () =>
      deleteEventBodies(
        context.database,
        'modality_worklist.requested',
        before(retentionMs),
        BODIES_BATCH_SIZE,
      ),
    BODIES_BATCH_SIZE,
  )
  await inBatches(() =>
    purgeEvents(
      context.database,
      before(context.settings.get('events.retentionDays') * DAY_MS),
      BATCH_SIZE,
    ),
  )
  const associationsBefore = before(context.settings.get('activity.retentionDays') * DAY_MS)
  await inBatches(() =>
    purgeAssociations(context.database, associationsBefore, MAX_ASSOCIATIONS, BATCH_SIZE),
  )
  purgeClosedSteps(context.database, before(CLOSED_STEP_RETENTION_MS))
  purgeSessions(context.database, before(0))
  purgeWorkstations(context.database, before(REQUEST_LIFETIME_MS), before(APPROVAL_LIFETIME_MS))
  purgeSignInLinks(context.database, before(0))
  purgeLinks(context.database, before(LINK_RETENTION_MS))
  if (views) views.purge()
  else deleteEndedViews(context)
  purgeStoredAnswers(context)
  purgeSignInAttempts(context.database, before(FAILURES_KEPT_MS))
  purgeOutbox(context.database, before(OUTBOX_RETENTION_MS))
  purgePerformedSteps(context.database, before(PERFORMED_RETENTION_MS))
  purgeCommitments(context.database, before(PERFORMED_RETENTION_MS))
  purgeAnnouncedInstances(context.database, before(PERFORMED_RETENTION_MS))
  return { inspections, answers, documents }
}

async function inBatches(deleteBatch: () => number, batchSize = BATCH_SIZE): Promise<number> {
  let total = 0
  for (;;) {
    const count = deleteBatch()
    total += count
    if (count < batchSize) return total
    await nextTurn()
  }
}
