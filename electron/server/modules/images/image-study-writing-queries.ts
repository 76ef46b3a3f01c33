import type { Insertable } from 'kysely'
import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import type { Schema } from '#server/database/schema.ts'
import { noteStepsChanged } from '#server/modules/procedure-steps/performed-step-queries.ts'
import { findImageStudy, updateMismatch } from '#server/modules/studies/image-study-queries.ts'
import {
  type ImageStudyPatch,
  type ImageStudyRecord,
  imageStudyColumns,
  type NewImageStudy,
} from '#server/modules/studies/image-study-row.ts'
import { indexImageWords, indexStudiesByUid } from '#server/modules/studies/search-index.ts'
import { type Message, storedMessage } from '#shared/messages/message.ts'
import { type ImageSeriesRecord, seriesSealContext } from './image-study-list-queries.ts'
import { NO_NOTE } from './instance-queries.ts'

/*
 * Writes studies with images and their counters, with what follows from them: the words they are
 * found by, whether their identity is a mismatch, and which steps of the worklist were received.
 */

const COUNT_SERIES = `update imageSeries set instances = instances + 1, bytes = bytes + ?, lastInstanceAt = ?
  where studyInstanceUid = ? and seriesInstanceUid = ? returning instances`
const NEW_SERIES = `insert into imageSeries
    (studyInstanceUid, seriesInstanceUid, modality, seriesNumber, sealedDescription, instances, bytes, lastInstanceAt)
  values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (studyInstanceUid, seriesInstanceUid) do nothing`
const COUNT_CURRENT = `update imageStudies set instances = instances + 1, series = series + ?, bytes = bytes + ?, lastInstanceAt = ?
  where studyInstanceUid = ? returning instances`
const COUNT_QUARANTINED =
  'update imageStudies set quarantined = quarantined + 1, lastInstanceAt = ? where studyInstanceUid = ?'
const UNCOUNT_SERIES = `update imageSeries set instances = instances - 1, bytes = bytes - ?
  where studyInstanceUid = ? and seriesInstanceUid = ?`
const UNCOUNT =
  'update imageStudies set instances = instances - 1, bytes = bytes - ? where studyInstanceUid = ?'
const CURRENT = `from instances n where n.studyInstanceUid = ? and n.state = 'current' and ${NO_NOTE}`
const RECOUNT_SERIES = `update imageSeries set
    (instances, bytes) = (select count(*), ifnull(sum(n.bytes), 0) ${CURRENT} and n.seriesInstanceUid = imageSeries.seriesInstanceUid)
  where studyInstanceUid = ?`
const RECOUNT = `update imageStudies set
    (instances, series, bytes) = (select count(*), count(distinct n.seriesInstanceUid), ifnull(sum(n.bytes), 0) ${CURRENT}),
    quarantined = (select count(*) from instances where studyInstanceUid = ? and state = 'quarantined')
  where studyInstanceUid = ?`
const BREAK_OFF = `update imageStudies set transferHow = 'aborted', transferDetail = ?, transferAt = lastInstanceAt
  where transferHow = 'open'`

/** What `identityOf` looks at. */
const IDENTIFYING = [
  'header',
  'handedOut',
  'mismatch',
  'override',
  'remoteAddress',
] as const satisfies (keyof ImageStudyPatch)[]

/** With its counters at zero: `countInstance` counts its first instance too. */
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
    keepWords(database, studyInstanceUid)
    updateMismatch(database, studyInstanceUid)
  })

/** Once a study is settled, the steps that its instances were made for are noted as received. */
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
      noteSteps(database, studyInstanceUid)
    if (patch.header || patch.handedOut !== undefined) keepWords(database, studyInstanceUid)
    if (IDENTIFYING.some((field) => patch[field] !== undefined))
      updateMismatch(database, studyInstanceUid)
  })

/** Counts a new instance and sets the times. */
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
    database.run(rawQuery(NEW_SERIES, [...values, instances * bytes, at]))
  }
  if (what === 'quarantined') {
    // It describes its series should the instance be released.
    insertSeries(0)
    database.run(rawQuery(COUNT_QUARANTINED, [at, studyInstanceUid]))
    return
  }
  type Counted = { instances: number }
  const known = database.get(
    rawQuery<Counted>(COUNT_SERIES, [bytes, at, studyInstanceUid, seriesInstanceUid]),
  )
  if (!known) insertSeries(1)
  const isNewSeries = known && known.instances > 1 ? 0 : 1
  const counted = database.get(
    rawQuery<Counted>(COUNT_CURRENT, [isNewSeries, bytes, at, studyInstanceUid]),
  )
  // Until then the study had no image that counts.
  if (counted?.instances === 1) updateMismatch(database, studyInstanceUid)
}

