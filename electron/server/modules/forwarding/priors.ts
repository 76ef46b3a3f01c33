import type { Context } from '#server/context.ts'
import type { findStudies } from '#server/dicom/scu/query.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { dashboardDestinations } from '#shared/contract/destinations.ts'
import { ApiError } from '#shared/errors.ts'
import type { CallOf, ReplyOf } from '#shared/operation.ts'
import type { DestinationRecord } from './destination-queries.ts'
import { peerOf } from './peer.ts'
import { sentenceCase, sentenceOf } from './sentence.ts'

type FindPriors = (typeof dashboardDestinations)['findPriors']

export interface PriorsDeps {
  readonly store: Pick<Context, 'imageStudies'>
  readonly findStudies: typeof findStudies
  readonly ownAeTitle: () => string
  readonly clock: Clock
}

/**
 * Earlier studies that a destination has of a patient, the newest first, and how much of each is
 * here already.
 * @throws ApiError unavailable: it could not be asked, never an empty list instead
 */
export async function findPriors(
  destination: DestinationRecord,
  keys: CallOf<FindPriors>['body'],
  { store, findStudies, ownAeTitle, clock }: PriorsDeps,
): Promise<ReplyOf<FindPriors>> {
  const startedAt = clock()
  try {
    const rows = await findStudies(peerOf(destination), ownAeTitle(), keys)
    const studies = rows
      .map((row) => ({
        ...row,
        modalities: [...row.modalities],
        here: store.imageStudies.get(row.studyInstanceUid)?.instances ?? 0,
      }))
      .sort((a, b) => whenOf(b).localeCompare(whenOf(a)))
    return { studies, tookMs: clock() - startedAt }
  } catch (error) {
    const sentence = sentenceOf(error)
    if (sentence === undefined) throw error
    throw new ApiError('unavailable', sentenceCase(sentence))
  }
}

const whenOf = ({
  studyDate,
  studyTime,
}: {
  readonly studyDate: string
  readonly studyTime: string
}) => `${studyDate}${studyTime}`
