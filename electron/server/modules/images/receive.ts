import { crc32 } from 'node:zlib'
import { characterSetOf } from '#server/dicom/character-sets/character-set.ts'
import { DataSetCutOff } from '#server/dicom/data-set/data-set-stream.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import type { Structure } from '#server/dicom/data-set/structure.ts'
import type { CStoreRequest, CStoreScp } from '#server/dicom/dimse/service.ts'
import type { DimseResult } from '#server/dicom/dimse/status.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import type { Tally } from '#server/platform/counts.ts'
import { diskFaultKind, StorageFault } from '#server/platform/disk-fault.ts'
import type { Disk } from '#server/platform/disk-space.ts'
import type { Turns } from '#server/platform/keyed-mutex.ts'
import type { Arrivals, Kept, Source } from './arrivals.ts'
import { fitnessOfUid, headerOf, type InstanceHeader, readerOf, TAG } from './header.ts'
import { fileFor, type PartFile } from './image-files.ts'
import type { InstanceRecord } from './instance-queries.ts'
import type { IntakeDeps } from './ports.ts'
import { deflatedStructure, originalsIn, temporaryIn } from './stored-object.ts'
import { takeBack } from './unproven.ts'

/**
 * What is gathered of a data set before it is written: most images go whole, as each write wakes a
 * thread. Many at a time share what there is.
 */
const WRITE_BYTES = { least: 256 << 10, most: 1 << 20, all: 8 << 20 } as const
/** What is written of one object before it is looked at again whether there is room. */
const LOOK_BYTES = 64 << 20
const SUCCESS: DimseResult = { status: 0x0000 }

export interface ReceiveDeps extends IntakeDeps {
  readonly arrivals: Arrivals
  readonly disk: Disk
  readonly tally: Tally
  /** By SOP Instance UID: two associations may send the same instance at the same moment. */
  readonly turns: Turns
  /** After the commit. */
  readonly onArrived: (kept: Kept) => void
  /** Files that are about to have a row. */
  readonly arriving: Set<string>
}

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
 * says Success (dicom-field §5.3-5.5).
 */
