import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { type Slice, type SliceQuery, sliceOf } from '#server/database/page.ts'
import { note } from '#server/modules/audit/audit.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import type { RecoveredFile, RecoveryOutcome } from '#shared/contract/images.ts'
import { ApiError } from '#shared/errors.ts'
import {
  type AdoptionDeps,
  adopt,
  type Found,
  inDoubtText,
  isInDoubt,
  openSenders,
  readCopy,
  readFound,
} from './adoption.ts'
import { fileFor } from './image-files.ts'
import { type Actor, diskNews, type IntakeDeps } from './ports.ts'
import { readStart } from './stored-object.ts'

/** Files that one call imports; the window calls again for the rest. */
const PORTION = 100
/** How long a count of the folder is believed; ms. */
const COUNTED_MS = 5000

/**
 * Image files that no row names. Each may be an image whose sender was told Success (an older copy
 * of the database was put back, or the database was lost), so the gateway never deletes one: it
 * moves them to the recovery folder, and a person imports or discards them there.
 */
export interface Recovery {
  /**
   * At the start: moves unknown files out of `images`, and files that a row names again back there.
   */
  sweep(signal: AbortSignal): Promise<void>
  /**
   * Moves a file that has no row, or none any more, from `images` to the recovery folder. @throws
   * StorageFault
   */
  move(file: string): Promise<void>
  /** Files in the recovery folder. */
  count(): number
  files(query: SliceQuery): Slice<string>
  /** What a file says of itself. */
  describe(file: string): Promise<RecoveredFile>
  /**
   * Imports the file, or all of them in portions, as if its device sent it now. @throws ApiError
   * not-found; StorageFault
   */
  import(
    which: { readonly file?: string | undefined; readonly after?: string | undefined },
    actor: Actor,
  ): Promise<RecoveryOutcome>
  /** Deletes the file. @throws ApiError not-found; StorageFault */
  discard(file: string, reason: string, actor: Actor): Promise<Outcome>
}

export interface RecoveryDeps extends AdoptionDeps, Pick<IntakeDeps, 'clock' | 'onChanged'> {
  /** Files that are about to have a row. */
  readonly arriving: Set<string>
}

