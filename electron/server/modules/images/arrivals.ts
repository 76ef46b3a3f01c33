import type { Context } from '#server/context.ts'
import {
  findImageStudy,
  isStudyFetched,
  updateMismatch,
} from '#server/modules/studies/image-study-queries.ts'
import type {
  ImageHeader,
  ImageStudyPatch,
  ImageStudyRecord,
  NewImageStudy,
} from '#server/modules/studies/image-study-row.ts'
import { OWN_ADDRESS } from '#server/modules/studies/study-identity.ts'
import { instantOf } from '#server/platform/clock.ts'
import { KeyedMutex } from '#server/platform/concurrency.ts'
import type { Enrichment } from '#shared/contract/images.ts'
import { message } from '#shared/messages/message.ts'
import type { AssociationStatistics } from './association-statistics.ts'
import { identityKeyOf } from './header.ts'
import {
  countInstance,
  insertImageStudy,
  uncountInstance,
  updateImageStudy,
} from './image-study-writing-queries.ts'
import { findRivalVersion, insertFoundVersion, isCorrectedCopy } from './image-version-queries.ts'
import { type Arrival, isElsewhere, placementOf, type Source } from './instance-placement.ts'
import {
  findCurrentInstance,
  findWithdrawnInstance,
  type InstanceRecord,
  insertInstance,
  listInstanceVersions,
  type NewInstance,
  noteInstanceSeen,
  type OnInstanceChange,
  setInstanceState,
} from './instance-queries.ts'
import { differencesAmong, withImage, withoutImages } from './mismatch.ts'
import { type Comparison, compareContent, type Transcode } from './same-content.ts'
import type { StoredObject } from './stored-object.ts'
import type { WrongSteps } from './wrong-steps.ts'

/** What became of it. */
export interface Kept {
  readonly instance: InstanceRecord
  /** The study is new, or receives again. */
  readonly isOpened: boolean
  /**
   * It names another patient or order than its study does. corrected: it takes the place of an
   * image that is here, so that the device corrected what it said, and the study says it too now;
   * other: it came beside those, and the study stays as it was, with a mismatch.
   */
  readonly identity: 'same' | 'corrected' | 'other'
}

/** What is known of a study that receives, so that an instance need not read it again. */
interface OpenStudy {
  readonly identity: string
  readonly isFetched: boolean
  readonly associationIds: ReadonlySet<string>
  /** Of the row that was handed out. */
  readonly stepId: string
}

interface Joined extends Pick<Kept, 'isOpened' | 'identity'> {
  readonly stepId: string
}

const NOT_ASKED: Enrichment = {
  state: 'not-asked',
  askedAt: null,
  nextAt: null,
  detail: null,
  warnings: [],
}
const NOT_READ: Enrichment = { ...NOT_ASKED, detail: message('images.fetched') }

/** Rows of instances as they arrive. What is known of studies is read anew after `image studies`. */
export class Arrivals {
  /** By SOP Instance UID: two associations may send the same instance at the same moment. */
  readonly mutex = new KeyedMutex()
  readonly #context: Context
  readonly #wrongSteps: WrongSteps
  readonly #statistics: AssociationStatistics
  readonly #transcode: Transcode
  readonly #onChange: OnInstanceChange
  readonly #open = new Map<string, OpenStudy>()

