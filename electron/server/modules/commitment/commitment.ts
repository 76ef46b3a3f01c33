import { stat } from 'node:fs/promises'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import type { AssociationInfo, StorageCommitmentScp } from '#server/dicom/dimse/service.ts'
import type { DimseResult } from '#server/dicom/dimse/status.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import type { OutboundRequests } from '#server/dicom/scu/outbound.ts'
import { RequestorError } from '#server/dicom/scu/requestor.ts'
import { RETRY_SCHEDULES, retryDelayMs } from '#server/jobs/retry-schedules.ts'
import { Worker } from '#server/jobs/worker.ts'
import { devicePeer } from '#server/modules/devices/device-peer.ts'
import { recogniseDevice } from '#server/modules/devices/devices.ts'
import {
  announceInstances,
  areAllReceived,
} from '#server/modules/images/announced-instance-queries.ts'
import {
  type CommitmentRecord,
  findCommitmentOf,
  insertCommitment,
  listCommitmentItems,
  listDueCommitments,
  nextCommitmentDue,
  postponeCommitment,
  setCommitmentFailures,
  settleCommitment,
} from '#server/modules/images/commitment-queries.ts'
import {
  appendSenderEntry,
  logInternalError,
  notifyImagesChanged,
  refusalOf,
} from '#server/modules/images/image-feed.ts'
import {
  findCurrentInstance,
  type InstanceRecord,
  listInstanceVersions,
  setInstanceStructure,
} from '#server/modules/images/instance-queries.ts'
import { readStoredObject } from '#server/modules/images/stored-object.ts'
import type { StudyCompletion } from '#server/modules/images/study-completion.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import type { Device } from '#shared/contract/devices.ts'
import { aeTitleKey } from '#shared/dicom-values.ts'
import { isMessage, type Message, message } from '#shared/messages/message.ts'
import {
  type ActionRequest,
  type InstanceReference,
  isSameRequest,
  parseRequest,
} from './commitment-request.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
export const MAX_RETRY_PERIOD_MS = 72 * HOUR_MS
const BATCH_SIZE = 20

type Failure = InstanceReference & { readonly failureReason: number }

/** Values of Failure Reason (0008,1197), PS3.3 C.14.1.1. */
export const FAILURE_REASONS = { noSuchInstance: 0x0112, classConflict: 0x0119 } as const

/**
 * The storage commitment SCP (PS3.4 J.3). A request is stored and acknowledged immediately; the
 * result is sent later, over an association that the gateway opens.
 */
export class Commitments implements StorageCommitmentScp, AsyncDisposable {
  readonly #context: Context
  readonly #outbound: Pick<OutboundRequests, 'sendEventReport'>
  readonly #completion: StudyCompletion
  readonly #worker: Worker
  /**
   * Results that were delivered but could not yet be recorded in the database, by commitment id.
   */
  readonly #unwrittenFailures = new Map<number, readonly Failure[]>()

