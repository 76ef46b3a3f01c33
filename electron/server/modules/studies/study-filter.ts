import { quote, type SearchWords } from '#server/database/search-words.ts'
import { SEVERITIES, type Severity } from '#shared/contract/values.ts'
import { FACETS } from './search-index.ts'
import { type Area, STATUSES_BY_AREA, type StudyStatus } from './study-facet.ts'
import type { Span } from './study-list-queries.ts'
import type { StudyRecord } from './study-queries.ts'

/**
 * The filters of the window's study list. Undefined does not filter; null matches studies without a
 * value.
 */
export interface StudyFilter {
  readonly area: Area
  /** The search text as entered; every word must match, by the rules of `search-text.ts`. */
  readonly search: string
  readonly severities?: readonly Severity[] | undefined
  readonly statuses?: readonly StudyStatus[] | undefined
  readonly isCancelled?: boolean | undefined
  readonly assignedTo?: string | null | undefined
  readonly expressCustomerId?: string | null | undefined
  readonly madeIn?: Span | undefined
  /** Only studies whose signed report needs an addendum. */
  readonly needsAddendum?: boolean | undefined
  /** The only customers whose studies the user may see; undefined if there is no restriction. */
  readonly seenCustomerIds?: readonly string[] | undefined
}

/** The customers whose studies are listed; undefined if studies are not filtered by customer. */
export function listedCustomerIds({
  expressCustomerId,
  seenCustomerIds,
}: StudyFilter): readonly (string | null)[] | undefined {
  if (expressCustomerId === undefined) return seenCustomerIds
  if (
    seenCustomerIds === undefined ||
    (expressCustomerId !== null && seenCustomerIds.includes(expressCustomerId))
  )
    return [expressCustomerId]
  return []
}

/**
 * Whether a study matches all filters except the search text. Whether the user may see it is not
 * checked.
 */
export function matchesFilters(study: StudyRecord, filter: StudyFilter): boolean {
  const { severities, statuses, isCancelled, assignedTo, expressCustomerId, madeIn } = filter
  return (
    (severities?.includes(study.severity) ?? true) &&
    (statuses?.includes(study.status) ?? true) &&
    (isCancelled === undefined || isCancelled === (study.cancelledAt !== null)) &&
    (assignedTo === undefined || assignedTo === study.assignedTo) &&
    (expressCustomerId === undefined || expressCustomerId === study.expressCustomerId) &&
    (madeIn === undefined || isCreatedIn(study, madeIn))
  )
}

export const isCreatedIn = (
  { createdAt }: Pick<StudyRecord, 'createdAt'>,
  { since, until }: Span,
): boolean => (since === null || createdAt >= since) && (until === null || createdAt < until)

/** FTS5 expressions over the word index of an area. */
export interface FilterExpressions {
  /** Matches the studies that the user may see; undefined if there is no restriction. */
  readonly seen: string | undefined
  /** One expression for each filter; a study must match all of them. */
  readonly shown: readonly string[]
  /**
   * Matches the studies that match `base` but not all filters; undefined if there are no filters.
   */
  hidden(base: string): string | undefined
}

export function expressionsOfFilter(words: SearchWords, filter: StudyFilter): FilterExpressions {
  const {
    area,
    severities,
    statuses,
    isCancelled,
    assignedTo,
    expressCustomerId,
    seenCustomerIds,
  } = filter
  const word = (facet: string) => quote(words.facet(facet))
  /**
   * Expressions for a facet with few values: a study without one of the wanted words has one of the
   * others.
   */
  const parts = <T>(
    all: readonly T[],
    wanted: readonly T[] | undefined,
    facet: (value: T) => string,
  ) =>
    wanted === undefined
      ? []
      : [
          {
            shown: wanted.map((value) => word(facet(value))),
            others: all.filter((one) => !wanted.includes(one)).map((value) => word(facet(value))),
          },
        ]
  const enumerated = [
    ...parts(SEVERITIES, severities, FACETS.severity),
    ...parts(STATUSES_BY_AREA[area], statuses, FACETS.status),
    ...parts(
      [true, false],
      isCancelled === undefined ? undefined : [isCancelled],
      FACETS.cancelled,
    ),
  ]
  const single = [
    ...(assignedTo === undefined ? [] : [word(FACETS.assignedTo(assignedTo))]),
    ...(expressCustomerId === undefined ? [] : [word(FACETS.customer(expressCustomerId))]),
  ]
  return {
    seen: seenCustomerIds && anyOf(seenCustomerIds.map((id) => word(FACETS.customer(id)))),
    shown: [...enumerated.map(({ shown }) => anyOf(shown)), ...single],
    hidden(base) {
      const others = enumerated.flatMap((one) => one.others)
      const hidden = [
        ...(others.length === 0 ? [] : [`(${base} AND ${anyOf(others)})`]),
        ...single.map((one) => `(${base} NOT ${one})`),
      ]
      return hidden.length === 0 ? undefined : hidden.join(' OR ')
    },
  }
}

const anyOf = (words: readonly string[]): string => `(${words.join(' OR ')})`
