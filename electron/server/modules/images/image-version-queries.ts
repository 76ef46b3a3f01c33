import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { type ImageHeader, versionContextOf } from '#server/modules/studies/image-study-row.ts'
import {
  allInstances,
  findCurrentInstance,
  findWithdrawnInstance,
  type InstanceRecord,
  IS_WITHDRAWN,
  REPLACING,
  SELECT_INSTANCES,
  WITHDRAWN,
} from './instance-queries.ts'

// Versions of images that corrections connect, recorded or only found.

/** `header`: what the instance says of its patient and its exam. */
export interface FoundVersion {
  readonly instanceId: number
  readonly header: ImageHeader
}

// Both directions of each record, and of each note of a version that was found.
// Two branches for the instances of a UID, as there are two partial indexes.
const OTHER_VERSIONS = `with wanted as (select ? as uid), a as (
    select instanceId from instances where sopInstanceUid = (select uid from wanted) and state = 'current'
    union all select instanceId from instances where sopInstanceUid = (select uid from wanted) and state <> 'current')
  select b.sopInstanceUid as uid from a
    join correctedInstances o on o.originalId = a.instanceId join instances b on b.instanceId = o.correctedId
  union select b.sopInstanceUid from a
    join correctedInstances o on o.correctedId = a.instanceId join instances b on b.instanceId = o.originalId
  union select b.sopInstanceUid from foundVersions f join instances b using (instanceId) where f.otherUid = (select uid from wanted)
  union select f.otherUid from a join foundVersions f using (instanceId)`

const IS_NAMED = 'select 1 from foundVersions where otherUid = ?'

const NOTE_FOUND =
  'insert or ignore into foundVersions (instanceId, otherUid, sealedHeader) values (?, ?, ?)'

const FOUND_BESIDE = 'select otherUid from foundVersions where instanceId = ?'

/**
 * Whether the instance does not count because of a correction: the original of one that stands,
 * or a copy of one that was undone. It is not restored, and what a device sends under its UID
 * does not bring it back.
 */
export const isInstanceWithdrawn = (database: Database, instanceId: number): boolean =>
  database.get(
    rawQuery(`select 1 from instances n where n.instanceId = ? and ${WITHDRAWN}`, [instanceId]),
  ) !== undefined

/** Whether the instance is a copy that a correction made. */
export const isCorrectedCopy = (database: Database, instanceId: number): boolean =>
  database.get(rawQuery('select 1 from correctedInstances where correctedId = ?', [instanceId])) !==
  undefined

/**
 * SOP Instance UIDs of all other versions of an image that corrections, recorded or only found,
 * connect with one of these UIDs. At most one version of an image is current.
 */
export function listOtherVersions(database: Database, uids: readonly string[]): string[] {
  const known = new Set(uids)
  for (const uid of known)
    for (const other of database.all(rawQuery<{ uid: string }>(OTHER_VERSIONS, [uid])))
      known.add(other.uid)
  return [...known].filter((uid) => !uids.includes(uid))
}

/** Whether `insertFoundVersion` was given the UID as that of another version. */
export const isOfFoundVersion = (database: Database, sopInstanceUid: string): boolean =>
  database.get(rawQuery(IS_NAMED, [sopInstanceUid])) !== undefined

/**
 * An instance that is another version of images with these UIDs, without a record of the
 * correction.
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
    database.run(rawQuery(NOTE_FOUND, [instanceId, otherUid, sealedHeader]))
}

/** SOP Instance UIDs that `insertFoundVersion` was given; none of any other instance. */
export const listFoundBeside = (database: Database, instanceId: number): string[] =>
  database
    .all(rawQuery<{ otherUid: string }>(FOUND_BESIDE, [instanceId]))
    .map(({ otherUid }) => otherUid)

/**
 * The current instance that is another version of the image by a correction: of the same image,
 * one version is shown. Undefined where there is none.
 */
export function findRivalVersion(
  database: Database,
  sopInstanceUid: string,
  originals: readonly string[],
): InstanceRecord | undefined {
  if (originals.length === 0 && !isOfFoundVersion(database, sopInstanceUid)) return undefined
  const others = listOtherVersions(database, [sopInstanceUid, ...originals])
  for (const uid of [...originals, ...others]) {
    const rival = findCurrentInstance(database, uid)
    if (rival) return rival
  }
  return undefined
}

const UNREVIEWED = `where studyInstanceUid = ? and ${REPLACING}`
const REPLACED = `select sopInstanceUid from instances where studyInstanceUid = ? and state = 'superseded'`

/**
 * Versions of the instances of the study that have more than one, image by image, each in the
 * order they came; at most `limit` earlier ones.
 */
export function listReplacements(
  database: Database,
  studyInstanceUid: string,
  limit: number,
): InstanceRecord[] {
  // Two queries: there are two partial indexes, and one condition for both would look through
  // all instances.
  const earlier = allInstances(
    database,
    `${SELECT_INSTANCES} where studyInstanceUid = ? and state = 'superseded' and not ${IS_WITHDRAWN} order by instanceId limit ?`,
    studyInstanceUid,
    limit,
  )
  const shown = allInstances(
    database,
    `${SELECT_INSTANCES} where state = 'current' and sopInstanceUid in (${REPLACED} order by instanceId limit ?)`,
    studyInstanceUid,
    limit,
  )
  const byImage = Map.groupBy([...earlier, ...shown], ({ sopInstanceUid }) => sopInstanceUid)
  // Of an image that was corrected no earlier version can take its place either.
  const isShown = (versions: readonly InstanceRecord[]) =>
    versions.some(({ state }) => state === 'current') ||
    !findWithdrawnInstance(database, versions[0]?.sopInstanceUid ?? '')
  return [...byImage.values()]
    .filter(isShown)
    .flatMap((versions) => versions.sort((a, b) => a.instanceId - b.instanceId))
}

/**
 * Current instances of the study whose pixels differ from those of the version before, which
 * nobody has looked at.
 */
export const countUnreviewedReplacements = (database: Database, studyInstanceUid: string): number =>
  database.get(
    rawQuery<{ count: number }>(`select count(*) as count from instances ${UNREVIEWED}`, [
      studyInstanceUid,
    ]),
  )?.count ?? 0

/** A person has looked at the replacements of the study. How many were open. */
export const reviewReplacements = (
  database: Database,
  studyInstanceUid: string,
  at: string,
): number =>
  database.run(
    rawQuery(`update instances set changeReviewedAt = ? ${UNREVIEWED}`, [at, studyInstanceUid]),
  ).changes

/** When images of the study were corrected, and when corrections of them were undone. */
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

/** Whether somebody has begun a report of the study of the interface. */
export const isReportBegun = (database: Database, studyId: string): boolean =>
  database.get(
    database.sql.selectFrom('reports').select('reportId').where('studyId', '=', studyId).limit(1),
  ) !== undefined
