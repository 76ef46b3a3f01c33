import type { Context } from '#server/context.ts'
import type { NormalizedRequest, StorageCommitmentScu } from '#server/dicom/dimse/service.ts'
import { DimseError, type DimseResult } from '#server/dicom/dimse/status.ts'
import type { OutboundRequests } from '#server/dicom/scu/outbound.ts'
import { RETRY_SCHEDULES, retryDelayMs } from '#server/jobs/retry-schedules.ts'
import { Worker } from '#server/jobs/worker.ts'
import {
  type DestinationRecord,
  findDestination,
  listDestinations,
} from '#server/modules/forwarding/destination-queries.ts'
import { isConfirmationRequired, peerOf } from '#server/modules/forwarding/destinations.ts'
import { networkFault } from '#server/modules/forwarding/verdict.ts'
import { logInternalError, refusalOf } from '#server/modules/images/image-feed.ts'
import { recordCopies } from '#server/modules/images/instance-copy-queries.ts'
import {
  readNormalizedDataSet,
  TAG,
  textIn,
} from '#server/modules/procedure-steps/performed-data.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import { aeTitleKey } from '#shared/dicom-values.ts'
import { uidOfUuid } from '#shared/ids.ts'
import { asSentence, type Message, message } from '#shared/messages/message.ts'
import { resultOf } from './commitment-request.ts'
import {
  type ConfirmationItem,
  type ConfirmationRecord,
  findConfirmationOf,
  hasImagesInTransit,
  listAskedItems,
  listDueConfirmations,
  listInstancesToConfirm,
  nextConfirmationDue,
  recordRequest,
  setItemFailure,
  updateConfirmation,
} from './confirmation-queries.ts'

const BATCH_SIZE = 20
/** Images of a study are sent in several batches. */
const BATCH_DELAY_MS = 1000
const MINUTE_MS = 60_000
/** How long a study that is still arriving or being sent is left alone. */
const ARRIVAL_GRACE_MS = MINUTE_MS / 4
/** How long the result of a request is awaited. Archives may commit in nightly runs. */
export const RESULT_TIMEOUT_MS = 26 * 60 * MINUTE_MS

/**
 * Asks destinations to confirm that they keep what they were sent (storage commitment as SCU,
 * PS3.4 Annex J), study by study, and records the copies that they confirm. A confirmation refers
 * to a SOP Instance UID, so it counts only while one version of the instance was sent there.
 */
export class Confirmations implements StorageCommitmentScu, AsyncDisposable {
  readonly #context: Context
  readonly #outbound: Pick<OutboundRequests, 'requestCommitment'>
  readonly #worker: Worker

