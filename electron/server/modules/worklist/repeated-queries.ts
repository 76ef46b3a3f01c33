import type { Context } from '#server/context.ts'
import type { AssociationInfo } from '#server/dicom/dimse/service.ts'
import { instantOf } from '#server/platform/clock.ts'
import { reportError } from '#server/platform/log.ts'
import type { InspectionSummary } from '#shared/contract/worklist.ts'
import { repeatInspection } from './inspection-queries.ts'
import { CANCELLED, type QueryRun, repeatLineOf, UNRECORDED } from './query-run.ts'
import type { SharedDocument } from './verdicts.ts'
import type { Answer } from './worklist-cache.ts'

/** The last record of an association, and what was asked and answered in it. */
interface Last {
  readonly summary: InspectionSummary
  readonly associationId: string
  /** Weak: an association that is open for hours keeps no list in memory. */
  readonly document: WeakRef<SharedDocument>
  readonly answer: WeakRef<Answer>
  readonly status: number
  /** Repeats that are not written yet. */
  times: number
  /** Milliseconds since 1970, of the newest one. */
  at: number
}

const WRITTEN_EACH_MS = 1000

/**
 * A console that asks the same on the same association, and is given the same again from an answer
 * that is still fresh, makes no record of its own: it is counted on the one before. What was asked
 * and sent is durable there already; the count is written once a second, and a crash loses the last
 * second of it. A console in a loop neither fills the inspector nor wears out the disk.
 */
export class RepeatedQueries {
  readonly #context: Context
  readonly #lasts = new WeakMap<AssociationInfo, Last>()
  readonly #unwritten = new Set<Last>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(context: Context) {
    this.#context = context
  }

  /** The record on which the query is counted; undefined where it needs one of its own. */
  count({ at, request, answered, kept, final, trouble }: QueryRun): InspectionSummary | undefined {
    const last = this.#lasts.get(request.association)
    if (!last || trouble || answered?.source !== 'fresh') return undefined
    const isSame =
      kept && kept.document === last.document.deref() && answered.answer === last.answer.deref()
    if (!isSame || final.status !== last.status) return undefined
    last.times++
    last.at = at
    this.#unwritten.add(last)
    this.#timer ??= setTimeout(() => void this.flush(), WRITTEN_EACH_MS).unref()
    return last.summary
  }

  /** Later queries of the association are compared with this one, if it has a record. */
  note(
    { at, request: { association }, answered, kept, final, trouble }: QueryRun,
    summary: InspectionSummary,
  ): void {
    const isUnrecorded = summary.inspectionId === UNRECORDED
    if (isUnrecorded || !answered || !kept || trouble || final === CANCELLED)
      return void this.#lasts.delete(association)
    this.#lasts.set(association, {
      summary,
      associationId: association.associationId,
      document: new WeakRef(kept.document),
      answer: new WeakRef(answered.answer),
      status: final.status,
      times: 0,
      at,
    })
  }

  /** Writes what was counted; resolves when it is durable, or could not be written. */
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
    // Taken at once: more may be counted before this is durable.
    for (const { last } of counted) last.times = 0
    this.#unwritten.clear()
    if (counted.length === 0) return
    try {
      await database.commitSoon(() => {
        for (const { last, times, lastAt } of counted)
          repeatInspection(database, last.summary.inspectionId, times, lastAt)
      })
    } catch (error) {
      // They are written with the next ones.
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
