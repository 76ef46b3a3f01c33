import { Metadata } from '#shared/contract/values.ts'
import { t } from '../i18n/t.ts'

/** A line of a metadata map while it is edited: two may have the same name for a moment. */
export interface MetadataPair {
  /** Of this editing alone. */
  readonly id: number
  readonly name: string
  readonly value: string
}

export const MAX_PAIRS = 50
export const MAX_NAME_CHARACTERS = 100
export const MAX_VALUE_CHARACTERS = 1000

let lastId = 0
export const newPair = (name = '', value = ''): MetadataPair => ({ id: ++lastId, name, value })

/** The map as lines, for `MetadataFields`. */
export const pairsOf = (metadata: Metadata | null | undefined): readonly MetadataPair[] =>
  Object.entries(metadata ?? {}).map(([name, value]) => newPair(name, value))

const isBlank = ({ name, value }: MetadataPair) => name.trim() === '' && value.trim() === ''

/** The lines as a map; empty lines are left out. With faults, what it says is not to be sent. */
export const metadataOf = (pairs: readonly MetadataPair[]): Metadata =>
  Object.fromEntries(
    pairs.filter((pair) => !isBlank(pair)).map(({ name, value }) => [name.trim(), value]),
  )

/** What is wrong with the lines, by their ids; none where the map can be sent. */
export function pairFaults(pairs: readonly MetadataPair[]): ReadonlyMap<number, string> {
  const seen = new Set<string>()
  const faults = new Map<number, string>()
  for (const pair of pairs) {
    if (isBlank(pair)) continue
    const name = pair.name.trim()
    if (name === '') faults.set(pair.id, t('ui.customers.metadata.unnamed'))
    else if (seen.has(name)) faults.set(pair.id, t('ui.customers.metadata.twice'))
    else if (!Metadata.safeParse({ [name]: pair.value }).success)
      faults.set(pair.id, t('ui.customers.metadata.tooLong'))
    seen.add(name)
  }
  return faults
}

/** Whether two maps say the same. */
export function isSameMetadata(
  one: Metadata | null | undefined,
  other: Metadata | null | undefined,
): boolean {
  const entries = (map: Metadata | null | undefined) =>
    JSON.stringify(Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)))
  return entries(one) === entries(other)
}
