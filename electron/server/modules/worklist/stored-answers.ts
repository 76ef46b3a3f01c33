import type { Context } from '#server/context.ts'
import { reportError } from '#server/platform/log.ts'
import {
  type AnswerKey,
  type AnswerRecord,
  deleteAnswersOf,
  findCoveringAnswer,
  putAnswer,
  storeDocument,
} from './queries.ts'

/** A valid answer that could not be written yet. */
interface UnwrittenAnswer {
  readonly record: AnswerRecord
  readonly body: Buffer
}

const MAX_UNWRITTEN_BYTES = 32 << 20

/**
 * The last valid answer to each request, in the database. An answer that cannot be written is held
 * in memory, is found like the others, and is written with the next answer, because devices must be
 * served anyway.
 */
export class StoredAnswers {
  readonly #context: Context
  readonly #unwritten = new Map<string, UnwrittenAnswer>()
  /**
   * AE titles whose answers could not be deleted. Answers received up to that instant (milliseconds
   * since 1970) are void.
   */
  readonly #voided = new Map<string, number>()

  constructor(context: Context) {
    this.#context = context
  }

  /**
   * Stores an answer; durable when the promise resolves, or held in memory. An answer without a
   * valid row is stored as a document only and does not replace a valid one.
   */
  async keep(record: AnswerRecord, body: Buffer, isGood: boolean): Promise<void> {
    const { database } = this.#context
    const earlier = [...this.#unwritten]
    const voided = [...this.#voided.keys()]
    try {
      await database.commitSoon(() => {
        for (const aeTitle of voided) deleteAnswersOf(database, aeTitle)
        for (const [, answer] of earlier) {
          storeDocument(this.#context, answer.body, answer.record.documentHash)
          putAnswer(database, answer.record)
        }
        storeDocument(this.#context, body, record.documentHash)
        if (isGood) putAnswer(database, record)
      })
      for (const aeTitle of voided) this.#voided.delete(aeTitle)
      for (const [key, answer] of earlier)
        if (this.#unwritten.get(key) === answer) this.#unwritten.delete(key)
    } catch (error) {
      reportError(this.#context, error)
      if (isGood) this.#hold({ record, body })
    }
  }

  #hold(answer: UnwrittenAnswer): void {
    const { callingAe, dateStart, dateEnd, modality } = answer.record
    const newest = [callingAe, dateStart, dateEnd, modality].join('\n')
    this.#unwritten.delete(newest)
    this.#unwritten.set(newest, answer)
    let bytes = 0
    for (const [key, { body }] of [...this.#unwritten].reverse()) {
      bytes += body.length
      if (bytes > MAX_UNWRITTEN_BYTES && key !== newest) this.#unwritten.delete(key)
    }
  }

  /** Deletes every answer for an AE title that may no longer be authorized to receive them. */
  async forget(callingAe: string): Promise<void> {
    const { database } = this.#context
    for (const [key, { record }] of this.#unwritten)
      if (record.callingAe === callingAe) this.#unwritten.delete(key)
    this.#voided.set(callingAe, this.#context.clock())
    try {
      await database.commitSoon(() => deleteAnswersOf(database, callingAe))
      this.#voided.delete(callingAe)
    } catch (error) {
      reportError(this.#context, error)
    }
  }

  /**
   * The newest answer that covers the request, see `findCoveringAnswer`; with its body if it could
   * not be written.
   */
  find(question: AnswerKey): { readonly record: AnswerRecord; readonly body?: Buffer } | undefined {
    const written = findCoveringAnswer(this.#context.database, question)
    const held = this.#unwrittenFor(question)
    const found =
      held && !(written && written.receivedAt > held.record.receivedAt)
        ? held
        : written && { record: written }
    const voidUntil = this.#voided.get(question.callingAe)
    const isVoid =
      found && voidUntil !== undefined && Date.parse(found.record.receivedAt) <= voidUntil
    return isVoid ? undefined : found
  }

  #unwrittenFor({ callingAe, dateStart, dateEnd, modality }: AnswerKey) {
    return [...this.#unwritten.values()]
      .filter(
        ({ record }) =>
          record.callingAe === callingAe &&
          record.dateStart <= dateStart &&
          record.dateEnd >= dateEnd &&
          (record.modality === null || record.modality === modality),
      )
      .sort((a, b) => (a.record.receivedAt < b.record.receivedAt ? 1 : -1))[0]
  }
}
