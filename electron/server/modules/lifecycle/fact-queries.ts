import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import {
  BY_PRESENT_NODE_CONDITION,
  listConfirmedPlaces,
} from '#server/modules/images/instance-copy-queries.ts'
import { OWN_ADDRESS } from '#server/modules/studies/study-identity.ts'
import { msOf } from '#server/platform/clock.ts'
import type { StudyFacts } from './evaluation.ts'

/** A position in the order of the studies by age. */
export interface StudyPosition {
  readonly lastInstanceAt: string
  readonly studyInstanceUid: string
}

/** Studies with files on this PC, the oldest first. */
export const listLocalStudies = (
  database: Database,
  after: StudyPosition | undefined,
  limit: number,
): StudyPosition[] =>
  database.all(
    rawQuery<StudyPosition>(
      `select lastInstanceAt, studyInstanceUid from imageStudies indexed by imageStudiesLocal
        where localRemovedAt is null and (lastInstanceAt, studyInstanceUid) > (?, ?)
        order by lastInstanceAt, studyInstanceUid limit ?`,
      [after?.lastInstanceAt ?? '', after?.studyInstanceUid ?? '', limit],
    ),
  )

interface StudyRow {
  readonly lastInstanceAt: string
  readonly state: string
  readonly quarantined: number
  readonly isMismatched: number | null
  readonly isHeld: number
  readonly isForwarding: number
  readonly signedAt: string | null
  readonly openReports: number
}

interface InstanceRow {
  readonly instanceId: number
  readonly file: string
  readonly bytes: number
  readonly modality: string
  readonly callingAeTitle: string
  readonly remoteAddress: string
  readonly lastSeenAt: string
}

const SELECT_STUDY = `
  select s.lastInstanceAt, s.state, s.quarantined, s.isMismatched,
    exists (select 1 from legalHolds h where h.studyInstanceUid = s.studyInstanceUid and h.liftedAt is null) as isHeld,
    exists (select 1 from destinations d join forwardedStudies f
      on f.destinationId = d.destinationId and f.studyInstanceUid = s.studyInstanceUid
      where f.waiting > 0 or f.failed > 0) as isForwarding,
    (select max(r.signedAt) from studies t join reports r using (studyId)
      where t.studyInstanceUid = s.studyInstanceUid and r.status = 'completed') as signedAt,
    (select count(*) from studies t join reports r using (studyId)
      where t.studyInstanceUid = s.studyInstanceUid and r.status <> 'completed') as openReports
  from imageStudies s where s.studyInstanceUid = ?`
const SELECT_LOCAL_INSTANCES = `
  select instanceId, file, bytes, modality, callingAeTitle, remoteAddress, lastSeenAt from instances
  where studyInstanceUid = ? and state = 'current' and localRemovedAt is null order by instanceId`

/** The facts about a study; `undefined` if it has no images. */
export function findStudyFacts(
  database: Database,
  studyInstanceUid: string,
): StudyFacts | undefined {
  const study = database.get(rawQuery<StudyRow>(SELECT_STUDY, [studyInstanceUid]))
  if (!study) return undefined
  const rows = database.all(rawQuery<InstanceRow>(SELECT_LOCAL_INSTANCES, [studyInstanceUid]))
  const places = listConfirmedPlaces(
    database,
    rows.map(({ instanceId }) => instanceId),
  )
  const seen = rows.map(({ lastSeenAt }) => lastSeenAt)
  return {
    studyInstanceUid,
    receivedAt: msOf([study.lastInstanceAt, ...seen].reduce((a, b) => (a > b ? a : b))),
    signedAt: study.openReports > 0 || study.signedAt === null ? null : msOf(study.signedAt),
    isHeld: study.isHeld === 1,
    isArriving: study.state !== 'settled',
    hasQuarantinedImages: study.quarantined > 0,
    // Unknown until it was computed.
    isMismatched: study.isMismatched !== 0,
    isBeingForwarded: study.isForwarding === 1,
    local: rows.map(({ remoteAddress, lastSeenAt: _, ...row }) => ({
      ...row,
      localRemovedAt: null,
      isOwn: remoteAddress === OWN_ADDRESS,
      places: places.get(row.instanceId) ?? NO_DESTINATIONS,
    })),
  }
}

/**
 * Destinations that a study was sent to and can be retrieved from, that do not confirm what they
 * store, and have not returned every image of it that is here.
 */
export const listReadBackSources = (database: Database, studyInstanceUid: string): string[] =>
  database
    .all(
      rawQuery<{ destinationId: string }>(
        `select d.destinationId from destinations d
          join forwardedStudies f on f.destinationId = d.destinationId and f.studyInstanceUid = ?
          where d.isEnabled = 1 and d.hasPriors = 1 and d.confirmsStorage = 0
            and f.sent > 0 and f.waiting = 0 and f.failed = 0
            and exists (select 1 from instances i
              where i.studyInstanceUid = f.studyInstanceUid and i.state = 'current'
                and i.localRemovedAt is null and i.remoteAddress <> ?
                and not exists (select 1 from instanceCopies c
                  where c.instanceId = i.instanceId and c.destinationId = d.destinationId
                    and ${BY_PRESENT_NODE_CONDITION}))
          order by d.name, d.destinationId`,
        [studyInstanceUid, OWN_ADDRESS],
      ),
    )
    .map(({ destinationId }) => destinationId)

const NO_DESTINATIONS: ReadonlySet<string> = new Set()

/** Records that the study has no image files of devices on this PC any more. */
export function markStudyRemoved(database: Database, studyInstanceUid: string, at: string): void {
  database.run(
    rawQuery('update imageStudies set localRemovedAt = ? where studyInstanceUid = ?', [
      at,
      studyInstanceUid,
    ]),
  )
}

/** Whether images are copied to an object store, which confirms each copy. */
export const hasObjectStore = (database: Database): boolean =>
  database.get(rawQuery("select 1 from tiers where kind = 's3' and isEnabled = 1", [])) !==
  undefined

/** Bytes of the studies whose last image was received in the span and whose files were removed. */
export const sumRemovedBytes = (database: Database, from: string, to: string): number =>
  database.get(
    rawQuery<{ bytes: number }>(
      `select total(bytes) as bytes from imageStudies
        where lastInstanceAt >= ? and lastInstanceAt < ? and localRemovedAt is not null`,
      [from, to],
    ),
  )?.bytes ?? 0

/** Totals of the files that are on this PC, and of those that were removed from it. */
export const sumFiles = (database: Database) =>
  database.get(
    rawQuery<{ localBytes: number; removedBytes: number; removedStudies: number }>(
      `select
        (select total(bytes) from imageSeries) - (select total(bytes) from instances where localRemovedAt is not null and state = 'current') as localBytes,
        (select total(bytes) from instances where localRemovedAt is not null) as removedBytes,
        (select count(*) from imageStudies where localRemovedAt is not null) as removedStudies`,
      [],
    ),
  ) ?? { localBytes: 0, removedBytes: 0, removedStudies: 0 }
