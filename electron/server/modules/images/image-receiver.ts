import { crc32 } from 'node:zlib'
import type { Context } from '#server/context.ts'
import { fileFor, type PartFile } from '#server/database/image-files.ts'
import { characterSetOf } from '#server/dicom/character-sets/character-set.ts'
import { DataSetInterrupted } from '#server/dicom/data-set/data-set-stream.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import type { Structure } from '#server/dicom/data-set/structure.ts'
import type { AssociationInfo, CStoreRequest, CStoreScp } from '#server/dicom/dimse/service.ts'
import type { DimseResult } from '#server/dicom/dimse/status.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { recogniseDevice } from '#server/modules/devices/devices.ts'
import { diskFaultKind, StorageFault } from '#server/platform/disk-fault.ts'
import { reportError } from '#server/platform/log.ts'
import { english } from '#shared/messages/english.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { Arrivals, Kept } from './arrivals.ts'
import type { AssociationStatistics } from './association-statistics.ts'
import { takeBack } from './crash-recovery.ts'
import type { DiskSpace } from './disk-space.ts'
import { fitnessOfUid, headerOf, type InstanceHeader, readerOf, TAG } from './header.ts'
import { referenceTo } from './image-feed.ts'
import type { Arrival, Source } from './instance-placement.ts'
import { listTwins } from './instance-placement.ts'
import {
  hasInstanceOfFile,
  type InstanceRecord,
  type OnInstanceChange,
} from './instance-queries.ts'
import { deflatedStructure, originalsIn, temporaryIn } from './stored-object.ts'
import type { StudyCompletion } from './study-completion.ts'

/**
 * What is gathered of a data set before it is written: most images go whole, as each write wakes a
 * thread. Many at a time share what there is.
 */
const WRITE_BYTES = { least: 256 << 10, most: 1 << 20, all: 8 << 20 } as const
/** What is written of one object before it is looked at again whether there is room. */
const LOOK_BYTES = 64 << 20
const SUCCESS: DimseResult = { status: 0x0000 }

/** Whether the gateway is fetching the study from this caller (C-MOVE). */
export type IsFetching = (
  callingAeTitle: string,
  remoteAddress: string,
  studyInstanceUid: string,
) => boolean

/** Whole on the disk, under no name yet. */
interface Received {
  readonly request: CStoreRequest
  readonly part: PartFile
  readonly header: InstanceHeader
  /** Undefined where it is deflated: it is looked at once the file has its name. */
  readonly structure: Structure | undefined
  readonly dataSetOffset: number
  readonly crc32: number
}

