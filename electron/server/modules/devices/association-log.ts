import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import { type PageOf, type PageQuery, pageOf, readNumericCursor } from '#server/database/page.ts'
import { instantOf } from '#server/platform/clock.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import { reportError } from '#server/platform/log.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import {
  type AssociationCounts,
  type AssociationRecord,
  type AssociationSummary,
  AssociationTerms,
  type dashboardActivity,
} from '#shared/contract/dashboard-activity.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { CallOf } from '#shared/operation.ts'
import {
  type AssociationLine,
  type AssociationRow,
  appendAssociationLines,
  markAssociationsLost,
  putAssociation,
  readAssociation,
  scanAssociations,
} from './association-queries.ts'

/** An association that was just opened. */
export interface NewAssociation
  extends Pick<
    AssociationSummary,
    'associationId' | 'aeTitle' | 'calledAeTitle' | 'address' | 'tls'
  > {
  readonly device: { readonly deviceId: string; readonly name: string } | undefined
  /** The negotiated terms; computed when the row is written. */
  readonly terms?: (() => AssociationTerms) | undefined
}

type Calls = typeof dashboardActivity
type AssociationFilter = Omit<CallOf<Calls['associations']>['query'], 'cursor' | 'limit'>

const FLUSH_INTERVAL_MS = 1000
/** Associations that get a row of their own within a second. */
const MAX_NEW_ROWS = 100
/** Callers whose further associations of that second share one row per caller. */
const MAX_SHARED_ROWS = 50
const MAX_LINES = 300
const MAX_LATE_LINES = 500
/**
 * Maximum length of the terms as JSON. The 128 presentation contexts that PS3.8 §9.3.2.2 permits,
 * as storescu proposes them, take about 30,000 characters; no real device exceeds the limit.
 */
const MAX_TERMS_LENGTH = 64 << 10
const LOST_DETAIL = message('devices.gateway-went-down')

const NO_COUNTS: AssociationCounts = {
  echoes: 0,
  queries: 0,
  exams: 0,
  instances: 0,
  bytes: 0,
  steps: 0,
  commitments: 0,
  failures: 0,
}
/** Callers beyond `MAX_SHARED_ROWS` share one row without a name. */
const UNNAMED_CALLER = {
  deviceId: null,
  deviceName: '',
  aeTitle: '',
  calledAeTitle: '',
  address: '',
}
const ENDING_TONES = { released: 'plain', aborted: 'warning', rejected: 'danger' } as const
const TONES = ['plain', 'good', 'warning', 'danger'] as const
const worseTone = (a: FeedLine['tone'], b: FeedLine['tone']) =>
  TONES.indexOf(b) > TONES.indexOf(a) ? b : a
const LAST_LINES: ReadonlySet<FeedLine['kind']> = new Set([
  'closed',
  'aborted',
  'rejected',
] as const)

/** An association that is open, or whose end has not been written yet. */
interface Entry {
  row: AssociationRow
  readonly counts: { -readonly [K in keyof AssociationCounts]: number }
  terms: NewAssociation['terms']
  /** Lines that have not been written yet. */
  lines: AssociationLine[]
  linesSeen: number
  isWritten: boolean
  isChanged: boolean
}

/**
 * Records the associations of devices. Changes are collected in memory and written once a second,
 * so that no device waits for the disk; a crash loses the last second. While the disk is full, they
 * remain in memory and are written later. If callers open hundreds of associations per second,
 * those of one caller share a row. Entries must not contain patient data. The methods that record
 * something never throw.
 */
export class AssociationLog implements AsyncDisposable {
  readonly #context: Context
  readonly #entries = new Map<string, Entry>()
  /** Associations of the current second beyond `MAX_NEW_ROWS`, grouped by caller and outcome. */
  readonly #sharedRows = new Map<string, Entry>()
  /** Lines of associations whose rows are final. */
  #lateLines: FeedLine[] = []
  #rowsLeft = MAX_NEW_ROWS
  #windowStart: number
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> = Promise.resolve()