  constructor(
    context: Context,
    outbound: Pick<OutboundRequests, 'sendEventReport'>,
    completion: StudyCompletion,
  ) {
    this.#context = context
    this.#outbound = outbound
    this.#completion = completion
    this.#worker = new Worker(
      context,
      () => nextCommitmentDue(context.database),
      (signal) => this.#deliverDue(signal),
      'commitments',
    )
    this.#worker.wake()
  }

  async action(request: ActionRequest): Promise<DimseResult> {
    try {
      return await this.#action(request)
    } catch (error) {
      return error instanceof DimseError ? error.result : refusalOf(this.#context, error)
    }
  }

  wake(): void {
    this.#worker.wake()
  }

  settled(): Promise<void> {
    return this.#worker.settled()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#worker[Symbol.asyncDispose]()
  }

  async #action(request: ActionRequest): Promise<DimseResult> {
    const { database } = this.#context
    const { callingAeTitle } = request.association
    if (!this.#context.settings.get('commitment.isOn'))
      throw new DimseError(0x0110, message('commitment.switched-off'))
    const { transactionUid, items } = parseRequest(request)
    const existing = findCommitmentOf(database, callingAeTitle, transactionUid)
    if (existing && !isSameRequest(listCommitmentItems(database, existing.commitmentId), items))
      throw new DimseError(0x0131, message('commitment.transaction-uid-in-use'))
    // The device repeats a request whose result is still pending.
    if (existing?.state === 'waiting') {
      // The result was delivered but not recorded. The device asks again, so it is sent again.
      if (this.#unwrittenFailures.delete(existing.commitmentId)) this.#worker.wake()
      return { status: 0x0000 }
    }
    await this.#store(request.association, transactionUid, items)
    notifyImagesChanged(this.#context)
    return { status: 0x0000 }
  }

  async #store(
    association: AssociationInfo,
    transactionUid: string,
    items: readonly InstanceReference[],
  ): Promise<void> {
    const { database, clock, settings } = this.#context
    const { callingAeTitle, remoteAddress } = association
    const now = clock()
    const uids = items.map(({ sopInstanceUid }) => sopInstanceUid)
    // Missing instances may still be arriving over another association.
    const waitMs = areAllReceived(database, uids) ? 0 : settings.get('intake.idleSeconds') * 1000
    const device = recogniseDevice(this.#context, callingAeTitle, remoteAddress)
    const deviceName = device?.name || callingAeTitle
    const studies = await database.commitSoon(() => {
      // This entry must precede the result, which may be sent before `commitSoon` resolves.
      database.afterCommit(() => {
        const text = message('commitment.asked', { deviceName, count: items.length })
        appendSenderEntry(this.#context, association, 'commitment', 'plain', text)
      })
      insertCommitment(database, {
        transactionUid,
        callingAeTitle,
        remoteAddress,
        deviceName,
        requestedAt: instantOf(now),
        nextAt: instantOf(now + waitMs),
        items,
      })
      return announceStudyInstances(database, uids, instantOf(clock()))
    })
    for (const studyInstanceUid of studies) this.#completion.announced(studyInstanceUid)
  }

  async #deliverDue(signal: AbortSignal): Promise<void> {
    const { database, clock } = this.#context
    // Each commitment is tried once per round, whether or not the others fail.
    const triedIds = new Set<number>()
    let fault: unknown
    for (;;) {
      const waiting = listDueCommitments(database, instantOf(clock()), BATCH_SIZE + triedIds.size)
      const due = waiting.filter(({ commitmentId }) => !triedIds.has(commitmentId))
      if (due.length === 0 || signal.aborted) break
      for (const { commitmentId } of due) triedIds.add(commitmentId)
      const all = await Promise.allSettled(due.map((one) => this.#deliver(one, signal)))
      fault ??= all.find((one) => one.status === 'rejected')?.reason
    }
    if (fault !== undefined) throw fault
  }

  #recordDelivered(commitmentId: number, failed: readonly Failure[]): void {
    const { database } = this.#context
    this.#unwrittenFailures.set(commitmentId, failed)
    database.transaction(() => {
      setCommitmentFailures(database, commitmentId, failed)
      settleCommitment(database, commitmentId, 'delivered')
    })
    this.#unwrittenFailures.delete(commitmentId)
  }

  async #deliver(commitment: CommitmentRecord, signal: AbortSignal): Promise<void> {
    const { database } = this.#context
    const { commitmentId, transactionUid, callingAeTitle, remoteAddress, deviceName } = commitment
    const deliveredFailures = this.#unwrittenFailures.get(commitmentId)
    if (deliveredFailures) return this.#recordDelivered(commitmentId, deliveredFailures)
    const { committed, failed } = await this.#resultOf(commitment)
    try {
      const device = recogniseDevice(this.#context, callingAeTitle, remoteAddress)
      const report = { transactionUid, committed, failed }
      await this.#outbound.sendEventReport(peerOf(device, commitment), report, signal)
      const count = committed.length + failed.length
      this.#appendEntry(
        commitment,
        failed.length === 0 ? 'good' : 'warning',
        failed.length === 0
          ? message('commitment.all-kept', { deviceName, count })
          : message('commitment.not-kept', { deviceName, count, failed: failed.length }),
      )
    } catch (error) {
      if (signal.aborted) return
      const lastError =
        error instanceof RequestorError
          ? error.explanation
          : message('commitment.internal-error', {
              reference: logInternalError(this.#context, error),
            })
      database.transaction(() => {
        setCommitmentFailures(database, commitmentId, failed)
        this.#postpone(commitment, lastError)
      })
      notifyImagesChanged(this.#context)
      return
    }
    // The device has received the result, even if it cannot be recorded now.
    this.#recordDelivered(commitmentId, failed)
    notifyImagesChanged(this.#context)
  }

  async #resultOf(commitment: CommitmentRecord) {
    const committed: InstanceReference[] = []
    const failed: Failure[] = []
    const items = listCommitmentItems(this.#context.database, commitment.commitmentId)
    // Sequential, because a request may list thousands of instances while images are arriving.
    for (const { sopClassUid, sopInstanceUid } of items) {
      const named = { sopClassUid, sopInstanceUid }
      const failureReason = await failureReasonOf(this.#context, named, commitment)
      if (failureReason === undefined) committed.push(named)
      else failed.push({ ...named, failureReason })
    }
    return { committed, failed }
  }

  /**
   * Schedules the next attempt, or ends the attempts after `MAX_RETRY_PERIOD_MS`. Must be called within
   * a transaction.
   */
  #postpone(commitment: CommitmentRecord, lastError: Message): void {
    const { database, clock } = this.#context
    const { commitmentId, requestedAt, attempts, deviceName } = commitment
    // Reported only after the commit: if the database is not writable, the attempt is repeated
    // every minute.
    const appendAfterCommit = (tone: FeedLine['tone'], text: Message) =>
      database.afterCommit(() => this.#appendEntry(commitment, tone, text))
    const nextAt = clock() + retryDelayMs(RETRY_SCHEDULES.commitmentResult, attempts + 1)
    if (nextAt > msOf(requestedAt) + MAX_RETRY_PERIOD_MS) {
      settleCommitment(database, commitmentId, 'given-up', lastError)
      appendAfterCommit('danger', message('commitment.given-up', { deviceName, why: lastError }))
      return
    }
    postponeCommitment(database, commitmentId, {
      nextAt: instantOf(nextAt),
      lastError,
    })
    if (attempts === 0)
      appendAfterCommit(
        'warning',
        message('commitment.not-delivered', { deviceName, why: lastError }),
      )
  }

  #appendEntry(commitment: CommitmentRecord, tone: FeedLine['tone'], text: Message): void {
    appendSenderEntry(this.#context, commitment, 'commitment', tone, text)
  }
}

/**
 * Records the requested instances as announced for their studies. An unknown instance is assigned
 * to the study of the first known one, because a request lists the instances of one exam and has no
 * study UID. Returns the UIDs of the studies.
 */
function announceStudyInstances(
  database: Database,
  sopInstanceUids: readonly string[],
  now: string,
): string[] {
  const known = sopInstanceUids.map((sopInstanceUid) => ({
    sopInstanceUid,
    instance: findCurrentInstance(database, sopInstanceUid),
  }))
  const first = known.find(({ instance }) => instance)?.instance
  if (!first) return []
  const byStudy = Map.groupBy(
    known,
    ({ instance }) => instance?.studyInstanceUid ?? first.studyInstanceUid,
  )
  for (const [studyInstanceUid, ofStudy] of byStudy) {
    const items = ofStudy.map(({ sopInstanceUid, instance }) => ({
      sopInstanceUid,
      seriesInstanceUid: instance?.seriesInstanceUid ?? '',
    }))
    announceInstances(database, studyInstanceUid, items, now)
  }
  return [...byStudy.keys()]
}

/**
 * The Failure Reason of an instance; `undefined` if it can be committed. Devices delete what was
 * committed, so the version that counts is the last one that the requesting device itself sent. It
 * must be current or superseded, structurally complete, and its file must have the expected size. A
 * quarantined version is not committed, because a user may discard it. Copies from other senders,
 * such as an archive, do not count, whether quarantined or not.
 */
async function failureReasonOf(
  context: Context,
  { sopClassUid, sopInstanceUid }: InstanceReference,
  requester: CommitmentRecord,
): Promise<number | undefined> {
  const { database, imageFiles } = context
  const version = versionFor(listInstanceVersions(database, sopInstanceUid), requester)
  if (!version || version.state === 'quarantined') return FAILURE_REASONS.noSuchInstance
  if (version.sopClassUid !== sopClassUid) return FAILURE_REASONS.classConflict
  // A file is removed from this PC only when a copy elsewhere was confirmed.
  if (version.localRemovedAt !== null) return undefined
  const size = await stat(imageFiles.pathOf(version.file)).then(
    (file) => file.size,
    () => undefined,
  )
  const isKept = size === version.bytes && (await isComplete(context, version))
  return isKept ? undefined : FAILURE_REASONS.noSuchInstance
}

/**
 * Whether the file is structurally complete. A user may have accepted an incomplete one from
 * quarantine. A file that was received by an older version of the gateway is checked now, once.
 */
async function isComplete(
  { database, imageFiles }: Context,
  { instanceId, structure, file, dataSetOffset, transferSyntaxUid }: InstanceRecord,
): Promise<boolean> {
  if (structure !== 'unchecked') return structure === 'complete'
  const path = imageFiles.pathOf(file)
  const read = await readStoredObject({ path, dataSetOffset, transferSyntaxUid })
  const { isComplete } = read.structure
  const write = () =>
    setInstanceStructure(database, instanceId, isComplete ? 'complete' : 'incomplete')
  await database.commitSoon(write).catch((error: unknown) => {
    // If the result cannot be stored, the file is checked again next time.
    if (diskFaultKind(error) === undefined) throw error
  })
  return isComplete
}

/**
 * The last version that the requester sent: under its AE title or else from its address, since a
 * console may request commitment under another AE title. If it sent none, because its content had
 * already been received from elsewhere, the current version.
 */
function versionFor(
  versions: readonly InstanceRecord[],
  requester: CommitmentRecord,
): InstanceRecord | undefined {
  return (
    versions.findLast(
      ({ callingAeTitle }) => aeTitleKey(callingAeTitle) === aeTitleKey(requester.callingAeTitle),
    ) ??
    versions.findLast(({ remoteAddress }) => remoteAddress === requester.remoteAddress) ??
    versions.find(({ state }) => state === 'current')
  )
}

/**
 * The address to which the result is sent (PS3.4 J.3.3.1): the device's configured address, or else
 * the one that the request came from.
 */
function peerOf(device: Device | undefined, { callingAeTitle, remoteAddress }: CommitmentRecord) {
  if (!device) throw new RequestorError('unreachable', message('commitment.not-listed'))
  const peer = devicePeer({ ...device, aeTitle: callingAeTitle, lastAddress: remoteAddress })
  if (isMessage(peer)) throw new RequestorError('unreachable', peer)
  return peer
}
