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
import { findCurrentVersion, insertFoundVersion, isCorrectedCopy } from './image-version-queries.ts'
import { type Arrival, isInOtherSeries, placementOf, type Source } from './instance-placement.ts'
import {
  findCurrentInstance,
  findWithdrawnInstance,
  type InstanceRecord,
  insertInstance,
  listInstanceVersions,
  type NewInstance,
  type OnInstanceChange,
  setInstanceState,
  updateLastSeen,
} from './instance-queries.ts'
import { differencesBetween, withImage, withoutImages } from './mismatch.ts'
import { type ContentComparison, compareContent, type Transcode } from './same-content.ts'
import type { StoredObject } from './stored-object.ts'
import type { WrongSteps } from './wrong-steps.ts'

/** The result of storing an instance. */
export interface StoreResult {
  readonly instance: InstanceRecord
  /** Whether the study is new or was reopened by this instance. */
  readonly wasStudyOpened: boolean
  /**
   * Whether patient and order differ from those of the study. corrected: the instance replaces an
   * earlier version, so the device has corrected them, and the study adopts them. other: the
   * instance is an additional one, and the study keeps its values and gets a mismatch.
   */
  readonly identity: 'same' | 'corrected' | 'other'
}

/** Cached values of an open study, so that an instance need not read it again. */
interface OpenStudy {
  readonly identity: string
  readonly isFetched: boolean
  readonly associationIds: ReadonlySet<string>
  /** Scheduled Procedure Step ID of the study's worklist row. */
  readonly stepId: string
}

interface JoinedStudy extends Pick<StoreResult, 'wasStudyOpened' | 'identity'> {
  readonly stepId: string
}

const NOT_REQUESTED: Enrichment = {
  state: 'not-asked',
  askedAt: null,
  nextAt: null,
  detail: null,
  warnings: [],
}
const RETRIEVED_PRIOR: Enrichment = { ...NOT_REQUESTED, detail: message('images.fetched') }

/**
 * Stores the rows of instances as they arrive. The cache is cleared on `image studies`
 * notifications.
 */