export function openReceiving(deps: ReceiveDeps): CStoreScp {
  const { store, uuid, setting, recogniseDevice, arrivals, disk, tally, turns, arriving } = deps
  const { database, imageFiles, instances } = store
  let receiving = 0

  async function receive(request: CStoreRequest): Promise<DimseResult> {
    checkRoom()
    checkCommand(request)
    const part = imageFiles.begin()
    receiving++
    let file: string | undefined
    let isKept = false
    try {
      const received = await read(request, part)
      const { sopInstanceUid, studyInstanceUid } = received.header
      const own = fileFor(studyInstanceUid, uuid())
      file = own
      const kept = await turns.take(sopInstanceUid, () => settleIn(received, own))
      isKept = kept !== undefined
      if (kept) told(request, kept)
      return SUCCESS
    } finally {
      receiving--
      // The row decides, whatever failed after it: one without its file would be a lie.
      if (!isKept && (file === undefined || !instances.has(file))) await part.discard()
    }
  }

  /** @throws DimseError A700 */
  function checkRoom(): void {
    if (disk.takesImages()) return
    throw new DimseError(
      0xa700,
      disk.storage().state === 'full' ? 'Too little disk space' : 'Disk cannot be written to',
    )
  }

  /** @throws DimseError A700, A900, C000; StorageFault; DataSetCutOff */
  async function read(request: CStoreRequest, part: PartFile): Promise<Received> {
    const { association, transferSyntax, sopClassUid, sopInstanceUid } = request
    const meta = fileMeta({
      sopClassUid,
      sopInstanceUid,
      transferSyntaxUid: transferSyntax,
      sourceAeTitle: association.callingAeTitle,
    })
    const reader = readerOf(transferSyntax)
    let checksum = 0
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
          checksum = crc32(fragment, checksum)
          if (!reader.isDone) reader.push(fragment)
          gathered.push(fragment)
          gatheredBytes += fragment.length
        }
        if (
          gatheredBytes < WRITE_BYTES.most &&
          gatheredBytes < Math.max(WRITE_BYTES.least, WRITE_BYTES.all / receiving)
        )
          continue
        // One write at a time, while the next bytes come: memory is that of two.
        await writing
        if (part.bytes >= looksAt) {
          looksAt += LOOK_BYTES
          checkRoom()
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
    const found = reader.end()
    if (found.fault !== undefined && !found.isCut)
      throw new DimseError(0xc000, commentOf(`Cannot understand: ${found.fault}`))
    const device = recogniseDevice(association.callingAeTitle, association.remoteAddress)
    const header = headerOf(found, characterSetOf(device))
    // What says where it belongs comes first in a header: one that is too long after that is kept,
    // and set aside.
    if (
      header.isCut &&
      [
        header.sopClassUid,
        header.sopInstanceUid,
        header.studyInstanceUid,
        header.seriesInstanceUid,
      ].includes('')
    )
      throw new DimseError(0xc000, commentOf(`Cannot understand: ${found.fault}`))
    checkHeader(header, request)
    return {
      request,
      part,
      header,
      structure: found.structure,
      dataSetOffset: meta.length,
      crc32: checksum,
    }
  }

  /** Gives the instance its place; undefined where it is here already. */
  async function settleIn(received: Received, file: string): Promise<Kept | undefined> {
    const { request, part, header, dataSetOffset } = received
    const { association, transferSyntax } = request
    const source: Source = {
      association,
      deviceName:
        recogniseDevice(association.callingAeTitle, association.remoteAddress)?.name ||
        association.callingAeTitle,
      isFetched: isFetched(request, header.studyInstanceUid),
    }
    const twin = await twinOf(received)
    if (twin) {
      // Its row may be of a run that ended before the file was durable; what is durable costs next
      // to nothing.
      await imageFiles.secure(twin.file)
      await database.commitSoon(() => arrivals.repeat(twin, source))
      tally.repeated(association, twin.studyInstanceUid)
      return undefined
    }
    arriving.add(file)
    try {
      await part.place(file)
      const stored = {
        path: imageFiles.pathOf(file),
        dataSetOffset,
        transferSyntaxUid: transferSyntax,
      }
      const structure = received.structure ?? (await deflatedStructure(stored))
      const arrival = {
        ...source,
        header,
        structure,
        originals: await originalsIn(
          { ...stored, sopInstanceUid: header.sopInstanceUid },
          temporaryIn(store.folder),
        ),
        transferSyntaxUid: transferSyntax,
        file,
        dataSetOffset,
        bytes: part.bytes,
        crc32: received.crc32,
      }
      const compared = await arrivals.compare(arrival)
      if (compared?.comparison === 'same') {
        // Another encoding of what is here: that one stays, and its file is durable before Success.
        await imageFiles.secure(compared.current.file)
        await database.commitSoon(() => arrivals.repeat(compared.current, source))
        tally.repeated(association, compared.current.studyInstanceUid)
        return undefined
      }
      const change = compared?.comparison
      // The three are made durable side by side, all before Success: see `unproven` for a power
      // failure between them.
      const keeping = () => database.commitSoon(() => arrivals.keep({ ...arrival, change }))
      const outcomes = await Promise.allSettled([keeping(), part.finish(), part.secure()])
      const failure = outcomes.find((outcome) => outcome.status === 'rejected')
      if (!failure) return outcomes[0].status === 'fulfilled' ? outcomes[0].value : undefined
      // A row may not stand whose file the disk did not take.
      await database.commitSoon(() => takeBack(deps, file))
      throw failure.reason
    } finally {
      arriving.delete(file)
    }
  }

  /**
   * Whether it comes of a C-MOVE of ours. PS3.7 Table 9.1-1 leaves the Move Originator to the
   * sender, and some do not name it.
   */
  function isFetched(
    { association, moveOriginatorAeTitle }: CStoreRequest,
    studyInstanceUid: string,
  ): boolean {
    const { callingAeTitle, remoteAddress } = association
    const isOurs =
      moveOriginatorAeTitle?.trim().toUpperCase() === setting('dimse.aeTitle').trim().toUpperCase()
    return isOurs || deps.isFetching(callingAeTitle, remoteAddress, studyInstanceUid)
  }

  // dicom-field §5.5: the same bytes again change nothing.
  async function twinOf({
    header,
    part,
    dataSetOffset,
    crc32: checksum,
  }: Received): Promise<InstanceRecord | undefined> {
    for (const twin of arrivals.twinsOf(
      header.sopInstanceUid,
      part.bytes - dataSetOffset,
      checksum,
    )) {
      if (await imageFiles.sameDataSet(part, dataSetOffset, twin.file, twin.dataSetOffset))
        return twin
    }
    return undefined
  }

  function told({ association }: CStoreRequest, kept: Kept): void {
    const { studyInstanceUid, state, detail } = kept.instance
    if (state === 'quarantined') tally.quarantined(association, studyInstanceUid, detail)
    else tally.kept(association, studyInstanceUid)
    deps.onArrived(kept)
  }

  return {
    async store(request) {
      const { association, signal } = request
      if (!signal.aborted) tally.begin(association)
      try {
        return await receive(request)
      } catch (error) {
        // The feed has it when the association ends; there is nobody to answer.
        if (error instanceof DataSetCutOff)
          return { status: 0x0110, errorComment: 'Association ended within the data set' }
        const result = resultOf(error)
        if (diskFaultKind(error) !== undefined) disk.failed()
        tally.refused(association, sentenceOf(result))
        return result
      }
    },
  }

  function resultOf(error: unknown): DimseResult {
    if (error instanceof DimseError) return error.result
    // The same for a file and for its row: the device keeps the image and sends it again.
    const kind = diskFaultKind(error)
    if (kind === 'full') return { status: 0xa700, errorComment: 'Too little disk space' }
    if (kind !== undefined) {
      if (error instanceof StorageFault && kind === 'failed')
        deps.onError(uuid().slice(0, 8), error)
      return { status: 0xa700, errorComment: 'Disk cannot be written to' }
    }
    const reference = uuid().slice(0, 8)
    deps.onError(reference, error)
    return { status: 0x0110, errorComment: `${INTERNAL_ERROR} ${reference}` }
  }
}

