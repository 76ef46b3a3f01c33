import { setImmediate } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { patientKeyOf } from '#server/modules/studies/retrieval-words.ts'
import { isIndexingForRetrieval } from '#server/modules/studies/search-fill-queries.ts'
import { RETRIEVAL_ATTRIBUTES, type RetrievalAttribute } from './attributes.ts'
import {
  type CandidateSource,
  INDEX_ROWS_PER_READ,
  listCandidates,
  patientTotals,
  readCandidates,
  START_POSITION,
} from './candidate-queries.ts'
import { candidateSource, indexedStudyFilter } from './candidate-source.ts'
import { type CompiledKey, compileKeys, keyOf } from './entity-keys.ts'
import { listFoundInstances, listFoundSeries, sopClassesOfStudy } from './entity-queries.ts'
import {
  type EntitiesEnd,
  type EntityQuery,
  type FoundEntity,
  isAtOrAbove,
  MAX_ENTITIES,
} from './entity-query.ts'
import type { CandidateFacts, FoundStudy, Lookups } from './found.ts'
import { KEY } from './keys.ts'

const INSTANCES_PER_READ = 500

/**
 * Finds patients, studies, series or instances for C-FIND and QIDO-RS: those with current images,
 * the most recently received studies first, with the corrected identity. Entities are read as they
 * are consumed, in batches, so that memory does not grow with their number.
 *
 * Rejects with the abort reason of the signal.
 * @throws {DimseError} A900 with the offending element, see `compileKeys`
 */
export async function* findEntities(
  context: Context,
  query: EntityQuery,
  signal: AbortSignal,
): AsyncGenerator<FoundEntity, EntitiesEnd, void> {
  const { offset = 0, limit = Number.POSITIVE_INFINITY } = query
  const keys = compileKeys(query)
  const source = candidateSource(context.database, keys)
  const isOfOneStudy = source.by === 'uid' && source.studyUids.length <= 1
  const maxEntities = isOfOneStudy ? limit : Math.min(limit, MAX_ENTITIES)
  const entityOf = reader(query)
  const found = matchingEntities(context, query, keys, source, signal)
  for (let position = 0; ; position++) {
    const next = await found.next()
    if (next.done) return { outcome: next.value }
    if (position >= offset + maxEntities)
      return { outcome: maxEntities === limit ? 'complete' : 'cut' }
    if (position >= offset) yield entityOf(next.value)
  }
}

/** Number of studies that a query may decrypt before it is cut. */
const MAX_EXAMINED_STUDIES = 50_000
/** Studies that are decrypted per turn of the event loop. */
const EXAMINED_PER_TURN = 50

/** All that match, in order. */
async function* matchingEntities(
  context: Context,
  { level }: EntityQuery,
  keys: readonly CompiledKey[],
  source: CandidateSource,
  signal: AbortSignal,
): AsyncGenerator<CandidateFacts, EntitiesEnd['outcome'], void> {
  const { database } = context
  const lookups = lookupsOf(context)
  const studyKeys = keys.filter(({ attribute }) => isAtOrAbove(attribute.level, 'STUDY'))
  const isNewPatient = firstOfPatientFilter(database)
  const isListed = source.by === 'uid' ? () => true : indexedStudyFilter(keys)
  let examined = 0
  for (let after = START_POSITION; ; ) {
    const listed = listCandidates(database, source, after)
    const candidates = listed.filter(isListed)
    for (let first = 0; first < candidates.length; first += EXAMINED_PER_TURN) {
      if (examined >= MAX_EXAMINED_STUDIES) return 'cut'
      const studies = readCandidates(database, candidates.slice(first, first + EXAMINED_PER_TURN))
      for (const study of studies) {
        const found: CandidateFacts = { study, series: undefined, instance: undefined, lookups }
        if (!studyKeys.every(({ matches }) => matches(found))) continue
        if (level === 'STUDY') yield found
        else if (level === 'PATIENT') {
          if (isNewPatient(study)) yield found
        } else yield* withinStudy(context, level, keys, found, signal)
      }
      examined += studies.length
      await nextTurn(signal)
    }
    const last = listed.at(-1)
    if (!last || listed.length < INDEX_ROWS_PER_READ) break
    after = last
    await nextTurn(signal)
  }
  return source.by !== 'uid' && isIndexingForRetrieval(database) ? 'indexing' : 'complete'
}

