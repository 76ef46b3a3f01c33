import { stat } from 'node:fs/promises'
import type { NormalizedRequest, StorageCommitmentScp } from '#server/dicom/dimse/service.ts'
import type { DimseResult } from '#server/dicom/dimse/status.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { RequestorError } from '#server/dicom/scu/requestor.ts'
import { openAlarm } from '#server/jobs/due-job-scheduler.ts'
import { RETRY_SCHEDULES, waitAfter } from '#server/jobs/retry-schedules.ts'
import { devicePeer } from '#server/modules/devices/device-peer.ts'
import { refusalOfDisk } from '#server/modules/images/disk-refusal.ts'
import { fitnessOfUid } from '#server/modules/images/header.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import type { IntakeDeps, News } from '#server/modules/images/ports.ts'
import type { Settling } from '#server/modules/images/settling.ts'
import { readStored } from '#server/modules/images/stored-object.ts'
import {
  itemsOf,
  readNormalized,
  TAG,
  textIn,
} from '#server/modules/procedure-steps/performed-data.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import type { Device } from '#shared/contract/devices.ts'
import type { CommitmentItem, CommitmentRecord } from './commitment-queries.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
export const GIVE_UP_MS = 72 * HOUR_MS
const BATCH = 20

/** PS3.4 J.3.2.1.1. */
const REQUEST_STORAGE_COMMITMENT = 1
/** FailureReason (0008,1197): PS3.3 C.14.1.1. */
export const REASON = { noSuchInstance: 0x0112, classConflict: 0x0119 } as const

type Named = Pick<CommitmentItem, 'sopClassUid' | 'sopInstanceUid'>
type Failure = Named & { readonly failureReason: number }

export interface CommitmentDeps extends IntakeDeps {
  readonly settling: Pick<Settling, 'announced'>
}

/**
 * Storage commitment: requests are kept and answered at once, results go out by themselves (PS3.4
 * J.3, dicom-field §5.8).
 */
export interface Commitments extends AsyncDisposable {
  readonly scp: StorageCommitmentScp
  wake(): void
  settled(): Promise<void>
}