export type SeriesHeader = Pick<
  ImageSeriesRecord,
  'seriesInstanceUid' | 'modality' | 'seriesNumber' | 'seriesDescription'
>

/** Takes off an instance whose place another of its series took, which is counted already. */
export const uncountInstance = (
  database: Database,
  studyInstanceUid: string,
  seriesInstanceUid: string,
  bytes: number,
): void =>
  database.transaction(() => {
    database.run(rawQuery(UNCOUNT_SERIES, [bytes, studyInstanceUid, seriesInstanceUid]))
    database.run(rawQuery(UNCOUNT, [bytes, studyInstanceUid]))
  })

/** Counts everything anew: after instances changed their state or were removed. */
export const recountInstances = (database: Database, studyInstanceUid: string): void =>
  database.transaction(() => {
    database.run(rawQuery(RECOUNT_SERIES, [studyInstanceUid, studyInstanceUid]))
    database.run(rawQuery(RECOUNT, [studyInstanceUid, studyInstanceUid, studyInstanceUid]))
    noteSteps(database, studyInstanceUid)
    updateMismatch(database, studyInstanceUid)
  })

/**
 * For the start: transfers that were open when the last run ended broke off with it, at their
 * last image. How many there were.
 */
export const breakOffTransfers = (database: Database, detail: Message): number =>
  database.run(rawQuery(BREAK_OFF, [storedMessage(detail)])).changes

function noteSteps(database: Database, studyInstanceUid: string): void {
  const study = findImageStudy(database, studyInstanceUid)
  if (study) noteReceivedSteps(database, study, study.settledAt)
}

function keepWords(database: Database, studyInstanceUid: string): void {
  indexImageWords(database, studyInstanceUid)
  indexStudiesByUid(database, studyInstanceUid)
}

const CARRIED_STEPS = `select distinct scheduledProcedureStepId as step from instances where studyInstanceUid = ? and state = 'current'`
const KNOWN_STEPS =
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
 * Brings the steps that the current images of a study were made for up to date; one that is known
 * keeps its time. A step is known by the UID of the images, by the one they carry of the request,
 * and as the row that was handed out: not every console copies the UID of the worklist. Before the
 * study was settled (`at` is null) none is added.
 */
function noteReceivedSteps(
  database: Database,
  study: Pick<ImageStudyRecord, 'studyInstanceUid' | 'header' | 'handedOut'>,
  at: string | null,
): void {
  const { studyInstanceUid: uid, header, handedOut } = study
  const carried = database
    .all(rawQuery<{ step: string }>(CARRIED_STEPS, [uid]))
    .map(({ step }) => step)
  const wanted = carried
    .filter((step) => step !== '')
    .flatMap((step) =>
      [uid, header.requestStudyInstanceUid].map((studyInstanceUid) => ({
        studyInstanceUid,
        scheduledProcedureStepId: step,
      })),
    )
    .filter(({ studyInstanceUid }) => studyInstanceUid !== '')
  // Images of another step than the row's were not made for it, unless a person says that they
  // were.
  const isOfRow = (step: string) => step === '' || step === handedOut?.scheduledProcedureStepId
  if (handedOut && (handedOut.linkedBy !== undefined || carried.some(isOfRow)))
    wanted.push(handedOut)

  const missing = new Map(wanted.map((step) => [keyOf(step), step]))
  const gone = database
    .all(rawQuery<Step>(KNOWN_STEPS, [uid]))
    .filter((step) => !missing.delete(keyOf(step)))
  const added = at === null ? [] : [...missing.values()]
  for (const { studyInstanceUid, scheduledProcedureStepId } of gone)
    database.run(rawQuery(REMOVE_STEP, [studyInstanceUid, scheduledProcedureStepId, uid]))
  for (const { studyInstanceUid, scheduledProcedureStepId } of added)
    database.run(rawQuery(INSERT_STEP, [studyInstanceUid, scheduledProcedureStepId, uid, at]))
  if (gone.length + added.length > 0) noteStepsChanged(database)
}

// A backslash separates values in DICOM: neither id can hold one (PS3.5 Table 6.2-1).
const keyOf = ({ studyInstanceUid, scheduledProcedureStepId }: Step) =>
  `${studyInstanceUid}\\${scheduledProcedureStepId}`
