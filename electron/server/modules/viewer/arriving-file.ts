import { open } from 'node:fs/promises'
import type { Recall } from '#server/database/recall.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { type FileSpan, OpenFile, type PieceSender } from './open-files.ts'
import { ChangeNotifier } from './view-list.ts'

/**
 * Runs `work` on the bytes of a file that are here, while it is fetched from a tier, until it
 * returns a result. Undefined when the file is complete.
 * @throws errors of the fetch, those of `work` for verified bytes, the abort reason of the signal
 */
export async function readWhileArriving<T>(
  recall: Recall,
  signal: AbortSignal,
  work: (file: OpenFile) => Promise<T | undefined>,
): Promise<T | undefined> {
  const watch = new ChangeNotifier()
  let end: { readonly error?: unknown } | undefined
  const stop = recall.onGrown(() => watch.changed())
  const ended = (how: typeof end) => {
    end = how
    watch.changed()
  }
  recall.done.then(
    () => ended({}),
    (error: unknown) => ended({ error }),
  )
  let file: { readonly path: string; readonly opened: OpenFile } | undefined
  try {
    for (;;) {
      signal.throwIfAborted()
      if (end) {
        if ('error' in end) throw end.error
        return undefined
      }
      const { path, bytes, isVerified } = recall
      if (file && file.path !== path) {
        await file.opened[Symbol.asyncDispose]()
        file = undefined
      }
      if (bytes > 0) file ??= await openArrivingFile(path)
      // It may be another source's by now.
      if (file && recall.path === path) {
        file.opened.source.length = bytes
        const found = await work(file.opened).catch((error: unknown) => {
          // Whether the image itself is faulty shows when the file is complete.
          if (recall.isVerified) throw error
          return undefined
        })
        if (found !== undefined) return found
      }
      const isUnchanged =
        recall.bytes === bytes && recall.path === path && recall.isVerified === isVerified
      if (!end && isUnchanged) await watch.next(signal)
    }
  } finally {
    stop()
    await file?.opened[Symbol.asyncDispose]()
  }
}

/** A file from one of the sources that a fetch tries. */
export interface ArrivingFile {
  readonly recall: Recall
  /** Where it is, for as long as that source is read. */
  readonly path: string
}

/**
 * Sends a part of a file while it is fetched from a tier. The last byte is sent after the checksum
 * of the file has been verified. Returns the number of bytes that were sent when the file was
 * complete; the rest is to be read from there.
 * @throws errors of the fetch, the abort reason of the signal; unavailable: it was fetched from
 *   another source after a part had been sent
 */
export async function sendWhileArriving(
  { recall, path }: ArrivingFile,
  { at, length }: FileSpan,
  sender: PieceSender,
  signal: AbortSignal,
): Promise<number> {
  let sent = 0
  let fault: { readonly error: unknown } | undefined
  await readWhileArriving(recall, signal, async ({ source }) => {
    if (recall.path !== path) return undefined
    const { isVerified } = recall
    const available = Math.min(length - (isVerified ? 0 : 1), source.length - at)
    if (available <= sent) return undefined
    try {
      await sender.send(source, { at: at + sent, length: available - sent })
    } catch (error) {
      // An unknown part of it was sent, so it must not be sent again.
      fault = { error }
    }
    sent = available
    return fault !== undefined || sent === length || undefined
  })
  if (fault) throw fault.error
  if (recall.path !== path) throw new ApiError('unavailable', message('images.file-elsewhere'))
  return sent
}

/** Undefined if it has got its final name in the meantime. */
async function openArrivingFile(path: string) {
  try {
    return { path, opened: new OpenFile(await open(path, 'r'), 0, false) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
