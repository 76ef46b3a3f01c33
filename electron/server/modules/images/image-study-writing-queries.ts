import type { Insertable } from 'kysely'
import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import type { Schema } from '#server/database/schema.ts'
import { invalidateStepCache } from '#server/modules/procedure-steps/performed-step-queries.ts'
import { findImageStudy, updateMismatch } from '#server/modules/studies/image-study-queries.ts'
import {
  type ImageStudyPatch,
  type ImageStudyRecord,
  imageStudyColumns,
  type NewImageStudy,
} from '#server/modules/studies/image-study-row.ts'
import {
  indexForRetrieval,
  indexModalities,
} from '#server/modules/studies/retrieval-index-queries.ts'
import { indexImageWords, indexStudiesByUid } from '#server/modules/studies/search-index.ts'
import { type Message, storedMessage } from '#shared/messages/message.ts'
import { type ImageSeriesRecord, seriesSealContext } from './image-study-list-queries.ts'
import { IS_NO_REJECTION_NOTE } from './instance-queries.ts'

// Writes image studies and their counters, and updates what depends on them: search words, whether
// the identity is a mismatch, and the received steps of the worklist.

const COUNT_SERIES = `update imageSeries set instances = instances + 1, bytes = bytes + ?, lastInstanceAt = ?
  where studyInstanceUid = ? and seriesInstanceUid = ? returning instances`
const INSERT_SERIES = `insert into imageSeries
    (studyInstanceUid, seriesInstanceUid, modality, seriesNumber, sealedDescription, instances, bytes, lastInstanceAt)
  values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (studyInstanceUid, seriesInstanceUid) do nothing`
const COUNT_CURRENT = `update imageStudies set instances = instances + 1, series = series + ?, bytes = bytes + ?, lastInstanceAt = ?
  where studyInstanceUid = ? returning instances`
const COUNT_QUARANTINED =
  'update imageStudies set quarantined = quarantined + 1, lastInstanceAt = ? where studyInstanceUid = ?'
const UNCOUNT_SERIES = `update imageSeries set instances = instances - 1, bytes = bytes - ?
  where studyInstanceUid = ? and seriesInstanceUid = ?`
const UNCOUNT_STUDY =
  'update imageStudies set instances = instances - 1, bytes = bytes - ? where studyInstanceUid = ?'
const FROM_CURRENT = `from instances n where n.studyInstanceUid = ? and n.state = 'current' and ${IS_NO_REJECTION_NOTE}`
const RECOUNT_SERIES = `update imageSeries set
    (instances, bytes) = (select count(*), ifnull(sum(n.bytes), 0) ${FROM_CURRENT} and n.seriesInstanceUid = imageSeries.seriesInstanceUid)
  where studyInstanceUid = ?`
const RECOUNT_STUDY = `update imageStudies set
    (instances, series, bytes) = (select count(*), count(distinct n.seriesInstanceUid), ifnull(sum(n.bytes), 0) ${FROM_CURRENT}),
    quarantined = (select count(*) from instances where studyInstanceUid = ? and state = 'quarantined')
  where studyInstanceUid = ?`
const ABORT_TRANSFERS = `update imageStudies set transferHow = 'aborted', transferDetail = ?, transferAt = lastInstanceAt
  where transferHow = 'open'`

/** Fields on which `identityOf` depends. */
const IDENTIFYING_COLUMNS = [
  'header',
  'handedOut',
  'mismatch',
  'override',
  'remoteAddress',
] as const satisfies (keyof ImageStudyPatch)[]

/** Inserts a study with counters at zero; `countInstance` counts its first instance. */
export const insertImageStudy = (database: Database, study: NewImageStudy): void =>
  database.transaction(() => {
    const { studyInstanceUid, createdAt, ...fields } = study
    const columns = imageStudyColumns(database.seal, studyInstanceUid, fields) as Omit<
      Insertable<Schema['imageStudies']>,
      'studyInstanceUid' | 'createdAt'
    >
    database.run(
      database.sql.insertInto('imageStudies').values({ studyInstanceUid, createdAt, ...columns }),
    )
    updateSearchWords(database, studyInstanceUid)
    updateMismatch(database, studyInstanceUid)
  })

