import type { Mismatch } from '#shared/contract/images.ts'

/** A field that differs: what counts, and what is said elsewhere, in the order it was found. */
export interface MismatchRow {
  readonly field: Mismatch['fields'][number]['field']
  readonly one: string
  readonly others: readonly string[]
}

/** The fields in which images differ from the worklist's row. */
export const rowsBesideWorklist = ({ fields }: Pick<Mismatch, 'fields'>): MismatchRow[] =>
  fields.map(({ field, handedOut, received }) => ({ field, one: handedOut, others: [received] }))

/** The fields in which images of one study differ, each once: several images may each say something else of it. */
export function rowsAmongImages({ amongImages }: Pick<Mismatch, 'amongImages'>): MismatchRow[] {
  const rows = Map.groupBy(amongImages, ({ field, first }) => JSON.stringify([field, first]))
  return [...rows.values()].flatMap((same) =>
    same.slice(0, 1).map(({ field, first }) => ({ field, one: first, others: same.map(({ other }) => other) })),
  )
}
