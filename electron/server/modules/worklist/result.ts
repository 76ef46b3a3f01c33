import { setImmediate } from 'node:timers/promises'
import type { EncodedIdentifiers } from '#server/dicom/dimse/service.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { AnswerRows } from './answer.ts'
import type { RowText } from './character-set-fallback.ts'
import { daOf, secondsAt } from './dates.ts'
import type { IdentifierEncoder } from './identifier-encoder.ts'
import { applicableKeys, isMatch, type RowKey } from './matching.ts'
import { isPerformed, performedReason, startedRemark } from './progress.ts'
import type { WorklistQuery } from './query.ts'
import { rowAt, type WorklistRow } from './row.ts'
import { type Finding, findingTable, runsOf, type Verdict, type VerdictRuns } from './verdicts.ts'

/** The result of one query on one answer. */
export interface WorklistResult {
  /** Indices of the rows to send, in the order in which they are sent. */
  readonly chosen: Uint32Array
  readonly verdicts: VerdictRuns
  readonly sent: number
  readonly filtered: number
  /**
   * Number of filtered rows that match, but whose step is finished, or has begun and is hidden from
   * this device.
   */
  readonly performed: number
  readonly withheld: number
  /**
   * Number of rows withheld because they cannot be sent to any device or to this one. Other
   * withheld rows are closed here or from an earlier day.
   */
  readonly unfit: number
  /** Number of matching rows beyond the maximum. */
  readonly cut: number
  /** A remark for each key that does not apply to this list. */
  readonly remarks: readonly Message[]
  /** Keywords of the keys that filtered rows, in descending order of the number of rows. */
  readonly filteredBy: readonly string[]
}

/** The rules besides the matching keys that decide which rows are sent. */
export interface ResultRules {
  /** The days requested from the partner for this answer. */
  readonly askedFor: { readonly dateStart: string; readonly dateEnd: string }
  readonly maxRows: number
  /** Clinic-local, `YYYY-MM-DD` and `HHMMSS`. */
  readonly now: { readonly day: string; readonly time: string }
  /** Study and step of the steps that staff closed; undefined unless the answer is a stored one. */
  readonly closedSteps: ReadonlySet<string> | undefined
  /** Whether rows whose step has begun are hidden from this device. */
  readonly hideStarted: boolean
}

/** Encodes the text values of a row for the device. */
export type RowTextEncoder = (row: WorklistRow) => RowText

/** Rows processed before yielding to the event loop. */
const ROWS_PER_TURN = 500
const OUTSIDE_REASON = message('worklist.outside-asked')

/**
 * Matches, sorts and truncates the rows of an answer. Rejects with the abort reason of the signal.
 */
export async function makeResult(
  list: AnswerRows,
  query: WorklistQuery,
  textFor: RowTextEncoder,
  signal: AbortSignal,
  rules: ResultRules,
): Promise<WorklistResult> {
  const { rows, order } = list
  const keys = applicableKeys(query.keys, list)
  const table = findingTable()
  const findingIndexes = new Uint16Array(rows.length)
  const verdictOn = verdictFunction(query, keys, textFor, rules, table.place)
  const matching: number[] = []
  for (const [step, index] of order.entries()) {
    if (step > 0 && step % ROWS_PER_TURN === 0) await yieldToEventLoop(signal)
    const row = rowAt(rows, index)
    const findingIndex = verdictOn(row)
    findingIndexes[index] = findingIndex
    if (table.findings[findingIndex]?.verdict === 'sent') matching.push(index)
  }
  const chosen = nearestToNow(rows, matching, rules)
  if (chosen.length < matching.length) {
    const keep = new Set(chosen)
    const cut = table.place('cut', message('worklist.list-cut', { maxRows: rules.maxRows }))
    for (const index of matching) if (!keep.has(index)) findingIndexes[index] = cut
  }
  return {
    chosen: Uint32Array.from(chosen),
    verdicts: { findings: table.findings, runs: runsOf(findingIndexes) },
    sent: chosen.length,
    cut: matching.length - chosen.length,
    remarks: query.keys
      .filter((key) => !keys.includes(key))
      .map(({ words }) => message('worklist.not-matched', { key: words })),
    ...countsOf(table.findings, findingIndexes, keys),
  }
}

function countsOf(findings: readonly Finding[], findingOf: Uint16Array, keys: readonly RowKey[]) {
  const rows = new Uint32Array(findings.length)
  for (const place of findingOf) rows[place] = (rows[place] ?? 0) + 1
  const total = (verdict: Verdict, isCounted: (reason: Message | null) => boolean = () => true) =>
    findings.reduce(
      (sum, finding, place) =>
        finding.verdict === verdict && isCounted(finding.reason) ? sum + (rows[place] ?? 0) : sum,
      0,
    )
  return {
    filtered: total('filtered'),
    performed: total('filtered', isPerformed),
    withheld: total('withheld'),
    unfit: total('withheld', (reason) => !isClosedHere(reason) && !isPast(reason)),
    filteredBy: keys
      .map(({ name, words }) => ({ name, rows: total('filtered', (reason) => reason === words) }))
      .filter(({ rows }) => rows > 0)
      .sort((a, b) => b.rows - a.rows)
      .map(({ name }) => name),
  }
}

