import { readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import { DATABASE_FILE, syncFolder } from '#server/database/data-directory.ts'
import type { Seal } from '#server/database/encryption.ts'
import {
  REPLACED_FOLDER,
  RESTORE_PLAN_FILE,
  RestorePlan,
  restorePlanMac,
} from '#server/database/restore-plan.ts'

/** The restore plan is renamed to this when the audit log has an entry for the restore. */
const RECORDED_FILE = 'restored.json'

const RecordedPlan = RestorePlan.pick({
  name: true,
  madeAt: true,
  stagedAt: true,
  actor: true,
  mac: true,
})

/** A restore that the audit log has no entry for yet. */
export interface PendingRestore {
  /** When the backup was made. */
  readonly name: string
  /** The actor who requested the restore. */
  readonly by: string
  /** Name of the folder with the replaced files; empty if nothing was replaced. */
  readonly keptAside: string
  /** Must be called once the audit entry is durable. */
  markRecorded(): void
}

/**
 * Restores without an audit entry, oldest first. If the gateway stops between a restore and its
 * audit entry, the next start writes the entry.
 */
export const pendingRestores = (folder: string): PendingRestore[] =>
  findPlans(folder).map(({ aside, plan: order }) => {
    const path = join(folder, aside)
    const hadDatabase = statSync(join(path, DATABASE_FILE), { throwIfNoEntry: false }) !== undefined
    return {
      ...{ name: order.name, by: order.actor, keptAside: hadDatabase ? aside : '' },
      markRecorded() {
        renameSync(join(path, RESTORE_PLAN_FILE), join(path, RECORDED_FILE))
        syncFolder(path)
      },
    }
  })

/**
 * MACs of the pending restores that were made with this data key. They explain why the audit log is
 * older than its anchor.
 */
export const pendingRestoreMacs = (folder: string, seal: Pick<Seal, 'keyFor'>): string[] =>
  findPlans(folder).flatMap(({ plan }) =>
    plan.mac !== undefined && plan.mac === restorePlanMac(seal, plan) ? [plan.mac] : [],
  )

function findPlans(
  folder: string,
): { readonly aside: string; readonly plan: z.infer<typeof RecordedPlan> }[] {
  const folders = readdirSync(folder)
    .filter((name) => REPLACED_FOLDER.test(name))
    .sort()
  return folders.flatMap((aside) => {
    try {
      const text = readFileSync(join(folder, aside, RESTORE_PLAN_FILE), 'utf8')
      return [{ aside, plan: RecordedPlan.parse(JSON.parse(text)) }]
    } catch {
      return []
    }
  })
}
