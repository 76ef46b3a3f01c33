import { characterSetOf } from '#server/dicom/character-sets/character-set.ts'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import type { Structure } from '#server/dicom/data-set/structure.ts'
import type { AssociationInfo } from '#server/dicom/dimse/service.ts'
import { listDestinations } from '#server/modules/forwarding/destination-queries.ts'
import type { Ending, Tally } from '#server/platform/counts.ts'
import type { Turns } from '#server/platform/keyed-mutex.ts'
import type { Arrivals, Kept, Source } from './arrivals.ts'
import { headerOf } from './header.ts'
import { StorageFault } from './image-files.ts'
import type { FoundFile, OwnInstances } from './own-instances.ts'
import { diskNews, type IntakeDeps } from './ports.ts'
import { originalsIn, readStored, temporaryIn } from './stored-object.ts'
import { OWN_ADDRESS } from './study-identity.ts'

const RELEASED: Ending = { kind: 'released', detail: '' }

export interface AdoptionDeps
  extends Pick<
    IntakeDeps,
    'store' | 'uuid' | 'setting' | 'recogniseDevice' | 'onNews' | 'onError'
  > {
  readonly arrivals: Arrivals
  readonly own: OwnInstances
  readonly tally: Tally
  readonly turns: Turns
  readonly arriving: ReadonlySet<string>
  readonly onArrived: (kept: Kept) => void
  readonly associationClosed: (associationId: string, how: Ending) => void
}

/** A file and who sent it, by its file meta information. */
export interface Found extends FoundFile {
  readonly source: Source
  readonly structure: Structure
  /** As `Arrival.originals`. */
  readonly originals: readonly string[]
}

interface Sender {
  readonly source: Source
  /** For data sets that declare none. */
  readonly characterSet: readonly string[]
}

/**
 * After an older database was put back: images that came after the back-up was made lie in the
 * image folder, acknowledged, and no row names them. Each gets its place as if its device sent it
 * now, so that its study appears again; what the gateway made itself goes beside them. A file that
 * cannot be read goes to the recovery folder, where a person decides about it. A stop in between
 * goes on at the next start.
 */
