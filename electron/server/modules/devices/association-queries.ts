import { createHash } from 'node:crypto'
import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { folded } from '#server/platform/text.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import type { AssociationCounts, AssociationSummary } from '#shared/contract/dashboard-activity.ts'
import { english } from '#shared/messages/english.ts'
import { type Message, storedMessage, storedOrEmpty } from '#shared/messages/message.ts'
import { messageFromStored, messageOrNull } from '#shared/messages/message-schema.ts'

/** A line as it is kept: what its association says is not said again. */
export type AssociationLine = Omit<FeedLine, 'associationId' | 'aeTitle' | 'address'>

export interface AssociationRow extends AssociationSummary {
  /** Lines that were not kept. */
  readonly omitted: number
}

/** Where the search for rows of a list goes on. */
export interface AssociationScan {
  /** Rows of a smaller number than this. */
  readonly before: number
  readonly limit: number
  readonly show: 'all' | 'open' | 'rejected' | 'failed'
  readonly aeTitle?: string | undefined
  readonly address?: string | undefined
  /** Contained in the texts of the row, folded here. */
  readonly search?: string | undefined
}

/** Rows looked at for a search between two turns of the event loop. */
const SCANNED = 4000
/** A device proposes the same day after day: more kinds than this are no clinic's. */
const MOST_TERMS = 1000