/** Updates a study. When it is settled, the steps of its instances are recorded as received. */
export const updateImageStudy = (
  database: Database,
  studyInstanceUid: string,
  patch: ImageStudyPatch,
): void =>
  database.transaction(() => {
    const columns = imageStudyColumns(database.seal, studyInstanceUid, patch)
    if (Object.keys(columns).length === 0) return
    database.run(
      database.sql
        .updateTable('imageStudies')
        .set(columns)
        .where('studyInstanceUid', '=', studyInstanceUid),
    )
    if (patch.state === 'settled' || patch.handedOut !== undefined)
      updateReceivedSteps(database, studyInstanceUid)
    if (patch.header || patch.handedOut !== undefined) updateSearchWords(database, studyInstanceUid)
    if (IDENTIFYING_COLUMNS.some((field) => patch[field] !== undefined))
      updateMismatch(database, studyInstanceUid)
  })

/** Counts a new instance and updates the times. */
export function countInstance(
  database: Database,
  studyInstanceUid: string,
  series: SeriesHeader,
  bytes: number,
  at: string,
  what: 'current' | 'quarantined',
): void {
  const { seriesInstanceUid, modality, seriesNumber, seriesDescription } = series
  const insertSeries = (instances: number) => {
    const sealed =
      seriesDescription === ''
        ? null
        : database.seal.seal(Buffer.from(seriesDescription), seriesSealContext(studyInstanceUid))
    const values = [studyInstanceUid, seriesInstanceUid, modality, seriesNumber, sealed, instances]
    database.run(rawQuery(INSERT_SERIES, [...values, instances * bytes, at]))
  }
  if (what === 'quarantined') {
    // The series is needed if the instance is released.
    insertSeries(0)
    database.run(rawQuery(COUNT_QUARANTINED, [at, studyInstanceUid]))
    return
  }
  type CountRow = { instances: number }
  const known = database.get(
    rawQuery<CountRow>(COUNT_SERIES, [bytes, at, studyInstanceUid, seriesInstanceUid]),
  )
  if (!known) insertSeries(1)
  const isNewSeries = known && known.instances > 1 ? 0 : 1
  const counted = database.get(
    rawQuery<CountRow>(COUNT_CURRENT, [isNewSeries, bytes, at, studyInstanceUid]),
  )
  if (isNewSeries) indexModalities(database, studyInstanceUid)
  // This is the study's first current image.
  if (counted?.instances === 1) updateMismatch(database, studyInstanceUid)
}

export type SeriesHeader = Pick<
  ImageSeriesRecord,
  'seriesInstanceUid' | 'modality' | 'seriesNumber' | 'seriesDescription'
>

/** Subtracts an instance that another one of its series replaced, which is already counted. */
export const uncountInstance = (
  database: Database,
  studyInstanceUid: string,
  seriesInstanceUid: string,
  bytes: number,
): void =>
  database.transaction(() => {
    database.run(rawQuery(UNCOUNT_SERIES, [bytes, studyInstanceUid, seriesInstanceUid]))
    database.run(rawQuery(UNCOUNT_STUDY, [bytes, studyInstanceUid]))
  })

/** Recomputes all counters, after instances changed their state or were deleted. */
export const recountInstances = (database: Database, studyInstanceUid: string): void =>
  database.transaction(() => {
    database.run(rawQuery(RECOUNT_SERIES, [studyInstanceUid, studyInstanceUid]))
    database.run(rawQuery(RECOUNT_STUDY, [studyInstanceUid, studyInstanceUid, studyInstanceUid]))
    indexModalities(database, studyInstanceUid)
    updateReceivedSteps(database, studyInstanceUid)
    updateMismatch(database, studyInstanceUid)
  })