  constructor(context: Context) {
    this.#context = context
    this.#windowStart = context.clock()
    markAssociationsLost(context.database, LOST_DETAIL)
  }

  opened({ device, terms, ...association }: NewAssociation): void {
    const row: AssociationRow = {
      ...association,
      deviceId: device?.deviceId ?? null,
      deviceName: device?.name ?? '',
      openedAt: this.#now(),
      endedAt: null,
      how: 'open',
      detail: null,
      tone: 'plain',
      times: 1,
      counts: NO_COUNTS,
      omitted: 0,
    }
    const entry: Entry = {
      ...{ row, counts: { ...NO_COUNTS }, terms, lines: [], linesSeen: 0 },
      ...{ isWritten: false, isChanged: false },
    }
    this.#entries.set(association.associationId, entry)
    this.#changed(entry)
  }

  counted(associationId: string, counts: Partial<AssociationCounts>): void {
    const entry = this.#entries.get(associationId)
    if (!entry) return
    add(entry, counts)
    this.#changed(entry)
  }

  closed(associationId: string, how: keyof typeof ENDING_TONES, detail: Message | null): void {
    const entry = this.#entries.get(associationId)
    if (entry?.row.how !== 'open') return
    const tone = worseTone(entry.row.tone, ENDING_TONES[how])
    entry.row = { ...entry.row, how, detail, tone, endedAt: this.#now() }
    if (!entry.isWritten && --this.#rowsLeft < 0) {
      this.#entries.delete(associationId)
      this.#addToSharedRow(entry)
    }
    this.#changed(entry)
  }

  /** Adds a line of the activity feed; lines that belong to no association are ignored. */
  line(feedLine: FeedLine): void {
    const { associationId, aeTitle: _, address: __, ...line } = feedLine
    if (associationId === '') return
    const entry = this.#entries.get(associationId)
    if (!entry) {
      if (this.#lateLines.length < MAX_LATE_LINES) this.#lateLines.push(feedLine)
      this.#writeSoon()
      return
    }
    entry.row = { ...entry.row, tone: worseTone(entry.row.tone, line.tone) }
    entry.linesSeen += 1
    if (entry.linesSeen <= MAX_LINES || LAST_LINES.has(line.kind)) entry.lines.push(line)
    else entry.row = { ...entry.row, omitted: entry.row.omitted + 1 }
    this.#changed(entry)
  }

  /** Writes the collected changes; resolves when they are durable. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    // Sequential: a second flush waits for the first.
    this.#flushing = this.#flushing.then(() => this.#writeAll())
    return this.#flushing
  }

  /**
   * Lists associations, newest first.
   * @throws ApiError malformed if the cursor does not belong to this list
   */
  async list(
    filter: AssociationFilter,
    { cursor, limit }: PageQuery,
  ): Promise<PageOf<AssociationSummary>> {
    let before = readNumericCursor(cursor) ?? Number.MAX_SAFE_INTEGER
    await this.flush()
    const found: (AssociationRow & { readonly seq: number })[] = []
    for (;;) {
      const asked = { ...filter, before, limit: limit + 1 - found.length }
      const part = scanAssociations(this.#context.database, asked)
      found.push(...part.items)
      if (found.length > limit || part.next === undefined) break
      before = part.next
      await nextTurn()
    }
    const { items, ...rest } = pageOf(found, limit, ({ seq }) => seq)
    return { items: items.map(summaryOf), ...rest }
  }

  /**
   * Reads one association with its lines and terms.
   * @throws ApiError not-found
   */
  async read(associationId: string): Promise<Omit<AssociationRecord, 'supportText'>> {
    await this.flush()
    const found = readAssociation(this.#context.database, associationId)
    if (!found) throw new ApiError('not-found', message('devices.no-such-connection'))
    const { lines, terms, ...row } = found
    const { aeTitle, address, omitted } = row
    const read = AssociationTerms.safeParse(terms === null ? null : JSON.parse(terms))
    return {
      association: summaryOf(row),
      lines: lines.map((line) => ({ ...line, associationId, aeTitle, address })),
      omitted,
      terms: read.success ? read.data : null,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush()
    clearTimeout(this.#timer)
  }

  #now() {
    return instantOf(this.#context.clock())
  }

  #changed(entry: Entry): void {
    entry.isChanged = true
    this.#writeSoon()
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_INTERVAL_MS)
    this.#timer.unref()
  }

  #isAnyChanged(): boolean {
    return [...this.#entries.values()].some(({ isChanged }) => isChanged)
  }

  async #writeAll(): Promise<void> {
    if (this.#sharedRows.size === 0 && this.#lateLines.length === 0 && !this.#isAnyChanged()) return
    try {
      await this.#context.database.commitSoon(() => this.#write())
    } catch (error) {
      if (diskFaultKind(error) !== undefined) return this.#writeSoon()
      // The changes cannot be written, so they are discarded.
      for (const [associationId, { row }] of this.#entries)
        if (row.how !== 'open') this.#entries.delete(associationId)
      this.#sharedRows.clear()
      this.#lateLines = []
      reportError(this.#context, error)
    }
    // Open associations that exceeded the limit of this second.
    if (this.#isAnyChanged()) this.#writeSoon()
  }

  #write(): void {
    const { database, clock } = this.#context
    let rowsLeft = this.#rowsLeft
    for (const [associationId, entry] of this.#entries) {
      if (!entry.isChanged) continue
      const isOpen = entry.row.how === 'open'
      if (!entry.isWritten && isOpen && --rowsLeft < 0) continue
      this.#writeEntry(entry)
      if (!isOpen) database.afterCommit(() => this.#entries.delete(associationId))
    }
    for (const entry of this.#sharedRows.values()) this.#writeEntry(entry)
    for (const { associationId, aeTitle: _, address: __, ...line } of this.#lateLines)
      appendAssociationLines(database, associationId, [line])
    database.afterCommit(() => {
      this.#rowsLeft = rowsLeft
      this.#sharedRows.clear()
      this.#lateLines = []
      // After the clock was set back, the difference is negative, so its absolute value is
      // compared.
      if (Math.abs(clock() - this.#windowStart) < FLUSH_INTERVAL_MS) return
      this.#windowStart = clock()
      this.#rowsLeft = MAX_NEW_ROWS
    })
  }

  #writeEntry(entry: Entry): void {
    const { database } = this.#context
    const { row, counts, lines } = entry
    const terms = entry.terms && JSON.stringify(entry.terms())
    const isKept = terms !== undefined && terms.length <= MAX_TERMS_LENGTH
    putAssociation(database, { ...row, counts }, isKept ? terms : undefined)
    appendAssociationLines(database, row.associationId, lines)
    const written = { terms: undefined, lines: [], isWritten: true, isChanged: false }
    database.afterCommit(() => Object.assign(entry, written))
  }

  /** Adds an association beyond the limit to the shared row of its caller. */
  #addToSharedRow(entry: Entry): void {
    const { how, aeTitle, address, calledAeTitle, times, endedAt, tone, detail } = entry.row
    const ownKey = [how, aeTitle, address, calledAeTitle].join('\n')
    const isOther = !this.#sharedRows.has(ownKey) && this.#sharedRows.size >= MAX_SHARED_ROWS
    const key = isOther ? how : ownKey
    const known = this.#sharedRows.get(key)
    if (known) {
      known.row = {
        ...{ ...known.row, ...(!isOther && { detail }) },
        ...{ times: known.row.times + times, endedAt, tone: worseTone(known.row.tone, tone) },
      }
      add(known, entry.counts)
      return
    }
    if (isOther) {
      const row = { ...entry.row, ...UNNAMED_CALLER, detail: message('devices.many-callers') }
      Object.assign(entry, { row, lines: [], terms: undefined })
    }
    this.#sharedRows.set(key, entry)
  }
}

function add({ counts }: Entry, more: Partial<AssociationCounts>): void {
  for (const [name, count] of Object.entries(more)) counts[name as keyof AssociationCounts] += count
}

function summaryOf({
  omitted: _,
  seq: __,
  ...summary
}: AssociationRow & { readonly seq?: number }): AssociationSummary {
  return summary
}
