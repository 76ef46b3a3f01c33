import { readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import { DATABASE_FILE, syncFolder } from '#server/database/data-directory.ts'
import type { Seal } from '#server/database/encryption.ts'
import { ASIDE, ORDER_FILE, Order, orderMac } from '#server/modules/backups/restore-files.ts'

/**
 * What the order that `applyStagedRestore` leaves beside what was replaced is called once the audit
 * trail tells of it.
 */
const TOLD_FILE = 'restored.json'

const Told = Order.pick({ name: true, madeAt: true, stagedAt: true, actor: true, mac: true })

/** A back-up that took the place of the database, which nobody has noted yet. */
export interface UntoldRestore {
  /** Of the back-up. */
  readonly name: string
  /** Who asked for it. */
  readonly by: string
  /** Name of the folder with what was replaced; empty where there was nothing. */
  readonly keptAside: string
  /** It is noted, durably. */
  told(): void
}

/**
 * The oldest first. A gateway may have been ended between a restore and its note: what was put back
 * is told all the same.
 */
export function untoldRestores(folder: string): UntoldRestore[] {
  return readdirSync(folder)
    .filter((name) => ASIDE.test(name))
    .sort()
    .flatMap((aside) => {
      const path = join(folder, aside)
      const order = orderIn(path)
      if (!order) return []
      const hadDatabase =
        statSync(join(path, DATABASE_FILE), { throwIfNoEntry: false }) !== undefined
      return [
        {
          ...{ name: order.name, by: order.actor, keptAside: hadDatabase ? aside : '' },
          told() {
            renameSync(join(path, ORDER_FILE), join(path, TOLD_FILE))
            syncFolder(path)
          },
        },
      ]
    })
}

/**
 * MACs of the orders of restores that were made with this data key and that nobody has noted yet.
 * They explain why the audit trail is older than its anchor.
 */
export function unnotedRestores(folder: string, seal: Pick<Seal, 'keyFor'>): string[] {
  return readdirSync(folder)
    .filter((name) => ASIDE.test(name))
    .sort()
    .flatMap((name) => {
      const order = orderIn(join(folder, name))
      return order?.mac !== undefined && order.mac === orderMac(seal, order) ? [order.mac] : []
    })
}

function orderIn(path: string): z.infer<typeof Told> | undefined {
  try {
    return Told.parse(JSON.parse(readFileSync(join(path, ORDER_FILE), 'utf8')))
  } catch {
    return undefined
  }
}