  constructor(
    context: Context,
    wrongSteps: WrongSteps,
    statistics: AssociationStatistics,
    transcode: Transcode,
    onChange: OnInstanceChange,
  ) {
    this.#context = context
    this.#wrongSteps = wrongSteps
    this.#statistics = statistics
    this.#transcode = transcode
    this.#onChange = onChange
    context.database.subscribe('image studies', () => this.#open.clear())
  }

  /**
   * Compares the content of an object with that of the current instance, whose place it would take,
   * or of the original of a corrected one. Undefined where it takes no place: there is none, the
   * object is incomplete, or it belongs elsewhere.
   */
  async compare(
    arrival: Arrival,
  ): Promise<{ readonly current: InstanceRecord; readonly comparison: Comparison } | undefined> {
    const { folder, database, imageFiles } = this.#context
    const { header, structure } = arrival
    const current =
      findCurrentInstance(database, header.sopInstanceUid) ??
      findWithdrawnInstance(database, header.sopInstanceUid)
    if (!current || !structure.isComplete || isElsewhere(current, header)) return undefined
    const [one, other] = [current, arrival].map(({ file, dataSetOffset, transferSyntaxUid }) => ({
      path: imageFiles.pathOf(file),
      dataSetOffset,
      transferSyntaxUid,
    })) as [StoredObject, StoredObject]
    return { current, comparison: await compareContent(folder, this.#transcode, one, other) }
  }

  /** Within a transaction: the row, its study's counters, and what waits for it. */
  keep(arrival: Arrival): Kept {
    const { database, clock } = this.#context
    const now = instantOf(clock())
    const { header } = arrival
    const { studyInstanceUid, seriesInstanceUid } = header
    const { state, reason, detail, replaces } = placementOf(database, this.#wrongSteps, arrival)
    const { stepId: ofRow, ...joined } =
      state === 'current'
        ? this.#join(arrival, replaces !== undefined, now)
        : this.#addSetAside(arrival, now)
    const stepId =
      header.study.scheduledProcedureStepId ||
      this.#wrongSteps.stepOf(studyInstanceUid, header.performedStepUid) ||
      ofRow
    if (replaces) setInstanceState(database, replaces.instanceId, 'superseded')
    const change = replaces ? (arrival.change ?? 'unknown') : null
    const row = { ...rowOf(arrival, now, stepId), state, reason, detail, change }
    const instance = insertInstance(database, row)
    if (arrival.originals.length > 0 || state === 'quarantined')
      this.#noteVersions(arrival, instance)
    const { seriesNumber, seriesDescription } = header
    const series = { seriesInstanceUid, modality: row.modality, seriesNumber, seriesDescription }
    const what = state === 'current' ? 'current' : 'quarantined'
    countInstance(database, studyInstanceUid, series, arrival.bytes, now, what)
    // It is of the same series (`placementOf`).
    if (replaces) uncountInstance(database, studyInstanceUid, seriesInstanceUid, replaces.bytes)
    // What came from an archive is there: it is not sent on by itself.
    if (state === 'current' && !arrival.isFetched) this.#onChange('kept', [instance])
    return { instance, ...joined }
  }

  /** Within a transaction: the instance was sent again as it is here. */
  repeat({ instanceId, studyInstanceUid, state }: InstanceRecord, source: Source): void {
    const { database, clock } = this.#context
    const now = instantOf(clock())
    noteInstanceSeen(database, instanceId, now)
    if (source.isFetched || state !== 'current' || !isStudyFetched(database, studyInstanceUid))
      return
    updateImageStudy(database, studyInstanceUid, {
      ...directlyFrom(source),
      state: 'receiving',
      dueAt: this.#latest(),
      lastInstanceAt: now,
      transfer: { how: 'open', detail: null, at: now },
    })
    this.forget(studyInstanceUid)
  }

  /**
   * Within a transaction: a row for the file of what is here already, as a version that counts no
   * more.
   */
  keepTwin(arrival: Arrival): void {
    const { database, clock } = this.#context
    const stepId = arrival.header.study.scheduledProcedureStepId
    const row = rowOf(arrival, instantOf(clock()), stepId)
    insertInstance(database, { ...row, state: 'superseded', reason: null, detail: null })
  }

  /** The study is complete, or its rows were changed by somebody else. */
  forget(studyInstanceUid: string): void {
    this.#open.delete(studyInstanceUid)
  }

  /** The study's row as this instance finds and leaves it. */
  #join(arrival: Arrival, isReplacing: boolean, now: string): Joined {
    const { header, isFetched } = arrival
    const { associationId } = arrival.association
    const { studyInstanceUid } = header
    const own = identityKeyOf(header.study)
    const known = this.#open.get(studyInstanceUid)
    if (
      known?.identity === own &&
      known.associationIds.has(associationId) &&
      known.isFetched === isFetched
    )
      return { isOpened: false, identity: 'same', stepId: known.stepId }
    const { database } = this.#context
    const study = findImageStudy(database, studyInstanceUid)
    const stepId = study?.handedOut?.scheduledProcedureStepId ?? ''
    const identity = study ? identityIn(study, header.study, isReplacing) : 'same'
    // What is rolled back must not be remembered.
    this.forget(studyInstanceUid)
    const associationIds = new Set([...(known?.associationIds ?? []), associationId])
    if (identity !== 'other')
      database.afterCommit(() =>
        this.#open.set(studyInstanceUid, { identity: own, isFetched, associationIds, stepId }),
      )
    if (study)
      updateImageStudy(database, studyInstanceUid, this.#patchOf(study, arrival, identity, now))
    else insertImageStudy(database, this.#newStudy(arrival, now))
    return { isOpened: study?.state !== 'receiving', identity, stepId }
  }

  #patchOf(
    study: ImageStudyRecord,
    arrival: Arrival,
    identity: Kept['identity'],
    now: string,
  ): ImageStudyPatch {
    const { header, isFetched, association } = arrival
    const isOurs = isOwnOnly(study)
    const isFirst = isFirstOf(study)
    // A device sends what was only known as an earlier exam: it is one to be read.
    const isFresh = (study.isFetched || isOurs) && !isFetched
    const { how, at } = study.transfer
    // What broke off is not mended by an association that was open already.
    const isTransferOpen =
      how !== 'aborted' || this.#statistics.beganAfter(association.associationId, at)
    const differences = isOurs ? [] : differencesAmong(study.header, header.study)
    return {
      ...(isTransferOpen && { transfer: { how: 'open', detail: null, at: now } }),
      ...(study.state !== 'receiving' && { state: 'receiving', dueAt: this.#latest() }),
      // What the device says last counts, and the partner is asked about it.
      ...((identity === 'corrected' || isOurs) && { header: header.study }),
      ...(identity === 'other' && { mismatch: withImage(study.mismatch, differences, now) }),
      // What was found of images that count no more is found no more.
      ...(isFirst && { mismatch: withoutImages(study.mismatch, now) }),
      ...(isFresh && directlyFrom(arrival)),
      ...(isOurs &&
        isFetched && {
          ...directlyFrom(arrival),
          isFetched: true,
          settledAt: study.settledAt,
          enrichment: NOT_READ,
        }),
      ...((identity === 'corrected' || isFirst) &&
        !study.isFetched &&
        !isOurs && { settledAt: null }),
    }
  }

  /** When a study that begins to receive now is complete at the latest. */
  #latest(): string {
    const { clock, settings } = this.#context
    return instantOf(clock() + settings.get('intake.capMinutes') * 60_000)
  }

  /** What is set aside says nothing about its study; it is counted there, so that it is seen. */
  #addSetAside(arrival: Arrival, now: string): Joined {
    const { database } = this.#context
    const isOpened = findImageStudy(database, arrival.header.studyInstanceUid) === undefined
    if (isOpened) insertImageStudy(database, this.#newStudy(arrival, now))
    return { isOpened, identity: 'same', stepId: '' }
  }

  #newStudy(arrival: Arrival, now: string): NewImageStudy {
    const { header, association, deviceName, isFetched } = arrival
    return {
      studyInstanceUid: header.studyInstanceUid,
      createdAt: now,
      lastInstanceAt: now,
      state: 'receiving',
      // Of a study that was complete before, no study of the interface is created.
      settledAt: isFetched ? now : null,
      dueAt: this.#latest(),
      callingAeTitle: association.callingAeTitle,
      remoteAddress: association.remoteAddress,
      deviceName,
      transfer: { how: 'open', detail: null, at: now },
      header: header.study,
      handedOut: null,
      mismatch: null,
      isFetched,
      enrichment: isFetched ? NOT_READ : NOT_ASKED,
      enrichmentAttempts: 0,
    }
  }

  /** Of which images it is another version, so that a person can decide between them. */
  #noteVersions({ header, originals }: Arrival, instance: InstanceRecord): void {
    const { database } = this.#context
    const { instanceId, sopInstanceUid } = instance
    const isCopyHere = () =>
      listInstanceVersions(database, sopInstanceUid).some((version) =>
        isCorrectedCopy(database, version.instanceId),
      )
    if (originals.length > 0 && isCopyHere()) return
    const rival = findRivalVersion(database, sopInstanceUid, originals)
    const others = new Set([...originals, ...(rival ? [rival.sopInstanceUid] : [])])
    if (others.size === 0) return
    insertFoundVersion(database, { instanceId, header: header.study }, [...others])
    if (rival) updateMismatch(database, rival.studyInstanceUid)
  }
}

/**
 * Only reports are here, of which the gateway made objects: nothing was said about images before
 * the device says it.
 */
const isOwnOnly = (study: ImageStudyRecord) => study.remoteAddress === OWN_ADDRESS

/** Where all that came before was set aside, the next instance is the first that counts. */
const isFirstOf = (study: ImageStudyRecord) => study.instances === 0 || isOwnOnly(study)

function identityIn(
  study: ImageStudyRecord,
  header: ImageHeader,
  isReplacing: boolean,
): Kept['identity'] {
  if (isOwnOnly(study)) return 'same'
  const isOther = identityKeyOf(study.header) !== identityKeyOf(header)
  if (isOther && (isReplacing || isFirstOf(study))) return 'corrected'
  return differencesAmong(study.header, header).length > 0 ? 'other' : 'same'
}

/**
 * What was known as an earlier exam only is one to be read: a study is created of it like of any
 * other that a device sends.
 */
const directlyFrom = ({ association, deviceName }: Source): ImageStudyPatch => ({
  isFetched: false,
  settledAt: null,
  enrichment: NOT_ASKED,
  callingAeTitle: association.callingAeTitle,
  remoteAddress: association.remoteAddress,
  deviceName,
})

function rowOf(
  { header, structure, association, ...arrival }: Arrival,
  now: string,
  stepId: string,
): Omit<NewInstance, 'state' | 'reason' | 'detail'> {
  const { sopInstanceUid, sopClassUid, studyInstanceUid, seriesInstanceUid, study } = header
  const { instanceNumber, image } = header
  const { transferSyntaxUid, file, dataSetOffset, bytes, crc32, deviceName } = arrival
  const { callingAeTitle, remoteAddress, associationId } = association
  return {
    sopInstanceUid,
    sopClassUid,
    studyInstanceUid,
    seriesInstanceUid,
    transferSyntaxUid,
    file,
    dataSetOffset,
    bytes,
    crc32,
    callingAeTitle,
    remoteAddress,
    associationId,
    deviceName,
    receivedAt: now,
    lastSeenAt: now,
    modality: study.modality,
    instanceNumber,
    scheduledProcedureStepId: stepId,
    image,
    patientName: study.patientName,
    structure: structure.isComplete ? 'complete' : 'incomplete',
  }
}
