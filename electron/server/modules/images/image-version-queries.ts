import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { type ImageHeader, versionContextOf } from '#server/modules/studies/image-study-row.ts'
import {
  findCurrentInstance,
  findWithdrawnInstance,
  type InstanceRecord,
  IS_REPLACING,
  IS_WITHDRAWN,
  readInstances,
  SELECT_INSTANCES,
  WITHDRAWN_CONDITION,
} from './instance-queries.ts'

// Versions of images that are related by corrections, whether recorded or only detected.

/** `header` identifies the patient and the exam of the instance. */
export interface FoundVersion {
  readonly instanceId: number
  readonly header: ImageHeader
}

// Both directions of each correction record and of each detected version. Two branches for the
// instances of a UID, to use both partial indexes.
const SELECT_OTHER_VERSIONS = `with wanted as (select ? as uid), a as (
    select instanceId from instances where sopInstanceUid = (select uid from wanted) and state = 'current'
    union all select instanceId from instances where sopInstanceUid = (select uid from wanted) and state <> 'current')
  select b.sopInstanceUid as uid from a
    join correctedInstances o on o.originalId = a.instanceId join instances b on b.instanceId = o.correctedId
  union select b.sopInstanceUid from a
    join correctedInstances o on o.correctedId = a.instanceId join instances b on b.instanceId = o.originalId
  union select b.sopInstanceUid from foundVersions f join instances b using (instanceId) where f.otherUid = (select uid from wanted)
  union select f.otherUid from a join foundVersions f using (instanceId)`

const SELECT_FOUND_VERSION = 'select 1 from foundVersions where otherUid = ?'

const INSERT_FOUND_VERSION =
  'insert or ignore into foundVersions (instanceId, otherUid, sealedHeader) values (?, ?, ?)'

const SELECT_FOUND_VERSION_UIDS = 'select otherUid from foundVersions where instanceId = ?'

/**
 * Whether a correction withdrew the instance: it is the original of an active correction, or a copy
 * of one that was undone. It cannot be restored, nor does receiving its UID again bring it back.
 */
export const isInstanceWithdrawn = (database: Database, instanceId: number): boolean =>
  database.get(
    rawQuery(`select 1 from instances n where n.instanceId = ? and ${WITHDRAWN_CONDITION}`, [
      instanceId,
    ]),
  ) !== undefined

/** Whether the instance is a copy that a correction made. */
export const isCorrectedCopy = (database: Database, instanceId: number): boolean =>
  database.get(rawQuery('select 1 from correctedInstances where correctedId = ?', [instanceId])) !==
  undefined

/**
 * SOP Instance UIDs of all other versions of an image that recorded or detected corrections relate
 * to these UIDs. At most one version of an image is current.
 */
export function listOtherVersions(database: Database, uids: readonly string[]): string[] {
  const known = new Set(uids)
  for (const uid of known)
    for (const other of database.all(rawQuery<{ uid: string }>(SELECT_OTHER_VERSIONS, [uid])))
      known.add(other.uid)
  return [...known].filter((uid) => !uids.includes(uid))
}

/** Whether `insertFoundVersion` recorded this UID as that of another version. */
export const hasFoundVersion = (database: Database, sopInstanceUid: string): boolean =>
  database.get(rawQuery(SELECT_FOUND_VERSION, [sopInstanceUid])) !== undefined

/**
 * Records that an instance is another version of images with these UIDs, although no correction is
 * recorded.
 */
export function insertFoundVersion(
  database: Database,
  { instanceId, header }: FoundVersion,
  otherUids: readonly string[],
): void {
  const sealedHeader = database.seal.seal(
    Buffer.from(JSON.stringify(header)),
    versionContextOf(instanceId),
  )
  for (const otherUid of otherUids)
    database.run(rawQuery(INSERT_FOUND_VERSION, [instanceId, otherUid, sealedHeader]))
}

