import { stat } from 'node:fs/promises'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import type { AssociationInfo, StorageCommitmentScp } from '#server/dicom/dimse/service.ts'
import type { DimseResult } from '#server/dicom/dimse/status.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import type { Outbound } from '#server/dicom/scu/outbound.ts'
import { RequestorError } from '#server/dicom/scu/requestor.ts'
import { RETRY_SCHEDULES, waitAfter } from '#server/jobs/retry-schedules.ts'
import { Worker } from '#server/jobs/worker.ts'
import { devicePeer } from '#server/modules/devices/device-peer.ts'
import { recogniseDevice } from '#server/modules/devices/devices.ts'
import { announceInstances, areAllHere } from '#server/modules/images/announced-instance-queries.ts'
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
  noteImagesChanged,
  noteSender,
  referenceTo,
  refusalOf,
} from '#server/modules/images/image-feed.ts'
import {
  findCurrentInstance,
  type InstanceRecord,
  listInstanceVersions,
  setInstanceStructure,
} from '#server/modules/images/instance-queries.ts'
import { readStored } from '#server/modules/images/stored-object.ts'
import type { StudyCompletion } from '#server/modules/images/study-completion.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import type { Device } from '#shared/contract/devices.ts'
import { isMessage, type Message, message } from '#shared/messages/message.ts'
import { type ActionRequest, isSameList, type Named, requestOf } from './commitment-request.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
export const GIVE_UP_MS = 72 * HOUR_MS
const BATCH = 20

type Failure = Named & { readonly failureReason: number }

/** FailureReason (0008,1197): PS3.3 C.14.1.1. */
export const REASON = { noSuchInstance: 0x0112, classConflict: 0x0119 } as const

/**
 * Storage commitment: requests are kept and answered at once, results go out by themselves (PS3.4
 * J.3).
 */
export class Commitments implements StorageCommitmentScp, AsyncDisposable {
  readonly #context: Context
  readonly #outbound: Pick<Outbound, 'sendEventReport'>
  readonly #completion: StudyCompletion
  readonly #worker: Worker
  /** Results that were delivered and whose record the disk did not take, by commitment. */
  readonly #unwritten = new Map<number, readonly Failure[]>()

