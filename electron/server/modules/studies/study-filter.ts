import { quote, type SearchWords } from '#server/database/search-words.ts'
import { SEVERITIES, type Severity } from '#shared/contract/values.ts'
import { FACETS } from './search-index.ts'
import { type Area, STATUSES_OF, type StudyStatus } from './study-facet.ts'
import type { Span } from './study-list-queries.ts'
import type { StudyRecord } from './study-queries.ts'

/**
 * What narrows the window's list of an area; undefined does not, null asks for studies that have
 * none.
 */
export interface StudyFilter {
  readonly area: Area
  /** As it was typed: each word for itself, by the rules of `search-text.ts`. */
  readonly search: string
  readonly severities?: readonly Severity[] | undefined
  readonly statuses?: readonly StudyStatus[] | undefined
  readonly isCancelled?: boolean | undefined
  readonly assignedTo?: string | null | undefined
  readonly expressCustomerId?: string | null | undefined
  readonly madeIn?: Span | undefined
  /** Only studies whose signed report needs an addendum. */
  readonly needsAddendum?: boolean | undefined
  /** Only studies of these are there at all, for whoever asks. */
  readonly seenCustomerIds?: readonly string[] | undefined
}

/** The customers whose studies are shown; undefined: of all and of none. */
export function customersShown({
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

/** Whether every filter but the search lets the study through; that it may be seen is not asked. */
export function isLetThrough(study: StudyRecord, filter: StudyFilter): boolean {
  const { severities, statuses, isCancelled, assignedTo, expressCustomerId, madeIn } = filter
  return (
    (severities?.includes(study.severity) ?? true) &&
    (statuses?.includes(study.status) ?? true) &&
    (isCancelled === undefined || isCancelled === (study.cancelledAt !== null)) &&
    (assignedTo === undefined || assignedTo === study.assignedTo) &&
    (expressCustomerId === undefined || expressCustomerId === study.expressCustomerId) &&
    (madeIn === undefined || isMadeIn(study, madeIn))
  )
}

export const isMadeIn = (
  { createdAt }: Pick<StudyRecord, 'createdAt'>,
  { since, until }: Span,
): boolean => (since === null || createdAt >= since) && (until === null || createdAt < until)

/** FTS5 expressions over the words of an area: what the filters let through, and what they hide. */
export interface FilterExpressions {
  /** What may be seen; undefined: all. */
  readonly seen: string | undefined
  /** One for each filter. */
  readonly shown: readonly string[]
  /** Of what `base` holds for, what some filter hides; undefined: they hide nothing. */
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
  /** The words of values that are few: what is not among them has another of them. */
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
  const few = [
    ...parts(SEVERITIES, severities, FACETS.severity),
    ...parts(STATUSES_OF[area], statuses, FACETS.status),
    ...parts(
      [true, false],
      isCancelled === undefined ? undefined : [isCancelled],
      FACETS.cancelled,
    ),
  ]
  const many = [
    ...(assignedTo === undefined ? [] : [word(FACETS.assignedTo(assignedTo))]),
    ...(expressCustomerId === undefined ? [] : [word(FACETS.customer(expressCustomerId))]),
  ]
  return {
    seen: seenCustomerIds && anyOf(seenCustomerIds.map((id) => word(FACETS.customer(id)))),
    shown: [...few.map(({ shown }) => anyOf(shown)), ...many],
    hidden(base) {
      const others = few.flatMap((one) => one.others)
      const hidden = [
        ...(others.length === 0 ? [] : [`(${base} AND ${anyOf(others)})`]),
        ...many.map((one) => `(${base} NOT ${one})`),
      ]
      return hidden.length === 0 ? undefined : hidden.join(' OR ')
    },
  }
}

const anyOf = (words: readonly string[]): string => `(${words.join(' OR ')})`
