import { createHash } from 'node:crypto'
import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { folded } from '#server/platform/text.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import type { AssociationCounts, AssociationSummary } from '#shared/contract/dashboard-activity.ts'
import { englishText } from '#shared/messages/english.ts'
import { type Message, storedMessage, storedOrEmpty } from '#shared/messages/message.ts'
import { messageFromStored, messageOrNull } from '#shared/messages/message-schema.ts'

/** A line as stored, without the values of its association. */
export type AssociationLine = Omit<FeedLine, 'associationId' | 'aeTitle' | 'address'>

export interface AssociationRow extends AssociationSummary {
  /** Number of lines that were not stored. */
  readonly omitted: number
}

/** Filter and start position of a scan. */
export interface AssociationScan {
  /** Only rows with a smaller sequence number. */
  readonly before: number
  readonly limit: number
  readonly show: 'all' | 'open' | 'rejected' | 'failed'
  readonly aeTitle?: string | undefined
  readonly address?: string | undefined
  /** Text that the row must contain; case and accents are ignored. */
  readonly search?: string | undefined
}

/** Maximum number of rows that one query examines. */
const SCAN_LIMIT = 4000
/**
 * Maximum number of distinct terms. Devices propose the same terms every day, so a clinic needs
 * few.
 */
const MAX_TERMS = 1000

const COUNT_COLUMNS = [
  ...([
    'echoes',
    'queries',
    'exams',
    'instances',
    'bytes',
    'steps',
    'commitments',
    'failures',
  ] as const),
] satisfies (keyof AssociationCounts)[]
const FIXED_COLUMNS = [
  'associationId',
  'deviceId',
  'deviceName',
  'aeTitle',
  'calledAeTitle',
  'address',
  'tls',
  'openedAt',
] as const
const UPDATED_COLUMNS = [
  'endedAt',
  'how',
  'detail',
  'tone',
  'times',
  ...COUNT_COLUMNS,
  'omitted',
] as const
const COLUMNS = [...FIXED_COLUMNS, ...UPDATED_COLUMNS]

const UPSERT_ASSOCIATION = `insert into associations (${COLUMNS.join(', ')}, folded, termsId) values (${COLUMNS.map(() => '?').join(', ')}, ?, ?)
  on conflict (associationId) do update set ${[...UPDATED_COLUMNS, 'folded'].map((name) => `${name} = excluded.${name}`).join(', ')}`
const ADD_LINES = `insert or ignore into associationLines
  select seq, value ->> 'lineId', value ->> 'at', value ->> 'kind', value ->> 'tone', value ->> 'text', value ->> 'inspectionId',
    value ->> 'studyInstanceUid'
  from associations, json_each(?) where associationId = ?`
const SELECT_LINES = `select lineId, at, kind, tone, text, inspectionId, studyInstanceUid from associationLines where seq = ? order by lineId`

// The conditions must match those of the partial indexes of migration 8 literally.
const FILTERS = {
  open: `how = 'open'`,
  rejected: `how = 'rejected'`,
  failed: `(how in ('aborted', 'lost') or failures > 0)`,
} as const

type StoredAssociation = Omit<AssociationRow, 'counts' | 'detail'> &
  AssociationCounts & {
    readonly detail: string
    readonly seq: number
    readonly termsId: number | null
  }

const rowOf = (flat: StoredAssociation): AssociationRow & { readonly seq: number } => {
  const counts = Object.fromEntries(
    COUNT_COLUMNS.map((name) => [name, flat[name]]),
  ) as AssociationCounts
  const row = Object.fromEntries(
    COLUMNS.filter((name) => !(COUNT_COLUMNS as readonly string[]).includes(name)).map((name) => [
      name,
      flat[name],
    ]),
  )
  const detail = messageOrNull(flat.detail)
  return { ...row, detail, counts, seq: flat.seq } as AssociationRow & { readonly seq: number }
}

/**
 * Inserts or updates an association. `terms` is the JSON of the negotiated terms, which
 * associations with the same terms share.
 */
export function putAssociation(
  database: Database,
  { counts, detail, ...row }: AssociationRow,
  terms?: string,
): void {
  const flatRow: Readonly<Record<string, unknown>> = {
    ...row,
    ...counts,
    detail: storedOrEmpty(detail),
  }
  const { deviceName, aeTitle, calledAeTitle, address } = row
  const detailText = detail ? englishText(detail) : ''
  const values = COLUMNS.map((name) => flatRow[name])
  database.run(
    rawQuery(UPSERT_ASSOCIATION, [
      ...values,
      folded([deviceName, aeTitle, calledAeTitle, address, detailText].join('\n')),
      termsIdOf(database, terms),
    ]),
  )
}

/** Appends lines to an association; they are ignored if it does not exist. */
export function appendAssociationLines(
  database: Database,
  associationId: string,
  lines: readonly AssociationLine[],
): void {
  if (lines.length > 0) database.run(rawQuery(ADD_LINES, [JSON.stringify(lines), associationId]))
}

