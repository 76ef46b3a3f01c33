import { type Actor, type DomainDeps, note, userActor } from '#server/modules/audit/audit.ts'
import { nextMidnight, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { Downtime as DowntimeState } from '#shared/contract/worklist.ts'

/**
 * Downtime mode (dicom-field §7.3): switched on by a named person, off at midnight of the clinic or
 * by the first live answer.
 */
export interface Downtime {
  current(): DowntimeState
  /** Until midnight; again takes the new reason. */
  start(downtime: {
    readonly reason: string
    readonly user: {
      readonly userId: string
      readonly firstName: string
      readonly lastName: string
    }
  }): DowntimeState
  /** Changes nothing where it is off. */
  end(actor: Actor): DowntimeState
}

const OFF: DowntimeState = { isOn: false, since: null, until: null, reason: '', userName: '' }

export function openDowntime(deps: DomainDeps): Downtime {
  const { store, clock } = deps

  function current(): DowntimeState {
    const set = store.downtime.get()
    if (!set || msOf(set.until) <= clock()) return OFF
    const { since, until, reason, userName } = set
    return { isOn: true, since, until, reason, userName }
  }

  return {
    current,
    start: ({ reason, user }) =>
      store.database.transaction(() => {
        const now = clock()
        const until = instantOf(
          nextMidnight(now, timeZoneOf(store.settings.get('clinic.timeZone'))),
        )
        const before = current()
        const since = before.since ?? instantOf(now)
        store.downtime.set({
          since,
          until,
          reason,
          userId: user.userId,
          userName: `${user.firstName} ${user.lastName}`,
        })
        note(deps.store, userActor(user.userId), 'downtime.start', 'worklist', { reason, until })
        return current()
      }),
    end: (actor) =>
      store.database.transaction(() => {
        const { isOn, since } = current()
        if (store.downtime.end() && isOn)
          note(deps.store, actor, 'downtime.end', 'worklist', { since })
        return OFF
      }),
  }
}
