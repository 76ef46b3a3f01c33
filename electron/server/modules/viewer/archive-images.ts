import { open } from 'node:fs/promises'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import {
  openViewedFile,
  ViewedFileFault,
  type ViewedHeader,
} from '#server/dicom/pixel-data/viewed-file.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import { ApiError } from '#shared/errors.ts'
import { type CacheHold, fileKeyOf, NoRoom } from './cache.ts'
import { inflatedCopy } from './fetching.ts'
import { extrasOf, frameOf, type ImageFile, noFrame } from './image-file.ts'
import { isDocument } from './media.ts'
import { diskSource, type OpenFile } from './open-files.ts'
import type { ViewScope } from './scope.ts'

/** The first images are shown while the others are read. */
const FIRST = 24
const BATCH = 200
const AT_ONCE = 6
/**
 * What the gateway itself made, such as a capture or the copy of a report, has no sender: with it
 * alone, the images are elsewhere.
 */
const isReceived = ({ remoteAddress }: InstanceRecord) => remoteAddress !== ''

/** What is remembered of an instance. */
type Kept = Pick<InstanceRecord, 'file' | 'crc32' | 'transferSyntaxUid'>

/** The current images of a study in the archive; those that were set aside are not shown. */
export function archiveImages(scope: ViewScope, studyInstanceUid: string) {
  const { context, cache, openFiles, list, shown, media, signal } = scope
  const instances = new Map<string, Kept>()
  const inflated = new Map<string, Promise<CacheHold>>()
  let files = 0
  let read = 0
  let hasReceived = false
  /** The last instance that was listed, and how many there are. */
  let after = 0
  let known = 0
  let isStale = false
  const count = () => context.imageStudies.get(studyInstanceUid)?.instances ?? 0
  let counted = 0

  /** Of a deflated file it is that of its inflated copy. */
  async function pathOf({ file, crc32, transferSyntaxUid }: Kept): Promise<string> {
    const path = context.imageFiles.pathOf(file)
    if (transferSyntaxUid !== TRANSFER_SYNTAX.deflatedExplicitLittleEndian) return path
    const fileKey = fileKeyOf(`archive ${file}`)
    const evicted = () => void inflated.delete(file)
    const copy = inflated.get(file) ?? cacheCopy(fileKey, `"${crc32}"`, path, evicted)
    inflated.set(file, copy)
    copy.catch(() => inflated.delete(file))
    const hold = await copy
    hold.touch()
    return hold.path
  }

  async function cacheCopy(
    fileKey: string,
    etag: string,
    path: string,
    evicted: () => void,
  ): Promise<CacheHold> {
    await cache.ready
    const before = cache.known(fileKey)
    const hold = before?.etag === etag ? cache.hold(before, evicted) : undefined
    return (
      hold ??
      (await inflatedCopy(
        cache,
        path,
        { fileKey, studyInstanceUid, etag, lastModified: null },
        evicted,
      ))
    )
  }

  async function opened<T>(kept: Kept, work: (file: OpenFile) => Promise<T>): Promise<T> {
    try {
      return await openFiles.use(await pathOf(kept), work)
    } catch (error) {
      if (error instanceof ApiError) throw error
      throw new ApiError('refused', faultSentence(error))
    }
  }

  /**
   * What was set aside or replaced since it was listed is shown no more, as where it was of another
   * patient.
   */
  async function current<T>(
    sopInstanceUid: string,
    kept: Kept,
    work: (file: OpenFile) => Promise<T>,
  ): Promise<T> {
    if (context.instances.current(sopInstanceUid)?.file === kept.file)
      return await opened(kept, work)
    isStale = true
    throw new ApiError(
      'refused',
      'It was set aside or replaced in the archive meanwhile: reload the page.',
    )
  }

  const imageOf = (sopInstanceUid: string, kept: Kept): ImageFile => ({
    frame: (number) =>
      current(sopInstanceUid, kept, async (file) => (await frameOf(file, number)) ?? noFrame()),
    extras: () => current(sopInstanceUid, kept, async (file) => extrasOf(file)),
    use: (_signal, work) => current(sopInstanceUid, kept, work),
  })

  async function show(instance: InstanceRecord, at: number): Promise<void> {
    try {
      const { header, fault } = await readFile(await pathOf(instance))
      shown.show(header, 'archive')
      if (isDocument(header)) media.addDocument(imageOf(instance.sopInstanceUid, instance))
      if (fault !== undefined) tell(instance, at, fault)
    } catch (error) {
      if (!signal.aborted) tell(instance, at, faultSentence(error))
    }
    read++
  }

  const tell = ({ sopInstanceUid }: InstanceRecord, at: number, sentence: string) =>
    list.faults.add({
      level: 'warning',
      what: `Image ${at} of the archive`,
      sentence,
      studyInstanceUid,
      sopInstanceUid,
    })

  return {
    /** Lists them all; again, those that have come since. @throws the signal's reason */
    async run(): Promise<void> {
      counted = count()
      isStale = false
      files = Math.max(files, counted)
      for (let limit = FIRST; ; limit = BATCH) {
        const part = context.instances.partOfStudy(studyInstanceUid, after, limit)
        for (const instance of part) {
          const { sopInstanceUid, file, crc32, transferSyntaxUid } = instance
          instances.set(sopInstanceUid, { file, crc32, transferSyntaxUid })
          hasReceived ||= isReceived(instance)
        }
        const waiting = part.entries()
        const worker = async () => {
          for (const [index, instance] of waiting) {
            signal.throwIfAborted()
            await show(instance, known + index + 1)
          }
        }
        await Promise.all(Array.from({ length: AT_ONCE }, worker))
        known += part.length
        files = Math.max(files, known)
        after = part.at(-1)?.instanceId ?? after
        list.watch.changed()
        if (part.length < limit) break
      }
      files = known
    },
    /** Whether there are others than were listed. */
    get isChanged() {
      return isStale || count() !== counted
    },
    get files() {
      return files
    },
    get read() {
      return read
    },
    /** Whether a device sent any of them. */
    get hasReceived() {
      return hasReceived
    },
    has: (sopInstanceUid: string) => instances.has(sopInstanceUid),
    find(sopInstanceUid: string) {
      const kept = instances.get(sopInstanceUid)
      return kept && imageOf(sopInstanceUid, kept)
    },
    close(): void {
      for (const copy of inflated.values())
        copy
          .then((hold) => {
            openFiles.drop(hold.path)
            hold.release()
          })
          .catch(() => undefined /* There is none. */)
    },
  }
}

/**
 * Opens it for its header alone: of thousands none stays open. @throws ViewedFileFault, what the
 * disk says
 */
async function readFile(
  path: string,
): Promise<{ readonly header: ViewedHeader; readonly fault: string | undefined }> {
  await using handle = await open(path, 'r')
  const source = diskSource(handle, { length: (await handle.stat()).size, isWhole: true })
  await source.prefetch()
  const viewed = openViewedFile(source)
  const header = viewed.header()
  if (!header) throw new ViewedFileFault('It ends before its image begins.')
  return { header, fault: viewed.fault() }
}

function faultSentence(error: unknown): string {
  if (error instanceof ViewedFileFault || error instanceof NoRoom) return error.message
  const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
  return isGone ? 'Its file is not in the image folder any more.' : 'Its file cannot be read.'
}
