import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { isShort, matchExpression } from '#server/database/trigrams.ts'
import { folded } from '#server/platform/text.ts'
import { type Area, type FacetFilter, facetsOf } from './study-facet.ts'

/**
 * Filters of a list of studies. Undefined does not filter; null matches studies without a value.
 */
export interface StudyQuery extends FacetFilter {
  readonly area: Area
  readonly assignedTo?: string | null | undefined
  /** Any of these customers; null stands for studies without a customer. */
  readonly expressCustomerIds?: readonly (string | null)[] | undefined
  readonly createdByApiKeyId?: string | undefined
  /** Substring of the description, ignoring case and accents. */
  readonly studyDescription?: string | undefined
  /** Only studies created before the one with this sequence number. */
  readonly before?: number | undefined
  /** Only studies created after the one with this sequence number. */
  readonly above?: number | undefined
  /** Only studies created in this time range; requires reading each row. */
  readonly madeIn?: Span | undefined
  /** Oldest first; not supported with `studyDescription`. */
  readonly isOldestFirst?: boolean | undefined
  readonly limit: number
}

/** A time range from `since` (inclusive) to `until` (exclusive); null is open. */
export interface Span {
  readonly since: string | null
  readonly until: string | null
}

const NO_END = Number.MAX_SAFE_INTEGER
/** Maximum number of branches in one statement; SQLite allows 500. */
const MAX_BRANCHES = 120
/** Number of candidates to read in list order before the gram index is used. */
const FIRST_CANDIDATES = { short: 4000, filtered: 1000 }
/** The gram index of each area, for substring search. */
export const GRAM_TABLES = {
  viewer: 'viewerStudyGrams',
  scribe: 'scribeStudyGrams',
} as const satisfies Record<Area, string>

/**
 * A scan of an index in list order. `where` constrains every column of the index before the
 * sequence number.
 */
interface Branch {
  readonly index: string
  readonly where: string
  readonly parameters: readonly unknown[]
}

/**
 * Returns the sequence numbers of the matching studies, newest first. For all filters, the query
 * plan is a merge of index scans that are already in list order, so that the cost of a page depends
 * on its size only: there is no full scan and no sort of all results. A substring filter reads the
 * first candidates of that merge, which is sufficient for a common term or a restrictive filter,
 * and then uses the gram index, newest first.
 */
export function studySequence(db: Database, query: StudyQuery): number[] {
  const term = folded(query.studyDescription ?? '')
  const branches = branchesOf(query)
  if (branches.length === 0) return []
  if (term === '')
    return mergedCandidates(db, branches, query, query.limit, '').map(({ seq }) => seq)

  const found: number[] = []
  let below = query.before ?? NO_END
  const count = isShort(term)
    ? FIRST_CANDIDATES.short
    : isNarrowed(query)
      ? FIRST_CANDIDATES.filtered
      : 0
  if (count > 0) {
    const candidates = mergedCandidates(db, branches, query, count, ', descriptionFolded')
    for (const { seq, descriptionFolded } of candidates)
      if (descriptionFolded?.includes(term)) found.push(seq)
    if (found.length >= query.limit || candidates.length < count) return found.slice(0, query.limit)
    below = candidates.at(-1)?.seq ?? below
  }
  return [...found, ...searchGrams(db, query, term, below, query.limit - found.length)]
}

const isNarrowed = ({
  assignedTo,
  expressCustomerIds,
  createdByApiKeyId,
  statuses,
  severity,
  isCancelled,
}: StudyQuery) =>
  [assignedTo, expressCustomerIds, createdByApiKeyId, statuses, severity, isCancelled].some(
    (filter) => filter !== undefined,
  )

function branchesOf(query: StudyQuery): Branch[] {
  const { area, assignedTo, expressCustomerIds, createdByApiKeyId } = query
  const facets = facetsOf(area, query)
  const customers = expressCustomerIds && [...new Set(expressCustomerIds)]
  if (customers?.length === 0) return []
  if (createdByApiKeyId !== undefined) {
    const rest = [
      ...(assignedTo === undefined ? [] : [{ text: ' and assignedTo is ?', values: [assignedTo] }]),
      ...(customers
        ? [
            {
              text: ` and (${customers.map(() => 'expressCustomerId is ?').join(' or ')})`,
              values: customers,
            },
          ]
        : []),
    ]
    const where = `createdByApiKeyId = ? and facet = ?${rest.map(({ text }) => text).join('')}`
    const values = rest.flatMap((one) => one.values)
    return facets.map((facet) => ({
      index: 'studiesByKey',
      where,
      parameters: [createdByApiKeyId, facet, ...values],
    }))
  }
  if (customers) {
    const hasAssignee = assignedTo !== undefined
    const index = hasAssignee ? 'studiesByAssigneeAndCustomer' : 'studiesByCustomer'
    const where = `${hasAssignee ? 'assignedTo is ? and ' : ''}expressCustomerId is ? and facet = ?`
    return customers.flatMap((customer) =>
      facets.map((facet) => ({
        index,
        where,
        parameters: [...(hasAssignee ? [assignedTo] : []), customer, facet],
      })),
    )
  }
  if (assignedTo !== undefined) {
    return facets.map((facet) => ({
      index: 'studiesByAssignee',
      where: 'assignedTo is ? and facet = ?',
      parameters: [assignedTo, facet],
    }))
  }
  if (!isNarrowed(query)) return [{ index: 'studiesByArea', where: 'area = ?', parameters: [area] }]
  return facets.map((facet) => ({
    index: 'studiesByFacet',
    where: 'facet = ?',
    parameters: [facet],
  }))
}

interface Candidate {
  readonly seq: number
  readonly descriptionFolded?: string
}

