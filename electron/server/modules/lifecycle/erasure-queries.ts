import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import type { Row } from '#server/database/schema.ts'
import type { ErasureRecord, ErasureScope } from '#shared/contract/erasure.ts'

// What is stored of a study, table by table, and the progress of erasures.

/** The Study Instance UID, which every statement begins with. */
const ERASED_UID = '(select uid from erased)'
const WITH_UID = 'with erased (uid) as (values (?))'
const SELECT_REPORTS = `select reportId from reports where studyId in (select studyId from studies where studyInstanceUid = ${ERASED_UID})`
const SELECT_STUDIES = `select studyId from studies where studyInstanceUid = ${ERASED_UID}`
const SELECT_CORRECTIONS = `select correctionId from corrections where fromStudyInstanceUid = ${ERASED_UID} or toStudyInstanceUid = ${ERASED_UID}`
/**
 * The instances of the study, and the originals of those that a correction moved into it: their
 * pixels are of its patient.
 */
const SELECT_INSTANCES = `
  select instanceId from instances where studyInstanceUid = ${ERASED_UID}
  union
  select c.originalId from instances n join correctedInstances c on c.correctedId = n.instanceId
  where n.studyInstanceUid = ${ERASED_UID}`

/**
 * What is deleted with a study, in this order. Foreign keys are checked at the
 * end of the transaction.
 */
export const ERASED_ROWS: readonly (readonly [table: string, where: string])[] = [
  [
    'outbox',
    `subject in (${SELECT_REPORTS} union select captureId from captures where studyInstanceUid = ${ERASED_UID} union ${SELECT_CORRECTIONS} union select ${ERASED_UID})`,
  ],
  [
    'events',
    `studyInstanceUid = ${ERASED_UID} or subject in (${SELECT_REPORTS} union ${SELECT_STUDIES} union select ${ERASED_UID})`,
  ],
  ['criticalEscalations', `reportId in (${SELECT_REPORTS})`],
  ['criticalResults', `reportId in (${SELECT_REPORTS})`],
  ['reportObjects', `reportId in (${SELECT_REPORTS})`],
  ['reportPdfs', `reportId in (${SELECT_REPORTS})`],
  ['reportRevisions', `reportId in (${SELECT_REPORTS})`],
  ['reports', `studyId in (${SELECT_STUDIES})`],
  ['clinicalContexts', `studyId in (${SELECT_STUDIES})`],
  ['contextDocuments', `studyId in (${SELECT_STUDIES})`],
  ['captures', `studyInstanceUid = ${ERASED_UID}`],
  ['annotations', `studyInstanceUid = ${ERASED_UID}`],
  ['views', `studyInstanceUid = ${ERASED_UID} or studyId in (${SELECT_STUDIES})`],
  ['links', `studyId in (${SELECT_STUDIES})`],
  ['neededAddenda', `seq in (select seq from studies where studyInstanceUid = ${ERASED_UID})`],
  ['viewerStudyGrams', `rowid in (select seq from studies where studyInstanceUid = ${ERASED_UID})`],
  ['viewerStudyWords', `rowid in (select seq from studies where studyInstanceUid = ${ERASED_UID})`],
  ['scribeStudyGrams', `rowid in (select seq from studies where studyInstanceUid = ${ERASED_UID})`],
  ['scribeStudyWords', `rowid in (select seq from studies where studyInstanceUid = ${ERASED_UID})`],
  ['seeds', `studyInstanceUid = ${ERASED_UID}`],
  ['studies', `studyInstanceUid = ${ERASED_UID}`],
  ['reconciliations', `imageStudyUid = ${ERASED_UID} or orderStudyUid = ${ERASED_UID}`],
  ['correctionNotices', `correctionId in (${SELECT_CORRECTIONS})`],
  ['rejectionNotes', `correctionId in (${SELECT_CORRECTIONS})`],
  [
    'performedSteps',
    `sopInstanceUid in (select sopInstanceUid from performedStepItems where studyInstanceUid = ${ERASED_UID})`,
  ],
  ['performedStepItems', `studyInstanceUid = ${ERASED_UID}`],
  ['closedSteps', `studyInstanceUid = ${ERASED_UID}`],
  ['receivedSteps', `studyInstanceUid = ${ERASED_UID} or imageStudyUid = ${ERASED_UID}`],
  [
    'commitmentItems',
    `sopInstanceUid in (select sopInstanceUid from instances where studyInstanceUid = ${ERASED_UID})`,
  ],
  ['announcedInstances', `studyInstanceUid = ${ERASED_UID}`],
  ['confirmationItems', `studyInstanceUid = ${ERASED_UID}`],
  ['confirmations', `studyInstanceUid = ${ERASED_UID}`],
  [
    'forwards',
    `studyInstanceUid = ${ERASED_UID} or (destinationId, instanceId) in
    (select d.destinationId, i.instanceId from (${SELECT_INSTANCES}) i cross join destinations d)`,
  ],
  ['forwardedStudies', `studyInstanceUid = ${ERASED_UID}`],
  ['formerDestinationStudies', `studyInstanceUid = ${ERASED_UID}`],
  ['formerTierStudies', `studyInstanceUid = ${ERASED_UID}`],
  ['legalHolds', `studyInstanceUid = ${ERASED_UID}`],
  ['foundVersions', `instanceId in (${SELECT_INSTANCES})`],
  ['instanceCopies', `instanceId in (${SELECT_INSTANCES})`],
  ['tierRecalls', `instanceId in (${SELECT_INSTANCES})`],
  ['instances', `instanceId in (${SELECT_INSTANCES})`],
  ['correctedInstances', `correctionId in (${SELECT_CORRECTIONS})`],
  ['corrections', `correctionId in (${SELECT_CORRECTIONS})`],
  ['imageSeries', `studyInstanceUid = ${ERASED_UID}`],
  ['imageStudyNumbers', `studyInstanceUid = ${ERASED_UID}`],
  ['imageStudies', `studyInstanceUid = ${ERASED_UID}`],
]