const COUNTS = [
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
const FIXED = [
  'associationId',
  'deviceId',
  'deviceName',
  'aeTitle',
  'calledAeTitle',
  'address',
  'tls',
  'openedAt',
] as const
const CHANGING = ['endedAt', 'how', 'detail', 'tone', 'times', ...COUNTS, 'omitted'] as const
const COLUMNS = [...FIXED, ...CHANGING]

const PUT = `insert into associations (${COLUMNS.join(', ')}, folded, termsId) values (${COLUMNS.map(() => '?').join(', ')}, ?, ?)
  on conflict (associationId) do update set ${[...CHANGING, 'folded'].map((name) => `${name} = excluded.${name}`).join(', ')}`
const ADD_LINES = `insert or ignore into associationLines
  select seq, value ->> 'lineId', value ->> 'at', value ->> 'kind', value ->> 'tone', value ->> 'text', value ->> 'inspectionId',
    value ->> 'studyInstanceUid'
  from associations, json_each(?) where associationId = ?`
const LINES = `select lineId, at, kind, tone, text, inspectionId, studyInstanceUid from associationLines where seq = ? order by lineId`

// Word for word the conditions of the partial indexes of migration 8.
const SHOWN = {
  open: `how = 'open'`,
  rejected: `how = 'rejected'`,
  failed: `(how in ('aborted', 'lost') or failures > 0)`,
} as const

type Flat = Omit<AssociationRow, 'counts' | 'detail'> &
  AssociationCounts & {
    readonly detail: string
    readonly seq: number
    readonly termsId: number | null
  }

const rowOf = (flat: Flat): AssociationRow & { readonly seq: number } => {
  const counts = Object.fromEntries(COUNTS.map((name) => [name, flat[name]])) as AssociationCounts
  const row = Object.fromEntries(
    COLUMNS.filter((name) => !(COUNTS as readonly string[]).includes(name)).map((name) => [
      name,
      flat[name],
    ]),
  )
  const detail = messageOrNull(flat.detail)
  return { ...row, detail, counts, seq: flat.seq } as AssociationRow & { readonly seq: number }
}

/**
 * Writes an association, or how it stands now. `terms`: JSON of what was agreed; kept once for
 * all that agreed the same.
 */
export function putAssociation(
  database: Database,
  { counts, detail, ...row }: AssociationRow,
  terms?: string,
): void {
  const flat: Readonly<Record<string, unknown>> = {
    ...row,
    ...counts,
    detail: storedOrEmpty(detail),
  }
  const { deviceName, aeTitle, calledAeTitle, address } = row
  const said = detail ? english(detail) : ''
  const values = COLUMNS.map((name) => flat[name])
  database.run(
    rawQuery(PUT, [
      ...values,
      folded([deviceName, aeTitle, calledAeTitle, address, said].join('\n')),
      termsIdOf(database, terms),
    ]),
  )
}

/** Adds lines to an association; of one that is not kept they are left out. */
export function appendAssociationLines(
  database: Database,
  associationId: string,
  lines: readonly AssociationLine[],
): void {
  if (lines.length > 0) database.run(rawQuery(ADD_LINES, [JSON.stringify(lines), associationId]))
}

/**
 * Newest first, out of a bounded number of rows; `next` is where the search goes on, where it
 * may.
 */
export function scanAssociations(
  database: Database,
  { before, limit, show, aeTitle, address, search }: AssociationScan,
): {
  readonly items: readonly (AssociationRow & { readonly seq: number })[]
  readonly next?: number
} {
  const wanted: readonly (readonly [condition: string, value?: string])[] = [
    ...(aeTitle ? ([['aeTitle = ?', aeTitle]] as const) : []),
    ...(address ? ([['address = ?', address]] as const) : []),
    ...(show === 'all' ? [] : ([[SHOWN[show]]] as const)),
    ...(search ? ([['instr(folded, ?) > 0', folded(search)]] as const) : []),
  ]
  // The first has an index, but for the search alone; what the others take of it may be rare,
  // so it is looked through in parts.
  const isByIndex = wanted[0]?.[0].startsWith('instr') === false
  const [first, rest] = isByIndex ? [wanted.slice(0, 1), wanted.slice(1)] : [[], wanted]
  const textOf = (some: typeof wanted) => some.map(([condition]) => condition).join(' and ')
  const valuesOf = (some: typeof wanted) =>
    some.flatMap(([, value]) => (value === undefined ? [] : [value]))
  const from = `from associations where ${[textOf(first), 'seq < ?'].filter(Boolean).join(' and ')} order by seq desc`
  const part = [...valuesOf(first), before]
  const rows =
    rest.length === 0
      ? database.all(rawQuery<Flat>(`select * ${from} limit ?`, [...part, limit]))
      : database.all(
          rawQuery<Flat>(
            `select * from (select * ${from} limit ${SCANNED}) where ${textOf(rest)} limit ?`,
            [...[...part, ...valuesOf(rest), limit]],
          ),
        )
  const last = rows.at(-1)
  if (rows.length === limit && last) return { items: rows.map(rowOf), next: last.seq }
  if (rest.length === 0) return { items: rows.map(rowOf) }
  const end = database.get(
    rawQuery<{ seq: number }>(`select seq ${from} limit 1 offset ${SCANNED - 1}`, part),
  )
  return { items: rows.map(rowOf), ...(end && { next: end.seq }) }
}

export function readAssociation(
  database: Database,
  associationId: string,
):
  | (AssociationRow & { readonly lines: AssociationLine[]; readonly terms: string | null })
  | undefined {
  const flat = database.get(
    rawQuery<Flat>('select * from associations where associationId = ?', [associationId]),
  )
  if (!flat) return undefined
  const terms =
    flat.termsId === null
      ? undefined
      : database.get(
          rawQuery<{ terms: string }>('select terms from associationTerms where termsId = ?', [
            flat.termsId,
          ]),
        )
  const { seq, ...row } = rowOf(flat)
  return {
    ...row,
    lines: database
      .all(rawQuery<AssociationLine & { readonly text: string }>(LINES, [seq]))
      .map((line) => ({ ...line, text: messageFromStored(line.text) })),
    terms: terms?.terms ?? null,
  }
}

/** Those that were open when the gateway went down; how many there were. */
export const markAssociationsLost = (database: Database, why: Message): number =>
  database.run(
    rawQuery(
      `update associations set how = 'lost', tone = 'warning', detail = ? where how = 'open'`,
      [storedMessage(why)],
    ),
  ).changes

/**
 * Forgets at most `limit` of those opened before the instant, and of those beyond the newest
 * `most`.
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
      [...[hash, terms, MOST_TERMS]],
    ),
  )
  return find() ?? null
}