/** The range of sequence numbers and times, and the direction. */
type SequenceFilter = Pick<StudyQuery, 'before' | 'above' | 'madeIn' | 'isOldestFirst'>

function mergedCandidates(
  db: Database,
  branches: readonly Branch[],
  reach: SequenceFilter,
  limit: number,
  more: string,
): Candidate[] {
  const parts = mergeStatements(branches, reach, limit, more).map(({ text, parameters }) =>
    db.all(rawQuery<Candidate>(text, parameters)),
  )
  if (parts.length === 1) return parts[0] ?? []
  // Each part has at most `limit` rows.
  return parts
    .flat()
    .sort((a, b) => (reach.isOldestFirst ? a.seq - b.seq : b.seq - a.seq))
    .slice(0, limit)
}

/** Counts the studies that match the filters (without a substring filter), up to `most`. */
export function countStudySequence(
  db: Database,
  query: Omit<StudyQuery, 'studyDescription' | 'limit'>,
  most: number,
): number {
  let count = 0
  for (const { text, parameters } of statementsFor(
    branchesOf({ ...query, limit: most }),
    query,
    most,
    countSql,
  )) {
    count += db.get(rawQuery<{ count: number }>(text, parameters))?.count ?? 0
    if (count >= most) return most
  }
  return count
}

interface Statement {
  readonly text: string
  readonly parameters: readonly unknown[]
}

/**
 * The statements of a list without a substring filter; exported so that a test can check their
 * query plans.
 */
export const statementsOf = (query: StudyQuery): Statement[] =>
  mergeStatements(branchesOf(query), query, query.limit, '')

const mergeStatements = (
  branches: readonly Branch[],
  reach: SequenceFilter,
  limit: number,
  more: string,
) => statementsFor(branches, reach, limit, (some) => mergeSql(some, more, reach))

function statementsFor(
  branches: readonly Branch[],
  reach: SequenceFilter,
  limit: number,
  sqlOf: (some: readonly Branch[], reach: SequenceFilter) => string,
): Statement[] {
  const { before = NO_END, above, madeIn } = reach
  // A number beyond 32 bits would be bound as a floating-point value, which FTS5 does not accept as
  // a row ID.
  const ends = above === undefined ? [BigInt(before)] : [BigInt(above), BigInt(before)]
  const instants = madeIn ? [madeIn.since ?? '', madeIn.until ?? '\u{10ffff}'] : []
  const statements: Statement[] = []
  for (let start = 0; start < branches.length; start += MAX_BRANCHES) {
    const some = branches.slice(start, start + MAX_BRANCHES)
    const parameters = [
      ...some.flatMap((branch) => [...branch.parameters, ...ends, ...instants]),
      limit,
    ]
    statements.push({ text: sqlOf(some, reach), parameters })
  }
  return statements
}

type BranchText = Pick<Branch, 'index' | 'where'>

/**
 * SQLite merges the branches lazily ("MERGE (UNION ALL)"), because each returns its rows in list
 * order.
 */
export const mergeSql = (
  branches: readonly BranchText[],
  more: string,
  reach: SequenceFilter = {},
): string =>
  `${unionOf(branches, `seq${more}`, reach)} order by seq ${reach.isOldestFirst ? 'asc' : 'desc'} limit ?`

const countSql = (branches: readonly BranchText[], reach: SequenceFilter): string =>
  `select count(*) as count from (${unionOf(branches, '1', reach)} limit ?)`

const unionOf = (
  branches: readonly BranchText[],
  columns: string,
  { above, madeIn }: SequenceFilter,
): string => {
  const rangeCondition = `${above === undefined ? '' : 'seq > ? and '}seq < ?${madeIn ? ' and createdAt >= ? and createdAt < ?' : ''}`
  return branches
    .map(
      ({ index, where }) =>
        `select ${columns} from studies indexed by ${index} where ${where} and ${rangeCondition}`,
    )
    .join(' union all ')
}

function searchGrams(
  db: Database,
  query: StudyQuery,
  term: string,
  before: number,
  limit: number,
): number[] {
  const { area, assignedTo, expressCustomerIds, createdByApiKeyId } = query
  const tests: { readonly text: string; readonly values: readonly unknown[] }[] = [
    { text: 'instr(studies.descriptionFolded, ?) > 0', values: [term] },
  ]
  const facets = facetsOf(area, query)
  if ([query.statuses, query.severity, query.isCancelled].some((filter) => filter !== undefined))
    tests.push({ text: `facet in (${facets.map(() => '?').join(', ')})`, values: facets })
  if (assignedTo !== undefined) tests.push({ text: 'assignedTo is ?', values: [assignedTo] })
  if (createdByApiKeyId !== undefined)
    tests.push({ text: 'createdByApiKeyId = ?', values: [createdByApiKeyId] })
  if (expressCustomerIds)
    tests.push({
      text: `(${expressCustomerIds.map(() => 'expressCustomerId is ?').join(' or ')})`,
      values: expressCustomerIds,
    })
  const text = gramSql(
    area,
    tests.map((test) => test.text),
  )
  const parameters = [
    matchExpression(term),
    BigInt(before),
    ...tests.flatMap((test) => test.values),
    limit,
  ]
  return db.all(rawQuery<{ seq: number }>(text, parameters)).map(({ seq }) => seq)
}

// FTS5 returns rows in descending order of rowid without sorting; `cross join` keeps it the outer
// loop.
export const gramSql = (area: Area, tests: readonly string[]): string =>
  `select grams.rowid as seq from ${GRAM_TABLES[area]} as grams cross join studies on studies.seq = grams.rowid
   where grams.${GRAM_TABLES[area]} match ? and grams.rowid < ? and ${tests.join(' and ')} order by grams.rowid desc limit ?`
