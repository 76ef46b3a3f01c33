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
import { sweepCopies, takeBackUnproven } from './crash-recovery.ts'
import { noteDisk, noteImagesChanged } from './image-feed.ts'
import { findRivalVersion } from './image-version-queries.ts'
import { listTwins } from './instance-placement.ts'
import { hasInstanceOfFile, newestInstanceId, type OnInstanceChange } from './instance-queries.ts'
import {
  importOrphans,
  isInDoubt,
  noteInDoubt,
  type Orphan,
  OrphanImport,
} from './orphan-import.ts'
import { COMPARED } from './same-content.ts'
import { readStart } from './stored-object.ts'
import type { StudyCompletion } from './study-completion.ts'

/** Files that one call imports; the window calls again for the rest. */
const PORTION = 100
/** How long a count of the folder is believed; ms. */
const COUNTED_MS = 5000

/**
 * For the start, before anything is received: deletes what an earlier run left unfinished. Whether
 * that run was cut off, such as by a power failure. @throws StorageFault
 */
export function sweepSpool(context: Context): boolean {
  const { parts, wasInterrupted } = context.imageFiles.sweep()
  if (parts > 0)
    noteDisk(context, 'warning', message('images.unfinished-transfers', { count: parts }))
  // Copies for comparisons, and what earlier versions wrote for the native module.
  for (const temporary of [COMPARED, join('spool', 'native')])
    rmSync(join(context.folder, temporary), { recursive: true, force: true })
  return wasInterrupted
}

