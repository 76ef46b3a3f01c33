import type { DomainDeps } from '#server/modules/audit/audit.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import { timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { dueAfter, planOf } from './backup-plan.ts'
import { upkeepRecord } from './backup-record.ts'

/** Something about back-ups that needs a person. */
export interface UpkeepFault {
  readonly tone: 'danger' | 'warning'
  readonly since: string | null
  readonly sentence: string
}

/**
 * What is wrong, by what it is about; undefined where nothing is. Read off rows, so it costs
 * nothing and works while a disk is away.
 */
export type UpkeepHealth = Readonly<
  Record<'backup' | 'rehearsal' | 'standby', UpkeepFault | undefined>
>

export type UpkeepHealthDeps = Pick<DomainDeps, 'store' | 'clock'> & {
  readonly settings: Pick<Settings, 'get'>
}

const MINUTE_MS = 60_000
export const DAY_MS = 24 * 60 * MINUTE_MS
/** A trial is due each month. */
export const REHEARSAL_DAYS = 30
/** It waits for a back-up of the plan, and for a PC that is off over a weekend. */
const OVERDUE_DAYS = REHEARSAL_DAYS + 7
/** A copy that was missed once or twice is made up by itself. */
const INTERVALS = 3

export function upkeepHealth({ store, clock, settings }: UpkeepHealthDeps): UpkeepHealth {
  const folder = settings.get('backup.folder')
  if (folder === null) return { backup: undefined, rehearsal: undefined, standby: undefined }
  const now = clock()
  const record = upkeepRecord(store)
  const plan = planOf(settings)
  const timeZone = timeZoneOf(settings.get('clinic.timeZone'))
  const known = record.get('backup')
  const made = known?.folder === folder ? known : undefined

  function backup(): UpkeepFault | undefined {
    if (made?.last && !made.last.success)
      return { tone: 'danger', since: made.last.at, sentence: made.last.sentence }
    const due = made?.madeAt ? dueAfter(msOf(made.madeAt), plan, timeZone) : null
    if (due === null || now - due <= DAY_MS) return undefined
    const sentence = `The newest back-up is of ${made?.madeAt?.slice(0, 10)}: by the plan there should be a younger one.`
    return { tone: 'danger', since: instantOf(due), sentence }
  }

  function rehearsal(): UpkeepFault | undefined {
    const last = record.get('rehearsal')
    if (last && !last.success) return { tone: 'danger', since: last.at, sentence: last.sentence }
    const since = last?.at ?? made?.since ?? null
    if (since === null || now - msOf(since) <= OVERDUE_DAYS * DAY_MS) return undefined
    const sentence = last
      ? `The last trial of a back-up was on ${last.at.slice(0, 10)}: nobody knows whether today’s can be put back.`
      : 'No back-up was ever tried: nobody knows whether one can be put back.'
    return { tone: 'warning', since, sentence }
  }

  function standby(): UpkeepFault | undefined {
    const copy = record.get('standby')
    if (!copy) return undefined
    const interval = plan.everyMinutes === null ? DAY_MS : plan.everyMinutes * MINUTE_MS
    if (now - msOf(copy.recoveryPoint) <= INTERVALS * interval) return undefined
    const { day, time } = wallClock(msOf(copy.recoveryPoint), timeZone)
    const sentence = `The standby at ${copy.to} has what was written until ${day} ${time.slice(0, 5)}, and is behind the plan.`
    return { tone: 'warning', since: copy.recoveryPoint, sentence }
  }

  return { backup: backup(), rehearsal: rehearsal(), standby: standby() }
}
