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

/** An association as it begins. */
export interface NewAssociation
  extends Pick<
    AssociationSummary,
    'associationId' | 'aeTitle' | 'calledAeTitle' | 'address' | 'tls'
  > {
  readonly device: { readonly deviceId: string; readonly name: string } | undefined
  /** What was agreed; asked for when it is written. */
  readonly terms?: (() => AssociationTerms) | undefined
}

type Calls = typeof dashboardActivity
type Filter = Omit<CallOf<Calls['associations']>['query'], 'cursor' | 'limit'>

const FLUSH_MS = 1000
/** Associations that get a row of their own within a second. */
const MOST_NEW = 100
/** Callers whose further associations of that second have a row for each caller. */
const MOST_CROWDS = 50
const MOST_LINES = 300
const MOST_LATE = 500
/**
 * Of 128 contexts (PS3.8 §9.3.2.2), as storescu proposes them, there are some 30,000; terms that
 * are longer than this are no device's.
 */
const TERMS_CHARACTERS = 64 << 10
const LOST = message('devices.gateway-went-down')

const NOTHING: AssociationCounts = {
  echoes: 0,
  queries: 0,
  exams: 0,
  instances: 0,
  bytes: 0,
  steps: 0,
  commitments: 0,
  failures: 0,
}
/** Callers beyond `MOST_CROWDS` are one row without a name. */
const NOBODY = { deviceId: null, deviceName: '', aeTitle: '', calledAeTitle: '', address: '' }
const ENDINGS = { released: 'plain', aborted: 'warning', rejected: 'danger' } as const
const TONES = ['plain', 'good', 'warning', 'danger'] as const
const worse = (a: FeedLine['tone'], b: FeedLine['tone']) =>
  TONES.indexOf(b) > TONES.indexOf(a) ? b : a
const LAST_LINES: ReadonlySet<FeedLine['kind']> = new Set([
  'closed',
  'aborted',
  'rejected',
] as const)

/** An association that is open, or is not written as it ended. */
interface Entry {
  row: AssociationRow
  readonly counts: { -readonly [K in keyof AssociationCounts]: number }
  terms: NewAssociation['terms']
  /** Not yet written. */
  lines: AssociationLine[]
  linesSeen: number
  isWritten: boolean
  isChanged: boolean
}

/**
 * Connections of devices as they are kept. What happens is noted in memory and written once a
 * second, so no device waits for it; a crash loses the last second. While the disk is full, it
 * stays in memory and is tried again. Where callers come by the hundred a second, those of one
 * caller share a row. Nothing in it may name a patient. What notes something never throws.
 */
export class AssociationLog implements AsyncDisposable {
  readonly #context: Context
  readonly #entries = new Map<string, Entry>()
  /** Those of a second beyond `MOST_NEW`, by who called and how it ended. */
  readonly #crowds = new Map<string, Entry>()
  /** Lines about associations that are written already. */
  #late: FeedLine[] = []
  #room = MOST_NEW
  #roomAt: number
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> = Promise.resolve()

