import { LRUCache } from 'lru-cache'
import type { Context } from '#server/context.ts'
import { isAscii } from '#server/dicom/character-sets/default-repertoire.ts'
import type { EncodedIdentifiers } from '#server/dicom/dimse/service.ts'
import { listClosedSteps } from '#server/modules/procedure-steps/closed-step-queries.ts'
import type { PerformedSteps } from '#server/modules/procedure-steps/performed-steps.ts'
import type { AnswerRows } from './answer.ts'
import { policyOf, rowEncoder } from './character-set-fallback.ts'
import { IdentifierEncoder } from './identifier-encoder.ts'
import { Progress } from './progress.ts'
import { readQuery, type WorklistQuery } from './query.ts'
import type { CachedResult, QueryRun } from './query-run.ts'
import { identifiersOf, makeResult } from './result.ts'
import { transliterate } from './transliteration.ts'
import { sharedDocument } from './verdicts.ts'
import type { ServedAnswer } from './worklist-cache.ts'

const MAX_QUERY_BYTES = 4 << 20
const MAX_RESULT_BYTES = 24 << 20
/** Overhead of an entry in bytes. */
const ENTRY_OVERHEAD_BYTES = 4096
/** How long a truncated result is valid: it holds the rows nearest to the current time. */
const TRUNCATED_TTL_MS = 60_000

/** Caches interpreted queries and their results for repeated use. */
export class ResultCache {
  readonly #context: Context
  readonly #progress: Progress
  /** Entries larger than half of the cache are not cached. */
  readonly #queries = new LRUCache<string, WorklistQuery>({
    maxSize: MAX_QUERY_BYTES,
    maxEntrySize: MAX_QUERY_BYTES / 2,
  })
  readonly #results: LRUCache<string, CachedResult>
  readonly #ids = new WeakMap<WorklistQuery | AnswerRows, number>()
  #lastId = 0
  /** Bytes of identifiers collected for results that have not been sent completely. */
  #pendingBytes = 0

  constructor(context: Context, performedSteps: PerformedSteps) {
    this.#context = context
    this.#progress = new Progress(context, performedSteps)
    this.#results = new LRUCache({
      maxSize: MAX_RESULT_BYTES,
      maxEntrySize: MAX_RESULT_BYTES / 2,
      ttlResolution: 0,
      perf: { now: context.clock },
    })
  }

  /** @throws {UnreadableQuery} */
  queryOf({ request, querySource: { device }, now }: QueryRun): WorklistQuery {
    const { identifier, transferSyntax, association } = request
    const { settings } = this.#context
    const daysBack = device?.daysBack ?? settings.get('worklist.daysBack')
    const daysForward = device?.daysForward ?? settings.get('worklist.daysForward')
    const { callingAeTitle } = association
    const bytes = identifier?.toString('latin1') ?? ''
    const version = device ? `${device.deviceId} ${device.updatedAt}` : ''
    const key = [transferSyntax, callingAeTitle, version, now.day, daysBack, daysForward, bytes]
    const cached = this.#queries.get(key.join('\n'))
    if (cached) return cached
    const asked = { callingAeTitle, device, today: now.day, daysBack, daysForward }
    const query = readQuery(identifier, transferSyntax, asked)
    this.#queries.set(key.join('\n'), query, { size: bytes.length * 8 + ENTRY_OVERHEAD_BYTES })
    return query
  }

  async resultFor(
    { request, querySource: { device }, now }: QueryRun,
    query: WorklistQuery,
    { source, answer: { list: rows, askedFor } }: ServedAnswer,
  ): Promise<CachedResult> {
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
    const fingerprint = progress?.fingerprintFor(query) ?? ''
    const { dateStart, dateEnd } = askedFor
    const of = [this.#idOf(query), this.#idOf(rows), dateStart, dateEnd]
    const key = [...of, isStored, maxRows, clinicName, fingerprint, ...closed].join('\n')
    const cached = this.#results.get(key)
    if (cached) return cached

    const encoder = new IdentifierEncoder(query, request.transferSyntax, toAscii(clinicName))
    const encodeRowText = rowEncoder(encoder.texts, policyOf(device, query.characterSet))
    const result = await makeResult(list, query, encodeRowText, request.signal, {
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
    const identifiers = identifiersOf(list, result.chosen, encoder, encodeRowText, request.signal)
    const overhead = result.chosen.byteLength + document.bytes.length + ENTRY_OVERHEAD_BYTES
    return {
      ...made,
      identifiers: this.#collect(identifiers, (batches, bytes) =>
        this.#results.set(
          key,
          { ...made, identifiers: batches },
          {
            size: bytes + overhead,
            ...(result.cut > 0 && { ttl: TRUNCATED_TTL_MS - 1 }),
          },
        ),
      ),
    }
  }

  /** A number that identifies a query or list in cache keys. */
  #idOf(of: WorklistQuery | AnswerRows): number {
    const id = this.#ids.get(of) ?? ++this.#lastId
    this.#ids.set(of, id)
    return id
  }

  /**
   * Passes the batches on and finally calls `keep` with all of them, unless too many bytes are
   * already held for slow modalities.
   */
  async *#collect(
    made: AsyncIterable<EncodedIdentifiers>,
    keep: (batches: readonly EncodedIdentifiers[], bytes: number) => void,
  ): AsyncGenerator<EncodedIdentifiers, void, void> {
    let batches: EncodedIdentifiers[] | undefined = []
    let bytes = 0
    try {
      for await (const batch of made) {
        const batchBytes = batch.bytes.length + batch.ends.byteLength
        if (batches && this.#pendingBytes + batchBytes <= MAX_RESULT_BYTES) {
          batches.push(batch)
          bytes += batchBytes
          this.#pendingBytes += batchBytes
        } else {
          batches = undefined
          this.#pendingBytes -= bytes
          bytes = 0
        }
        yield batch
      }
      if (batches) keep(batches, bytes)
    } finally {
      this.#pendingBytes -= bytes
    }
  }
}

/**
 * Transliterates the clinic's name, so that InstitutionName does not force another character set on
 * a whole list.
 */
const toAscii = (text: string): string =>
  (isAscii(text) ? text : (transliterate(text) ?? '')).replaceAll('\\', '/')
