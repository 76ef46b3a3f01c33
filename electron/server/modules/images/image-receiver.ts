import { crc32 } from 'node:zlib'
import type { Context } from '#server/context.ts'
import { fileFor, type PartFile } from '#server/database/image-files.ts'
import { characterSetOf } from '#server/dicom/character-sets/character-set.ts'
import { DataSetInterruptedError } from '#server/dicom/data-set/data-set-stream.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import type { Structure } from '#server/dicom/data-set/structure.ts'
import type { AssociationInfo, CStoreRequest, CStoreScp } from '#server/dicom/dimse/service.ts'
import type { DimseResult } from '#server/dicom/dimse/status.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { recogniseDevice } from '#server/modules/devices/devices.ts'
import { diskFaultKind, StorageFault } from '#server/platform/disk-fault.ts'
import { reportError } from '#server/platform/log.ts'
import { aeTitleKey } from '#shared/dicom-values.ts'
import { englishText } from '#shared/messages/english.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { Arrivals, StoreResult } from './arrivals.ts'
import type { AssociationStatistics } from './association-statistics.ts'
import { deleteRowOf } from './crash-recovery.ts'
import type { DiskSpace } from './disk-space.ts'
import { fullReaderOf, headerOf, type InstanceHeader } from './header.ts'
import { logInternalError } from './image-feed.ts'
import {
  type Arrival,
  findRemovedInstance,
  listIdenticalInstances,
  type Source,
} from './instance-placement.ts'
import {
  findInstance,
  hasInstanceOfFile,
  type InstanceRecord,
  type OnInstanceChange,
} from './instance-queries.ts'
import { recordReturnedFile } from './local-file-queries.ts'
import { checkCommand, checkHeader } from './store-request-check.ts'
import { readOriginalUids, tempFolderIn, verifyDeflatedStructure } from './stored-object.ts'
import type { StudyCompletion } from './study-completion.ts'

/**
 * Bytes that are collected before a write. Most images are written at once, because each write
 * wakes up a thread. Concurrent receivers share the total.
 */
const WRITE_LIMITS = { least: 256 << 10, most: 1 << 20, all: 8 << 20 } as const
/** Bytes of an object between two checks of the free space. */
const SPACE_CHECK_BYTES = 64 << 20
const SUCCESS: DimseResult = { status: 0x0000 }

/** Whether the gateway is retrieving the study from this caller (C-MOVE). */
export type IsFetching = (
  callingAeTitle: string,
  remoteAddress: string,
  studyInstanceUid: string,
) => boolean

/** An object that is completely written but has no file name yet. */
interface ReceivedObject {
  readonly request: CStoreRequest
  readonly part: PartFile
  readonly header: InstanceHeader
  /** `undefined` for a deflated data set, which is verified after the file has its name. */
  readonly structure: Structure | undefined
  readonly dataSetOffset: number
  readonly crc32: number
}

/**
 * Storage SCP (PS3.4 Annex B): streams the instance to the spool, stores its file and its row, and
 * only then returns Success.
 */
export class ImageReceiver implements CStoreScp {
  readonly #context: Context
  readonly #arrivals: Arrivals
  readonly #disk: DiskSpace
  readonly #statistics: AssociationStatistics
  readonly #completion: StudyCompletion
  readonly #isFetching: IsFetching
  readonly #onChange: OnInstanceChange
  #receiving = 0

  constructor(
    context: Context,
    arrivals: Arrivals,
    disk: DiskSpace,
    statistics: AssociationStatistics,
    completion: StudyCompletion,
    isFetching: IsFetching,
    onChange: OnInstanceChange,
  ) {
    this.#context = context
    this.#arrivals = arrivals
    this.#disk = disk
    this.#statistics = statistics
    this.#completion = completion
    this.#isFetching = isFetching
    this.#onChange = onChange
  }

