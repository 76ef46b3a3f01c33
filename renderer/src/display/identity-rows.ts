import type { IdentityDifference } from '#shared/contract/images.ts'

/** A field that differs: what was expected, and each other value that the images say. */
export interface IdentityRow {
  readonly field: IdentityDifference['field']
  readonly expected: string
  readonly received: readonly string[]
}

/** The differences from one source, each field once: several images may each say something else. */
export function identityRows(differences: readonly IdentityDifference[], from: IdentityDifference['from']): IdentityRow[] {
  const rows = Map.groupBy(
    differences.filter((each) => each.from === from),
    ({ field, expected }) => JSON.stringify([field, expected]),
  )
  return [...rows.values()].flatMap((same) =>
    same.slice(0, 1).map(({ field, expected }) => ({ field, expected, received: same.map(({ received }) => received) })),
  )
}
