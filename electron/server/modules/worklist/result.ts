import { setImmediate } from 'node:timers/promises'
import type { EncodedIdentifiers } from '#server/dicom/dimse/service.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { AnswerRows } from './answer.ts'
import type { RowText } from './character-set-fallback.ts'
import { daOf, secondsAt } from './dates.ts'
import type { Layout } from './layout.ts'
import { isMet, keysFor, type RowKey } from './matching.ts'
import { isPerformed, performedWords, startedRemark } from './progress.ts'
import type { WorklistQuery } from './query.ts'
import { rowAt, type WorklistRow } from './row.ts'
import { type Finding, findingTable, runsOf, type Verdict, type VerdictRuns } from './verdicts.ts'

/** What one query gets out of one answer. */
export interface WorklistResult {
  /** Indices of the rows that are sent, in the order they are. */
  readonly chosen: Uint32Array
  readonly verdicts: VerdictRuns
  readonly sent: number
  readonly filtered: number
  /**
   * Those of the filtered rows that matched and whose step is done, or begun and hidden from this
   * device.
   */
  readonly performed: number
  readonly withheld: number
  /**
   * Withheld rows that are unfit for any console or for this one; the others are closed here, or of
   * an earlier day.
   */
  readonly unfit: number
  /** Rows that matched and were too many. */
  readonly cut: number
  /** Keys that did not hold for this list. */
  readonly remarks: readonly Message[]
  /** Keywords of the keys that filtered rows, the one that filtered most first. */
  readonly filteredBy: readonly string[]
}

/** Which rows of an answer a query gets, beside its keys. */
export interface ResultRules {
  /** The days the partner was asked for in the answer that is used. */
  readonly askedFor: { readonly dateStart: string; readonly dateEnd: string }
  readonly maxRows: number
  /** Clinic-local, `YYYY-MM-DD` and `HHMMSS`. */
  readonly now: { readonly day: string; readonly time: string }
  /** Study and step of those that staff closed; undefined where the answer is no stored one. */
  readonly closedSteps: ReadonlySet<string> | undefined
  /** Rows whose step has begun are not for this device. */
  readonly hideStarted: boolean
}

/** The texts of a row as the device can be sent them. */
export type TextFor = (row: WorklistRow) => RowText

/** Rows worked on before others get a turn on the event loop. */
const SLICE = 500
const OUTSIDE = message('worklist.outside-asked')

/** Matches, orders and cuts. Rejects with the reason of the signal. */
export async function makeResult(
  list: AnswerRows,
  query: WorklistQuery,
  textFor: TextFor,
  signal: AbortSignal,
  rules: ResultRules,
): Promise<WorklistResult> {
  const { rows, order } = list
  const keys = keysFor(query.keys, list)
  const table = findingTable()
  const places = new Uint16Array(rows.length)
  const judge = judgeFor(query, keys, textFor, rules, table.place)
  const fits: number[] = []
  for (const [step, index] of order.entries()) {
    if (step > 0 && step % SLICE === 0) await turn(signal)
    const row = rowAt(rows, index)
    const place = judge(row)
    places[index] = place
    if (table.findings[place]?.verdict === 'sent') fits.push(index)
  }
  const chosen = nearest(rows, fits, rules)
  if (chosen.length < fits.length) {
    const keep = new Set(chosen)
    const cut = table.place('cut', message('worklist.list-cut', { maxRows: rules.maxRows }))
    for (const index of fits) if (!keep.has(index)) places[index] = cut
  }
  return {
    chosen: Uint32Array.from(chosen),
    verdicts: { findings: table.findings, runs: runsOf(places) },
    sent: chosen.length,
    cut: fits.length - chosen.length,
    remarks: query.keys
      .filter((key) => !keys.includes(key))
      .map(({ words }) => message('worklist.not-matched', { key: words })),
    ...countsOf(table.findings, places, keys),
  }
}

