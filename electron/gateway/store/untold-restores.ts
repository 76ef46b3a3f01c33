import { readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { syncFolder } from './folder.ts'
import { DATABASE_FILE } from './store.ts'

/** What `applyStagedRestore` leaves in the folder of what was replaced, and what it is called once the audit trail tells of it. */
const [ORDER_FILE, TOLD_FILE] = ['restore.json', 'restored.json']
const ASIDE = /^replaced-[\d-]+Z(-\d+)?$/

const Order = z.object({ name: z.string(), actor: z.string() })

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

/** The oldest first. A gateway may have been ended between a restore and its note: what was put back is told all the same. */
export function untoldRestores(folder: string): UntoldRestore[] {
  return readdirSync(folder)
    .filter((name) => ASIDE.test(name))
    .sort()
    .flatMap((aside) => {
      const path = join(folder, aside)
      const order = orderIn(path)
      if (!order) return []
      const hadDatabase = statSync(join(path, DATABASE_FILE), { throwIfNoEntry: false }) !== undefined
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

function orderIn(path: string): z.infer<typeof Order> | undefined {
  try {
    return Order.parse(JSON.parse(readFileSync(join(path, ORDER_FILE), 'utf8')))
  } catch {
    return undefined
  }
}
