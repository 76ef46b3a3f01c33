import type { Context } from '#server/context.ts'
import type { AssociationInfo } from '#server/dicom/dimse/service.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { InspectionSummary } from '#shared/contract/worklist.ts'
import type { SharedDocument } from './inspector.ts'
import { CANCELLED, type Visit } from './query-context.ts'
import type { Answer } from './worklist-cache.ts'

export interface RepeatsDeps {
  readonly store: Pick<Context, 'database' | 'inspections'>
  /**
   * Repeats were counted on a record, which has `times` of them more. Nothing about a patient is in
   * the summary.
   */
  readonly onRepeated?: (summary: InspectionSummary, times: number, associationId: string) => void
  /** What was counted is not written yet, and is tried again with the next one. */
  readonly onUncounted?: (error: unknown) => void
}

/** The last record of an association, and what was asked and answered in it. */
interface Last {
  readonly summary: InspectionSummary
  readonly associationId: string
  /** An association that is open for hours keeps no list in memory. */
  readonly document: WeakRef<SharedDocument>
  readonly answer: WeakRef<Answer>
  readonly status: number
  /** Of its record. */
  repeats: number
  /** Not written yet. */
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
export function openRepeats({ store, onRepeated, onUncounted }: RepeatsDeps) {
  const lasts = new WeakMap<AssociationInfo, Last>()
  const uncounted = new Set<Last>()
  let timer: NodeJS.Timeout | undefined

  let writing: Promise<void> = Promise.resolve()

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write)
    return writing
  }

  async function write(): Promise<void> {
    const counted = [...uncounted].map((last) => ({
      last,
      times: last.times,
      lastAt: instantOf(last.at),
    }))
    // Taken at once: more may be counted before this is durable.
    for (const { last } of counted) last.times = 0
    uncounted.clear()
    if (counted.length === 0) return
    try {
      await store.database.commitSoon(() => {
        for (const { last, times, lastAt } of counted)
          store.inspections.repeat(last.summary.inspectionId, times, lastAt)
      })
    } catch (error) {
      for (const { last, times } of counted) {
        last.times += times
        uncounted.add(last)
      }
      onUncounted?.(error)
      return
    }
    for (const { last, times, lastAt } of counted) {
      last.repeats += times
      onRepeated?.({ ...last.summary, repeats: last.repeats, lastAt }, times, last.associationId)
    }
  }

  return {
    /** The record on which the visit is counted; undefined where it needs one of its own. */
    count({ at, request, answered, kept, final, trouble }: Visit): InspectionSummary | undefined {
      const last = lasts.get(request.association)
      if (!last || trouble || answered?.source !== 'fresh') return undefined
      const isSame =
        kept && kept.document === last.document.deref() && answered.answer === last.answer.deref()
      if (!isSame || final.status !== last.status) return undefined
      last.times++
      last.at = at
      uncounted.add(last)
      timer ??= setTimeout(() => void flush(), WRITTEN_EACH_MS).unref()
      return last.summary
    },

    /** The visit has a record, durable, with which those to come are compared. */
    note(
      { at, request: { association }, answered, kept, final, trouble }: Visit,
      summary: InspectionSummary,
    ): void {
      if (!answered || !kept || trouble || final === CANCELLED) lasts.delete(association)
      else {
        const { associationId } = association
        lasts.set(association, {
          ...{
            summary,
            associationId,
            document: new WeakRef(kept.document),
            answer: new WeakRef(answered.answer),
            status: final.status,
          },
          ...{ repeats: 0, times: 0, at },
        })
      }
    },

    /** The visit has no record: the next one is to have its own. */
    forget: ({ request: { association } }: Visit): void => void lasts.delete(association),

    /** Writes what was counted; resolves when it is durable, or could not be written. */
    flush,
  }
}