/** What an erasure needs before the rows are gone. */
export function listErasedFiles(database: Database, studyInstanceUid: string) {
  const files = database.all(
    rawQuery<{ file: string; bytes: number; isHere: number }>(
      `${WITH_UID} select file, bytes, localRemovedAt is null as isHere from instances where instanceId in (${SELECT_INSTANCES})`,
      [studyInstanceUid],
    ),
  )
  /** Other studies whose images were corrected into this one, which lose the originals. */
  const others = database.all(
    rawQuery<{ studyInstanceUid: string }>(
      `${WITH_UID} select distinct studyInstanceUid from instances where studyInstanceUid <> ${ERASED_UID} and instanceId in (${SELECT_INSTANCES})`,
      [studyInstanceUid],
    ),
  )
  return { files, others: others.map((other) => other.studyInstanceUid) }
}

/**
 * Deletes the rows of the viewer's cached files of the study, and returns the files. Not in
 * `ERASED_ROWS`, because a view may add files until it ends, which is after the study was deleted.
 */
export const deleteViewFiles = (database: Database, studyInstanceUid: string): string[] =>
  database
    .all(
      rawQuery<{ file: string }>(
        'delete from viewFiles where studyInstanceUid = ? returning file',
        [studyInstanceUid],
      ),
    )
    .map(({ file }) => file)

/** Deletes the rows of a study. Returns the number of rows of each table. Within a transaction. */
export function deleteStudyRows(
  database: Database,
  studyInstanceUid: string,
): Record<string, number> {
  database.run(rawQuery('pragma defer_foreign_keys = on', []))
  // Pages that become free are overwritten, which would cost too much for every other deletion.
  database.all(rawQuery('pragma secure_delete = on', []))
  const counts: Record<string, number> = {}
  try {
    for (const [table, where] of ERASED_ROWS) {
      const { changes } = database.run(
        rawQuery(`${WITH_UID} delete from ${table} where ${where}`, [studyInstanceUid]),
      )
      if (changes > 0) counts[table] = changes
    }
  } finally {
    database.all(rawQuery('pragma secure_delete = fast', []))
  }
  database.run(
    rawQuery('update associationLines set studyInstanceUid = null where studyInstanceUid = ?', [
      studyInstanceUid,
    ]),
  )
  return counts
}

export interface StudyCounts {
  readonly instances: number
  readonly files: number
  readonly bytes: number
  readonly reports: number
}

export const countStudy = (database: Database, studyInstanceUid: string): StudyCounts =>
  database.get(
    rawQuery<StudyCounts>(
      `${WITH_UID} select (select count(*) from instances where instanceId in (${SELECT_INSTANCES})) as instances,
        (select count(*) from instances where localRemovedAt is null and instanceId in (${SELECT_INSTANCES})) as files,
        (select ifnull(sum(bytes), 0) from instances where localRemovedAt is null and instanceId in (${SELECT_INSTANCES})) as bytes,
        (select count(*) from reports where studyId in (${SELECT_STUDIES})) as reports`,
      [studyInstanceUid],
    ),
  ) ?? { instances: 0, files: 0, bytes: 0, reports: 0 }

