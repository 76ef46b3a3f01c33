import { rmSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { fileFor } from '#server/database/image-files.ts'
import { type Slice, type SliceQuery, sliceOf } from '#server/database/page.ts'
import { reportError } from '#server/platform/log.ts'
import type { WindowOutcome } from '#shared/contract/conventions.ts'
import type { RecoveredFile, RecoveryOutcome } from '#shared/contract/quarantine.ts'
import { ApiError } from '#shared/errors.ts'
import { isMessage, type Message, message } from '#shared/messages/message.ts'
import type { Arrivals } from './arrivals.ts'
import type { AssociationStatistics } from './association-statistics.ts'
import { compareWithFiles, deleteIncompleteCopies, deleteUnprovenRows } from './crash-recovery.ts'
import { appendDiskEntry, notifyImagesChanged } from './image-feed.ts'
import { findCurrentVersion } from './image-version-queries.ts'
import { listIdenticalInstances } from './instance-placement.ts'
import {
  findInstanceOfFile,
  hasInstanceOfFile,
  lastInstanceId,
  type OnInstanceChange,
} from './instance-queries.ts'
import { isFileRemoved } from './local-file-queries.ts'
import { finishFileRemovals } from './local-files.ts'
import {
  appendInDoubtEntry,
  importOrphans,
  isInDoubt,
  type Orphan,
  OrphanImport,
} from './orphan-import.ts'
import { COMPARISON_FOLDER } from './same-content.ts'
import { readFileHeader } from './stored-object.ts'
import type { StudyCompletion } from './study-completion.ts'

/** Files per import request; the window repeats the request for the rest. */
const BATCH_SIZE = 100
/** How long the count of files is cached (ms). */
const COUNT_CACHE_MS = 5000

/**
 * Deletes unfinished files of an earlier run; returns whether that run was interrupted, for example
 * by a power failure. Must be called at startup, before anything is received.
 * @throws StorageFault
 */
export function sweepSpool(context: Context): boolean {
  const { parts, wasInterrupted } = context.imageFiles.sweep()
  if (parts > 0)
    appendDiskEntry(context, 'warning', message('images.unfinished-transfers', { count: parts }))
  // Temporary copies for comparisons, and files that earlier versions wrote for the native module.
  for (const temporary of [COMPARISON_FOLDER, join('spool', 'native')])
    rmSync(join(context.folder, temporary), { recursive: true, force: true })
  return wasInterrupted
}

/**
 * Handles image files without a row. Each of them may be an image that was acknowledged with
 * Success before an older backup was restored or the database was lost. The gateway therefore never
 * deletes one: it moves them to the recovery folder, where a user imports or discards them.
 */
export class ImageRecovery implements AsyncDisposable {
  readonly #context: Context
  readonly #arrivals: Arrivals
  readonly #statistics: AssociationStatistics
  readonly #completion: StudyCompletion
  readonly #closing = new AbortController()
  #starting: Promise<void> = Promise.resolve()
  #counted: { readonly at: number; readonly files: number } | undefined

  constructor(
    context: Context,
    arrivals: Arrivals,
    statistics: AssociationStatistics,
    completion: StudyCompletion,
  ) {
    this.#context = context
    this.#arrivals = arrivals
    this.#statistics = statistics
    this.#completion = completion
  }

  /**
   * Repairs what crashes, restores and power failures left, while images are already being
   * received. For `wasInterrupted`, see `sweepSpool`.
   */
  start(wasInterrupted: boolean, onChange: OnInstanceChange): void {
    const reportFailure = (error: unknown) => reportError(this.#context, error)
    const { signal } = this.#closing
    const recover = (file: string) => this.#move(file)
    const work = async () => {
      // Both must run before their files are considered unknown.
      await finishFileRemovals(this.#context, signal).catch(reportFailure)
      await deleteIncompleteCopies(this.#context).catch(reportFailure)
      await this.#sweep(signal).catch(reportFailure)
      // Last, because it reads the complete images of the last minutes.
      if (wasInterrupted)
        await deleteUnprovenRows(this.#context, onChange, recover, signal).catch(reportFailure)
      if (this.#context.imageFiles.mustCompare())
        await compareWithFiles(this.#context, signal).catch(reportFailure)
      // Runs even if an earlier step failed, because reports cannot be signed before it has
      // finished.
      await importOrphans(this.#context, this.#orphans(), recover, signal)
    }
    this.#starting = work().catch(reportFailure)
  }

  /** Resolves when the startup work is complete. */
  async settled(): Promise<void> {
    await this.#starting
  }

  /**
   * Number of files in the recovery folder. They are not listed elsewhere, because a user may also
   * put files there.
   */
  count(): number {
    const now = this.#context.clock()
    if (!this.#counted || Math.abs(now - this.#counted.at) >= COUNT_CACHE_MS)
      this.#counted = { at: now, files: [...this.#context.imageFiles.recovery.files()].length }
    return this.#counted.files
  }

  files({ after, limit }: SliceQuery): Slice<string> {
    const found: string[] = []
    for (const file of this.#context.imageFiles.recovery.files(after))
      if (found.push(file) > limit) break
    return sliceOf(found, limit, (file) => file)
  }

  /** Describes a file by its header. */
  async describe(file: string): Promise<RecoveredFile> {
    const path = this.#context.imageFiles.recovery.pathOf(file)
    const { size = 0, mtime = new Date(0) } = (await stat(path).catch(() => undefined)) ?? {}
    const start = await readFileHeader(path).catch(() => undefined)
    return {
      file,
      bytes: size,
      modifiedAt: mtime.toISOString(),
      sopInstanceUid: start?.header.sopInstanceUid ?? '',
      studyInstanceUid: start?.header.studyInstanceUid ?? '',
      patientName: start?.header.study.patientName ?? '',
      modality: start?.header.study.modality ?? '',
      callingAeTitle: start?.aeTitle ?? '',
      isReadable: start !== undefined,
    }
  }

  /**
   * Imports the file, or all files in batches, as if their devices had just sent them.
   * @throws ApiError not-found; StorageFault
   */
  async import(
    { file, after }: { readonly file?: string | undefined; readonly after?: string | undefined },
    actor: Actor,
  ): Promise<RecoveryOutcome> {
    if (file !== undefined) this.#requireFile(file)
    const files: string[] = []
    for (const each of file === undefined ? this.#context.imageFiles.recovery.files(after) : [file])
      if (files.push(each) > BATCH_SIZE) break
    let imported = 0
    let failedCount = 0
    let problem: Message | null = null
    try {
      using orphans = this.#orphans()
      for (const each of files.slice(0, BATCH_SIZE)) {
        const fault = await this.#importOne(each, actor, orphans)
        if (fault === undefined) imported++
        else {
          failedCount++
          problem = fault
        }
      }
    } finally {
      if (imported > 0) notifyImagesChanged(this.#context)
    }
    const next = files.length > BATCH_SIZE ? (files[BATCH_SIZE - 1] ?? null) : null
    return { imported, failed: failedCount, problem, next }
  }

  /**
   * Deletes the file.
   * @throws ApiError not-found; StorageFault
   */
  async discard(file: string, reason: string, actor: Actor): Promise<WindowOutcome> {
    const { database, imageFiles } = this.#context
    this.#requireFile(file)
    const { sopInstanceUid, studyInstanceUid } = await this.describe(file)
    const detail = { sopInstanceUid, studyInstanceUid, reason }
    await database.commitSoon(() => note(this.#context, actor, 'recovery.discard', file, detail))
    await imageFiles.recovery.remove(file)
    this.#counted = undefined
    notifyImagesChanged(this.#context)
    return { success: true, message: message('images.file-deleted') }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    await this.#starting
  }

  #orphans(): OrphanImport {
    return new OrphanImport(this.#context, this.#arrivals, this.#statistics, this.#completion)
  }

  #isKnown(file: string): boolean {
    const { database, imageFiles } = this.#context
    return (
      imageFiles.arriving.has(file) ||
      hasInstanceOfFile(database, file) ||
      isFileRemoved(database, file)
    )
  }

  /**
   * Moves a file without a row from `images` to the recovery folder.
   * @throws StorageFault
   */
  async #move(file: string): Promise<void> {
    await this.#context.imageFiles.recovery.move(file)
    this.#counted = undefined
  }

  /**
   * Moves unknown files from `images` to the recovery folder, and files that have a row again back.
   */
  async #sweep(signal: AbortSignal): Promise<void> {
    const { database, imageFiles } = this.#context
    const returned = await this.#returnKnown(signal)
    if (signal.aborted) return
    let movedCount = 0
    let inDoubt = 0
    {
      using orphans = this.#orphans()
      const hasRow = (file: string) => hasInstanceOfFile(database, file)
      for await (const file of imageFiles.orphans(hasRow, lastInstanceId(database))) {
        if (signal.aborted) break
        // Its row may have been inserted since the file was found, or may be about to be.
        if (this.#isKnown(file)) continue
        if (await this.#quarantineCopy(file, orphans)) inDoubt++
        // A file that has a row stays in `images`.
        if (hasRow(file)) continue
        await this.#move(file)
        movedCount++
      }
    }
    if (returned > 0)
      appendDiskEntry(
        this.#context,
        'warning',
        message('images.files-returned', { count: returned }),
      )
    if (movedCount > 0)
      appendDiskEntry(
        this.#context,
        'danger',
        message('images.files-unknown', { count: movedCount }),
      )
    if (inDoubt > 0) appendInDoubtEntry(this.#context, inDoubt)
    if (returned + movedCount + inDoubt > 0) notifyImagesChanged(this.#context)
  }

  /**
   * Moves files back that have a row again, because the database with their rows was restored.
   * Returns their number.
   */
  async #returnKnown(signal: AbortSignal): Promise<number> {
    const { database, imageFiles } = this.#context
    let returned = 0
    for (const file of [...imageFiles.recovery.files()]) {
      if (signal.aborted) break
      const instance = findInstanceOfFile(database, file)
      // The file of a removed instance is left to a user, who can import it.
      if (!instance || instance.localRemovedAt !== null) continue
      if (await exists(imageFiles.pathOf(file))) continue
      await imageFiles.recovery.putBack(file, file)
      this.#counted = undefined
      returned++
    }
    return returned
  }

  /**
   * Handles a corrected copy that has no row because an older database was restored manually: if
   * its original is shown, the copy is quarantined instead of being treated as an unknown file.
   * Returns whether it was. In that case, or if it is identical to a stored instance, the file has
   * a row afterwards.
   */
  async #quarantineCopy(file: string, orphans: OrphanImport): Promise<boolean> {
    const { database, imageFiles } = this.#context
    const orphan = await orphans.readCopy({ file, path: imageFiles.pathOf(file) })
    if (!orphan || !findCurrentVersion(database, orphan.header.sopInstanceUid, orphan.originals))
      return false
    const result = await orphans.exclusively(orphan, () => orphans.import(orphan))
    return result !== undefined && isInDoubt(database, result)
  }

  #requireFile(file: string): void {
    for (const found of this.#context.imageFiles.recovery.files()) if (found === file) return
    throw new ApiError('not-found', message('images.file-gone'))
  }

  /** Imports a file, or returns why it cannot be imported; it then stays where it is. */
  async #importOne(
    file: string,
    actor: Actor,
    orphans: OrphanImport,
  ): Promise<Message | undefined> {
    const path = this.#context.imageFiles.recovery.pathOf(file)
    const orphan = await orphans.read({ file, path })
    if (isMessage(orphan)) return orphan
    try {
      await orphans.exclusively(orphan, async () => {
        if (!(await this.#deleteIfIdentical(orphan, actor)))
          await this.#importFile(orphan, actor, orphans)
      })
    } finally {
      this.#counted = undefined
    }
    return undefined
  }

  /** Deletes the file if an identical instance is already stored, after making that one durable. */
  async #deleteIfIdentical(orphan: Orphan, actor: Actor): Promise<boolean> {
    const { database, imageFiles } = this.#context
    const { file, header, bytes, dataSetOffset, crc32 } = orphan
    const path = imageFiles.recovery.pathOf(file)
    const candidates = listIdenticalInstances(
      database,
      header.sopInstanceUid,
      bytes - dataSetOffset,
      crc32,
    )
    for (const candidate of candidates) {
      if (
        !(await imageFiles.sameBytes(path, dataSetOffset, candidate.file, candidate.dataSetOffset))
      )
        continue
      await imageFiles.secure(candidate.file)
      await database.commitSoon(() => this.#noteImport(orphan, actor, { isHereAlready: true }))
      await imageFiles.recovery.remove(file)
      return true
    }
    return false
  }

  async #importFile(orphan: Orphan, actor: Actor, orphans: OrphanImport): Promise<void> {
    const { database, imageFiles, uuid } = this.#context
    const { file, header } = orphan
    const expectedFile = fileFor(header.studyInstanceUid, basename(file, '.dcm'))
    const isTaken = this.#isKnown(expectedFile) || (await exists(imageFiles.pathOf(expectedFile)))
    const to = isTaken ? fileFor(header.studyInstanceUid, uuid()) : expectedFile
    imageFiles.arriving.add(to)
    try {
      await imageFiles.recovery.putBack(file, to)
      await orphans.import({ ...orphan, file: to }, () => this.#noteImport(orphan, actor, {}))
    } catch (error) {
      if (!hasInstanceOfFile(database, to) && (await exists(imageFiles.pathOf(to))))
        await imageFiles.recovery.move(to)
      throw error
    } finally {
      imageFiles.arriving.delete(to)
    }
  }

  #noteImport({ file, header }: Orphan, actor: Actor, more: { isHereAlready?: true }): void {
    const { sopInstanceUid, studyInstanceUid } = header
    const detail = { file, sopInstanceUid, studyInstanceUid, ...more }
    note(this.#context, actor, 'recovery.import', file, detail)
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
