import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DomainDeps } from '#server/modules/audit/audit.ts'
import { forgetEventBodies, purgeEvents } from '#server/modules/events/retention-queries.ts'
import { purgeSessions } from '#server/modules/users/session-queries.ts'
import { purgeSignInAttempts, purgeSignInLinks } from '#server/modules/users/sign-in-queries.ts'
import { FORGOTTEN_MS } from '#server/modules/users/sign-in-throttle.ts'
import { purgeWorkstations } from '#server/modules/users/workstation-queries.ts'
import { APPROVED_MS, ASKING_MS } from '#server/modules/users/workstations.ts'
import { purgeLinks } from '#server/modules/viewer/queries.ts'
import { forgetEndedViews, type ViewSessions } from '#server/modules/viewer/sessions.ts'
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

export interface RetentionDeps extends Pick<DomainDeps, 'store' | 'clock'> {
  /** Where views run: what is held for those that ended is let go. */
  readonly views?: Pick<ViewSessions, 'purge'>
}

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
 * through between them. For a timer of the composition root, some times an hour.
 */
export async function forgetExpired({ store, clock, views }: RetentionDeps): Promise<Forgotten> {
  const before = (ms: number) => instantOf(clock() - ms)
  const retentionMs = store.settings.get('inspector.retentionHours') * HOUR_MS
  const inspections = await byPortions(() =>
    store.inspections.purge(before(retentionMs), AT_A_TIME),
  )
  const answers = store.answers.purge(before(ANSWERS_MS))
  const documents = await byPortions(() => store.documents.purgeUnreferenced(AT_A_TIME))
  await byPortions(
    () =>
      forgetEventBodies(
        store.database,
        'modality_worklist.requested',
        before(retentionMs),
        BODIES_AT_A_TIME,
      ),
    BODIES_AT_A_TIME,
  )
  await byPortions(() =>
    purgeEvents(
      store.database,
      before(store.settings.get('events.retentionDays') * DAY_MS),
      AT_A_TIME,
    ),
  )
  const associationsBefore = before(store.settings.get('activity.retentionDays') * DAY_MS)
  await byPortions(() => store.associations.purge(associationsBefore, MOST_ASSOCIATIONS, AT_A_TIME))
  store.closedSteps.purge(before(CLOSED_STEPS_MS))
  purgeSessions(store.database, before(0))
  purgeWorkstations(store.database, before(ASKING_MS), before(APPROVED_MS))
  purgeSignInLinks(store.database, before(0))
  purgeLinks(store.database, before(LINKS_MS))
  if (views) views.purge()
  else forgetEndedViews(store)
  store.idempotency.purge()
  purgeSignInAttempts(store.database, before(FORGOTTEN_MS))
  store.outbox.purge(before(OUTBOX_MS))
  store.performedSteps.purge(before(PERFORMED_MS))
  store.commitments.purge(before(PERFORMED_MS))
  store.imageStudies.purgeAnnounced(before(PERFORMED_MS))
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