/** Why a valid row of a stored answer is withheld. */
const CLOSED_REASON = message('worklist.closed-here')
const PAST_REASON = message('worklist.dated-before-today')
export const isClosedHere = (reason: Message | null): boolean => reason?.code === CLOSED_REASON.code
export const isPast = (reason: Message | null): boolean => reason?.code === PAST_REASON.code

/**
 * Returns the function that decides about one row: the first key that it does not match, then the
 * first reason to withhold it.
 */
function verdictFunction(
  query: WorklistQuery,
  keys: readonly RowKey[],
  textFor: RowTextEncoder,
  { askedFor, now, closedSteps, hideStarted }: ResultRules,
  place: ReturnType<typeof findingTable>['place'],
): (row: WorklistRow) => number {
  const [first, last] = [daOf(askedFor.dateStart), daOf(askedFor.dateEnd)]
  // A stored answer may cover more days than would be requested now, and a partner may ignore the
  // requested days. If the query specifies neither dates nor an order, only the window excludes
  // those rows.
  const isStoredRangeWider =
    askedFor.dateStart < query.window.dateStart || askedFor.dateEnd > query.window.dateEnd
  const limitsToWindow = isStoredRangeWider || !(query.namesDate || query.namesOrder)
  const [from, to] = [daOf(query.window.dateStart), daOf(query.window.dateEnd)]
  const today = daOf(now.day)
  const sent = place('sent')
  const outside = place('sent', null, [OUTSIDE_REASON])
  const filtered = keys.map((key) => ({ key, place: place('filtered', key.words) }))
  return (row) => {
    const date = row.values.ScheduledProcedureStepStartDate
    for (const { key, place: found } of filtered) if (!isMatch(key, row)) return found
    if (limitsToWindow && date !== '' && (date < from || date > to))
      return place('filtered', message('worklist.outside-days'))
    const performed = performedReason(row, hideStarted)
    if (performed) return place('filtered', performed)
    if (row.withheld) return place('withheld', row.withheld)
    if (closedSteps && date < today) return place('withheld', PAST_REASON)
    const { StudyInstanceUID, ScheduledProcedureStepID } = row.values
    if (closedSteps?.has(`${StudyInstanceUID} ${ScheduledProcedureStepID}`))
      return place('withheld', CLOSED_REASON)
    const { withheld, remarks } = textFor(row)
    if (withheld) return place('withheld', withheld)
    const isOutside = date < first || date > last
    if (remarks.length === 0 && !row.progress) return isOutside ? outside : sent
    const startedRemarks = row.progress ? [startedRemark(row.progress)] : []
    return place('sent', null, [
      ...(isOutside ? [OUTSIDE_REASON] : []),
      ...startedRemarks,
      ...remarks,
    ])
  }
}

/** Limits the rows to those nearest to the current time, without changing their order. */
function nearestToNow(
  rows: readonly WorklistRow[],
  matching: readonly number[],
  { maxRows, now }: ResultRules,
): readonly number[] {
  if (matching.length <= maxRows) return matching
  const at = secondsAt(daOf(now.day), now.time)
  const distance = new Map(
    matching.map((index) => {
      const { ScheduledProcedureStepStartDate: date, ScheduledProcedureStepStartTime: time } =
        rowAt(rows, index).values
      return [index, Math.abs(secondsAt(date, time) - at)]
    }),
  )
  const kept = new Set(
    [...matching].sort((a, b) => (distance.get(a) ?? 0) - (distance.get(b) ?? 0)).slice(0, maxRows),
  )
  return matching.filter((index) => kept.has(index))
}

/** Size in bytes of a batch of identifiers. */
const BATCH_BYTES = 192 << 10

/**
 * Encodes the identifiers of the chosen rows on demand, so that a modality that stops reading holds
 * at most one batch in memory. Rejects with the abort reason of the signal.
 */
export async function* identifiersOf(
  { rows }: AnswerRows,
  chosen: Uint32Array,
  encoder: IdentifierEncoder,
  textFor: RowTextEncoder,
  signal: AbortSignal,
): AsyncGenerator<EncodedIdentifiers, void, void> {
  let scratch = Buffer.allocUnsafe(BATCH_BYTES)
  for (let first = 0; first < chosen.length; ) {
    if (first > 0) await yieldToEventLoop(signal)
    const ends: number[] = []
    let at = 0
    while (at < BATCH_BYTES && first + ends.length < chosen.length) {
      const row = rowAt(rows, chosen[first + ends.length] ?? 0)
      const needed = at + encoder.maxSize(row)
      if (needed > scratch.length) scratch = Buffer.concat([scratch.subarray(0, at)], needed * 2)
      at = encoder.write(scratch, at, row, textFor(row))
      ends.push(at)
    }
    first += ends.length
    // Copied to the exact size, because the batch may be cached for long.
    const bytes = Buffer.allocUnsafeSlow(at)
    scratch.copy(bytes, 0, 0, at)
    yield { bytes, ends: Uint32Array.from(ends) }
  }
}

async function yieldToEventLoop(signal: AbortSignal): Promise<void> {
  await setImmediate()
  signal.throwIfAborted()
}