  constructor(
    context: Context,
    outbound: Pick<Outbound, 'sendEventReport'>,
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
    const { transactionUid, items } = requestOf(request)
    const earlier = findCommitmentOf(database, callingAeTitle, transactionUid)
    if (earlier && !isSameList(listCommitmentItems(database, earlier.commitmentId), items))
      throw new DimseError(0x0131, message('commitment.transaction-uid-in-use'))
    // A device that has had no result yet asks again: it is on its way.
    if (earlier?.state === 'waiting') {
      // Delivered, while the disk took no record of it: whoever asks again gets a result again.
      if (this.#unwritten.delete(earlier.commitmentId)) this.#worker.wake()
      return { status: 0x0000 }
    }
    await this.#keep(request.association, transactionUid, items)
    noteImagesChanged(this.#context)
    return { status: 0x0000 }
  }

  async #keep(
    association: AssociationInfo,
    transactionUid: string,
    items: readonly Named[],
  ): Promise<void> {
    const { database, clock, settings } = this.#context
    const { callingAeTitle, remoteAddress } = association
    const now = clock()
    const uids = items.map(({ sopInstanceUid }) => sopInstanceUid)
    // What is missing may still be on its way over another association.
    const waitMs = areAllHere(database, uids) ? 0 : settings.get('intake.idleSeconds') * 1000
    const device = recogniseDevice(this.#context, callingAeTitle, remoteAddress)
    const deviceName = device?.name || callingAeTitle
    const studies = await database.commitSoon(() => {
      // Before the result, which may be on its way when this call goes on.
      database.afterCommit(() => {
        const text = message('commitment.asked', { deviceName, count: items.length })
        noteSender(this.#context, association, 'commitment', 'plain', text)
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
      return announce(database, uids, instantOf(clock()))
    })
    for (const studyInstanceUid of studies) this.#completion.announced(studyInstanceUid)
  }

  async #deliverDue(signal: AbortSignal): Promise<void> {
    const { database, clock } = this.#context
    // Each is tried once a round, whatever became of the others.
    const tried = new Set<number>()
    let fault: unknown
    for (;;) {
      const waiting = listDueCommitments(database, instantOf(clock()), BATCH + tried.size)
      const due = waiting.filter(({ commitmentId }) => !tried.has(commitmentId))
      if (due.length === 0 || signal.aborted) break
      for (const { commitmentId } of due) tried.add(commitmentId)
      const all = await Promise.allSettled(due.map((one) => this.#deliver(one, signal)))
      fault ??= all.find((one) => one.status === 'rejected')?.reason
    }
    if (fault !== undefined) throw fault
  }

  #keepDelivered(commitmentId: number, failed: readonly Failure[]): void {
    const { database } = this.#context
    this.#unwritten.set(commitmentId, failed)
    database.transaction(() => {
      setCommitmentFailures(database, commitmentId, failed)
      settleCommitment(database, commitmentId, 'delivered')
    })
    this.#unwritten.delete(commitmentId)
  }

  async #deliver(commitment: CommitmentRecord, signal: AbortSignal): Promise<void> {
    const { database } = this.#context
    const { commitmentId, transactionUid, callingAeTitle, remoteAddress, deviceName } = commitment
    const delivered = this.#unwritten.get(commitmentId)
    if (delivered) return this.#keepDelivered(commitmentId, delivered)
    const { committed, failed } = await this.#resultOf(commitment)
    try {
      const device = recogniseDevice(this.#context, callingAeTitle, remoteAddress)
      const report = { transactionUid, committed, failed }
      await this.#outbound.sendEventReport(peerOf(device, commitment), report, signal)
      const count = committed.length + failed.length
      this.#note(
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
          : message('commitment.internal-error', { reference: referenceTo(this.#context, error) })
      database.transaction(() => {
        setCommitmentFailures(database, commitmentId, failed)
        this.#postpone(commitment, lastError)
      })
      noteImagesChanged(this.#context)
      return
    }
    // The device has it, also where the disk does not take the record of it.
    this.#keepDelivered(commitmentId, failed)
    noteImagesChanged(this.#context)
  }

  async #resultOf(commitment: CommitmentRecord) {
    const committed: Named[] = []
    const failed: Failure[] = []
    const items = listCommitmentItems(this.#context.database, commitment.commitmentId)
    // One after the other: a request may name thousands, and images arrive meanwhile.
    for (const { sopClassUid, sopInstanceUid } of items) {
      const named = { sopClassUid, sopInstanceUid }
      const failureReason = await reasonAgainst(this.#context, named, commitment)
      if (failureReason === undefined) committed.push(named)
      else failed.push({ ...named, failureReason })
    }
    return { committed, failed }
  }

  /** In a transaction. */
  #postpone(commitment: CommitmentRecord, lastError: Message): void {
    const { database, clock } = this.#context
    const { commitmentId, requestedAt, attempts, deviceName } = commitment
    // While the disk takes no record of the attempt it is made again each minute.
    const noteOnce = (tone: FeedLine['tone'], text: Message) =>
      database.afterCommit(() => this.#note(commitment, tone, text))
    const nextAt = clock() + waitAfter(RETRY_SCHEDULES.commitmentResult, attempts + 1)
    if (nextAt > msOf(requestedAt) + GIVE_UP_MS) {
      settleCommitment(database, commitmentId, 'given-up', lastError)
      noteOnce('danger', message('commitment.given-up', { deviceName, why: lastError }))
      return
    }
    postponeCommitment(database, commitmentId, {
      nextAt: instantOf(nextAt),
      lastError,
    })
    if (attempts === 0)
      noteOnce('warning', message('commitment.not-delivered', { deviceName, why: lastError }))
  }

  #note(commitment: CommitmentRecord, tone: FeedLine['tone'], text: Message): void {
    noteSender(this.#context, commitment, 'commitment', tone, text)
  }
}

/**
 * Of the study that has the first of them: a request names the instances of one exam, and says
 * nothing else of it. The studies.
 */
function announce(database: Database, sopInstanceUids: readonly string[], now: string): string[] {
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
 * Why an instance is not committed; undefined where it is. Devices delete what was committed, so
 * the version counts that the device sent itself, the last of them: current or superseded,
 * structurally complete, with its whole file on the disk. One that was set aside may be discarded
 * by a person: nothing is promised of it. Copies that others sent, such as an archive, say nothing
 * of it, quarantined or not.
 */
async function reasonAgainst(
  context: Context,
  { sopClassUid, sopInstanceUid }: Named,
  requester: CommitmentRecord,
): Promise<number | undefined> {
  const { database, imageFiles } = context
  const version = versionFor(listInstanceVersions(database, sopInstanceUid), requester)
  if (!version || version.state === 'quarantined') return REASON.noSuchInstance
  if (version.sopClassUid !== sopClassUid) return REASON.classConflict
  const size = await stat(imageFiles.pathOf(version.file)).then(
    (file) => file.size,
    () => undefined,
  )
  const isKept = size === version.bytes && (await isComplete(context, version))
  return isKept ? undefined : REASON.noSuchInstance
}

/**
 * A person may have let in an incomplete one; what an earlier version received is looked at now,
 * once.
 */
async function isComplete(
  { database, imageFiles }: Context,
  { instanceId, structure, file, dataSetOffset, transferSyntaxUid }: InstanceRecord,
): Promise<boolean> {
  if (structure !== 'unchecked') return structure === 'complete'
  const path = imageFiles.pathOf(file)
  const read = await readStored({ path, dataSetOffset, transferSyntaxUid })
  const { isComplete } = read.structure
  const write = () =>
    setInstanceStructure(database, instanceId, isComplete ? 'complete' : 'incomplete')
  await database.commitSoon(write).catch((error: unknown) => {
    // It is looked at again where the disk did not take what was found.
    if (diskFaultKind(error) === undefined) throw error
  })
  return isComplete
}

const isSame = (a: string, b: string) => a.trim().toUpperCase() === b.trim().toUpperCase()

/**
 * The last version that the requester sent: under its AE title or, as consoles ask under another
 * one, from its address. Where it sent none (its content was here already, from elsewhere), the
 * current one.
 */
function versionFor(
  versions: readonly InstanceRecord[],
  requester: CommitmentRecord,
): InstanceRecord | undefined {
  return (
    versions.findLast(({ callingAeTitle }) => isSame(callingAeTitle, requester.callingAeTitle)) ??
    versions.findLast(({ remoteAddress }) => remoteAddress === requester.remoteAddress) ??
    versions.find(({ state }) => state === 'current')
  )
}

/**
 * PS3.4 J.3.3.1: the device's own listener; its address in the list where that is one, else where
 * the request came from.
 */
function peerOf(device: Device | undefined, { callingAeTitle, remoteAddress }: CommitmentRecord) {
  if (!device) throw new RequestorError('unreachable', message('commitment.not-listed'))
  const peer = devicePeer({ ...device, aeTitle: callingAeTitle, lastAddress: remoteAddress })
  if (isMessage(peer)) throw new RequestorError('unreachable', peer)
  return peer
}