/**
 * PS3.4 Annex B: streams the instance to the spool, gives it its file and its row, and only then
 * says Success.
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
      // The feed has it when the association ends; there is nobody to answer.
      if (error instanceof DataSetInterrupted)
        return { status: 0x0110, errorComment: 'Association ended within the data set' }
      const { result, why } = refusalOf(this.#context, error)
      if (diskFaultKind(error) !== undefined) this.#disk.failed()
      const status = result.status.toString(16).toUpperCase().padStart(4, '0')
      const said = message('images.refused-with-status', { why, status })
      this.#statistics.add(association, 'refused', null, said)
      return result
    }
  }

  async #receive(request: CStoreRequest): Promise<DimseResult> {
    const { database, imageFiles, uuid } = this.#context
    checkRoom(this.#disk)
    checkCommand(request)
    const part = imageFiles.begin()
    this.#receiving++
    let file: string | undefined
    let isKept = false
    try {
      const received = await this.#read(request, part)
      const { sopInstanceUid, studyInstanceUid } = received.header
      const own = fileFor(studyInstanceUid, uuid())
      file = own
      const kept = await this.#arrivals.mutex.run(sopInstanceUid, () => this.#keep(received, own))
      isKept = kept !== undefined
      if (kept) this.#noteKept(request.association, kept)
      return SUCCESS
    } finally {
      this.#receiving--
      // Whatever failed after the row was committed: a row may not stand without its file.
      if (!isKept && (file === undefined || !hasInstanceOfFile(database, file)))
        await part.discard()
    }
  }

  /** @throws DimseError A700, A900, C000; StorageFault; DataSetCutOff */
  async #read(request: CStoreRequest, part: PartFile): Promise<Received> {
    const { association, transferSyntax, sopClassUid, sopInstanceUid } = request
    const meta = fileMeta({
      sopClassUid,
      sopInstanceUid,
      transferSyntaxUid: transferSyntax,
      sourceAeTitle: association.callingAeTitle,
    })
    const reader = readerOf(transferSyntax)
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
    // What says where it belongs comes first in a header: one that is too long after that is kept,
    // and set aside.
    const { studyInstanceUid, seriesInstanceUid } = header
    const uids = [header.sopClassUid, header.sopInstanceUid, studyInstanceUid, seriesInstanceUid]
    if (header.isCut && uids.includes(''))
      throw new DimseError(0xc000, message('images.not-understood', { fault: found.fault ?? '' }))
    checkHeader(header, request)
    const { structure } = found
    return { request, part, header, structure, dataSetOffset: meta.length, crc32: checksum }
  }

  /** Writes the file as its data set arrives; `look` sees each fragment before it is written. */
  async #write(
    request: CStoreRequest,
    part: PartFile,
    meta: Buffer,
    look: (fragment: Buffer) => void,
  ): Promise<void> {
    let gathered: Buffer[] = [meta]
    let gatheredBytes = meta.length
    let looksAt = LOOK_BYTES
    let writing: Promise<void> = Promise.resolve()
    const write = async (buffers: readonly Buffer[]) => {
      await part.write(buffers)
      for (const buffer of buffers) if (buffer !== meta) request.release(buffer)
    }
    try {
      for await (const fragments of request.dataSet) {
        for (const fragment of fragments) {
          look(fragment)
          gathered.push(fragment)
          gatheredBytes += fragment.length
        }
        if (
          gatheredBytes < WRITE_BYTES.most &&
          gatheredBytes < Math.max(WRITE_BYTES.least, WRITE_BYTES.all / this.#receiving)
        )
          continue
        // One write at a time, while the next bytes come: memory is that of two.
        await writing
        if (part.bytes >= looksAt) {
          looksAt += LOOK_BYTES
          checkRoom(this.#disk)
        }
        writing = write(gathered)
        // Its fault is met at the next write, or at the end.
        writing.catch(() => undefined)
        gathered = []
        gatheredBytes = 0
      }
    } finally {
      await writing
    }
    if (gatheredBytes > 0) await write(gathered)
  }

  /** Gives the instance its place; undefined where it is here already. */
  async #keep(received: Received, file: string): Promise<Kept | undefined> {
    const { imageFiles } = this.#context
    const source = this.#sourceOf(received)
    const twin = await this.#twinOf(received)
    // Its row may be of a run that ended before the file was durable.
    if (twin) return this.#repeat(twin, source)
    imageFiles.arriving.add(file)
    try {
      await received.part.place(file)
      const arrival = await this.#arrivalOf(received, source, file)
      const compared = await this.#arrivals.compare(arrival)
      // Another encoding of what is here: that one stays.
      if (compared?.comparison === 'same') return await this.#repeat(compared.current, source)
      return await this.#commit(received.part, { ...arrival, change: compared?.comparison })
    } finally {
      imageFiles.arriving.delete(file)
    }
  }

  /**
   * File, name and row are made durable side by side, all before Success: see `crash-recovery` for
   * a power failure between them.
   */
  async #commit(part: PartFile, arrival: Arrival): Promise<Kept | undefined> {
    const { database } = this.#context
    const keeping = () => database.commitSoon(() => this.#arrivals.keep(arrival))
    const outcomes = await Promise.allSettled([keeping(), part.finish(), part.secure()])
    const failure = outcomes.find((outcome) => outcome.status === 'rejected')
    if (!failure) return outcomes[0].status === 'fulfilled' ? outcomes[0].value : undefined
    // A row may not stand whose file the disk did not take.
    await database.commitSoon(() => takeBack(database, this.#onChange, arrival.file))
    throw failure.reason
  }

  /** The instance is here already: its file is made durable before Success. */
  async #repeat(here: InstanceRecord, source: Source): Promise<undefined> {
    const { database, imageFiles } = this.#context
    await imageFiles.secure(here.file)
    await database.commitSoon(() => this.#arrivals.repeat(here, source))
    this.#statistics.add(source.association, 'repeated', here.studyInstanceUid)
  }

  #deviceOf({ callingAeTitle, remoteAddress }: AssociationInfo) {
    return recogniseDevice(this.#context, callingAeTitle, remoteAddress)
  }

  /**
   * It comes of a C-MOVE of ours where it says so. PS3.7 Table 9.1-1 leaves the Move Originator to
   * the sender, and some do not name it.
   */
  #sourceOf({ request: { association, moveOriginatorAeTitle }, header }: Received): Source {
    const { callingAeTitle, remoteAddress } = association
    const isOurs =
      moveOriginatorAeTitle?.trim().toUpperCase() ===
      this.#context.settings.get('dimse.aeTitle').trim().toUpperCase()
    return {
      association,
      deviceName: this.#deviceOf(association)?.name || callingAeTitle,
      isFetched: isOurs || this.#isFetching(callingAeTitle, remoteAddress, header.studyInstanceUid),
    }
  }

  async #arrivalOf(received: Received, source: Source, file: string): Promise<Arrival> {
    const { imageFiles, folder } = this.#context
    const { header, dataSetOffset, part, crc32 } = received
    const { sopInstanceUid } = header
    const transferSyntaxUid = received.request.transferSyntax
    const stored = { path: imageFiles.pathOf(file), dataSetOffset, transferSyntaxUid }
    const structure = received.structure ?? (await deflatedStructure(stored))
    const originals = await originalsIn({ ...stored, sopInstanceUid }, temporaryIn(folder))
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

  /** The same bytes again change nothing. */
  async #twinOf({
    header,
    part,
    dataSetOffset,
    crc32,
  }: Received): Promise<InstanceRecord | undefined> {
    const { database, imageFiles } = this.#context
    const bytes = part.bytes - dataSetOffset
    for (const twin of listTwins(database, header.sopInstanceUid, bytes, crc32))
      if (await imageFiles.sameDataSet(part, dataSetOffset, twin.file, twin.dataSetOffset))
        return twin
    return undefined
  }

  #noteKept(association: AssociationInfo, kept: Kept): void {
    const { studyInstanceUid, state, detail } = kept.instance
    const outcome = state === 'quarantined' ? 'quarantined' : 'kept'
    this.#statistics.add(association, outcome, studyInstanceUid, detail)
    this.#completion.arrived(kept)
  }
}