/**
 * Image files that no row names. Each may be an image whose sender was told Success (an older copy
 * of the database was put back, or the database was lost), so the gateway never deletes one: it
 * moves them to the recovery folder, and a person imports or discards them there.
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
   * At the start, while images arrive already: what crashes, restores and power failures left
   * (`wasInterrupted`: see `sweepSpool`).
   */
  start(wasInterrupted: boolean, onChange: OnInstanceChange): void {
    const failed = (error: unknown) => reportError(this.#context, error)
    const { signal } = this.#closing
    const recover = (file: string) => this.#move(file)
    const work = async () => {
      // Before what it left is taken for unknown files.
      await sweepCopies(this.#context).catch(failed)
      await this.#sweep(signal).catch(failed)
      // It reads whole images, those of minutes: last.
      if (wasInterrupted)
        await takeBackUnproven(this.#context, onChange, recover, signal).catch(failed)
      // No report is signed before it has ended: it runs whatever failed before.
      await importOrphans(this.#context, this.#orphans(), recover, signal)
    }
    this.#starting = work().catch(failed)
  }

  /** Resolves when the work of the start is over. */
  async settled(): Promise<void> {
    await this.#starting
  }

  /** Files in the recovery folder. The folder itself is the record: a person may put files there. */
  count(): number {
    const now = this.#context.clock()
    if (!this.#counted || Math.abs(now - this.#counted.at) >= COUNTED_MS)
      this.#counted = { at: now, files: [...this.#context.imageFiles.recovery.files()].length }
    return this.#counted.files
  }

  files({ after, limit }: SliceQuery): Slice<string> {
    const found: string[] = []
    for (const file of this.#context.imageFiles.recovery.files(after))
      if (found.push(file) > limit) break
    return sliceOf(found, limit, (file) => file)
  }

  /** What a file says of itself. */
  async describe(file: string): Promise<RecoveredFile> {
    const path = this.#context.imageFiles.recovery.pathOf(file)
    const { size = 0, mtime = new Date(0) } = (await stat(path).catch(() => undefined)) ?? {}
    const start = await readStart(path).catch(() => undefined)
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
   * Imports the file, or all of them in portions, as if its device sent it now. @throws ApiError
   * not-found; StorageFault
   */
  async import(
    { file, after }: { readonly file?: string | undefined; readonly after?: string | undefined },
    actor: Actor,
  ): Promise<RecoveryOutcome> {
    if (file !== undefined) this.#demandFile(file)
    const files: string[] = []
    for (const each of file === undefined ? this.#context.imageFiles.recovery.files(after) : [file])
      if (files.push(each) > PORTION) break
    let imported = 0
    let failed = 0
    let problem: Message | null = null
    try {
      using orphans = this.#orphans()
      for (const each of files.slice(0, PORTION)) {
        const fault = await this.#importOne(each, actor, orphans)
        if (fault === undefined) imported++
        else {
          failed++
          problem = fault
        }
      }
    } finally {
      if (imported > 0) noteImagesChanged(this.#context)
    }
    const next = files.length > PORTION ? (files[PORTION - 1] ?? null) : null
    return { imported, failed, problem, next }
  }

  /** Deletes the file. @throws ApiError not-found; StorageFault */
  async discard(file: string, reason: string, actor: Actor): Promise<WindowOutcome> {
    const { database, imageFiles } = this.#context
    this.#demandFile(file)
    const { sopInstanceUid, studyInstanceUid } = await this.describe(file)
    const detail = { sopInstanceUid, studyInstanceUid, reason }
    await database.commitSoon(() => note(this.#context, actor, 'recovery.discard', file, detail))
    await imageFiles.recovery.remove(file)
    this.#counted = undefined
    noteImagesChanged(this.#context)
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
    return imageFiles.arriving.has(file) || hasInstanceOfFile(database, file)
  }

  /** A file that has no row, or none any more, from `images`. @throws StorageFault */
  async #move(file: string): Promise<void> {
    await this.#context.imageFiles.recovery.move(file)
    this.#counted = undefined
  }

  /** Moves unknown files out of `images`, and files that a row names again back there. */
  async #sweep(signal: AbortSignal): Promise<void> {
    const { database, imageFiles } = this.#context
    const returned = await this.#putBackKnown(signal)
    if (signal.aborted) return
    let moved = 0
    let inDoubt = 0
    {
      using orphans = this.#orphans()
      const hasRow = (file: string) => hasInstanceOfFile(database, file)
      for await (const file of imageFiles.orphans(hasRow, newestInstanceId(database))) {
        if (signal.aborted) break
        // One may have got its row, or be about to, since it was found.
        if (this.#isKnown(file)) continue
        if (await this.#setAsideCopy(file, orphans)) inDoubt++
        // A file that a row names stays where the row says it is.
        if (hasRow(file)) continue
        await this.#move(file)
        moved++
      }
    }
    if (returned > 0)
      noteDisk(this.#context, 'warning', message('images.files-returned', { count: returned }))
    if (moved > 0)
      noteDisk(this.#context, 'danger', message('images.files-unknown', { count: moved }))
    if (inDoubt > 0) noteInDoubt(this.#context, inDoubt)
    if (returned + moved + inDoubt > 0) noteImagesChanged(this.#context)
  }

  /** The database that knows them was put back. How many there were. */
  async #putBackKnown(signal: AbortSignal): Promise<number> {
    const { database, imageFiles } = this.#context
    let returned = 0
    for (const file of [...imageFiles.recovery.files()]) {
      if (signal.aborted) break
      if (!hasInstanceOfFile(database, file) || (await isThere(imageFiles.pathOf(file)))) continue
      await imageFiles.recovery.putBack(file, file)
      this.#counted = undefined
      returned++
    }
    return returned
  }

  /**
   * An older copy of the database was put back by hand: a corrected copy whose original it shows is
   * no unknown image, and is quarantined beside that. Whether it was; then, or where it is a twin,
   * the file has a row.
   */
  async #setAsideCopy(file: string, orphans: OrphanImport): Promise<boolean> {
    const { database, imageFiles } = this.#context
    const orphan = await orphans.readCopy({ file, path: imageFiles.pathOf(file) })
    if (!orphan || !findRivalVersion(database, orphan.header.sopInstanceUid, orphan.originals))
      return false
    const kept = await orphans.exclusively(orphan, () => orphans.import(orphan))
    return kept !== undefined && isInDoubt(database, kept)
  }

  #demandFile(file: string): void {
    for (const found of this.#context.imageFiles.recovery.files()) if (found === file) return
    throw new ApiError('not-found', message('images.file-gone'))
  }

  /** Why it cannot be imported; the file then stays where it is. */
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
        if (!(await this.#dropTwin(orphan, actor))) await this.#take(orphan, actor, orphans)
      })
    } finally {
      this.#counted = undefined
    }
    return undefined
  }

  /** Where the same image is in the archive the copy is deleted, once that one is durable. */
  async #dropTwin(orphan: Orphan, actor: Actor): Promise<boolean> {
    const { database, imageFiles } = this.#context
    const { file, header, bytes, dataSetOffset, crc32 } = orphan
    const path = imageFiles.recovery.pathOf(file)
    const twins = listTwins(database, header.sopInstanceUid, bytes - dataSetOffset, crc32)
    for (const twin of twins) {
      if (!(await imageFiles.sameBytes(path, dataSetOffset, twin.file, twin.dataSetOffset)))
        continue
      await imageFiles.secure(twin.file)
      await database.commitSoon(() => this.#noteImport(orphan, actor, { isHereAlready: true }))
      await imageFiles.recovery.remove(file)
      return true
    }
    return false
  }

  async #take(orphan: Orphan, actor: Actor, orphans: OrphanImport): Promise<void> {
    const { database, imageFiles, uuid } = this.#context
    const { file, header } = orphan
    const own = fileFor(header.studyInstanceUid, basename(file, '.dcm'))
    const isTaken = this.#isKnown(own) || (await isThere(imageFiles.pathOf(own)))
    const to = isTaken ? fileFor(header.studyInstanceUid, uuid()) : own
    imageFiles.arriving.add(to)
    try {
      await imageFiles.recovery.putBack(file, to)
      await orphans.import({ ...orphan, file: to }, () => this.#noteImport(orphan, actor, {}))
    } catch (error) {
      if (!hasInstanceOfFile(database, to) && (await isThere(imageFiles.pathOf(to))))
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

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
