import { readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import { DATABASE_FILE, syncFolder } from '#server/database/data-directory.ts'
import type { Seal } from '#server/database/encryption.ts'
import { ASIDE, ORDER_FILE, Order, orderMac } from '#server/database/restore-order.ts'

/** The name of an order beside what was replaced, once the audit log has the restore. */
const NOTED_FILE = 'restored.json'

const Kept = Order.pick({ name: true, madeAt: true, stagedAt: true, actor: true, mac: true })

/** A backup that took the place of the database, which the audit log does not have yet. */
export interface PendingRestore {
  /** Of the backup. */
  readonly name: string
  /** Who asked for it. */
  readonly by: string
  /** Name of the folder with what was replaced; empty where there was nothing. */
  readonly keptAside: string
  /** To be called when the audit log has it, durably. */
  noted(): void
}

/**
 * The oldest first. A gateway may have been ended between a restore and its audit entry, which the
 * next one then makes.
 */
export const pendingRestores = (folder: string): PendingRestore[] =>
  ordersIn(folder).map(({ aside, order }) => {
    const path = join(folder, aside)
    const hadDatabase = statSync(join(path, DATABASE_FILE), { throwIfNoEntry: false }) !== undefined
    return {
      ...{ name: order.name, by: order.actor, keptAside: hadDatabase ? aside : '' },
      noted() {
        renameSync(join(path, ORDER_FILE), join(path, NOTED_FILE))
        syncFolder(path)
      },
    }
  })

/**
 * MACs of the orders of pending restores that were made with this data key. They explain why the
 * audit log is older than its anchor.
 */
export const pendingRestoreMacs = (folder: string, seal: Pick<Seal, 'keyFor'>): string[] =>
  ordersIn(folder).flatMap(({ order }) =>
    order.mac !== undefined && order.mac === orderMac(seal, order) ? [order.mac] : [],
  )

function ordersIn(
  folder: string,
): { readonly aside: string; readonly order: z.infer<typeof Kept> }[] {
  const folders = readdirSync(folder)
    .filter((name) => ASIDE.test(name))
    .sort()
  return folders.flatMap((aside) => {
    try {
      const text = readFileSync(join(folder, aside, ORDER_FILE), 'utf8')
      return [{ aside, order: Kept.parse(JSON.parse(text)) }]
    } catch {
      return []
    }
  })
}
