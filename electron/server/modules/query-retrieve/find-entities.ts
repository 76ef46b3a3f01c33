import { setImmediate } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import { RETRIEVAL_ATTRIBUTES, type RetrievalAttribute } from './attributes.ts'
import { studyCandidates } from './candidate-queries.ts'
import { type CompiledKey, compileKeys, keyOf } from './entity-keys.ts'
import { listFoundInstances, listFoundSeries, sopClassesOfStudy } from './entity-queries.ts'
import {
  type EntitiesEnd,
  type EntityQuery,
  type FoundEntity,
  isAtOrAbove,
  MAX_ENTITIES,
} from './entity-query.ts'
import type { Found, FoundStudy, Lookups } from './found.ts'

const STUDY_INSTANCE_UID = 0x0020000d
const SERIES_INSTANCE_UID = 0x0020000e
const SOP_INSTANCE_UID = 0x00080018
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
  const { offset = 0, limit = MAX_ENTITIES } = query
  const keys = compileKeys(query)
  const isOfOneStudy = keyOf(keys, STUDY_INSTANCE_UID)?.values.length === 1
  const most = isOfOneStudy
    ? (query.limit ?? Number.POSITIVE_INFINITY)
    : Math.min(limit, MAX_ENTITIES)
  const entityOf = reader(query)
  let position = 0
  for await (const found of matching(context, query, keys, signal)) {
    if (position++ < offset) continue
    if (position > offset + most)
      return { outcome: query.limit !== undefined && query.limit <= most ? 'complete' : 'cut' }
    yield entityOf(found)
  }
  return { outcome: 'complete' }
}

async function* matching(
  context: Context,
  { level }: EntityQuery,
  keys: readonly CompiledKey[],
  signal: AbortSignal,
): AsyncGenerator<Found, void, void> {
  const { database } = context
  const lookups = lookupsOf(context)
  const ofStudy = keys.filter(({ attribute }) => isAtOrAbove(attribute.level, 'STUDY'))
  const patients = new Set<string>()
  for (const studies of studyCandidates(database, keyOf(keys, STUDY_INSTANCE_UID)?.values)) {
    for (const study of studies) {
      const found: Found = { study, series: undefined, instance: undefined, lookups }
      if (!ofStudy.every(({ matches }) => matches(found))) continue
      if (level === 'PATIENT') {
        const { patientId, patientName } = study.header
        const patient = patientId === '' ? `^${patientName}` : patientId
        if (patients.has(patient)) continue
        patients.add(patient)
      }
      if (level === 'SERIES' || level === 'IMAGE')
        yield* withinStudy(context, level, keys, found, signal)
      else yield found
    }
    await setImmediate()
    signal.throwIfAborted()
  }
}

async function* withinStudy(
  { database }: Context,
  level: 'SERIES' | 'IMAGE',
  keys: readonly CompiledKey[],
  ofStudy: Found,
  signal: AbortSignal,
): AsyncGenerator<Found, void, void> {
  const { studyInstanceUid } = ofStudy.study
  const seriesKeys = keys.filter(({ attribute }) => attribute.level === 'SERIES')
  const uids = keyOf(keys, SERIES_INSTANCE_UID)?.values
  const series = listFoundSeries(database, studyInstanceUid, uids)
    .map((one): Found => ({ ...ofStudy, series: one }))
    .filter((found) => seriesKeys.every(({ matches }) => matches(found)))
  if (level === 'SERIES') return yield* series
  if (series.length === 0) return
  const bySeries = new Map(series.map((found) => [found.series?.seriesInstanceUid ?? '', found]))
  const instanceKeys = keys.filter(({ attribute }) => attribute.level === 'IMAGE')
  const chosen = seriesKeys.length === 0 ? undefined : [...bySeries.keys()]
  const sopInstanceUids = keyOf(keys, SOP_INSTANCE_UID)?.values
  for (let after = 0; ; ) {
    const batch = listFoundInstances(
      database,
      studyInstanceUid,
      chosen,
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
    await setImmediate()
    signal.throwIfAborted()
  }
}

/** Returns the function that reads the return keys of an entity. */
function reader({ level, returnKeys }: EntityQuery): (found: Found) => FoundEntity {
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
  patientTotalsOf: ({ series, instances }: FoundStudy) => ({ studies: 1, series, instances }),
})
