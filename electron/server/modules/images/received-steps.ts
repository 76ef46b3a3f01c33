import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import type { ImageStudyRecord } from './image-study-queries.ts'

const CARRIED = `select distinct scheduledProcedureStepId as step from instances where studyInstanceUid = ? and state = 'current'`
const KNOWN =
  'select studyInstanceUid, scheduledProcedureStepId from receivedSteps where imageStudyUid = ?'
const INSERT =
  'insert into receivedSteps (studyInstanceUid, scheduledProcedureStepId, imageStudyUid, receivedAt) values (?, ?, ?, ?)'
const REMOVE =
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
export function noteReceivedSteps(
  db: Database,
  study: Pick<ImageStudyRecord, 'studyInstanceUid' | 'header' | 'handedOut'>,
  at: string | null,
): void {
  const { studyInstanceUid: uid, header, handedOut } = study
  const carried = db.all(rawQuery<{ step: string }>(CARRIED, [uid])).map(({ step }) => step)
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

  const wantedByKey = new Map(wanted.map((step) => [keyOf(step), step]))
  for (const step of db.all(rawQuery<Step>(KNOWN, [uid])))
    if (!wantedByKey.delete(keyOf(step)))
      db.run(rawQuery(REMOVE, [step.studyInstanceUid, step.scheduledProcedureStepId, uid]))
  if (at === null) return
  for (const { studyInstanceUid, scheduledProcedureStepId } of wantedByKey.values())
    db.run(rawQuery(INSERT, [studyInstanceUid, scheduledProcedureStepId, uid, at]))
}

// A backslash separates values in DICOM: neither id can hold one (PS3.5 Table 6.2-1).
const keyOf = ({ studyInstanceUid, scheduledProcedureStepId }: Step) =>
  `${studyInstanceUid}\\${scheduledProcedureStepId}`
