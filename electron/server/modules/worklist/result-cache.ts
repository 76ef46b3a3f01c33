import { LRUCache } from 'lru-cache'
import type { Context } from '#server/context.ts'
import type { EncodedIdentifiers } from '#server/dicom/dimse/service.ts'
import { listClosedSteps } from '#server/modules/procedure-steps/closed-step-queries.ts'
import type { PerformedSteps } from '#server/modules/procedure-steps/performed-steps.ts'
import type { AnswerRows } from './answer.ts'
import { policyOf, repertoireFor } from './character-set-fallback.ts'
import { Layout } from './layout.ts'
import { Progress } from './progress.ts'
import { readQuery, type WorklistQuery } from './query.ts'
import type { KeptResult, QueryRun } from './query-run.ts'
import { identifiersOf, makeResult } from './result.ts'
import { isAscii } from './row.ts'
import { transliterate } from './transliteration.ts'
import { sharedDocument } from './verdicts.ts'
import type { Answered } from './worklist-cache.ts'

const QUERY_BYTES = 4 << 20
const RESULT_BYTES = 24 << 20
/** What an entry takes beside its bytes. */
const ENTRY_BYTES = 4096
/** For so long, the rows nearest to now stay the same. */
const CUT_MS = 60_000

/** What queries were understood as, and what they got out of an answer, for when they come again. */
export class ResultCache {
  readonly #context: Context
  readonly #progress: Progress
  /** What is larger than half of a cache is not kept in it. */
  readonly #queries = new LRUCache<string, WorklistQuery>({
    maxSize: QUERY_BYTES,
    maxEntrySize: QUERY_BYTES / 2,
  })
  readonly #results: LRUCache<string, KeptResult>
  readonly #ids = new WeakMap<WorklistQuery | AnswerRows, number>()
  #lastId = 0
  /** Of identifiers that slow consoles have not taken to the end. */
  #bytesInMaking = 0

  constructor(context: Context, performedSteps: PerformedSteps) {
    this.#context = context
    this.#progress = new Progress(context, performedSteps)
    this.#results = new LRUCache({
      maxSize: RESULT_BYTES,
      maxEntrySize: RESULT_BYTES / 2,
      ttlResolution: 0,
      perf: { now: context.clock },
    })
  }

  /** @throws {UnreadableQuery} */
  queryOf({ request, asker: { device }, now }: QueryRun): WorklistQuery {
    const { identifier, transferSyntax, association } = request
    const { settings } = this.#context
    const daysBack = device?.daysBack ?? settings.get('worklist.daysBack')
    const daysForward = device?.daysForward ?? settings.get('worklist.daysForward')
    const { callingAeTitle } = association
    const bytes = identifier?.toString('latin1') ?? ''
    const version = device ? `${device.deviceId} ${device.updatedAt}` : ''
    const key = [transferSyntax, callingAeTitle, version, now.day, daysBack, daysForward, bytes]
    const known = this.#queries.get(key.join('\n'))
    if (known) return known
    const asked = { callingAeTitle, device, today: now.day, daysBack, daysForward }
    const query = readQuery(identifier, transferSyntax, asked)
    this.#queries.set(key.join('\n'), query, { size: bytes.length * 8 + ENTRY_BYTES })
    return query
  }

  async resultFor(
    { request, asker: { device }, now }: QueryRun,
    query: WorklistQuery,
    { source, answer: { list: rows, askedFor } }: Answered,
  ): Promise<KeptResult> {
    const { settings, database } = this.#context
    const isStored = source === 'stored' || source === 'downtime'
    const closed = isStored
      ? listClosedSteps(database).map(
          (step) => `${step.studyInstanceUid} ${step.scheduledProcedureStepId}`,
        )
      : []
    const maxRows = device?.maxRows ?? settings.get('worklist.maxRows')
    const clinicName = settings.get('clinic.name')
    const progress = await this.#progress.of(rows)
    const list = progress?.list ?? rows
    const bearing = progress?.bearingOn(query) ?? ''
    const { dateStart, dateEnd } = askedFor
    const of = [this.#idOf(query), this.#idOf(rows), dateStart, dateEnd]
    const key = [...of, isStored, maxRows, clinicName, bearing, ...closed].join('\n')
    const known = this.#results.get(key)
    if (known) return known

    const layout = new Layout(query, request.transferSyntax, inAscii(clinicName))
    const textFor = repertoireFor(layout.texts, policyOf(device, query.characterSet))
    const result = await makeResult(list, query, textFor, request.signal, {
      askedFor,
      maxRows,
      now,
      closedSteps: isStored ? new Set(closed) : undefined,
      hideStarted: device?.hideStarted ?? false,
    })
    const document = sharedDocument({
      ...result.verdicts,
      keys: query.received,
      remarks: [...query.remarks, ...result.remarks],
      context: askedFor,
    })
    const made = { result, document, maxRows }
    const identifiers = identifiersOf(list, result.chosen, layout, textFor, request.signal)
    const others = result.chosen.byteLength + document.bytes.length + ENTRY_BYTES
    return {
      ...made,
      identifiers: this.#keeping(identifiers, (batches, bytes) =>
        this.#results.set(
          key,
          { ...made, identifiers: batches },
          {
            size: bytes + others,
            ...(result.cut > 0 && { ttl: CUT_MS - 1 }),
          },
        ),
      ),
    }
  }

  /** Tells one query or list from another. */
  #idOf(of: WorklistQuery | AnswerRows): number {
    const id = this.#ids.get(of) ?? ++this.#lastId
    this.#ids.set(of, id)
    return id
  }

  /**
   * Passes the batches on and gives them all to `keep` at the end, unless too much is being kept
   * for slow consoles already.
   */
  async *#keeping(
    made: AsyncIterable<EncodedIdentifiers>,
    keep: (batches: readonly EncodedIdentifiers[], bytes: number) => void,
  ): AsyncGenerator<EncodedIdentifiers, void, void> {
    let batches: EncodedIdentifiers[] | undefined = []
    let bytes = 0
    try {
      for await (const batch of made) {
        const more = batch.bytes.length + batch.ends.byteLength
        if (batches && this.#bytesInMaking + more <= RESULT_BYTES) {
          batches.push(batch)
          bytes += more
          this.#bytesInMaking += more
        } else {
          batches = undefined
          this.#bytesInMaking -= bytes
          bytes = 0
        }
        yield batch
      }
      if (batches) keep(batches, bytes)
    } finally {
      this.#bytesInMaking -= bytes
    }
  }
}

/** InstitutionName is no reason to give a whole list another character set. */
const inAscii = (text: string): string =>
  (isAscii(text) ? text : (transliterate(text) ?? '')).replaceAll('\\', '/')
