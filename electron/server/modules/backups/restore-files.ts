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
import { type BackupKey, keepProofIn, openBackup, type RestoreProgress } from './backup-opening.ts'

/** Below the data folder: what is ready to take the place of the database. */
const STAGE = 'restore'
const PART = '.part'

/** A backup that took the place of the database. */
export interface Restored {
  /** Of the backup. */
  readonly name: string
  readonly madeAt: string
  readonly actor: string
  /**
   * Name of the folder in the data folder where what was replaced lies; empty where there was
   * nothing.
   */
  readonly keptAside: string
}

/**
 * Makes the backup in the folder `from` ready to take the place of the database of the data folder
 * `data`, which is made when it is not there, and whose lock the caller holds. The database is not
 * touched, also where this fails. One that was ready before and was never put back is given up.
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
  const stage = join(data, STAGE)
  try {
    clearStage(data)
    const { manifest, dataKey } = await openBackup(from, stage, key, onProgress)
    const brings: RestorePlan['brings'][number]['file'][] = [DATABASE_FILE]
    const replaces: RestorePlan['replaces'] = [...DATABASE_FILES]
    const isOtherKey = 'recoveryKey' in key && !hasKey(data, dataKey)
    if (isOtherKey) {
      writeKeyFile(stage, KEY_FILE, dataKey)
      brings.push(KEY_FILE)
      // Of the other key: nothing here could read it.
      replaces.push(...KEY_FILES, ANCHOR_FILE)
    }
    if (manifest.hasRecoveryKey && (isOtherKey || !existsSync(join(data, RECOVERY_FILE)))) {
      writeKeyFile(stage, RECOVERY_FILE, readFileSync(join(from, RECOVERY_FILE)))
      brings.push(RECOVERY_FILE)
    }
    // A recovery key that was made after the backup goes on to open the database.
    else if (existsSync(join(data, RECOVERY_FILE)))
      keepProofIn(join(stage, DATABASE_FILE), sealWith(dataKey), instantOf(now))
    const what = {
      name: backupName(manifest.madeAt),
      madeAt: manifest.madeAt,
      stagedAt: instantOf(now),
      actor,
    }
    writeOrder(stage, {
      ...{ version: 1, ...what, mac: restorePlanMac(sealWith(dataKey), what) },
      brings: brings.map((file) => ({ file, bytes: statSync(join(stage, file)).size })),
      ...{ replaces, keptAside: null },
    })
    syncFolder(data)
  } catch (error) {
    throw fileFault('backups.not-staged', { folder: stage }, error)
  }
}

/**
 * Puts what `stageRestore` made ready in the place of the database, which goes to a folder beside
 * it: nothing is deleted. To be called under the folder's lock before the database is opened. What
 * a crash interrupts at any point the next call finishes; undefined where nothing was to be done.
 * @throws StoreError bad-folder: nothing was changed, or what was begun is finished by the next
 *   call
 */
export function applyStagedRestore(folder: string, now: number): Restored | undefined {
  try {
    finishQuarantine(folder)
    const staged = readOrder(folder)
    if (!staged) return undefined
    const order = staged.keptAside === null ? begun(folder, staged, now) : staged
    return putInPlace(folder, order)
  } catch (error) {
    throw fileFault('backups.not-restored', { folder }, error)
  }
}

/**
 * For whoever opens the folder without putting anything back: between two files that are moved it
 * has no database. @throws StoreError bad-folder
 */
export function refuseHalfRestored(folder: string): void {
  if (readOrder(folder)?.keptAside || quarantines(folder).length > 0)
    throw new StoreError('bad-folder', message('backups.half-restored', { folder }))
}

/**
 * Moves a database that cannot be used out of the way, with its log; nothing is deleted. Under the
 * folder's lock. @returns the name of the folder it lies in
 */
export function quarantine(folder: string, now: number): string {
  try {
    const name = freeName(folder, `damaged-${stampOf(now)}`)
    mkdirSync(join(folder, `${name}${PART}`), { mode: 0o700 })
    finishQuarantine(folder)
    return name
  } catch (error) {
    throw fileFault('backups.not-moved-aside', { folder }, error)
  }
}

