import type { CorrectedPair } from '#gateway/domain/correction-notices.ts'
import { rawQuery } from '#gateway/store/raw-query.ts'
import type { Store } from '#gateway/store/store.ts'

export const CORRECTION = '3d1f6a52-8c0b-4e97-a1d4-5b7f60c2e983'

/** The row of a correction and of each pair, with the originals superseded, as the engine leaves them. Within a transaction. */
export function correctionRows(
  store: Store,
  pairs: readonly CorrectedPair[],
  { correctionId = CORRECTION, at = '2026-03-10T09:00:00.000Z', kind = 'correct' } = {},
): void {
  const { database, instances, imageStudies } = store
  const [first] = pairs
  if (!first) throw new Error('a correction is of an image')
  const studies = [first.original.studyInstanceUid, first.copy.studyInstanceUid]
  const details = store.seal.seal(Buffer.from('{}'), 'a test')
  const values = [correctionId, kind, 'wrong-worklist-entry', ...studies, pairs.length, details, 'usr_1', at]
  database.run(rawQuery('insert into corrections values (?, ?, ?, ?, ?, ?, ?, ?, ?, null, null)', values))
  for (const { original, copy } of pairs) {
    const ids = [original.instanceId, copy.instanceId, correctionId]
    database.run(rawQuery('insert into correctedInstances values (?, ?, ?)', ids))
    instances.setState(original.instanceId, 'superseded')
    instances.setState(copy.instanceId, 'current')
  }
  for (const uid of new Set(studies)) imageStudies.recount(uid)
}

/** A correction as it is passed to whoever listens. */
export function correctionMade(pairs: readonly CorrectedPair[], correctionId = CORRECTION, at = '2026-03-10T09:00:00.000Z') {
  const [first] = pairs
  if (!first) throw new Error('a correction is of an image')
  return {
    ...{ correctionId, at, pairs, cause: 'wrong-worklist-entry' as const },
    fromStudyInstanceUid: first.original.studyInstanceUid,
    toStudyInstanceUid: first.copy.studyInstanceUid,
  }
}
