import type { Database } from './database.ts'
import { folded } from './folding.ts'
import { isShort, matchOf } from './grams.ts'
import { rawQuery } from './raw-query.ts'
import { type Area, type FacetFilter, facetsOf } from './study-facet.ts'

/** Filters of a list of studies; undefined does not filter, null asks for studies that have none. */
export interface StudyQuery extends FacetFilter {
  readonly area: Area
  readonly assignedTo?: string | null | undefined
  /** Any of these customers; null stands for none. */
  readonly expressCustomerIds?: readonly (string | null)[] | undefined
  readonly createdByApiKeyId?: string | undefined
  /** Contained in the description, without regard to case and accents. */
  readonly studyDescription?: string | undefined
  /** Only studies made before the one with this sequence number. */
  readonly before?: number | undefined
  readonly limit: number
}

const NO_END = Number.MAX_SAFE_INTEGER
/** Branches of one statement; SQLite takes 500. */
const MOST_BRANCHES = 120
/** Candidates read in the order of the list before the index of grams is asked. */
const FIRST_CANDIDATES = { short: 4000, filtered: 1000 }
/** The index of contained text of each area. */
export const GRAMS = { viewer: 'viewerStudyGrams', scribe: 'scribeStudyGrams' } as const satisfies Record<Area, string>

/** One run through an index in the order of the list: it names every column before the sequence number. */
interface Branch {
  readonly index: string
  readonly where: string
  readonly parameters: readonly unknown[]
}

/**
 * Sequence numbers of the studies asked for, newest first. Whatever the filters, the plan is a merge of index runs that are in the order of
 * the list already, so that a page costs what it shows: no scan of all rows, no sort of all hits. A contains-filter reads the first
 * candidates of that merge, which settles a common term or a narrow filter, then the gram index, newest first.
 */
export function studySequence(db: Database, query: StudyQuery): number[] {
  const term = folded(query.studyDescription ?? '')
  const branches = branchesOf(query)
  if (branches.length === 0) return []
  const before = query.before ?? NO_END
  if (term === '') return merged(db, branches, before, query.limit, '').map(({ seq }) => seq)

  const found: number[] = []
  let below = before
  const count = isShort(term) ? FIRST_CANDIDATES.short : isNarrowed(query) ? FIRST_CANDIDATES.filtered : 0
  if (count > 0) {
    const candidates = merged(db, branches, before, count, ', descriptionFolded')
    for (const { seq, descriptionFolded } of candidates) if (descriptionFolded?.includes(term)) found.push(seq)
    if (found.length >= query.limit || candidates.length < count) return found.slice(0, query.limit)
    below = candidates.at(-1)?.seq ?? below
  }
  return [...found, ...byGrams(db, query, term, below, query.limit - found.length)]
}

const isNarrowed = ({ assignedTo, expressCustomerIds, createdByApiKeyId, statuses, severity, isCancelled }: StudyQuery) =>
  [assignedTo, expressCustomerIds, createdByApiKeyId, statuses, severity, isCancelled].some((filter) => filter !== undefined)

function branchesOf(query: StudyQuery): Branch[] {
  const { area, assignedTo, expressCustomerIds, createdByApiKeyId } = query
  const facets = facetsOf(area, query)
  const customers = expressCustomerIds && [...new Set(expressCustomerIds)]
  if (customers?.length === 0) return []
  if (createdByApiKeyId !== undefined) {
    const rest = [
      ...(assignedTo === undefined ? [] : [{ text: ' and assignedTo is ?', values: [assignedTo] }]),
      ...(customers ? [{ text: ` and (${customers.map(() => 'expressCustomerId is ?').join(' or ')})`, values: customers }] : []),
    ]
    const where = `createdByApiKeyId = ? and facet = ?${rest.map(({ text }) => text).join('')}`
    const values = rest.flatMap((one) => one.values)
    return facets.map((facet) => ({ index: 'studiesByKey', where, parameters: [createdByApiKeyId, facet, ...values] }))
  }
  if (customers) {
    const isBoth = assignedTo !== undefined
    const index = isBoth ? 'studiesByAssigneeAndCustomer' : 'studiesByCustomer'
    const where = `${isBoth ? 'assignedTo is ? and ' : ''}expressCustomerId is ? and facet = ?`
    return customers.flatMap((customer) =>
      facets.map((facet) => ({ index, where, parameters: [...(isBoth ? [assignedTo] : []), customer, facet] })),
    )
  }
  if (assignedTo !== undefined) {
    return facets.map((facet) => ({ index: 'studiesByAssignee', where: 'assignedTo is ? and facet = ?', parameters: [assignedTo, facet] }))
  }
  if (!isNarrowed(query)) return [{ index: 'studiesByArea', where: 'area = ?', parameters: [area] }]
  return facets.map((facet) => ({ index: 'studiesByFacet', where: 'facet = ?', parameters: [facet] }))
}

