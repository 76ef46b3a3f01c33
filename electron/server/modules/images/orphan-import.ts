import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { characterSetOf } from '#server/dicom/character-sets/character-set.ts'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import type { Structure } from '#server/dicom/data-set/structure.ts'
import type { AssociationInfo } from '#server/dicom/dimse/service.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import { recogniseDevice } from '#server/modules/devices/devices.ts'
import { OWN_ADDRESS } from '#server/modules/studies/study-identity.ts'
import { StorageFault } from '#server/platform/disk-fault.ts'
import { reportError } from '#server/platform/log.ts'
import { aeTitleKey } from '#shared/dicom-values.ts'
import { isMessage, type Message, message } from '#shared/messages/message.ts'
import type { Arrivals, StoreResult } from './arrivals.ts'
import type { AssociationStatistics } from './association-statistics.ts'
import { headerOf } from './header.ts'
import { appendDiskEntry } from './image-feed.ts'
import { findCurrentVersion, listFoundVersionUids } from './image-version-queries.ts'
import type { Source } from './instance-placement.ts'
import { listIdenticalInstances } from './instance-placement.ts'
import { hasInstanceOfFile, isDestination } from './instance-queries.ts'
import { recordReturnedFile } from './local-file-queries.ts'
import { type FoundFile, importOwnInstance } from './own-instances.ts'
import { readOriginalUids, readStoredObject, tempFolderIn } from './stored-object.ts'
import type { StudyCompletion } from './study-completion.ts'

/** A file and its sender, according to its file meta information. */
export interface Orphan extends FoundFile {
  readonly source: Source
  readonly structure: Structure
  /** See `Arrival.originals`. */
  readonly originals: readonly string[]
}

/** A file name relative to `images`, and the path of the file. */
interface LocatedFile {
  readonly file: string
  readonly path: string
}

interface Sender {
  readonly source: Source
  /** Character set for data sets that declare none. */
  readonly characterSet: readonly string[]
}

const UNREADABLE_MESSAGE = message('images.file-unreadable')

/**
 * Imports image files without a row as if their devices had just sent them. For each AE title, an
 * association counts as open until disposal.
 */
export class OrphanImport implements Disposable {
  readonly #context: Context
  readonly #arrivals: Arrivals
  readonly #statistics: AssociationStatistics
  readonly #completion: StudyCompletion
  readonly #senders = new Map<string, Sender>()

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

  /** Reads a file without a row, or returns why it cannot be imported. */
  async read({ file, path }: LocatedFile): Promise<Orphan | Message> {
    const meta = await readFileMeta(path).catch((error: NodeJS.ErrnoException) => error)
    if (meta instanceof Error)
      return meta.code === undefined ? message('viewed-file.not-dicom') : UNREADABLE_MESSAGE
    const { sourceAeTitle, transferSyntaxUid, dataSetOffset } = meta
    const stored = { path, dataSetOffset, transferSyntaxUid }
    const read = await readStoredObject(stored).catch(() => undefined)
    if (!read) return UNREADABLE_MESSAGE
    const { values, structure, bytes, crc32 } = read
    const { source, characterSet } = this.#senderOf(sourceAeTitle)
    const header = headerOf(values, characterSet)
    if (values.fault !== undefined && !values.isCut) return message('images.header-damaged')
    const { sopInstanceUid } = header
    if (sopInstanceUid !== meta.sopInstanceUid || header.sopClassUid !== meta.sopClassUid)
      return message('images.header-differs')
    if (header.studyInstanceUid === '' || header.seriesInstanceUid === '')
      return message('images.names-no-study')
    const originals = await this.#originalsIn({ ...stored, sopInstanceUid }).catch(() => undefined)
    // Without the originals, a corrected copy would be shown in addition to its original.
    if (!originals) return UNREADABLE_MESSAGE
    const facts = { file, transferSyntaxUid, dataSetOffset, bytes, crc32 }
    return { source, header, structure, originals, ...facts }
  }

  /** Like `read`, but only for corrected copies. Of any other file, only the beginning is read. */
  async readCopy(located: LocatedFile): Promise<Orphan | undefined> {
    const meta = await readFileMeta(located.path).catch(() => undefined)
    if (!meta) return undefined
    const originals = await this.#originalsIn({ path: located.path, ...meta }).catch(() => [])
    if (originals.length === 0) return undefined
    const read = await this.read(located)
    return isMessage(read) ? undefined : read
  }

  /**
   * Runs `work` exclusively for the SOP Instance UID, also with respect to images that are being
   * received.
   */
  exclusively<T>({ header }: Orphan, work: () => Promise<T>): Promise<T> {
    return this.#arrivals.mutex.run(header.sopInstanceUid, work)
  }

