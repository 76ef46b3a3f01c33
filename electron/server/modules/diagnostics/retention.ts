import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import { purgeStoredAnswers } from '#server/http/idempotency-queries.ts'
import { purgeOutbox } from '#server/jobs/outbox-queries.ts'
import { purgeAssociations } from '#server/modules/devices/association-queries.ts'
import { forgetEventBodies, purgeEvents } from '#server/modules/events/retention-queries.ts'
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
 * Stored answers of a day ago are served by no setting; closed steps outlive every answer that may
 * hold them.
 */
const ANSWERS_MS = 24 * HOUR_MS
/** Whoever follows a link of last week is told that it has expired. */
const LINKS_MS = 7 * DAY_MS
const CLOSED_STEPS_MS = 7 * 24 * HOUR_MS
/** How an invitation's mail went is told for as long as the invitation runs. */
const OUTBOX_MS = 31 * 24 * HOUR_MS
/**
 * Performed steps, commitment requests and what they announced are told of beside their images,
 * which no age takes away.
 */
const PERFORMED_MS = 365 * 24 * HOUR_MS
const AT_A_TIME = 500
const BODIES_AT_A_TIME = 50
/** Connections of devices: so many at most, however few days they are. */
const MOST_ASSOCIATIONS = 500_000

/** What was forgotten. */
export interface Forgotten {
  readonly inspections: number
  readonly answers: number
  readonly documents: number
}

/**
 * Forgets what is past its time: queries after `inspector.retentionHours`, stored answers after a
 * day, then the bodies nothing refers to, and ended sessions, links, sign-in attempts views of
 * studies, and the answers kept for an Idempotency-Key; performed steps, commitment requests and
 * what they announced after a year, and nothing of images; connections after
 * `activity.retentionDays`; events after `events.retentionDays`, none that waits, and what accepted
 * worklists said with the queries they answered. In small transactions, with the event loop let
 * through between them. `views` drops what it holds of those that ended.
 */
export async function forgetExpired(
  context: Context,
  views?: Pick<ViewSessions, 'purge'>,
): Promise<Forgotten> {
  const before = (ms: number) => instantOf(context.clock() - ms)
  const retentionMs = context.settings.get('inspector.retentionHours') * HOUR_MS
  const inspections = await byPortions(() =>
    purgeInspections(context.database, before(retentionMs), AT_A_TIME),
  )
  const answers = purgeAnswers(context.database, before(ANSWERS_MS))
  const documents = await byPortions(() => purgeUnreferencedDocuments(context, AT_A_TIME))
  await byPortions(
    () =>
      forgetEventBodies(
        context.database,
        'modality_worklist.requested',
        before(retentionMs),
        BODIES_AT_A_TIME,
      ),
    BODIES_AT_A_TIME,
  )
  await byPortions(() =>
    purgeEvents(
      context.database,
      before(context.settings.get('events.retentionDays') * DAY_MS),
      AT_A_TIME,
    ),
  )
  const associationsBefore = before(context.settings.get('activity.retentionDays') * DAY_MS)
  await byPortions(() =>
    purgeAssociations(context.database, associationsBefore, MOST_ASSOCIATIONS, AT_A_TIME),
  )
  purgeClosedSteps(context.database, before(CLOSED_STEPS_MS))
  purgeSessions(context.database, before(0))
  purgeWorkstations(context.database, before(REQUEST_LIFETIME_MS), before(APPROVAL_LIFETIME_MS))
  purgeSignInLinks(context.database, before(0))
  purgeLinks(context.database, before(LINKS_MS))
  if (views) views.purge()
  else deleteEndedViews(context)
  purgeStoredAnswers(context)
  purgeSignInAttempts(context.database, before(FAILURES_KEPT_MS))
  purgeOutbox(context.database, before(OUTBOX_MS))
  purgePerformedSteps(context.database, before(PERFORMED_MS))
  purgeCommitments(context.database, before(PERFORMED_MS))
  purgeAnnouncedInstances(context.database, before(PERFORMED_MS))
  return { inspections, answers, documents }
}

async function byPortions(forget: () => number, atATime = AT_A_TIME): Promise<number> {
  let total = 0
  for (;;) {
    const count = forget()
    total += count
    if (count < atATime) return total
    await nextTurn()
  }
}