export class Arrivals {
  /**
   * Locks by SOP Instance UID, because two associations may send the same instance simultaneously.
   */
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
   * Compares an object with the current instance that it would replace, or with the original of a
   * corrected one. Returns `undefined` if it replaces nothing: there is no such instance, or the
   * object is incomplete or belongs to another series.
   */
  async compare(
    arrival: Arrival,
  ): Promise<
    { readonly current: InstanceRecord; readonly comparison: ContentComparison } | undefined
  > {
    const { folder, database, imageFiles } = this.#context
    const { header, structure } = arrival
    const current =
      findCurrentInstance(database, header.sopInstanceUid) ??
      findWithdrawnInstance(database, header.sopInstanceUid)
    if (!current || !structure.isComplete || isInOtherSeries(current, header)) return undefined
    const [one, other] = [current, arrival].map(({ file, dataSetOffset, transferSyntaxUid }) => ({
      path: imageFiles.pathOf(file),
      dataSetOffset,
      transferSyntaxUid,
    })) as [StoredObject, StoredObject]
    return { current, comparison: await compareContent(folder, this.#transcode, one, other) }
  }

  /**
   * Stores the instance's row and updates the counters of its study. Must be called within a
   * transaction.
   */
  store(arrival: Arrival): StoreResult {
    const { database, clock } = this.#context
    const now = instantOf(clock())
    const { header } = arrival
    const { studyInstanceUid, seriesInstanceUid } = header
    const { state, reason, detail, replaces } = placementOf(database, this.#wrongSteps, arrival)
    const { stepId: ofRow, ...joined } =
      state === 'current'
        ? this.#join(arrival, replaces !== undefined, now)
        : this.#addQuarantined(arrival, now)
    const stepId =
      header.study.scheduledProcedureStepId ||
      this.#wrongSteps.stepOf(studyInstanceUid, header.performedStepUid) ||
      ofRow
    if (replaces) setInstanceState(database, replaces.instanceId, 'superseded')
    const change = replaces ? (arrival.change ?? 'unknown') : null
    const row = { ...rowOf(arrival, now, stepId), state, reason, detail, change }
    const instance = insertInstance(database, row)
    if (arrival.originals.length > 0 || state === 'quarantined')
      this.#recordVersions(arrival, instance)
    const { seriesNumber, seriesDescription } = header
    const series = { seriesInstanceUid, modality: row.modality, seriesNumber, seriesDescription }
    const what = state === 'current' ? 'current' : 'quarantined'
    countInstance(database, studyInstanceUid, series, arrival.bytes, now, what)
    // The replaced instance belongs to the same series (`placementOf`).
    if (replaces) uncountInstance(database, studyInstanceUid, seriesInstanceUid, replaces.bytes)
    // Images that were retrieved from an archive are not forwarded automatically.
    if (state === 'current' && !arrival.isFetched) this.#onChange('stored', [instance])
    return { instance, ...joined }
  }

  /** Records that the device sent a stored instance again. Must be called within a transaction. */
  repeat(instance: InstanceRecord, source: Source): void {
    const { database, clock } = this.#context
    const { instanceId, studyInstanceUid, state, localRemovedAt } = instance
    const now = instantOf(clock())
    if (source.isFetched && localRemovedAt === null) this.#onChange('read-back', [instance])
    else updateLastSeen(database, instanceId, now)
    if (source.isFetched || state !== 'current' || !isStudyFetched(database, studyInstanceUid))
      return
    updateImageStudy(database, studyInstanceUid, {
      ...deviceSourcePatch(source),
      state: 'receiving',
      dueAt: this.#latestCompletion(),
      lastInstanceAt: now,
      transfer: { how: 'open', detail: null, at: now },
    })
    this.forget(studyInstanceUid)
  }

  /**
   * Stores a row for a file with the same content as a stored instance, as a superseded version.
   * Must be called within a transaction.
   */
  storeDuplicate(arrival: Arrival): void {
    const { database, clock } = this.#context
    const stepId = arrival.header.study.scheduledProcedureStepId
    const row = rowOf(arrival, instantOf(clock()), stepId)
    insertInstance(database, { ...row, state: 'superseded', reason: null, detail: null })
  }

  /** Removes a study from the cache, because it is complete or its rows were changed elsewhere. */
  forget(studyInstanceUid: string): void {
    this.#open.delete(studyInstanceUid)
  }

  /** Creates or updates the study's row for a current instance. */
  #join(arrival: Arrival, isReplacing: boolean, now: string): JoinedStudy {
    const { header, isFetched } = arrival
    const { associationId } = arrival.association
    const { studyInstanceUid } = header
    const ownIdentity = identityKeyOf(header.study)
    const known = this.#open.get(studyInstanceUid)
    if (
      known?.identity === ownIdentity &&
      known.associationIds.has(associationId) &&
      known.isFetched === isFetched
    )
      return { wasStudyOpened: false, identity: 'same', stepId: known.stepId }
    const { database } = this.#context
    const study = findImageStudy(database, studyInstanceUid)
    const stepId = study?.handedOut?.scheduledProcedureStepId ?? ''
    const identity = study ? identityChange(study, header.study, isReplacing) : 'same'
    // Changes of a transaction that is rolled back must not be cached.
    this.forget(studyInstanceUid)
    const associationIds = new Set([...(known?.associationIds ?? []), associationId])
    if (identity !== 'other')
      database.afterCommit(() =>
        this.#open.set(studyInstanceUid, {
          identity: ownIdentity,
          isFetched,
          associationIds,
          stepId,
        }),
      )
    if (study)
      updateImageStudy(database, studyInstanceUid, this.#patchOf(study, arrival, identity, now))
    else insertImageStudy(database, this.#newStudy(arrival, now))
    return { wasStudyOpened: study?.state !== 'receiving', identity, stepId }
  }

  #patchOf(
    study: ImageStudyRecord,
    arrival: Arrival,
    identity: StoreResult['identity'],
    now: string,
  ): ImageStudyPatch {
    const { header, isFetched, association } = arrival
    const isOurs = hasOnlyOwnInstances(study)
    const isFirst = hasNoImages(study)
    // A study that was only known as a prior is sent by a device, so it is to be read.
    const isFresh = (study.isFetched || isOurs) && !isFetched
    const { how, at } = study.transfer
    // An association that was already open before the abort does not repair the transfer.
    const isTransferOpen =
      how !== 'aborted' || this.#statistics.beganAfter(association.associationId, at)
    const differences = isOurs ? [] : differencesBetween(study.header, header.study)
    return {
      ...(isTransferOpen && { transfer: { how: 'open', detail: null, at: now } }),
      ...(study.state !== 'receiving' && { state: 'receiving', dueAt: this.#latestCompletion() }),
      // The latest values from the device apply, and the partner is asked about them.
      ...((identity === 'corrected' || isOurs) && { header: header.study }),
      ...(identity === 'other' && { mismatch: withImage(study.mismatch, differences, now) }),
      // A mismatch that only concerned images that are no longer current is removed.
      ...(isFirst && { mismatch: withoutImages(study.mismatch, now) }),
      ...(isFresh && deviceSourcePatch(arrival)),
      ...(isOurs &&
        isFetched && {
          ...deviceSourcePatch(arrival),
          isFetched: true,
          settledAt: study.settledAt,
          enrichment: RETRIEVED_PRIOR,
        }),
      ...((identity === 'corrected' || isFirst) &&
        !study.isFetched &&
        !isOurs && { settledAt: null }),
    }
  }

  /** Latest time at which a study that opens now is considered complete. */
  #latestCompletion(): string {
    const { clock, settings } = this.#context
    return instantOf(clock() + settings.get('intake.capMinutes') * 60_000)
  }

  /**
   * A quarantined instance does not affect the header of its study, but is counted there so that it
   * is visible.
   */
  #addQuarantined(arrival: Arrival, now: string): JoinedStudy {
    const { database } = this.#context
    const isOpened = findImageStudy(database, arrival.header.studyInstanceUid) === undefined
    if (isOpened) insertImageStudy(database, this.#newStudy(arrival, now))
    return { wasStudyOpened: isOpened, identity: 'same', stepId: '' }
  }

  #newStudy(arrival: Arrival, now: string): NewImageStudy {
    const { header, association, deviceName, isFetched } = arrival
    return {
      studyInstanceUid: header.studyInstanceUid,
      createdAt: now,
      lastInstanceAt: now,
      state: 'receiving',
      // No API study is created for a study that is already settled.
      settledAt: isFetched ? now : null,
      dueAt: this.#latestCompletion(),
      callingAeTitle: association.callingAeTitle,
      remoteAddress: association.remoteAddress,
      deviceName,
      transfer: { how: 'open', detail: null, at: now },
      header: header.study,
      handedOut: null,
      mismatch: null,
      isFetched,
      enrichment: isFetched ? RETRIEVED_PRIOR : NOT_REQUESTED,
      enrichmentAttempts: 0,
    }
  }

  /** Records which images this is another version of, so that a user can decide between them. */
  #recordVersions({ header, originals }: Arrival, instance: InstanceRecord): void {
    const { database } = this.#context
    const { instanceId, sopInstanceUid } = instance
    const hasCorrectedCopy = () =>
      listInstanceVersions(database, sopInstanceUid).some((version) =>
        isCorrectedCopy(database, version.instanceId),
      )
    if (originals.length > 0 && hasCorrectedCopy()) return
    const otherVersion = findCurrentVersion(database, sopInstanceUid, originals)
    const others = new Set([...originals, ...(otherVersion ? [otherVersion.sopInstanceUid] : [])])
    if (others.size === 0) return
    insertFoundVersion(database, { instanceId, header: header.study }, [...others])
    if (otherVersion) updateMismatch(database, otherVersion.studyInstanceUid)
  }
}

/**
 * Whether the study contains only objects that the gateway made of reports, so that no device has
 * identified its patient yet.
 */
const hasOnlyOwnInstances = (study: ImageStudyRecord) => study.remoteAddress === OWN_ADDRESS

/** Whether the study has no images yet, or all earlier ones were quarantined. */
const hasNoImages = (study: ImageStudyRecord) => study.instances === 0 || hasOnlyOwnInstances(study)

function identityChange(
  study: ImageStudyRecord,
  header: ImageHeader,
  isReplacing: boolean,
): StoreResult['identity'] {
  if (hasOnlyOwnInstances(study)) return 'same'
  const isOther = identityKeyOf(study.header) !== identityKeyOf(header)
  if (isOther && (isReplacing || hasNoImages(study))) return 'corrected'
  return differencesBetween(study.header, header).length > 0 ? 'other' : 'same'
}

/**
 * Turns a study that was only known as a prior into one that is to be read, like any other study
 * from a device.
 */
const deviceSourcePatch = ({ association, deviceName }: Source): ImageStudyPatch => ({
  isFetched: false,
  settledAt: null,
  enrichment: NOT_REQUESTED,
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