interface Candidate {
  readonly seq: number
  readonly descriptionFolded?: string
}

function merged(db: Database, branches: readonly Branch[], before: number, limit: number, more: string): Candidate[] {
  const parts = mergesOf(branches, before, limit, more).map(({ text, parameters }) => db.all(rawQuery<Candidate>(text, parameters)))
  if (parts.length === 1) return parts[0] ?? []
  // Each part has at most `limit` rows.
  return parts
    .flat()
    .sort((a, b) => b.seq - a.seq)
    .slice(0, limit)
}

interface Statement {
  readonly text: string
  readonly parameters: readonly unknown[]
}

/** The statements of a list without a contains-filter; the tests look at their plans. */
export const statementsOf = (query: StudyQuery): Statement[] => mergesOf(branchesOf(query), query.before ?? NO_END, query.limit, '')

function mergesOf(branches: readonly Branch[], before: number, limit: number, more: string): Statement[] {
  const statements: Statement[] = []
  for (let start = 0; start < branches.length; start += MOST_BRANCHES) {
    const some = branches.slice(start, start + MOST_BRANCHES)
    // A number would be bound as a floating-point value beyond 32 bits, which FTS5 does not take as a row id.
    const parameters = [...some.flatMap((branch) => [...branch.parameters, BigInt(before)]), limit]
    statements.push({ text: mergeSql(some, more), parameters })
  }
  return statements
}

/** SQLite merges the branches lazily ("MERGE (UNION ALL)"): each gives its rows in the order of the list. */
export const mergeSql = (branches: readonly Pick<Branch, 'index' | 'where'>[], more: string): string =>
  `${branches
    .map(({ index, where }) => `select seq${more} from studies indexed by ${index} where ${where} and seq < ?`)
    .join(' union all ')} order by seq desc limit ?`

function byGrams(db: Database, query: StudyQuery, term: string, before: number, limit: number): number[] {
  const { area, assignedTo, expressCustomerIds, createdByApiKeyId } = query
  const tests: { readonly text: string; readonly values: readonly unknown[] }[] = [
    { text: 'instr(studies.descriptionFolded, ?) > 0', values: [term] },
  ]
  const facets = facetsOf(area, query)
  if ([query.statuses, query.severity, query.isCancelled].some((filter) => filter !== undefined))
    tests.push({ text: `facet in (${facets.map(() => '?').join(', ')})`, values: facets })
  if (assignedTo !== undefined) tests.push({ text: 'assignedTo is ?', values: [assignedTo] })
  if (createdByApiKeyId !== undefined) tests.push({ text: 'createdByApiKeyId = ?', values: [createdByApiKeyId] })
  if (expressCustomerIds)
    tests.push({ text: `(${expressCustomerIds.map(() => 'expressCustomerId is ?').join(' or ')})`, values: expressCustomerIds })
  const text = gramSql(
    area,
    tests.map((test) => test.text),
  )
  const parameters = [matchOf(term), BigInt(before), ...tests.flatMap((test) => test.values), limit]
  return db.all(rawQuery<{ seq: number }>(text, parameters)).map(({ seq }) => seq)
}

// FTS5 gives its rows by falling rowid without sorting; `cross join` keeps it the outer loop.
export const gramSql = (area: Area, tests: readonly string[]): string =>
  `select grams.rowid as seq from ${GRAMS[area]} as grams cross join studies on studies.seq = grams.rowid
   where grams.${GRAMS[area]} match ? and grams.rowid < ? and ${tests.join(' and ')} order by grams.rowid desc limit ?`
