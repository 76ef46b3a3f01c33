import { existsSync } from 'node:fs'
import type { Context } from '#server/context.ts'
import { instantOf } from '#server/platform/clock.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { findInstance, type InstanceRecord } from './instance-queries.ts'
import { listFileRemovals, markRemoved, settleFileRemovals } from './local-file-queries.ts'

const BATCH_SIZE = 200
/** Files that are fetched before it is their turn to be sent. */
export const FILES_AHEAD = 8

/** An instance, as far as its file is concerned. */
export interface InstanceFile {
  readonly instanceId: number
  readonly file: string
  readonly localRemovedAt: string | null
}

/**
 * Removes the files of instances from this PC; their rows stay. `check` runs in the transaction
 * that marks them, returns those that may still be removed, and writes the audit entry. The files
 * are deleted after the commit: a crash before it leaves everything as it was, and a crash after it
 * leaves rows in `fileRemovals`, which the next start finishes.
 * Returns the instances that were removed.
 * @throws StorageFault if a file cannot be deleted; its deletion is tried again
 */
export async function removeLocalFiles<Instance extends InstanceFile>(
  context: Context,
  instances: readonly Instance[],
  check: (instances: readonly Instance[]) => readonly Instance[],
): Promise<readonly Instance[]> {
  const { database, clock } = context
  const removed = await database.commitSoon(() => {
    const allowed = check(instances)
    markRemoved(database, allowed, instantOf(clock()))
    return allowed
  })
  await finishFileRemovals(context)
  return removed
}

/**
 * Deletes the files whose removal was committed. Their rows in `fileRemovals` are deleted only when
 * the deletion is durable, because after a power failure a file could otherwise return without one.
 * Files that cannot be deleted now, for example because another program has them open, stay queued.
 * Returns the number of deleted files.
 */
export async function finishFileRemovals(
  { database, imageFiles }: Context,
  signal?: AbortSignal,
): Promise<number> {
  let count = 0
  for (let after = ''; signal?.aborted !== true; ) {
    const files = listFileRemovals(database, BATCH_SIZE, after)
    const last = files.at(-1)
    if (last === undefined) break
    after = last
    const deleted = await imageFiles.removeDurably(files)
    await database.commitSoon(() => settleFileRemovals(database, deleted))
    count += deleted.length
  }
  return count
}

/**
 * The instance once its file is on this PC, and the path of the file. A file that was removed is
 * fetched from where it is kept; it then has another name, and may have another encoding.
 * @throws ApiError unavailable if it cannot be fetched; not-found if the instance is gone
 */
export async function ensureLocalFile(
  { database, imageFiles }: Context,
  instanceId: number,
): Promise<InstanceRecord & { readonly path: string }> {
  for (let isFetched = false; ; isFetched = true) {
    const instance = findInstance(database, instanceId)
    if (!instance) throw new ApiError('not-found', message('images.none-such'))
    const path = imageFiles.pathOf(instance.file)
    if (instance.localRemovedAt === null || existsSync(path)) return { ...instance, path }
    if (!imageFiles.recall || isFetched)
      throw new ApiError('unavailable', message('images.file-elsewhere'))
    await imageFiles.recall(instanceId).done
  }
}

/**
 * Like `ensureLocalFile`; the file is not removed again before the result is disposed of.
 * @throws as `ensureLocalFile`
 */
export async function keepLocalFile(
  context: Context,
  instanceId: number,
): Promise<InstanceRecord & { readonly path: string } & Disposable> {
  using onError = new DisposableStack()
  const kept = onError.use(context.imageFiles.inUse.keep([instanceId]))
  const local = await ensureLocalFile(context, instanceId)
  onError.move()
  return { ...local, ...kept }
}

/**
 * Starts to fetch the files after the one at `index` that are not on this PC, so that they are here
 * when it is their turn. Called for each instance of a list, in its order.
 */
export function fetchAhead(
  { imageFiles }: Context,
  instances: readonly (InstanceFile | undefined)[],
  index: number,
): void {
  const last = index + FILES_AHEAD
  for (const next of instances.slice(index === 0 ? 1 : last, last + 1))
    if (next && next.localRemovedAt !== null) imageFiles.recall?.(next.instanceId)
}

/**
 * Like `ensureLocalFile`, but returns only the path.
 * @throws ApiError unavailable if it cannot be fetched
 */
export const localPathOf = async (context: Context, instance: InstanceFile): Promise<string> =>
  instance.localRemovedAt === null
    ? context.imageFiles.pathOf(instance.file)
    : (await ensureLocalFile(context, instance.instanceId)).path