export async function adoptImages(
  deps: AdoptionDeps,
  recover: (file: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { store, uuid, arriving, turns, onNews, onError } = deps
  const senders = openSenders(deps)
  const studies = new Set<string>()
  let adopted = 0
  let inDoubt = 0
  let unreadable = 0
  /**
   * One file that the disk does not give must not keep the others, and signing, waiting for good.
   */
  const putAway = async (file: string) => {
    unreadable++
    await recover(file).catch((error: unknown) => onError(uuid().slice(0, 8), error))
  }
  try {
    for await (const file of store.imageFiles.unadopted(
      (name) => arriving.has(name) || store.instances.has(name),
    )) {
      if (signal.aborted) return
      const found = await readFound(senders, { file, path: store.imageFiles.pathOf(file) })
      if (typeof found === 'string') {
        await putAway(file)
        continue
      }
      const { sopInstanceUid } = found.header
      const kept = await turns
        .take(sopInstanceUid, () => adopt(deps, found))
        .catch(async (error: unknown) => {
          if (!isFileFault(error)) throw error
          onError(uuid().slice(0, 8), error)
          await putAway(file)
          return 'failed' as const
        })
      if (kept === 'failed') continue
      adopted++
      if (kept && isInDoubt(store, kept)) inDoubt++
      studies.add(found.header.studyInstanceUid)
    }
  } finally {
    senders.close()
  }
  store.imageFiles.allAdopted()
  const say = (tone: 'warning' | 'danger', text: string) => onNews(diskNews(tone, text))
  if (adopted > 0) {
    say(
      'warning',
      `${adopted} ${adopted === 1 ? 'object' : 'objects'} of ${studies.size} ${studies.size === 1 ? 'study' : 'studies'} came after the back-up that was put back: taken in again from the image folder.`,
    )
  }
  if (inDoubt > 0) say('danger', inDoubtText(inDoubt))
  if (unreadable > 0) {
    say(
      'danger',
      `${unreadable} ${unreadable === 1 ? 'file' : 'files'} in the image folder came after the back-up that was put back and cannot be read: moved to the recovery folder.`,
    )
  }
}

/**
 * Gives a file in `images` its row; `also` is of the same transaction. A corrected copy whose
 * original is current, or the other way round, is set aside (decision 0031): a person decides
 * between them.
 */
export async function adopt(
  { store, arrivals, own, tally, onArrived }: AdoptionDeps,
  { source, originals, ...found }: Found,
  also: () => void = () => undefined,
): Promise<Kept | undefined> {
  const { database, imageFiles } = store
  const commit = <T>(work: () => T) =>
    database.commitSoon(() => {
      also()
      return work()
    })
  const { header, bytes, dataSetOffset } = found
  const { association } = source
  const { sopInstanceUid } = header
  // It may have been copied here, by whatever was put back.
  await imageFiles.secure(found.file)
  const rival = arrivals.rivalOf(sopInstanceUid, originals)
  if (association.remoteAddress === OWN_ADDRESS && !rival)
    return void (await commit(() => own.adopt(found, originals)))
  tally.begin(association)
  const arrival = { ...source, ...found, originals }
  const [twin] = arrivals.twinsOf(sopInstanceUid, bytes - dataSetOffset, found.crc32)
  const keepTwin = async () => void (await commit(() => arrivals.keepTwin(arrival)))
  if (twin) return keepTwin()
  const compared = await arrivals.compare(arrival)
  const change = compared?.comparison
  if (change === 'same') return keepTwin()
  const kept = await commit(() => arrivals.keep({ ...arrival, change }))
  const { studyInstanceUid, state, detail } = kept.instance
  if (state === 'quarantined') tally.quarantined(association, studyInstanceUid, detail)
  else tally.kept(association, studyInstanceUid)
  onArrived(kept)
  return kept
}

/** Of one file; what the database reports concerns all of them. */
const isFileFault = (error: unknown): boolean =>
  error instanceof StorageFault ||
  (error as NodeJS.ErrnoException | undefined)?.syscall !== undefined

/** Whether it was set aside as another version of an image, which a correction made. */
export const isInDoubt = (
  { corrections }: Pick<AdoptionDeps['store'], 'corrections'>,
  { instance }: Kept,
): boolean =>
  instance.state === 'quarantined' && corrections.foundBeside(instance.instanceId).length > 0

export const inDoubtText = (count: number): string =>
  `${count} ${count === 1 ? 'object' : 'objects'} set aside: corrected copies, or their originals, without a record of the correction in the database that was put back. No report of these studies is signed until somebody decides which version is right.`

/** A file that has no row, or one sentence on why it is no image that can be taken in. */
export async function readFound(
  senders: Pick<Senders, 'of' | 'temporary'>,
  { file, path }: { readonly file: string; readonly path: string },
): Promise<Found | string> {
  const meta = await readFileMeta(path).catch((error: NodeJS.ErrnoException) => error)
  if (meta instanceof Error) return meta.code === undefined ? NO_DICOM : UNREADABLE
  const { sourceAeTitle, transferSyntaxUid, dataSetOffset } = meta
  const read = await readStored({ path, dataSetOffset, transferSyntaxUid }).catch(() => undefined)
  if (!read) return UNREADABLE
  const { values, structure, bytes, crc32 } = read
  const { source, characterSet } = senders.of(sourceAeTitle)
  const header = headerOf(values, characterSet)
  if (values.fault !== undefined && !values.isCut) return BROKEN
  if (header.sopInstanceUid !== meta.sopInstanceUid || header.sopClassUid !== meta.sopClassUid)
    return DIFFERS
  if (header.studyInstanceUid === '' || header.seriesInstanceUid === '') return NO_STUDY
  const { sopInstanceUid } = header
  const originals = await originalsIn(
    { path, dataSetOffset, transferSyntaxUid, sopInstanceUid },
    senders.temporary,
  ).catch(() => undefined)
  // Without them a corrected copy would be shown beside its original.
  if (!originals) return UNREADABLE
  return {
    source,
    header,
    structure,
    originals,
    transferSyntaxUid,
    file,
    dataSetOffset,
    bytes,
    crc32,
  }
}

/**
 * As `readFound`, of corrected copies alone: of any other file no more than its beginning is read.
 */
export async function readCopy(
  senders: Senders,
  found: { readonly file: string; readonly path: string },
): Promise<Found | undefined> {
  const meta = await readFileMeta(found.path).catch(() => undefined)
  if (!meta) return undefined
  const originals = await originalsIn({ path: found.path, ...meta }, senders.temporary).catch(
    () => [],
  )
  if (originals.length === 0) return undefined
  const read = await readFound(senders, found)
  return typeof read === 'string' ? undefined : read
}

const NO_DICOM = 'It is not a DICOM file.'
const UNREADABLE = 'It cannot be read from the disk.'
const BROKEN = 'Its header is damaged or incomplete.'
const DIFFERS = 'Its SOP Class or Instance UID is not that of its own file header.'
const NO_STUDY = 'It names no study or series.'

const isSame = (a: string, b: string) => a.trim().toUpperCase() === b.trim().toUpperCase()
const UNKNOWN_ADDRESS = 'unknown'

const addressOf = ({ devices }: AdoptionDeps['store'], aeTitle: string): string => {
  const device = devices.list().find((each) => isSame(each.aeTitle, aeTitle))
  return device?.address ?? device?.lastAddress ?? UNKNOWN_ADDRESS
}

type Senders = ReturnType<typeof openSenders>

/** For each AE title an association that is open while its files are taken in. */
export function openSenders({
  store,
  uuid,
  setting,
  recogniseDevice,
  associationClosed,
}: AdoptionDeps) {
  const senders = new Map<string, Sender>()

  function senderOf(callingAeTitle: string): Sender {
    const calledAeTitle = setting('dimse.aeTitle')
    const isOwn = isSame(callingAeTitle, calledAeTitle)
    const remoteAddress = isOwn ? OWN_ADDRESS : addressOf(store, callingAeTitle)
    const association: AssociationInfo = {
      associationId: uuid(),
      callingAeTitle,
      calledAeTitle,
      remoteAddress,
    }
    const device = recogniseDevice(callingAeTitle, remoteAddress)
    // What an archive sent, and no device, was asked for as an earlier exam.
    const isFetched =
      !device &&
      listDestinations(store.database).some(({ aeTitle }) => isSame(aeTitle, callingAeTitle))
    return {
      source: { association, deviceName: device?.name || callingAeTitle, isFetched },
      characterSet: characterSetOf(device),
    }
  }

  return {
    temporary: temporaryIn(store.folder),
    of(aeTitle: string): Sender {
      const sender = senders.get(aeTitle) ?? senderOf(aeTitle)
      senders.set(aeTitle, sender)
      return sender
    },
    close() {
      for (const { source } of senders.values())
        associationClosed(source.association.associationId, RELEASED)
    },
  }
}
