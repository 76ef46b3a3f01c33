import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { characterSetOf } from '#gateway/dimse/character-set.ts'
import { CopyFault, type CorrectedValue, writeCorrectedCopy } from '#gateway/dimse/corrected-copy.ts'
import { fileMeta } from '#gateway/dimse/file-meta.ts'
import { note } from '#gateway/domain/audit.ts'
import { dicomTime, timeZoneOf } from '#gateway/domain/clinic-day.ts'
import { instantOf } from '#gateway/store/clock.ts'
import type { CorrectionRecord } from '#gateway/store/corrections.ts'
import { fileFor, StorageFault } from '#gateway/store/image-files.ts'
import type { HandedOutRow, ImageStudyRecord, Mismatch } from '#gateway/store/image-studies.ts'
import type { InstanceRecord } from '#gateway/store/instances.ts'
import { OWN_ADDRESS } from '#gateway/store/study-identity.ts'
import type {
  CORRECTION_CAUSES,
  Correction,
  CorrectionPreview,
  CorrectionRequest,
  ImageIdentity,
  TargetChoice,
} from '#shared/contract/corrections.ts'
import { IDENTITY_FIELDS } from '#shared/contract/images.ts'
import { ApiError } from '#shared/errors.ts'
import { uidOfUuid } from '#shared/ids.ts'
import { type Arrivals, identityOf } from './arrivals.ts'
import { correctedValues, identityOfHeader, patientOf, rowOfOrder, type Target } from './correction-rules.ts'
import { openCorrectionTargets } from './correction-targets.ts'
import { fitnessOfUid, headerOf, headerReaderOf, type InstanceHeader } from './header.ts'
import { differencesAmong, differencesOf, withImage, withoutImages, withRow } from './mismatch.ts'
import { isSameName } from './name.ts'
import { type Actor, diskNews, type IntakeDeps } from './ports.ts'
import { openSeeds } from './seeds.ts'
import type { Settling } from './settling.ts'
import { readStored, temporaryIn, withInflated } from './stored-object.ts'

/** An image of which another takes the place: the original and its corrected copy or, where that is undone, the other way round. */
export interface CorrectedImage {
  readonly original: InstanceRecord
  readonly copy: InstanceRecord
}

/** What happened, for those who have the wrong version. */
export interface CorrectionDone {
  readonly correction: CorrectionRecord
  /** As they are now. */
  readonly pairs: readonly CorrectedImage[]
  /** It was undone, and the originals are current; where copies had left the gateway, an undo is a correction of its own (`undoes`). */
  readonly isUndo: boolean
}

export interface CorrectionsDeps extends IntakeDeps {
  readonly arrivals: Pick<Arrivals, 'forget' | 'rivalOf'>
  readonly settling: Pick<Settling, 'reopen'>
  /** Files that are about to have a row. */
  readonly arriving: Set<string>
}

export interface CorrectionOrder extends CorrectionRequest {
  readonly cause: (typeof CORRECTION_CAUSES)[number]
  readonly reason: string
  readonly digest: string
}

/** Corrections of the identity of images (decision 0031): each with preview, reason, audit entry and undo. */
export interface Corrections extends AsyncDisposable {
  /** @throws ApiError not-found */
  identities(studyInstanceUid: string): Promise<ImageIdentity[]>
  /** Orders and studies that the images may belong to, the most similar first. @throws ApiError not-found */
  targets(studyInstanceUid: string, search: string): Promise<TargetChoice[]>
  /** @throws ApiError not-found */
  preview(studyInstanceUid: string, request: CorrectionRequest): Promise<CorrectionPreview>
  /**
   * Answers when it is done or, where that takes long, while it is under way, with `progress`.
   * @throws ApiError not-found, refused, unavailable; outdated: it is not what was shown any more, or
   * another correction of the study or its target is under way
   */
  apply(studyInstanceUid: string, order: CorrectionOrder, userId: string): Promise<Correction>
  /** Those under way first, then the newest. @throws ApiError not-found */
  list(studyInstanceUid: string): Correction[]
  /** @throws ApiError not-found */
  studiesOf(correctionId: string): readonly string[]
  /** As `apply`. @throws ApiError not-found, refused, unavailable, outdated */
  undo(correctionId: string, reason: string, userId: string): Promise<Correction>
  /** Whether the instance was found as another version of an image that is shown; releasing it is `restore`. */
  isVersion(instance: InstanceRecord): boolean
  /**
   * Those of the instances that were set aside as other versions of images that are shown take their
   * places, of several versions of one image the last: the correction that made it is recorded anew.
   * How many did. @throws ApiError outdated, unavailable
   */
  restore(found: readonly InstanceRecord[], reason: string, actor: Actor): Promise<number>
  /**
   * For the start: copies that an earlier run had not completed are deleted; their originals are
   * current. Complete ones are left to the recovery: their rows may have been committed, and be
   * missing because an older database was restored.
   */
  sweep(): Promise<void>
}

/** A correction as it would be done now. */
interface Plan {
  readonly from: ImageStudyRecord
  readonly chosen: readonly InstanceRecord[]
  readonly staying: readonly InstanceRecord[]
  readonly target: Target | undefined
  /** Undefined: a new one. */
  readonly toStudyInstanceUid: string | undefined
  readonly preview: CorrectionPreview
}

/** A correction, an undo or a restored correction of these studies that is under way. */
interface Running {
  readonly studies: Set<string>
  readonly begun: PromiseWithResolvers<void>
  /** Known once copies are written. */
  correction?: Omit<Correction, 'progress'>
  /** To be written and read back, and how many of them were. */
  bytes: number
  done: number
  /** `done` when the window was last notified. */
  notedAt: number
}

/** A copy that is to be made, or was. */
interface Wanted {
  /** Whose place it takes. */
  readonly original: InstanceRecord
  /** Whose file is copied. */
  readonly source: InstanceRecord
  readonly values: readonly CorrectedValue[]
}
interface Copy {
  readonly original: InstanceRecord
  /** It has a row already, and is set aside. */
  readonly instance?: InstanceRecord
  readonly header: InstanceHeader
  readonly file: string
  readonly dataSetOffset: number
  readonly bytes: number
  readonly crc32: number
}

