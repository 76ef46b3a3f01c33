import { LRUCache } from 'lru-cache'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { perDatabase } from '#server/database/database.ts'
import type { OutboundRequests } from '#server/dicom/scu/outbound.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type {
  dashboardDestinations,
  PriorRetrieval,
  PriorStudy,
} from '#shared/contract/destinations.ts'
import { ApiError } from '#shared/errors.ts'
import { asSentence } from '#shared/messages/message.ts'
import type { CallOf, ReplyOf } from '#shared/operation.ts'
import type { DestinationRecord } from './destination-queries.ts'
import { peerOf } from './destinations.ts'
import { networkFault } from './verdict.ts'

type FindPriors = (typeof dashboardDestinations)['findPriors']

/**
 * Queries a destination for prior studies of a patient. Returns them newest first, with the number
 * of their images that are already here.
 * @throws ApiError unavailable if the query fails; the list is never empty for that reason
 */
export async function findPriors(
  { database, clock }: Context,
  outbound: OutboundRequests,
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
        here: findImageStudy(database, row.studyInstanceUid)?.instances ?? 0,
      }))
      .sort((a, b) => sortKey(b).localeCompare(sortKey(a)))
    return { studies, tookMs: clock() - startedAt }
  } catch (error) {
    const fault = networkFault(error)
    if (fault === undefined) throw error
    throw new ApiError('unavailable', asSentence(fault))
  }
}

const sortKey = ({ studyDate, studyTime }: Pick<PriorStudy, 'studyDate' | 'studyTime'>) =>
  `${studyDate}${studyTime}`

/** The patient and the description of a study. */
type StudySummary = Pick<
  PriorRetrieval,
  'patientName' | 'patientId' | 'studyDescription' | 'studyDate'
>

/**
 * Summaries of the studies that destinations returned, since a C-MOVE contains only the Study
 * Instance UID. Never written to the disk.
 */
const summaryCache = perDatabase(() => new LRUCache<string, StudySummary>({ max: 1000 }))

export function cacheSummaries(
  database: Database,
  destinationId: string,
  studies: readonly PriorStudy[],
): void {
  for (const study of studies)
    summaryCache(database).set(`${destinationId} ${study.studyInstanceUid}`, summaryOf(study))
}

/**
 * The summary from the destination, or else from the images that are here; empty if there is
 * neither.
 */
export const summaryOfStudy = (
  database: Database,
  destinationId: string,
  studyInstanceUid: string,
): StudySummary =>
  summaryCache(database).peek(`${destinationId} ${studyInstanceUid}`) ??
  summaryOf(findImageStudy(database, studyInstanceUid)?.header ?? EMPTY_SUMMARY)

export const EMPTY_SUMMARY = {
  patientName: '',
  patientId: '',
  studyDescription: '',
  studyDate: '',
} as const

const summaryOf = ({
  patientName,
  patientId,
  studyDescription,
  studyDate,
}: StudySummary): StudySummary => ({ patientName, patientId, studyDescription, studyDate })
