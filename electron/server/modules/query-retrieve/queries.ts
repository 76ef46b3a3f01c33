import { deviceActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { keywordOf } from '#server/dicom/data-set/data-set.ts'
import type { CFindRequest, CFindScp, EncodedIdentifiers } from '#server/dicom/dimse/service.ts'
import { DimseError, type DimseResult } from '#server/dicom/dimse/status.ts'
import type { AccessAudit } from '#server/modules/audit/access-audit.ts'
import { recogniseDevice } from '#server/modules/devices/devices.ts'
import { englishText } from '#shared/messages/english.ts'
import { message } from '#shared/messages/message.ts'
import { type EntitiesEnd, type EntityQuery, MAX_ENTITIES } from './entity-query.ts'
import { findEntities } from './find-entities.ts'
import { type QueryIdentifier, readQueryIdentifier } from './query-identifier.ts'
import { responseEncoder, tagsAlwaysReturned } from './response-encoder.ts'

/** Responses that are encoded before they are sent. */
const BATCH_SIZE = 100
const BATCH_BYTES = 64 << 10
/** Responses are not held back longer than this while more are looked for. */
const MAX_DELAY_MS = 200

const CANCELLED: DimseResult = { status: 0xfe00 }

/** C-FIND of Query/Retrieve (PS3.4 Annex C) in the gateway's images. */
export class Queries implements CFindScp {
  readonly #context: Context
  readonly #accesses: AccessAudit

  constructor(context: Context, accesses: AccessAudit) {
    this.#context = context
    this.#accesses = accesses
  }

  async *find(request: CFindRequest): AsyncGenerator<EncodedIdentifiers, DimseResult, void> {
    const { association, transferSyntax, signal } = request
    const { callingAeTitle, remoteAddress } = association
    const device = recogniseDevice(this.#context, callingAeTitle, remoteAddress)
    // The right may have been taken away since the association was accepted.
    if (!device || device.retrieval === 'none')
      throw new DimseError(0x0124, message('query-retrieve.no-queries'))
    const identifier = readQueryIdentifier(request, device.characterSet)
    const { level, keys, returnKeys } = identifier.query
    const encode = responseEncoder(identifier, transferSyntax, device)
    const query: EntityQuery = {
      ...identifier.query,
      returnKeys: [...new Set([...returnKeys, ...tagsAlwaysReturned(level)])],
    }
    this.#accesses.note({
      ...{ actor: deviceActor(device.deviceId), action: 'read.query', target: 'C-FIND' },
      detail: { level, keys: keywordsOf(keys) },
    })
    try {
      return finalResult(yield* this.#responses(query, identifier, encode, signal))
    } catch (error) {
      if (signal.aborted) return CANCELLED
      throw error
    }
  }

  async *#responses(
    query: EntityQuery,
    { hasUnsupportedKeys }: QueryIdentifier,
    encode: ReturnType<typeof responseEncoder>,
    signal: AbortSignal,
  ): AsyncGenerator<EncodedIdentifiers, EntitiesEnd, void> {
    let identifiers: Buffer[] = []
    let bytes = 0
    let since = performance.now()
    const takeBatch = (): EncodedIdentifiers => {
      const batch = batchOf(identifiers, hasUnsupportedKeys)
      identifiers = []
      bytes = 0
      return batch
    }
    const entities = findEntities(this.#context, query, signal)
    for (;;) {
      const next = await entities.next()
      if (next.done) {
        if (identifiers.length > 0) yield takeBatch()
        return next.value
      }
      if (identifiers.length === 0) since = performance.now()
      const identifier = encode(next.value)
      identifiers.push(identifier)
      bytes += identifier.length
      const isFull = identifiers.length >= BATCH_SIZE || bytes >= BATCH_BYTES
      if (isFull || performance.now() - since > MAX_DELAY_MS) yield takeBatch()
    }
  }
}

function batchOf(identifiers: readonly Buffer[], hasUnsupportedKeys: boolean): EncodedIdentifiers {
  let end = 0
  const ends = Uint32Array.from(identifiers, ({ length }) => (end += length))
  return { bytes: Buffer.concat(identifiers), ends, hasUnsupportedKeys }
}

/** The keywords of the keys that have a value; values may name a patient and are not recorded. */
const keywordsOf = (keys: EntityQuery['keys']): string =>
  keys
    .filter(({ text }) => text !== '')
    .map(({ tag }) => keywordOf(tag))
    .join(', ')

/** A result that may lack matches is no success. */
function finalResult({ outcome }: EntitiesEnd): DimseResult {
  if (outcome === 'complete') return { status: 0x0000 }
  const comment =
    outcome === 'cut'
      ? message('query-retrieve.cut', { most: MAX_ENTITIES })
      : message('query-retrieve.indexing')
  return { status: 0xa700, errorComment: englishText(comment) }
}
