import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { isStudyFetched } from '#server/modules/studies/image-study-queries.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { message } from '#shared/messages/message.ts'
import { appendDiskEntry } from './image-feed.ts'
import { recountInstances } from './image-study-writing-queries.ts'
import { isCorrectedCopy } from './image-version-queries.ts'
import { type CopiedInstance, listCopiedInstances, wasCopied } from './instance-copy-queries.ts'
import {
  deleteInstance,
  findInstanceOfFile,
  hasInstanceOfFile,
  type InstanceRecord,
  iterateNewestFirst,
  listInstanceVersions,
  type OnInstanceChange,
  setInstanceState,
} from './instance-queries.ts'
import { isFileRemoved, markFile } from './local-file-queries.ts'
import { readChecksum } from './stored-object.ts'

/** Maximum time for writing one image. A slower disk is considered broken. */
const MAX_WRITE_MS = 10 * 60_000
/**
 * If more rows than this lack their file, images were lost, rather than the last transfer
 * interrupted.
 */
const MAX_INTERRUPTED_WRITES = 20

/**
 * Checks the newest instances after a run that was not shut down properly. File content, file name
 * and row are made durable in parallel, so a power failure may leave a row without its file. Rows
 * of the last minutes whose file is missing or differs from what was received are deleted; their
 * senders have not received Success and will send them again. An instance of which another system
 * has confirmed a copy was acknowledged; it stays, without a file on this PC. Because the disk may also have
 * damaged an acknowledged image, such a file is never deleted but moved to the recovery folder by
 * `recover`. If most files are missing, for example because a disk is not mounted, no row is
 * deleted and the problem is reported.
 * @throws if a file exists but cannot be read; no row was deleted
 */
export async function deleteUnprovenRows(
  context: Context,
  onChange: OnInstanceChange,
  recover: (file: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { database, imageFiles } = context
  const unproven: InstanceRecord[] = []
  let provenCount = 0
  let since: number | undefined
  for (const instance of iterateNewestFirst(database)) {
    if (signal.aborted) return
    // Its file was deleted on purpose.
    if (instance.localRemovedAt !== null) continue
    // Copies are durable before their rows are written.
    if (isCorrectedCopy(database, instance.instanceId)) continue
    since ??= msOf(instance.receivedAt) - MAX_WRITE_MS
    if (msOf(instance.receivedAt) < since) break
    if (await isIntact(context, instance)) {
      provenCount++
      // After a crash of the gateway alone, the file may have been read from the page cache, so it
      // is synced now.
      await imageFiles.secure(instance.file)
    } else unproven.push(instance)
  }
  if (unproven.length === 0) return
  if (
    unproven.length > Math.max(MAX_INTERRUPTED_WRITES, provenCount) ||
    (provenCount === 0 && unproven.length > 1)
  ) {
    appendDiskEntry(context, 'danger', message('images.most-missing'))
    return
  }
  const copied = unproven.filter(({ instanceId }) => wasCopied(database, instanceId))
  const interrupted = unproven.filter((instance) => !copied.includes(instance))
  const moveAside = async ({ file }: InstanceRecord) => {
    if (existsSync(imageFiles.pathOf(file))) await recover(file)
  }
  // Before the rows say so: a damaged file must not be taken for one that was fetched.
  for (const instance of copied) await moveAside(instance)
  await database.commitSoon(() => {
    const now = instantOf(context.clock())
    for (const instance of copied) markFile(database, instance, now)
    for (const { file } of interrupted) deleteRowOf(database, onChange, file)
  })
  for (const instance of interrupted) await moveAside(instance)
  const counts = { interrupted: interrupted.length, copied: copied.length }
  if (counts.interrupted > 0)
    appendDiskEntry(context, 'warning', message('images.cut-off', { count: counts.interrupted }))
  if (counts.copied > 0)
    appendDiskEntry(
      context,
      'warning',
      message('images.copied-ones-lost', { count: counts.copied }),
    )
}

const BATCH_SIZE = 500

/**
 * Compares what the rows say of image files with the files, after a backup was restored or a standby
 * took over, for images of which another system has a copy. Since the database was copied, lifecycle
 * rules may have removed files, which are fetched under another name when they are needed. An image
 * whose file is here is marked as present, so that rules apply to it; one whose file is missing is
 * marked as removed, so that it is fetched. If most files are missing, none is marked as removed,
 * because they may still be copied to this PC; the next start compares again.
 */
export async function compareWithFiles(context: Context, signal: AbortSignal): Promise<void> {
  const { database, imageFiles, clock } = context
  const isMissing = ({ localRemovedAt, size }: FoundInstance) =>
    localRemovedAt === null && size === undefined
  let localCount = 0
  let missingCount = 0
  for await (const batch of copiedInstances(context, signal)) {
    localCount += batch.filter(({ localRemovedAt }) => localRemovedAt === null).length
    missingCount += batch.filter(isMissing).length
    const present = batch.filter(
      ({ localRemovedAt, size, bytes }) => localRemovedAt !== null && size === bytes,
    )
    if (present.length === 0) continue
    await database.commitSoon(() => {
      // A rule may be about to delete the file, or may have deleted it meanwhile.
      for (const instance of present)
        if (!isFileRemoved(database, instance.file) && existsSync(imageFiles.pathOf(instance.file)))
          markFile(database, instance, null)
    })
  }
  if (signal.aborted) return
  if (missingCount > Math.max(MAX_INTERRUPTED_WRITES, localCount - missingCount)) {
    appendDiskEntry(context, 'danger', message('images.most-copied-missing'))
    return
  }
  if (missingCount > 0)
    for await (const batch of copiedInstances(context, signal)) {
      const missing = batch.filter(isMissing)
      if (missing.length === 0) continue
      await database.commitSoon(() => {
        const now = instantOf(clock())
        for (const instance of missing) markFile(database, instance, now)
      })
    }
  if (signal.aborted) return
  imageFiles.finishComparison()
  if (missingCount > 0)
    appendDiskEntry(
      context,
      'warning',
      message('images.copied-ones-missing', { count: missingCount }),
    )
}

/** With the size of its file on this PC; undefined if there is none. */
type FoundInstance = CopiedInstance & { readonly size: number | undefined }

/** Batches of the instances of which another system has a copy. */
async function* copiedInstances(
  { database, imageFiles }: Context,
  signal: AbortSignal,
): AsyncGenerator<FoundInstance[]> {
  for (let after = 0; !signal.aborted; ) {
    const batch = listCopiedInstances(database, after, BATCH_SIZE)
    const last = batch.at(-1)
    if (!last) return
    after = last.instanceId
    const sizes = await Promise.all(batch.map(({ file }) => sizeOf(imageFiles.pathOf(file))))
    yield batch.map((instance, index) => ({ ...instance, size: sizes[index] }))
  }
}

/** @throws the error of the file system, except that there is no such file */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}

