import type { Database } from '#server/database/database.ts'

/** A question to the partner for a worklist. */
export interface AnswerKey {
  readonly callingAe: string
  /** `YYYY-MM-DD`, both days included. */
  readonly dateStart: string
  readonly dateEnd: string
  /** Null: not narrowed to a modality. */
  readonly modality: string | null
}

/** The partner's last good answer to a question. */
export interface AnswerRecord extends AnswerKey {
  /** The body as received, in `documents`. */
  readonly documentHash: string
  readonly receivedAt: string
  /** Rows in it. */
  readonly items: number
}

export interface AnswersStore {
  /** Takes the place of the earlier answer to the same question. */
  put(answer: AnswerRecord): void
  /**
   * The newest answer to the same AE that holds all that is asked for: its days include those, its
   * modality is that or none.
   */
  covering(asked: AnswerKey): AnswerRecord | undefined
  /** The answers whose days include the day, newest first. */
  holding(day: string): AnswerRecord[]
  /** When the newest of all was received. */
  newest(): string | undefined
  /** Forgets every answer given to the AE; how many there were. */
  forget(callingAe: string): number
  /** Forgets answers received before the instant. */
  purge(before: string): number
}

export function answersStore(db: Database): AnswersStore {
  return {
    put(answer) {
      const row = { ...answer, modality: answer.modality ?? '' }
      db.run(
        db.sql
          .insertInto('answers')
          .values(row)
          .onConflict((old) =>
            old.columns(['callingAe', 'dateStart', 'dateEnd', 'modality']).doUpdateSet(row),
          ),
      )
    },
    covering({ callingAe, dateStart, dateEnd, modality }) {
      const row = db.get(
        db.sql
          .selectFrom('answers')
          .selectAll()
          .where('callingAe', '=', callingAe)
          .where('dateStart', '<=', dateStart)
          .where('dateEnd', '>=', dateEnd)
          .where('modality', 'in', modality === null ? [''] : ['', modality])
          .orderBy('receivedAt', 'desc')
          .limit(1),
      )
      return row && { ...row, modality: row.modality === '' ? null : row.modality }
    },
    holding: (day) =>
      db
        .all(
          db.sql
            .selectFrom('answers')
            .selectAll()
            .where('dateStart', '<=', day)
            .where('dateEnd', '>=', day)
            .orderBy('receivedAt', 'desc'),
        )
        .map((row) => ({ ...row, modality: row.modality === '' ? null : row.modality })),
    newest: () =>
      db.get(
        db.sql.selectFrom('answers').select('receivedAt').orderBy('receivedAt', 'desc').limit(1),
      )?.receivedAt,
    forget: (callingAe) =>
      db.run(db.sql.deleteFrom('answers').where('callingAe', '=', callingAe)).changes,
    purge: (before) =>
      db.run(db.sql.deleteFrom('answers').where('receivedAt', '<', before)).changes,
  }
}
