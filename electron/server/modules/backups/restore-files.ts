import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import {
  ANCHOR_FILE,
  DATABASE_FILE,
  makeFolder,
  syncFolder,
} from '#server/database/data-directory.ts'
import { KEY_FILE, writeKeyFile } from '#server/database/data-key.ts'
import { sealWith } from '#server/database/encryption.ts'
import { markRestored } from '#server/database/image-files.ts'
import { RECOVERY_FILE } from '#server/database/recovery-key.ts'
import {
  DATABASE_FILES,
  KEY_FILES,
  RESTORE_PLAN_FILE,
  RestorePlan,
  restorePlanMac,
} from '#server/database/restore-plan.ts'
import { fileFault, StoreError } from '#server/database/store-error.ts'
import { instantOf } from '#server/platform/clock.ts'
import { json } from '#server/platform/text.ts'
import { message } from '#shared/messages/message.ts'
import { backupName } from './backup-manifest.ts'
import {
  type BackupKey,
  openBackup,
  type RestoreProgress,
  storeRecoveryProofIn,
} from './open-backup.ts'

/** Folder in the data folder for a staged restore. */
const STAGING_FOLDER = 'restore'
const PARTIAL_SUFFIX = '.part'

/** A restore that was completed. */
export interface CompletedRestore {
  /** Name of the backup. */
  readonly name: string
  readonly madeAt: string
  readonly actor: string
  /**
   * Name of the folder in the data folder that contains the replaced files; empty if there were
   * none.
   */
  readonly keptAside: string
}

/**
 * Stages the backup in the folder `from` to replace the database of the data folder `data`, which
 * is created if it does not exist. The caller must hold its lock. The current database is not
 * touched, even if this fails. A restore that was staged earlier and never applied is discarded.
 * @throws StoreError as `openBackup`
 */
export async function stageRestore(
  data: string,
  from: string,
  key: BackupKey,
  actor: string,
  now: number,
  onProgress?: RestoreProgress,
): Promise<void> {
  makeFolder(data)
  refuseHalfRestored(data)
  const stage = join(data, STAGING_FOLDER)
  try {
    clearStage(data)
    const { manifest, dataKey } = await openBackup(from, stage, key, onProgress)
    const brings: RestorePlan['brings'][number]['file'][] = [DATABASE_FILE]
    const replaces: RestorePlan['replaces'] = [...DATABASE_FILES]
    const isDifferentKey = 'recoveryKey' in key && !hasKey(data, dataKey)
    if (isDifferentKey) {
      writeKeyFile(stage, KEY_FILE, dataKey)
      brings.push(KEY_FILE)
      // Files that belong to the previous key cannot be read with the new one.
      replaces.push(...KEY_FILES, ANCHOR_FILE)
    }
    if (manifest.hasRecoveryKey && (isDifferentKey || !existsSync(join(data, RECOVERY_FILE)))) {
      writeKeyFile(stage, RECOVERY_FILE, readFileSync(join(from, RECOVERY_FILE)))
      brings.push(RECOVERY_FILE)
    }
    // The folder's recovery key is newer than the backup and must also open the restored database.
    else if (existsSync(join(data, RECOVERY_FILE)))
      storeRecoveryProofIn(join(stage, DATABASE_FILE), sealWith(dataKey), instantOf(now))
    const restoreDetails = {
      name: backupName(manifest.madeAt),
      madeAt: manifest.madeAt,
      stagedAt: instantOf(now),
      actor,
    }
    writeOrder(stage, {
      ...{ version: 1, ...restoreDetails, mac: restorePlanMac(sealWith(dataKey), restoreDetails) },
      brings: brings.map((file) => ({ file, bytes: statSync(join(stage, file)).size })),
      ...{ replaces, keptAside: null },
    })
    syncFolder(data)
  } catch (error) {
    throw fileFault('backups.not-staged', { folder: stage }, error)
  }
}

/**
 * Replaces the database with what `stageRestore` staged. The replaced files are moved to a folder
 * next to it; nothing is deleted. Must be called under the folder's lock before the database is
 * opened. A call that a crash interrupted is completed by the next one. Returns `undefined` if no
 * restore is staged.
 * @throws StoreError bad-folder; nothing was changed, or the next call completes the restore
 */
export function applyStagedRestore(folder: string, now: number): CompletedRestore | undefined {
  try {
    finishMoveAside(folder)
    const staged = readOrder(folder)
    if (!staged) return undefined
    const order = staged.keptAside === null ? commitPlan(folder, staged, now) : staged
    return completeRestore(folder, order)
  } catch (error) {
    throw fileFault('backups.not-restored', { folder }, error)
  }
}

/**
 * Must be called before opening the folder without applying a staged restore, because a
 * half-applied restore has no database.
 * @throws StoreError bad-folder
 */
export function refuseHalfRestored(folder: string): void {
  if (readOrder(folder)?.keptAside || unfinishedMoves(folder).length > 0)
    throw new StoreError('bad-folder', message('backups.half-restored', { folder }))
}

/**
 * Moves an unusable database and its log aside without deleting them. The caller must hold the
 * folder's lock.
 * @returns the name of the folder that they were moved to
 */