const CHUNK_BYTES = 256 << 10
/** Headers of images that are remembered; files never change. */
const MOST_HEADERS = 20_000
/** Written or read back between two notes of progress. */
const NOTED_BYTES = 64 << 20
const LONG_MS = 10_000
const GIGABYTE = 1_000_000_000
const LONGEST = { patientName: 64, patientId: 64, accessionNumber: 16 } as const

export function openCorrections(deps: CorrectionsDeps): Corrections {
  const { store, clock, uuid, setting, recogniseDevice, arrivals, settling, arriving } = deps
  const { database, corrections, imageFiles, imageStudies, instances, studies, reports } = store
  const seeds = openSeeds(deps)
  const targets = openCorrectionTargets(deps)
  const headers = new Map<number, InstanceHeader>()
  const temporary = temporaryIn(store.folder)
  const running = new Set<Running>()
  const works = new Set<Promise<unknown>>()
  const closing = new AbortController()
  // What an earlier run was copying when it ended.
  rmSync(temporary, { recursive: true, force: true })

  const newUid = () => uidOfUuid(uuid())
  const scribeStudy = (studyInstanceUid: string) => studies.byUid('scribe', studyInstanceUid)
  const deviceSetOf = ({ callingAeTitle, remoteAddress }: InstanceRecord) => characterSetOf(recogniseDevice(callingAeTitle, remoteAddress))

  const isBusy = (uids: readonly (string | undefined)[], own?: Running) =>
    [...running].some((run) => run !== own && uids.some((uid) => uid !== undefined && run.studies.has(uid)))

  /** @throws ApiError outdated: a correction of one of the studies is under way */
  function occupy(run: Running, uids: readonly string[]): void {
    if (isBusy(uids, run)) throw new ApiError('outdated', UNDER_WAY)
    for (const uid of uids) run.studies.add(uid)
  }

  /** No other correction of these studies begins before the work has ended, however it ended. */
  async function exclusively<T>(uids: readonly string[], work: (run: Running) => Promise<T>): Promise<T> {
    if (closing.signal.aborted) throw new ApiError('unavailable', STOPPING)
    const run: Running = { studies: new Set(), begun: Promise.withResolvers(), bytes: 0, done: 0, notedAt: 0 }
    occupy(run, uids)
    running.add(run)
    const working = work(run)
    works.add(working)
    try {
      return await working
    } finally {
      works.delete(working)
      running.delete(run)
      deps.onChanged()
    }
  }

  /** Kept free on the disk, for images that devices send. */
  const reservedBytes = () => setting('intake.stopGigabytes') * GIGABYTE

  /** @throws ApiError unavailable: the gateway stops, or the disk has become too full */
  function passed(run: Running, bytes: number): void {
    if (closing.signal.aborted) throw new ApiError('unavailable', STOPPING)
    run.done += bytes
    if (run.done - run.notedAt < NOTED_BYTES) return
    run.notedAt = run.done
    deps.onChanged()
    if (imageFiles.space().freeBytes < reservedBytes()) throw new ApiError('unavailable', TOO_LITTLE_SPACE)
  }

  const shareOf = (run: Running) => (run.bytes === 0 ? 0 : Math.min(1, run.done / run.bytes))
  const progressOf = (correctionId: string) => {
    const run = [...running].find(({ correction }) => correction?.correctionId === correctionId)
    return run ? shareOf(run) : null
  }

  /** The result of the work or, where it takes long, what it is about. */
  async function answered(uids: readonly string[], work: (run: Running) => Promise<Correction>): Promise<Correction> {
    const timer = new AbortController()
    const { signal } = timer
    let isLong: Promise<Correction | undefined> | undefined
    const working = exclusively(uids, (run) => {
      const over = delay(deps.longCorrectionMs ?? LONG_MS, undefined, { signal, ref: false }).then(() => run.begun.promise)
      isLong = over.then(() => run.correction && { ...run.correction, progress: shareOf(run) })
      return work(run)
    })
    // Aborted where it did not take long.
    isLong?.catch(() => undefined)
    try {
      const underWay = await Promise.race([working.then(() => undefined), ...(isLong ? [isLong] : [])])
      if (!underWay) return await working
      working.catch(tellFailure)
      return underWay
    } finally {
      timer.abort()
    }
  }

  /** Nobody waits for the answer any more. */
  function tellFailure(error: unknown): void {
    if (!(error instanceof ApiError)) deps.onError(uuid().slice(0, 8), error)
    deps.onNews(diskNews('danger', NOT_MADE))
  }

  function existing(studyInstanceUid: string): ImageStudyRecord {
    const study = imageStudies.get(studyInstanceUid)
    if (!study) throw new ApiError('not-found', 'There are no images of such a study.')
    return study
  }

  /** Images of a study, its captures among them; copies of reports, which are about whom they were signed for, and rejection notes stay. */
  const imagesOf = (studyInstanceUid: string) =>
    instances.ofStudy(studyInstanceUid).filter(({ remoteAddress, image }) => remoteAddress !== OWN_ADDRESS || image !== null)

  /** @throws ApiError unavailable: its file cannot be read */
  async function headerOfInstance(instance: InstanceRecord): Promise<InstanceHeader> {
    const known = headers.get(instance.instanceId)
    if (known) return known
    const reader = headerReaderOf(instance.transferSyntaxUid)
    try {
      await using file = await open(imageFiles.pathOf(instance.file), 'r')
      const bytes = Buffer.alloc(CHUNK_BYTES)
      for (let at = instance.dataSetOffset; !reader.isDone; ) {
        const { bytesRead } = await file.read(bytes, 0, bytes.length, at)
        if (bytesRead === 0) break
        reader.push(bytes.subarray(0, bytesRead))
        at += bytesRead
      }
    } catch {
      throw new ApiError('unavailable', 'The file of an image of this study cannot be read.')
    }
    const header = headerOf(reader.end(), deviceSetOf(instance))
    if (headers.size >= MOST_HEADERS) headers.delete(headers.keys().next().value ?? 0)
    headers.set(instance.instanceId, header)
    return header
  }

  async function headersOf(records: readonly InstanceRecord[]): Promise<InstanceHeader[]> {
    const found: InstanceHeader[] = []
    for (const record of records) found.push(await headerOfInstance(record))
    return found
  }

  async function plan(studyInstanceUid: string, request: CorrectionRequest, run?: Running): Promise<Plan> {
    const { kind } = request
    const from = existing(studyInstanceUid)
    const images = imagesOf(studyInstanceUid)
    const wanted = kind === 'split' ? new Set(request.instanceIds ?? []) : undefined
    const chosen = wanted ? images.filter(({ instanceId }) => wanted.has(instanceId)) : images
    const staying = wanted ? images.filter(({ instanceId }) => !wanted.has(instanceId)) : []
    const target = await targets.targetOf(request.target)
    const toStudyInstanceUid = target?.studyInstanceUid ?? (kind === 'correct' ? studyInstanceUid : undefined)
    const changes = target ? changesOf(await headersOf(chosen), target.patient, studyInstanceUid, toStudyInstanceUid) : []
    const obstacle =
      obstacleOf({
        kind,
        from,
        chosen,
        staying,
        target,
        toStudyInstanceUid,
        isBusy: isBusy([studyInstanceUid, toStudyInstanceUid], run),
        isMissing: wanted !== undefined && wanted.size !== chosen.length,
      }) || (changes.length === 0 ? 'Nothing would change: the images already have these values.' : '')
    const destinations = destinationsOf(chosen)
    const signedReports = signedOf(studyInstanceUid)
    const digest = createHash('sha256')
      .update(JSON.stringify([request, core(studyInstanceUid, toStudyInstanceUid), chosen.map(({ instanceId }) => instanceId)]))
      .update(JSON.stringify([target, changes, destinations, obstacle]))
      .digest('hex')
    return {
      ...{ from, chosen, staying, target, toStudyInstanceUid },
      preview: {
        ...{ kind, fromStudyInstanceUid: studyInstanceUid, toStudyInstanceUid: toStudyInstanceUid ?? null },
        ...{ instances: chosen.length, staying: staying.length, changes, destinations, signedReports },
        warnings: target ? await warningsOf(from, chosen, target, toStudyInstanceUid) : [],
        ...{ obstacle, digest },
      },
    }
  }

  /** What must still be so when the copies are made. */
  const core = (from: string, to: string | undefined) =>
    [...new Set([from, to])].map((uid) => {
      if (uid === undefined) return null
      const { handedOut = null, inDoubt = null } = imageStudies.get(uid) ?? {}
      return [instances.ofStudy(uid).map(({ instanceId }) => instanceId), signedOf(uid), handedOut, inDoubt]
    })

  const signedOf = (studyInstanceUid: string) => {
    const study = scribeStudy(studyInstanceUid)
    return study ? reports.signedOf(study.studyId).length : 0
  }

  function destinationsOf(chosen: readonly InstanceRecord[]): string[] {
    const ids = new Set(chosen.flatMap(({ instanceId }) => store.forwards.sentTo(instanceId)))
    return store.destinations.list().flatMap(({ destinationId, name }) => (ids.has(destinationId) ? [name] : []))
  }

  interface Asked extends Pick<Plan, 'from' | 'chosen' | 'staying' | 'target' | 'toStudyInstanceUid'> {
    readonly kind: CorrectionRequest['kind']
    readonly isMissing: boolean
    readonly isBusy: boolean
  }

  function obstacleOf({ kind, from, chosen, staying, target, toStudyInstanceUid: to, isMissing, isBusy }: Asked): string {
    if (isBusy) return UNDER_WAY
    if (isMissing) return 'Some of the selected images are no longer in the study.'
    if (chosen.length === 0) return kind === 'split' ? 'No image is chosen.' : 'There are no images to correct.'
    if (kind === 'split' && staying.length === 0) return 'All images of the study are chosen: reassign the study instead.'
    if (!target) return 'This order or study no longer exists here.'
    if (from.inDoubt) return IN_DOUBT
    const isSame = to === from.studyInstanceUid
    if (kind === 'correct' && !isSame) return 'Correcting patient details keeps the images in their study: reassign them to move them.'
    if (isSame && (kind === 'merge' || kind === 'split')) return 'The images are in this study already.'
    if (kind === 'merge' && !target.header) return 'Images are merged only into a study that has images.'
    if (to !== undefined && fitnessOfUid(to) !== 'usable') return 'The Study Instance UID of the target is not a valid DICOM UID.'
    if (target.patient.patientName === '' && target.patient.patientId === '') return 'A patient needs a name or an ID.'
    const tooLong = (Object.keys(LONGEST) as (keyof typeof LONGEST)[]).find((field) => {
      const groups = field === 'patientName' ? target.patient[field].split('=') : [target.patient[field]]
      return groups.some((group) => [...group].length > LONGEST[field]) || /[\\\p{Cc}]/u.test(target.patient[field])
    })
    if (tooLong) return `The ${FIELD_NAMES[tooLong]} of the target does not fit into an image.`
    const bytes = chosen.reduce((sum, instance) => sum + instance.bytes, 0)
    if (imageFiles.space().freeBytes < bytes + reservedBytes()) return TOO_LITTLE_SPACE
    return ''
  }

  async function warningsOf(
    from: ImageStudyRecord,
    chosen: readonly InstanceRecord[],
    target: Target,
    to: string | undefined,
  ): Promise<string[]> {
    const there = to === undefined || to === from.studyInstanceUid ? undefined : imageStudies.get(to)
    const inTarget = target.header ? identityOfHeader(target.header) : undefined
    const isOther =
      inTarget && (inTarget.patientId !== target.patient.patientId || !isSameName(inTarget.patientName, target.patient.patientName))
    const report = scribeStudy(from.studyInstanceUid)
    const isWritten = report && reports.ofStudy(report.studyId).some(({ status }) => status !== 'completed')
    const documents = chosen.filter(({ modality, image }) => image === null && DOCUMENTS.has(modality.trim())).length
    const captures = chosen.filter(({ remoteAddress }) => remoteAddress === OWN_ADDRESS).length
    const modality = target.order?.modality.trim() ?? ''
    const otherModality = modality !== '' && !from.modalities.includes(modality)
    return [
      ...(from.state === 'receiving' ? ['The study is still receiving images: later ones are not corrected.'] : []),
      ...(there?.state === 'receiving' ? ['The target study is still receiving images.'] : []),
      ...(isWritten ? ['A report of the study is being written.'] : []),
      ...(isOther ? ['The images that are in the target study already name another patient.'] : []),
      ...(to !== undefined && to !== from.studyInstanceUid && signedOf(to) > 0 ? [TARGET_SIGNED] : []),
      ...(otherModality ? [`The order is for ${modality}, and the images are ${from.modalities.join(', ') || 'of another kind'}.`] : []),
      ...(documents > 0 ? ['Documents among the images may show the patient in their text, which is not changed.'] : []),
      ...(captures > 0 ? ['Captures among the images may show the patient in their pixels, which are not changed.'] : []),
    ]
  }

  /** Writes the copies, each durable under its name, and reads them back. @throws ApiError unavailable; StorageFault */
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
        ...{ source: callingAeTitle || setting('dimse.aeTitle'), aeTitle: setting('dimse.aeTitle') },
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
              passed(run, bytes.length)
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
        throw error instanceof CopyFault ? new ApiError('refused', `An image cannot be corrected: ${error.message}`) : error
      }
      const copy = await readBack(original, source, { file, dataSetOffset: meta.length })
      copies.push(copy)
      passed(run, copy.bytes)
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
    const read = await readStored({ path: imageFiles.pathOf(file), dataSetOffset, transferSyntaxUid })
    const header = headerOf(read.values, deviceSetOf(source))
    const isWhole = read.structure.isComplete || source.structure !== 'complete'
    if (read.values.fault !== undefined || !isWhole || header.sopInstanceUid === '')
      throw new ApiError('refused', 'An image cannot be corrected: its copy could not be read back.')
    return { original, header, file, dataSetOffset, bytes: read.bytes, crc32: read.crc32 }
  }

  interface Copying {
    readonly uids: ReadonlyMap<string, string>
    readonly to: string
    readonly run: Running
  }

  interface Replacing {
    readonly from: ImageStudyRecord
    readonly toStudyInstanceUid: string
    /** Of the originals that stay in `from`, and of what is in the target already. */
    readonly staying: readonly InstanceHeader[]
    readonly there: readonly InstanceHeader[]
    readonly handedOut: (to: ImageStudyRecord | undefined) => HandedOutRow | null
    /** Of `from`; that it has where it is not given. */
    readonly handedOutFrom?: HandedOutRow | null
    readonly record: Omit<CorrectionRecord, 'instances' | 'undoneAt' | 'undoneBy' | 'undoneWith' | 'details'> & {
      readonly details: Omit<CorrectionRecord['details'], 'handedOut' | 'undoReason'>
    }
  }

  /** Within a transaction: the copies take the places of their originals. */
  function replace(
    copies: readonly Copy[],
    { from, toStudyInstanceUid: to, staying, there, handedOut, handedOutFrom = from.handedOut, record }: Replacing,
  ): CorrectionRecord {
    const now = record.at
    const target = imageStudies.get(to)
    const [first] = copies as readonly [Copy, ...Copy[]]
    const isNew = target === undefined || target.instances === 0
    const details = { ...record.details, handedOut: { from: from.handedOut, to: target?.handedOut ?? null }, undoReason: '' }
    if (!target) imageStudies.insert(newStudy(from, to, first, now))
    for (const { original } of copies) instances.setState(original.instanceId, 'superseded', null, SUPERSEDED)
    const pairs = copies.map((copy): CorrectedImage => {
      const { original, header } = copy
      const { studyInstanceUid, seriesInstanceUid, seriesNumber, seriesDescription } = header
      if (copy.instance) {
        const found = { ...copy.instance, state: 'current' as const, reason: null, detail: '' }
        instances.setState(found.instanceId, found.state)
        return { original: { ...original, state: 'superseded' }, copy: found }
      }
      const instance = instances.insert(rowOf(copy))
      const series = { seriesInstanceUid, modality: instance.modality, seriesNumber, seriesDescription }
      imageStudies.count(studyInstanceUid, series, instance.bytes, now, 'current')
      return { original: { ...original, state: 'superseded' }, copy: instance }
    })
    const correction = { ...record, details, instances: pairs.length }
    corrections.insert(
      correction,
      pairs.map(({ original, copy }) => ({ originalId: original.instanceId, correctedId: copy.instanceId })),
    )
    const kept = { ...correction, undoneAt: null, undoneBy: null, undoneWith: null }
    moveWhatNames(pairs, from.studyInstanceUid, to, now)
    const corrected = copies.filter(({ original }) => original.remoteAddress !== OWN_ADDRESS).map(({ header }) => header)
    const sender = senderOf(copies.map(({ original }) => original)) ?? {}
    restate(to, [...there, ...corrected], handedOut(target), sender, now)
    if (from.studyInstanceUid !== to) restate(from.studyInstanceUid, staying, handedOutFrom, {}, now)
    finish({ correction: kept, pairs, isUndo: false })
    settling.reopen(to, isNew && !from.isFetched)
    return kept
  }

  /** Within a transaction: what refers to the images elsewhere follows them. */
  function moveWhatNames(pairs: readonly CorrectedImage[], from: string, to: string, at: string): void {
    const uids = new Map([[from, to]])
    const moved = new Set<string>()
    const isEmpty = imagesOf(from).every(({ studyInstanceUid }) => studyInstanceUid === to)
    for (const { original, copy } of pairs) {
      uids.set(original.sopInstanceUid, copy.sopInstanceUid).set(original.seriesInstanceUid, copy.seriesInstanceUid)
      moved.add(original.sopInstanceUid)
      // Of a series that others stay in, what is drawn on the series as a whole stays with them.
      if (isEmpty) moved.add(original.seriesInstanceUid)
    }
    corrections.moveAnnotations({ from, to, uids, moved, at })
    for (const { original, copy } of pairs) corrections.moveFound(original.sopInstanceUid, copy)
    corrections.moveAnnounced(
      pairs.map(({ original, copy: { sopInstanceUid, studyInstanceUid, seriesInstanceUid } }) => ({
        ...{ before: original.sopInstanceUid, sopInstanceUid, studyInstanceUid, seriesInstanceUid },
      })),
    )
  }

  /** Within a transaction, once the rows are what they are to be: forwards, counters, hooks. */
  function finish(done: CorrectionDone): void {
    const { fromStudyInstanceUid, toStudyInstanceUid } = done.correction
    const { at, userId, undoneAt, undoneBy } = done.correction
    const actor: Actor = `user:${done.isUndo ? undoneBy : userId}`
    for (const uid of new Set([fromStudyInstanceUid, toStudyInstanceUid])) {
      imageStudies.recount(uid)
      seeds.followImages(uid, (done.isUndo ? undoneAt : undefined) ?? at, actor)
    }
    deps.onCorrected(done)
    deps.performedSteps.changed()
    database.afterCommit(() => {
      arrivals.forget(fromStudyInstanceUid)
      arrivals.forget(toStudyInstanceUid)
    })
  }

  /** Within a transaction: what the study says of itself, by the images that count now. */
  function restate(
    studyInstanceUid: string,
    images: readonly InstanceHeader[],
    handedOut: HandedOutRow | null,
    sender: Partial<Pick<ImageStudyRecord, 'remoteAddress' | 'callingAeTitle' | 'deviceName'>>,
    now: string,
  ): void {
    const study = imageStudies.get(studyInstanceUid)
    if (!study) return
    const [first] = images
    if (!first) {
      // The copies of reports that are left say nothing of a patient.
      // Nor does the patient of the images that left: the study is that of its worklist row again.
      const header = handedOut ? { ...study.header, ...patientOf(handedOut) } : study.header
      seeds.follow(study, header)
      imageStudies.update(studyInstanceUid, { header, mismatch: null, remoteAddress: OWN_ADDRESS })
      return
    }
    const header = first.study
    let mismatch: Mismatch | null = withoutImages(study.mismatch, now)
    for (const other of images) mismatch = withImage(mismatch, differencesAmong(header, other.study), now)
    mismatch = withRow(mismatch, handedOut ? differencesOf(handedOut, header, studyInstanceUid) : [], now)
    const isFresh = study.remoteAddress === OWN_ADDRESS
    seeds.follow(study, header)
    imageStudies.update(studyInstanceUid, { header, handedOut, mismatch, ...(isFresh && sender) })
    // A study of the interface that was made of the images says what they say now.
    if (!study.isFetched && identityOf(study.header) !== identityOf(header)) settling.reopen(studyInstanceUid, true)
  }

  const senderOf = (records: readonly InstanceRecord[]) => {
    const device = records.find(({ remoteAddress }) => remoteAddress !== OWN_ADDRESS)
    return device && { remoteAddress: device.remoteAddress, callingAeTitle: device.callingAeTitle, deviceName: device.deviceName }
  }

  /** The files exist from here to the commit, or not at all: a note lists what a crash leaves. */
  async function withCopies<T>(wanted: readonly Wanted[], { uids, to, run }: Copying, commit: (copies: readonly Copy[]) => T): Promise<T> {
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
        throw new ApiError('unavailable', 'The corrected copies could not be written to the disk. Nothing was changed.')
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

  async function applied(studyInstanceUid: string, order: CorrectionOrder, userId: string, run: Running): Promise<Correction> {
    const { cause, reason, digest, ...request } = order
    const planned = await plan(studyInstanceUid, request, run)
    const { chosen, staying, target, preview } = planned
    if (preview.digest !== digest) throw outdated()
    if (preview.obstacle !== '' || !target) throw new ApiError('refused', preview.obstacle)
    const to = planned.toStudyInstanceUid ?? newUid()
    occupy(run, [to])
    const correctionId = uuid()
    const { kind } = request
    run.correction = {
      ...{ correctionId, kind, cause, reason, fromStudyInstanceUid: studyInstanceUid, toStudyInstanceUid: to },
      ...{ instances: chosen.length, changes: preview.changes, at: instantOf(clock()), by: nameOf(userId) },
      ...{ undone: null, undoObstacle: UNDER_WAY },
    }
    const before = JSON.stringify(core(studyInstanceUid, planned.toStudyInstanceUid))
    const stayingHeaders = await headersOf(staying.filter(isReceived))
    const there = to === studyInstanceUid ? [] : await headersOf(imagesOf(to).filter(isReceived))
    const wanted: Wanted[] = []
    for (const original of chosen) {
      const identity = identityOfHeader((await headerOfInstance(original)).study)
      wanted.push({ original, source: original, values: correctedValues(kind, identity, { ...target, studyInstanceUid: to }) })
    }
    const actor: Actor = `user:${userId}`
    const record = await withCopies(wanted, { uids: uidsFor(wanted, studyInstanceUid, to), to, run }, (copies) => {
      if (JSON.stringify(core(studyInstanceUid, planned.toStudyInstanceUid)) !== before) throw outdated()
      const at = instantOf(clock())
      const current = existing(studyInstanceUid)
      const made = replace(copies, {
        ...{ from: current, toStudyInstanceUid: to, staying: stayingHeaders, there },
        handedOut: (now) => {
          if (target.order) return now?.handedOut ?? rowOfOrder(target.order, current.callingAeTitle, at)
          // What was corrected is what the row should have said.
          if (kind === 'correct') return current.handedOut && { ...current.handedOut, ...target.patient }
          return now?.handedOut ?? null
        },
        record: {
          ...{ correctionId, kind, cause, fromStudyInstanceUid: studyInstanceUid, toStudyInstanceUid: to, userId, at, undoes: null },
          details: { reason, changes: preview.changes },
        },
      })
      note(deps, actor, 'images.correct', studyInstanceUid, {
        ...{ correctionId, kind, cause, reason, toStudyInstanceUid: to, instances: copies.length },
      })
      return made
    })
    return finished(record)
  }

  const versionOf = ({ instanceId, sopInstanceUid }: InstanceRecord) =>
    arrivals.rivalOf(sopInstanceUid, corrections.foundBeside(instanceId))

  async function restored(found: readonly InstanceRecord[], reason: string, actor: Actor): Promise<number> {
    const candidates = found.flatMap((copy): CorrectedImage[] => {
      const original = versionOf(copy)
      return original ? [{ original, copy }] : []
    })
    // A copy of a copy names both as its originals.
    const isMadeFrom = (one: InstanceRecord, other: InstanceRecord) =>
      corrections.foundBeside(one.instanceId).includes(other.sopInstanceUid)
    const pairs = [...Map.groupBy(candidates, ({ original }) => original.instanceId).values()].map((group): CorrectedImage => {
      const last = group.find(({ copy }) => group.every((other) => other.copy === copy || isMadeFrom(copy, other.copy)))
      if (!last) throw new ApiError('refused', SEVERAL)
      return last
    })
    const ofStudies = Map.groupBy(pairs, ({ original, copy }) => `${original.studyInstanceUid} ${copy.studyInstanceUid}`)
    for (const group of ofStudies.values()) {
      const uids = group.flatMap(({ original, copy }) => [original.studyInstanceUid, copy.studyInstanceUid])
      await exclusively(uids, () => restoredOf(group, reason, actor))
    }
    return pairs.length
  }

  /** All from one study into one. */
  async function restoredOf(pairs: readonly CorrectedImage[], reason: string, actor: Actor): Promise<void> {
    const [{ original, copy: sample }] = pairs as readonly [CorrectedImage, ...CorrectedImage[]]
    const [fromUid, to] = [original.studyInstanceUid, sample.studyInstanceUid]
    const leaving = new Set(pairs.map((pair) => pair.original.instanceId))
    const left = imagesOf(fromUid).filter((each) => isReceived(each) && !leaving.has(each.instanceId))
    const staying = await headersOf(left)
    const there = fromUid === to ? staying : await headersOf(imagesOf(to).filter(isReceived))
    const copies: Copy[] = []
    for (const pair of pairs) {
      const { file, dataSetOffset, bytes, crc32 } = pair.copy
      copies.push({
        original: pair.original,
        instance: pair.copy,
        header: await headerOfInstance(pair.copy),
        file,
        dataSetOffset,
        bytes,
        crc32,
      })
    }
    const originals = await headersOf(pairs.map((pair) => pair.original))
    const patient = identityOfHeader((copies[0] as Copy).header.study)
    const before = JSON.stringify(core(fromUid, to))
    await deps.writeEvents?.()
    await database.commitSoon(() => {
      const isStanding = pairs.every(({ copy }) => instances.get(copy.instanceId)?.state === 'quarantined')
      if (!isStanding || JSON.stringify(core(fromUid, to)) !== before) throw outdated()
      const at = instantOf(clock())
      const correctionId = uuid()
      const [kind, cause] = fromUid === to ? (['correct', 'patient-safety'] as const) : (['reassign', 'wrong-worklist-entry'] as const)
      const from = existing(fromUid)
      closeEarlier(pairs)
      replace(copies, {
        ...{ from, toStudyInstanceUid: to, staying, there },
        handedOut: (now) => (fromUid === to ? from.handedOut && { ...from.handedOut, ...patient } : (now?.handedOut ?? null)),
        record: {
          ...{ correctionId, kind, cause, fromStudyInstanceUid: fromUid, toStudyInstanceUid: to, at, undoes: null },
          userId: actor.replace(/^user:/, ''),
          details: { reason, changes: changesOf(originals, patient, fromUid, to) },
        },
      })
      note(deps, actor, 'images.correct', fromUid, {
        ...{ correctionId, kind, cause, reason, toStudyInstanceUid: to, instances: copies.length, isRestored: 1 },
      })
    })
  }

  /** Within a transaction: versions in quarantine that the copies were made from are decided with them. */
  function closeEarlier(pairs: readonly CorrectedImage[]): void {
    const studies = new Set<string>()
    for (const { copy } of pairs)
      for (const uid of corrections.foundBeside(copy.instanceId))
        for (const { instanceId, state, studyInstanceUid } of instances.versions(uid)) {
          if (state !== 'quarantined' || corrections.foundBeside(instanceId).length === 0) continue
          instances.setState(instanceId, 'superseded', null, SUPERSEDED)
          studies.add(studyInstanceUid)
        }
    for (const uid of studies) imageStudies.recount(uid)
  }

  /** Why it cannot be undone; '' where it can. */
  function undoObstacle(record: CorrectionRecord): string {
    const { correctionId, fromStudyInstanceUid, toStudyInstanceUid, details, at, undoneAt, undoes } = record
    if (undoneAt !== null) return 'It was undone already.'
    if (undoes !== null) return 'It undid another correction: correct the images again instead.'
    const target = imageStudies.get(toStudyInstanceUid)
    if (target?.inDoubt) return IN_DOUBT
    const linked =
      linkedSince(details.handedOut.from, imageStudies.get(fromStudyInstanceUid)) ??
      (fromStudyInstanceUid === toStudyInstanceUid ? undefined : linkedSince(details.handedOut.to, target))
    if (linked) return linkedObstacle(linked)
    const isSignedSince = (uid: string) => {
      const study = scribeStudy(uid)
      return study !== undefined && reports.isSignedSince(study.studyId, at)
    }
    if (isSignedSince(toStudyInstanceUid)) return 'A report was signed with the corrected images.'
    if (isSignedSince(fromStudyInstanceUid)) return SIGNED_WITHOUT
    if (corrections.copiesGone(correctionId) > 0) return 'The corrected images have since been corrected again, set aside or replaced.'
    return ''
  }

  /**
   * The worklist row of one of the two studies without the correction: that of before where the study
   * has what the correction gave it, and otherwise that which was found since.
   */
  function rowBefore({ fromStudyInstanceUid: from, toStudyInstanceUid: to, at, details }: CorrectionRecord, uid: string) {
    const now = imageStudies.get(uid)?.handedOut ?? null
    const { handedOut } = details
    // The demographics of the row were corrected.
    if (from === to) return isSameRow(now, handedOut.from) ? handedOut.from : now
    // The target got the row of the order, where it had none.
    return uid === to && handedOut.to === null && now?.at === at && now.linkedBy === undefined ? null : now
  }

  /** Whether a destination has, or may have, originals or copies of it. */
  const hasLeft = (correctionId: string) => corrections.isSent(correctionId) || (deps.isCorrectionQueued?.(correctionId) ?? false)

  async function undone(record: CorrectionRecord, reason: string, userId: string, run: Running): Promise<Correction> {
    const { correctionId } = record
    const demandUndoable = () => {
      const obstacle = undoObstacle(corrections.get(correctionId) ?? record)
      if (obstacle !== '') throw new ApiError('refused', obstacle)
    }
    demandUndoable()
    const { fromStudyInstanceUid: back, toStudyInstanceUid: now } = record
    const pairs = pairsOf(record)
    const copyIds = new Set(pairs.map(({ copy }) => copy.instanceId))
    const others = imagesOf(now).filter((each) => isReceived(each) && !copyIds.has(each.instanceId))
    const staying = now === back ? [] : await headersOf(others)
    const there = await headersOf(now === back ? others : imagesOf(back).filter(isReceived))
    const before = JSON.stringify(core(now, back))
    const actor: Actor = `user:${userId}`
    const audit = (detail: Record<string, string | number>) =>
      note(deps, actor, 'images.undo-correction', back, { correctionId, reason, instances: pairs.length, ...detail })

    if (!hasLeft(correctionId)) {
      const originals = await headersOf(pairs.map(({ original }) => original).filter(isReceived))
      await database.commitSoon(() => {
        demandUndoable()
        if (JSON.stringify(core(now, back)) !== before || hasLeft(correctionId)) throw outdated()
        const at = instantOf(clock())
        for (const { copy } of pairs) instances.setState(copy.instanceId, 'superseded', null, WITHDRAWN)
        for (const { original } of pairs) instances.setState(original.instanceId, 'current', null, '')
        corrections.setUndone(correctionId, { at, by: userId, with: null, reason })
        const turned = pairs.map(({ original, copy }) => ({ original: copy, copy: original }))
        moveWhatNames(turned, now, back, at)
        const sender = senderOf(pairs.map(({ original }) => original)) ?? {}
        restate(back, [...there, ...originals], rowBefore(record, back), sender, at)
        if (now !== back) restate(now, staying, rowBefore(record, now), {}, at)
        const standing = corrections.get(correctionId) ?? record
        const states = pairs.map(({ original, copy }) => ({
          original: { ...original, state: 'current' as const },
          copy: { ...copy, state: 'superseded' as const },
        }))
        finish({ correction: standing, pairs: states, isUndo: true })
        audit({})
      })
      return finished(corrections.get(correctionId) ?? record)
    }

    // What an archive rejected it does not show again: the originals go out once more, under UIDs of their own.
    const wanted = pairs.map(({ original, copy }): Wanted => ({ original: copy, source: original, values: [] }))
    run.correction = { ...viewOf(record), undoObstacle: UNDER_WAY }
    await withCopies(wanted, { uids: uidsFor(wanted, back, back), to: back, run }, (copies) => {
      demandUndoable()
      if (JSON.stringify(core(now, back)) !== before) throw outdated()
      const at = instantOf(clock())
      const furtherId = uuid()
      replace(copies, {
        ...{ from: existing(now), toStudyInstanceUid: back, staying, there },
        handedOut: () => rowBefore(record, back),
        handedOutFrom: rowBefore(record, now),
        record: {
          ...{ correctionId: furtherId, kind: record.kind, cause: record.cause, userId, at, undoes: correctionId },
          ...{ fromStudyInstanceUid: now, toStudyInstanceUid: back },
          details: { reason, changes: record.details.changes.map(turned) },
        },
      })
      corrections.setUndone(correctionId, { at, by: userId, with: furtherId, reason })
      imageStudies.compareAnew(back)
      imageStudies.compareAnew(now)
      audit({ furtherCorrectionId: furtherId })
    })
    return finished(corrections.get(correctionId) ?? record)
  }

  function pairsOf({ correctionId }: CorrectionRecord): CorrectedImage[] {
    return corrections.pairsOf(correctionId).flatMap(({ originalId, correctedId }) => {
      const [original, copy] = [instances.get(originalId), instances.get(correctedId)]
      return original && copy ? [{ original, copy }] : []
    })
  }

  function viewOf(record: CorrectionRecord): Correction {
    const { correctionId, kind, cause, fromStudyInstanceUid, toStudyInstanceUid, details, at, undoneAt, undoneBy } = record
    return {
      ...{ correctionId, kind, cause, reason: details.reason, fromStudyInstanceUid, toStudyInstanceUid },
      ...{ instances: record.instances, changes: details.changes, at, by: nameOf(record.userId) },
      undone: undoneAt === null ? null : { at: undoneAt, by: nameOf(undoneBy ?? ''), reason: details.undoReason },
      undoObstacle: isBusy([fromStudyInstanceUid, toStudyInstanceUid]) ? UNDER_WAY : undoObstacle(record),
      progress: progressOf(correctionId),
    }
  }

  /** The correction as it is once nothing of it is under way. */
  const finished = (record: CorrectionRecord): Correction => ({ ...viewOf(record), undoObstacle: undoObstacle(record), progress: null })

  function nameOf(userId: string): string {
    const user = store.users.get(userId)
    return user ? `${user.firstName} ${user.lastName}`.trim() : ''
  }

  return {
    async identities(studyInstanceUid) {
      existing(studyInstanceUid)
      const series = new Map(imageStudies.seriesOf(studyInstanceUid).map((each) => [each.seriesInstanceUid, each]))
      const found = new Map<string, ImageIdentity>()
      for (const instance of imagesOf(studyInstanceUid)) {
        const identity = identityOfHeader((await headerOfInstance(instance)).study)
        const { seriesInstanceUid, modality, instanceId, instanceNumber } = instance
        const key = JSON.stringify([identity, seriesInstanceUid])
        const known = found.get(key)
        if (known) {
          known.instanceIds.push(instanceId)
          known.instanceNumbers.push(instanceNumber)
        } else {
          const seriesDescription = series.get(seriesInstanceUid)?.seriesDescription ?? ''
          const ofSeries = { seriesInstanceUid, seriesDescription, modality }
          found.set(key, { ...identity, ...ofSeries, instanceIds: [instanceId], instanceNumbers: [instanceNumber] })
        }
      }
      return [...found.values()]
    },

    targets: async (studyInstanceUid, search) => await targets.search(existing(studyInstanceUid), search),

    preview: async (studyInstanceUid, request) => (await plan(studyInstanceUid, request)).preview,
    apply: (studyInstanceUid, order, userId) => answered([studyInstanceUid], (run) => applied(studyInstanceUid, order, userId, run)),
    list(studyInstanceUid) {
      existing(studyInstanceUid)
      const made = corrections.ofStudy(studyInstanceUid).map(viewOf)
      const known = new Set(made.map(({ correctionId }) => correctionId))
      const making = [...running].flatMap(({ studies, correction }) =>
        correction && studies.has(studyInstanceUid) && !known.has(correction.correctionId)
          ? [{ ...correction, progress: progressOf(correction.correctionId) }]
          : [],
      )
      return [...making, ...made]
    },
    studiesOf(correctionId) {
      const record = corrections.get(correctionId)
      if (!record) throw noCorrection()
      return [record.fromStudyInstanceUid, record.toStudyInstanceUid]
    },
    isVersion: (instance) => versionOf(instance) !== undefined,
    restore: restored,
    async undo(correctionId, reason, userId) {
      const record = corrections.get(correctionId)
      if (!record) throw noCorrection()
      const uids = [record.fromStudyInstanceUid, record.toStudyInstanceUid]
      return await answered(uids, (run) => undone(record, reason, userId, run))
    },
    async sweep() {
      let removed = 0
      for (const { note: noted, files, isComplete } of imageFiles.notedCopies()) {
        if (isComplete) imageFiles.forgetCopies(noted)
        else removed += await removeUncommitted(noted, files)
      }
      if (removed > 0) deps.onNews(diskNews('warning', CUT_OFF))
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      while (works.size > 0) await Promise.allSettled(works)
    },
  }
}

