import { rmSync } from 'node:fs'
import {
  CopyFault,
  type CorrectedValue,
  writeCorrectedCopy,
} from '#server/dicom/data-set/corrected-copy.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { headerOf, type InstanceHeader } from '#server/modules/images/header.ts'
import { fileFor, StorageFault } from '#server/modules/images/image-files.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import { diskNews, type IntakeDeps } from '#server/modules/images/ports.ts'
import { readStored, temporaryIn, withInflated } from '#server/modules/images/stored-object.ts'
import type { StudyImages } from '#server/modules/images/study-images.ts'
import { dicomTime, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import { ApiError } from '#shared/errors.ts'
import { uidOfUuid } from '#shared/ids.ts'
import type { CorrectionRuns, Running } from './correction-runs.ts'

/** A copy that is to be made, or was. */
export interface Wanted {
  /** Whose place it takes. */
  readonly original: InstanceRecord
  /** Whose file is copied. */
  readonly source: InstanceRecord
  readonly values: readonly CorrectedValue[]
}

export interface Copy {
  readonly original: InstanceRecord
  /** It has a row already, and is set aside. */
  readonly instance?: InstanceRecord
  readonly header: InstanceHeader
  readonly file: string
  readonly dataSetOffset: number
  readonly bytes: number
  readonly crc32: number
}

/** `uids`: those of the originals by those of the copies, which are in the study `to`. */
export interface Copying {
  readonly uids: ReadonlyMap<string, string>
  readonly to: string
  readonly run: Running
}

export interface CorrectionCopiesDeps extends IntakeDeps {
  /** Files that are about to have a row. */
  readonly arriving: Set<string>
  readonly images: Pick<StudyImages, 'deviceSetOf'>
  readonly runs: CorrectionRuns
}

export type CorrectionCopies = ReturnType<typeof openCorrectionCopies>

/** The files of corrected copies: written before their rows, and deleted where they get none. */
export function openCorrectionCopies(deps: CorrectionCopiesDeps) {
  const { store, clock, uuid, setting, arriving, runs } = deps
  const { database, imageFiles, instances } = store
  const { deviceSetOf } = deps.images
  const temporary = temporaryIn(store.folder)
  // What an earlier run was copying when it ended.
  rmSync(temporary, { recursive: true, force: true })

  const newUid = () => uidOfUuid(uuid())

  /**
   * Writes the copies, each durable under its name, and reads them back. @throws ApiError
   * unavailable; StorageFault
   */
  async function makeCopies(
    wanted: readonly Wanted[],
    files: readonly string[],
    { uids, run }: Pick<Copying, 'uids' | 'run'>,
  ): Promise<Copy[]> {
    run.begun.resolve()
    run.bytes = 2 * wanted.reduce((sum, { source }) => sum + source.bytes, 0)
    const copies: Copy[] = []
    const at = instantOf(clock())
    const { date, time, offset } = dicomTime(at, timeZoneOf(setting('clinic.timeZone')))
    for (const [index, { original, source, values }] of wanted.entries()) {
      const file = files[index] as string
      const { transferSyntaxUid, sopClassUid, callingAeTitle } = source
      const meta = fileMeta({
        ...{ sopClassUid, transferSyntaxUid, sourceAeTitle: callingAeTitle },
        sopInstanceUid: uids.get(source.sopInstanceUid) ?? newUid(),
      })
      const correction = {
        ...{ values, uids, deviceSet: deviceSetOf(source), at: `${date}${time}${offset}` },
        ...{
          source: callingAeTitle || setting('dimse.aeTitle'),
          aeTitle: setting('dimse.aeTitle'),
        },
      }
      const part = imageFiles.begin()
      let isPlaced = false
      try {
        await part.write([meta])
        const { dataSetOffset } = source
        const stored = { path: imageFiles.pathOf(source.file), dataSetOffset, transferSyntaxUid }
        await withInflated(stored, temporary, (plain, isDeflated) =>
          writeCorrectedCopy(
            plain,
            correction,
            async (bytes) => {
              runs.passed(run, bytes.length)
              await part.write([bytes])
            },
            { isDeflated },
          ),
        )
        await part.finish()
        await part.place(file)
        isPlaced = true
        await part.secure()
      } catch (error) {
        if (!isPlaced) await part.discard()
        throw error instanceof CopyFault
          ? new ApiError('refused', `An image cannot be corrected: ${error.message}`)
          : error
      }
      const copy = await readBack(original, source, { file, dataSetOffset: meta.length })
      copies.push(copy)
      runs.passed(run, copy.bytes)
    }
    return copies
  }

  /** A copy that is not whole, or not what it should be, never takes the place of anything. */
  async function readBack(
    original: InstanceRecord,
    source: InstanceRecord,
    { file, dataSetOffset }: Pick<Copy, 'file' | 'dataSetOffset'>,
  ): Promise<Copy> {
    const { transferSyntaxUid } = source
    const read = await readStored({
      path: imageFiles.pathOf(file),
      dataSetOffset,
      transferSyntaxUid,
    })
    const header = headerOf(read.values, deviceSetOf(source))
    const isWhole = read.structure.isComplete || source.structure !== 'complete'
    if (read.values.fault !== undefined || !isWhole || header.sopInstanceUid === '')
      throw new ApiError(
        'refused',
        'An image cannot be corrected: its copy could not be read back.',
      )
    return { original, header, file, dataSetOffset, bytes: read.bytes, crc32: read.crc32 }
  }

  /** The files exist from here to the commit, or not at all: a note lists what a crash leaves. */
  async function withCopies<T>(
    wanted: readonly Wanted[],
    { uids, to, run }: Copying,
    commit: (copies: readonly Copy[]) => T,
  ): Promise<T> {
    const files = wanted.map(() => fileFor(to, uuid()))
    let noted = imageFiles.noteCopies(files)
    for (const file of files) arriving.add(file)
    try {
      const copies = await makeCopies(wanted, files, { uids, run })
      await deps.writeEvents?.()
      noted = imageFiles.completeCopies(noted)
      return await database.commitSoon(() => commit(copies))
    } catch (error) {
      if (error instanceof StorageFault)
        throw new ApiError(
          'unavailable',
          'The corrected copies could not be written to the disk. Nothing was changed.',
        )
      throw error
    } finally {
      try {
        await removeUncommitted(noted, files)
      } catch (error) {
        // The rows may be committed: the next start cleans up, and the result of the commit stands.
        deps.onError(uuid().slice(0, 8), error)
      }
      for (const file of files) arriving.delete(file)
    }
  }

  /**
   * Deletes copies that no row names, and the note of them. Only for this run, whose own commit
   * failed, and for copies that were not complete. How many were deleted.
   */
  async function removeUncommitted(noted: string, files: readonly string[]): Promise<number> {
    const uncommitted = files.filter((file) => !instances.has(file))
    for (const file of uncommitted) await imageFiles.remove(file)
    imageFiles.forgetCopies(noted)
    return uncommitted.length
  }

  function uidsFor(wanted: readonly Wanted[], from: string, to: string): Map<string, string> {
    const uids = new Map<string, string>()
    for (const { source } of wanted) {
      uids.set(source.sopInstanceUid, newUid())
      if (!uids.has(source.seriesInstanceUid)) uids.set(source.seriesInstanceUid, newUid())
    }
    if (from !== to) uids.set(from, to)
    return uids
  }

  return {
    ...{ withCopies, uidsFor, newUid },
    /**
     * For the start: copies that an earlier run had not completed are deleted; their originals are
     * current. Complete ones are left to the recovery: their rows may have been committed, and be
     * missing because an older database was restored.
     */
    async sweep() {
      let removed = 0
      for (const { note: noted, files, isComplete } of imageFiles.notedCopies()) {
        if (isComplete) imageFiles.forgetCopies(noted)
        else removed += await removeUncommitted(noted, files)
      }
      if (removed > 0) deps.onNews(diskNews('warning', CUT_OFF))
    },
  }
}

const CUT_OFF =
  'A correction of images was interrupted when the gateway stopped. Nothing was changed: repeat the correction.'