  async store(request: CStoreRequest): Promise<DimseResult> {
    const { association, signal } = request
    if (!signal.aborted) this.#statistics.begin(association)
    try {
      return await this.#receive(request)
    } catch (error) {
      // There is no peer to answer; the feed reports it when the association ends.
      if (error instanceof DataSetInterruptedError)
        return { status: 0x0110, errorComment: 'Association ended within the data set' }
      const { result, why } = refusalOf(this.#context, error)
      if (diskFaultKind(error) !== undefined) this.#disk.failed()
      const status = result.status.toString(16).toUpperCase().padStart(4, '0')
      const text = message('images.refused-with-status', { why, status })
      this.#statistics.add(association, 'refused', null, text)
      return result
    }
  }

  async #receive(request: CStoreRequest): Promise<DimseResult> {
    const { database, imageFiles, uuid } = this.#context
    requireSpace(this.#disk)
    checkCommand(request)
    const part = imageFiles.begin()
    this.#receiving++
    let file: string | undefined
    let isKept = false
    try {
      const received = await this.#read(request, part)
      const { sopInstanceUid, studyInstanceUid } = received.header
      const newFile = fileFor(studyInstanceUid, uuid())
      file = newFile
      const result = await this.#arrivals.mutex.run(sopInstanceUid, () =>
        this.#store(received, newFile),
      )
      isKept = result !== undefined
      if (result) this.#afterStored(request.association, result)
      return SUCCESS
    } finally {
      this.#receiving--
      // Even after an error, a file whose row was committed must not be deleted.
      if (!isKept && (file === undefined || !hasInstanceOfFile(database, file)))
        await part.discard()
    }
  }

