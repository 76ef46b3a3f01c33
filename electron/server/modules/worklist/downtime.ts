import { type Actor, note, userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { nextMidnight, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { Downtime as DowntimeState } from '#shared/contract/worklist.ts'
import { deleteDowntime, findDowntime, putDowntime } from './queries.ts'

/*
 * Downtime mode: turned on by a user, and turned off at midnight in the clinic or by the first live
 * answer.
 */

const DOWNTIME_OFF: DowntimeState = {
  isOn: false,
  since: null,
  until: null,
  reason: '',
  userName: '',
}

export function currentDowntime(context: Context): DowntimeState {
  const set = findDowntime(context.database)
  if (!set || msOf(set.until) <= context.clock()) return DOWNTIME_OFF
  const { since, until, reason, userName } = set
  return { isOn: true, since, until, reason, userName }
}

/** Turns downtime mode on until midnight. If it is already on, only the reason is replaced. */
export const startDowntime = (
  context: Context,
  reason: string,
  {
    userId,
    firstName,
    lastName,
  }: { readonly userId: string; readonly firstName: string; readonly lastName: string },
): DowntimeState =>
  context.database.transaction(() => {
    const now = context.clock()
    const until = instantOf(nextMidnight(now, timeZoneOf(context.settings.get('clinic.timeZone'))))
    const since = currentDowntime(context).since ?? instantOf(now)
    const userName = `${firstName} ${lastName}`
    putDowntime(context.database, { since, until, reason, userId, userName })
    note(context, userActor(userId), 'downtime.start', 'worklist', { reason, until })
    return currentDowntime(context)
  })

/** Turns downtime mode off. Does nothing if it is off. */
export const endDowntime = (context: Context, actor: Actor): DowntimeState =>
  context.database.transaction(() => {
    const { isOn, since } = currentDowntime(context)
    if (deleteDowntime(context.database) && isOn)
      note(context, actor, 'downtime.end', 'worklist', { since })
    return DOWNTIME_OFF
  })