  /**
   * Creates the row of a file in `images`, and calls `also` in the same transaction. If the
   * original of a corrected copy is current, or vice versa, the imported one is quarantined
   * (decision 0031), so that a user can decide.
   */
  async import(
    orphan: Orphan,
    also: () => void = () => undefined,
  ): Promise<StoreResult | undefined> {
    const { source, originals, ...found } = orphan
    const { database, imageFiles } = this.#context
    const commit = <T>(work: () => T) =>
      database.commitSoon(() => {
        also()
        return work()
      })
    const { header, bytes, dataSetOffset, crc32 } = found
    const { association } = source
    const { sopInstanceUid } = header
    // The file may have been copied here by a restore, and may not be durable yet.
    await imageFiles.secure(found.file)
    const isOwn = association.remoteAddress === OWN_ADDRESS
    if (isOwn && !findCurrentVersion(database, sopInstanceUid, originals)) {
      await commit(() => importOwnInstance(this.#context, found, originals))
      return undefined
    }
    this.#statistics.begin(association)
    const arrival = { ...source, ...found, originals }
    const identical = listIdenticalInstances(database, sopInstanceUid, bytes - dataSetOffset, crc32)
    const removed = identical.find(
      ({ state, localRemovedAt }) => state === 'current' && localRemovedAt !== null,
    )
    if (removed) {
      // It was fetched from a tier after the database was copied.
      await commit(() => recordReturnedFile(database, removed.instanceId, found))
      return undefined
    }
    const change =
      identical.length > 0 ? 'same' : (await this.#arrivals.compare(arrival))?.comparison
    if (change === 'same') {
      await commit(() => this.#arrivals.storeDuplicate(arrival))
      return undefined
    }
    const result = await commit(() => this.#arrivals.store({ ...arrival, change }))
    const { studyInstanceUid, state, detail } = result.instance
    const outcome = state === 'quarantined' ? 'quarantined' : 'stored'
    this.#statistics.add(association, outcome, studyInstanceUid, detail)
    this.#completion.arrived(result)
    return result
  }

  [Symbol.dispose](): void {
    for (const { source } of this.#senders.values())
      this.#completion.associationClosed(source.association.associationId, {
        kind: 'released',
        detail: null,
      })
  }

  #originalsIn(stored: Parameters<typeof readOriginalUids>[0]): Promise<string[]> {
    return readOriginalUids(stored, tempFolderIn(this.#context.folder))
  }

  #senderOf(callingAeTitle: string): Sender {
    const known = this.#senders.get(callingAeTitle)
    if (known) return known
    const { database, settings, uuid } = this.#context
    const calledAeTitle = settings.get('dimse.aeTitle')
    const isOwn = aeTitleKey(callingAeTitle) === aeTitleKey(calledAeTitle)
    const remoteAddress = isOwn ? OWN_ADDRESS : addressOf(database, callingAeTitle)
    const association: AssociationInfo = {
      associationId: uuid(),
      callingAeTitle,
      calledAeTitle,
      remoteAddress,
    }
    const device = recogniseDevice(this.#context, callingAeTitle, remoteAddress)
    // Images from a destination that is not a device were retrieved as priors.
    const isFetched = !device && isDestination(database, callingAeTitle)
    const sender = {
      source: { association, deviceName: device?.name || callingAeTitle, isFetched },
      characterSet: characterSetOf(device),
    }
    this.#senders.set(callingAeTitle, sender)
    return sender
  }
}

const UNKNOWN_ADDRESS = 'unknown'

function addressOf(database: Database, aeTitle: string): string {
  const device = listDevices(database).find(
    (each) => aeTitleKey(each.aeTitle) === aeTitleKey(aeTitle),
  )
  return device?.address ?? device?.lastAddress ?? UNKNOWN_ADDRESS
}

/**
 * Imports images that were received after a backup was made, once that backup was restored: they
 * were acknowledged, but the database has no rows for them. Each is imported as if its device had
 * just sent it, so that its study reappears; objects made by the gateway are restored as well.
 * Files that cannot be read are moved to the recovery folder, where a user decides. After an
 * interruption, the next start continues. Disposes of `orphans`.
 */
export async function importOrphans(
  context: Context,
  orphans: OrphanImport,
  recover: (file: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { database, imageFiles } = context
  const studies = new Set<string>()
  let imported = 0
  let inDoubt = 0
  let unreadable = 0
  // A file that cannot be read must not block the others, or signing, forever.
  const moveToRecovery = async (file: string) => {
    unreadable++
    await recover(file).catch((error: unknown) => reportError(context, error))
  }
  try {
    for await (const file of imageFiles.restoredOrphans((name) =>
      hasInstanceOfFile(database, name),
    )) {
      if (signal.aborted) return
      const orphan = await orphans.read({ file, path: imageFiles.pathOf(file) })
      if (isMessage(orphan)) {
        await moveToRecovery(file)
        continue
      }
      try {
        const result = await orphans.exclusively(orphan, () => orphans.import(orphan))
        if (result && isInDoubt(database, result)) inDoubt++
      } catch (error) {
        if (!isFileFault(error)) throw error
        reportError(context, error)
        await moveToRecovery(file)
        continue
      }
      imported++
      studies.add(orphan.header.studyInstanceUid)
    }
  } finally {
    orphans[Symbol.dispose]()
  }
  imageFiles.finishOrphanImport()
  if (imported > 0)
    appendDiskEntry(
      context,
      'warning',
      message('images.imported-again', { count: imported, studies: studies.size }),
    )
  if (inDoubt > 0) appendInDoubtEntry(context, inDoubt)
  if (unreadable > 0)
    appendDiskEntry(context, 'danger', message('images.files-unreadable', { count: unreadable }))
}

/** Whether the error concerns one file. Database errors concern all of them. */
const isFileFault = (error: unknown): boolean =>
  error instanceof StorageFault ||
  (error as NodeJS.ErrnoException | undefined)?.syscall !== undefined

/** Whether it was quarantined as another version of an image because of a correction. */
export const isInDoubt = (database: Database, { instance }: StoreResult): boolean =>
  instance.state === 'quarantined' && listFoundVersionUids(database, instance.instanceId).length > 0

export const appendInDoubtEntry = (context: Context, count: number): void =>
  appendDiskEntry(context, 'danger', message('images.in-doubt', { count }))