  /**
   * Receives the data set into the spool file and reads its header.
   * @throws DimseError A700, A900, C000; StorageFault; DataSetInterruptedError
   */
  async #read(request: CStoreRequest, part: PartFile): Promise<ReceivedObject> {
    const { association, transferSyntax, sopClassUid, sopInstanceUid } = request
    const meta = fileMeta({
      sopClassUid,
      sopInstanceUid,
      transferSyntaxUid: transferSyntax,
      sourceAeTitle: association.callingAeTitle,
    })
    const reader = fullReaderOf(transferSyntax)
    let checksum = 0
    await this.#write(request, part, meta, (fragment) => {
      checksum = crc32(fragment, checksum)
      if (!reader.isDone) reader.push(fragment)
    })
    const found = reader.end()
    if (found.fault !== undefined && !found.isCut)
      throw new DimseError(0xc000, message('images.not-understood', { fault: found.fault ?? '' }))
    const device = this.#deviceOf(association)
    const header = headerOf(found, characterSetOf(device))
    // The identifying attributes are at the beginning of a header. If it is too long after them,
    // the object is stored in quarantine.
    const { studyInstanceUid, seriesInstanceUid } = header
    const uids = [header.sopClassUid, header.sopInstanceUid, studyInstanceUid, seriesInstanceUid]
    if (header.isCut && uids.includes(''))
      throw new DimseError(0xc000, message('images.not-understood', { fault: found.fault ?? '' }))
    checkHeader(header, request)
    const { structure } = found
    return { request, part, header, structure, dataSetOffset: meta.length, crc32: checksum }
  }

  /**
   * Writes the file while its data set arrives. `look` is called with each fragment before it is
   * written.
   */
  async #write(
    request: CStoreRequest,
    part: PartFile,
    meta: Buffer,
    look: (fragment: Buffer) => void,
  ): Promise<void> {
    let gatheredChunks: Buffer[] = [meta]
    let gatheredBytes = meta.length
    let nextCheckAt = SPACE_CHECK_BYTES
    let writing: Promise<void> = Promise.resolve()
    const write = async (buffers: readonly Buffer[]) => {
      await part.write(buffers)
      for (const buffer of buffers) if (buffer !== meta) request.release(buffer)
    }
    try {
      for await (const fragments of request.dataSet) {
        for (const fragment of fragments) {
          look(fragment)
          gatheredChunks.push(fragment)
          gatheredBytes += fragment.length
        }
        if (
          gatheredBytes < WRITE_LIMITS.most &&
          gatheredBytes < Math.max(WRITE_LIMITS.least, WRITE_LIMITS.all / this.#receiving)
        )
          continue
        // One write at a time while the next bytes arrive, so memory holds at most two buffers.
        await writing
        if (part.bytes >= nextCheckAt) {
          nextCheckAt += SPACE_CHECK_BYTES
          requireSpace(this.#disk)
        }
        writing = write(gatheredChunks)
        // An error is thrown by the next write or at the end.
        writing.catch(() => undefined)
        gatheredChunks = []
        gatheredBytes = 0
      }
    } finally {
      await writing
    }
    if (gatheredBytes > 0) await write(gatheredChunks)
  }

  /** Stores the instance; returns `undefined` if it is already stored. */
  async #store(received: ReceivedObject, file: string): Promise<StoreResult | undefined> {
    const { imageFiles } = this.#context
    const source = this.#sourceOf(received)
    const identical = await this.#identicalOf(received)
    // The row may be from a run that ended before the file was durable.
    if (identical?.localRemovedAt === null) return this.#repeat(identical, source)
    imageFiles.arriving.add(file)
    try {
      await received.part.place(file)
      const arrival = await this.#arrivalOf(received, source, file)
      const removed = identical ?? findRemovedInstance(this.#context.database, arrival)
      if (removed) return await this.#returnFile(received.part, arrival, removed)
      const compared = await this.#arrivals.compare(arrival)
      // The object is another encoding of the stored instance, which is kept.
      if (compared?.comparison === 'same') return await this.#repeat(compared.current, source)
      const { requestedInstanceId } = received.request
      const changed = { ...arrival, change: compared?.comparison }
      return await this.#commit(received.part, changed, requestedInstanceId)
    } finally {
      imageFiles.arriving.delete(file)
    }
  }

  /**
   * Makes file, name and row durable in parallel, all before Success. `crash-recovery` handles a
   * power failure in between.
   */
  async #commit(
    part: PartFile,
    arrival: Arrival,
    requestedInstanceId: number | undefined,
  ): Promise<StoreResult | undefined> {
    const { database } = this.#context
    const storeArrival = () =>
      database.commitSoon(() => {
        // Its study may have been erased while it was being fetched.
        if (requestedInstanceId !== undefined && !findInstance(database, requestedInstanceId))
          throw new DimseError(0x0110, message('images.erased-meanwhile'))
        return this.#arrivals.store(arrival)
      })
    const outcomes = await Promise.allSettled([storeArrival(), part.finish(), part.secure()])
    const failure = outcomes.find((outcome) => outcome.status === 'rejected')
    if (!failure) return outcomes[0].status === 'fulfilled' ? outcomes[0].value : undefined
    // A row must not exist without a durable file.
    await database.commitSoon(() => deleteRowOf(database, this.#onChange, arrival.file))
    throw failure.reason
  }

  /** The instance is already stored; its file is made durable before Success. */
  async #repeat(existing: InstanceRecord, source: Source): Promise<undefined> {
    const { database, imageFiles } = this.#context
    await imageFiles.secure(existing.file)
    await database.commitSoon(() => this.#arrivals.repeat(existing, source))
    this.#statistics.add(source.association, 'repeated', existing.studyInstanceUid)
  }

  /**
   * The file of the instance had been removed from this PC, and the received one takes its place.
   * It is durable before the row names it.
   */
  async #returnFile(part: PartFile, arrival: Arrival, removed: InstanceRecord): Promise<undefined> {
    const { database } = this.#context
    await Promise.all([part.finish(), part.secure()])
    await database.commitSoon(() => {
      recordReturnedFile(database, removed.instanceId, arrival)
      this.#onChange('returned', [{ ...removed, bytes: arrival.bytes }])
      this.#arrivals.repeat(removed, arrival)
    })
    this.#statistics.add(arrival.association, 'repeated', removed.studyInstanceUid)
  }

  #deviceOf({ callingAeTitle, remoteAddress }: AssociationInfo) {
    return recogniseDevice(this.#context, callingAeTitle, remoteAddress)
  }

  /**
   * The object is considered retrieved if its Move Originator is this gateway, or if the gateway is
   * retrieving its study from this caller. PS3.7 Table 9.1-1 makes the Move Originator optional,
   * and some senders omit it.
   */
  #sourceOf({ request: { association, moveOriginatorAeTitle }, header }: ReceivedObject): Source {
    const { callingAeTitle, remoteAddress } = association
    const isOwnMove =
      moveOriginatorAeTitle !== undefined &&
      aeTitleKey(moveOriginatorAeTitle) === aeTitleKey(this.#context.settings.get('dimse.aeTitle'))
    return {
      association,
      deviceName: this.#deviceOf(association)?.name || callingAeTitle,
      isFetched:
        isOwnMove || this.#isFetching(callingAeTitle, remoteAddress, header.studyInstanceUid),
    }
  }

  async #arrivalOf(received: ReceivedObject, source: Source, file: string): Promise<Arrival> {
    const { imageFiles, folder } = this.#context
    const { header, dataSetOffset, part, crc32 } = received
    const { sopInstanceUid } = header
    const transferSyntaxUid = received.request.transferSyntax
    const stored = { path: imageFiles.pathOf(file), dataSetOffset, transferSyntaxUid }
    const structure = received.structure ?? (await verifyDeflatedStructure(stored))
    const mayBeCopy = received.structure === undefined || received.structure.hasOriginalAttributes
    const originals = mayBeCopy
      ? await readOriginalUids({ ...stored, sopInstanceUid }, tempFolderIn(folder))
      : []
    return {
      ...source,
      header,
      structure,
      originals,
      transferSyntaxUid,
      file,
      dataSetOffset,
      bytes: part.bytes,
      crc32,
    }
  }

  /** The stored instance with exactly the same bytes, if there is one. */
  async #identicalOf({
    header,
    part,
    dataSetOffset,
    crc32,
  }: ReceivedObject): Promise<InstanceRecord | undefined> {
    const { database, imageFiles } = this.#context
    const bytes = part.bytes - dataSetOffset
    // A file that was removed from this PC can only be compared by its length and checksum.
    for (const identical of listIdenticalInstances(database, header.sopInstanceUid, bytes, crc32))
      if (
        identical.localRemovedAt !== null ||
        (await imageFiles.sameDataSet(part, dataSetOffset, identical.file, identical.dataSetOffset))
      )
        return identical
    return undefined
  }

  #afterStored(association: AssociationInfo, result: StoreResult): void {
    const { studyInstanceUid, state, detail } = result.instance
    const outcome = state === 'quarantined' ? 'quarantined' : 'stored'
    this.#statistics.add(association, outcome, studyInstanceUid, detail)
    this.#completion.arrived(result)
  }
}