const UNDER_WAY = 'A correction of these images is in progress: wait until it has finished.'
const STOPPING = 'The gateway is stopping. Nothing was changed.'
const NOT_MADE = 'A correction of images, or its undo, failed. Nothing was changed: repeat it.'
const CUT_OFF = 'A correction of images was interrupted when the gateway stopped. Nothing was changed: repeat the correction.'
const IN_DOUBT = 'Another version of these images was found and is in quarantine: decide there which one is right.'
const SEVERAL =
  'Several versions of an image are in quarantine and none was made from another: look at each, and release or discard it by itself.'
const SIGNED_WITHOUT = 'Since the correction, a report of the study that the images were taken from was signed.'
const TOO_LITTLE_SPACE = 'There is too little disk space for the corrected copies.'
const TARGET_SIGNED =
  'A report of the target study is signed already: it will need an addendum, and everyone who received it must be informed.'
const SUPERSEDED = 'Its identity was corrected: a corrected copy is shown.'
const WITHDRAWN = 'The correction that made it was undone.'
/** Modalities of objects that hold text: PDF documents and structured reports. */
const DOCUMENTS: ReadonlySet<string> = new Set(['DOC', 'SR', 'KO'])
const FIELD_NAMES = { patientName: 'patient name', patientId: 'patient ID', accessionNumber: 'accession number' } as const