/**
 * Marks transfers as aborted that were open when the last run ended. Called at startup; returns
 * their number.
 */
export const abortOpenTransfers = (database: Database, detail: Message): number =>
  database.run(rawQuery(ABORT_TRANSFERS, [storedMessage(detail)])).changes

function updateReceivedSteps(database: Database, studyInstanceUid: string): void {
  const study = findImageStudy(database, studyInstanceUid)
  if (study) writeReceivedSteps(database, study, study.settledAt)
}

function updateSearchWords(database: Database, studyInstanceUid: string): void {
  indexImageWords(database, studyInstanceUid)
  indexForRetrieval(database, studyInstanceUid)
  indexStudiesByUid(database, studyInstanceUid)
}

const SELECT_CARRIED_STEPS = `select distinct scheduledProcedureStepId as step from instances where studyInstanceUid = ? and state = 'current'`
const SELECT_KNOWN_STEPS =
  'select studyInstanceUid, scheduledProcedureStepId from receivedSteps where imageStudyUid = ?'
const INSERT_STEP =
  'insert into receivedSteps (studyInstanceUid, scheduledProcedureStepId, imageStudyUid, receivedAt) values (?, ?, ?, ?)'
const REMOVE_STEP =
  'delete from receivedSteps where studyInstanceUid = ? and scheduledProcedureStepId = ? and imageStudyUid = ?'

interface Step {
  readonly studyInstanceUid: string
  readonly scheduledProcedureStepId: string
}

/**
 * Updates the received steps of the study. Steps that are already recorded keep their time. A step
 * is recorded with the UID of the images, with the Study Instance UID of their request attributes,
 * and as the matched worklist row, because not every modality uses the UID from the worklist.
 * Before the study is settled (`at` is null), no step is added.
 */
function writeReceivedSteps(
  database: Database,
  study: Pick<ImageStudyRecord, 'studyInstanceUid' | 'header' | 'handedOut'>,
  at: string | null,
): void {
  const { studyInstanceUid: uid, header, handedOut } = study
  const carriedSteps = database
    .all(rawQuery<{ step: string }>(SELECT_CARRIED_STEPS, [uid]))
    .map(({ step }) => step)
  const wantedSteps = carriedSteps
    .filter((step) => step !== '')
    .flatMap((step) =>
      [uid, header.requestStudyInstanceUid].map((studyInstanceUid) => ({
        studyInstanceUid,
        scheduledProcedureStepId: step,
      })),
    )
    .filter(({ studyInstanceUid }) => studyInstanceUid !== '')
  // Images of another step do not belong to the row, unless a user linked them.
  const isOfRow = (step: string) => step === '' || step === handedOut?.scheduledProcedureStepId
  if (handedOut && (handedOut.linkedBy !== undefined || carriedSteps.some(isOfRow)))
    wantedSteps.push(handedOut)

  const missing = new Map(wantedSteps.map((step) => [keyOf(step), step]))
  const obsoleteSteps = database
    .all(rawQuery<Step>(SELECT_KNOWN_STEPS, [uid]))
    .filter((step) => !missing.delete(keyOf(step)))
  const added = at === null ? [] : [...missing.values()]
  for (const { studyInstanceUid, scheduledProcedureStepId } of obsoleteSteps)
    database.run(rawQuery(REMOVE_STEP, [studyInstanceUid, scheduledProcedureStepId, uid]))
  for (const { studyInstanceUid, scheduledProcedureStepId } of added)
    database.run(rawQuery(INSERT_STEP, [studyInstanceUid, scheduledProcedureStepId, uid, at]))
  if (obsoleteSteps.length + added.length > 0) invalidateStepCache(database)
}

// DICOM values cannot contain a backslash, which separates them (PS3.5 Table 6.2-1).
const keyOf = ({ studyInstanceUid, scheduledProcedureStepId }: Step) =>
  `${studyInstanceUid}\\${scheduledProcedureStepId}`
