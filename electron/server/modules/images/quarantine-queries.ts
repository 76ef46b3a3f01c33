import type { Database } from '#server/database/database.ts'
import { type Slice, type SliceQuery, sliceOf } from '#server/database/page.ts'
import { rawQuery } from '#server/database/query.ts'
import {
  type InstanceRecord,
  nameContextOf,
  openName,
  type QuarantineReason,
  readInstances,
  SELECT_INSTANCES,
} from './instance-queries.ts'

/** Instances of a study that were quarantined for one reason, up to the instance id `upTo`. */
export interface QuarantineGroup {
  readonly studyInstanceUid: string
  readonly because: QuarantineReason
  readonly upTo: number
}

/** A summary of a group. */
export interface QuarantineGroupRecord extends QuarantineGroup {
  readonly instances: number
  readonly bytes: number
  /** Distinct, at most 20. */
  readonly patientNames: readonly string[]
}

// Without `indexed by`, SQLite scans all instances, because they are already in the order of the
// list.
const SELECT_QUARANTINED = `${SELECT_INSTANCES} indexed by instancesQuarantined where state = 'quarantined'`
const COUNT_QUARANTINED = `select count(*) as count from instances where state = 'quarantined'`
const FROM_QUARANTINED_OF_STUDY = `from instances indexed by instancesQuarantined where state = 'quarantined' and studyInstanceUid = ?`
const SELECT_GROUPS = `select reason as because, count(*) as instances, sum(bytes) as bytes, max(instanceId) as upTo ${FROM_QUARANTINED_OF_STUDY}
  group by reason order by reason`
// Consecutive instances share one encrypted name, so the number of distinct encrypted names rarely
// exceeds this.
const SELECT_PATIENT_NAMES = `select distinct sealedPatientName ${FROM_QUARANTINED_OF_STUDY} and reason = ? and sealedPatientName is not null limit 200`
const MAX_NAMES = 20
const IN_GROUP_CONDITION = `and reason = ? and instanceId <= ?`

/** Lists quarantined instances, newest first. */
export function listQuarantined(
  database: Database,
  {
    after,
    limit,
    studyInstanceUid,
  }: SliceQuery & { readonly studyInstanceUid?: string | undefined },
): Slice<InstanceRecord> {
  const conditions = [
    ...(studyInstanceUid === undefined ? [] : ['and studyInstanceUid = ?']),
    ...(after === undefined ? [] : ['and instanceId < ?']),
  ]
  const parameters = [
    ...(studyInstanceUid === undefined ? [] : [studyInstanceUid]),
    ...(after === undefined ? [] : [Number(after)]),
  ]
  const text = `${SELECT_QUARANTINED} ${conditions.join(' ')} order by instanceId desc limit ?`
  const rows = readInstances(database, text, ...parameters, limit + 1)
  return sliceOf(rows, limit, (row) => row.instanceId)
}

export const countQuarantined = (database: Database): number =>
  database.get(rawQuery<{ count: number }>(COUNT_QUARANTINED, []))?.count ?? 0

/** Summaries of the quarantined instances of a study, by reason. */
export const listQuarantinedGroups = (
  database: Database,
  studyInstanceUid: string,
): QuarantineGroupRecord[] =>
  database
    .all(
      rawQuery<Omit<QuarantineGroupRecord, 'studyInstanceUid' | 'patientNames'>>(SELECT_GROUPS, [
        studyInstanceUid,
      ]),
    )
    .map((group) => {
      const sealed = database.all(
        rawQuery<{ sealedPatientName: Buffer }>(SELECT_PATIENT_NAMES, [
          studyInstanceUid,
          group.because,
        ]),
      )
      const opened = sealed.map(({ sealedPatientName }) =>
        openName(database, sealedPatientName, nameContextOf(studyInstanceUid)),
      )
      return {
        ...group,
        studyInstanceUid,
        patientNames: [...new Set(opened)].slice(0, MAX_NAMES),
      }
    })

/** Lists the instances of a group, in the order in which they were received. */
export function listQuarantinedIn(
  database: Database,
  { studyInstanceUid, because, upTo }: QuarantineGroup,
  { after, limit }: { readonly after: number; readonly limit: number },
): InstanceRecord[] {
  const text = `${SELECT_QUARANTINED} and studyInstanceUid = ? ${IN_GROUP_CONDITION} and instanceId > ? order by instanceId limit ?`
  return readInstances(database, text, studyInstanceUid, because, upTo, after, limit)
}

export const countQuarantinedIn = (
  database: Database,
  { studyInstanceUid, because, upTo }: QuarantineGroup,
): number =>
  database.get(
    rawQuery<{ count: number }>(
      `select count(*) as count ${FROM_QUARANTINED_OF_STUDY} ${IN_GROUP_CONDITION}`,
      [studyInstanceUid, because, upTo],
    ),
  )?.count ?? 0
