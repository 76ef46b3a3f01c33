import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import type { PERFORMED_STATUSES } from '#shared/contract/images.ts'

export type PerformedStatus = (typeof PERFORMED_STATUSES)[number]

/** A scheduled step that a performed one performs, by the UID of the worklist. */
export interface PerformedItem {
  readonly studyInstanceUid: string
  /** Empty: it performs something of the study that was not scheduled here. */
  readonly scheduledProcedureStepId: string
}

/** A Modality Performed Procedure Step (PS3.4 Annex F). */
export interface PerformedStepRecord {
  readonly sopInstanceUid: string
  readonly status: PerformedStatus
  readonly modality: string
  readonly callingAeTitle: string
  readonly remoteAddress: string
  readonly deviceName: string
  readonly startedAt: string
  readonly endedAt: string | null
  /**
   * PerformedProcedureStepDiscontinuationReasonCodeSequence: code value and meaning; both empty
   * where there is none.
   */
  readonly discontinuationCode: string
  readonly discontinuationMeaning: string
  /** Instances its PerformedSeriesSequence names. */
  readonly instances: number
  /** Its attributes: JSON, in the form of whoever receives it; sealed at rest. */
  readonly dataSet: unknown
  readonly updatedAt: string
  readonly items: readonly PerformedItem[]
}

/**
 * How a step of a study stands: the last performed step that speaks of it, or its settled images
 * where none does.
 */
export interface StepStanding {
  readonly scheduledProcedureStepId: string
  readonly status: PerformedStatus | 'RECEIVED'
  /** When it was started, ended or received. */
  readonly since: string
}

export interface PerformedStepsStore {
  /** @throws one of that UID is there (a constraint of the database) */
  insert(step: PerformedStepRecord): void
  /** Everything, its items too. */
  update(step: PerformedStepRecord): void
  get(sopInstanceUid: string): PerformedStepRecord | undefined
  /** Those that perform something of the study, in the order they began. */
  ofStudy(studyInstanceUid: string): PerformedStepRecord[]
  /**
   * The steps of a study, by the UID of the worklist or that of the images; one that is not among
   * them is scheduled.
   */
  standing(studyInstanceUid: string): StepStanding[]
  /**
   * UIDs of the worklist and of images that `standing` says anything of that is not older than the
   * instant.
   */
  studies(since: string): string[]
  /** Forgets those last changed before the instant, and steps received before it. */
  purge(before: string): number
}

type StoredStep = Omit<PerformedStepRecord, 'dataSet' | 'items'> & {
  seq: number
  sealedDataSet: Buffer
}

// The order in which they began is that of `seq`: their own times are those of the clocks of
// devices.
const STANDING = `
  select i.scheduledProcedureStepId, p.status, coalesce(p.endedAt, p.startedAt) as since, p.seq
  from performedStepItems i join performedSteps p on p.sopInstanceUid = i.sopInstanceUid
  where i.studyInstanceUid = ?
  union all
  select scheduledProcedureStepId, 'RECEIVED', min(receivedAt), 0 from receivedSteps where studyInstanceUid = ? group by scheduledProcedureStepId
  order by 4`
const STUDIES = `
  select i.studyInstanceUid from performedSteps p join performedStepItems i on i.sopInstanceUid = p.sopInstanceUid where p.updatedAt >= ?
  union select studyInstanceUid from receivedSteps where receivedAt >= ?`
const OF_STUDY = `select * from performedSteps
  where sopInstanceUid in (select sopInstanceUid from performedStepItems where studyInstanceUid = ?) order by seq`

export function performedStepsStore(db: Database, seal: Seal): PerformedStepsStore {
  const rowOf = ({ dataSet, items: _, ...step }: PerformedStepRecord) => ({
    ...step,
    sealedDataSet: seal.seal(Buffer.from(JSON.stringify(dataSet)), contextOf(step.sopInstanceUid)),
  })
  const recordOf = ({ seq: _, sealedDataSet, ...row }: StoredStep): PerformedStepRecord => ({
    ...row,
    dataSet: JSON.parse(seal.open(sealedDataSet, contextOf(row.sopInstanceUid)).toString()),
    items: db.all(
      db.sql
        .selectFrom('performedStepItems')
        .select(['studyInstanceUid', 'scheduledProcedureStepId'])
        .where('sopInstanceUid', '=', row.sopInstanceUid)
        .orderBy('studyInstanceUid')
        .orderBy('scheduledProcedureStepId'),
    ),
  })
  function writeItems({ sopInstanceUid, items }: PerformedStepRecord): void {
    db.run(db.sql.deleteFrom('performedStepItems').where('sopInstanceUid', '=', sopInstanceUid))
    for (const item of items)
      db.run(
        db.sql
          .insertInto('performedStepItems')
          .values({ sopInstanceUid, ...item })
          .onConflict((same) => same.doNothing()),
      )
  }

  return {
    insert: (step) =>
      db.transaction(() => {
        db.run(db.sql.insertInto('performedSteps').values(rowOf(step)))
        writeItems(step)
      }),
    update: (step) =>
      db.transaction(() => {
        const { sopInstanceUid, ...changed } = rowOf(step)
        db.run(
          db.sql
            .updateTable('performedSteps')
            .set(changed)
            .where('sopInstanceUid', '=', sopInstanceUid),
        )
        writeItems(step)
      }),
    get(sopInstanceUid) {
      const row = db.get(
        db.sql
          .selectFrom('performedSteps')
          .selectAll()
          .where('sopInstanceUid', '=', sopInstanceUid),
      )
      return row && recordOf(row as StoredStep)
    },
    ofStudy: (studyInstanceUid) =>
      db.all(rawQuery<StoredStep>(OF_STUDY, [studyInstanceUid])).map(recordOf),
    standing(studyInstanceUid) {
      const rows = db.all(
        rawQuery<StepStanding & { seq: number }>(STANDING, [studyInstanceUid, studyInstanceUid]),
      )
      const last = new Map(
        rows.map(({ seq: _, ...standing }) => [standing.scheduledProcedureStepId, standing]),
      )
      return [...last.values()]
    },
    studies: (since) =>
      db
        .all(rawQuery<{ studyInstanceUid: string }>(STUDIES, [since, since]))
        .map(({ studyInstanceUid }) => studyInstanceUid),
    purge: (before) =>
      db.run(db.sql.deleteFrom('performedSteps').where('updatedAt', '<', before)).changes +
      db.run(db.sql.deleteFrom('receivedSteps').where('receivedAt', '<', before)).changes,
  }
}

const contextOf = (sopInstanceUid: string) => `performed step ${sopInstanceUid}`