function countsOf(findings: readonly Finding[], places: Uint16Array, keys: readonly RowKey[]) {
  const rows = new Uint32Array(findings.length)
  for (const place of places) rows[place] = (rows[place] ?? 0) + 1
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

/** Why a fit row of a stored answer is withheld. */
const CLOSED = message('worklist.closed-here')
const PAST = message('worklist.dated-before-today')
export const isClosedHere = (reason: Message | null): boolean => reason?.code === CLOSED.code
export const isPast = (reason: Message | null): boolean => reason?.code === PAST.code

/** The verdict on one row: the first key it does not meet, then what keeps it back. */
function judgeFor(
  query: WorklistQuery,
  keys: readonly RowKey[],
  textFor: TextFor,
  { askedFor, now, closedSteps, hideStarted }: ResultRules,
  place: ReturnType<typeof findingTable>['place'],
): (row: WorklistRow) => number {
  const [first, last] = [daOf(askedFor.dateStart), daOf(askedFor.dateEnd)]
  // A stored answer may hold more days than would have been asked for now, and a partner may ignore
  // the days it was asked for: without a date or an order in the query, the window alone keeps them
  // away.
  const isStoredWider =
    askedFor.dateStart < query.window.dateStart || askedFor.dateEnd > query.window.dateEnd
  const isBoundByWindow = isStoredWider || !(query.namesDate || query.namesOrder)
  const [from, to] = [daOf(query.window.dateStart), daOf(query.window.dateEnd)]
  const today = daOf(now.day)
  const sent = place('sent')
  const outside = place('sent', null, [OUTSIDE])
  const filtered = keys.map((key) => ({ key, place: place('filtered', key.words) }))
  return (row) => {
    const date = row.values.ScheduledProcedureStepStartDate
    for (const { key, place: found } of filtered) if (!isMet(key, row)) return found
    if (isBoundByWindow && date !== '' && (date < from || date > to))
      return place('filtered', message('worklist.outside-days'))
    const performed = performedWords(row, hideStarted)
    if (performed) return place('filtered', performed)
    if (row.withheld) return place('withheld', row.withheld)
    if (closedSteps && date < today) return place('withheld', PAST)
    const { StudyInstanceUID, ScheduledProcedureStepID } = row.values
    if (closedSteps?.has(`${StudyInstanceUID} ${ScheduledProcedureStepID}`))
      return place('withheld', CLOSED)
    const { withheld, remarks } = textFor(row)
    if (withheld) return place('withheld', withheld)
    const isOutside = date < first || date > last
    if (remarks.length === 0 && !row.progress) return isOutside ? outside : sent
    const started = row.progress ? [startedRemark(row.progress)] : []
    return place('sent', null, [...(isOutside ? [OUTSIDE] : []), ...started, ...remarks])
  }
}

/** Too many rows are cut to those nearest to now; the order stays. */
function nearest(
  rows: readonly WorklistRow[],
  fits: readonly number[],
  { maxRows, now }: ResultRules,
): readonly number[] {
  if (fits.length <= maxRows) return fits
  const at = secondsAt(daOf(now.day), now.time)
  const distance = new Map(
    fits.map((index) => {
      const { ScheduledProcedureStepStartDate: date, ScheduledProcedureStepStartTime: time } =
        rowAt(rows, index).values
      return [index, Math.abs(secondsAt(date, time) - at)]
    }),
  )
  const kept = new Set(
    [...fits].sort((a, b) => (distance.get(a) ?? 0) - (distance.get(b) ?? 0)).slice(0, maxRows),
  )
  return fits.filter((index) => kept.has(index))
}

/** Bytes of identifiers that are made at a time. */
const BATCH = 192 << 10

/**
 * The identifiers of the chosen rows, made while they are taken: a console that stops reading keeps
 * no more than a batch in memory. Rejects with the reason of the signal.
 */
export async function* identifiersOf(
  { rows }: AnswerRows,
  chosen: Uint32Array,
  layout: Layout,
  textFor: TextFor,
  signal: AbortSignal,
): AsyncGenerator<EncodedIdentifiers, void, void> {
  let scratch = Buffer.allocUnsafe(BATCH)
  for (let first = 0; first < chosen.length; ) {
    if (first > 0) await turn(signal)
    const ends: number[] = []
    let at = 0
    while (at < BATCH && first + ends.length < chosen.length) {
      const row = rowAt(rows, chosen[first + ends.length] ?? 0)
      const needed = at + layout.bound(row)
      if (needed > scratch.length) scratch = Buffer.concat([scratch.subarray(0, at)], needed * 2)
      at = layout.write(scratch, at, row, textFor(row))
      ends.push(at)
    }
    first += ends.length
    // Kept for long, maybe: without the spare room.
    const bytes = Buffer.allocUnsafeSlow(at)
    scratch.copy(bytes, 0, 0, at)
    yield { bytes, ends: Uint32Array.from(ends) }
  }
}

async function turn(signal: AbortSignal): Promise<void> {
  await setImmediate()
  signal.throwIfAborted()
}