export function moveDatabaseAside(folder: string, now: number): string {
  try {
    const name = unusedName(folder, `damaged-${timestampOf(now)}`)
    mkdirSync(join(folder, `${name}${PARTIAL_SUFFIX}`), { mode: 0o700 })
    finishMoveAside(folder)
    return name
  } catch (error) {
    throw fileFault('backups.not-moved-aside', { folder }, error)
  }
}

/** Commits to the restore: from here on it will be completed, even after a crash. */
function commitPlan(folder: string, order: RestorePlan, now: number): RestorePlan {
  const stage = join(folder, STAGING_FOLDER)
  const missing = order.brings.find(
    ({ file, bytes }) => statSync(join(stage, file), { throwIfNoEntry: false })?.size !== bytes,
  )
  if (missing) {
    // Rejecting the order lets the next start continue with the current database.
    renameSync(join(stage, RESTORE_PLAN_FILE), join(stage, `${RESTORE_PLAN_FILE}.refused`))
    throw new StoreError(
      'bad-folder',
      message('backups.stage-changed', { file: join(stage, missing.file) }),
    )
  }
  const fixed = { ...order, keptAside: unusedName(folder, `replaced-${timestampOf(now)}`) }
  writeOrder(stage, fixed)
  return fixed
}

/** Each step is idempotent, so after a crash all of them are repeated. */
function completeRestore(
  folder: string,
  { keptAside, brings, replaces, name, madeAt, actor }: RestorePlan,
): CompletedRestore {
  const [stage, aside] = [join(folder, STAGING_FOLDER), join(folder, keptAside ?? '')]
  // The folder gets its final name once it contains everything that is replaced.
  if (!existsSync(aside)) {
    mkdirSync(`${aside}${PARTIAL_SUFFIX}`, { recursive: true, mode: 0o700 })
    moveAll(folder, `${aside}${PARTIAL_SUFFIX}`, replaces)
    renameSync(`${aside}${PARTIAL_SUFFIX}`, aside)
    syncFolder(folder)
  }
  const files = brings.map(({ file }) => file)
  // The database is moved last: nothing opens a folder without one.
  moveAll(stage, folder, [...files.filter((file) => file !== DATABASE_FILE), DATABASE_FILE])
  markRestored(folder)
  if (existsSync(join(stage, RESTORE_PLAN_FILE)))
    renameSync(join(stage, RESTORE_PLAN_FILE), join(aside, RESTORE_PLAN_FILE))
  syncFolder(aside)
  rmSync(stage, { recursive: true, force: true })
  syncFolder(folder)
  const hadNoDatabase = !existsSync(join(aside, DATABASE_FILE))
  return { name, madeAt, actor, keptAside: hadNoDatabase ? '' : (keptAside ?? '') }
}

function finishMoveAside(folder: string): void {
  for (const name of unfinishedMoves(folder)) {
    const part = join(folder, name)
    moveAll(folder, part, DATABASE_FILES)
    renameSync(part, part.slice(0, -PARTIAL_SUFFIX.length))
    syncFolder(folder)
  }
}

const unfinishedMoves = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder).filter((name) => /^damaged-[\d-]+Z(-\d+)?\.part$/.test(name))
    : []

/**
 * Moves the files that exist; durable when it returns. A missing file was moved by an earlier call
 * or never existed.
 */
function moveAll(from: string, to: string, files: readonly string[]): void {
  for (const file of files)
    if (existsSync(join(from, file))) renameSync(join(from, file), join(to, file))
  syncFolder(to)
  syncFolder(from)
}

function readOrder(folder: string): RestorePlan | undefined {
  const file = join(folder, STAGING_FOLDER, RESTORE_PLAN_FILE)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw fileFault('database.file-not-readable', { file }, error)
  }
  const parsed = RestorePlan.safeParse(json(text))
  if (parsed.success) return parsed.data
  throw new StoreError(
    'bad-folder',
    message('backups.order-damaged', { file, folder: join(folder, STAGING_FOLDER) }),
  )
}

const writeOrder = (stage: string, order: RestorePlan): void =>
  writeKeyFile(stage, RESTORE_PLAN_FILE, Buffer.from(`${JSON.stringify(order, null, 2)}\n`))

/** The order is deleted first, so that the remaining files have no effect. */
function clearStage(folder: string): void {
  const stage = join(folder, STAGING_FOLDER)
  if (!existsSync(stage)) return
  rmSync(join(stage, RESTORE_PLAN_FILE), { force: true })
  syncFolder(stage)
  rmSync(stage, { recursive: true, force: true })
}

/**
 * Whether the folder has this data key as a plain file. A key in a key store does not count,
 * because it may not be accessible.
 */
function hasKey(folder: string, dataKey: Buffer): boolean {
  const file = join(folder, KEY_FILE)
  return existsSync(file) && readFileSync(file).equals(dataKey)
}

/** Formats a time as `2026-03-10-090000Z`. */
const timestampOf = (now: number): string => backupName(instantOf(now)).slice('isthmus-'.length)

function unusedName(folder: string, wanted: string): string {
  const isTaken = (name: string) =>
    existsSync(join(folder, name)) || existsSync(join(folder, `${name}${PARTIAL_SUFFIX}`))
  let name = wanted
  for (let at = 2; isTaken(name); at++) name = `${wanted}-${at}`
  return name
}