const INTERNAL_ERROR = 'Gateway internal error'

/** What the feed says of a refusal: of an error of ours once, not once for each reference. */
function sentenceOf({ status, errorComment = '' }: DimseResult): string {
  const why = errorComment.startsWith(INTERNAL_ERROR)
    ? `${INTERNAL_ERROR}, see its log`
    : errorComment
  return `${why} (status ${status.toString(16).toUpperCase().padStart(4, '0')}).`
}

/**
 * PS3.7 Table 9.3-1: the file's meta information is made of them before the data set says the same.
 */
function checkCommand({ sopClassUid, sopInstanceUid }: CStoreRequest): void {
  if (fitnessOfUid(sopClassUid) === 'unfit')
    throw new DimseError(0xa900, 'Affected SOP Class UID is missing or no UID', [TAG.sopClassUid])
  if (fitnessOfUid(sopInstanceUid) === 'unfit')
    throw new DimseError(0xa900, 'Affected SOP Instance UID is missing or no UID', [
      TAG.sopInstanceUid,
    ])
}

// dicom-field §5.3, §5.4.
function checkHeader(header: InstanceHeader, request: CStoreRequest): void {
  // A data set without them is of another transfer syntax, or none at all.
  if (header.sopClassUid === '')
    throw new DimseError(0xc000, 'Cannot understand: no SOP Class UID in the data set', [
      TAG.sopClassUid,
    ])
  if (header.sopInstanceUid === '')
    throw new DimseError(0xc000, 'Cannot understand: no SOP Instance UID in the data set', [
      TAG.sopInstanceUid,
    ])
  if (header.sopClassUid !== request.sopClassUid)
    throw new DimseError(0xa900, 'SOP Class UID differs from the affected one', [TAG.sopClassUid])
  if (header.sopInstanceUid !== request.sopInstanceUid)
    throw new DimseError(0xa900, 'SOP Instance UID differs from the affected one', [
      TAG.sopInstanceUid,
    ])
  if (fitnessOfUid(header.studyInstanceUid) === 'unfit')
    throw new DimseError(0xa900, 'Study Instance UID is missing or no UID', [TAG.studyInstanceUid])
  if (fitnessOfUid(header.seriesInstanceUid) === 'unfit')
    throw new DimseError(0xa900, 'Series Instance UID is missing or no UID', [
      TAG.seriesInstanceUid,
    ])
}

/**
 * ErrorComment is an LO in ASCII; where there is no room for the place of the fault, it goes whole.
 */
const commentOf = (text: string): string =>
  (text.length > 64 ? text.replace(/ \(at .*$/, '') : text)
    .replace(/[^\x20-\x5b\x5d-\x7e]/g, '?')
    .slice(0, 64)