export function openRecovery(deps: RecoveryDeps): Recovery {
  const { store, clock, uuid, arriving, turns, arrivals, onNews, onChanged } = deps
  const { imageFiles, instances, database } = store
  const isKnown = (file: string) => arriving.has(file) || instances.has(file)
  let known: { readonly at: number; readonly files: number } | undefined

  /** The folder itself is the record: somebody may put files there, too. */
  function count(): number {
    const now = clock()
    if (!known || Math.abs(now - known.at) >= COUNTED_MS)
      known = { at: now, files: [...imageFiles.recovered()].length }
    return known.files
  }
  const changed = () => {
    known = undefined
  }

  async function move(file: string): Promise<void> {
    await imageFiles.recover(file)
    changed()
  }

  async function sweep(signal: AbortSignal): Promise<void> {
    let returned = 0
    for (const file of [...imageFiles.recovered()]) {
      if (signal.aborted) return
      // The database that knows it was put back.
      if (!instances.has(file) || (await isThere(imageFiles.pathOf(file)))) continue
      await imageFiles.putBack(file, file)
      changed()
      returned++
    }
    let moved = 0
    let inDoubt = 0
    const senders = openSenders(deps)
    try {
      for await (const file of imageFiles.orphans(isKnown, instances.newestId())) {
        if (signal.aborted) break
        // One may have got its row, or be about to, since it was found.
        if (isKnown(file)) continue
        const { hasRow, isInDoubt } = await setAside(file, senders)
        if (isInDoubt) inDoubt++
        // A file that a row names stays where the row says it is.
        if (hasRow) continue
        await move(file)
        moved++
      }
    } finally {
      senders.close()
    }
    if (returned > 0)
      onNews(
        diskNews(
          'warning',
          `${returned} ${returned === 1 ? 'file' : 'files'} moved back from the recovery folder: the database knows them again.`,
        ),
      )
    if (moved > 0)
      onNews(
        diskNews(
          'danger',
          `${moved} ${moved === 1 ? 'file' : 'files'} in the image folder without a record in the database: moved to the recovery folder, none was deleted.`,
        ),
      )
    if (inDoubt > 0) onNews(diskNews('danger', inDoubtText(inDoubt)))
    if (returned + moved + inDoubt > 0) onChanged()
  }

  /**
   * An older copy of the database was put back by hand: a corrected copy whose original it shows is
   * no unknown image, and is quarantined beside that. Without a row where the file is none, or
   * cannot be read; with a row, and not in doubt, where it is a twin, or the other version went
   * meanwhile.
   */
  async function setAside(file: string, senders: ReturnType<typeof openSenders>) {
    const found = await readCopy(senders, { file, path: imageFiles.pathOf(file) })
    if (!found || !arrivals.rivalOf(found.header.sopInstanceUid, found.originals))
      return { hasRow: false, isInDoubt: false }
    const kept = await turns.take(found.header.sopInstanceUid, () => adopt(deps, found))
    return { hasRow: instances.has(file), isInDoubt: kept !== undefined && isInDoubt(store, kept) }
  }

  function demandFile(file: string): void {
    for (const found of imageFiles.recovered()) if (found === file) return
    throw new ApiError('not-found', 'This file is not in the recovery folder any more.')
  }

  /** One sentence where it cannot be imported; the file then stays where it is. */
  async function importOne(
    file: string,
    actor: Actor,
    senders: ReturnType<typeof openSenders>,
  ): Promise<string | undefined> {
    const found = await readFound(senders, { file, path: imageFiles.recoveredPath(file) })
    if (typeof found === 'string') return found
    await turns.take(found.header.sopInstanceUid, () => take(found, actor)).finally(changed)
    return undefined
  }

  async function take(found: Found, actor: Actor): Promise<void> {
    const { file, header, bytes, dataSetOffset } = found
    const detail = {
      file,
      sopInstanceUid: header.sopInstanceUid,
      studyInstanceUid: header.studyInstanceUid,
    }
    const path = imageFiles.recoveredPath(file)
    for (const twin of arrivals.twinsOf(
      header.sopInstanceUid,
      bytes - dataSetOffset,
      found.crc32,
    )) {
      if (!(await imageFiles.sameBytes(path, dataSetOffset, twin.file, twin.dataSetOffset)))
        continue
      // The same image is in the archive: the copy goes once that one is known to be durable.
      await imageFiles.secure(twin.file)
      await database.commitSoon(() =>
        note(deps.store, actor, 'recovery.import', file, { ...detail, isHereAlready: true }),
      )
      await imageFiles.removeRecovered(file)
      return
    }
    const own = fileFor(header.studyInstanceUid, basename(file, '.dcm'))
    const to =
      isKnown(own) || (await isThere(imageFiles.pathOf(own)))
        ? fileFor(header.studyInstanceUid, uuid())
        : own
    arriving.add(to)
    try {
      await imageFiles.putBack(file, to)
      await adopt(deps, { ...found, file: to }, () =>
        note(deps.store, actor, 'recovery.import', file, detail),
      )
    } catch (error) {
      if (!instances.has(to) && (await isThere(imageFiles.pathOf(to)))) await imageFiles.recover(to)
      throw error
    } finally {
      arriving.delete(to)
    }
  }

  async function describe(file: string): Promise<RecoveredFile> {
    const path = imageFiles.recoveredPath(file)
    const { size = 0, mtime = new Date(0) } = (await stat(path).catch(() => undefined)) ?? {}
    const facts = { file, bytes: size, modifiedAt: mtime.toISOString() }
    const start = await readStart(path).catch(() => undefined)
    if (!start)
      return {
        ...facts,
        ...{
          sopInstanceUid: '',
          studyInstanceUid: '',
          patientName: '',
          modality: '',
          callingAeTitle: '',
          isReadable: false,
        },
      }
    const { sopInstanceUid, studyInstanceUid, study } = start.header
    const { patientName, modality } = study
    return {
      ...facts,
      sopInstanceUid,
      studyInstanceUid,
      patientName,
      modality,
      callingAeTitle: start.aeTitle,
      isReadable: true,
    }
  }

  return {
    sweep,
    move,
    count,
    files({ after, limit }) {
      const found: string[] = []
      for (const file of imageFiles.recovered(after)) if (found.push(file) > limit) break
      return sliceOf(found, limit, (file) => file)
    },
    describe,
    async import({ file, after }, actor) {
      if (file !== undefined) demandFile(file)
      const files: string[] = []
      for (const each of file === undefined ? imageFiles.recovered(after) : [file])
        if (files.push(each) > PORTION) break
      const senders = openSenders(deps)
      let imported = 0
      let failed = 0
      let problem = ''
      try {
        for (const each of files.slice(0, PORTION)) {
          const fault = await importOne(each, actor, senders)
          if (fault === undefined) imported++
          else {
            failed++
            problem = fault
          }
        }
      } finally {
        senders.close()
        if (imported > 0) onChanged()
      }
      return {
        imported,
        failed,
        problem,
        next: files.length > PORTION ? (files[PORTION - 1] ?? null) : null,
      }
    },
    async discard(file, reason, actor) {
      demandFile(file)
      const { sopInstanceUid, studyInstanceUid } = await describe(file)
      await database.commitSoon(() =>
        note(deps.store, actor, 'recovery.discard', file, {
          sopInstanceUid,
          studyInstanceUid,
          reason,
        }),
      )
      await imageFiles.removeRecovered(file)
      changed()
      onChanged()
      return { success: true, message: 'The file was deleted.' }
    },
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