/** From here on the restore is finished, whatever happens. */
function begun(folder: string, order: RestorePlan, now: number): RestorePlan {
  const stage = join(folder, STAGE)
  const missing = order.brings.find(
    ({ file, bytes }) => statSync(join(stage, file), { throwIfNoEntry: false })?.size !== bytes,
  )
  if (missing) {
    // The next start goes on with the database as it is.
    renameSync(join(stage, RESTORE_PLAN_FILE), join(stage, `${RESTORE_PLAN_FILE}.refused`))
    throw new StoreError(
      'bad-folder',
      message('backups.stage-changed', { file: join(stage, missing.file) }),
    )
  }
  const fixed = { ...order, keptAside: freeName(folder, `replaced-${stampOf(now)}`) }
  writeOrder(stage, fixed)
  return fixed
}

/** Each step can be done again: a crash is finished by doing all of them. */
function putInPlace(
  folder: string,
  { keptAside, brings, replaces, name, madeAt, actor }: RestorePlan,
): Restored {
  const [stage, aside] = [join(folder, STAGE), join(folder, keptAside ?? '')]
  // The folder has its last name once all that is replaced is in it.
  if (!existsSync(aside)) {
    mkdirSync(`${aside}${PART}`, { recursive: true, mode: 0o700 })
    moveAll(folder, `${aside}${PART}`, replaces)
    renameSync(`${aside}${PART}`, aside)
    syncFolder(folder)
  }
  const files = brings.map(({ file }) => file)
  // The database comes last: without it nothing opens the folder.
  moveAll(stage, folder, [...files.filter((file) => file !== DATABASE_FILE), DATABASE_FILE])
  markRestored(folder)
  if (existsSync(join(stage, RESTORE_PLAN_FILE)))
    renameSync(join(stage, RESTORE_PLAN_FILE), join(aside, RESTORE_PLAN_FILE))
  syncFolder(aside)
  rmSync(stage, { recursive: true, force: true })
  syncFolder(folder)
  const hadNothing = !existsSync(join(aside, DATABASE_FILE))
  return { name, madeAt, actor, keptAside: hadNothing ? '' : (keptAside ?? '') }
}

function finishQuarantine(folder: string): void {
  for (const name of quarantines(folder)) {
    const part = join(folder, name)
    moveAll(folder, part, DATABASE_FILES)
    renameSync(part, part.slice(0, -PART.length))
    syncFolder(folder)
  }
}

const quarantines = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder).filter((name) => /^damaged-[\d-]+Z(-\d+)?\.part$/.test(name))
    : []

/** Durable when it returns. What is not there was moved before, or never was. */
function moveAll(from: string, to: string, files: readonly string[]): void {
  for (const file of files)
    if (existsSync(join(from, file))) renameSync(join(from, file), join(to, file))
  syncFolder(to)
  syncFolder(from)
}

function readOrder(folder: string): RestorePlan | undefined {
  const file = join(folder, STAGE, RESTORE_PLAN_FILE)
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
    message('backups.order-damaged', { file, folder: join(folder, STAGE) }),
  )
}

const writeOrder = (stage: string, order: RestorePlan): void =>
  writeKeyFile(stage, RESTORE_PLAN_FILE, Buffer.from(`${JSON.stringify(order, null, 2)}\n`))

/** Its order goes first: what is left of the rest is then nobody's. */
function clearStage(folder: string): void {
  const stage = join(folder, STAGE)
  if (!existsSync(stage)) return
  rmSync(join(stage, RESTORE_PLAN_FILE), { force: true })
  syncFolder(stage)
  rmSync(stage, { recursive: true, force: true })
}

/**
 * Whether the folder has this data key as a plain file. One that a key store keeps may be what
 * cannot be had.
 */
function hasKey(folder: string, dataKey: Buffer): boolean {
  const file = join(folder, KEY_FILE)
  return existsSync(file) && readFileSync(file).equals(dataKey)
}

/** `2026-03-10-090000Z`. */
const stampOf = (now: number): string => backupName(instantOf(now)).slice('isthmus-'.length)

function freeName(folder: string, wanted: string): string {
  const isTaken = (name: string) =>
    existsSync(join(folder, name)) || existsSync(join(folder, `${name}${PART}`))
  let name = wanted
  for (let at = 2; isTaken(name); at++) name = `${wanted}-${at}`
  return name
}