  constructor(context: Context) {
    this.#context = context
    this.#roomAt = context.clock()
    markAssociationsLost(context.database, LOST)
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
      counts: NOTHING,
      omitted: 0,
    }
    const entry: Entry = {
      ...{ row, counts: { ...NOTHING }, terms, lines: [], linesSeen: 0 },
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

  closed(associationId: string, how: keyof typeof ENDINGS, detail: Message | null): void {
    const entry = this.#entries.get(associationId)
    if (entry?.row.how !== 'open') return
    const tone = worse(entry.row.tone, ENDINGS[how])
    entry.row = { ...entry.row, how, detail, tone, endedAt: this.#now() }
    if (!entry.isWritten && --this.#room < 0) {
      this.#entries.delete(associationId)
      this.#crowd(entry)
    }
    this.#changed(entry)
  }

  /** A line of the feed; one that is about no association is left out. */
  line(feedLine: FeedLine): void {
    const { associationId, aeTitle: _, address: __, ...line } = feedLine
    if (associationId === '') return
    const entry = this.#entries.get(associationId)
    if (!entry) {
      if (this.#late.length < MOST_LATE) this.#late.push(feedLine)
      this.#writeSoon()
      return
    }
    entry.row = { ...entry.row, tone: worse(entry.row.tone, line.tone) }
    entry.linesSeen += 1
    if (entry.linesSeen <= MOST_LINES || LAST_LINES.has(line.kind)) entry.lines.push(line)
    else entry.row = { ...entry.row, omitted: entry.row.omitted + 1 }
    this.#changed(entry)
  }

  /** Writes what was noted; resolves when it is durable. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    // One after the other: a second flush waits for what the first one writes.
    this.#flushing = this.#flushing.then(() => this.#writeAll())
    return this.#flushing
  }

  /** Newest first. @throws ApiError malformed: the cursor is not of this list */
  async list(filter: Filter, { cursor, limit }: PageQuery): Promise<PageOf<AssociationSummary>> {
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

  /** @throws ApiError not-found */
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
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS)
    this.#timer.unref()
  }

  #isAnyChanged(): boolean {
    return [...this.#entries.values()].some(({ isChanged }) => isChanged)
  }

  async #writeAll(): Promise<void> {
    if (this.#crowds.size === 0 && this.#late.length === 0 && !this.#isAnyChanged()) return
    try {
      await this.#context.database.commitSoon(() => this.#write())
    } catch (error) {
      if (diskFaultKind(error) !== undefined) return this.#writeSoon()
      // It cannot be written and is lost.
      for (const [associationId, { row }] of this.#entries)
        if (row.how !== 'open') this.#entries.delete(associationId)
      this.#crowds.clear()
      this.#late = []
      reportError(this.#context, error)
    }
    // Those that are open and found no room.
    if (this.#isAnyChanged()) this.#writeSoon()
  }

  #write(): void {
    const { database, clock } = this.#context
    let room = this.#room
    for (const [associationId, entry] of this.#entries) {
      if (!entry.isChanged) continue
      const isOpen = entry.row.how === 'open'
      if (!entry.isWritten && isOpen && --room < 0) continue
      this.#put(entry)
      if (!isOpen) database.afterCommit(() => this.#entries.delete(associationId))
    }
    for (const entry of this.#crowds.values()) this.#put(entry)
    for (const { associationId, aeTitle: _, address: __, ...line } of this.#late)
      appendAssociationLines(database, associationId, [line])
    database.afterCommit(() => {
      this.#room = room
      this.#crowds.clear()
      this.#late = []
      // A clock that was set back has no seconds to go by.
      if (Math.abs(clock() - this.#roomAt) < FLUSH_MS) return
      this.#roomAt = clock()
      this.#room = MOST_NEW
    })
  }

  #put(entry: Entry): void {
    const { database } = this.#context
    const { row, counts, lines } = entry
    const terms = entry.terms && JSON.stringify(entry.terms())
    const isKept = terms !== undefined && terms.length <= TERMS_CHARACTERS
    putAssociation(database, { ...row, counts }, isKept ? terms : undefined)
    appendAssociationLines(database, row.associationId, lines)
    const written = { terms: undefined, lines: [], isWritten: true, isChanged: false }
    database.afterCommit(() => Object.assign(entry, written))
  }

  /** One more of the same caller, beyond those that are kept one by one. */
  #crowd(entry: Entry): void {
    const { how, aeTitle, address, calledAeTitle, times, endedAt, tone, detail } = entry.row
    const own = [how, aeTitle, address, calledAeTitle].join('\n')
    const isOther = !this.#crowds.has(own) && this.#crowds.size >= MOST_CROWDS
    const key = isOther ? how : own
    const known = this.#crowds.get(key)
    if (known) {
      known.row = {
        ...{ ...known.row, ...(!isOther && { detail }) },
        ...{ times: known.row.times + times, endedAt, tone: worse(known.row.tone, tone) },
      }
      add(known, entry.counts)
      return
    }
    if (isOther) {
      const row = { ...entry.row, ...NOBODY, detail: message('devices.many-callers') }
      Object.assign(entry, { row, lines: [], terms: undefined })
    }
    this.#crowds.set(key, entry)
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
