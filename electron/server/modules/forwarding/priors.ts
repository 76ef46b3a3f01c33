import { LRUCache } from 'lru-cache'
import type { Context } from '#server/context.ts'
import type { Outbound } from '#server/dicom/scu/outbound.ts'
import type { dashboardDestinations, PriorStudy, Pull } from '#shared/contract/destinations.ts'
import { ApiError } from '#shared/errors.ts'
import type { CallOf, ReplyOf } from '#shared/operation.ts'
import type { DestinationRecord } from './destination-queries.ts'
import { peerOf } from './destinations.ts'
import { sentenceCase, sentenceOf } from './sentence.ts'

type FindPriors = (typeof dashboardDestinations)['findPriors']

/**
 * Earlier studies that a destination has of a patient, the newest first, and how much of each is
 * here already.
 * @throws ApiError unavailable: it could not be asked, never an empty list instead
 */
export async function findPriors(
  { imageStudies, clock }: Context,
  outbound: Outbound,
  destination: DestinationRecord,
  keys: CallOf<FindPriors>['body'],
): Promise<ReplyOf<FindPriors>> {
  const startedAt = clock()
  try {
    const rows = await outbound.findStudies(peerOf(destination), keys)
    const studies = rows
      .map((row) => ({
        ...row,
        modalities: [...row.modalities],
        here: imageStudies.get(row.studyInstanceUid)?.instances ?? 0,
      }))
      .sort((a, b) => whenOf(b).localeCompare(whenOf(a)))
    return { studies, tookMs: clock() - startedAt }
  } catch (error) {
    const sentence = sentenceOf(error)
    if (sentence === undefined) throw error
    throw new ApiError('unavailable', sentenceCase(sentence))
  }
}

const whenOf = ({ studyDate, studyTime }: Pick<PriorStudy, 'studyDate' | 'studyTime'>) =>
  `${studyDate}${studyTime}`

/** Whose study it is, and what it shows. */
export type StudySummary = Pick<
  Pull,
  'patientName' | 'patientId' | 'studyDescription' | 'studyDate'
>

/** Studies that are remembered; the ones found longest ago give way. */
const MOST_KEPT = 1000

export type FoundStudies = ReturnType<typeof openFoundStudies>

/**
 * What destinations said of the studies that were found there: a C-MOVE names a study by its UID
 * alone. Never written to the disk.
 */
export function openFoundStudies({ imageStudies }: Pick<Context, 'imageStudies'>) {
  const found = new LRUCache<string, StudySummary>({ max: MOST_KEPT })
  return {
    remember(destinationId: string, studies: readonly PriorStudy[]): void {
      for (const study of studies)
        found.set(keyOf(destinationId, study.studyInstanceUid), summaryOf(study))
    },
    /** As the destination said, else as the images that are here say; empty where neither does. */
    about(destinationId: string, studyInstanceUid: string): StudySummary {
      return (
        found.peek(keyOf(destinationId, studyInstanceUid)) ??
        summaryOf(imageStudies.get(studyInstanceUid)?.header ?? NOTHING)
      )
    },
  }
}

const NOTHING = { patientName: '', patientId: '', studyDescription: '', studyDate: '' }
const keyOf = (destinationId: string, studyInstanceUid: string) =>
  `${destinationId} ${studyInstanceUid}`
const summaryOf = ({
  patientName,
  patientId,
  studyDescription,
  studyDate,
}: StudySummary): StudySummary => ({ patientName, patientId, studyDescription, studyDate })