/** Requires that images can be stored. @throws DimseError A700 */
function requireSpace(disk: DiskSpace): void {
  if (disk.takesImages()) return
  throw new DimseError(
    0xa700,
    disk.storage().state === 'full' ? TOO_LITTLE_SPACE : READ_ONLY_MESSAGE,
  )
}

/**
 * Maps an error to a response, and to a text for the feed (`why`). The text has no reference, so
 * that the feed shows repeated internal errors only once.
 */
function refusalOf(context: Context, error: unknown): { result: DimseResult; why: Message } {
  if (error instanceof DimseError)
    return {
      result: { ...error.result, errorComment: commentOf(error.message) },
      why: error.explanation,
    }
  // The same for file and row: the device keeps the image and sends it again.
  const kind = diskFaultKind(error)
  if (kind !== undefined) {
    if (error instanceof StorageFault && kind === 'failed') reportError(context, error)
    const why = kind === 'full' ? TOO_LITTLE_SPACE : READ_ONLY_MESSAGE
    return { result: { status: 0xa700, errorComment: englishText(why) }, why }
  }
  return {
    result: {
      status: 0x0110,
      errorComment: `Gateway internal error ${logInternalError(context, error)}`,
    },
    why: message('images.internal-error'),
  }
}

const TOO_LITTLE_SPACE = message('images.too-little-space')
const READ_ONLY_MESSAGE = message('images.disk-read-only')

/**
 * Error Comment is an LO in ASCII, at most 64 characters. If the text is too long, the location of
 * the fault is removed.
 */
function commentOf(text: string): string {
  const comment = text.length > 64 ? text.replace(/ \(at .*$/, '') : text
  return comment.replace(/[^\x20-\x5b\x5d-\x7e]/g, '?').slice(0, 64)
}
