import { LRUCache } from 'lru-cache'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { perDatabase } from '#server/database/database.ts'
import type { Outbound } from '#server/dicom/scu/outbound.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type { dashboardDestinations, PriorStudy, Pull } from '#shared/contract/destinations.ts'
import { ApiError } from '#shared/errors.ts'
import { asSentence } from '#shared/messages/message.ts'
import type { CallOf, ReplyOf } from '#shared/operation.ts'
import type { DestinationRecord } from './destination-queries.ts'
import { peerOf } from './destinations.ts'
import { networkFault } from './verdict.ts'

type FindPriors = (typeof dashboardDestinations)['findPriors']

/**
 * Earlier studies that a destination has of a patient, the newest first, and how much of each is
 * here already.
 * @throws ApiError unavailable: it could not be asked, never an empty list instead
 */
export async function findPriors(
  { database, clock }: Context,
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
        here: findImageStudy(database, row.studyInstanceUid)?.instances ?? 0,
      }))
      .sort((a, b) => whenOf(b).localeCompare(whenOf(a)))
    return { studies, tookMs: clock() - startedAt }
  } catch (error) {
    const fault = networkFault(error)
    if (fault === undefined) throw error
    throw new ApiError('unavailable', asSentence(fault))
  }
}

const whenOf = ({ studyDate, studyTime }: Pick<PriorStudy, 'studyDate' | 'studyTime'>) =>
  `${studyDate}${studyTime}`

/** Whose study it is, and what it shows. */
type StudySummary = Pick<Pull, 'patientName' | 'patientId' | 'studyDescription' | 'studyDate'>

/**
 * What destinations said of the studies that were found there: a C-MOVE names a study by its UID
 * alone. Never written to the disk.
 */
const foundIn = perDatabase(() => new LRUCache<string, StudySummary>({ max: 1000 }))

export function rememberStudies(
  database: Database,
  destinationId: string,
  studies: readonly PriorStudy[],
): void {
  for (const study of studies)
    foundIn(database).set(`${destinationId} ${study.studyInstanceUid}`, summaryOf(study))
}

/** As the destination said, else as the images that are here say; empty where neither does. */
export const summaryOfStudy = (
  database: Database,
  destinationId: string,
  studyInstanceUid: string,
): StudySummary =>
  foundIn(database).peek(`${destinationId} ${studyInstanceUid}`) ??
  summaryOf(findImageStudy(database, studyInstanceUid)?.header ?? WITHOUT_PATIENT)

export const WITHOUT_PATIENT = {
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
