import type { Context } from '#server/context.ts'
import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import type { CFindRequest, CFindScp, EncodedIdentifiers } from '#server/dicom/dimse/service.ts'
import { DimseError, type DimseResult } from '#server/dicom/dimse/status.ts'
import { recogniseDevice } from '#server/modules/devices/devices.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import type { PerformedSteps } from '#server/modules/procedure-steps/performed-steps.ts'
import { timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { reportError } from '#server/platform/log.ts'
import { type Requester, WebhookError } from '#server/webhooks/request.ts'
import type { Device, LintReport } from '#shared/contract/devices.ts'
import type { WorklistQuestion } from '#shared/contract/webhooks.ts'
import { type Inspection, WorklistTestQuery } from '#shared/contract/worklist.ts'
import { ApiError } from '#shared/errors.ts'
import { verbatim } from '#shared/messages/message.ts'
import { buildConsoleQuery, type ConsoleQuery, DEFAULT_TRANSFER_SYNTAX } from './console-query.ts'
import { faultResult } from './faults.ts'
import { inspectionOf, recordInspection } from './inspections.ts'
import { lintRows } from './lint.ts'
import type { WorklistQuery } from './query.ts'
import {
  CANCELLED,
  type CachedResult,
  feedLineOf,
  type QueryRun,
  type QuerySource,
  summaryOf,
} from './query-run.ts'
import { RepeatedQueries } from './repeated-queries.ts'
import { ResultCache } from './result-cache.ts'
import { WorklistCache } from './worklist-cache.ts'
import { stepsLastSent } from './worklist-correlation.ts'

/** The user who makes a query in a device's place. */
export interface QueryingUser {
  readonly userId: string
  readonly firstName: string
  readonly lastName: string
}

/**
 * The worklist service (PS3.4 Annex K): answers a C-FIND by requesting the worklist from the
 * partner.
 */
export class Worklist implements CFindScp {
  readonly answers: WorklistCache
  readonly #context: Context
  readonly #results: ResultCache
  readonly #repeats: RepeatedQueries

  constructor(
    context: Context,
    requester: Requester,
    eventLog: EventLog,
    performedSteps: PerformedSteps,
  ) {
    this.#context = context
    this.answers = new WorklistCache(context, requester, eventLog)
    this.#results = new ResultCache(context, performedSteps)
    this.#repeats = new RepeatedQueries(context)
  }

  find(request: CFindRequest): AsyncGenerator<EncodedIdentifiers, DimseResult, void> {
    const { callingAeTitle, remoteAddress } = request.association
    const device = recogniseDevice(this.#context, callingAeTitle, remoteAddress)
    return this.#answer(this.#begin(request, { origin: 'device', device, user: undefined }))
  }

  #begin(request: CFindRequest, querySource: QuerySource): QueryRun {
    const at = this.#context.clock()
    const { day, time } = wallClock(at, this.#timeZone)
    return {
      at,
      request,
      querySource,
      now: { day, time: time.replaceAll(':', '') },
      final: CANCELLED,
    }
  }

  async *#answer(run: QueryRun): AsyncGenerator<EncodedIdentifiers, DimseResult, void> {
    const { request, querySource } = run
    try {
      request.signal.throwIfAborted()
      run.query = this.#results.queryOf(run)
      run.question = this.#questionOf(request, run.query)
      const modality = querySource.device?.modality ?? ''
      run.answered = await this.answers.answerTo(run.question, modality, request.signal)
      run.cached = await this.#results.resultFor(run, run.query, run.answered)
      for await (const batch of run.cached.identifiers) {
        yield batch
        request.signal.throwIfAborted()
      }
      run.final = finalStatus(run.cached)
    } catch (error) {
      if (!request.signal.aborted) this.#fail(run, error)
    } finally {
      // Recorded before the final response. If the device cancels or disconnects, the generator is
      // returned at its yield, and the query is recorded too.
      await this.#record(run)
    }
    return run.final
  }

  #questionOf(
    { association }: CFindRequest,
    { window, modality }: WorklistQuery,
  ): WorklistQuestion {
    const clinicId = this.#context.settings.get('clinic.id')
    if (clinicId === null) throw new Error('clinic.id is not set')
    return {
      callingAe: association.callingAeTitle,
      clinicId,
      dateStart: window.dateStart,
      dateEnd: window.dateEnd,
      sourceIp: association.remoteAddress,
      ...(modality !== '' && { modality }),
    }
  }

  #fail(run: QueryRun, error: unknown): void {
    const reference = this.#context.uuid().slice(0, 8)
    run.exception = { error, reference }
    if (error instanceof DimseError) run.final = error.result
    else if (error instanceof WebhookError) {
      run.final = faultResult(error.fault, run.request.association.callingAeTitle, error.detail)
    } else {
      run.final = { status: 0xc003, errorComment: `Gateway internal error ${reference}` }
      reportError(this.#context, error, reference)
    }
  }

  /** Records the query; durable when the promise resolves, see `recordInspection`. */
  async #record(run: QueryRun): Promise<void> {
    const { clock, feed } = this.#context
    const repeated = this.#repeats.count(run)
    if (repeated) {
      run.summary = repeated
      return
    }
    const summary = summaryOf(run, clock(), this.#timeZone)
    const inspectionId = await recordInspection(this.#context, run, summary)
    run.summary = { inspectionId, ...summary, repeats: 0, lastAt: null }
    this.#repeats.note(run, run.summary)
    feed.append(feedLineOf(run.summary, run.request.association.associationId))
  }

  get #timeZone() {
    return timeZoneOf(this.#context.settings.get('clinic.timeZone'))
  }

  /**
   * Makes a query in a device's place, through the same code, and records it with the user's name.
   */
  async ask(ask: WorklistTestQuery, device: Device, user: QueryingUser): Promise<Inspection> {
    const { run } = await this.#runFor(consoleQueryOf(ask), device, user)
    return inspectionOf(this.#context, run)
  }

  /**
   * Like `ask`, but with a given identifier and transfer syntax, and without a limit on rows. The
   * query is recorded as made from the window, so what counts as sent to the device does not
   * change.
   */
  async askWith(query: ConsoleQuery, device: Device, user: QueryingUser): Promise<Inspection> {
    const { run } = await this.#runFor(query, device, user)
    return inspectionOf(this.#context, run, Number.POSITIVE_INFINITY)
  }

  /**
   * Queries today's worklist in a device's place, records it like `ask`, and checks what would be
   * sent against the rules of the device's profile.
   * @throws {ApiError} unavailable: the query failed, so there is no list to check
   */
  async lint(device: Device, user: QueryingUser): Promise<LintReport> {
    const today = wallClock(this.#context.clock(), this.#timeZone).day
    const { deviceId, aeTitle } = device
    const ask = WorklistTestQuery.parse({ deviceId, startDate: today, endDate: today })
    const { run, batches } = await this.#runFor(consoleQueryOf(ask), device, user)
    const { inspectionId = 0, sentence = verbatim('') } = run.summary ?? {}
    // A failed query must not look like a list without findings.
    if (run.final.status !== 0 && batches.length === 0) throw new ApiError('unavailable', sentence)
    const before = await stepsLastSent(this.#context, aeTitle)
    return {
      ...(await lintRows(batches, DEFAULT_TRANSFER_SYNTAX, device, before)),
      inspectionId,
    }
  }

  /** Runs a query as for a device, without the network. */
  async #runFor(
    { identifier, transferSyntax }: ConsoleQuery,
    device: Device,
    { userId, firstName, lastName }: QueryingUser,
  ) {
    const association = {
      associationId: 'window',
      callingAeTitle: device.aeTitle,
      calledAeTitle: this.#context.settings.get('dimse.aeTitle'),
      remoteAddress:
        device.lastAddress ?? (device.address?.includes('/') ? '' : (device.address ?? '')),
    }
    const { signal } = new AbortController()
    const run = this.#begin(
      {
        ...{ association, messageId: 1, sopClassUid: SOP_CLASS.modalityWorklistFind },
        ...{ transferSyntax, identifier, signal },
      },
      { origin: 'window', device, user: { userId, name: `${firstName} ${lastName}` } },
    )
    const batches: EncodedIdentifiers[] = []
    for await (const batch of this.#answer(run)) batches.push(batch)
    return { run, batches }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#repeats.flush()
  }
}

/**
 * The final status. An empty list is a success; a truncated list, or one of which every match was
 * withheld, is a failure.
 */
function finalStatus({ result, maxRows }: CachedResult): DimseResult {
  if (result.cut > 0)
    return { status: 0xa700, errorComment: `List cut at ${maxRows}, narrow the query` }
  if (result.sent === 0 && result.unfit > 0)
    return { status: 0xc002, errorComment: 'Worklist answer invalid: every match is withheld' }
  return { status: 0x0000 }
}

const consoleQueryOf = (ask: WorklistTestQuery): ConsoleQuery => ({
  identifier: buildConsoleQuery(ask),
  transferSyntax: DEFAULT_TRANSFER_SYNTAX,
})