/** @throws DimseError A700 */
function checkRoom(disk: DiskSpace): void {
  if (disk.takesImages()) return
  throw new DimseError(0xa700, disk.storage().state === 'full' ? TOO_LITTLE_SPACE : READ_ONLY)
}

/** `why`: what the feed says, of an error of ours once, not once for each reference. */
function refusalOf(context: Context, error: unknown): { result: DimseResult; why: Message } {
  if (error instanceof DimseError)
    return {
      result: { ...error.result, errorComment: commentOf(error.message) },
      why: error.explanation,
    }
  // The same for a file and for its row: the device keeps the image and sends it again.
  const kind = diskFaultKind(error)
  if (kind !== undefined) {
    if (error instanceof StorageFault && kind === 'failed') reportError(context, error)
    const why = kind === 'full' ? TOO_LITTLE_SPACE : READ_ONLY
    return { result: { status: 0xa700, errorComment: english(why) }, why }
  }
  return {
    result: {
      status: 0x0110,
      errorComment: `Gateway internal error ${referenceTo(context, error)}`,
    },
    why: message('images.internal-error'),
  }
}

const TOO_LITTLE_SPACE = message('images.too-little-space')
const READ_ONLY = message('images.disk-read-only')

/**
 * PS3.7 Table 9.3-1: the file's meta information is made of them before the data set says the same.
 */
function checkCommand({ sopClassUid, sopInstanceUid }: CStoreRequest): void {
  if (fitnessOfUid(sopClassUid) === 'unfit')
    throw new DimseError(0xa900, message('images.affected-class-unfit'), [TAG.sopClassUid])
  if (fitnessOfUid(sopInstanceUid) === 'unfit')
    throw new DimseError(0xa900, message('images.affected-instance-unfit'), [TAG.sopInstanceUid])
}

function checkHeader(header: InstanceHeader, request: CStoreRequest): void {
  // A data set without them is of another transfer syntax, or none at all.
  if (header.sopClassUid === '')
    throw new DimseError(0xc000, message('images.no-class-uid'), [TAG.sopClassUid])
  if (header.sopInstanceUid === '')
    throw new DimseError(0xc000, message('images.no-instance-uid'), [TAG.sopInstanceUid])
  if (header.sopClassUid !== request.sopClassUid)
    throw new DimseError(0xa900, message('images.class-uid-differs'), [TAG.sopClassUid])
  if (header.sopInstanceUid !== request.sopInstanceUid)
    throw new DimseError(0xa900, message('images.instance-uid-differs'), [TAG.sopInstanceUid])
  if (fitnessOfUid(header.studyInstanceUid) === 'unfit')
    throw new DimseError(0xa900, message('images.study-uid-unfit'), [TAG.studyInstanceUid])
  if (fitnessOfUid(header.seriesInstanceUid) === 'unfit')
    throw new DimseError(0xa900, message('images.series-uid-unfit'), [TAG.seriesInstanceUid])
}

/**
 * ErrorComment is an LO in ASCII; where there is no room for the place of the fault, it goes whole.
 */
function commentOf(text: string): string {
  const comment = text.length > 64 ? text.replace(/ \(at .*$/, '') : text
  return comment.replace(/[^\x20-\x5b\x5d-\x7e]/g, '?').slice(0, 64)
}