/** Whether it is the row at all; its patient may have been corrected. */
const isSameRow = (one: HandedOutRow | null, other: HandedOutRow | null) =>
  one?.at === other?.at && one?.linkedBy === other?.linkedBy && one?.scheduledProcedureStepId === other?.scheduledProcedureStepId

/** The row that a person linked the study to after it had the other one. */
function linkedSince(before: HandedOutRow | null, study: ImageStudyRecord | undefined): HandedOutRow | undefined {
  const row = study?.handedOut
  return row?.linkedBy !== undefined && !isSameRow(row, before) ? row : undefined
}

const linkedObstacle = ({ accessionNumber, scheduledProcedureStepId }: HandedOutRow) =>
  `Since the correction, images were linked to the order ${accessionNumber || scheduledProcedureStepId}: undo that on Reconcile first.`

const noCorrection = () => new ApiError('not-found', 'There is no such correction.')
const outdated = () => new ApiError('outdated', 'The images or the target have changed since this preview: check it again.')
const isReceived = ({ remoteAddress }: InstanceRecord) => remoteAddress !== OWN_ADDRESS
const turned = ({ field, before, after }: CorrectionPreview['changes'][number]) => ({ field, before: [after], after: before[0] ?? '' })

function changesOf(
  chosen: readonly InstanceHeader[],
  after: Target['patient'],
  from: string,
  to: string | undefined,
): CorrectionPreview['changes'] {
  return IDENTITY_FIELDS.flatMap((field): CorrectionPreview['changes'] => {
    if (field === 'studyInstanceUid') return to === from ? [] : [{ field, before: [from], after: to ?? '' }]
    const before = [...new Set(chosen.map(({ study }) => identityOfHeader(study)[field] as string))]
    return before.every((value) => value === after[field]) ? [] : [{ field, before, after: after[field] }]
  })
}

