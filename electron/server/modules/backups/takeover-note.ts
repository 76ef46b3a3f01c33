import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeKeyFile } from '#server/database/data-key.ts'
import { StartError } from '#server/http/start-error.ts'
import { json } from '#server/platform/text.ts'
import { message } from '#shared/messages/message.ts'
import { REPLICA_FILE } from './replica.ts'

/**
 * On the standby beside `backups`, and in the data folder of the gateway that was taken over: which
 * host serves the clinic now. A gateway does not start on a folder that has it.
 */
export const TAKEOVER_FILE = 'taken-over.json'

export const TakeoverNote = z.object({ by: z.string().min(1).max(200), at: z.iso.datetime() })
export type TakeoverNote = z.infer<typeof TakeoverNote>

export const writeTakeoverNote = (folder: string, note: TakeoverNote): void =>
  writeKeyFile(folder, TAKEOVER_FILE, Buffer.from(`${JSON.stringify(note)}\n`))

/**
 * Refuses a data folder of a gateway that a standby has replaced: two gateways of one clinic would
 * send reports twice and share one AE title.
 * @throws StartError
 */
export function refuseReplacedFolder(folder: string): void {
  const file = join(folder, TAKEOVER_FILE)
  if (existsSync(file)) {
    const note = TakeoverNote.safeParse(json(readFileSync(file, 'utf8'))).data
    throw new StartError(
      message('backups.taken-over', { by: note?.by ?? '?', at: note?.at ?? '?', file }),
    )
  }
}

/**
 * Refuses a folder that follows another gateway: what is written there could not be continued.
 * @throws StartError
 */
export function refuseReplicaFolder(folder: string): void {
  if (existsSync(join(folder, REPLICA_FILE)))
    throw new StartError(message('backups.still-follows', { folder }))
}

/** Exists from a takeover until the gateway has opened the folder first. */
const CHECKED_FILE = 'checked.json'

/**
 * Notes that the database was checked: the backup when the standby opened it, and every page that
 * came since by the checksums of the log. Checking all pages again would make up most of the
 * recovery time.
 */
export const markChecked = (folder: string): void =>
  writeKeyFile(folder, CHECKED_FILE, Buffer.from('{}\n'))

export const isMarkedChecked = (folder: string): boolean => existsSync(join(folder, CHECKED_FILE))

export const clearCheckedMark = (folder: string): void =>
  rmSync(join(folder, CHECKED_FILE), { force: true })
