import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { note } from '#server/audit-log/audit.ts'
import { openContext } from '#server/context.ts'
import { syncFolder } from '#server/database/data-directory.ts'
import { writeKeyFile } from '#server/database/data-key.ts'
import { loadSeal } from '#server/database/encryption.ts'
import { markRestored } from '#server/database/image-files.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { RESTORE_PLAN_FILE, restorePlanMac } from '#server/database/restore-plan.ts'
import { StartError } from '#server/http/start-error.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { verbatim } from '#shared/messages/message.ts'
import { DAY_MS } from './backup-health.ts'
import { backupName } from './backup-manifest.ts'
import { imagesSince } from './log-queries.ts'
import { readPosition } from './log-segment.ts'
import { lockFolder } from './open-data-directory.ts'
import {
  finishReplica,
  followLog,
  REPLICA_FILE,
  type Replica,
  refuseNewerReplica,
} from './replica.ts'
import { recordRestores } from './restore-staging.ts'
import { markChecked, writeTakeoverNote } from './takeover-note.ts'

/** If nothing new arrives from the old gateway for so long, it does not run any more. */
const WATCH_MS = 15_000
const POLL_MS = 500

export interface TakeoverOrder {
  /** The data folder that follows the old gateway. */
  readonly data: string
  /** The folder with `backups` and `images` that the old gateway copied. */
  readonly from: string
  readonly recoveryKey?: string | undefined
  /** Name of this PC. */
  readonly host: string
  /** The user knows that the old gateway is off, so it is not watched. */
  readonly isOldGatewayOff: boolean
  readonly now: () => number
  readonly report: (sentence: string) => void
}

/**
 * Makes the folder that follows another gateway a data folder to serve from. The old gateway must
 * not run any more; a note in `from` stops it where it comes back.
 * @throws StartError, StoreError; the folder still follows the old gateway
 */
export async function takeOver(order: TakeoverOrder): Promise<void> {
  const { data, from, host, now, report } = order
  await requireOldGatewayOff(order)
  using _lock = await lockFolder(data)
  const replica = await followLog(data, from, order.recoveryKey)
  report(`Everything up to ${replica.upTo} is in the database.`)
  finishReplica(data, replica)
  refuseNewerReplica(data, MIGRATIONS.length)
  writeTakeoverNote(from, { by: host, at: instantOf(now()) })
  const images = moveImages(join(from, 'images'), join(data, 'images'))
  markRestored(data)
  stageAuditRecord(data, replica, instantOf(now()))
  markChecked(data)
  rmSync(join(data, REPLICA_FILE), { force: true })
  syncFolder(data)
  using context = openContext({ folder: data, clock: now, check: 'done' })
  recordRestores(context, 'command-line')
  note(context, 'command-line', 'standby.take-over', replica.backup, {
    recoveryPoint: replica.upTo,
  })
  const missing = images ? missingFiles(context, data, msOf(replica.upTo)) : 0
  if (!images)
    report(`There is no folder ${join(from, 'images')}: images are to be copied to ${data}.`)
  else if (missing > 0)
    report(
      `${missing} files of images of the last day are missing: have the devices send them again.`,
    )
  else report('The files of all images of the last day are there.')
}

/**
 * The anchor of the audit trail stayed on the old PC. A plan as that of a restore proves that the
 * database was put here with the data key.
 */
function stageAuditRecord(data: string, { backup: name, upTo: madeAt }: Replica, at: string): void {
  const restoreDetails = { name, madeAt, stagedAt: at, actor: 'command-line' }
  const seal = loadSeal(data, { mayCreate: false })
  const folder = join(data, `replaced-${backupName(at).slice('isthmus-'.length)}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const plan = { ...restoreDetails, mac: restorePlanMac(seal, restoreDetails) }
  writeKeyFile(folder, RESTORE_PLAN_FILE, Buffer.from(JSON.stringify(plan)))
}

/** @throws StartError if the old gateway still answers or writes */
async function requireOldGatewayOff({
  data,
  from,
  isOldGatewayOff,
  report,
}: TakeoverOrder): Promise<void> {
  if (isOldGatewayOff) return
  const backups = join(from, 'backups')
  const before = await readPosition(backups)
  report('Waiting whether the old gateway still writes …')
  for (const end = Date.now() + WATCH_MS; Date.now() < end; await wait(POLL_MS)) {
    const after = await readPosition(backups)
    if (after?.at !== before?.at)
      throw new StartError(
        verbatim(
          `The old gateway is still running: it wrote at ${after?.at}. Switch it off first, then take over. ${data} was not changed.`,
        ),
      )
  }
}

/** @throws StartError if it is on another disk */
function moveImages(from: string, to: string): boolean {
  if (!existsSync(from)) return existsSync(to)
  try {
    if (existsSync(to) && readdirSync(to).length === 0) rmdirSync(to)
    if (!existsSync(to)) renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    throw new StartError(
      verbatim(`${from} and ${to} are on two disks. Move the images, then take over again.`),
    )
  }
  return true
}

/** Number of images received in the day before the recovery point whose file is not whole. */
function missingFiles(
  { database }: ReturnType<typeof openContext>,
  data: string,
  until: number,
): number {
  const recent = imagesSince(database, instantOf(until - DAY_MS))
  let missing = 0
  for (const { file, bytes } of recent)
    if (statSync(join(data, 'images', file), { throwIfNoEntry: false })?.size !== bytes) missing++
  return missing
}
