import { createReadStream, existsSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { Context } from '#server/context.ts'
import { msOf } from '#server/platform/clock.ts'
import type { InstanceRecord } from './instance-queries.ts'
import { diskNews, type IntakeDeps, type News } from './ports.ts'

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
  { store, onNews, ...ports }: TakeBackDeps & Pick<IntakeDeps, 'onNews'>,
  recover: (file: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const unproven: InstanceRecord[] = []
  let proven = 0
  let since: number | undefined
  for (const instance of store.instances.newestFirst()) {
    if (signal.aborted) return
    // It was durable before its row was.
    if (store.corrections.isCopy(instance.instanceId)) continue
    since ??= msOf(instance.receivedAt) - UNDER_WAY_MS
    if (msOf(instance.receivedAt) < since) break
    if (await isWhole(store, instance)) {
      proven++
      // Read back from memory, after a crash of the gateway alone: that it was on the disk is not
      // said by it.
      await store.imageFiles.secure(instance.file)
    } else unproven.push(instance)
  }
  if (unproven.length === 0) return
  const say = (tone: News['tone'], text: string) => onNews(diskNews(tone, text))
  if (unproven.length > Math.max(FEW, proven) || (proven === 0 && unproven.length > 1)) {
    say(
      'danger',
      'Most of the newest images are not in the image folder. Is its disk there? Nothing was removed from the database.',
    )
    return
  }
  await store.database.commitSoon(() => {
    for (const { file } of unproven) takeBack({ store, ...ports }, file)
  })
  for (const { file } of unproven)
    if (existsSync(store.imageFiles.pathOf(file))) await recover(file)
  const count = `${unproven.length} ${unproven.length === 1 ? 'object' : 'objects'}`
  say(
    'warning',
    `${count} of a transfer that was cut off by a power failure, not whole: taken out of the study. Send the study again.`,
  )
}

async function isWhole(
  { imageFiles }: Pick<Context, 'imageFiles'>,
  { file, bytes, dataSetOffset, crc32: expected }: InstanceRecord,
): Promise<boolean> {
  let length = 0
  let checksum = 0
  try {
    for await (const chunk of createReadStream(imageFiles.pathOf(file), {
      start: dataSetOffset,
      highWaterMark: 1 << 20,
    })) {
      checksum = crc32(chunk as Buffer, checksum)
      length += (chunk as Buffer).length
    }
  } catch (error) {
    // What cannot be read now (no descriptor left, a disk fault) may be whole, and acknowledged:
    // nothing is taken back on that.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return false
  }
  return length === bytes - dataSetOffset && checksum === expected
}

export type TakeBackDeps = Pick<IntakeDeps, 'store' | 'onTakenBack' | 'onReleased'>

/**
 * In a transaction: the row of the file goes with what was queued of it, and the version whose
 * place it had taken is the current one again, and queued again. Nothing where there is none.
 */
export function takeBack(
  { store: { instances, imageStudies }, onTakenBack, onReleased }: TakeBackDeps,
  file: string,
): void {
  const row = instances.byFile(file)
  if (!row) return
  onTakenBack(row)
  instances.remove(row.instanceId)
  const others = instances.versions(row.sopInstanceUid)
  const last = others.findLast(({ state }) => state === 'superseded')
  if (row.state === 'current' && last && !others.some(({ state }) => state === 'current')) {
    instances.setState(last.instanceId, 'current', null, last.detail)
    if (!imageStudies.isFetched(last.studyInstanceUid)) onReleased({ ...last, state: 'current' })
  }
  imageStudies.recount(row.studyInstanceUid)
}
