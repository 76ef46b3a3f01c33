import { z } from 'zod'
import type { Context } from '#server/context.ts'
import { Rehearsal } from '#shared/contract/dashboard-upkeep.ts'

/** What is known of the back-ups in one folder, without looking there: a disk may be away. */
const BackupRecord = z.object({
  folder: z.string(),
  /** The newest that was made; null where none was. */
  name: z.string().nullable(),
  madeAt: z.string().nullable(),
  /** When the first was made: since then a trial is owed. */
  since: z.string().nullable(),
  last: z.object({ success: z.boolean(), sentence: z.string(), at: z.string() }).nullable(),
})
export type BackupRecord = z.infer<typeof BackupRecord>

/** What a copy elsewhere has: what was written after `recoveryPoint` is lost with this PC. */
const StandbyRecord = z.object({
  to: z.string(),
  name: z.string(),
  copiedAt: z.string(),
  recoveryPoint: z.string(),
})
export type StandbyRecord = z.infer<typeof StandbyRecord>

const FORMS = { backup: BackupRecord, rehearsal: Rehearsal, standby: StandbyRecord } as const
type Kind = keyof typeof FORMS

/**
 * What came of the last back-up, the last trial and the last copy elsewhere: a row each that
 * survives restarts, sealed.
 */
export interface UpkeepRecord {
  /** Undefined where there is none, or none that can be read. */
  get<K extends Kind>(kind: K): z.infer<(typeof FORMS)[K]> | undefined
  set<K extends Kind>(kind: K, record: z.infer<(typeof FORMS)[K]>): void
  /** Whether there was one. */
  remove(kind: Kind): boolean
}

export function upkeepRecord({ secrets }: Pick<Context, 'secrets'>): UpkeepRecord {
  return {
    get: <K extends Kind>(kind: K) =>
      FORMS[kind].safeParse(read(secrets, kind)).data as z.infer<(typeof FORMS)[K]> | undefined,
    set: (kind, record) => secrets.set(nameOf(kind), JSON.stringify(record)),
    remove: (kind) => secrets.remove(nameOf(kind)),
  }
}

const nameOf = (kind: Kind) => `upkeep.${kind}`

function read(secrets: Context['secrets'], kind: Kind): unknown {
  try {
    return JSON.parse(secrets.get(nameOf(kind)) ?? 'null')
  } catch {
    // It is told of and made again: nothing else stands on it.
    return undefined
  }
}
