import type { IdentityDifference } from '#shared/contract/images.ts'

/** A field that differs: what was expected, and each other value that the images say. */
export interface IdentityRow {
  readonly field: IdentityDifference['field']
  readonly expected: string
  readonly received: readonly string[]
}

/** One table: where the study says of every field what the worklist says, both are one. */
export interface IdentityTable {
  readonly from: IdentityDifference['from'] | 'worklist-and-study'
  readonly rows: readonly IdentityRow[]
}

/** The tables that have rows, in the order in which a person compares. */
export function identityTables(differences: readonly IdentityDifference[]): IdentityTable[] {
  const [version, worklist, study, images] = (
    ['version', 'worklist', 'study', 'images'] as const
  ).map((from) => identityRows(differences, from))
  const isSameExpectation = JSON.stringify(worklist) === JSON.stringify(study)
  const tables: IdentityTable[] = [
    { from: 'version', rows: version ?? [] },
    { from: isSameExpectation ? 'worklist-and-study' : 'worklist', rows: worklist ?? [] },
    { from: 'study', rows: isSameExpectation ? [] : (study ?? []) },
    { from: 'images', rows: images ?? [] },
  ]
  return tables.filter(({ rows }) => rows.length > 0)
}

/** The differences from one source, each field once: several images may each say something else. */
export function identityRows(
  differences: readonly IdentityDifference[],
  from: IdentityDifference['from'],
): IdentityRow[] {
  const rows = Map.groupBy(
    differences.filter((each) => each.from === from),
    ({ field, expected }) => JSON.stringify([field, expected]),
  )
  return [...rows.values()].flatMap((same) =>
    same.slice(0, 1).map(({ field, expected }) => ({
      field,
      expected,
      received: same.map(({ received }) => received),
    })),
  )
}