export function openCommitments(deps: CommitmentDeps): Commitments {
  const {
    store,
    clock,
    uuid,
    setting,
    recogniseDevice,
    sendEventReport,
    settling,
    onNews,
    onChanged,
    onError,
  } = deps
  const { database, commitments, instances, imageFiles, imageStudies } = store

  async function action(
    request: NormalizedRequest & { readonly actionTypeId: number },
  ): Promise<DimseResult> {
    const { association, actionTypeId } = request
    const { callingAeTitle, remoteAddress } = association
    if (!setting('commitment.isOn'))
      throw new DimseError(0x0110, 'Storage commitment is switched off here')
    if (actionTypeId !== REQUEST_STORAGE_COMMITMENT)
      throw new DimseError(0x0123, 'No such action of storage commitment')
    const dataSet = readNormalized(request.dataSet, request.transferSyntax)
    const transactionUid = textIn(dataSet, TAG.transactionUid)
    if (transactionUid === '')
      throw new DimseError(0x0121, 'Transaction UID is missing', [TAG.transactionUid])
    // PS3.7 §10.1.4.1.10: an argument of it.
    if (fitnessOfUid(transactionUid) === 'unfit')
      throw new DimseError(0x0115, 'Transaction UID is no UID', [TAG.transactionUid])
    const items = itemsOf(dataSet, TAG.referencedSopSequence)
      .map((item) => ({
        sopClassUid: textIn(item, TAG.referencedSopClassUid),
        sopInstanceUid: textIn(item, TAG.referencedSopInstanceUid),
      }))
      .filter(({ sopInstanceUid }) => sopInstanceUid !== '')
    if (items.length === 0)
      throw new DimseError(0x0121, 'Referenced SOP Sequence is empty', [TAG.referencedSopSequence])

    const earlier = commitments.find(callingAeTitle, transactionUid)
    if (earlier && !isSameList(commitments.itemsOf(earlier.commitmentId), items))
      throw new DimseError(0x0131, 'Transaction UID is in use')
    // A device that has had no result yet asks again: it is on its way.
    if (earlier?.state === 'waiting') {
      // Delivered, while the disk took no record of it: whoever asks again gets a result again.
      if (unwritten.delete(earlier.commitmentId)) alarm.wake()
      return { status: 0x0000 }
    }

    const now = clock()
    const isWhole = imageStudies.allHere(items.map(({ sopInstanceUid }) => sopInstanceUid))
    // What is missing may still be on its way over another association.
    const nextAt = instantOf(isWhole ? now : now + setting('intake.idleSeconds') * 1000)
    const deviceName = recogniseDevice(callingAeTitle, remoteAddress)?.name || callingAeTitle
    const studies = await database.commitSoon(() => {
      // Before the result, which may be on its way when this call goes on.
      database.afterCommit(() =>
        tell(
          association,
          'plain',
          `${deviceName} asks whether ${counted(items.length)} are kept for good.`,
          association.associationId,
        ),
      )
      commitments.append({
        transactionUid,
        callingAeTitle,
        remoteAddress,
        deviceName,
        requestedAt: instantOf(now),
        nextAt,
        items,
      })
      return announce(items.map(({ sopInstanceUid }) => sopInstanceUid))
    })
    for (const studyInstanceUid of studies) settling.announced(studyInstanceUid)
    onChanged()
    return { status: 0x0000 }
  }

  /**
   * Of the study that has the first of them: a request names the instances of one exam, and says
   * nothing else of it.
   */
  function announce(sopInstanceUids: readonly string[]): string[] {
    const known = sopInstanceUids.map((sopInstanceUid) => ({
      sopInstanceUid,
      instance: instances.current(sopInstanceUid),
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
      imageStudies.announce(studyInstanceUid, items, instantOf(clock()))
    }
    return [...byStudy.keys()]
  }

  const alarm = openAlarm({
    clock,
    next: () => commitments.nextDue(),
    async work(signal) {
      // Each is tried once a round, whatever became of the others.
      const tried = new Set<number>()
      let fault: unknown
      for (;;) {
        const waiting = commitments.due(instantOf(clock()), BATCH + tried.size)
        const due = waiting.filter(({ commitmentId }) => !tried.has(commitmentId))
        if (due.length === 0 || signal.aborted) break
        for (const { commitmentId } of due) tried.add(commitmentId)
        const all = await Promise.allSettled(due.map((commitment) => deliver(commitment, signal)))
        fault ??= all.find((one) => one.status === 'rejected')?.reason
      }
      if (fault !== undefined) throw fault
    },
    onError: (error) => onError(uuid().slice(0, 8), error),
  })

  /** Results that were delivered and whose record the disk did not take, by commitment. */
  const unwritten = new Map<number, readonly Failure[]>()

  function keepDelivered(commitmentId: number, failed: readonly Failure[]): void {
    unwritten.set(commitmentId, failed)
    database.transaction(() => {
      commitments.setFailures(commitmentId, failed)
      commitments.settle(commitmentId, 'delivered')
    })
    unwritten.delete(commitmentId)
  }

  async function deliver(commitment: CommitmentRecord, signal: AbortSignal): Promise<void> {
    const { commitmentId, transactionUid, callingAeTitle, remoteAddress, deviceName } = commitment
    const delivered = unwritten.get(commitmentId)
    if (delivered) return keepDelivered(commitmentId, delivered)
    const items = commitments.itemsOf(commitmentId)
    const committed: Named[] = []
    const failed: Failure[] = []
    // One after the other: a request may name thousands, and images arrive meanwhile.
    for (const { sopClassUid, sopInstanceUid } of items) {
      const failureReason = await reasonAgainst({ sopClassUid, sopInstanceUid }, commitment)
      if (failureReason === undefined) committed.push({ sopClassUid, sopInstanceUid })
      else failed.push({ sopClassUid, sopInstanceUid, failureReason })
    }
    try {
      const peer = peerOf(recogniseDevice(callingAeTitle, remoteAddress), commitment)
      await sendEventReport(
        peer,
        setting('dimse.aeTitle'),
        { transactionUid, committed, failed },
        { signal },
      )
      const text =
        failed.length === 0
          ? `${counted(items.length)} are kept`
          : `${failed.length} of ${counted(items.length)} are not kept here`
      tell(
        commitment,
        failed.length === 0 ? 'good' : 'warning',
        `${deviceName} was told that ${text}.`,
      )
    } catch (error) {
      if (signal.aborted) return
      database.transaction(() => {
        commitments.setFailures(commitmentId, failed)
        postpone(commitment, error instanceof RequestorError ? error.message : internal(error))
      })
      onChanged()
      return
    }
    // The device has it, also where the disk does not take the record of it.
    keepDelivered(commitmentId, failed)
    onChanged()
  }

  function internal(error: unknown): string {
    const reference = uuid().slice(0, 8)
    onError(reference, error)
    return `Gateway internal error ${reference}`
  }

  /** In a transaction. */
  function postpone(commitment: CommitmentRecord, lastError: string): void {
    const { commitmentId, requestedAt, attempts, deviceName } = commitment
    // While the disk takes no record of the attempt it is made again each minute.
    const tellOnce = (tone: News['tone'], text: string) =>
      database.afterCommit(() => tell(commitment, tone, text))
    const nextAt = clock() + waitAfter(RETRY_SCHEDULES.commitmentResult, attempts + 1)
    if (nextAt > msOf(requestedAt) + GIVE_UP_MS) {
      commitments.settle(commitmentId, 'given-up', lastError)
      tellOnce(
        'danger',
        `The result of a storage commitment could not be delivered to ${deviceName} for 72 hours and is given up: ${lastError}`,
      )
      return
    }
    commitments.postpone(commitmentId, { nextAt: instantOf(nextAt), lastError })
    if (attempts === 0)
      tellOnce(
        'warning',
        `The result of a storage commitment could not be delivered to ${deviceName}: ${lastError}`,
      )
  }

  /**
   * Why an instance is not committed; undefined where it is. Devices delete what was committed, so
   * the version counts that the device sent itself, the last of them: current or superseded,
   * structurally complete, with its whole file on the disk. One that was set aside may be discarded
   * by a person: nothing is promised of it. Copies that others sent, such as an archive, say
   * nothing of it, quarantined or not.
   */
  async function reasonAgainst(
    { sopClassUid, sopInstanceUid }: Named,
    requester: CommitmentRecord,
  ): Promise<number | undefined> {
    const version = versionFor(instances.versions(sopInstanceUid), requester)
    if (!version || version.state === 'quarantined') return REASON.noSuchInstance
    if (version.sopClassUid !== sopClassUid) return REASON.classConflict
    const size = await stat(imageFiles.pathOf(version.file)).then(
      (file) => file.size,
      () => undefined,
    )
    return size === version.bytes && (await isComplete(version)) ? undefined : REASON.noSuchInstance
  }

  /**
   * A person may have let in an incomplete one; what an earlier version received is looked at now,
   * once.
   */
  async function isComplete({
    instanceId,
    structure,
    file,
    dataSetOffset,
    transferSyntaxUid,
  }: InstanceRecord): Promise<boolean> {
    if (structure !== 'unchecked') return structure === 'complete'
    const read = await readStored({
      path: imageFiles.pathOf(file),
      dataSetOffset,
      transferSyntaxUid,
    })
    const { isComplete } = read.structure
    const write = () => instances.setStructure(instanceId, isComplete ? 'complete' : 'incomplete')
    await database.commitSoon(write).catch((error: unknown) => {
      // It is looked at again where the disk did not take what was found.
      if (diskFaultKind(error) === undefined) throw error
    })
    return isComplete
  }

  function tell(
    of: { callingAeTitle: string; remoteAddress: string },
    tone: News['tone'],
    text: string,
    associationId = '',
  ): void {
    const { callingAeTitle: aeTitle, remoteAddress: address } = of
    onNews({
      kind: 'commitment',
      tone,
      text,
      aeTitle,
      address,
      associationId,
      studyInstanceUid: null,
    })
  }

  const stopListening = database.subscribe('commitments', () => alarm.wake())
  alarm.wake()
  return {
    scp: {
      async action(request) {
        try {
          return await action(request)
        } catch (error) {
          if (error instanceof DimseError) return error.result
          return refusalOfDisk(error) ?? { status: 0x0110, errorComment: internal(error) }
        }
      },
    },
    wake: () => alarm.wake(),
    settled: () => alarm.settled(),
    async [Symbol.asyncDispose]() {
      stopListening()
      await alarm[Symbol.asyncDispose]()
    },
  }
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
  if (!device)
    throw new RequestorError(
      'unreachable',
      'It is not in the device list, which says at which port it listens.',
    )
  const peer = devicePeer({ ...device, aeTitle: callingAeTitle, lastAddress: remoteAddress })
  if (typeof peer === 'string') throw new RequestorError('unreachable', peer)
  return peer
}

const counted = (count: number): string => `${count} ${count === 1 ? 'object' : 'objects'}`

function isSameList(kept: readonly CommitmentItem[], named: readonly Named[]): boolean {
  const keysOf = (items: readonly Named[]) =>
    [...new Set(items.map(({ sopClassUid, sopInstanceUid }) => `${sopClassUid} ${sopInstanceUid}`))]
      .sort()
      .join('\n')
  return keysOf(kept) === keysOf(named)
}