/** The studies with images of the patient with the key (`patientKeyOf`), oldest first. */
export const listStudiesOfKey = (database: Database, patientKey: Buffer): string[] =>
  database
    .all(
      rawQuery<{ studyInstanceUid: string }>(
        `select studyInstanceUid from retrievalStudies join imageStudyNumbers using (number)
          where patientKey = ? order by studyDate, number`,
        [patientKey],
      ),
    )
    .map(({ studyInstanceUid }) => studyInstanceUid)

/**
 * Destinations that the study was sent to, stores that its images were copied to, and partners that
 * events about it were sent to.
 */
export const listHolders = (database: Database, studyInstanceUid: string) =>
  database.all(
    rawQuery<{
      kind: 'destination' | 'former-destination' | 'partner' | 'tier' | 'tier-off' | 'former-tier'
      name: string
      count: number
    }>(
      `${WITH_UID} select 'destination' as kind, d.name, f.sent as count
        from destinations d join forwardedStudies f
          on f.destinationId = d.destinationId and f.studyInstanceUid = ${ERASED_UID} where f.sent > 0
      union all
      select 'former-destination', name, 0 from formerDestinationStudies where studyInstanceUid = ${ERASED_UID}
      union all
      select iif(t.isEnabled = 1, 'tier', 'tier-off'), t.name, count(*)
        from tierCopies c join tiers t using (tierId)
        where c.instanceId in (${SELECT_INSTANCES}) and c.state in ('stored', 'lost') group by t.tierId
      union all
      select 'former-tier', name, 0 from formerTierStudies where studyInstanceUid = ${ERASED_UID}
      union all
      select 'partner', ifnull(nullif(p.name, ''), p.url), count(*)
        from events e join endpoints p using (endpointId)
        where e.studyInstanceUid = ${ERASED_UID} and e.attempts > 0 group by p.endpointId`,
      [studyInstanceUid],
    ),
  )

/** An erasure while it runs: what is to be deleted, and what was deleted so far. */
export type ErasurePlan = Omit<ErasureRecord, 'finishedAt'>

export interface ErasureRow {
  readonly erasureId: string
  readonly scope: ErasureScope
  readonly state: 'running' | 'done'
  readonly userId: string
  readonly requestedAt: string
  readonly finishedAt: string | null
  readonly plan: ErasurePlan
  readonly record: SignedRecord | null
}

/** The record as it was signed: its bytes decide, not what they mean. */
export interface SignedRecord {
  readonly text: string
  readonly mac: string
}

export const insertErasure = (
  database: Database,
  {
    plan,
    erasureId,
    scope,
    userId,
    requestedAt,
  }: Omit<ErasureRow, 'state' | 'finishedAt' | 'record'>,
) =>
  database.run(
    database.sql.insertInto('erasures').values({
      ...{ erasureId, scope, state: 'running', userId, requestedAt },
      ...{ finishedAt: null, sealedRecord: null, sealedPlan: sealed(database, erasureId, plan) },
    }),
  )

export const savePlan = (database: Database, erasureId: string, plan: ErasurePlan) =>
  database.run(
    database.sql
      .updateTable('erasures')
      .set({ sealedPlan: sealed(database, erasureId, plan) })
      .where('erasureId', '=', erasureId),
  )

export const finishErasure = (
  database: Database,
  erasureId: string,
  record: SignedRecord,
  finishedAt: string,
) =>
  database.run(
    database.sql
      .updateTable('erasures')
      .set({ state: 'done', finishedAt, sealedRecord: sealed(database, erasureId, record) })
      .where('erasureId', '=', erasureId),
  )

export const listErasures = (database: Database): ErasureRow[] =>
  database
    .all(
      rawQuery<Row<'erasures'>>('select * from erasures order by requestedAt desc, erasureId', []),
    )
    .map((row) => erasureOf(database, row))

export function findErasure(database: Database, erasureId: string): ErasureRow | undefined {
  const row = database.get(
    rawQuery<Row<'erasures'>>('select * from erasures where erasureId = ?', [erasureId]),
  )
  return row && erasureOf(database, row)
}

const sealed = (database: Database, erasureId: string, value: object) =>
  database.seal.seal(Buffer.from(JSON.stringify(value)), `erasure ${erasureId}`)

function erasureOf(
  { seal }: Database,
  { sealedPlan, sealedRecord, ...row }: Row<'erasures'>,
): ErasureRow {
  const open = (value: Buffer) =>
    JSON.parse(seal.open(value, `erasure ${row.erasureId}`).toString())
  return {
    ...(row as Omit<ErasureRow, 'plan' | 'record'>),
    plan: open(sealedPlan),
    record: sealedRecord && open(sealedRecord),
  }
}
