import { createReadStream, existsSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { isStudyFetched } from '#server/modules/studies/image-study-queries.ts'
import { msOf } from '#server/platform/clock.ts'
import { message } from '#shared/messages/message.ts'
import { noteDisk } from './image-feed.ts'
import { recountInstances } from './image-study-writing-queries.ts'
import { isCorrectedCopy } from './image-version-queries.ts'
import {
  deleteInstance,
  findInstanceOfFile,
  hasInstanceOfFile,
  type InstanceRecord,
  instancesNewestFirst,
  listInstanceVersions,
  type OnInstanceChange,
  setInstanceState,
} from './instance-queries.ts'

/** A disk that takes longer than that over one image is broken. */
const UNDER_WAY_MS = 10 * 60_000
/** A run that fails at most of them has lost the images, not the last moment of a transfer. */
const FEW = 20

/**
 * After a run that did not end by itself: the bytes of an instance, its file's name and its row are
 * made durable side by side, and a power failure may have left its row alone. Rows of the last
 * minutes whose file is not there, or not what was received, are taken back: their senders were not
 * told Success and have them still. A disk may have damaged an acknowledged image, too, so such a
 * file is never deleted: it goes to the recovery folder (`recover`). Where most are so, such as on
 * a disk that is not mounted, nothing is taken back, and a person is told.
 * @throws a file is there and cannot be read: nothing was taken back
 */
export async function takeBackUnproven(
  context: Context,
  onChange: OnInstanceChange,
  recover: (file: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { database, imageFiles } = context
  const unproven: InstanceRecord[] = []
  let proven = 0
  let since: number | undefined
  for (const instance of instancesNewestFirst(database)) {
    if (signal.aborted) return
    // It was durable before its row was.
    if (isCorrectedCopy(database, instance.instanceId)) continue
    since ??= msOf(instance.receivedAt) - UNDER_WAY_MS
    if (msOf(instance.receivedAt) < since) break
    if (await isWhole(context, instance)) {
      proven++
      // Read back from memory after a crash of the gateway alone: that does not say that it was on
      // the disk.
      await imageFiles.secure(instance.file)
    } else unproven.push(instance)
  }
  if (unproven.length === 0) return
  if (unproven.length > Math.max(FEW, proven) || (proven === 0 && unproven.length > 1)) {
    noteDisk(context, 'danger', message('images.most-missing'))
    return
  }
  await database.commitSoon(() => {
    for (const { file } of unproven) takeBack(database, onChange, file)
  })
  for (const { file } of unproven) if (existsSync(imageFiles.pathOf(file))) await recover(file)
  noteDisk(context, 'warning', message('images.cut-off', { count: unproven.length }))
}

async function isWhole(
  { imageFiles }: Context,
  { file, bytes, dataSetOffset, crc32: expected }: InstanceRecord,
): Promise<boolean> {
  let length = 0
  let checksum = 0
  try {
    for await (const chunk of createReadStream(imageFiles.pathOf(file), {
      start: dataSetOffset,
      highWaterMark: 1 << 20,
    }) as AsyncIterable<Buffer>) {
      checksum = crc32(chunk, checksum)
      length += chunk.length
    }
  } catch (error) {
    // What cannot be read now (no descriptor left, a disk fault) may be whole, and acknowledged:
    // nothing is taken back on that.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return false
  }
  return length === bytes - dataSetOffset && checksum === expected
}

/**
 * In a transaction: the row of the file goes with what was queued of it, and the version whose
 * place it had taken is the current one again, and queued again. Nothing where there is none.
 */
export function takeBack(database: Database, onChange: OnInstanceChange, file: string): void {
  const row = findInstanceOfFile(database, file)
  if (!row) return
  onChange('taken-back', [row])
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
 * For the start: copies that an earlier run had not completed are deleted; their originals are
 * current. Complete ones are left to the recovery: their rows may have been committed, and be
 * missing because an older database was restored.
 */
export async function sweepCopies(context: Context): Promise<void> {
  const { imageFiles } = context
  let removed = 0
  for (const { note, files, isComplete } of imageFiles.copies.list()) {
    if (isComplete) imageFiles.copies.forget(note)
    else removed += await removeUncommitted(context, note, files)
  }
  if (removed > 0) noteDisk(context, 'warning', message('images.correction-interrupted'))
}

/** Deletes copies that no row names, and the note of them. Returns how many were deleted. */
export async function removeUncommitted(
  { database, imageFiles }: Context,
  note: string,
  files: readonly string[],
): Promise<number> {
  const uncommitted = files.filter((file) => !hasInstanceOfFile(database, file))
  for (const file of uncommitted) await imageFiles.remove(file)
  imageFiles.copies.forget(note)
  return uncommitted.length
}
