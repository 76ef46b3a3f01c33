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
import { isMessage, type Message, message } from '#shared/messages/message.ts'
import type { Arrivals, Kept } from './arrivals.ts'
import type { AssociationStatistics } from './association-statistics.ts'
import { headerOf } from './header.ts'
import { noteDisk } from './image-feed.ts'
import { findRivalVersion, listFoundBeside } from './image-version-queries.ts'
import type { Source } from './instance-placement.ts'
import { listTwins } from './instance-placement.ts'
import { hasInstanceOfFile, isDestination } from './instance-queries.ts'
import { type FoundFile, importOwnInstance } from './own-instances.ts'
import { originalsIn, readStored, temporaryIn } from './stored-object.ts'
import type { StudyCompletion } from './study-completion.ts'

/** A file and who sent it, by its file meta information. */
export interface Orphan extends FoundFile {
  readonly source: Source
  readonly structure: Structure
  /** As `Arrival.originals`. */
  readonly originals: readonly string[]
}

/** Where a file is, and its path below `images`. */
interface Located {
  readonly file: string
  readonly path: string
}

interface Sender {
  readonly source: Source
  /** For data sets that declare none. */
  readonly characterSet: readonly string[]
}

const UNREADABLE = message('images.file-unreadable')

/**
 * Gives image files without a row their place as if their devices sent them now: for each AE title
 * an association is open until it is disposed of.
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

  /** A file that has no row, or why it is no image that can be imported. */
  async read({ file, path }: Located): Promise<Orphan | Message> {
    const meta = await readFileMeta(path).catch((error: NodeJS.ErrnoException) => error)
    if (meta instanceof Error)
      return meta.code === undefined ? message('viewed-file.not-dicom') : UNREADABLE
    const { sourceAeTitle, transferSyntaxUid, dataSetOffset } = meta
    const stored = { path, dataSetOffset, transferSyntaxUid }
    const read = await readStored(stored).catch(() => undefined)
    if (!read) return UNREADABLE
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
    // Without them a corrected copy would be shown beside its original.
    if (!originals) return UNREADABLE
    const facts = { file, transferSyntaxUid, dataSetOffset, bytes, crc32 }
    return { source, header, structure, originals, ...facts }
  }

  /**
   * As `read`, of corrected copies alone: of any other file no more than its beginning is read.
   */
  async readCopy(located: Located): Promise<Orphan | undefined> {
    const meta = await readFileMeta(located.path).catch(() => undefined)
    if (!meta) return undefined
    const originals = await this.#originalsIn({ path: located.path, ...meta }).catch(() => [])
    if (originals.length === 0) return undefined
    const read = await this.read(located)
    return isMessage(read) ? undefined : read
  }

  /** One after the other for each SOP Instance UID, images that arrive among them. */
  exclusively<T>({ header }: Orphan, work: () => Promise<T>): Promise<T> {
    return this.#arrivals.mutex.run(header.sopInstanceUid, work)
  }

  /**
   * Gives a file in `images` its row; `also` is of the same transaction. A corrected copy whose
   * original is current, or the other way round, is set aside (decision 0031): a person decides
   * between them.
   */
  async import(orphan: Orphan, also: () => void = () => undefined): Promise<Kept | undefined> {
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
    // It may have been copied here, by whatever was put back.
    await imageFiles.secure(found.file)
    const isOwn = association.remoteAddress === OWN_ADDRESS
    if (isOwn && !findRivalVersion(database, sopInstanceUid, originals)) {
      await commit(() => importOwnInstance(this.#context, found, originals))
      return undefined
    }
    this.#statistics.begin(association)
    const arrival = { ...source, ...found, originals }
    const hasTwin = listTwins(database, sopInstanceUid, bytes - dataSetOffset, crc32).length > 0
    const change = hasTwin ? 'same' : (await this.#arrivals.compare(arrival))?.comparison
    if (change === 'same') {
      await commit(() => this.#arrivals.keepTwin(arrival))
      return undefined
    }
    const kept = await commit(() => this.#arrivals.keep({ ...arrival, change }))
    const { studyInstanceUid, state, detail } = kept.instance
    const outcome = state === 'quarantined' ? 'quarantined' : 'kept'
    this.#statistics.add(association, outcome, studyInstanceUid, detail)
    this.#completion.arrived(kept)
    return kept
  }

  [Symbol.dispose](): void {
    for (const { source } of this.#senders.values())
      this.#completion.associationClosed(source.association.associationId, {
        kind: 'released',
        detail: null,
      })
  }

  #originalsIn(stored: Parameters<typeof originalsIn>[0]): Promise<string[]> {
    return originalsIn(stored, temporaryIn(this.#context.folder))
  }

  #senderOf(callingAeTitle: string): Sender {
    const known = this.#senders.get(callingAeTitle)
    if (known) return known
    const { database, settings, uuid } = this.#context
    const calledAeTitle = settings.get('dimse.aeTitle')
    const isOwn = isSame(callingAeTitle, calledAeTitle)
    const remoteAddress = isOwn ? OWN_ADDRESS : addressOf(database, callingAeTitle)
    const association: AssociationInfo = {
      associationId: uuid(),
      callingAeTitle,
      calledAeTitle,
      remoteAddress,
    }
    const device = recogniseDevice(this.#context, callingAeTitle, remoteAddress)
    // What an archive sent, and no device, was asked for as an earlier exam.
    const isFetched = !device && isDestination(database, callingAeTitle)
    const sender = {
      source: { association, deviceName: device?.name || callingAeTitle, isFetched },
      characterSet: characterSetOf(device),
    }
    this.#senders.set(callingAeTitle, sender)
    return sender
  }
}

const isSame = (a: string, b: string) => a.trim().toUpperCase() === b.trim().toUpperCase()
const UNKNOWN_ADDRESS = 'unknown'

function addressOf(database: Database, aeTitle: string): string {
  const device = listDevices(database).find((each) => isSame(each.aeTitle, aeTitle))
  return device?.address ?? device?.lastAddress ?? UNKNOWN_ADDRESS
}

/**
 * After an older database was put back: images that came after the backup was made lie in the image
 * folder, acknowledged, and no row names them. Each gets its place as if its device sent it now, so
 * that its study appears again; what the gateway made itself goes beside them. A file that cannot
 * be read goes to the recovery folder, where a person decides about it. After a stop in between the
 * next start goes on. Disposes of `orphans`.
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
  // One file that the disk does not give must not keep the others, and signing, waiting for good.
  const putAway = async (file: string) => {
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
        await putAway(file)
        continue
      }
      try {
        const kept = await orphans.exclusively(orphan, () => orphans.import(orphan))
        if (kept && isInDoubt(database, kept)) inDoubt++
      } catch (error) {
        if (!isFileFault(error)) throw error
        reportError(context, error)
        await putAway(file)
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
    noteDisk(
      context,
      'warning',
      message('images.imported-again', { count: imported, studies: studies.size }),
    )
  if (inDoubt > 0) noteInDoubt(context, inDoubt)
  if (unreadable > 0)
    noteDisk(context, 'danger', message('images.files-unreadable', { count: unreadable }))
}

/** Of one file; what the database reports concerns all of them. */
const isFileFault = (error: unknown): boolean =>
  error instanceof StorageFault ||
  (error as NodeJS.ErrnoException | undefined)?.syscall !== undefined

/** Whether it was set aside as another version of an image, which a correction made. */
export const isInDoubt = (database: Database, { instance }: Kept): boolean =>
  instance.state === 'quarantined' && listFoundBeside(database, instance.instanceId).length > 0

export const noteInDoubt = (context: Context, count: number): void =>
  noteDisk(context, 'danger', message('images.in-doubt', { count }))