/** Scans a limited number of rows, newest first. `next` is where the scan can continue. */
export function scanAssociations(
  database: Database,
  { before, limit, show, aeTitle, address, search }: AssociationScan,
): {
  readonly items: readonly (AssociationRow & { readonly seq: number })[]
  readonly next?: number
} {
  const conditions: readonly (readonly [condition: string, value?: string])[] = [
    ...(aeTitle ? ([['aeTitle = ?', aeTitle]] as const) : []),
    ...(address ? ([['address = ?', address]] as const) : []),
    ...(show === 'all' ? [] : ([[FILTERS[show]]] as const)),
    ...(search ? ([['instr(folded, ?) > 0', folded(search)]] as const) : []),
  ]
  // The first condition has an index, unless it is the search. Matches of the other conditions may
  // be rare, so a limited number of rows is examined per call.
  const usesIndex = conditions[0]?.[0].startsWith('instr') === false
  const [first, rest] = usesIndex ? [conditions.slice(0, 1), conditions.slice(1)] : [[], conditions]
  const textOf = (some: typeof conditions) => some.map(([condition]) => condition).join(' and ')
  const valuesOf = (some: typeof conditions) =>
    some.flatMap(([, value]) => (value === undefined ? [] : [value]))
  const from = `from associations where ${[textOf(first), 'seq < ?'].filter(Boolean).join(' and ')} order by seq desc`
  const part = [...valuesOf(first), before]
  const rows =
    rest.length === 0
      ? database.all(rawQuery<StoredAssociation>(`select * ${from} limit ?`, [...part, limit]))
      : database.all(
          rawQuery<StoredAssociation>(
            `select * from (select * ${from} limit ${SCAN_LIMIT}) where ${textOf(rest)} limit ?`,
            [...[...part, ...valuesOf(rest), limit]],
          ),
        )
  const last = rows.at(-1)
  if (rows.length === limit && last) return { items: rows.map(rowOf), next: last.seq }
  if (rest.length === 0) return { items: rows.map(rowOf) }
  const end = database.get(
    rawQuery<{ seq: number }>(`select seq ${from} limit 1 offset ${SCAN_LIMIT - 1}`, part),
  )
  return { items: rows.map(rowOf), ...(end && { next: end.seq }) }
}

export function readAssociation(
  database: Database,
  associationId: string,
):
  | (AssociationRow & { readonly lines: AssociationLine[]; readonly terms: string | null })
  | undefined {
  const storedRow = database.get(
    rawQuery<StoredAssociation>('select * from associations where associationId = ?', [
      associationId,
    ]),
  )
  if (!storedRow) return undefined
  const terms =
    storedRow.termsId === null
      ? undefined
      : database.get(
          rawQuery<{ terms: string }>('select terms from associationTerms where termsId = ?', [
            storedRow.termsId,
          ]),
        )
  const { seq, ...row } = rowOf(storedRow)
  return {
    ...row,
    lines: database
      .all(rawQuery<AssociationLine & { readonly text: string }>(SELECT_LINES, [seq]))
      .map((line) => ({ ...line, text: messageFromStored(line.text) })),
    terms: terms?.terms ?? null,
  }
}

/** Marks associations that were open when the gateway terminated; returns their number. */
export const markAssociationsLost = (database: Database, why: Message): number =>
  database.run(
    rawQuery(
      `update associations set how = 'lost', tone = 'warning', detail = ? where how = 'open'`,
      [storedMessage(why)],
    ),
  ).changes

/**
 * Deletes at most `limit` associations that were opened before the given time or are not among the
 * newest `most`.
 */
export function purgeAssociations(
  database: Database,
  before: string,
  most: number,
  limit: number,
): number {
  const { changes } = database.run(
    rawQuery(
      `delete from associations where seq in (
            select seq from associations where openedAt < ? and how <> 'open'
            union all select seq from associations where how <> 'open' and seq <= (select max(seq) from associations) - ? limit ?)`,
      [before, most, limit],
    ),
  )
  if (changes > 0) {
    const unused =
      'not exists (select 1 from associations where associations.termsId = associationTerms.termsId)'
    database.run(rawQuery(`delete from associationTerms where ${unused}`, []))
  }
  return changes
}

function termsIdOf(database: Database, terms: string | undefined): number | null {
  if (terms === undefined) return null
  const hash = createHash('sha256').update(terms).digest('hex')
  const find = () =>
    database.get(
      rawQuery<{ termsId: number }>('select termsId from associationTerms where hash = ?', [hash]),
    )?.termsId
  const known = find()
  if (known !== undefined) return known
  database.run(
    rawQuery(
      'insert into associationTerms (hash, terms) select ?, ? where (select count(*) from associationTerms) < ?',
      [...[hash, terms, MAX_TERMS]],
    ),
  )
  return find() ?? null
}
