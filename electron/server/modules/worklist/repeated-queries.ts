import type { Context } from '#server/context.ts'
import type { AssociationInfo } from '#server/dicom/dimse/service.ts'
import { instantOf } from '#server/platform/clock.ts'
import { reportError } from '#server/platform/log.ts'
import type { InspectionSummary } from '#shared/contract/worklist.ts'
import { recordRepeats } from './inspection-queries.ts'
import { CANCELLED, type QueryRun, repeatLineOf, UNRECORDED } from './query-run.ts'
import type { SharedDocument } from './verdicts.ts'
import type { Answer } from './worklist-cache.ts'

/** The last recorded query of an association and its answer. */
interface LastQuery {
  readonly summary: InspectionSummary
  readonly associationId: string
  /** Weak references, so that an association that is open for hours keeps no list in memory. */
  readonly document: WeakRef<SharedDocument>
  readonly answer: WeakRef<Answer>
  readonly status: number
  /** Number of repetitions not yet written. */
  times: number
  /** Time of the newest repetition, in milliseconds since 1970. */
  at: number
}

const FLUSH_INTERVAL_MS = 1000

/**
 * Counts identical queries instead of recording each of them, so that a modality that queries in a
 * loop neither fills the inspector nor wears out the disk. A query is counted on the previous
 * record if it repeats the previous query of the same association and gets the same result from an
 * answer that is still fresh. What was asked and sent is already durable there; the count is
 * written once a second, so a crash loses at most the last second of it.
 */
export class RepeatedQueries {
  readonly #context: Context
  readonly #lastQueries = new WeakMap<AssociationInfo, LastQuery>()
  readonly #unwritten = new Set<LastQuery>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(context: Context) {
    this.#context = context
  }

  /**
   * Counts the query on the previous record and returns that record; undefined if the query needs
   * its own record.
   */
  count({
    at,
    request,
    answered,
    cached,
    final,
    exception,
  }: QueryRun): InspectionSummary | undefined {
    const last = this.#lastQueries.get(request.association)
    if (!last || exception || answered?.source !== 'fresh') return undefined
    const isSame =
      cached && cached.document === last.document.deref() && answered.answer === last.answer.deref()
    if (!isSame || final.status !== last.status) return undefined
    last.times++
    last.at = at
    this.#unwritten.add(last)
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_INTERVAL_MS).unref()
    return last.summary
  }

  /** Remembers a recorded query for comparison with later queries of its association. */
  note(
    { at, request: { association }, answered, cached, final, exception }: QueryRun,
    summary: InspectionSummary,
  ): void {
    const isUnrecorded = summary.inspectionId === UNRECORDED
    if (isUnrecorded || !answered || !cached || exception || final === CANCELLED)
      return void this.#lastQueries.delete(association)
    this.#lastQueries.set(association, {
      summary,
      associationId: association.associationId,
      document: new WeakRef(cached.document),
      answer: new WeakRef(answered.answer),
      status: final.status,
      times: 0,
      at,
    })
  }

  /** Writes the counts. Resolves when they are durable or could not be written. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  async #write(): Promise<void> {
    const { database, feed } = this.#context
    const counted = [...this.#unwritten].map((last) => ({
      last,
      times: last.times,
      lastAt: instantOf(last.at),
    }))
    // Reset before the write, because more repetitions may be counted before it is durable.
    for (const { last } of counted) last.times = 0
    this.#unwritten.clear()
    if (counted.length === 0) return
    try {
      await database.commitSoon(() => {
        for (const { last, times, lastAt } of counted)
          recordRepeats(database, last.summary.inspectionId, times, lastAt)
      })
    } catch (error) {
      // Keep the counts for the next write.
      for (const { last, times } of counted) {
        last.times += times
        this.#unwritten.add(last)
      }
      reportError(this.#context, error)
      return
    }
    for (const { last, times } of counted)
      feed.append(repeatLineOf(last.summary, times, last.associationId))
  }
}
