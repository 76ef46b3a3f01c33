import type { Context } from '#server/context.ts'
import type {
  AssociationInfo,
  CFindRequest,
  CFindScp,
  EncodedIdentifiers,
} from '#server/dicom/dimse/service.ts'
import type { DimseResult } from '#server/dicom/dimse/status.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import type { HandedOutRow } from '#server/modules/images/image-study-queries.ts'
import { timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import { WebhookError } from '#server/webhooks/request.ts'
import type { Device, Lint } from '#shared/contract/devices.ts'
import type { SettingKey, SettingValue } from '#shared/contract/settings.ts'
import type { WorklistQuestion } from '#shared/contract/webhooks.ts'
import { type Inspection, type InspectionSummary, WorklistAsk } from '#shared/contract/worklist.ts'
import { ApiError } from '#shared/errors.ts'
import type { AnswerRows } from './answer.ts'
import { byteCache } from './byte-cache.ts'
import { policyOf, repertoireFor } from './character-set-fallback.ts'
import { CONSOLE_TRANSFER_SYNTAX, consoleQuery } from './console-query.ts'
import type { Downtime } from './downtime.ts'
import { faultResult } from './faults.ts'
import { type Inspected, openInspector, sharedDocument, type VerdictFilter } from './inspector.ts'
import type { ItemContext } from './item.ts'
import { layoutOf } from './layout.ts'
import { lintOf } from './lint.ts'
import { openProgress, type ProgressDeps } from './progress.ts'
import { readQuery, UnreadableQuery, type WorklistQuery } from './query.ts'
import { type Asker, CANCELLED, type KeptResult, summaryOf, type Visit } from './query-context.ts'
import { openRepeats, type RepeatsDeps } from './repeats.ts'
import { identifiersOf, makeResult, type ResultRules } from './result.ts'
import { transliterate } from './transliteration.ts'
import { readVerdicts } from './verdicts.ts'
import {
  type Answered,
  type AnswersDeps,
  type AskPartner,
  callOf,
  openAnswers,
} from './worklist-cache.ts'
import { type HandedOutQuery, openHandedOut } from './worklist-correlation.ts'

export interface WorklistDeps {
  readonly store: Pick<
    Context,
    'database' | 'documents' | 'answers' | 'inspections' | 'closedSteps'
  >
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly uuid: () => string
  readonly setting: <K extends SettingKey>(key: K) => SettingValue<K>
  readonly recogniseDevice: (callingAeTitle: string, remoteAddress: string) => Device | undefined
  readonly downtime: Pick<Downtime, 'current' | 'end'>
  readonly askPartner: AskPartner
  readonly onAnswered?: NonNullable<AnswersDeps['onAnswered']>
  readonly performedSteps: ProgressDeps['performedSteps']
  /** A query was recorded. Nothing about a patient is in the summary. */
  readonly onInspected?: (summary: InspectionSummary, associationId: string) => void
  readonly onRepeated?: NonNullable<RepeatsDeps['onRepeated']>
  /**
   * An error of ours; the console and the inspector were given the reference. Its text may speak of
   * a patient: not for a log as it is.
   */
  readonly onError?: (reference: string, error: unknown) => void
}

/** Who asks in a device's place. */
export interface AskingUser {
  readonly userId: string
  readonly name: string
}

/** What a console sends for a worklist. */
export interface ConsoleQuery {
  readonly identifier: Buffer
  readonly transferSyntax: string
}

export interface Worklist extends AsyncDisposable {
  /** PS3.4 Annex K: answers the modalities. */
  readonly cFindScp: CFindScp
  /**
   * Asks as that device would, by the code a device goes through, recorded with the user's name.
   */
  ask(ask: WorklistAsk, device: Device, user: AskingUser): Promise<Inspection>
  /**
   * As `ask`, with the identifier of a console and its transfer syntax; every row with its verdict.
   * Such a query is the window's too: what a device was handed is not changed by it.
   */
  askWith(query: ConsoleQuery, device: Device, user: AskingUser): Promise<Inspection>
  /** The rows of an answer of the partner that is kept; undefined where it is kept no more. */
  keptList(documentHash: string, context: ItemContext): Promise<AnswerRows | undefined>
  /**
   * Asks for today as that device would, recorded like `ask`, and checks what would be sent against
   * the rules of its profile.
   * @throws {ApiError} unavailable: there is no list to check, because the query failed
   */
  lint(device: Device, user: AskingUser): Promise<Lint>
  /** A recorded query with its rows, at most 1,000; undefined where there is none of that id. */
  inspection(inspectionId: number, filter?: VerdictFilter): Promise<Inspection | undefined>
  /**
   * The row that a device was sent and that its images or its MPPS belong to, as far as queries are
   * kept.
   */
  handedOut(query: HandedOutQuery): Promise<HandedOutRow | undefined>
}

interface KeptQuery {
  readonly query: WorklistQuery
  readonly id: number
}

/** What became of a query, by its record or without one. */
interface Recorded {
  /** `UNRECORDED` where there is none. */
  readonly inspectionId: number
  readonly sentence: string
  /** What there is to show of it where it has no record. */
  readonly unrecorded: (() => Inspected) | undefined
}

/** The inspection of a query that could not be recorded: no record has this id. */
export const UNRECORDED = 0

const QUERY_BYTES = 4 << 20
const RESULT_BYTES = 24 << 20
/** A list that is cut to the rows nearest to now is right for so long. */
const CUT_MS = 60_000

/** The worklist as consoles see it: a C-FIND answered by asking the partner. */
export function openWorklist(deps: WorklistDeps): Worklist {
  const { store, clock, setting, recogniseDevice } = deps
  const answers = openAnswers(deps)
  const inspector = openInspector(deps)
  const progressOf = openProgress(deps)
  const handedOut = openHandedOut(deps)
  const repeats = openRepeats({
    ...deps,
    onUncounted: (error) => deps.onError?.(deps.uuid().slice(0, 8), error),
  })
  const queries = byteCache<KeptQuery>(QUERY_BYTES, clock)
  const results = byteCache<KeptResult>(RESULT_BYTES, clock)
  let queriesRead = 0
  let bytesInMaking = 0

  async function* find(
    request: CFindRequest,
    asker: Asker,
    onRecorded?: (record: Recorded) => void,
  ): AsyncGenerator<EncodedIdentifiers, DimseResult, void> {
    const visit = visitOf(request, asker)
    try {
      request.signal.throwIfAborted()
      const kept = keptQuery(visit)
      visit.query = kept.query
      visit.question = questionOf(visit, kept.query)
      visit.answered = await answers.answerTo(
        visit.question,
        asker.device?.modality ?? '',
        request.signal,
      )
      visit.kept = await keptResult(visit, kept, visit.answered)
      for await (const batch of visit.kept.identifiers) {
        yield batch
        request.signal.throwIfAborted()
      }
      visit.final = finalOf(visit.kept)
    } catch (error) {
      if (!request.signal.aborted) fail(visit, error)
    } finally {
      // Before the final response, and also where the console cancelled or hung up: the generator
      // is then returned at its yield.
      const recorded = await record(visit)
      onRecorded?.(recorded)
    }
    return visit.final
  }

  function visitOf(request: CFindRequest, asker: Asker): Visit {
    const at = clock()
    const { day, time } = wallClock(at, timeZoneOf(setting('clinic.timeZone')))
    return {
      at,
      request,
      asker,
      now: { day, time: time.replaceAll(':', '') },
      query: undefined,
      question: undefined,
      answered: undefined,
      kept: undefined,
      final: CANCELLED,
      trouble: undefined,
    }
  }

  function keptQuery({ request, asker: { device }, now }: Visit): KeptQuery {
    const { identifier, transferSyntax, association } = request
    const daysBack = device?.daysBack ?? setting('worklist.daysBack')
    const daysForward = device?.daysForward ?? setting('worklist.daysForward')
    const bytes = identifier?.toString('latin1') ?? ''
    const key = [
      transferSyntax,
      association.callingAeTitle,
      deviceKey(device),
      now.day,
      daysBack,
      daysForward,
      bytes,
    ].join('\n')
    const known = queries.get(key)
    if (known) return known
    const context = {
      callingAeTitle: association.callingAeTitle,
      device,
      today: now.day,
      daysBack,
      daysForward,
    }
    const query = readQuery(identifier, transferSyntax, context)
    const kept = { query, id: ++queriesRead }
    queries.set(key, kept, bytes.length * 8 + 4096)
    return kept
  }

  function questionOf(
    { request: { association } }: Visit,
    { window, modality }: WorklistQuery,
  ): WorklistQuestion {
    const clinicId = setting('clinic.id')
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

  async function keptResult(
    visit: Visit,
    { query, id }: KeptQuery,
    { source, answer }: Answered,
  ): Promise<KeptResult> {
    const { request, asker, now } = visit
    const { device } = asker
    const isStored = source === 'stored' || source === 'downtime'
    const closed = isStored
      ? store.closedSteps
          .list()
          .map((step) => `${step.studyInstanceUid} ${step.scheduledProcedureStepId}`)
      : []
    const maxRows = device?.maxRows ?? setting('worklist.maxRows')
    const clinicName = setting('clinic.name')
    const { dateStart, dateEnd } = answer.context
    const progress = await progressOf(answer.list)
    const list = progress?.list ?? answer.list
    const bearing = progress?.bearingOn(query) ?? ''
    const key = [
      id,
      answer.listId,
      dateStart,
      dateEnd,
      isStored,
      maxRows,
      clinicName,
      bearing,
      ...closed,
    ].join('\n')
    const known = results.get(key)
    if (known) return known

    const layout = layoutOf(query, request.transferSyntax, inAscii(clinicName))
    const textFor = repertoireFor(layout.texts, policyOf(device, query.characterSet))
    const closedSteps = new Set(closed)
    const rules: ResultRules = {
      query,
      layout,
      textFor,
      askedFor: answer.context,
      maxRows,
      now,
      ...(isStored && {
        stored: { isClosed: (study: string, step: string) => closedSteps.has(`${study} ${step}`) },
      }),
      hideStarted: device?.hideStarted ?? false,
      signal: request.signal,
    }
    const result = await makeResult(list, rules)
    const document = sharedDocument({
      ...result.verdicts,
      keys: query.received,
      remarks: [...query.remarks, ...result.remarks],
      context: answer.context,
    })
    const until = result.cut > 0 ? clock() + CUT_MS : undefined
    const made = { result, document, maxRows }
    const identifiers = keeping(identifiersOf(list, result.chosen, rules), (batches, bytes) =>
      results.set(
        key,
        { ...made, identifiers: batches },
        bytes + result.chosen.byteLength + document.bytes.length + 4096,
        until,
      ),
    )
    return { ...made, identifiers }
  }

  /**
   * Passes the batches on and gives them all to `keep` at the end, unless too much is being kept
   * for slow consoles already.
   */
  async function* keeping(
    made: AsyncIterable<EncodedIdentifiers>,
    keep: (batches: readonly EncodedIdentifiers[], bytes: number) => void,
  ): AsyncGenerator<EncodedIdentifiers, void, void> {
    let batches: EncodedIdentifiers[] | undefined = []
    let bytes = 0
    try {
      for await (const batch of made) {
        const more = batch.bytes.length + batch.ends.byteLength
        if (batches && bytesInMaking + more <= RESULT_BYTES) {
          batches.push(batch)
          bytes += more
          bytesInMaking += more
        } else {
          batches = undefined
          bytesInMaking -= bytes
          bytes = 0
        }
        yield batch
      }
      if (batches) keep(batches, bytes)
    } finally {
      bytesInMaking -= bytes
    }
  }

  /** dicom-field §2.12. */
  function fail(visit: Visit, error: unknown): void {
    const reference = deps.uuid().slice(0, 8)
    visit.trouble = { error, reference }
    if (error instanceof DimseError) visit.final = error.result
    else if (error instanceof WebhookError) {
      visit.final = faultResult(error.fault, visit.request.association.callingAeTitle, error.detail)
    } else {
      visit.final = { status: 0xc003, errorComment: `Gateway internal error ${reference}` }
      deps.onError?.(reference, error)
    }
  }

  /**
   * Durable when it resolves; where the disk does not take it, the query is answered without a
   * record.
   */
  async function record(visit: Visit): Promise<Recorded> {
    const repeated = repeats.count(visit)
    if (repeated) return { ...repeated, unrecorded: undefined }
    const { request, asker, query, question, answered, kept, trouble } = visit
    const summary = summaryOf(visit, clock(), timeZoneOf(setting('clinic.timeZone')))
    const failure = trouble?.error instanceof WebhookError ? trouble.error : undefined
    const unread = trouble?.error instanceof UnreadableQuery ? trouble.error.received : []
    const document =
      kept?.document ??
      sharedDocument({
        findings: [],
        runs: [],
        keys: query?.received ?? unread,
        remarks: query?.remarks ?? [],
        context: null,
      })
    const { transferSyntax } = request
    const detail = {
      question: question ?? null,
      partner: answered?.call ?? (failure ? callOf(failure) : null),
      userId: asker.user?.userId ?? null,
    }
    const inspectionId = await inspector
      .record(
        { ...summary, transferSyntax, answerHash: kept && answered ? answered.answer.hash : null },
        detail,
        document,
      )
      .catch((error: unknown) => {
        // Serving comes first. What is wrong with the disk is said by its write health; any other
        // error is one of ours.
        if (diskFaultKind(error) === undefined) deps.onError?.(deps.uuid().slice(0, 8), error)
        return null
      })
    const recorded = {
      inspectionId: inspectionId ?? UNRECORDED,
      ...summary,
      repeats: 0,
      lastAt: null,
    }
    if (inspectionId === null) repeats.forget(visit)
    else repeats.note(visit, recorded)
    deps.onInspected?.(recorded, request.association.associationId)
    if (inspectionId !== null) return { ...recorded, unrecorded: undefined }
    const list = answered?.answer.list
    return {
      ...recorded,
      unrecorded: () => ({
        summary: recorded,
        transferSyntax,
        detail,
        verdicts: readVerdicts(document.bytes),
        list,
      }),
    }
  }

  /** The walk of a device, without the network. */
  async function askAs(
    { identifier, transferSyntax }: ConsoleQuery,
    device: Device,
    user: AskingUser,
  ) {
    const association: AssociationInfo = {
      associationId: 'window',
      callingAeTitle: device.aeTitle,
      calledAeTitle: setting('dimse.aeTitle'),
      remoteAddress:
        device.lastAddress ?? (device.address?.includes('/') ? '' : (device.address ?? '')),
    }
    const request: CFindRequest = {
      association,
      messageId: 1,
      transferSyntax,
      identifier,
      signal: new AbortController().signal,
    }
    let recorded: Recorded = { inspectionId: UNRECORDED, sentence: '', unrecorded: undefined }
    const finding = find(
      request,
      { origin: 'window', device, user },
      (record) => (recorded = record),
    )
    const batches: EncodedIdentifiers[] = []
    for (;;) {
      const { done, value } = await finding.next()
      if (done) return { ...recorded, batches, final: value }
      batches.push(value)
    }
  }

  async function recordOf(
    { inspectionId, unrecorded }: Omit<Recorded, 'sentence'>,
    most?: number,
  ): Promise<Inspection> {
    if (unrecorded) return inspector.unrecorded(unrecorded(), 'all', most)
    const inspection = await inspector.read(inspectionId, 'all', most)
    if (!inspection) throw new Error(`inspection ${inspectionId} is not there`)
    return inspection
  }

  return {
    cFindScp: {
      find: (request) => {
        const { callingAeTitle, remoteAddress } = request.association
        return find(request, {
          origin: 'device',
          device: recogniseDevice(callingAeTitle, remoteAddress),
          user: undefined,
        })
      },
    },
    ask: async (ask, device, user) => recordOf(await askAs(fromConsole(ask), device, user)),
    askWith: async (query, device, user) =>
      recordOf(await askAs(query, device, user), Number.POSITIVE_INFINITY),
    keptList: answers.keptList,
    async lint(device, user) {
      const today = wallClock(clock(), timeZoneOf(setting('clinic.timeZone'))).day
      const { deviceId, aeTitle } = device
      const ask = WorklistAsk.parse({ deviceId, startDate: today, endDate: today })
      const { inspectionId, batches, sentence, final } = await askAs(fromConsole(ask), device, user)
      // A list that could not be had is not a list without faults.
      if (final.status !== 0 && batches.length === 0) throw new ApiError('unavailable', sentence)
      return {
        ...(await lintOf(
          batches,
          CONSOLE_TRANSFER_SYNTAX,
          device,
          await handedOut.stepsLastSent(aeTitle),
        )),
        inspectionId,
      }
    },
    inspection: (inspectionId, filter = 'all') => inspector.read(inspectionId, filter),
    handedOut: (query) => handedOut.search(query),
    [Symbol.asyncDispose]: repeats.flush,
  }
}

/**
 * Nothing matched is no failure; a list cut short is, and so is one of which everything that
 * matched had to be withheld.
 */
function finalOf({ result, maxRows }: KeptResult): DimseResult {
  if (result.cut > 0)
    return { status: 0xa700, errorComment: `List cut at ${maxRows}, narrow the query` }
  if (result.sent === 0 && result.unfit > 0)
    return { status: 0xc002, errorComment: 'Worklist answer invalid: every match is withheld' }
  return { status: 0x0000 }
}

const fromConsole = (ask: WorklistAsk): ConsoleQuery => ({
  identifier: consoleQuery(ask),
  transferSyntax: CONSOLE_TRANSFER_SYNTAX,
})

const deviceKey = (device: Device | undefined): string =>
  device ? `${device.deviceId} ${device.updatedAt}` : ''

/** InstitutionName is no reason to give a whole list another character set. */
const inAscii = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the default repertoire is all of ASCII
  (/^[\x00-\x7f]*$/.test(text) ? text : (transliterate(text) ?? '')).replaceAll('\\', '/')