  constructor(context: Context, outbound: Pick<OutboundRequests, 'requestCommitment'>) {
    this.#context = context
    this.#outbound = outbound
    this.#worker = new Worker(
      context,
      () => nextConfirmationDue(context.database),
      (signal) => this.#askDue(signal),
      'confirmations',
      BATCH_DELAY_MS,
    )
    this.#worker.wake()
  }

  /** Whether any destination is asked, so that its results must be accepted. */
  isOn(): boolean {
    return listDestinations(this.#context.database).some(isConfirmationRequired)
  }

  /** Whether the caller may be a destination that reports a result. */
  expects(callingAeTitle: string): boolean {
    return listDestinations(this.#context.database).some(
      (one) =>
        isConfirmationRequired(one) && aeTitleKey(one.aeTitle) === aeTitleKey(callingAeTitle),
    )
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

  async eventReport(
    request: NormalizedRequest & { readonly eventTypeId: number },
  ): Promise<DimseResult> {
    try {
      return await this.#eventReport(request)
    } catch (error) {
      return error instanceof DimseError ? error.result : refusalOf(this.#context, error)
    }
  }

  async #eventReport({ dataSet: bytes, transferSyntax, association }: NormalizedRequest) {
    const { database } = this.#context
    const dataSet = readNormalizedDataSet(bytes, transferSyntax)
    const transactionUid = textIn(dataSet, TAG.transactionUid)
    const result = resultOf(dataSet)
    await database.commitSoon(() => {
      const asked = findConfirmationOf(database, transactionUid)
      const destination = asked && findDestination(database, asked.destinationId)
      const callingKey = aeTitleKey(association.callingAeTitle)
      // A result that arrives after the request was repeated belongs to no request any more.
      if (!destination || aeTitleKey(destination.aeTitle) !== callingKey)
        throw new DimseError(0x0115, message('commitment.no-such-transaction'), [
          TAG.transactionUid,
        ])
      this.#record(asked, destination, result)
    })
    this.#context.feed.noteImages()
    return { status: 0x0000 }
  }

  /** Records the copies that a result confirms. Must be called within a transaction. */
  #record(
    asked: ConfirmationRecord,
    destination: DestinationRecord,
    { committed, failures }: ReturnType<typeof resultOf>,
  ): void {
    const { database, clock } = this.#context
    const items = listAskedItems(database, asked)
    // What was sent again, replaced or quarantined since the request is not confirmed by it.
    const open = new Set(listInstancesToConfirm(database, asked).map((one) => one.instanceId))
    const confirmed = items.filter(
      (item) =>
        committed.has(keyOf(item)) &&
        !failures.has(item.sopInstanceUid) &&
        open.has(item.instanceId),
    )
    for (const { instanceId, sopInstanceUid } of items) {
      const reason = failures.get(sopInstanceUid)
      if (reason !== undefined) setItemFailure(database, asked, instanceId, reason)
    }
    const now = instantOf(clock())
    recordCopies(
      database,
      confirmed.map(({ instanceId }) => instanceId),
      {
        destinationId: destination.destinationId,
        destinationName: destination.name,
        kind: 'commitment',
        confirmedAt: now,
      },
    )
    const { name } = destination
    const missing = open.size - confirmed.length
    if (missing === 0) {
      const done = { state: 'answered', attempts: 0, nextAt: null, lastError: null } as const
      updateConfirmation(database, asked, { ...done, updatedAt: now })
      const count = confirmed.length
      this.#feedLine(asked, destination, 'good', message('commitment.kept-there', { name, count }))
    } else {
      const text = message('commitment.not-kept-there', { name, count: missing })
      this.#postpone(asked, text)
      this.#feedLine(asked, destination, 'warning', text)
    }
  }

  async #askDue(signal: AbortSignal): Promise<void> {
    const { database, clock } = this.#context
    const triedKeys = new Set<string>()
    for (;;) {
      const due = listDueConfirmations(
        database,
        instantOf(clock()),
        BATCH_SIZE + triedKeys.size,
      ).filter((one) => !triedKeys.has(nameOf(one)))
      if (due.length === 0 || signal.aborted) return
      for (const one of due) {
        if (signal.aborted) return
        triedKeys.add(nameOf(one))
        await this.#ask(one, signal)
      }
    }
  }

  async #ask(asked: ConfirmationRecord, signal: AbortSignal): Promise<void> {
    const { database, clock, uuid } = this.#context
    const destination = findDestination(database, asked.destinationId)
    const now = clock()
    const at = instantOf(now)
    if (!destination || !isConfirmationRequired(destination))
      return updateConfirmation(database, asked, {
        ...{ state: 'given-up', attempts: 0, nextAt: null, lastError: null, updatedAt: at },
      })
    if (asked.state === 'asked') {
      this.#postpone(asked, message('commitment.no-answer', { name: destination.name }))
      return
    }
    if (hasImagesInTransit(database, asked))
      return updateConfirmation(database, asked, {
        ...asked,
        nextAt: instantOf(now + ARRIVAL_GRACE_MS),
        updatedAt: at,
      })
    const items = listInstancesToConfirm(database, asked)
    if (items.length === 0)
      return updateConfirmation(database, asked, {
        ...{ state: 'answered', attempts: 0, nextAt: null, lastError: null, updatedAt: at },
      })
    const transactionUid = uidOfUuid(uuid())
    database.transaction(() =>
      recordRequest(database, asked, {
        ...{ transactionUid, items, at, nextAt: instantOf(now + RESULT_TIMEOUT_MS) },
      }),
    )
    try {
      const request = { transactionUid, instances: items }
      await this.#outbound.requestCommitment(peerOf(destination), request, signal)
    } catch (error) {
      if (signal.aborted) return
      this.#postponeUnasked(asked, transactionUid, error)
    }
  }

  #postponeUnasked(asked: ConfirmationRecord, transactionUid: string, error: unknown): void {
    const { database } = this.#context
    // The result may have arrived although the response to the request was lost.
    const now = findConfirmationOf(database, transactionUid)
    if (now?.state !== 'asked') return
    const reference = () => logInternalError(this.#context, error)
    const fault =
      networkFault(error) ?? message('commitment.internal-error', { reference: reference() })
    this.#postpone(asked, asSentence(fault))
  }

  /** Schedules the next request, or gives up after the last attempt. */
  #postpone(asked: ConfirmationRecord, lastError: Message): void {
    const { database, clock } = this.#context
    const attempts = asked.attempts + 1
    const waitMs = retryDelayMs(RETRY_SCHEDULES.destinationCommitment, attempts)
    updateConfirmation(database, asked, {
      state: waitMs === undefined ? 'given-up' : 'waiting',
      attempts,
      nextAt: waitMs === undefined ? null : instantOf(clock() + waitMs),
      lastError,
      updatedAt: instantOf(clock()),
    })
  }

  #feedLine(
    { studyInstanceUid }: ConfirmationRecord,
    { aeTitle, host }: DestinationRecord,
    tone: FeedLine['tone'],
    text: Message,
  ): void {
    const { database, feed } = this.#context
    database.afterCommit(() =>
      feed.append({
        ...{ kind: 'commitment', tone, text, aeTitle, address: host },
        ...{ associationId: '', studyInstanceUid },
      }),
    )
  }
}

const nameOf = ({ destinationId, studyInstanceUid }: ConfirmationRecord) =>
  `${destinationId} ${studyInstanceUid}`
const keyOf = ({ sopClassUid, sopInstanceUid }: Omit<ConfirmationItem, 'instanceId'>) =>
  `${sopClassUid} ${sopInstanceUid}`
