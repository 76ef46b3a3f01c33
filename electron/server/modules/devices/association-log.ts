import { setImmediate as nextTurn } from 'node:timers/promises'
import { numberAfter, type PageOf, type PageQuery, pageOf } from '#server/database/page.ts'
import type { DomainDeps } from '#server/modules/audit/audit.ts'
import { instantOf } from '#server/platform/clock.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import {
  type AssociationCounts,
  type AssociationRecord,
  type AssociationSummary,
  AssociationTerms,
  type dashboardActivity,
} from '#shared/contract/dashboard-activity.ts'
import { ApiError } from '#shared/errors.ts'
import type { CallOf } from '#shared/operation.ts'
import type { AssociationLine, AssociationRow } from './association-queries.ts'

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

/**
 * Connections of devices as they are kept. What is told is noted in memory and written once a
 * second, so no device waits for it; a crash loses the last second. While the disk is full, it
 * stays in memory and is tried again. Where callers come by the hundred a second, those of one
 * caller share a row. Nothing it is told may name a patient.
 */
export interface AssociationLog extends AsyncDisposable {
  /** None of these throws. */
  opened(association: NewAssociation): void
  counted(associationId: string, what: Partial<AssociationCounts>): void
  closed(associationId: string, how: 'released' | 'aborted' | 'rejected', detail: string): void
  /** A line of the feed; one that is about no association is left out. */
  line(line: FeedLine): void
  /** Writes what was noted; resolves when it is durable. */
  flush(): Promise<void>
  /** Newest first. @throws ApiError malformed: the cursor is not of this list */
  list(filter: Filter, page: PageQuery): Promise<PageOf<AssociationSummary>>
  /** @throws ApiError not-found */
  read(associationId: string): Promise<Omit<AssociationRecord, 'supportText'>>
}

export interface AssociationLogDeps extends Pick<DomainDeps, 'store' | 'clock'> {
  /** What was noted could not be written and is lost. */
  readonly onError: (error: unknown) => void
}

const FLUSH_MS = 1000
/** Associations that get a row of their own within a second. */
const MOST_NEW = 100
/** Callers whose further associations of that second are told apart. */
const MOST_CROWDS = 50
const MOST_LINES = 300
const MOST_LATE = 500
/**
 * Of 128 contexts (PS3.8 §9.3.2.2), as storescu proposes them, there are some 30,000; terms that
 * are longer than this are no device's.
 */
const TERMS_CHARACTERS = 64 << 10
const LOST = 'the gateway went down while it was open'

const NOTHING: AssociationCounts = {
  ...{
    echoes: 0,
    queries: 0,
    exams: 0,
    instances: 0,
    bytes: 0,
    steps: 0,
    commitments: 0,
    failures: 0,
  },
}
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