async function nextTurn(signal: AbortSignal): Promise<void> {
  await setImmediate()
  signal.throwIfAborted()
}

/** Returns the function that tells whether a study is the first one of its patient. */
function firstOfPatientFilter(database: Database): (study: FoundStudy) => boolean {
  const known = new Set<string>()
  return ({ header }) => {
    const key = patientKeyOf(database, header).toString('latin1')
    const isNew = !known.has(key)
    if (isNew) known.add(key)
    return isNew
  }
}

async function* withinStudy(
  { database }: Context,
  level: 'SERIES' | 'IMAGE',
  keys: readonly CompiledKey[],
  ofStudy: CandidateFacts,
  signal: AbortSignal,
): AsyncGenerator<CandidateFacts, void, void> {
  const { studyInstanceUid } = ofStudy.study
  const seriesKeys = keys.filter(({ attribute }) => attribute.level === 'SERIES')
  const uids = keyOf(keys, KEY.seriesInstanceUid)?.values
  const series = listFoundSeries(database, studyInstanceUid, uids)
    .map((one): CandidateFacts => ({ ...ofStudy, series: one }))
    .filter((found) => seriesKeys.every(({ matches }) => matches(found)))
  if (level === 'SERIES') return yield* series
  if (series.length === 0) return
  const bySeries = new Map(series.map((found) => [found.series?.seriesInstanceUid ?? '', found]))
  const instanceKeys = keys.filter(({ attribute }) => attribute.level === 'IMAGE')
  const chosenSeries = seriesKeys.length === 0 ? undefined : [...bySeries.keys()]
  const sopInstanceUids = keyOf(keys, KEY.sopInstanceUid)?.values
  for (let after = 0; ; ) {
    const batch = listFoundInstances(
      database,
      studyInstanceUid,
      chosenSeries,
      sopInstanceUids,
      after,
      INSTANCES_PER_READ,
    )
    for (const instance of batch) {
      const ofSeries = bySeries.get(instance.seriesInstanceUid)
      if (!ofSeries) continue
      const found = { ...ofSeries, instance }
      if (instanceKeys.every(({ matches }) => matches(found))) yield found
    }
    const last = batch.at(-1)
    if (!last || batch.length < INSTANCES_PER_READ) return
    after = last.instanceId
    await nextTurn(signal)
  }
}

/** Returns the function that reads the return keys of an entity. */
function reader({ level, returnKeys }: EntityQuery): (found: CandidateFacts) => FoundEntity {
  const attributes = returnKeys.flatMap((tag): RetrievalAttribute[] => {
    const attribute = RETRIEVAL_ATTRIBUTES.get(tag)
    return attribute && isAtOrAbove(attribute.level, level) ? [attribute] : []
  })
  return (found) => ({
    studyInstanceUid: level === 'PATIENT' ? '' : found.study.studyInstanceUid,
    seriesInstanceUid: found.series?.seriesInstanceUid ?? '',
    sopInstanceUid: found.instance?.sopInstanceUid ?? '',
    values: new Map(attributes.map(({ tag, read }) => [tag, read(found)])),
  })
}

const lookupsOf = ({ database, settings }: Context): Lookups => ({
  aeTitle: () => settings.get('dimse.aeTitle'),
  sopClassesOf: ({ studyInstanceUid }: FoundStudy) =>
    sopClassesOfStudy(database, studyInstanceUid).join('\\'),
  patientTotalsOf: ({ header }: FoundStudy) =>
    patientTotals(database, patientKeyOf(database, header)),
})