function newStudy(from: ImageStudyRecord, studyInstanceUid: string, { header }: Copy, now: string) {
  const { createdAt, callingAeTitle, remoteAddress, deviceName, transfer, isFetched } = from
  return {
    ...{ studyInstanceUid, createdAt, lastInstanceAt: now, callingAeTitle, remoteAddress, deviceName, transfer, isFetched },
    ...{ state: 'receiving' as const, settledAt: isFetched ? now : null, dueAt: now },
    ...{ header: header.study, handedOut: null, mismatch: null, enrichmentAttempts: 0 },
    enrichment: { state: 'not-asked' as const, askedAt: null, nextAt: null, detail: '', warnings: [] },
  }
}

function rowOf({ original, header, file, dataSetOffset, bytes, crc32 }: Copy) {
  const { sopClassUid, transferSyntaxUid, callingAeTitle, remoteAddress, deviceName, receivedAt, structure } = original
  const { sopInstanceUid, studyInstanceUid, seriesInstanceUid, instanceNumber, image, study } = header
  return {
    ...{ sopInstanceUid, sopClassUid, studyInstanceUid, seriesInstanceUid, transferSyntaxUid, file, dataSetOffset, bytes, crc32 },
    ...{ callingAeTitle, remoteAddress, deviceName, structure, associationId: '', receivedAt, lastSeenAt: receivedAt },
    ...{ state: 'current' as const, reason: null, detail: '', modality: study.modality, instanceNumber, image },
    ...{ scheduledProcedureStepId: study.scheduledProcedureStepId, patientName: study.patientName },
  }
}