export function openAssociationLog({ store, clock, onError }: AssociationLogDeps): AssociationLog {
  const { database, associations } = store
  const entries = new Map<string, Entry>()
  /** Those of a second beyond `MOST_NEW`, by who called and how it ended. */
  const crowds = new Map<string, Entry>()
  /** Lines about associations that are written already. */
  let late: FeedLine[] = []
  let room = MOST_NEW
  let roomAt = clock()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()
  associations.markLost(LOST)

  function changed(entry: Entry): void {
    entry.isChanged = true
    writeSoon()
  }
  function writeSoon(): void {
    timer ??= setTimeout(() => void flush(), FLUSH_MS)
    timer.unref()
  }

  function write(): void {
    let left = room
    for (const [associationId, entry] of entries) {
      if (!entry.isChanged) continue
      if (!entry.isWritten && entry.row.how === 'open' && --left < 0) continue
      put(entry)
      if (entry.row.how !== 'open') database.afterCommit(() => entries.delete(associationId))
    }
    for (const entry of crowds.values()) put(entry)
    for (const { associationId, aeTitle: _, address: __, ...line } of late)
      associations.addLines(associationId, [line])
    database.afterCommit(() => {
      room = left
      crowds.clear()
      late = []
      // A clock that was set back has no seconds to go by.
      if (Math.abs(clock() - roomAt) < FLUSH_MS) return
      roomAt = clock()
      room = MOST_NEW
    })
  }

  function put(entry: Entry): void {
    const { row, counts, terms, lines } = entry
    const text = terms && JSON.stringify(terms())
    associations.put(
      { ...row, counts },
      text !== undefined && text.length <= TERMS_CHARACTERS ? text : undefined,
    )
    associations.addLines(row.associationId, lines)
    database.afterCommit(() =>
      Object.assign(entry, { terms: undefined, lines: [], isWritten: true, isChanged: false }),
    )
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    // One after the other: who asks for a second one waits for what the first took.
    flushing = flushing.then(async () => {
      if (
        crowds.size === 0 &&
        late.length === 0 &&
        ![...entries.values()].some(({ isChanged }) => isChanged)
      )
        return
      try {
        await database.commitSoon(write)
      } catch (error) {
        if (diskFaultKind(error) !== undefined) return writeSoon()
        for (const [associationId, { row }] of entries)
          if (row.how !== 'open') entries.delete(associationId)
        crowds.clear()
        late = []
        onError(error)
      }
      // Those that are open and found no room.
      if ([...entries.values()].some(({ isChanged }) => isChanged)) writeSoon()
    })
    return flushing
  }

  /** One more of the same caller, beyond those that are kept one by one. */
  function crowd(entry: Entry): void {
    const { how, aeTitle, address, calledAeTitle } = entry.row
    const own = [how, aeTitle, address, calledAeTitle].join('\n')
    const isOther = !crowds.has(own) && crowds.size >= MOST_CROWDS
    const key = isOther ? how : own
    const known = crowds.get(key)
    if (!known) {
      if (isOther) {
        const nobody = {
          deviceId: null,
          deviceName: '',
          aeTitle: '',
          calledAeTitle: '',
          address: '',
        }
        Object.assign(entry, {
          row: { ...entry.row, ...nobody, detail: 'many callers at once' },
          lines: [],
          terms: undefined,
        })
      }
      crowds.set(key, entry)
      return
    }
    const { times, endedAt, tone, detail } = entry.row
    known.row = {
      ...known.row,
      times: known.row.times + times,
      endedAt,
      tone: worse(known.row.tone, tone),
      ...(!isOther && { detail }),
    }
    add(known, entry.counts)
  }

  function add({ counts }: Entry, what: Partial<AssociationCounts>): void {
    for (const [name, count] of Object.entries(what))
      counts[name as keyof AssociationCounts] += count
  }

  return {
    opened({ device, terms, ...association }) {
      const row: AssociationRow = {
        ...association,
        ...{ deviceId: device?.deviceId ?? null, deviceName: device?.name ?? '' },
        ...{
          openedAt: instantOf(clock()),
          endedAt: null,
          how: 'open',
          detail: '',
          tone: 'plain',
          times: 1,
          counts: NOTHING,
          omitted: 0,
        },
      }
      const entry: Entry = {
        row,
        counts: { ...NOTHING },
        terms,
        lines: [],
        linesSeen: 0,
        isWritten: false,
        isChanged: false,
      }
      entries.set(association.associationId, entry)
      changed(entry)
    },
    counted(associationId, what) {
      const entry = entries.get(associationId)
      if (!entry) return
      add(entry, what)
      changed(entry)
    },
    closed(associationId, how, detail) {
      const entry = entries.get(associationId)
      if (entry?.row.how !== 'open') return
      const tone = worse(
        entry.row.tone,
        ({ released: 'plain', aborted: 'warning', rejected: 'danger' } as const)[how],
      )
      entry.row = { ...entry.row, how, detail, tone, endedAt: instantOf(clock()) }
      if (!entry.isWritten && --room < 0) {
        entries.delete(associationId)
        crowd(entry)
      }
      changed(entry)
    },
    line(whole) {
      const { associationId, aeTitle: _, address: __, ...line } = whole
      if (associationId === '') return
      const entry = entries.get(associationId)
      if (!entry) {
        if (late.length < MOST_LATE) late.push(whole)
        writeSoon()
        return
      }
      entry.row = { ...entry.row, tone: worse(entry.row.tone, line.tone) }
      entry.linesSeen += 1
      if (entry.linesSeen <= MOST_LINES || LAST_LINES.has(line.kind)) entry.lines.push(line)
      else entry.row = { ...entry.row, omitted: entry.row.omitted + 1 }
      changed(entry)
    },
    flush,
    async list(filter, { cursor, limit }) {
      let before = numberAfter(cursor) ?? Number.MAX_SAFE_INTEGER
      await flush()
      const items: (AssociationRow & { readonly seq: number })[] = []
      for (;;) {
        const part = associations.scan({ ...filter, before, limit: limit + 1 - items.length })
        items.push(...part.items)
        if (items.length > limit || part.next === undefined) break
        before = part.next
        await nextTurn()
      }
      const { items: rows, ...rest } = pageOf(items, limit, ({ seq }) => seq)
      return { items: rows.map(summaryOf), ...rest }
    },
    async read(associationId) {
      await flush()
      const found = associations.read(associationId)
      if (!found)
        throw new ApiError(
          'not-found',
          'There is no such connection; it may be older than connections are kept.',
        )
      const { lines, terms, ...row } = found
      const { aeTitle, address, omitted } = row
      const read = AssociationTerms.safeParse(terms === null ? null : JSON.parse(terms))
      return {
        association: summaryOf(row),
        lines: lines.map((line) => ({ ...line, associationId, aeTitle, address })),
        omitted,
        terms: read.success ? read.data : null,
      }
    },
    async [Symbol.asyncDispose]() {
      await flush()
      clearTimeout(timer)
    },
  }
}

function summaryOf({
  omitted: _,
  seq: __,
  ...summary
}: AssociationRow & { readonly seq?: number }): AssociationSummary {
  return summary
}