/** The SOP Instance UIDs that `insertFoundVersion` recorded for the instance. */
export const listFoundVersionUids = (database: Database, instanceId: number): string[] =>
  database
    .all(rawQuery<{ otherUid: string }>(SELECT_FOUND_VERSION_UIDS, [instanceId]))
    .map(({ otherUid }) => otherUid)

/**
 * The current instance that is another version of the image because of a correction; `undefined` if
 * there is none. Only one version of an image may be shown.
 */
export function findCurrentVersion(
  database: Database,
  sopInstanceUid: string,
  originals: readonly string[],
): InstanceRecord | undefined {
  if (originals.length === 0 && !hasFoundVersion(database, sopInstanceUid)) return undefined
  const others = listOtherVersions(database, [sopInstanceUid, ...originals])
  for (const uid of [...originals, ...others]) {
    const otherVersion = findCurrentInstance(database, uid)
    if (otherVersion) return otherVersion
  }
  return undefined
}

const WHERE_UNREVIEWED = `where studyInstanceUid = ? and ${IS_REPLACING}`
const SELECT_REPLACED = `select sopInstanceUid from instances where studyInstanceUid = ? and state = 'superseded'`

/**
 * Versions of the study's instances that have more than one, grouped by image, in the order in
 * which they were received; at most `limit` superseded ones.
 */
export function listReplacements(
  database: Database,
  studyInstanceUid: string,
  limit: number,
): InstanceRecord[] {
  // Two queries to use both partial indexes; a single condition would scan all instances.
  const supersededInstances = readInstances(
    database,
    `${SELECT_INSTANCES} where studyInstanceUid = ? and state = 'superseded' and not ${IS_WITHDRAWN} order by instanceId limit ?`,
    studyInstanceUid,
    limit,
  )
  const shown = readInstances(
    database,
    `${SELECT_INSTANCES} where state = 'current' and sopInstanceUid in (${SELECT_REPLACED} order by instanceId limit ?)`,
    studyInstanceUid,
    limit,
  )
  const byImage = Map.groupBy(
    [...supersededInstances, ...shown],
    ({ sopInstanceUid }) => sopInstanceUid,
  )
  // Earlier versions of a corrected image cannot be restored, either.
  const isShown = (versions: readonly InstanceRecord[]) =>
    versions.some(({ state }) => state === 'current') ||
    !findWithdrawnInstance(database, versions[0]?.sopInstanceUid ?? '')
  return [...byImage.values()]
    .filter(isShown)
    .flatMap((versions) => versions.sort((a, b) => a.instanceId - b.instanceId))
}

/**
 * Number of the study's current instances whose pixels differ from the previous version and that
 * have not been reviewed.
 */
export const countUnreviewedReplacements = (database: Database, studyInstanceUid: string): number =>
  database.get(
    rawQuery<{ count: number }>(`select count(*) as count from instances ${WHERE_UNREVIEWED}`, [
      studyInstanceUid,
    ]),
  )?.count ?? 0

/** Marks the replacements of the study as reviewed; returns the number of those that were not. */
export const reviewReplacements = (
  database: Database,
  studyInstanceUid: string,
  at: string,
): number =>
  database.run(
    rawQuery(`update instances set changeReviewedAt = ? ${WHERE_UNREVIEWED}`, [
      at,
      studyInstanceUid,
    ]),
  ).changes

/** Times at which images of the study were corrected, and corrections of them were undone. */
export const listCorrectionTimes = (database: Database, studyInstanceUid: string): string[] =>
  database
    .all(
      database.sql
        .selectFrom('corrections')
        .select(['at', 'undoneAt'])
        .where((of) =>
          of.or([
            of('fromStudyInstanceUid', '=', studyInstanceUid),
            of('toStudyInstanceUid', '=', studyInstanceUid),
          ]),
        ),
    )
    .flatMap(({ at, undoneAt }) => (undoneAt === null ? [at] : [at, undoneAt]))

/** Whether there is a report of the study. */
export const hasReport = (database: Database, studyId: string): boolean =>
  database.get(
    database.sql.selectFrom('reports').select('reportId').where('studyId', '=', studyId).limit(1),
  ) !== undefined