async function isIntact(
  { imageFiles }: Context,
  { file, bytes, dataSetOffset, crc32 }: InstanceRecord,
): Promise<boolean> {
  try {
    const found = await readChecksum(imageFiles.pathOf(file), dataSetOffset)
    return found.bytes === bytes && found.crc32 === crc32
  } catch (error) {
    // A file that cannot be read now (out of descriptors, disk fault) may be complete and
    // acknowledged, so no row is deleted.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return false
  }
}

/**
 * Deletes the row of the file and its forwards, and makes the version that it replaced current
 * again. Does nothing if there is no row. Must be called within a transaction.
 */
export function deleteRowOf(database: Database, onChange: OnInstanceChange, file: string): void {
  const row = findInstanceOfFile(database, file)
  if (!row) return
  onChange('deleted', [row])
  deleteInstance(database, row.instanceId)
  const others = listInstanceVersions(database, row.sopInstanceUid)
  const last = others.findLast(({ state }) => state === 'superseded')
  if (row.state === 'current' && last && !others.some(({ state }) => state === 'current')) {
    setInstanceState(database, last.instanceId, 'current', null, last.detail)
    if (!isStudyFetched(database, last.studyInstanceUid))
      onChange('released', [{ ...last, state: 'current' }])
  }
  recountInstances(database, row.studyInstanceUid)
}

/**
 * Deletes incomplete copies of an interrupted correction at startup; their originals are current.
 * Complete ones are left to the recovery, because their rows may have been committed and then lost
 * when an older database was restored.
 */
export async function deleteIncompleteCopies(context: Context): Promise<void> {
  const { imageFiles } = context
  let removed = 0
  for (const { note, files, isComplete } of imageFiles.copies.list()) {
    if (isComplete) imageFiles.copies.forget(note)
    else removed += await deleteUncommittedCopies(context, note, files)
  }
  if (removed > 0) appendDiskEntry(context, 'warning', message('images.correction-interrupted'))
}

/** Deletes copies without a row, and the list of them. Returns the number of deleted files. */
export async function deleteUncommittedCopies(
  { database, imageFiles }: Context,
  note: string,
  files: readonly string[],
): Promise<number> {
  const uncommitted = files.filter((file) => !hasInstanceOfFile(database, file))
  for (const file of uncommitted) await imageFiles.remove(file)
  imageFiles.copies.forget(note)
  return uncommitted.length
}
